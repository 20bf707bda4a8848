"""A world as a picture: its maps side by side as they are joined, all others below."""

import struct

import numpy as np
from numpy.typing import NDArray

from emerald_env.jade.maps import MapId, World, corner_of, read_world
from emerald_env.jade.worlds.rom_tables import RomTables

TILE, HALF = 16, 8
FIRST: MapId = (0, 9)
PERSON = (214, 40, 40)
GAP = 1  # tiles between maps that are not joined
Picture = NDArray[np.uint8]


def paint_map(tables: RomTables, at: MapId) -> Picture:
    """Returns a map, (height, width, 3) uint8 RGB; people and things are red dots."""
    width, height, _, cells, tileset = tables.unpack("<5I", tables.word(tables.headers[at]))
    grid = tables.unpack(f"<{width * height}H", cells)
    tiles, palettes, metatiles = tables.unpack("<3I", tileset + 4)
    picture = np.zeros((height * TILE, width * TILE, 3), np.uint8)
    known: dict[int, Picture] = {}
    for i, cell in enumerate(grid):
        number = cell & 0x3FF
        if number not in known:
            known[number] = _metatile(tables, tiles, palettes, metatiles + 8 * number)
        y, x = divmod(i, width)
        picture[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE] = known[number]
    for thing, (x, y) in tables.things(at):
        if thing.kind == "person":
            picture[y * TILE + 4 : y * TILE + 12, x * TILE + 4 : x * TILE + 12] = PERSON
    return picture


def _metatile(tables: RomTables, tiles: int, palettes: int, address: int) -> Picture:
    picture = np.zeros((TILE, TILE, 3), np.uint8)
    for place, entry in enumerate(tables.unpack("<4H", address)):
        packed = np.frombuffer(tables.read(tiles + 32 * (entry & 0x3FF), 32), np.uint8)
        dots = np.stack([packed & 15, packed >> 4], axis=1).reshape(HALF, HALF)
        dots = dots[::-1] if entry & 0x800 else dots
        dots = dots[:, ::-1] if entry & 0x400 else dots
        colours = np.array(
            struct.unpack("<16H", tables.read(palettes + 32 * (entry >> 12), 32)), np.int64
        )
        rgb = np.stack([colours & 31, colours >> 5 & 31, colours >> 10 & 31], axis=1) * 255 // 31
        y, x = place // 2 * HALF, place % 2 * HALF
        picture[y : y + HALF, x : x + HALF] = rgb[dots]
    return picture


def paint_world(tables: RomTables) -> Picture:
    """Returns all maps in one picture, (height, width, 3) uint8 RGB."""
    corners = _corners(tables)
    left, top = (min(corner[i] for corner in corners.values()) for i in (0, 1))
    right = max(x + tables.size(at)[0] for at, (x, _) in corners.items()) - left
    bottom = max(y + tables.size(at)[1] for at, (_, y) in corners.items()) - top
    picture = np.zeros((bottom * TILE, right * TILE, 3), np.uint8)
    for at, (x, y) in corners.items():
        own = paint_map(tables, at)
        rows, columns = (y - top) * TILE, (x - left) * TILE
        picture[rows : rows + own.shape[0], columns : columns + own.shape[1]] = own
    return picture


def _corners(tables: RomTables) -> dict[MapId, tuple[int, int]]:
    """Returns each map's upper left corner in tiles."""
    world = read_world(tables)
    corners = _joined(world, FIRST)
    left = min(x for x, _ in corners.values())
    right = max(x + world[at].width for at, (x, _) in corners.items())
    y = max(y + world[at].height for at, (_, y) in corners.items()) + GAP
    x, tallest = left, 0
    for part in _other_parts(world, set(corners)):
        width, height = _size(world, part)
        if x + width > right:
            x, y, tallest = left, y + tallest + GAP, 0
        least_x, least_y = (min(corner[i] for corner in part.values()) for i in (0, 1))
        corners |= {at: (x + i - least_x, y + j - least_y) for at, (i, j) in part.items()}
        x, tallest = x + width + GAP, max(tallest, height)
    return corners


def _joined(world: World, first: MapId) -> dict[MapId, tuple[int, int]]:
    """Returns the upper left corners of a map and of those that are joined to it."""
    corners, todo = {first: (0, 0)}, [first]
    while todo:
        at = todo.pop()
        for side, offset, other in world[at].connections:
            dx, dy = corner_of(world, at, side, offset, other)
            if other not in corners:
                corners[other] = (corners[at][0] + dx, corners[at][1] + dy)
                todo.append(other)
    return corners


def _other_parts(world: World, known: set[MapId]) -> list[dict[MapId, tuple[int, int]]]:
    """Returns the maps that are not joined to those known, in parts, the tallest first."""
    parts = []
    for at in sorted(world):
        if at not in known:
            parts.append(_joined(world, at))
            known |= parts[-1].keys()
    return sorted(parts, key=lambda part: -_size(world, part)[1])


def _size(world: World, part: dict[MapId, tuple[int, int]]) -> tuple[int, int]:
    right = max(x + world[at].width for at, (x, _) in part.items())
    bottom = max(y + world[at].height for at, (_, y) in part.items())
    return right - min(x for x, _ in part.values()), bottom - min(y for _, y in part.values())
