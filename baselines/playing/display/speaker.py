"""Plays a game's sound while it is made."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 48_000  # pairs of samples a second
BUFFER = 512  # pairs that the mixer asks for at once
CHUNK = 4 * BUFFER * 4  # bytes; a whole number of buffers, so that chunks join without a gap
MAX_WAITING = 4 * CHUNK  # bytes, .17 seconds: sound must not lag behind the picture


class Speaker:
    """The machine's sound output.

    Raises:
        RuntimeError: there is none.
    """

    def __init__(self) -> None:
        import pygame

        self._pygame: Any = pygame
        try:
            pygame.mixer.init(RATE, -16, 2, BUFFER, allowedchanges=0)
        except pygame.error as error:
            raise RuntimeError(
                f"no sound can be played here ({error}): leave --sound out"
            ) from None
        self._channel = pygame.mixer.Channel(0)
        self._waiting = bytearray()

    def play(self, samples: NDArray[np.int16]) -> None:
        """Queues (samples, 2) int16; drops the oldest if too much is waiting."""
        self._waiting += samples.tobytes()
        del self._waiting[:-MAX_WAITING]
        idle = not self._channel.get_busy()
        while len(self._waiting) >= (2 * CHUNK if idle else CHUNK):
            if self._channel.get_queue() is not None:
                return
            chunk = bytes(self._waiting[:CHUNK])
            del self._waiting[:CHUNK]
            self._channel.queue(self._pygame.mixer.Sound(buffer=chunk))  # at once if it is idle
            idle = False

    def close(self) -> None:
        """Ends the sound."""
        self._pygame.mixer.quit()
