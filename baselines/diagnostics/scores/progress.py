"""What a score says about the progress of learning.

A run's episodes are cut where their level changes beyond chance: binary segmentation over seeded
intervals (Kovács et al. 2023, "Seeded binary segmentation", Biometrika 110). The first level, the
best one and the newest one say how the run goes.
"""

import enum
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.diagnostics.scores.columns import Numbers
from baselines.diagnostics.scores.logged_means import MEDIAN_OF_NORMAL, MeanPath
from baselines.diagnostics.scores.score_curve import ScoreCurve, joined

BLOCKS = 256  # to which samples are joined at most
LEAST = 4  # samples at all
SIDE_EPISODES = 10  # on each side of a change, at least
ALONE = 40  # episodes of a single sample that can be the best
SAME = 1e-4  # relative; scores recovered from a logged mean are not exact
SURE = 4.5  # standard errors between two levels; the largest of all changes by chance has some 3
DOUBTFUL = 3.0  # standard errors: too little for "it rises", too much for "it does not"
EFFECT = 0.35  # standard deviations of one episode's score; less is no learning worth the name,
DOUBLED = 1.0  # unless so many times the level before is gained,
MUCH, BEYOND_LUCK = 0.4, 6.0  # or, by so many standard errors: in games of luck nothing is certain
FALLEN = 0.25  # share of what was gained
MATERIAL = 0.05  # of the first level; who has lost less is not below its start
FLAT_EPISODES = 300  # without a rise are a verdict; a sixth if all scored the same
FAINT_EPISODES = 750  # with a doubtful rise, too
EARLY = 0.05  # of the episodes: the first to end in games side by side are the short ones
SINGLE = 2  # episodes in a sample, on average: they are known one by one
EPISODES_IN_BLOCK = 20
PAIRED = 20  # samples, from which on pairs of them are looked at, too
RARE = 10  # one of so many changes may be learning or a fall


class State(enum.Enum):
    """How a score has moved."""

    UNKNOWN = "too early to say"
    RISING = "rising, or at its best"
    FLAT = "flat"
    FALLING = "falling"
    BELOW = "below its start"


@dataclass(frozen=True, slots=True)
class Progress:
    """One score's way so far; `lost` is the share of the gain that is lost again."""

    state: State
    start: float
    best: float
    now: float
    lost: float
    episodes: int
    risen: bool = False  # ever, beyond chance and by an effect worth the name
    rested: int = 0  # episodes since the level changed last

    @property
    def has_stopped(self) -> bool:
        """Whether it has been at one level for most of the run, and for long."""
        return self.rested >= max(FLAT_EPISODES, self.episodes / 2)

    def __str__(self) -> str:
        """Returns the way in a few words."""
        return f"{self.start:.4g} at first, {self.best:.4g} at best, {self.now:.4g} now"


class Level(NamedTuple):
    """Neighbouring samples between which the score does not change beyond chance."""

    begin: int
    end: int
    mean: float


def progress(score: ScoreCurve) -> Progress | None:
    """Returns a score's progress, None before there are enough samples."""
    values, counts = score.values, score.counts
    episodes = int(counts.sum())
    if len(values) > 1 and np.ptp(values) <= SAME * np.abs(values).max():
        level = float(values[0])
        state = State.FLAT if episodes >= FLAT_EPISODES / 6 else State.UNKNOWN
        return Progress(state, level, level, level, 0.0, episodes)
    if len(values) < LEAST:
        return None
    deviation = _deviation(values, counts)
    squares, few = score.squares, len(values) < PAIRED
    if len(values) > BLOCKS:
        counts, values, squares = joined(counts, BLOCKS, values, squares)
    found = _judged(Samples(values, counts, squares, deviation), episodes, score.means.lost)
    way = score.means.way if few and found.state in (State.UNKNOWN, State.RISING) else None
    shown = _judged_by_means(way, episodes) if way else None
    # a fall at the end is one or two samples, but many means
    more = shown and (found.state is State.UNKNOWN or shown.state is State.FALLING)
    return shown if shown and more else found


