"""A progress line for a long preparation, on a terminal."""

import sys
import time

AFTER = 2.0  # seconds; shorter work needs no progress line
EVERY = 0.5


class ProgressLine:
    """Keeps one line of the terminal up to date; writes nothing to files and pipes.

    Args:
        what: the work, such as "beginning the game".
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = False
        self._next = time.monotonic() + AFTER

    def show(self, found: str) -> None:
        """Shows the progress, not too often."""
        if sys.stderr.isatty() and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._shown = True
            print(f"\r{self._what}: {found} ", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *error: object) -> None:
        """Clears the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
