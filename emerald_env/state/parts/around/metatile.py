"""What a metatile of the loaded map does when the player walks on it or against it."""

from __future__ import annotations

import struct

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition

# pret's names; the numbers are the game's
MB_NORMAL = 0x00
MB_STAIRS_OUTSIDE_ABANDONED_SHIP = 0x1B
MB_SHOAL_CAVE_ENTRANCE = 0x1C
MB_EAST_ARROW_WARP = 0x62
MB_WEST_ARROW_WARP = 0x63
MB_NORTH_ARROW_WARP = 0x64
MB_SOUTH_ARROW_WARP = 0x65
MB_WATER_SOUTH_ARROW_WARP = 0x6D

ARROW_WARPS = frozenset(
    {
        MB_STAIRS_OUTSIDE_ABANDONED_SHIP,
        MB_SHOAL_CAVE_ENTRANCE,
        MB_EAST_ARROW_WARP,
        MB_WEST_ARROW_WARP,
        MB_NORTH_ARROW_WARP,
        MB_SOUTH_ARROW_WARP,
        MB_WATER_SOUTH_ARROW_WARP,
    }
)
"""Tiles that lead to another map by walking on, even against a wall."""

_AT = sym.TILESET_METATILE_ATTRIBUTES
_LOWEST = 0x02000000  # below it is no memory of a game
_PRIMARY = 512  # metatiles of the first tileset; the second's follow


def behaviour(read: sym.Read, metatile: int, game: Edition | None = None) -> int | None:
    """Returns a metatile's behaviour (MB_...) in the loaded map, None if no map is in memory.

    Args:
        read: the memory.
        metatile: its number, 0 to 1022.
        game: the edition; None: the US one, and Jade.
    """
    try:
        layout = pointer_at(read, (game or edition("BPEE")).addresses.g_map_header)
        attributes = pointer_at(
            read, pointer_at(read, layout + sym.MAP_LAYOUT_PRIMARY_TILESET) + _AT
        )
        secondary = pointer_at(read, layout + sym.MAP_LAYOUT_SECONDARY_TILESET)
        if metatile >= _PRIMARY and secondary:
            attributes, metatile = pointer_at(read, secondary + _AT), metatile - _PRIMARY
        return read(attributes + 2 * metatile, 1)[0]
    except ValueError:  # an invalid pointer
        return None


def pointer_at(read: sym.Read, address: int) -> int:
    """Returns the pointer that memory holds at an address.

    Raises:
        ValueError: the address is that of no memory which a game uses.
    """
    (pointer,) = struct.unpack("<I", read(valid(address), 4))
    return int(pointer)


def valid(address: int) -> int:
    """Returns the address.

    Raises:
        ValueError: it is that of no memory which a game uses.
    """
    if address < _LOWEST:
        raise ValueError(f"nothing is at {address:#x}")
    return address
