"""Ending a run on Ctrl-C, SIGTERM, SIGHUP or at a set time without losing it."""

import os
import signal
from time import perf_counter
from types import FrameType

from stable_baselines3.common.callbacks import BaseCallback

from emerald_env.cli.command import discard_output

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the last: a terminal was closed


class StopRequest:
    """Takes SIGINT, SIGTERM and SIGHUP as a wish to end, while it is entered.

    The first signal is only remembered in `received`; a second one raises KeyboardInterrupt, for
    a user who cannot wait. It must be entered in the main thread.
    """

    received: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        """Takes the signals over."""
        # what is ignored stays so: `nohup` lets a run outlive its terminal
        taken = [n for n in SIGNALS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]
        self._previous = {number: signal.signal(number, self._handle) for number in taken}
        return self

    def __exit__(self, *error: object) -> None:
        """Gives the signals back to who had them."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = signal.Signals(number)
        word = f"\n{self.received.name}: saving and ending; once more ends at once\n"
        try:
            os.write(1, word.encode())  # print may be interrupted by this very signal
        except OSError:
            discard_output()  # the terminal is gone


class StopCallback(BaseCallback):
    """Ends `learn` at the next step after a request."""

    def __init__(self, request: StopRequest) -> None:
        super().__init__()
        self._request = request

    def _on_step(self) -> bool:
        return self._request.received is None


class DeadlineCallback(BaseCallback):
    """Ends `learn` after some minutes; schedules are not affected.

    Args:
        minutes: from the beginning of `learn`; None: never.
    """

    def __init__(self, minutes: float | None) -> None:
        super().__init__()
        self._seconds = float("inf") if minutes is None else 60 * minutes

    def _on_training_start(self) -> None:
        self._started = perf_counter()

    def _on_step(self) -> bool:
        return perf_counter() - self._started < self._seconds
