"""What a logged mean over the last hundred episodes says by itself."""

import math
from typing import NamedTuple

import numpy as np

from baselines.diagnostics.scores.columns import Column, Numbers

WINDOW = 100  # episodes in a sliding mean, SB3's `stats_window_size`
BENDS = 12  # at least, to know by them how far single episodes differ
MEDIAN_OF_NORMAL = 0.6745


class MeanPath(NamedTuple):
    """From a run's first hundred episodes to its best mean and to its last, and how sure it is."""

    start: float
    best: float
    now: float
    rise: float  # in standard errors
    fall: float  # the same
    deviation: float  # of one episode


class LoggedMeans:
    """A score's logged means over the last `WINDOW` episodes, in order."""

    def __init__(self) -> None:
        self._means, self._new = Column(), Column()

    def add(self, mean: float, new: float) -> None:
        """Takes a mean, so many of whose episodes are new."""
        self._means.append(mean)
        self._new.append(new)

    @property
    def lost(self) -> float:
        """The share of the gain that is lost; infinite where no mean is logged.

        Beyond 1 it is below its first value. A fall that no mean shows is an error of recovering.
        """
        means = self._means.values
        if not len(means):
            return math.inf
        loss, gain = means.max() - means[-1], means.max() - means[0]
        return float(loss / gain) if gain > 0 else math.inf if loss > 0 else 0.0

    @property
    def way(self) -> MeanPath | None:
        """How the mean went, None where it is too short to say how far episodes differ."""
        ended = np.cumsum(self._new.values)
        full = ended >= WINDOW
        means, new, ended = self._means.values[full], self._new.values[full], ended[full]
        deviation = _deviation(means, np.minimum(new, WINDOW))
        if deviation is None:
            return None
        best = int(means.argmax())
        # of two means that share episodes only the others can differ
        errors = [
            deviation * (2 * min(max(between, 1.0), WINDOW)) ** 0.5 / WINDOW
            for between in (ended[best] - ended[0], ended[-1] - ended[best])
        ]
        start, top, now = float(means[0]), float(means[best]), float(means[-1])
        return MeanPath(
            start, top, now, (top - start) / errors[0], (top - now) / errors[1], deviation
        )


def _deviation(means: Numbers, new: Numbers) -> float | None:
    """Returns one episode's standard deviation by how a mean bends, None if that is unknown.

    From a mean to the next some episodes come and as many go. A steady rise is no bend; of the
    run's thirds that counts which bends most.
    """
    bends = np.abs(np.diff(means, 2)) * WINDOW / (4 * np.maximum(new[1:-1], 1.0)) ** 0.5
    if len(bends) < BENDS:
        return None
    usual = max(float(np.median(part)) for part in np.array_split(bends, 3))
    return usual / MEDIAN_OF_NORMAL or None
