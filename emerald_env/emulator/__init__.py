"""The Game Boy Advance: the only package that uses libmgba."""

from emerald_env.emulator.gba import (
    GBA,
    SCREEN_SHAPE,
    batches_lines,
    is_compiled_in,
)
from emerald_env.emulator.keys import KEYS, key_mask
from emerald_env.emulator.parts.hooks import HookError
from emerald_env.emulator.parts.memory_scanner import (
    DynamicComparisonType,
    ScanMode,
    StandardComparisonType,
)
from emerald_env.emulator.parts.symbol_table import SymbolError
from emerald_env.emulator.pictures.grey import GreyPlace
from emerald_env.emulator.pictures.pace import FRAMES_PER_SECOND
from emerald_env.emulator.rom_check import RomError, SaveError, StateError, libmgba_version

__all__ = [
    "FRAMES_PER_SECOND",
    "GBA",
    "KEYS",
    "SCREEN_SHAPE",
    "DynamicComparisonType",
    "GreyPlace",
    "HookError",
    "RomError",
    "SaveError",
    "ScanMode",
    "StandardComparisonType",
    "StateError",
    "SymbolError",
    "batches_lines",
    "is_compiled_in",
    "key_mask",
    "libmgba_version",
]
