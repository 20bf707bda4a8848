"""The maps of Jade, read from its ROM, and the shortest ways through them."""

import struct
from collections import deque
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

# Jade's own: the address of the list of maps (jade/src/world/world.c)
MAP_DIRECTORY = 0x080000F0
COLLISION = 0x0C00
METATILE = 0x03FF
SMALL_TREE, ROCK, BOULDER = 10, 18, 30  # graphicsId (jade/src/art/assets.h)
STAIRS, MAT, DOOR = 0x61, 0x65, 0x69
INHABITED: Final = {0x02, 0x08}  # MB_TALL_GRASS, MB_CAVE
GEYSER, CABIN, TRAPDOOR = 0x29, 0x60, 0x68  # only on the mountain of jade_full.gba
CARRYING: Final = frozenset({STAIRS, DOOR, GEYSER, CABIN, TRAPDOOR})  # whoever steps on them
# Ledges: each is jumped in one direction; all but the first only in jade_full.gba
LEDGES: Final = {0x3B: "down", 0x3A: "up", 0x39: "left", 0x38: "right"}
STEPS: Final = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
DIRECTIONS: Final = dict(enumerate(STEPS, 1))  # by Emerald's numbers
# Sides of a connection: south, north, west, east
SOUTH, NORTH, WEST = 1, 2, 3

MapId = tuple[int, int]
Place = tuple[int, int, int, int]  # map group, map number, x, y
World = dict[MapId, "Map"]


class Readable(Protocol):
    """What can be read: a running game, or a ROM."""

    def read(self, address: int, size: int) -> bytes:
        """Returns bytes."""


class Stuck(RuntimeError):
    """There is no path, or the game did not react as it should."""


@dataclass(frozen=True, eq=False)
class Map:
    """One map of the ROM; equal ones are usually one object, as most stay while worlds are made."""

    width: int
    height: int
    grid: tuple[int, ...]
    behaviours: tuple[int, ...]  # of each cell
    warps: tuple[tuple[int, int, int, MapId], ...]  # x, y, warp of the other map, its number
    connections: tuple[tuple[int, int, MapId], ...]  # side, offset, map
    trees: frozenset[tuple[int, int]]  # that grow back when the player leaves

    def inside(self, x: int, y: int) -> bool:
        """Whether a tile is on the map."""
        return 0 <= x < self.width and 0 <= y < self.height

    def cell(self, x: int, y: int) -> int:
        """Returns a grid cell: metatile, collision, elevation."""
        return self.grid[y * self.width + x]

    def behaviour(self, x: int, y: int) -> int:
        """Returns Emerald's number for what a tile does."""
        return self.behaviours[y * self.width + x]


def read_world(memory: Readable) -> World:
    """Returns all maps of the ROM."""
    (entry,) = struct.unpack("<I", memory.read(MAP_DIRECTORY, 4))
    world: World = {}
    while True:
        group, number, header = struct.unpack("<bb2xI", memory.read(entry, 8))
        if not header:
            return world
        world[group, number] = _read_map(memory, header)
        entry += 8


def _read_map(memory: Readable, header: int) -> Map:
    layout, events, _, connections = struct.unpack("<4I", memory.read(header, 16))
    width, height, _, cells, tileset = struct.unpack("<ii3I", memory.read(layout, 20))
    (attributes,) = struct.unpack("<I", memory.read(tileset + 16, 4))
    object_count, warp_count, things, warps = struct.unpack("<2B2x2I", memory.read(events, 12))
    templates = [
        struct.unpack("<xB2x2h", memory.read(things + 24 * i, 8)) for i in range(object_count)
    ]
    sides = []
    if connections:
        count, first = struct.unpack("<iI", memory.read(connections, 8))
        for i in range(count):
            side, offset, group, number = struct.unpack("<B3xi2B", memory.read(first + 12 * i, 10))
            sides.append((side, offset, (group, number)))
    return _map(
        (width, height),
        memory.read(cells, 2 * width * height),
        memory.read(attributes, 2048),
        tuple(_read_warp(memory.read(warps + 8 * i, 8)) for i in range(warp_count)),
        tuple(sides),
        frozenset((x, y) for look, x, y in templates if look == SMALL_TREE),
    )


