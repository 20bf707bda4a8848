"""Ends a program that hangs where Python cannot interrupt it."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

EXIT_STATUS = 1
LONGEST_SILENCE = 60.0  # seconds; a step takes a fiftieth of one where every frame is drawn
HANGS = (
    "error: the emulator hangs: {} is not a state that a game can reach. It was damaged or made "
    "by hand"
)


class Watchdog:
    """Ends the program with a message when nothing has been heard for too long.

    libmgba can run for ever inside one frame if a state from a stranger sets a processor up that no
    game would; neither Ctrl-C nor an exception reaches it there.

    Args:
        message: printed before the end.
        seconds: of silence that are too long; None: LONGEST_SILENCE.
    """

    def __init__(self, message: str, seconds: float | None = None) -> None:
        self._seconds = LONGEST_SILENCE if seconds is None else seconds
        self._message = message
        self._heard = threading.Event()
        self._done = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def hear(self) -> None:
        """Reports a sign of life."""
        self._heard.set()

    def follow(self, things: Iterable[T]) -> Iterator[T]:
        """Yields them all and counts each as a sign of life."""
        for thing in things:
            self.hear()
            yield thing

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the watch."""
        self._done = True
        self._heard.set()
        self._thread.join()

    def _watch(self) -> None:
        while self._heard.wait(self._seconds):
            if self._done:
                return
            self._heard.clear()
        print(self._message, file=sys.stderr, flush=True)
        os._exit(EXIT_STATUS)
