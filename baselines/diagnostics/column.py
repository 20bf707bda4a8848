"""A growing list of numbers that numpy sees without a copy."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
FIRST_CAPACITY = 256


class Column:
    """Floats, appended one by one."""

    def __init__(self) -> None:
        self._data: Numbers = np.empty(FIRST_CAPACITY)
        self.size = 0

    def append(self, value: float) -> None:
        """Adds a value at the end."""
        if self.size == len(self._data):
            self._data = np.concatenate([self._data, np.empty(self.size)])
        self._data[self.size] = value
        self.size += 1

    @property
    def values(self) -> Numbers:
        """All values so far, shape (size,)."""
        return self._data[: self.size]


def smooth(values: Numbers, width: int) -> Numbers:
    """Returns the trailing means over up to `width` values; the same length as `values`."""
    sums: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    counts = np.minimum(ends, width)
    return (sums[ends] - sums[ends - counts]) / counts
