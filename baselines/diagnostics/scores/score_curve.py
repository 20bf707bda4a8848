"""One score of a run (reward, success, milestones, evaluation) as samples of new episodes.

Logs rarely keep episodes. SB3, RLlib, rl_games and Sample Factory log the mean of the last hundred:
neighbouring values share most of their episodes. What the new ones scored follows from how far the
mean moved and from what left the window.
"""

import math
from collections import deque

import numpy as np

from baselines.diagnostics.scores.columns import Column, Numbers
from baselines.diagnostics.scores.logged_means import WINDOW, LoggedMeans

MOST_SAMPLES = 4096  # of a score; beyond, neighbours are joined in pairs
CHUNK = 0.5  # of the window: the border between new and old is blurred by an episode or two
FIRST_CHUNK = 0.05  # while the window fills, nothing leaves it
STILL = 1.0  # of the window: if the mean has not moved by then, the new episodes scored the same
STEADY = 1.5  # by which a mean length may change between two samples
BLUR = 3.0  # by which lengths may differ from their mean
LARGEST = 1e100  # of a score, whose square must be a number, too
PRECISION = 1e-6  # relative, of a logged mean


class ScoreCurve:
    """Samples of a score in order: the mean over some new episodes each, and their number."""

    def __init__(self) -> None:
        self._steps, self._values, self._counts, self._squares = (Column() for _ in range(4))
        self.means = LoggedMeans()  # where samples are recovered from them

    def __len__(self) -> int:
        """The number of samples."""
        return self._values.size

    def add(self, step: int, value: float, count: float = 1.0) -> None:
        """Adds the mean of `count` new episodes that had ended by an env step."""
        if not abs(value) <= LARGEST:
            return
        for column, number in (
            (self._steps, step),
            (self._values, value),
            (self._counts, max(count, 1.0)),
            (self._squares, value**2),
        ):
            column.append(number)
        if len(self) >= MOST_SAMPLES:
            self._join_pairs()

    def _join_pairs(self) -> None:
        pairs = 2 * (len(self) // 2)
        steps = self.steps[1:pairs:2].copy()
        counts = self.counts[:pairs].reshape(-1, 2)
        means = (
            (column[:pairs].reshape(-1, 2) * counts).sum(axis=1) / counts.sum(axis=1)
            for column in (self.values, self.squares)
        )
        self._steps, self._values, self._counts, self._squares = (
            Column.of(numbers) for numbers in (steps, next(means), counts.sum(axis=1), next(means))
        )

    @property
    def steps(self) -> Numbers:
        """Env steps at each sample, shape (samples,)."""
        return self._steps.values

    @property
    def values(self) -> Numbers:
        """Mean score of each sample's episodes, shape (samples,)."""
        return self._values.values

    @property
    def counts(self) -> Numbers:
        """Episodes in each sample, shape (samples,)."""
        return self._counts.values

    @property
    def squares(self) -> Numbers:
        """Mean of the squares of each sample's episodes, as far as they are known one by one."""
        return self._squares.values


class SlidingMean:
    """Recovers new episodes from the mean score and length of the last `window` ones.

    The steps since the value before are those of the new episodes; how many left the window follows
    from them and from the mean length, so that lengths may change on the way.
    """

    def __init__(self, window: int = WINDOW) -> None:
        self._window = window
        self._inside: deque[tuple[float, float, float]] = deque()  # (score, length, episodes)
        self._held = self._steps = 0.0
        self._mean = self._length = math.nan

    def add(self, mean: float, length: float, steps: float) -> tuple[float, float] | None:
        """Takes the means after `steps` more env steps.

        Returns:
            The new episodes' mean score and number; None while they are too few, or the mean has
            not moved: many games that start together also end together.
        """
        self._steps += steps
        length = float(max(length, 1.0))
        full = self._held + 1 >= self._window
        still = abs(mean - self._mean) <= PRECISION * abs(self._mean)
        if still and length == self._length and not length.is_integer():
            return None  # episodes differ in length: that no mean moves means that none ended
        chunk = STILL if still else CHUNK if full else FIRST_CHUNK
        if self._steps < chunk * self._window * length and self._inside:
            return None
        steady = 1 / STEADY < length / self._length < STEADY
        value, count = self._recovered(mean, length, full) if steady else self._merged(mean, length)
        self._mean, self._length, self._steps = mean, length, 0.0
        return value, count

    def _merged(self, mean: float, length: float) -> tuple[float, float]:
        """Takes a mean as that of the new episodes.

        Of games side by side the short episodes end first: while lengths change, nobody knows how
        many episodes are new, and nothing is subtracted from their mean.
        """
        count = self._new_episodes(length)
        self._held = min(self._held + count, self._window)
        self._inside = deque([(mean, length, self._held)])
        return mean, count

    def _recovered(self, mean: float, length: float, full: bool) -> tuple[float, float]:
        """Takes a mean and subtracts the episodes that were in the one before."""
        if full:
            count, gone = self._turnover(length)
            held = float(self._window)
        else:
            count = self._new_episodes(length)
            surplus = max(0.0, self._held + count - self._window)
            _, gone = self._leave(surplus, surplus)
            held = self._held + count - surplus
        value = (mean * held - self._held * self._mean + gone) / count if count < held else mean
        self._held = held
        self._inside.append((value, self._steps / count, count))
        return value, count

    def _new_episodes(self, length: float) -> float:
        """Returns how many episodes of a length the steps make up, a window of them at most."""
        return min(max(self._steps / length, 1.0), self._window)

    def _turnover(self, length: float) -> tuple[float, float]:
        """Returns how many episodes are new, and the sum of the scores that left the window."""
        # games that are still being played blur this, so it is bounded
        usual = self._steps / length
        left = self._held * (self._length - length) + self._steps
        return self._leave(max(1.0, usual / BLUR), min(usual * BLUR, self._window), left)

    def _leave(self, least: float, most: float, steps: float = 0.0) -> tuple[float, float]:
        """Drops the oldest episodes, as many as make up so many env steps.

        Returns:
            Their number, between `least` and `most`, and the sum of their scores.
        """
        count = total = 0.0
        while self._inside and (count < least - 1e-9 or (steps > 1e-9 and count < most - 1e-9)):
            score, length, size = self._inside.popleft()
            part = min(size, max(least - count, min(steps / max(length, 1e-9), most - count)))
            total += score * part
            count += part
            steps -= part * length
            if size - part > 1e-9:
                self._inside.appendleft((score, length, size - part))
        return count, total


def joined(counts: Numbers, most: int, *means: Numbers) -> tuple[Numbers, ...]:
    """Joins samples to at most `most` blocks of about as many episodes each.

    Args:
        counts: episodes in each sample.
        most: blocks.
        means: numbers of each sample that are means over its episodes.

    Returns:
        The episodes in each block, and its means.
    """
    places = np.cumsum(counts) - counts / 2
    block = np.minimum((places / counts.sum() * most).astype(int), most - 1)
    sizes, *sums = (
        np.bincount(block, each, most) for each in (counts, *(counts * m for m in means))
    )
    full = sizes > 0
    return sizes[full].astype(np.float64), *(np.asarray(each[full] / sizes[full]) for each in sums)
