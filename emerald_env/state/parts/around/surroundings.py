"""The four tiles around the player: read only on request."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.addresses import Addresses
from emerald_env.game.editions import Edition, edition
from emerald_env.state.game_state import Facing
from emerald_env.state.parts.field import BORDER, PlayerObject, is_active, map_size, player_on
from emerald_env.state.rejection import Rejection

STEPS = {Facing.DOWN: (0, 1), Facing.UP: (0, -1), Facing.LEFT: (-1, 0), Facing.RIGHT: (1, 0)}

_CELL = struct.Struct("<H")
_LAYOUT = struct.Struct("<iiI")
_COORDS = struct.Struct("<hhhh")  # an object's current and previous place
_ANY_ELEVATION = (0, 15)
_UNDEFINED = 0x3FF
_OBJECTS_SIZE = sym.OBJECT_EVENT_COUNT * sym.OBJECT_EVENT_SIZE


class Tile(NamedTuple):
    """One cell of the loaded map, seen from the player."""

    metatile: int  # 0..1022
    collision: int  # 0 can be walked on, 1..3 cannot
    elevation: int  # 0 and 15 connect to all others
    occupied: bool  # a person or thing stands there
    reachable: bool  # the elevation is one that the player can step to

    @property
    def free(self) -> bool:
        """Whether the player can simply walk there.

        Pressing towards a tile that is not free may still do something: doors open, ledges are
        jumped, people are talked to, boulders pushed. Never forbid an action for it.
        """
        return not self.collision and not self.occupied and self.reachable


class Grid(NamedTuple):
    """The loaded map's cells."""

    at: Addresses
    width: int  # cells


def surroundings(read: sym.Read, game: Edition | None = None) -> dict[Facing, Tile | None]:
    """Returns the tiles below, above, left and right of the player.

    None for unknown tiles: beyond the loaded grid, or all if no map is loaded.
    Trust it only in the overworld, where ``StateReader`` does.
    """
    return dict(zip(STEPS, _tiles(read, game, list(STEPS.values())), strict=True))


def in_front(
    read: sym.Read, facing: Facing, game: Edition | None = None
) -> tuple[Tile | None, Tile | None]:
    """Returns the tile that the player stands on and the next one; None if unknown."""
    ground, ahead = _tiles(read, game, [(0, 0), STEPS[facing]])
    return ground, ahead


def _tiles(read: sym.Read, game: Edition | None, steps: list[tuple[int, int]]) -> list[Tile | None]:
    at = (game or edition("BPEE")).addresses
    layout, objects = read(at.g_backup_map_layout, 12), read(at.g_object_events, _OBJECTS_SIZE)
    player = player_on(objects, read(at.g_player_avatar, sym.PLAYER_AVATAR_SIZE))
    width, height, cells = _LAYOUT.unpack(layout)
    size = map_size(at, width, height, cells)
    if player is None or size is None or isinstance(size, Rejection):
        return [None] * len(steps)
    grid = Grid(at, width)
    return [
        _tile(read, objects, player, grid, (player.x + dx + BORDER, player.y + dy + BORDER))
        for dx, dy in steps
    ]


def _tile(
    read: sym.Read, objects: bytes, player: PlayerObject, grid: Grid, place: tuple[int, int]
) -> Tile | None:
    index = place[0] + grid.width * place[1]
    if not (0 <= place[0] < grid.width and 0 <= index < sym.BACKUP_MAP_CELLS):
        return None
    (cell,) = _CELL.unpack(read(grid.at.s_backup_map_data + 2 * index, _CELL.size))
    if cell & _UNDEFINED == _UNDEFINED:
        return None
    elevation = cell >> 12
    return Tile(
        metatile=cell & _UNDEFINED,
        collision=cell >> 10 & 3,
        elevation=elevation,
        occupied=place in _others(objects, player),
        reachable=player.elevation in (0, elevation) or elevation in _ANY_ELEVATION,
    )


def _others(on_map: bytes, player: PlayerObject) -> Iterator[tuple[int, int]]:
    """Yields the tiles of objects other than the player, and those that walking ones leave."""
    for index in range(sym.OBJECT_EVENT_COUNT):
        start = index * sym.OBJECT_EVENT_SIZE
        if index == player.slot or not is_active(on_map, start):
            continue
        x, y, from_x, from_y = _COORDS.unpack_from(on_map, start + sym.OBJECT_EVENT_CURRENT_COORDS)
        elevation = on_map[start + sym.OBJECT_EVENT_ELEVATION] & 0xF
        if 0 in (player.elevation, elevation) or player.elevation == elevation:
            yield x, y
            yield from_x, from_y
