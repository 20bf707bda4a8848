"""Which of the known cells the search returns to: the furthest, the rarest and the newest most."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

BEHIND = 0.5  # how likely cells that are one step behind are, as a group


def weights(ranks: Sequence[Any], maps: Sequence[Hashable], drawn: Sequence[int]) -> list[float]:
    """Returns how likely each cell is to be drawn, up to a common factor.

    The cells of the highest rank are one group, those of the next one that occurs another, half as
    likely, and so on. Within a group all maps are equally likely: a room, where somebody may be
    talked to, has few cells and a route has thousands. On a map a cell's weight is
    1/(times drawn + 1).

    Args:
        ranks: how far each cell is, of anything that can be ordered.
        maps: where each cell is.
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
