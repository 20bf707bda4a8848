"""What the episode reward says about the progress of learning.

SB3 logs the mean reward of the last hundred episodes. Neighbouring values share most of their
episodes, so the curve wanders smoothly even if nothing is learnt: its values are not independent
samples. How far they move by chance follows from the number of new episodes in each.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.diagnostics.column import Column, Numbers, smooth

EPISODES_IN_MEAN = 100  # SB3's `stats_window_size`
START = 5  # "at first" means at most this many updates
START_EPISODES = 20  # and no more than needed for this many episodes
WIDTH = 5  # a level is the mean of at least this many updates
SHARE = 10  # and of 1/SHARE of the run
SURE = 4.0  # standard errors: the best of many levels is up to 3 above the first by chance
DOUBTFUL = 2.0  # standard errors: too little for "it rises", too much for "it does not"
TREND = 0.002  # p of the tests for a trend, which run after every update
MAX_BLOCKS = 60  # of the trend test
# A rise must exceed this many of the largest events that ever moved the curve, so that one rare
# success does not count as progress.
EVENTS = 8.0
TRIMMED = 0.1  # share of the largest changes, which are learning or a fall rather than noise
KEPT = 0.62  # what remains of the mean of squared normal numbers
INDEPENDENT = 0.25  # minus the autocorrelation of changes beyond which values share nothing
FRESH = 200  # progress is recomputed after 1/FRESH of the updates


@dataclass(frozen=True, slots=True)
class Progress:
    """The mean episode reward at first, at its best and now, and which changes exceed chance."""

    start: float
    best: float
    now: float
    learnt: bool  # it has risen beyond chance
    fallen: bool  # it is below its best beyond chance
    doubtful: bool  # it has risen so far that it may soon be beyond chance
    since_best: int  # updates
    hidden: float = 0.0  # share of the reward per step that the newest episodes lost, see `_hidden`

    @property
    def lost(self) -> float:
        """The share of the gain that is lost again: 0 at the best, 1 back at the start."""
        if not self.learnt or self.best <= self.start:
            return 0.0
        seen = (self.best - self.now) / (self.best - self.start) if self.fallen else 0.0
        return max(seen, self.hidden)


@dataclass(frozen=True, slots=True)
class Noise:
    """How far a reward curve moves by chance."""

    point: float  # standard deviation of one value
    start: float  # standard error of the level at first
    overlap: float  # updates after which a value shares no episode with this one
    event: float  # how far an update's episodes have raised it at most
    filled: Numbers  # (updates,) episodes that each value is a mean of

    def level(self, width: int) -> float:
        """Returns the standard error of the mean of `width` neighbouring values."""
        return self.point * math.sqrt(min(1.0, self.overlap / width))


class RewardCurve:
    """The mean episode reward of every update so far."""

    def __init__(self) -> None:
        self._rewards, self._lengths, self._steps = Column(), Column(), Column()
        self._episodes = Column()  # that have ended so far, estimated from their mean length
        self._progress: Progress | None = None
        self._fresh_until = 0

    def add(self, step: int, reward: float, length: float) -> None:
        """Adds one update's means; `length` is NaN if unknown."""
        before = self.steps[-1] if len(self.steps) else 0.0
        ended = self.episodes[-1] if len(self.episodes) else 0.0
        self._episodes.append(ended + max(step - before, 0.0) / max(length, 1.0))
        for column, value in ((self._rewards, reward), (self._lengths, length)):
            column.append(value)
        self._steps.append(float(step))

    @property
    def rewards(self) -> Numbers:
        """The rewards, shape (updates,)."""
        return self._rewards.values

    @property
    def lengths(self) -> Numbers:
        """The mean episode lengths in env steps, shape (updates,); NaN where unknown."""
        return self._lengths.values

    @property
    def steps(self) -> Numbers:
        """The env steps so far, shape (updates,)."""
        return self._steps.values

    @property
    def episodes(self) -> Numbers:
        """The episodes so far, shape (updates,); NaN where unknown."""
        return self._episodes.values

    def progress(self) -> Progress | None:
        """Returns the progress of learning, None before there are enough updates."""
        count = len(self.rewards)
        if count < 2 * WIDTH:
            return None
        if count >= self._fresh_until:
            self._progress = _progress(self)
            self._fresh_until = count + max(1, count // FRESH)
        return self._progress


def _progress(curve: RewardCurve) -> Progress:
    rewards, episodes, updates = _moved(curve)
    first = _first(episodes)
    noise = measure_noise(rewards, episodes, first)
    # averaging values that share their episodes does not make them more certain
    width = max(1, int(max(WIDTH, len(rewards) // SHARE) / noise.overlap))
    start = float(np.average(rewards[:first], weights=noise.filled[:first]))
    levels = smooth(rewards, width)[width - 1 :]
    # an early mean over few episodes is less certain than a later one over a hundred
    filled = noise.filled[width - 1 :]
    trust = np.sqrt(filled / filled[-1])
    enough = filled >= min(START_EPISODES, filled[-1])
    best = int(np.argmax(np.where(enough, (levels - start) * trust, -math.inf)))
    now = float(curve.rewards[-max(WIDTH, len(curve.rewards) // SHARE) :].mean())
    scale = float(np.abs(rewards).max())
    least = max(EVENTS * noise.event / float(trust[best]) ** 2, 1e-6 * scale)
    rise, fall = float(levels[best]) - start, float(levels[best]) - now
    error = noise.level(width)
    best_error = error / float(trust[best])
    rise_error = float(np.hypot(best_error, noise.start))
    sure = rise > max(least, SURE * rise_error)
    return Progress(
        start=start,
        best=float(levels[best]),
        now=now,
        learnt=sure or (rise > least and trend(rewards, noise.overlap) > 0),
        fallen=sure and fall > max(least, SURE * float(np.hypot(best_error, error))),
        doubtful=rise > max(least, DOUBTFUL * rise_error),
        since_best=len(curve.rewards) - 1 - int(updates[best + width - 1]),
        hidden=_hidden(curve, noise.point),
    )


def _moved(curve: RewardCurve) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Returns the values at which the curve moved, the episodes by then, and their updates.

    Many games that start together also end together, and then no episode ends for many updates.
    """
    rewards = curve.rewards
    moved = np.concatenate([[0], np.flatnonzero(np.diff(rewards)) + 1])
    if len(moved) < 2 * WIDTH:
        moved = np.arange(len(rewards))
    return rewards[moved], curve.episodes[moved], moved


def trend(values: Numbers, overlap: float = 1.0) -> int:
    """Returns 1 if values rise, -1 if they fall, 0 if that may be chance.

    Two tests: Mann and Kendall's, on means of blocks that share no episode, which detects a small
    rise in a long run; and Wilcoxon's, on the changes, which are independent even if the values are
    not, and which detects a steady rise in a short run.

    Args:
        values: (updates,) a curve.
        overlap: the number of updates after which values are independent.
    """
    from scipy.stats import kendalltau, wilcoxon  # slow to import

    size = max(int(np.ceil(overlap)), -(-len(values) // MAX_BLOCKS))
    count = len(values) // size
    blocks = values[-count * size :].reshape(count, size).mean(axis=1)
    if np.ptp(values) == 0:
        return 0
    if count >= WIDTH and np.ptp(blocks) > 0:
        tau, p = kendalltau(np.arange(count), blocks)
        if p < TREND:
            return int(np.sign(tau))
    changes = np.diff(values)
    changes = changes[changes != 0]
    if overlap > 1 and len(changes) >= 2 * WIDTH and wilcoxon(changes).pvalue < TREND:
        return int(np.sign(np.median(changes)))
    return 0


def measure_noise(rewards: Numbers, episodes: Numbers, first: int) -> Noise:
    """Returns how far a curve moves by chance.

    A mean over N episodes of which n are new changes by chance with 2n/N of its own variance.
    Differences of changes are used, so that a steady rise does not count as noise.

    Args:
        rewards: (updates,) mean episode reward.
        episodes: (updates,) episodes so far; NaN where unknown.
        first: how many updates count as "at first".
    """
    changes = np.diff(rewards)
    if not np.isfinite(episodes).all() or _independent(changes):
        filled = np.ones(len(rewards))
        squares, overlap, share, event = np.diff(changes) ** 2 / 6, 1.0, 1 / first, 0.0
    else:
        filled = np.clip(episodes, 1, EPISODES_IN_MEAN)
        new = np.clip(np.diff(episodes), 1e-9, filled[1:])
        overlaps = np.clip(filled[1:] / new, 1, len(rewards))
        # while the window fills nothing leaves it, so that a change has half the variance
        growing = np.where(filled[1:] < EPISODES_IN_MEAN, 2.0, 1.0)
        weights = growing * overlaps * filled[1:] / EPISODES_IN_MEAN
        squares = weights[1:] * np.diff(changes) ** 2 / 4
        overlap, share = float(overlaps.max()), EPISODES_IN_MEAN / filled[first - 1]
        moved = np.maximum(changes, 0.0) * filled[1:] / np.maximum(new, 1) ** 0.5
        event = float(moved.max() / filled[-1])
        squares = squares * (EPISODES_IN_MEAN / filled[-1])
        share *= filled[-1] / EPISODES_IN_MEAN
    point = (_trimmed_mean(squares) / KEPT) ** 0.5
    return Noise(point, point * float(share) ** 0.5, overlap, event, filled)


def _first(episodes: Numbers) -> int:
    enough = np.flatnonzero(episodes[:START] >= START_EPISODES)
    return int(enough[0]) + 1 if len(enough) else START


def _trimmed_mean(values: Numbers) -> float:
    return float(np.sort(values)[: max(1, len(values) - int(TRIMMED * len(values)))].mean())


def _independent(changes: Numbers) -> bool:
    """Whether neighbouring values share nothing: half of each change is then undone by the next."""
    centred = changes - changes.mean()
    power = float(centred @ centred)
    if power == 0:
        return False
    # changes of values that share episodes are unrelated: this is 2.5 standard errors from that
    limit = -max(INDEPENDENT, 2.5 / len(changes) ** 0.5)
    return bool(float(centred[1:] @ centred[:-1]) / power < limit)


def _hidden(curve: RewardCurve, point: float) -> float:
    """Returns the share of the reward per step that is lost but hardly shows in the mean yet.

    If episodes are long, the mean over a hundred of them lags by half a run, and may even hide that
    no reward is paid any more. But since the peak the sum over the window has changed by what came
    in minus what went out; the steps that went out follow from the lengths in the same way, and
    each paid what a step paid at the peak. The rest is what steps have paid since. That is only
    meaningful if the curve falls all the way from its peak, by more than the variation of the
    episodes that came and went (`point` is the deviation of a mean of them).
    """
    rewards, lengths, steps = curve.rewards, curve.lengths, curve.steps
    peak = len(rewards) - 1 - int(np.argmax(rewards[::-1]))
    fall, done = rewards[peak:], steps[-1] - steps[peak]
    if len(fall) < 2 * WIDTH or curve.episodes[peak] < START_EPISODES or trend(fall) >= 0:
        return 0.0
    counts = np.clip(curve.episodes, 1, EPISODES_IN_MEAN)  # while the window fills nothing leaves
    paid = rewards[peak] / max(lengths[peak], 1.0)
    left = done - (counts[-1] * lengths[-1] - counts[peak] * lengths[peak])
    if not (np.isfinite(left) and paid > 0 and left >= -0.1 * done):
        return 0.0
    came = counts[-1] * rewards[-1] - counts[peak] * rewards[peak] + paid * max(left, 0.0)
    chance = point * math.sqrt(2 * counts[-1] * (curve.episodes[-1] - curve.episodes[peak]))
    missing = paid * done - came
    return min(1.0, float(missing / (paid * done))) if missing > SURE * chance else 0.0
