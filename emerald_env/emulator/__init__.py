"""The Game Boy Advance: the only package that uses libmgba."""

from typing import TYPE_CHECKING

from emerald_env.emulator.cartridge.rom import RomError
from emerald_env.emulator.cartridge.saved_formats import SaveError, StateError
from emerald_env.emulator.keys import KEYS, key_mask
from emerald_env.emulator.pictures.pace import FRAMES_PER_SECOND
from emerald_env.files.lazy_names import lazy_names

if TYPE_CHECKING:
    from emerald_env.emulator.gba import GBA, SCREEN_SHAPE
    from emerald_env.emulator.library import batches_lines, is_compiled_in, libmgba_version
    from emerald_env.emulator.parts.hooks import HookError
    from emerald_env.emulator.parts.memory_scanner import (
        DynamicComparisonType,
        ScanMode,
        StandardComparisonType,
    )
    from emerald_env.emulator.parts.symbol_table import SymbolError
    from emerald_env.emulator.pictures.grey import GreyPlace

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

__getattr__ = lazy_names(
    __name__,
    {
        "emerald_env.emulator.gba": "GBA SCREEN_SHAPE",
        "emerald_env.emulator.library": "batches_lines is_compiled_in libmgba_version",
        "emerald_env.emulator.parts.hooks": "HookError",
        "emerald_env.emulator.parts.memory_scanner": (
            "DynamicComparisonType ScanMode StandardComparisonType"
        ),
        "emerald_env.emulator.parts.symbol_table": "SymbolError",
        "emerald_env.emulator.pictures.grey": "GreyPlace",
    },
)