def _judged_by_means(way: MeanPath, episodes: int) -> Progress | None:
    """Returns what the logged mean shows where it is too short to recover its episodes.

    Long episodes, of which few ended: None if it did not surely rise.
    """
    gain = way.best - way.start
    effect = _over(gain, way.deviation)
    if way.rise < SURE or effect < EFFECT:
        return None
    lost = (way.best - way.now) / gain if way.fall >= SURE else 0.0
    state = State.FALLING if lost >= FALLEN else State.RISING
    return Progress(state, way.start, way.best, way.now, lost, episodes, risen=True)


def _judged(samples: "Samples", episodes: int, mean_lost: float) -> Progress:
    levels = samples.levels()
    if len(levels) > 1 and samples.size(levels[0]) < EARLY * episodes:
        levels = levels[1:] if levels[1].mean < levels[0].mean else levels
    start, now = levels[0], levels[-1]
    sure = [one for one in levels[1:] if one.end - one.begin > 1 or samples.size(one) >= ALONE]
    base, best = _widest_rise([start, *sure])
    gain, loss = best.mean - base.mean, start.mean - now.mean
    effect, errors = _over(gain, samples.deviation), samples.above(best, base)
    much = MUCH if errors >= BEYOND_LUCK else DOUBLED
    risen = errors >= SURE and (effect >= EFFECT or gain >= much * abs(base.mean) > 0)
    fallen = risen and mean_lost >= FALLEN / 2 and samples.above(best, now) >= SURE
    lost = (best.mean - now.mean) / gain if fallen else 0.0
    sunk = (
        mean_lost > 1
        and loss > MATERIAL * abs(start.mean)
        and _over(loss, samples.deviation) >= EFFECT
        and samples.above(start, now) >= SURE
    )
    if sunk:
        state = State.BELOW
    elif risen:
        state = State.FALLING if lost >= FALLEN else State.RISING
    elif episodes >= (FLAT_EPISODES if samples.largest_rise() < DOUBTFUL else FAINT_EPISODES):
        state = State.FLAT
    else:
        state = State.UNKNOWN
    rested = int(samples.size(now))
    return Progress(state, start.mean, best.mean, now.mean, lost, episodes, risen, rested)


def _widest_rise(levels: list["Level"]) -> tuple["Level", "Level"]:
    """Returns the two levels, in order, between which the score rose most.

    A run need not begin at its lowest: in games side by side the short episodes end first.
    """
    base = low = best = levels[0]
    for level in levels:
        low = min(low, level, key=lambda one: one.mean)
        if level.mean - low.mean > best.mean - base.mean:
            base, best = low, level
    return base, best


