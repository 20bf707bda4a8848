"""The overworld's part of a state: the player's object, the loaded map, fades and boxes."""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.addresses import Addresses
from emerald_env.game.tables import GlobalOffset, global_offsets, maps
from emerald_env.state.game_state import Facing, Mode
from emerald_env.state.parts.open_menu import Menu, overworld_menu
from emerald_env.state.rejection import Rejection

BORDER = 7
"""Tiles that the loaded grid, and so objects' coordinates, add at a map's left and top."""

EXTRA_WIDTH, EXTRA_HEIGHT = 15, 14
"""The loaded grid's cells beyond the map's tiles, in width and height."""

MAX_LEAD = 2
"""Tiles by which the player's object may be ahead of the saved position: a step or a jump."""

MAX_PLACES = 4096
"""How many places are remembered."""

_COORDS = struct.Struct("<hh")
_WHERE = struct.Struct("<iiIBBBxBhhBhhbb")
_TASK = struct.Struct(f"<IB3xh{sym.TASK_SIZE - 10}x")
_FACINGS = {int(facing): facing for facing in Facing}
_BOX_CORNERS = frozenset(
    tile.to_bytes(2, "little") for tile in (sym.DIALOGUE_FRAME_TILE, sym.MATCH_CALL_FRAME_TILE)
)


def warp_tasks(at: Addresses) -> frozenset[int]:
    """Returns the tasks that move the player to another map or into a battle."""
    doors = {at.task_exit_door, at.task_exit_non_anim_door, at.task_exit_non_door}
    return frozenset(doors | {at.task_warp_and_load_map, at.task_battle_start})


class Now(NamedTuple):
    """The screen at this moment, whether or not the save blocks can be trusted."""

    mode: Mode
    controllable: bool
    dialog_open: bool | None
    menu: Menu | None = None


class Whereabouts(NamedTuple):
    """Where the player is; fields and order as in ``GameState``."""

    location: tuple[int, int]
    position: tuple[int, int]
    facing: Facing | None
    map_size: tuple[int, int] | None
    component: str | None
    global_position: tuple[int, int] | None
    avatar_flags: int


class PlayerObject(NamedTuple):
    """The player's object on the map."""

    slot: int  # its index among the map's objects
    x: int  # tiles from the map's left edge
    y: int  # tiles from the map's top edge
    elevation: int  # 0 joins all others


def overworld_now(
    at: Addresses,
    corner: bytes,
    fade: bytes,
    script_runs: bool,
    tasks: bytes | None,
    cursors: bytes,
) -> Now:
    """Returns the screen while the overworld's main callback runs.

    Args:
        at: the edition's addresses.
        corner: (2,) the cell of the message box's corner.
        fade: (1,) the byte of ``gPaletteFade`` that says whether the picture fades.
        script_runs: whether a script runs.
        tasks: what memory holds at ``gTasks``; None while the player is free to walk.
        cursors: the stretches `state_memory.CURSORS`.
    """
    dialog = corner in _BOX_CORNERS
    active = active_tasks(tasks) if tasks is not None else {}
    if fade[0] & sym.PALETTE_FADE_ACTIVE_MASK or active.keys() & warp_tasks(at):
        mode = Mode.TRANSITION
    elif dialog:
        mode = Mode.DIALOG
    else:
        mode = Mode.MENU if at.task_show_start_menu in active else Mode.OVERWORLD
    free = tasks is None and not script_runs
    if mode is Mode.TRANSITION:
        return Now(mode, False, dialog)
    menu = overworld_menu(at.menus, cursors, mode is Mode.MENU, active.keys())
    return Now(mode, mode is Mode.OVERWORLD and free, dialog, menu)


def active_tasks(tasks: bytes) -> dict[int, int]:
    """Returns the function pointers of the tasks that run, each with its first number."""
    return {function: number for function, active, number in _TASK.iter_unpack(tasks) if active}


def player_on(objects: bytes, moves: bytes) -> PlayerObject | None:
    """Returns the player's object, or None while there is none.

    Args:
        objects: what memory holds at ``gObjectEvents``.
        moves: what memory holds at ``gPlayerAvatar``.
    """
    slot = moves[sym.PLAYER_AVATAR_OBJECT_EVENT_ID]
    start = slot * sym.OBJECT_EVENT_SIZE
    if slot >= sym.OBJECT_EVENT_COUNT:
        return None
    if not (is_active(objects, start) and is_player(objects, start)):
        return None
    x, y = _COORDS.unpack_from(objects, start + sym.OBJECT_EVENT_CURRENT_COORDS)
    elevation = objects[start + sym.OBJECT_EVENT_ELEVATION] & 0xF
    return PlayerObject(slot, x - BORDER, y - BORDER, elevation)


def is_active(objects: bytes, start: int) -> bool:
    """Returns whether the object that begins at ``start`` is on the map."""
    return bool(objects[start] & 0x01)


