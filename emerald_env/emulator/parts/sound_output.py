"""The console's sound, as numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.library import ffi, lib

MIN_RATE, MAX_RATE = 8_000, 192_000  # samples a second
MAX_SAMPLES = 0x2000  # pairs of samples that a frame may have


class SoundOutput:
    """The sound of the last `tick`, as `GBA.sound`.

    Attributes:
        sample_rate: pairs of samples per second of the console.
        raw_buffer_format: of a sample, as in `struct`.

    Args:
        game: the shim's handle.
        sample_rate: 8,000 to 192,000.

    Raises:
        ValueError: another sample rate.
    """

    raw_buffer_format: Final = "h"

    def __init__(self, game: Any, sample_rate: int) -> None:
        if not MIN_RATE <= sample_rate <= MAX_RATE:
            raise ValueError(
                f"sound_sample_rate must be {MIN_RATE:,} to {MAX_RATE:,}, got {sample_rate}"
            )
        self.sample_rate: Final = sample_rate
        self._game = game
        self._frame = np.empty((MAX_SAMPLES, 2), np.int16)
        self._samples = self._waiting = self._frame[:0]

    @property
    def ndarray(self) -> NDArray[np.int16]:
        """(samples, 2) int16, left and right: all frames of the last `tick`."""
        return self._samples

    @property
    def raw_buffer(self) -> memoryview:
        """The bytes of `ndarray`."""
        return memoryview(self._samples.tobytes())

    @property
    def raw_buffer_head(self) -> int:
        """Bytes of `raw_buffer` that are valid: all of them."""
        return self._samples.nbytes

    def begin(self, on: bool) -> None:
        """Forgets the last sound; mixes what follows, or does not."""
        lib.game_set_sound(self._game, on, self.sample_rate)
        lib.game_read_sound(self._game, self._pointer(), MAX_SAMPLES)
        self._samples = self._waiting = self._frame[:0]

    def run(self, keys: int, frames: int, render: bool) -> None:
        """Runs frames as `lib.game_run` does, and keeps what they sound like."""
        parts = [self._samples]
        for left in range(frames, 0, -1):
            lib.game_run(self._game, keys, 1, 1, render and left == 1)
            parts.append(self.take())
        self._samples = np.concatenate(parts)

    def take(self) -> NDArray[np.int16]:
        """Returns what was mixed since the last time, (samples, 2) int16.

        It waits for this in a buffer of `MAX_SAMPLES`, more than a frame's.
        """
        count = lib.game_read_sound(self._game, self._pointer(), MAX_SAMPLES)
        samples = np.concatenate((self._waiting, self._frame[:count]))
        self._waiting = self._frame[:0]
        return samples

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Leaves out what is mixed inside: `take` then returns what was mixed before it."""
        before = self.take()
        yield
        self.take()
        self._waiting = before

    def _pointer(self) -> Any:
        return ffi.from_buffer("int16_t *", self._frame)
