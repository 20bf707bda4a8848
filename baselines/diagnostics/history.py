"""The numbers of a run so far, one row per update."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from baselines.diagnostics.column import Column, Numbers
from baselines.diagnostics.metrics import EPISODE_LENGTH, EPISODE_REWARD
from baselines.diagnostics.progress import FRESH, Progress, RewardCurve

FALLEN = 0.25  # share of the gain; a reward that has lost more is no longer at its best


class History:
    """Every metric's finite values in order.

    A NaN or infinite value is only in `row`, so that it does not spoil any window.
    """

    def __init__(self, settings: Mapping[str, float | None] | None = None) -> None:
        self.settings = dict(settings or {})
        self.row: dict[str, float] = {}
        self.step = 0
        self.updates = 0
        self.rewards = RewardCurve()
        self._columns: dict[str, Column] = {}
        self._steps: dict[str, Column] = {}
        self._kept: dict[str, tuple[int, float]] = {}

    def add(self, step: int, metrics: Mapping[str, float]) -> None:
        """Takes one update's numbers; a metric may be missing in any row."""
        self.row = {name: float(value) for name, value in metrics.items()}
        self.step = step
        self.updates += 1
        for name, value in self.row.items():
            if not math.isfinite(value):
                continue
            if name not in self._columns:
                self._columns[name], self._steps[name] = Column(), Column()
            self._columns[name].append(value)
            self._steps[name].append(step)
        reward = self.now(EPISODE_REWARD)
        if reward is not None:
            self.rewards.add(step, reward, self.row.get(EPISODE_LENGTH, math.nan))

    @property
    def progress(self) -> Progress | None:
        """The progress of learning, None before there are enough updates."""
        return self.rewards.progress()

    @property
    def at_its_best(self) -> bool:
        """Whether the reward has risen beyond chance and has not fallen since."""
        far = self.progress
        return far is not None and far.learnt and far.lost < FALLEN

    def kept(self, name: str, compute: Callable[[], float]) -> float:
        """Returns a number over all updates, recomputed only after 1/200 more of them."""
        until, value = self._kept.get(name, (0, math.nan))
        if self.updates >= until:
            value = compute()
            self._kept[name] = (self.updates + max(1, self.updates // FRESH), value)
        return value

    @property
    def names(self) -> set[str]:
        """The metrics that have had a finite value."""
        return set(self._columns)

    def all(self, name: str) -> Numbers:
        """Returns all finite values of a metric so far."""
        column = self._columns.get(name)
        return column.values if column else np.empty(0)

    def steps(self, name: str) -> Numbers:
        """Returns the env steps of each of a metric's finite values."""
        column = self._steps.get(name)
        return column.values if column else np.empty(0)

    def last(self, name: str, count: int) -> Numbers:
        """Returns the last `count` finite values, empty if there are fewer."""
        values = self.all(name)
        return values[-count:] if len(values) >= count else np.empty(0)

    def now(self, name: str) -> float | None:
        """Returns this row's value, None if it is missing or not finite."""
        value = self.row.get(name, math.nan)
        return value if math.isfinite(value) else None


def median(values: Numbers) -> float:
    """Returns the median of at least one finite value.

    numpy's own imports its masked arrays (0.1 s) and checks for NaN; this is ten times faster for a
    handful of numbers.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float((ordered[middle] + ordered[~middle]) / 2)