def is_player(objects: bytes, start: int) -> bool:
    """Returns whether the object that begins at ``start`` is the player."""
    return bool(objects[start + 2] & 0x01)


def facing_of(byte: int) -> Facing | None:
    """Returns the direction in an object's facing byte, None if it holds none."""
    return _FACINGS.get(byte & 0xF)


def map_size(
    at: Addresses, width: int, height: int, grid: int
) -> tuple[int, int] | Rejection | None:
    """Returns the loaded map's size in tiles without its border; None while no map is loaded.

    Args:
        at: the edition's addresses.
        width: of the loaded grid in cells, as ``gBackupMapLayout`` says, like the others.
        height: of the same.
        grid: where its cells are.
    """
    if not (width or height):
        return None
    if width <= EXTRA_WIDTH or height <= EXTRA_HEIGHT or width * height > sym.BACKUP_MAP_CELLS:
        return Rejection.MAP_LAYOUT
    if grid != at.s_backup_map_data:
        return Rejection.MAP_LAYOUT
    return width - EXTRA_WIDTH, height - EXTRA_HEIGHT


class KnownPlaces(dict[bytes, "Whereabouts | Rejection"]):
    """`whereabouts` by the memory that they are read from, with a cache.

    A plain dict: to reorder the entries of an `lru_cache` takes longer than the look-up.

    Args:
        at: the edition's addresses.
        locked: whether the player cannot walk.
    """

    def __init__(self, at: Addresses, locked: bool) -> None:
        super().__init__()
        self._at, self._locked = at, locked

    def __missing__(self, memory: bytes) -> Whereabouts | Rejection:
        if len(self) >= MAX_PLACES:
            self.clear()
        self[memory] = found = whereabouts(self._at, memory, self._locked)
        return found


@cache
def known_places(at: Addresses) -> tuple[KnownPlaces, KnownPlaces]:
    """Returns the places while the player can walk, and while not.

    All games of a process share them: agents visit the same places again and again.
    """
    return KnownPlaces(at, False), KnownPlaces(at, True)


def whereabouts(at: Addresses, memory: bytes, locked: bool) -> Whereabouts | Rejection:
    """Returns where the player is, or why memory cannot be right.

    Args:
        at: the edition's addresses.
        memory: the stretches `snapshot.WHERE`.
        locked: whether the player cannot walk.
    """
    width, height, grid, avatar, slot, *person, x, y, group, number = _WHERE.unpack(memory)
    location = (group, number)
    if location not in maps():
        return Rejection.LOCATION
    size = map_size(at, width, height, grid)
    if isinstance(size, Rejection):
        return size
    tile, facing = _person(*person) if slot < sym.OBJECT_EVENT_COUNT else (None, None)
    position = place((x, y), tile, size, locked)
    if isinstance(position, Rejection):
        return position
    offset = global_offset(location, size)
    if offset is None:
        return Whereabouts(location, position, facing, size, None, None, avatar)
    world = (offset.x + position[0], offset.y + position[1])
    return Whereabouts(location, position, facing, size, offset.component, world, avatar)


def _person(
    active: int, player: int, x: int, y: int, facing: int
) -> tuple[tuple[int, int] | None, Facing | None]:
    """Returns the position and direction of the player's object."""
    if active & player & 1:
        return (x - BORDER, y - BORDER), facing_of(facing)
    return None, None


@lru_cache(maxsize=1024)
def global_offset(location: tuple[int, int], size: tuple[int, int] | None) -> GlobalOffset | None:
    """Returns a map's position in the common coordinates.

    None for maps without one, and for maps whose size is not the original game's: those belong to
    another game that uses its numbers.
    """
    info = maps().get(location)
    if info is None or size not in (None, (info.width, info.height)):
        return None
    return global_offsets().get(location)


def place(
    saved: tuple[int, int],
    player: tuple[int, int] | None,
    size: tuple[int, int] | None,
    locked: bool,
) -> tuple[int, int] | Rejection:
    """Returns where the player is, in tiles from the map's corner.

    The saved position is the camera's. While the controls are locked a scene may have moved it
    elsewhere: then the player's object has the position. Otherwise the two disagree only while
    another map is entered and half of it is written; the saved position is then at or beyond the
    new map's edge.

    Args:
        saved: the position that the save block holds.
        player: where the player's object is; None where there is none.
        size: of the loaded map; None while none is loaded.
        locked: whether the player cannot walk.
    """
    x, y = saved
    if player and abs(player[0] - x) + abs(player[1] - y) > MAX_LEAD:
        if not locked or x <= 0 or y <= 0:
            return Rejection.POSITION
        saved = x, y = player
    if x < 0 or y < 0 or (size and (x >= size[0] or y >= size[1])):
        return Rejection.POSITION
    return saved
