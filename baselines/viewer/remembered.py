"""A cache for what is computed from a file that grows or is replaced."""

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar

Value = TypeVar("Value")
PATIENCE = 50  # a result is kept this many times as long as it took: 2 % of a core


class Remembered(Generic[Value]):
    """A function of a file's contents, computed again after the file has changed.

    Args:
        path: the file; there may be none yet.
        read: computes the result.
    """

    def __init__(self, path: Path, read: Callable[[], Value]) -> None:
        self._path, self._read = path, read
        self._seen: tuple[int, int, int] | None = None
        self._again = 0.0  # monotonic seconds
        self._value: Value | None = None

    def get(self) -> Value:
        """Returns the result; errors of `read` are raised, and not cached."""
        version = self._version()
        if self._value is None or (version != self._seen and monotonic() >= self._again):
            started = monotonic()
            self._value = self._read()
            self._seen = version
            self._again = monotonic() + PATIENCE * (monotonic() - started)
        return self._value

    def _version(self) -> tuple[int, int, int] | None:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns
