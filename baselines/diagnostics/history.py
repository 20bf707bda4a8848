"""The numbers of a run so far, one row an update."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
FIRST_CAPACITY = 256


class _Column:
    """A list of floats that numpy sees without a copy."""

    def __init__(self) -> None:
        self._data: Numbers = np.empty(FIRST_CAPACITY)
        self.size = 0

    def append(self, value: float) -> None:
        if self.size == len(self._data):
            self._data = np.concatenate([self._data, np.empty(self.size)])
        self._data[self.size] = value
        self.size += 1

    @property
    def values(self) -> Numbers:
        return self._data[: self.size]


class History:
    """Every metric's finite values in the order in which they came.

    A value that is NaN or infinite stands in `row` only, so that no window is spoilt by it. What is
    learnt about a run (see `learnt`) is kept up to date as rows come: a row costs the same at the
    end of a long run as at its beginning, but for a few passes over an array.
    """

    def __init__(self) -> None:
        self.row: dict[str, float] = {}
        self.memo: dict[str, Any] = {}  # what several rules work out from this row
        self.step = 0
        self.updates = 0
        self._columns: dict[str, _Column] = {}

    def add(self, step: int, metrics: Mapping[str, float]) -> None:
        """Takes one update's numbers; a metric may be missing in any row."""
        self.row = {name: float(value) for name, value in metrics.items()}
        self.memo = {}
        self.step = step
        self.updates += 1
        for name, value in self.row.items():
            if math.isfinite(value):
                self._columns.setdefault(name, _Column()).append(value)

    @property
    def names(self) -> set[str]:
        """The metrics that have had a finite value."""
        return set(self._columns)

    def all(self, name: str) -> Numbers:
        """Returns every finite value of a metric so far, empty where there is none."""
        column = self._columns.get(name)
        return column.values if column else np.empty(0)

    def last(self, name: str, count: int) -> Numbers:
        """Returns the last `count` finite values, none at all where there are fewer."""
        values = self.all(name)
        return values[-count:] if len(values) >= count else np.empty(0)

    def now(self, name: str) -> float | None:
        """Returns this row's value, None where it has none or none that is finite."""
        value = self.row.get(name, math.nan)
        return value if math.isfinite(value) else None


def median(values: Numbers) -> float:
    """Returns the median of at least one finite value.

    numpy's own loads its masked arrays (0.1 s) and checks for NaN; for a handful of numbers this is
    ten times faster.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float((ordered[middle] + ordered[~middle]) / 2)


def smooth(values: Numbers, width: int) -> Numbers:
    """Returns the trailing means over up to `width` values; the same length as `values`."""
    sums: NDArray[Any] = np.concatenate([[0.0], np.cumsum(values)])
    counts = np.minimum(np.arange(1, len(values) + 1), width)
    ends = np.arange(1, len(values) + 1)
    return (sums[ends] - sums[ends - counts]) / counts
