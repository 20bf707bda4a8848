"""Which of the known cells the search returns to: the furthest and the newest most often."""

from collections.abc import Sequence
from typing import Any

BEHIND = 0.5  # how likely cells that are one step behind are, as a group


def weights(ranks: Sequence[Any], drawn: Sequence[int]) -> list[float]:
    """Returns how likely each cell is to be drawn, up to a common factor.

    The cells of the highest rank are one group, those of the next one that occurs another, half as
    likely, and so on. Within a group a cell's weight is 1/(times drawn + 1).

    Args:
        ranks: how far each cell is, of anything that can be ordered.
        drawn: bursts that began in each so far.
    """
    own = [1 / (times + 1) for times in drawn]
    sums = dict.fromkeys(sorted(set(ranks), reverse=True), 0.0)
    for group, weight in zip(ranks, own, strict=True):
        sums[group] += weight
    of_group = {group: BEHIND**rank / total for rank, (group, total) in enumerate(sums.items())}
    return [weight * of_group[group] for group, weight in zip(ranks, own, strict=True)]
