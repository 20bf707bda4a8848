"""The tiles around the player, each as one of a few kinds: read only on request."""

from __future__ import annotations

import struct
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition
from emerald_env.state.parts.around.metatile import pointer_at
from emerald_env.state.parts.field import BORDER, is_active, map_size, player_on
from emerald_env.state.rejection import Rejection

COLUMNS, ROWS = 15, 11  # the player's tile is the middle one; the screen shows 15 x 10


class Kind(IntEnum):
    """What a tile is to somebody who walks."""

    UNKNOWN = 0  # beyond the loaded map, or no map is loaded
    WALL = 1
    FREE = 2
    GRASS = 3  # wild Pokémon appear
    LEDGE_DOWN = 4
    LEDGE_UP = 5
    LEDGE_LEFT = 6
    LEDGE_RIGHT = 7
    DOOR = 8
    WATER = 9
    STAIRS = 10  # and ladders, escalators, panels that warp, holes
    MAT = 11  # leads to another map by walking against its edge
    PERSON = 12
    ITEM = 13
    THING = 14  # a boulder, a tree to cut, a berry tree, a truck, a doll


KINDS = len(Kind)
PRIMARY = 512  # metatiles of the first tileset; the second's follow
METATILES = 1024

# Behaviours by kind; numbers and meaning as in pret's include/constants/metatile_behaviors.h.
BEHAVIOURS = {
    # the lower edge of long grass, 0x09, is without wild Pokémon
    Kind.GRASS: (0x02, 0x03, 0x24),
    Kind.LEDGE_RIGHT: (0x38,),
    Kind.LEDGE_LEFT: (0x39,),
    # a ledge's corners (0x3C to 0x3F) are not jumped: they are walls, and say so by themselves
    Kind.LEDGE_UP: (0x3A,),
    Kind.LEDGE_DOWN: (0x3B,),
    Kind.WATER: (*range(0x10, 0x16), 0x18, 0x19, 0x1A, 0x22, 0x2A, *range(0x50, 0x54)),
    Kind.STAIRS: (0x0E, 0x0F, 0x29, 0x61, 0x67, 0x68, 0x6A, 0x6B),
    Kind.DOOR: (0x60, 0x69, 0x6C, 0x6E, 0x8D),
    Kind.MAT: (0x1B, 0x1C, 0x62, 0x63, 0x64, 0x65, 0x6D),
}
BALLS, THINGS = {"JADE": (8,)}, {"JADE": (9, 10, 11, 12, 14, 15, 18, 30)}
EMERALDS_BALLS = (59,)  # pret's OBJ_EVENT_GFX_ITEM_BALL
EMERALDS_THINGS = frozenset(  # numbers as in pret's include/constants/event_objects.h
    (
        *range(60, 63),  # berry trees: the template's number, and while they grow
        *range(76, 83),  # dolls, a tree to cut
        *range(86, 89),  # a rock to break, a boulder, Mr. Briney's boat
        *(94, 97, 113, 114),  # a truck, a bag, a moving box, the cable car
        *(140, 141),  # a ship, a submarine's shadow
        *range(142, 187),  # dolls and cushions
        *(199, 224, 233),  # a fossil, a statue, the triangle of Birth Island
    )
)
GRAPHICS = 5  # of an object: its picture's number

_LAYOUT = struct.Struct("<iiI")
_COORDS = struct.Struct("<hhhh")
_OBJECTS_SIZE = sym.OBJECT_EVENT_COUNT * sym.OBJECT_EVENT_SIZE
_ANY_ELEVATION = (0, 15)
_COLLISION = 0x0C00
_JOINED = np.eye(16, dtype=np.bool_)  # whether one can step from an elevation to another
_JOINED[:, _ANY_ELEVATION] = True
_PLAIN = np.isin(np.arange(KINDS), (Kind.FREE, Kind.GRASS))


