"""Ends a program that hangs where Python cannot interrupt it."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

EXIT_STATUS = 1
MAX_SILENCE_SECONDS = 60.0  # seconds; a step with every frame drawn takes 0.02
SLICE_SECONDS = 1.0  # a program that was stopped, by Ctrl-Z or with the machine, loses only one
HANGS = (
    "error: the emulator hangs: {} is not a state that a game can reach. It was damaged or made "
    "by hand"
)


class Watchdog:
    """Ends the program with a message after too long without a sign of life.

    libmgba can run forever inside one frame if an untrusted state sets up the processor as no game
    would; neither Ctrl-C nor an exception can interrupt it there.

    Args:
        message: printed before the end.
    """

    def __init__(self, message: str) -> None:
        self._message = message
        self._heard = threading.Event()
        self._done = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def hear(self) -> None:
        """Reports a sign of life."""
        self._heard.set()

    def follow(self, things: Iterable[T]) -> Iterator[T]:
        """Yields every item, each as a sign of life."""
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
        silence = 0.0  # while the program ran: no more than a slice passes while it is stopped
        while silence < MAX_SILENCE_SECONDS:
            if not self._heard.wait(SLICE_SECONDS):
                silence += SLICE_SECONDS
                continue
            self._heard.clear()  # before `_done` is read: the end may come between the two
            silence = 0.0
            if self._done:
                return
        print(self._message, file=sys.stderr, flush=True)
        os._exit(EXIT_STATUS)
