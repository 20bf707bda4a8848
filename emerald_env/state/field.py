"""The overworld's part of a state: the player's object, the loaded map, scripts, fades and boxes."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from emerald_env import symbols as sym
from emerald_env.state.game_state import Facing, Mode
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import ENGINE, FIELD, SCRIPT
from emerald_env.tables import global_offsets, maps

BORDER = 7
"""Tiles that the loaded grid, and so every object's coordinates, add to the left and top of a map."""

EXTRA_WIDTH, EXTRA_HEIGHT = 15, 14

_COORDS = struct.Struct("<hh")
_LAYOUT = struct.Struct("<iiI")
_WORD = struct.Struct("<H")
_TASK = struct.Struct(f"<IB{sym.TASK_SIZE - 5}x")
_ACTIVE, _IS_PLAYER = 0x01, 0x01
_AVATAR = sym.G_PLAYER_AVATAR - FIELD
_FADE = sym.G_PALETTE_FADE + sym.PALETTE_FADE_ACTIVE - FIELD
_LAYOUT_AT = sym.G_BACKUP_MAP_LAYOUT - ENGINE
_TASKS_AT = sym.G_TASKS - ENGINE
_STATUS_AT = sym.S_GLOBAL_SCRIPT_CONTEXT_STATUS - SCRIPT
_LOCK_AT = sym.S_LOCK_FIELD_CONTROLS - SCRIPT

_WARPS = frozenset(
    {
        sym.TASK_WARP_AND_LOAD_MAP,
        sym.TASK_EXIT_DOOR,
        sym.TASK_EXIT_NON_ANIM_DOOR,
        sym.TASK_EXIT_NON_DOOR,
        sym.TASK_BATTLE_START,
    }
)
"""Tasks that take the player from one map to another, or into a battle."""

MAX_LEAD = 2
"""Tiles by which the player's object may be ahead of the saved position: a step, or a jump off a ledge."""


class PlayerObject(NamedTuple):
    """The player's object on the map."""

    x: int  # tiles from the map's left edge
    y: int  # tiles from the map's top edge
    facing: Facing | None


def player_object(field: bytes) -> PlayerObject | None:
    """Returns the player's object, or None while there is none."""
    index = field[_AVATAR + sym.PLAYER_AVATAR_OBJECT_EVENT_ID]
    if index >= sym.OBJECT_EVENT_COUNT:
        return None
    start = index * sym.OBJECT_EVENT_SIZE
    if not (field[start] & _ACTIVE and field[start + 2] & _IS_PLAYER):
        return None
    x, y = _COORDS.unpack_from(field, start + sym.OBJECT_EVENT_CURRENT_COORDS)
    return PlayerObject(x - BORDER, y - BORDER, facing_of(field[start + sym.OBJECT_EVENT_FACING]))


def facing_of(byte: int) -> Facing | None:
    """Returns the direction in an object's facing byte, None if it holds none."""
    number = byte & 0xF
    return Facing(number) if Facing.DOWN <= number <= Facing.RIGHT else None


def avatar_flags(field: bytes) -> int:
    """Returns how the player moves: gPlayerAvatar.flags."""
    return field[_AVATAR]


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
def component_at(
    location: tuple[int, int], size: tuple[int, int] | None
) -> tuple[str, int, int] | None:
    """Returns the component and origin of a map's common coordinates.

    None for maps without a place in them, and for maps whose size is not the original game's (another
    game that uses its numbers).
    """
    offset = global_offsets().get(location)
    info = maps().get(location)
    if offset is None or info is None or size not in (None, (info.width, info.height)):
        return None
    return offset


def place(
    saved: tuple[int, int],
    player: PlayerObject | None,
    size: tuple[int, int] | None,
    locked: bool,
) -> tuple[int, int] | Rejection:
    """Returns where the player is, in tiles from the map's corner.

    The saved position follows the camera. Scenes may send that elsewhere (the controls are locked
    then): the player's object says where he is. If the two disagree while he walks freely, a new map
    is being entered and only half of it is written.
    """
    x, y = saved
    if player and abs(player.x - x) + abs(player.y - y) > MAX_LEAD:
        if not locked:
            return Rejection.POSITION
        x, y = player.x, player.y
    if size and not (0 <= x < size[0] and 0 <= y < size[1]):
        return Rejection.POSITION
    return x, y


def controls_locked(script: bytes) -> bool:
    """Returns whether a script or menu keeps the player from walking."""
    return script[_LOCK_AT] != 0


def script_runs(script: bytes) -> bool:
    """Returns whether the game's script context is at work."""
    return script[_STATUS_AT] != sym.SCRIPT_CONTEXT_SHUTDOWN


def is_fading(field: bytes) -> bool:
    """Returns whether the whole picture is being faded."""
    return bool(field[_FADE] & sym.PALETTE_FADE_ACTIVE_MASK)


def active_tasks(engine: bytes) -> frozenset[int]:
    """Returns the function pointers of the tasks that run."""
    tasks = _TASK.iter_unpack(engine[_TASKS_AT:])
    return frozenset(function for function, active in tasks if active)


def shows_dialogue_frame(cell: bytes) -> bool:
    """Returns whether the message box is drawn, from the two bytes at ``DIALOGUE_FRAME_CELL``."""
    return bool(_WORD.unpack(cell)[0] == sym.DIALOGUE_FRAME_TILE)


def field_mode(engine: bytes, locked: bool, fading: bool, dialog: bool) -> Mode:
    """Returns the mode while the overworld's main callback runs."""
    tasks = active_tasks(engine) if locked else frozenset()
    if fading or tasks & _WARPS:
        return Mode.TRANSITION
    if dialog:
        return Mode.DIALOG
    return Mode.MENU if sym.TASK_SHOW_START_MENU in tasks else Mode.OVERWORLD
