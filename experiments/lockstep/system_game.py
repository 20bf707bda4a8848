"""A game that the system's own library runs, event by event: what all others are compared with."""

import ctypes
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emerald_env.jade.cartridge import JADE_IDLE_LOOP

SCREEN_BYTES = 160 * 240 * 4
STATE_BYTES = 397312
BIOS_CHECKSUM = slice(4, 8)  # of a state; mGBA's own BIOS differs between its versions


class SystemGame:
    """The plain C loop of the benchmark, with states and pictures.

    Args:
        rom: file of Jade, or of Jade with other work.
        library: `plain_library`.
    """

    def __init__(self, rom: Path, library: ctypes.CDLL) -> None:
        self._lib = library
        self._lib.game_save_state.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        integers = [ctypes.c_int] * 2
        self._lib.game_run.argtypes = [ctypes.c_void_p, ctypes.c_uint32, *integers, ctypes.c_bool]
        self._lib.game_pixels.restype = ctypes.c_void_p
        self._lib.game_pixels.argtypes = [ctypes.c_void_p]
        self._game = self._lib.plain_open(str(rom).encode(), JADE_IDLE_LOOP, False)

    def set_state(self, state: bytes) -> None:
        """As GBA.set_state does, with the frame that it draws."""
        self._lib.game_load_state(self._game, state)
        self._lib.game_run(self._game, 0, 1, 1, True)
        self._lib.game_load_state(self._game, state)

    def get_state(self) -> bytes:
        """Returns the state."""
        state = ctypes.create_string_buffer(STATE_BYTES)
        self._lib.game_save_state(self._game, state)
        return state.raw

    def step(self, keys: int, hold: int, frames: int, render: bool) -> None:
        """As GBA.step does."""
        self._lib.game_run(self._game, keys, hold, frames, render)

    def screen(self) -> NDArray[np.uint8]:
        """Returns the picture, (160, 240, 3)."""
        pixels = ctypes.string_at(self._lib.game_pixels(self._game), SCREEN_BYTES)
        return np.frombuffer(pixels, np.uint8).reshape(160, 240, 4)[:, :, :3]

    def stop(self) -> None:
        """Switches the game off."""
        self._lib.game_close(self._game)


def compared(state: bytes) -> bytes:
    """Returns a state without what differs between versions of mGBA."""
    return state[: BIOS_CHECKSUM.start] + state[BIOS_CHECKSUM.stop :]
