"""What was read from a file that grows or is replaced, and is not read again all the time."""

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar

Value = TypeVar("Value")
PATIENCE = 50  # a reading is kept so many times as long as it took: two per cent of a core


class Remembered(Generic[Value]):
    """A file's content, worked out by a function, and again after it has changed.

    Args:
        path: the file; there may be none yet.
        read: returns what is remembered.
    """

    def __init__(self, path: Path, read: Callable[[], Value]) -> None:
        self._path, self._read = path, read
        self._seen: tuple[int, int, int] | None = None
        self._again = 0.0  # monotonic seconds
        self._value: Value | None = None

    def get(self) -> Value:
        """Returns it; what `read` raises comes through, and is asked for again."""
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
