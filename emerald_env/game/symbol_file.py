"""The .sym file of a decompilation: the addresses of the ROM built from it.

A line is an address, "g" or "l", a size and a name: what pret's `make syms` writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from emerald_env.emulator import RomError
from emerald_env.files.data import DataError, read_bytes
from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.addresses import (
    BOX_TASKS,
    MENU_NAMES,
    MESSAGE,
    PRET_NAMES,
    Addresses,
    missing_names,
)
from emerald_env.game.tables import Callback

MAX_SYMBOL_FILE_BYTES = 32 << 20  # bytes; Emerald's has 3.5 million
CODE, THUMB = 0x08000000, 1
_LINE = re.compile(rb"^([0-9a-f]{8}) [gl] ([0-9a-f]{8}) (\w+)\r?$", re.MULTILINE | re.IGNORECASE)
_SLACK = 128  # bytes within which the save blocks move
SIZES = {
    "gMain": sym.MAIN_SIZE,
    "gTasks": sym.TASK_COUNT * sym.TASK_SIZE,
    "gBattleMons": sym.MAX_BATTLERS * sym.BATTLE_MON_SIZE,
    "gPlayerParty": sym.PARTY_SIZE * sym.POKEMON_SIZE,
    "gEnemyParty": sym.PARTY_SIZE * sym.POKEMON_SIZE,
    "gSaveblock1": sym.SAVE_BLOCK_1_SIZE + _SLACK,
    "gSaveblock2": sym.SAVE_BLOCK_2_SIZE + _SLACK,
    "gPokemonStorage": sym.POKEMON_STORAGE_SIZE + _SLACK,
    "sBackupMapData": 2 * sym.BACKUP_MAP_CELLS,
    "gObjectEvents": sym.OBJECT_EVENT_COUNT * sym.OBJECT_EVENT_SIZE,
    "gPlayerAvatar": sym.PLAYER_AVATAR_SIZE,
    "gPaletteFade": sym.PALETTE_FADE_SIZE,
    "sMenu": sym.MENU_SIZE,
    "gBagPosition": sym.BAG_POSITION_POCKET + sym.BAG_POSITION_SIZE,
    "gPartyMenu": sym.PARTY_MENU_SIZE,
}
"""Bytes of the structures that we read: if they differ, the hack has changed their layout."""
_REGIONS = {0x02: sym.EWRAM_SIZE, 0x03: sym.IWRAM_SIZE}


class Symbol(NamedTuple):
    """A line of the file."""

    address: int
    size: int  # bytes; 0 if not given


@dataclass(frozen=True)
class Symbols:
    """What we use from the file."""

    addresses: Addresses
    screens: Mapping[int, Callback]
    wait_for_vblank: int | None  # address of the function; None: not in the file


def read_symbols(file: Path, rom_size: int) -> Symbols:
    """Returns a ROM's addresses.

    Args:
        file: the .sym file.
        rom_size: bytes of the ROM.

    Raises:
        RomError: it is not such a file, lacks something, or describes another memory layout; the
            message says what.
    """
    try:
        content = read_bytes(file, MAX_SYMBOL_FILE_BYTES)
    except DataError as error:
        raise RomError(f"{file}: {error}") from None
    lines = [
        (name.decode("ascii", "replace"), Symbol(int(address, 16), int(size, 16)))
        for address, size, name in _LINE.findall(content)
    ]
    if not lines:
        raise RomError(
            f"{file} is not a .sym file: its lines should be like '030022c0 g 0000043c gMain', as "
            "`make syms` writes them in the decompilation"
        )
    known = dict(lines)
    if missing := missing_names(known):
        raise RomError(
            f"{file} lacks {', '.join(missing)}: only hacks of Pokémon Emerald built from a "
            "decompilation with these names can be read"
        )
    if wrong := list(_misfits(known, rom_size)):
        raise RomError(f"{file} does not fit: {'; '.join(wrong)}. That would be misread")
    pointers = {name: _pointer(known[name]) for name in PRET_NAMES.values()}
    pointers |= _menus(lines, rom_size) | _message(known)
    vblank = known.get("WaitForVBlank")
    return Symbols(Addresses.named(pointers), _screens(lines), vblank and vblank.address)


def _pointer(symbol: Symbol) -> int:
    """Returns an address as it is in memory: pointers to code have the Thumb bit set."""
    return symbol.address | THUMB if symbol.address >= CODE else symbol.address


def _menus(lines: list[tuple[str, Symbol]], rom_size: int) -> dict[str, int]:
    """Returns the addresses of menus that the file has, as far as place and size can be right.

    Of several functions of one name the first is the player's.
    """
    wanted, found = {*MENU_NAMES.values(), *BOX_TASKS}, dict[str, int]()
    for name, symbol in lines:
        if name in wanted and symbol.size == SIZES.get(name, symbol.size):
            if _can_be_read(name, symbol.address, rom_size):
                found.setdefault(name, _pointer(symbol))
    return found


def _can_be_read(name: str, address: int, rom_size: int) -> bool:
    """Returns whether a menu's variable is in memory, or its function in the ROM."""
    if name[0] in "gs":  # pret's variables are gName and sName
        return _is_in_memory(address, SIZES.get(name, 4 * sym.MAX_BATTLERS))  # the largest other
    return CODE <= address < CODE + rom_size


def _is_in_memory(address: int, size: int) -> bool:
    return (address & 0xFFFFFF) + size <= _REGIONS.get(address >> 24, 0)


def _message(known: Mapping[str, Symbol]) -> dict[str, int]:
    """Returns where the message box's text is, if the file says so and it is in memory."""
    address = known[MESSAGE].address if MESSAGE in known else 0
    return {MESSAGE: address} if _is_in_memory(address, sym.STRING_VAR_4_SIZE) else {}


def _misfits(known: Mapping[str, Symbol], rom_size: int) -> Iterator[str]:
    us = {entry.name: entry.us for entry in tables.edition_symbols("BPEE")}
    for name in PRET_NAMES.values():
        page, offset = known[name].address >> 24, known[name].address & 0xFFFFFF
        size = SIZES.get(name, 1)
        if page != us[name] >> 24 or offset + size > _REGIONS.get(page, rom_size):
            yield f"{name} is at 0x{known[name].address:08X}"
        elif name in SIZES and known[name].size != size:
            yield f"{name} has {known[name].size:,} bytes, not {size:,}"


def _screens(lines: list[tuple[str, Symbol]]) -> Mapping[int, Callback]:
    """Returns the main callbacks that the file has, by their pointers.

    Names that occur twice, here or in Emerald, are ambiguous and left out.
    """
    ours = Counter(entry.name for entry in tables.callbacks().values())
    there = Counter(name for name, _ in lines)
    known = {e.name: e for e in tables.callbacks().values() if ours[e.name] == there[e.name] == 1}
    return {
        _pointer(symbol): known[name]._replace(pointer=_pointer(symbol))
        for name, symbol in lines
        if name in known
    }