@lru_cache(256)
def _map(
    size: tuple[int, int],
    cells: bytes,
    attributes: bytes,
    warps: tuple[tuple[int, int, int, MapId], ...],
    sides: tuple[tuple[int, int, MapId], ...],
    trees: frozenset[tuple[int, int]],
) -> Map:
    grid = struct.unpack(f"<{len(cells) // 2}H", cells)
    kinds = struct.unpack("<1024H", attributes)
    behaviours = tuple(kinds[cell & METATILE] & 0xFF for cell in grid)
    return Map(*size, grid, behaviours, warps, sides, trees)


def _read_warp(data: bytes) -> tuple[int, int, int, MapId]:
    x, y, warp, number, group = struct.unpack("<hhx3B", data)
    return x, y, warp, (group, number)


def corner_of(world: World, at: MapId, side: int, offset: int, other: MapId) -> tuple[int, int]:
    """Returns a neighbour's upper left corner in a map's coordinates, by their connection."""
    return {
        SOUTH: (offset, world[at].height),
        NORTH: (offset, -world[other].height),
        WEST: (-world[other].width, offset),
    }.get(side, (world[at].width, offset))


def _neighbour(world: World, place: Place) -> Place | None:
    """Returns a tile outside of the map in the neighbouring map's coordinates."""
    group, number, x, y = place
    own = world[group, number]
    if own.inside(x, y):
        return place
    for side, offset, other in own.connections:
        left, top = corner_of(world, (group, number), side, offset, other)
        if world[other].inside(x - left, y - top):
            return (*other, x - left, y - top)
    return None


def _through(world: World, group: int, number: int, x: int, y: int) -> Place | None:
    """Returns where the warp on a tile leads, if there is one."""
    for warp_x, warp_y, other_warp, other in world[group, number].warps:
        if (warp_x, warp_y) == (x, y):
            far_x, far_y = world[other].warps[other_warp][:2]
            below = world[other].behaviour(far_x, far_y) == DOOR
            return (*other, far_x, far_y + below)
    return None


def step(world: World, place: Place, direction: str, blocked: set[Place]) -> Place | None:
    """Returns where a step ends, None if it is impossible."""
    group, number, x, y = place
    dx, dy = STEPS[direction]
    if direction == "down" and world[group, number].behaviour(x, y) == MAT:
        return _through(world, group, number, x, y)
    after = _neighbour(world, (group, number, x + dx, y + dy))
    if after is None or after in blocked:
        return None
    kind = world[after[:2]].behaviour(*after[2:])
    if kind in LEDGES:
        return _landing(world, after, blocked) if LEDGES[kind] == direction else None
    if world[after[:2]].cell(*after[2:]) & COLLISION:
        return None
    if kind == DOOR and direction != "up":
        return None
    return (_through(world, *after) or after) if kind in CARRYING else after


def _landing(world: World, ledge: Place, blocked: set[Place]) -> Place | None:
    """Returns where a jump over a ledge ends, None if something is there."""
    own, (x, y) = world[ledge[:2]], ledge[2:]
    dx, dy = STEPS[LEDGES[own.behaviour(x, y)]]
    landing = (*ledge[:2], x + dx, y + dy)
    if not own.inside(*landing[2:]) or own.cell(*landing[2:]) & COLLISION:
        return None
    return None if landing in blocked else landing


def plan(
    world: World, start: Place, goals: Container[Place], blocked: set[Place]
) -> list[tuple[str, Place]]:
    """Returns the shortest path as (direction, where it leads).

    Raises:
        Stuck: there is none.
    """
    came: dict[Place, tuple[Place, str] | None] = {start: None}
    queue = deque([start])
    while queue:
        place = queue.popleft()
        if place in goals:
            return list(_trace(came, place))[::-1]
        for direction in STEPS:
            after = step(world, place, direction, blocked)
            if after is not None and after not in came:
                came[after] = (place, direction)
                queue.append(after)
    raise Stuck(f"no way from {start} to {goals}")


def _trace(
    came: dict[Place, tuple[Place, str] | None], place: Place
) -> Iterator[tuple[str, Place]]:
    while (step := came[place]) is not None:
        yield step[1], place
        place = step[0]
