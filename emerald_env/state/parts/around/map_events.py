"""What the loaded map's tables say: its doors, neighbours, people, signs and triggers.

People and things are taken from the game's own list of them, in which scripts move them.
Structures as in pret's include/global.fieldmap.h: MapHeader, MapEvents, ObjectEventTemplate,
WarpEvent, CoordEvent, BgEvent, MapConnection.
"""

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition
from emerald_env.state.parts.around.metatile import pointer_at, valid

MAX_ROWS = 64  # of a table; more is no table. SaveBlock1 has room for 64 templates
SOUTH, NORTH, WEST, EAST = 1, 2, 3, 4  # CONNECTION_...: sides of the map
_POINTERS: Final = struct.Struct("<4I")  # layout, events, scripts, connections
_EVENTS: Final = struct.Struct("<4B4I")
_TEMPLATE: Final = struct.Struct("<BBxxhh12xHxx")  # localId, graphicsId, x, y, flagId
_WARP: Final = struct.Struct("<hhBBbb")
_TRIGGER: Final = struct.Struct("<hhxxHHxxI")
_SIGN: Final = struct.Struct("<HHxB6x")
_UNREAD: Final = range(5, 9)  # BgEvent kinds: hidden items (pret names 7 alone) and secret bases
_CONNECTION: Final = struct.Struct("<B3xibb2x")


class Template(NamedTuple):
    """A person or thing that the map may show."""

    number: int  # localId; 0: the list ends before
    looks: int  # graphicsId
    x: int
    y: int
    flag: int  # hides it when set; 0: none


class Warp(NamedTuple):
    """A tile that leads to another map."""

    x: int
    y: int
    map: tuple[int, int]  # group and number; of no map where the script decides


class Trigger(NamedTuple):
    """A tile on which a scene begins, or the weather changes."""

    x: int
    y: int
    var: int  # the scene begins if this variable has the value
    value: int
    script: int  # the scene's; 0: there is none, and var is a kind of weather


class Sign(NamedTuple):
    """A tile that can be read, unless it hides an item or becomes a secret base."""

    x: int
    y: int
    kind: int  # BG_EVENT_...

    @property
    def can_be_read(self) -> bool:
        """Whether it has words; else it is an empty tile, or one that asks for a move."""
        return self.kind not in _UNREAD


class Connection(NamedTuple):
    """A map beyond a side of this one."""

    side: int
    offset: int  # tiles from this map's corner to the other's, along the side
    map: tuple[int, int]


class MapEvents(NamedTuple):
    """All of them."""

    templates: tuple[Template, ...] = ()
    warps: tuple[Warp, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    signs: tuple[Sign, ...] = ()
    connections: tuple[Connection, ...] = ()


def map_events(read: sym.Read, game: Edition) -> MapEvents:
    """Returns the tables of the map in ``gMapHeader``; empty ones where memory holds none.

    Args:
        read: the memory, the cartridge's too.
        game: the edition.
    """
    try:
        _, events, _, sides = _POINTERS.unpack(read(game.addresses.g_map_header, 16))
        tables = MapEvents(*_tables(read, events), _connections(read, sides))
        return tables._replace(templates=_as_moved(read, game, tables.templates))
    except (ValueError, struct.error):  # an invalid pointer, or memory ends there
        return MapEvents()


def _as_moved(
    read: sym.Read, game: Edition, templates: tuple[Template, ...]
) -> tuple[Template, ...]:
    """Returns the people and things as SaveBlock1 has them; as given if it has none or others."""
    try:
        block = pointer_at(read, game.addresses.g_save_block_1_ptr)
        first = valid(block) + sym.SB1_OBJECT_EVENT_TEMPLATES
        rows = read(first, min(len(templates) + 1, MAX_ROWS) * _TEMPLATE.size)
    except ValueError:  # an invalid pointer
        return templates
    found = [Template(*row) for row in _TEMPLATE.iter_unpack(rows)]
    numbers = [*(one.number for one in templates), 0][:MAX_ROWS]
    same = [one.number for one in found] == numbers
    return tuple(found[: len(templates)]) if same else templates


def _tables(
    read: sym.Read, events: int
) -> tuple[tuple[Template, ...], tuple[Warp, ...], tuple[Trigger, ...], tuple[Sign, ...]]:
    *counts, people, warps, triggers, signs = _EVENTS.unpack(read(valid(events), _EVENTS.size))
    return (
        tuple(Template(*row) for row in _rows(read, people, counts[0], _TEMPLATE)),
        tuple(
            Warp(x, y, (group, number))
            for x, y, _, _, number, group in _rows(read, warps, counts[1], _WARP)
        ),
        tuple(Trigger(*row) for row in _rows(read, triggers, counts[2], _TRIGGER)),
        tuple(Sign(*row) for row in _rows(read, signs, counts[3], _SIGN)),
    )


def _connections(read: sym.Read, pointer: int) -> tuple[Connection, ...]:
    if not pointer:
        return ()
    count, rows = struct.unpack("<iI", read(valid(pointer), 8))
    return tuple(
        Connection(side, offset, (group, number))
        for side, offset, group, number in _rows(read, rows, count, _CONNECTION)
    )


def _rows(
    read: sym.Read, pointer: int, count: int, form: struct.Struct
) -> Iterator[tuple[Any, ...]]:
    if not 0 <= count <= MAX_ROWS:
        raise ValueError(f"a table of {count} rows")
    return form.iter_unpack(read(valid(pointer), count * form.size) if count else b"")
