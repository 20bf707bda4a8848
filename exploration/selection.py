"""Which known cells the search returns to: the furthest, and those where it has seldom begun."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

BEHIND = 0.5  # probability of a group relative to the one ahead of it


class Spot(NamedTuple):
    """Where a cell lies, for the search."""

    rank: Any  # how far, of anything that can be ordered
    map: Hashable
    age: int  # milestones reached since anybody first came to this map
    square: Hashable  # of the map; several cells may share it


def weights(spots: Sequence[Spot], drawn: Sequence[int]) -> list[float]:
    """Returns the probability of drawing each cell, up to a common factor.

    The cells of the highest rank form the first group; each further group is half as likely. Within
    a group a map's weight is the mean freshness of its squares, 1/(bursts that began there + 1),
    divided by its age + 1. So a room with somebody to talk to counts as much as a route of a
    thousand squares, well-known maps count less, and so do maps first seen many milestones ago.
    Within a map a square's weight is its freshness; the cells of a square are equally likely.

    Args:
        spots: where each cell lies.
        drawn: bursts that began in each so far.
    """
    begun: Counter[Spot] = Counter()
    for spot, times in zip(spots, drawn, strict=True):
        begun[spot] += times
    cells = Counter(spots)
    squares = Counter((spot.rank, spot.map) for spot in cells)
    weight = {
        spot: 1 / (begun[spot] + 1) / (squares[spot.rank, spot.map] * (spot.age + 1)) / cells[spot]
        for spot in cells
    }
    sums: dict[Any, float] = {}
    for spot in spots:
        sums[spot.rank] = sums.get(spot.rank, 0.0) + weight[spot]
    group = {rank: BEHIND**behind / sums[rank] for behind, rank in enumerate(sorted(sums)[::-1])}
    return [group[spot.rank] * weight[spot] for spot in spots]
