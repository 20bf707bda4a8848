"""A line that says how far a long preparation is, for whoever sits before the screen."""

import sys
import time

AFTER = 2.0  # seconds; what is shorter needs no word
EVERY = 0.5


class Progress:
    """Keeps one line of the terminal up to date; into files and pipes nothing is written.

    Args:
        what: is being done.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = False
        self._next = time.monotonic() + AFTER

    def show(self, found: str) -> None:
        """Says how far it is, not too often."""
        if sys.stderr.isatty() and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._shown = True
            print(f"\r{self._what}: {found} ", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        """Clears the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
