"""What a score says about the progress of learning: a rank test and an effect size.

Three groups of episodes are compared: the first ones, the best stretch and the newest ones.
"""

import enum
from dataclasses import dataclass

import numpy as np

from baselines.diagnostics.scores import Numbers, ScoreCurve, joined

START_EPISODES = 20  # "at first" means so many, or the first hundredth
SHARE = 10  # the best stretch is 1/SHARE of the episodes
NEWEST = 10  # "now" is 1/NEWEST of them
BLOCKS = 1000  # to which samples are joined at most
LEAST_GROUP = 5  # samples in a group
LEAST, LEAST_LAST = 4, 3  # samples at all, and of the newest
SAME = 1e-4  # relative; scores recovered from a logged mean are not exact
P = 0.05  # of a rank test, after Bonferroni's correction for the choice of the best stretch
SURE_FALL = 4.0  # standard errors; half if most of the gain is lost
MOSTLY = 0.6
P_FALL = 0.2  # of a fall, of which there are few episodes yet
SURE, CERTAIN = 4.0, 6.0  # standard errors, with a rank test that agrees, and without
DOUBTFUL = 2.5  # standard errors: too little for "it rises", too much for "it does not"
EFFECT = 0.35  # standard deviations of one episode's score; less is no learning worth the name
FALLEN = 0.25  # share of what was gained
FLAT_EPISODES = 300  # without an effect are a verdict; a sixth if all scored the same
FAINT_EPISODES = 750  # with a faint effect only are one, too
SINGLE = 2  # episodes in a sample, on average: they are known one by one
EPISODES_IN_BLOCK = 20
MEDIAN_OF_NORMAL = 0.6745


class State(enum.Enum):
    """How a score has moved."""

    UNKNOWN = "too early to say"
    RISING = "rising, or at its best"
    FLAT = "flat"
    FALLING = "falling"
    BELOW = "below its start"


@dataclass(frozen=True, slots=True)
class Progress:
    """One score's way so far.

    `effect` is the rise in standard deviations of a single episode, `lost` the share of the gain
    that is lost again.
    """

    state: State
    start: float
    best: float
    now: float
    effect: float
    lost: float
    episodes: int
    risen: bool = False  # ever, beyond chance and by an effect worth the name

    def __str__(self) -> str:
        """Returns the way in a few words."""
        return f"{self.start:.4g} at first, {self.best:.4g} at best, {self.now:.4g} now"


@dataclass(frozen=True, slots=True)
class Group:
    """Some neighbouring samples of a score."""

    values: Numbers
    counts: Numbers

    @property
    def level(self) -> float:
        """The mean score of their episodes."""
        return float(np.average(self.values, weights=self.counts))

    def above(self, other: "Group", deviation: float) -> float:
        """Returns by how many standard errors of their levels this is above another group."""
        error = deviation * (1 / self.counts.sum() + 1 / other.counts.sum()) ** 0.5
        return _over(self.level - other.level, error)


def progress(score: ScoreCurve) -> Progress | None:
    """Returns a score's progress, None before there are enough samples."""
    values, counts = score.values, score.counts
    if len(values) > BLOCKS:
        values, counts = joined(values, counts, BLOCKS)
    episodes = int(counts.sum()) if len(values) else 0
    if (
        len(values)
        and np.ptp(values) <= SAME * np.abs(values).max()
        and episodes >= FLAT_EPISODES / 6
    ):
        level = float(values[0])
        return Progress(State.FLAT, level, level, level, 0.0, 0.0, episodes)
    return _compared(values, counts, episodes) if len(values) >= LEAST else None


