"""The overworld's part of a state: the player's object, the loaded map, fades and boxes."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from emerald_env import symbols as sym
from emerald_env.state.game_state import Facing, Mode
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import ENGINE, FIELD, SCRIPT
from emerald_env.tables import GlobalOffset, global_offsets, maps

BORDER = 7
"""Tiles that the loaded grid, and so every object's coordinates, add at a map's left and top."""

EXTRA_WIDTH, EXTRA_HEIGHT = 15, 14
"""Cells that the loaded grid has more than the map has tiles."""

MAX_LEAD = 2
"""Tiles the player's object may be ahead of the saved position: a step, or a jump off a ledge."""

_COORDS = struct.Struct("<hh")
_LAYOUT = struct.Struct("<iiI")
_TASK = struct.Struct(f"<IB{sym.TASK_SIZE - 5}x")
_AVATAR_AT = sym.G_PLAYER_AVATAR - FIELD
_FADE_AT = sym.G_PALETTE_FADE + sym.PALETTE_FADE_ACTIVE - FIELD
_LAYOUT_AT = sym.G_BACKUP_MAP_LAYOUT - ENGINE
_TASKS_AT = sym.G_TASKS - ENGINE
_STATUS_AT = sym.S_GLOBAL_SCRIPT_CONTEXT_STATUS - SCRIPT
_LOCK_AT = sym.S_LOCK_FIELD_CONTROLS - SCRIPT
_BOX_CORNERS = frozenset(
    tile.to_bytes(2, "little") for tile in (sym.DIALOGUE_FRAME_TILE, sym.MATCH_CALL_FRAME_TILE)
)
_WARPS = frozenset(
    {
        sym.TASK_WARP_AND_LOAD_MAP,
        sym.TASK_EXIT_DOOR,
        sym.TASK_EXIT_NON_ANIM_DOOR,
        sym.TASK_EXIT_NON_DOOR,
        sym.TASK_BATTLE_START,
    }
)
"""Tasks that take the player to another map or into a battle."""


class Now(NamedTuple):
    """What the screen is at this moment, whether or not the save blocks can be believed."""

    mode: Mode
    controllable: bool
    dialog_open: bool | None


class Player(NamedTuple):
    """The player's object on the map."""

    slot: int  # its place among the map's objects
    x: int  # tiles from the map's left edge
    y: int  # tiles from the map's top edge
    facing: Facing | None
    elevation: int  # 0 joins all others


def overworld_now(read: sym.Read, script: bytes, engine: bytes, on_map: bytes) -> Now:
    """Returns what the screen is while the overworld's main callback runs."""
    dialog = read(sym.DIALOGUE_FRAME_CELL, 2) in _BOX_CORNERS
    locked = controls_locked(script)
    tasks = active_tasks(engine) if locked else frozenset()
    if on_map[_FADE_AT] & sym.PALETTE_FADE_ACTIVE_MASK or tasks & _WARPS:
        mode = Mode.TRANSITION
    elif dialog:
        mode = Mode.DIALOG
    else:
        mode = Mode.MENU if sym.TASK_SHOW_START_MENU in tasks else Mode.OVERWORLD
    idle = script[_STATUS_AT] == sym.SCRIPT_CONTEXT_SHUTDOWN
    return Now(mode, mode is Mode.OVERWORLD and idle and not locked, dialog)


def controls_locked(script: bytes) -> bool:
    """Returns whether a script or menu keeps the player from walking."""
    return script[_LOCK_AT] != 0


def active_tasks(engine: bytes) -> frozenset[int]:
    """Returns the function pointers of the tasks that run."""
    tasks = _TASK.iter_unpack(engine[_TASKS_AT:])
    return frozenset(function for function, active in tasks if active)


def player_on(on_map: bytes) -> Player | None:
    """Returns the player's object, or None while there is none."""
    index = on_map[_AVATAR_AT + sym.PLAYER_AVATAR_OBJECT_EVENT_ID]
    if index >= sym.OBJECT_EVENT_COUNT:
        return None
    start = index * sym.OBJECT_EVENT_SIZE
    if not (is_active(on_map, start) and is_player(on_map, start)):
        return None
    x, y = _COORDS.unpack_from(on_map, start + sym.OBJECT_EVENT_CURRENT_COORDS)
    facing = facing_of(on_map[start + sym.OBJECT_EVENT_FACING])
    elevation = on_map[start + sym.OBJECT_EVENT_ELEVATION] & 0xF
    return Player(index, x - BORDER, y - BORDER, facing, elevation)


def is_active(objects: bytes, start: int) -> bool:
    """Returns whether the object that begins at ``start`` is on the map."""
    return bool(objects[start] & 0x01)


def is_player(objects: bytes, start: int) -> bool:
    """Returns whether the object that begins at ``start`` is the player."""
    return bool(objects[start + 2] & 0x01)


def facing_of(byte: int) -> Facing | None:
    """Returns the direction in an object's facing byte, None if it holds none."""
    number = byte & 0xF
    return Facing(number) if Facing.DOWN <= number <= Facing.RIGHT else None


def avatar_flags(on_map: bytes) -> int:
    """Returns how the player moves: ``gPlayerAvatar.flags``."""
    return on_map[_AVATAR_AT]


def map_size(engine: bytes) -> tuple[int, int] | Rejection | None:
    """Returns the loaded map's size in tiles without its border; None while no map is loaded."""
    width, height, grid = _LAYOUT.unpack_from(engine, _LAYOUT_AT)
    if not (width or height):
        return None
    if width <= EXTRA_WIDTH or height <= EXTRA_HEIGHT or width * height > sym.BACKUP_MAP_CELLS:
        return Rejection.MAP_LAYOUT
    if grid != sym.S_BACKUP_MAP_DATA:
        return Rejection.MAP_LAYOUT
    return width - EXTRA_WIDTH, height - EXTRA_HEIGHT


@lru_cache(maxsize=1024)
def global_offset(location: tuple[int, int], size: tuple[int, int] | None) -> GlobalOffset | None:
    """Returns where a map lies in the common coordinates.

    None for maps without a place in them, and for maps whose size is not the original game's: those
    are of another game that uses its numbers.
    """
    info = maps().get(location)
    if info is None or size not in (None, (info.width, info.height)):
        return None
    return global_offsets().get(location)


def place(
    saved: tuple[int, int], player: Player | None, size: tuple[int, int] | None, locked: bool
) -> tuple[int, int] | Rejection:
    """Returns where the player is, in tiles from the map's corner.

    The saved position is the camera's. While the controls are locked a scene may have sent it
    elsewhere: then the player's object says where he is. Otherwise the two disagree only while
    another map is being entered and half of it is written; the saved position then stands at or
    beyond the new map's edge.
    """
    x, y = saved
    if player and abs(player.x - x) + abs(player.y - y) > MAX_LEAD:
        if not locked or x <= 0 or y <= 0:
            return Rejection.POSITION
        x, y = player.x, player.y
    if x < 0 or y < 0 or (size and (x >= size[0] or y >= size[1])):
        return Rejection.POSITION
    return x, y