def tiles_around(read: sym.Read, game: Edition | None = None) -> NDArray[np.uint8]:
    """Returns the `Kind` of each tile, (ROWS, COLUMNS); the player's own is in the middle.

    Trust it only in the overworld, as `surroundings`. A tile whose elevation cannot be stepped to
    counts as a wall.

    Args:
        read: the memory.
        game: the edition; None: the US one, and Jade.
    """
    game = game or edition("BPEE")
    at, kinds = game.addresses, np.zeros((ROWS, COLUMNS), np.uint8)
    objects = read(at.g_object_events, _OBJECTS_SIZE)
    player = player_on(objects, read(at.g_player_avatar, sym.PLAYER_AVATAR_SIZE))
    width, height, cells = _LAYOUT.unpack(read(at.g_backup_map_layout, 12))
    size = map_size(at, width, height, cells)
    if player is None or size is None or isinstance(size, Rejection):
        return kinds
    left, top = player.x + BORDER - COLUMNS // 2, player.y + BORDER - ROWS // 2
    grid = np.frombuffer(read(at.s_backup_map_data, 2 * width * height), np.uint16)
    rows = range(max(top, 0), min(top + ROWS, height))
    columns = range(max(left, 0), min(left + COLUMNS, width))
    if not rows or not columns:
        return kinds
    seen = grid.reshape(height, width)[rows.start : rows.stop, columns.start : columns.stop]
    inside = kinds[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    inside[:] = kinds_of(seen, behaviours(read, game), player.elevation)
    _add_objects(kinds, objects, player.slot, left, top, game.code)
    return kinds


def kinds_of(cells: NDArray[np.uint16], of: NDArray[np.uint8], elevation: int) -> NDArray[np.uint8]:
    """Returns the kind of each cell of the map, whoever stands there.

    Args:
        cells: of the loaded grid.
        of: what `behaviours` returns.
        elevation: the player's.
    """
    metatiles, heights = cells & 0x3FF, cells >> 12
    kinds: NDArray[np.uint8] = of[metatiles]
    blocked = cells & _COLLISION > 0
    if elevation:
        blocked |= ~_JOINED[elevation, heights]
    # a ledge, a door and water are what they are, whether or not one can walk there now
    blocked &= _PLAIN[kinds]
    kinds[blocked] = Kind.WALL  # a copy: `of` stays as it is
    kinds[metatiles == 0x3FF] = Kind.UNKNOWN
    return kinds


def _add_objects(
    kinds: NDArray[np.uint8], objects: bytes, player: int, left: int, top: int, code: str
) -> None:
    """Writes people and things where they stand, and where walking ones come from."""
    for index in range(sym.OBJECT_EVENT_COUNT):
        start = index * sym.OBJECT_EVENT_SIZE
        if index == player or not is_active(objects, start):
            continue
        kind = kind_of_object(objects[start + GRAPHICS], code)
        x, y, from_x, from_y = _COORDS.unpack_from(objects, start + sym.OBJECT_EVENT_CURRENT_COORDS)
        for row, column in ((y - top, x - left), (from_y - top, from_x - left)):
            if 0 <= row < ROWS and 0 <= column < COLUMNS:
                kinds[row, column] = kind


def kind_of_object(looks: int, code: str) -> Kind:
    """Returns whether an object with this picture is a person, a thing or an item."""
    if looks in BALLS.get(code, EMERALDS_BALLS):
        return Kind.ITEM
    return Kind.THING if looks in THINGS.get(code, EMERALDS_THINGS) else Kind.PERSON


def behaviours(read: sym.Read, game: Edition) -> NDArray[np.uint8]:
    """Returns the kind of each metatile of the loaded map's tilesets, (METATILES,) uint8."""
    try:
        layout = pointer_at(read, game.addresses.g_map_header)
        primary = pointer_at(read, layout + sym.MAP_LAYOUT_PRIMARY_TILESET)
        secondary = pointer_at(read, layout + sym.MAP_LAYOUT_SECONDARY_TILESET)
        tables = []
        for tileset in (primary, secondary):
            table = pointer_at(read, tileset + sym.TILESET_METATILE_ATTRIBUTES) if tileset else 0
            # the last table may end where the cartridge does
            tables.append(read(table, 2 * PRIMARY) if table else b"")
        return _of_tables(*tables)
    except ValueError:  # an invalid pointer
        return _of_tables(b"", b"")


@lru_cache(maxsize=256)
def _of_tables(primary: bytes, secondary: bytes) -> NDArray[np.uint8]:
    kind_of = np.full(256, Kind.FREE, np.uint8)
    for kind, numbers in BEHAVIOURS.items():
        kind_of[list(numbers)] = kind
    kinds = np.full(METATILES, Kind.FREE, np.uint8)
    for table, first in ((primary, 0), (secondary, PRIMARY)):
        own = kind_of[np.frombuffer(table, np.uint8)[::2]]
        kinds[first : first + len(own)] = own
    return kinds
