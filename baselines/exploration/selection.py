"""Which of the known cells the search returns to: the furthest and the newest most often."""

from collections.abc import Sequence

BEHIND = 0.5  # how likely cells with one milestone less are, as a group


def weights(progress: Sequence[int], drawn: Sequence[int]) -> list[float]:
    """Returns how likely each cell is to be drawn, up to a common factor.

    The cells with the most milestones are one group, those with the next fewer that occur another,
    half as likely, and so on. Within a group a cell's weight is 1/(times drawn + 1).

    Args:
        progress: milestones reached in each cell.
        drawn: bursts that began in each so far.
    """
    own = [1 / (times + 1) for times in drawn]
    sums = dict.fromkeys(sorted(set(progress), reverse=True), 0.0)
    for group, weight in zip(progress, own, strict=True):
        sums[group] += weight
    of_group = {group: BEHIND**rank / total for rank, (group, total) in enumerate(sums.items())}
    return [weight * of_group[group] for group, weight in zip(progress, own, strict=True)]
