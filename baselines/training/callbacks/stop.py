"""Ending a run on Ctrl-C, SIGTERM or SIGHUP without losing it."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

from stable_baselines3.common.callbacks import BaseCallback

from emerald_env.files.printable import discard_output

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the last: a terminal was closed


class StopRequest:
    """Treats SIGINT, SIGTERM, SIGHUP and a closed output as requests to end, while entered.

    The first signal is only stored in `received`; a second one raises KeyboardInterrupt, unless
    both are SIGHUP: a terminal that is closed sends that twice to the program at its head, once as
    the session's leader and once as the foreground. It must be entered in the main thread.
    """

    received: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        """Installs the signal handlers."""
        # an ignored SIGHUP stays ignored: `nohup` lets a run outlive its terminal
        taken = [n for n in SIGNALS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]
        self._previous = {number: signal.signal(number, self._handle) for number in taken}
        self._stdout = sys.stdout
        sys.stdout = Output(sys.stdout, self._output_closed)
        return self

    def __exit__(self, *error: object) -> None:
        """Restores the signal handlers and the output."""
        sys.stdout = self._stdout
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if number == self.received == signal.SIGHUP:
            return
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = signal.Signals(number)
        word = f"\n{self.received.name}: saving and ending; a second signal ends at once\n"
        try:
            os.write(1, word.encode())  # print may be interrupted by this very signal
        except OSError:
            discard_output()  # the terminal is gone

    def _output_closed(self) -> None:
        self.received = self.received or signal.SIGPIPE
        discard_output()


class Output:
    """Standard output whose closed reader or terminal is reported and not raised.

    An exception while printing would end a run in the middle of an update.

    Args:
        stream: the real one.
        closed: called when it cannot be written.
    """

    def __init__(self, stream: TextIO, closed: Callable[[], None]) -> None:
        self._stream, self._closed = stream, closed

    def write(self, text: str) -> int:
        """Writes a text; returns its length."""
        try:
            self._stream.write(text)
        except OSError:
            self._closed()
        return len(text)

    def flush(self) -> None:
        """Flushes the stream."""
        try:
            self._stream.flush()
        except OSError:
            self._closed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class StopCallback(BaseCallback):
    """Ends `learn` at the next step after a request."""

    def __init__(self, request: StopRequest) -> None:
        super().__init__()
        self._request = request

    def _on_step(self) -> bool:
        return self._request.received is None