class Samples:
    """A score's samples, and where their level changes.

    Args:
        values: means of some episodes each, (samples,).
        counts: how many, (samples,).
        squares: the mean square of each sample's episodes, (samples,).
        deviation: the standard deviation of one episode's score.
    """

    def __init__(
        self, values: Numbers, counts: Numbers, squares: Numbers, deviation: float
    ) -> None:
        self.deviation = deviation
        self._count = len(values)
        self._sizes, self._sums, self._squares, self._singles = (
            np.concatenate([[0.0], np.cumsum(counts * each)])
            for each in (np.ones(len(values)), values, values**2, squares)
        )

    def size(self, level: Level) -> float:
        """Returns the number of a level's episodes."""
        return float(self._sizes[level.end] - self._sizes[level.begin])

    def above(self, high: Level, low: Level) -> float:
        """Returns by how many standard errors a level is above another."""
        if high == low:
            return 0.0
        error = sum(self._error(each.begin, each.end) for each in (high, low))
        return _over(high.mean - low.mean, float(error) ** 0.5)

    def largest_rise(self) -> float:
        """Returns by how many standard errors what follows a sample is above what was before."""
        return float(self._changes(0, self._count, np.arange(1, self._count)).max(initial=0.0))

    def levels(self) -> list[Level]:
        """Returns the levels in order; neighbours differ beyond chance."""
        cuts = [0, *self._cuts(0, self._count, self._seeded()), self._count]
        return [
            Level(begin, end, float(self._mean(begin, end)))
            for begin, end in zip(cuts, cuts[1:], strict=False)
        ]

    def _cuts(self, begin: int, end: int, seeded: Numbers) -> list[int]:
        """Returns where the level changes between two samples, in order."""
        inside = seeded[(seeded[:, 0] >= begin) & (seeded[:, 1] <= end)]
        found = np.vstack([inside, self._surest(np.array([begin]), end - begin)])
        _, _, cut, errors = found[found[:, 3].argmax()]
        if errors < SURE:
            return []
        return [
            *self._cuts(begin, int(cut), inside),
            int(cut),
            *self._cuts(int(cut), end, inside),
        ]

    def _seeded(self) -> Numbers:
        """Returns `_surest` of intervals, of half the length each time, two to a length."""
        found, length = [np.zeros((0, 4))], self._count // 2
        while length >= 2:
            starts = np.arange(0, self._count - length + 1, max(1, length // 2))
            found.append(self._surest(starts, length))
            length //= 2
        return np.vstack(found)

    def _surest(self, begins: NDArray[np.int64], length: int) -> Numbers:
        """Returns (begin, end, cut, errors) of the surest change in each of some intervals."""
        if length < 2:
            return np.zeros((len(begins), 4))
        ends = begins + length
        errors = np.abs(self._changes(begins[:, None], ends[:, None], np.arange(1, length)))
        best = errors.argmax(axis=1)
        surest = errors[np.arange(len(begins)), best]
        return np.stack([begins, ends, begins + 1 + best, surest], axis=1).astype(np.float64)

    def _changes(self, begin: Any, end: Any, after: Any) -> Numbers:
        """Returns the rise after some samples of an interval in errors; 0 near its ends."""
        cut, sizes = begin + after, self._sizes
        rise = self._mean(cut, end) - self._mean(begin, cut)
        error = (self._error(begin, cut) + self._error(cut, end)) ** 0.5
        enough = np.minimum(sizes[cut] - sizes[begin], sizes[end] - sizes[cut]) >= SIDE_EPISODES
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = np.where(enough & (rise != 0), rise / error, 0.0)
        return np.asarray(changes, np.float64)

    def _mean(self, begin: Any, end: Any) -> Any:
        return (self._sums[end] - self._sums[begin]) / (self._sizes[end] - self._sizes[begin])

    def _error(self, begin: Any, end: Any) -> Any:
        """Returns the squared standard error of the mean of an interval.

        The spread is the interval's own if that is larger than usual, that of its samples or that
        of its episodes: rare events come in clusters, and three of them in twenty are luck.
        """
        size = self._sizes[end] - self._sizes[begin]
        middle = self._mean(begin, end) ** 2
        samples = ((self._squares[end] - self._squares[begin]) / size - middle) * size
        episodes = (self._singles[end] - self._singles[begin]) / size - middle
        own = np.maximum(samples / (end - begin), episodes)
        return np.maximum(own, self.deviation**2) / size


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
    usual = _usual_bend(counts, values)
    if len(values) < PAIRED:
        return usual
    return min(usual, _usual_bend(*joined(counts, len(values) // 2, values)))


def _usual_bend(counts: Numbers, values: Numbers) -> float:
    """Returns the deviation that follows from how far samples are off the line of neighbours."""
    if len(values) < 3:
        changes = np.diff(values) / (1 / counts[1:] + 1 / counts[:-1]) ** 0.5
    else:  # a steady rise is no noise
        bends = values[2:] - 2 * values[1:-1] + values[:-2]
        changes = bends / (1 / counts[2:] + 4 / counts[1:-1] + 1 / counts[:-2]) ** 0.5
    usual = float(np.median(np.abs(changes))) / MEDIAN_OF_NORMAL
    # where nearly all scored the same, rare events are all there is, but for learning or a fall
    rare = np.sort(changes**2)[: -max(1, len(changes) // RARE)]
    deviation = (
        usual or float(rare.sum() / len(changes)) ** 0.5 or float(np.mean(changes**2)) ** 0.5
    )
    return deviation * (1 + 1 / math.sqrt(len(changes)))  # known from few, it may be larger


def _over(rise: float, unit: float) -> float:
    if unit > 0:
        return rise / unit
    return 0.0 if rise == 0 else float(np.copysign(np.inf, rise))
