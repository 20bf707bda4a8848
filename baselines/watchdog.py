"""Ending a program that hangs where Python cannot interrupt it."""

import os
import sys
import threading
from types import TracebackType

USER_ERROR = 1  # exit status


class Watchdog:
    """Ends the program with a message when nothing has been heard for too long.

    libmgba can run for ever inside one frame if a state from a stranger sets a processor up that no
    game would; neither Ctrl-C nor an exception reaches it there.

    Args:
        seconds: of silence that are too long.
        message: printed before the end.
    """

    def __init__(self, seconds: float, message: str) -> None:
        self._seconds = seconds
        self._message = message
        self._heard = threading.Event()
        self._done = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def hear(self) -> None:
        """Says that all is well."""
        self._heard.set()

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        os._exit(USER_ERROR)
