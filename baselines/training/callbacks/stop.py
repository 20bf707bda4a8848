"""Ending a run on Ctrl-C, on SIGTERM or at a set time without losing it."""

import signal
from time import perf_counter
from types import FrameType

from stable_baselines3.common.callbacks import BaseCallback

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Takes SIGINT and SIGTERM as a wish to end, while it is entered.

    The first signal is only remembered in `received`; a second one raises KeyboardInterrupt, for
    a user who cannot wait. It must be entered in the main thread.
    """

    received: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        """Takes the signals over."""
        self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        """Gives the signals back to who had them."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = signal.Signals(number)
        print(f"\n{self.received.name}: saving and ending; once more ends at once", flush=True)


class StopCallback(BaseCallback):
    """Ends `learn` at the next step after a request."""

    def __init__(self, request: StopRequest) -> None:
        super().__init__()
        self._request = request

    def _on_step(self) -> bool:
        return self._request.received is None


class DeadlineCallback(BaseCallback):
    """Ends `learn` after some minutes; schedules go on as if it were not there.

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
