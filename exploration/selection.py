"""Which known cells the search returns to: mostly the furthest, rarest and newest."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

BEHIND = 0.5  # probability of a group relative to the one ahead of it


def weights(ranks: Sequence[Any], maps: Sequence[Hashable], drawn: Sequence[int]) -> list[float]:
    """Returns the probability of drawing each cell, up to a common factor.

    The cells of the highest rank form the first group; each further group is half as likely. Within
    a group all maps are equally likely, since a room with somebody to talk to has few cells and a
    route has thousands. Within a map a cell's weight is 1/(times drawn + 1).

    Args:
        ranks: how far each cell is; anything that can be ordered.
        maps: the map of each cell.
        drawn: bursts that began in each so far.
    """
    own = [1 / (times + 1) for times in drawn]
    places = list(zip(ranks, maps, strict=True))
    sums = dict.fromkeys(places, 0.0)
    for place, weight in zip(places, own, strict=True):
        sums[place] += weight
    order = {rank: behind for behind, rank in enumerate(sorted(set(ranks), reverse=True))}
    size = Counter(rank for rank, _ in sums)
    share = {place: BEHIND ** order[place[0]] / size[place[0]] / sums[place] for place in sums}
    return [weight * share[place] for place, weight in zip(places, own, strict=True)]
