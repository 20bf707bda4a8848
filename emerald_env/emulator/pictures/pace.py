"""How fast a game is shown."""

import time
from typing import Final

FRAMES_PER_SECOND: Final = (1 << 24) / 280_896  # the processor's cycles in a second and a frame


class Pace:
    """Sleeps so that a game runs this many times as fast as the console.

    Args:
        speed: 1 is the console's 59.7 frames a second; 0 does not sleep.

    Raises:
        ValueError: it is negative.
    """

    def __init__(self, speed: float) -> None:
        if not speed >= 0:
            raise ValueError(f"target_speed must be at least 0, got {speed}")
        self.speed = speed
        self._due = 0.0

    def wait(self, frames: float) -> None:
        """Sleeps until the time at which these frames are over; time lost is not made up for."""
        now = time.monotonic()
        self._due = max(self._due, now - 1 / FRAMES_PER_SECOND) + frames / (
            self.speed * FRAMES_PER_SECOND
        )
        time.sleep(max(0.0, self._due - now))
