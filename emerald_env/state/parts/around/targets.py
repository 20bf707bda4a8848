"""What the player can walk to on the loaded map, and how to begin: read only on request."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition
from emerald_env.state.game_state import GameState
from emerald_env.state.parts.around import metatile
from emerald_env.state.parts.around.map_events import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Connection,
    MapEvents,
    map_events,
)
from emerald_env.state.parts.around.shortest_walks import NEVER, WalkCell, Walks
from emerald_env.state.parts.around.tiles_around import (
    GRAPHICS,
    Kind,
    behaviours,
    kind_of_object,
    kinds_of,
)
from emerald_env.state.parts.field import (
    BORDER,
    EXTRA_HEIGHT,
    EXTRA_WIDTH,
    is_active,
    map_size,
    player_on,
)
from emerald_env.state.rejection import Rejection

TARGETS = 32  # at most; the nearest are kept
NUMBERS = 5  # of a target


class TargetKind(IntEnum):
    """What a target is."""

    NONE = 0
    DOOR = 1  # or stairs, a mat: which map it leads to follows (group, number)
    EDGE = 2  # of the map: the same
    PERSON = 3  # looks and number follow (graphicsId, localId)
    ITEM = 4
    THING = 5
    SIGN = 6  # 0 and its number follow
    TRIGGER = 7  # where a scene begins now: the same


class Target(NamedTuple):
    """Something on the map."""

    kind: TargetKind
    which: tuple[int, int]
    x: int  # on the loaded grid, with its border
    y: int


TARGET_KINDS = len(TargetKind)
DOWN, UP, LEFT, RIGHT = 1, 2, 4, 8  # bits of `Walks.first`
_BESIDE: Final = {(0, 1): UP, (0, -1): DOWN, (1, 0): LEFT, (-1, 0): RIGHT}  # from there: the key
_LEAVING: Final = {
    metatile.MB_EAST_ARROW_WARP: RIGHT,
    metatile.MB_WEST_ARROW_WARP: LEFT,
    metatile.MB_NORTH_ARROW_WARP: UP,
    metatile.MB_STAIRS_OUTSIDE_ABANDONED_SHIP: UP,
}
_GROUND, _END = int(WalkCell.GROUND), int(WalkCell.END)
_CELLS: Final = np.zeros(256, np.uint8)
_CELLS[[Kind.FREE, Kind.GRASS, Kind.MAT]] = WalkCell.GROUND
_CELLS[[Kind.DOOR, Kind.STAIRS]] = WalkCell.END
_CELLS[Kind.LEDGE_DOWN], _CELLS[Kind.LEDGE_UP] = WalkCell.HOP_DOWN, WalkCell.HOP_UP
_CELLS[Kind.LEDGE_LEFT], _CELLS[Kind.LEDGE_RIGHT] = WalkCell.HOP_LEFT, WalkCell.HOP_RIGHT
_DOORS: Final = (Kind.DOOR, Kind.STAIRS, Kind.MAT)
_OBJECT_KINDS: Final = {
    Kind.PERSON: TargetKind.PERSON,
    Kind.ITEM: TargetKind.ITEM,
    Kind.THING: TargetKind.THING,
}
_LAYOUT = struct.Struct("<iiI")
_COORDS = struct.Struct("<hh")
_NUMBER, _MAP = 8, (10, 9)  # of an object: localId; mapGroup and mapNum
_FURTHEST = 254  # steps that a target tells; 255: no way


def targets(read: sym.Read, state: GameState, game: Edition | None = None) -> NDArray[np.uint8]:
    """Returns what can be walked to, nearest first, then what cannot: (TARGETS, NUMBERS).

    Of each: its `TargetKind`; two numbers that tell which; the steps to it (255: no way is free);
    the keys that begin a shortest walk, or that act when it is reached (1 down, 2 up, 4 left,
    8 right). Walks keep to the loaded map and to the player's elevation, and do not push, cut or
    surf. Trust it only in the overworld.

    Args:
        read: the memory, the cartridge's too.
        state: the same moment's.
        game: the edition; None: the US one, and Jade.
    """
    game, rows = game or edition("BPEE"), np.zeros((TARGETS, NUMBERS), np.uint8)
    objects = read(game.addresses.g_object_events, sym.OBJECT_EVENT_COUNT * sym.OBJECT_EVENT_SIZE)
    player = player_on(objects, read(game.addresses.g_player_avatar, sym.PLAYER_AVATAR_SIZE))
    grid = _grid(read, game)
    if player is None or grid is None:
        return rows
    x, y = player.x + BORDER, player.y + BORDER
    if not (0 <= y < grid.shape[0] and 0 <= x < grid.shape[1]):
        return rows
    kinds = kinds_of(grid, behaviours(read, game), player.elevation)
    tables = map_events(read, game)
    found = [
        *_tiles(tables, kinds, state),
        *_objects(objects, player.slot, tables, state, game.code),
    ]
    cells = _cells(kinds, found)
    walks = Walks(cells, x, y)
    on = metatile.behaviour(read, int(grid[y, x]) & 0x3FF, game) or 0
    leaving = (0, _LEAVING.get(on, DOWN)) if kinds[y, x] == Kind.MAT else _again(walks, cells, x, y)
    reached = [
        *(_row(target, _reach(target, walks, cells, leaving)) for target in found),
        *_edges(tables.connections, walks),
    ]
    reached.sort(key=lambda row: row[3])
    if reached:
        rows[: len(reached)] = reached[:TARGETS]
    return rows


def _grid(read: sym.Read, game: Edition) -> NDArray[np.uint16] | None:
    """Returns the cells of the loaded map with its border; None while no map is loaded."""
    at = game.addresses
    width, height, cells = _LAYOUT.unpack(read(at.g_backup_map_layout, _LAYOUT.size))
    size = map_size(at, width, height, cells)
    if size is None or isinstance(size, Rejection):
        return None
    memory = read(at.s_backup_map_data, 2 * width * height)
    return np.frombuffer(memory, np.uint16).reshape(height, width)


def _tiles(tables: MapEvents, kinds: NDArray[np.uint8], state: GameState) -> Iterator[Target]:
    """Yields what does not move: doors, signs, and the triggers that wait for the player."""
    height, width = kinds.shape
    for warp in tables.warps:
        x, y = warp.x + BORDER, warp.y + BORDER
        if not (0 <= y < height and 0 <= x < width) or kinds[y, x] not in _DOORS:
            continue  # one only arrives there
        yield _on_map(TargetKind.DOOR, warp.map, warp.x, warp.y)
    for index, sign in enumerate(tables.signs):
        if sign.can_be_read:
            yield _on_map(TargetKind.SIGN, (0, index), sign.x, sign.y)
    for index, trigger in enumerate(tables.triggers):
        if trigger.script and state.var(trigger.var) == trigger.value:
            yield _on_map(TargetKind.TRIGGER, (0, index), trigger.x, trigger.y)


def _on_map(kind: TargetKind, which: tuple[int, int], x: int, y: int) -> Target:
    return Target(kind, which, x + BORDER, y + BORDER)


def _objects(
    objects: bytes, player: int, tables: MapEvents, state: GameState, code: str
) -> Iterator[Target]:
    """Yields people and things where they are; out of view, where they will come into view."""
    near = set()
    for index in range(sym.OBJECT_EVENT_COUNT):
        start = index * sym.OBJECT_EVENT_SIZE
        if index == player or not is_active(objects, start):
            continue
        if tuple(objects[start + at] for at in _MAP) == state.location:
            near.add(objects[start + _NUMBER])
        looks = objects[start + GRAPHICS]
        x, y = _COORDS.unpack_from(objects, start + sym.OBJECT_EVENT_CURRENT_COORDS)
        kind = _OBJECT_KINDS[kind_of_object(looks, code)]
        yield Target(kind, (looks, objects[start + _NUMBER]), x, y)
    for one in tables.templates:
        if one.number not in near and not (one.flag and state.has(one.flag)):
            kind = _OBJECT_KINDS[kind_of_object(one.looks, code)]
            yield Target(kind, (one.looks, one.number), one.x + BORDER, one.y + BORDER)


def _cells(kinds: NDArray[np.uint8], found: list[Target]) -> NDArray[np.uint8]:
    """Returns a `WalkCell` for each cell of the loaded grid; walks end on those of other maps."""
    cells: NDArray[np.uint8] = _CELLS[kinds]
    height, width = cells.shape
    right, bottom = width - EXTRA_WIDTH + BORDER, height - EXTRA_HEIGHT + BORDER
    for outside in (cells[:BORDER], cells[bottom:], cells[:, :BORDER], cells[:, right:]):
        outside[outside == _GROUND] = _END
    for target in found:
        stands = TargetKind.PERSON <= target.kind <= TargetKind.THING
        if stands and 0 <= target.y < height and 0 <= target.x < width:
            cells[target.y, target.x] = WalkCell.END
    return cells


def _reach(
    target: Target, walks: Walks, cells: NDArray[np.uint8], leaving: tuple[int, int]
) -> tuple[int, int]:
    """Returns the steps to a target and the first keys; NEVER, 0 where no walk leads."""
    height, width = cells.shape
    if not (0 <= target.y < height and 0 <= target.x < width):
        return NEVER, 0
    steps = int(walks.steps[target.y, target.x])
    if steps == 0:
        return leaving if target.kind == TargetKind.DOOR else (0, 0)
    if steps != NEVER:
        return steps, int(walks.first[target.y, target.x])
    if target.kind in (TargetKind.DOOR, TargetKind.TRIGGER):
        return NEVER, 0
    return _beside(target, walks, cells)


def _again(walks: Walks, cells: NDArray[np.uint8], x: int, y: int) -> tuple[int, int]:
    """Returns the same for the stairs that one stands on: a step away and back."""
    around = np.s_[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2]
    keys = walks.first[around][(walks.steps[around] == 1) & (cells[around] == _GROUND)]
    return (2, int(np.bitwise_or.reduce(keys))) if len(keys) else (NEVER, 0)


def _beside(target: Target, walks: Walks, cells: NDArray[np.uint8]) -> tuple[int, int]:
    """Returns the same for what is read or spoken to from beside it, or across a counter."""
    height, width = cells.shape
    for gap in (1, 2):
        found = []
        for (dx, dy), key in _BESIDE.items():
            x, y = target.x + gap * dx, target.y + gap * dy
            if 0 <= x < width and 0 <= y < height and walks.steps[y, x] != NEVER:
                if cells[y, x] == _GROUND or walks.steps[y, x] == 0:
                    found.append((int(walks.steps[y, x]) + gap, int(walks.first[y, x]) or key))
        if found:
            fewest = min(found)[0]
            keys = 0
            for steps, first in found:
                keys |= first if steps == fewest else 0
            return fewest, keys
    return NEVER, 0


def _edges(connections: tuple[Connection, ...], walks: Walks) -> Iterator[list[int]]:
    """Yields a row for each neighbouring map: the nearest tile of it that can be stepped on."""
    height, width = walks.steps.shape
    inner = (
        np.s_[BORDER : height - EXTRA_HEIGHT + BORDER],
        np.s_[BORDER : width - EXTRA_WIDTH + BORDER],
    )
    lines = {
        SOUTH: (inner[0].stop, inner[1]),
        NORTH: (BORDER - 1, inner[1]),
        WEST: (inner[0], BORDER - 1),
        EAST: (inner[0], inner[1].stop),
    }
    for connection in connections:
        if connection.side not in lines:
            continue  # below or above water
        line = lines[connection.side]
        steps, first = walks.steps[line].copy(), walks.first[line]
        steps[: max(connection.offset, 0)] = NEVER
        for other in connections:
            if other.side == connection.side and other.offset > connection.offset:
                steps[max(other.offset, 0) :] = NEVER
        fewest = int(steps.min())
        keys = 0 if fewest == NEVER else int(np.bitwise_or.reduce(first[steps == fewest]))
        yield _row(Target(TargetKind.EDGE, connection.map, 0, 0), (fewest, keys))


def _row(target: Target, reach: tuple[int, int]) -> list[int]:
    steps, keys = reach
    far = 255 if steps == NEVER else min(steps, _FURTHEST)
    return [target.kind, target.which[0] & 0xFF, target.which[1] & 0xFF, far, keys]
