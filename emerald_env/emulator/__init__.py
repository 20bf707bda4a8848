"""The Game Boy Advance: the only package that uses libmgba."""

from emerald_env.emulator.gba import (
    FRAMES_PER_SECOND,
    GBA,
    SCREEN_SHAPE,
    RomError,
    SaveError,
    StateError,
    batches_lines,
    is_compiled_in,
    libmgba_version,
)
from emerald_env.emulator.grey import GreyPlace
from emerald_env.emulator.keys import KEYS, key_mask

__all__ = [
    "FRAMES_PER_SECOND",
    "GBA",
    "KEYS",
    "SCREEN_SHAPE",
    "GreyPlace",
    "RomError",
    "SaveError",
    "StateError",
    "batches_lines",
    "is_compiled_in",
    "key_mask",
    "libmgba_version",
]
