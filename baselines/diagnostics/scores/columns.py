"""Numbers that grow one by one."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
FIRST_CAPACITY = 256


class Column:
    """Floats, appended one by one."""

    def __init__(self) -> None:
        self._data: Numbers = np.empty(FIRST_CAPACITY)
        self.size = 0

    @classmethod
    def of(cls, values: Numbers) -> "Column":
        """Returns a column of some values."""
        column = cls()
        for value in values:
            column.append(float(value))
        return column

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