def _compared(values: Numbers, counts: Numbers, episodes: int) -> Progress:
    def group(begin: int, end: int) -> Group:
        return Group(values[begin:end], counts[begin:end])

    total = np.cumsum(counts)
    wanted = int(np.searchsorted(total, max(START_EPISODES, episodes / 100))) + 1
    start = group(0, min(wanted, max(1, len(values) // 4)))
    first = group(0, min(max(wanted, LEAST_GROUP), len(values) // 2))
    enough = int(np.ceil(START_EPISODES / counts.mean()))
    width = max(LEAST_GROUP, -(-len(values) // SHARE), min(enough, len(values) // 3))
    levels = np.convolve(values * counts, np.ones(width), "valid") if len(values) > width else [0.0]
    sizes = np.convolve(counts, np.ones(width), "valid") if len(values) > width else [1.0]
    place = int(np.argmax(np.asarray(levels) / np.asarray(sizes)))
    best = group(place, place + width)
    tail = int(np.searchsorted(total, total[-1] - max(START_EPISODES, episodes / NEWEST)))
    newest = group(min(tail, len(values) - 1), len(values))
    last = group(min(tail, max(0, len(values) - LEAST_LAST)), len(values))
    tries = len(values) / width
    usual = _deviation(values, counts)
    deviation = min(
        (d for d in (_deviation(first.values, first.counts), usual) if d > 0), default=0
    )
    gain = best.level - start.level
    effect = _over(gain, deviation)
    rise = best.above(start, deviation)
    risen = effect >= EFFECT and _sure(rise, first, best, tries)
    lost = max(0.0, (best.level - newest.level) / gain) if risen else 0.0
    fall = best.above(newest, usual)
    if fall < (SURE_FALL if lost < MOSTLY else SURE_FALL / 2):
        lost = 0.0
    if lost and _p(last, best, tries) >= P_FALL:
        lost = 0.0
    sunk = _over(start.level - newest.level, deviation) >= EFFECT and _sure(
        start.above(newest, deviation), last, first, 1
    )
    if sunk:
        state = State.BELOW
    elif risen:
        state = State.FALLING if lost >= FALLEN else State.RISING
    elif episodes >= FAINT_EPISODES or (episodes >= FLAT_EPISODES and rise < DOUBTFUL):
        state = State.FLAT
    else:
        state = State.UNKNOWN
    levels_now = (start.level, best.level, newest.level)
    return Progress(state, *levels_now, effect, lost, episodes, risen)


def _sure(errors: float, low: Group, high: Group, tries: float) -> bool:
    """Returns whether a rise is beyond chance; only where in doubt by the rank test: it is slow."""
    return errors >= CERTAIN or (errors >= SURE and _p(low, high, tries) < P)


def _deviation(values: Numbers, counts: Numbers) -> float:
    """Returns the standard deviation of one episode's score.

    Of means it is the usual change between neighbours, for the few large ones are learning or a
    fall. Of single episodes it is that within blocks, since a heavy tail belongs to them.
    """
    if len(values) < 2:
        return 0.0
    if counts.mean() <= SINGLE:
        blocks = np.array_split(values, max(1, len(values) // EPISODES_IN_BLOCK))
        return float(np.mean([block.var() for block in blocks]) ** 0.5)
    # what was recovered from a sliding mean errs to and fro: pairs of samples err less
    pairs = joined(values, counts, len(values) // 2) if len(values) >= 2 * LEAST_GROUP else None
    return min(_usual_change(values, counts), _usual_change(*pairs) if pairs else np.inf)


def _usual_change(values: Numbers, counts: Numbers) -> float:
    changes = np.diff(values) / (1 / counts[1:] + 1 / counts[:-1]) ** 0.5
    usual = float(np.median(np.abs(changes))) / MEDIAN_OF_NORMAL
    # where nearly all scored the same, rare events are all there is
    return usual or float(np.mean(changes**2) ** 0.5)


def _over(rise: float, unit: float) -> float:
    if unit > 0:
        return rise / unit
    return 0.0 if rise == 0 else float(np.copysign(np.inf, rise))


def _p(low: Group, high: Group, tries: float) -> float:
    """Returns the p of Mann and Whitney's test that `low` is below `high`."""
    from scipy.stats import mannwhitneyu  # slow to import

    values = low.values, high.values
    if not all(map(len, values)) or np.ptp(np.concatenate(values)) == 0:
        return 1.0
    return min(1.0, tries * float(mannwhitneyu(*values, alternative="less").pvalue))
