"""Addresses from a ROM's own code, found by the bytes of a few functions around them.

The bytes are those of seven small functions, which are the same in the disassemblies of the US and
the Japanese edition; only the addresses that they refer to differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

from emerald_env.game.addresses import PRET_NAMES, Addresses

IDLE_LOOP = 0x080008C6
"""The address at which every edition waits for the next frame: mGBA's overrides.c."""
ROM = 0x08000000
THUMB = 1


def _bytes(*instructions: int) -> bytes:
    """Returns a pattern of Thumb instructions."""
    return b"".join(re.escape(word.to_bytes(2, "little")) for word in instructions)


_CALL = b".{4}"
# script.c: locks, unlocks and reads the controls; then whether a script runs
_SCRIPT = (
    _bytes(0x4901, 0x2001, 0x7008, 0x4770)
    + b"(?P<s_lock_field_controls>.{4})"
    + _bytes(0x4901, 0x2000, 0x7008, 0x4770)
    + b"(?P=s_lock_field_controls)"
    + _bytes(0x4801, 0x7800, 0x4770)
    + b".{2}(?P=s_lock_field_controls)"
    + _bytes(0xB500, 0x4803, 0x7800, 0x2800, 0xD004, 0x2000, 0xE003)
    + b".{2}(?P<s_global_script_context_status>.{4})"
)
# play_time.c: PlayTimeCounter_Start
_PLAY_TIME = (
    _bytes(0xB500, 0x4906, 0x2001, 0x7008, 0x4805, 0x6800, 0x89C1, 0x4805, 0x4281, 0xD901)
    + _CALL
    + _bytes(0xBC01, 0x4700)
    + b"(?P<s_play_time_counter_state>.{4})(?P<g_save_block_2_ptr>.{4})"
    + _bytes(999, 0)
)
# main.c: WaitForVBlank
_WAIT = (
    _bytes(0xB500, 0x4A09, 0x8B91, 0x4809, 0x4008, 0x8B91, 0x8390, 0x8B91, 0x2001, 0x4008, 0x2800)
    + _bytes(0xD105, 0x2301, 0x8B91, 0x1C18, 0x4008, 0x2800, 0xD0FA, 0xBC01, 0x4700)
    + b"(?P<g_main>.{4})"
    + _bytes(0xFFFE, 0)
)
# overworld.c: CB2_Overworld
_OVERWORLD = (
    b"(?P<cb2_overworld>)"
    + _bytes(0xB510, 0x4809, 0x79C0, 0x09C0, 0x1C04, 0x2C00, 0xD002, 0x2000)
    + _CALL * 2
    + _bytes(0x2C00, 0xD001)
    + _CALL
    + _bytes(0xBC10, 0xBC01, 0x4700)
    + b".{2}(?P<g_palette_fade>.{4})"
)
_PATTERNS = [re.compile(text, re.DOTALL) for text in (_SCRIPT, _PLAY_TIME, _WAIT, _OVERWORLD)]
FOUND_IN_CODE = tuple(name for pattern in _PATTERNS for name in pattern.groupindex)
"""Fields of `Addresses` that the patterns find."""


def found_in_code(rom: bytes) -> dict[str, int]:
    """Returns the addresses found in a ROM's code, by the names of `Addresses`.

    Those not found, or found more than once, are left out.
    """
    found: dict[str, int] = {}
    for pattern in _PATTERNS:
        matches = [*pattern.finditer(rom)]
        if len(matches) == 1:
            found |= {name: _address(matches[0], name) for name in pattern.groupindex}
    return found


def _address(match: re.Match[bytes], name: str) -> int:
    word = match[name]
    return int.from_bytes(word, "little") if word else ROM + match.start(name) + THUMB


def code_differences(rom: bytes, addresses: Addresses) -> list[str]:
    """Returns how a ROM's code contradicts an edition's addresses, in words; empty if it agrees.

    A missing function also counts as a change.
    """
    return list(_differences(found_in_code(rom), addresses))


def _differences(found: dict[str, int], addresses: Addresses) -> Iterator[str]:
    if missing := [PRET_NAMES[name] for name in FOUND_IN_CODE if name not in found]:
        yield f"the functions that use {', '.join(missing)} cannot be found"
    for field in fields(addresses):
        here, known = found.get(field.name), getattr(addresses, field.name)
        if here is not None and here != known:
            yield f"{PRET_NAMES[field.name]} is at 0x{here:08X}, not 0x{known:08X}"


def wait_loop(rom: bytes, function: int | None) -> int | None:
    """Returns the address of the loop in which a game waits for the next frame.

    Args:
        rom: the game.
        function: address of its `WaitForVBlank`, None if unknown.

    Returns:
        Where the function's first short backward branch leads; None if it has none.
    """
    if function is None:
        return None
    start = (function & ~THUMB) - ROM
    for at in range(start, min(start + 64, len(rom) - 1), 2):
        word = int.from_bytes(rom[at : at + 2], "little")
        # GBATEK, "THUMB.16": a conditional branch, by a signed number of half-words
        if word >> 12 == 0xD and 0xF0 <= word & 0xFF:
            return ROM + at + 4 + 2 * ((word & 0xFF) - 0x100)
    return None
