"""What worlds called :emerald have between Oldale and Rustboro: whoever must be met on the way."""

import random
from itertools import groupby
from typing import Final

from emerald_env.jade.maps import COLLISION, DOOR, Place, read_world
from emerald_env.jade.worlds.demanding.demands import TREE
from emerald_env.jade.worlds.demanding.narrows import Narrow, Section, way
from emerald_env.jade.worlds.guidance.errands import WEST
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.places import OLDALE, PETALBURG, ROUTE_102, ROUTE_104, RUSTBORO, WOODS
from emerald_env.jade.worlds.rom_tables import FACING, SIGHT, RomTables, Thing, obstacles_on
from emerald_env.jade.worlds.rooms import reshape_rooms

OLDALES_CENTRE: Final = Thing(OLDALE, "warp", 1)
GUARD, HALLS_DOOR = Thing(PETALBURG, "person", 1), Thing(PETALBURG, "warp", 2)
GATE_COLUMN: Final = 1  # of Petalburg's way out to the west
# Trainers on each part of the way, in their order, and the scene in the wood
POSTS: Final = {
    (ROUTE_102, 0): ("person 3", "person 4", "person 5", "person 6"),
    (ROUTE_104, 0): ("person 7", "person 8", "person 9"),
    (WOODS, 0): ("person 2", "scene", "person 3"),
    (ROUTE_104, 1): ("person 10", "person 11"),
}
ACTORS: Final = (Thing(WOODS, "person", 4), Thing(WOODS, "person", 5))


def settle_west(tables: RomTables, chance: random.Random) -> None:
    """Puts everybody who must be met where the way is narrow, and opens Petalburg's hall.

    Args:
        tables: of a demanding world that jade_full.gba runs.
        chance: decides how the hall is seen.

    Raises:
        ValueError: somebody finds no place.
    """
    reshape_rooms(tables, sorted(WEST), chance)
    _open_hall(tables)
    _close_gate(tables)
    ways = Ways(read_world(tables), (OLDALE, *(at for at, _ in POSTS), PETALBURG, RUSTBORO))
    x, y = tables.place(OLDALES_CENTRE)
    blocked = {(*ROUTE_104, *tables.place(TREE))}  # which nobody can cut yet
    parts: dict[tuple[int, int], int] = {}
    sections = []
    steps = way(ways, (*OLDALE, x, y + 1), ways.tiles(RUSTBORO), blocked)
    for at, tiles in groupby(steps, key=lambda place: place[:2]):
        number = parts[at] = parts.get(at, -1) + 1
        if posts := POSTS.get((at, number)):
            sections.append(Section(tables, ways, list(tiles)))
            _post(tables, sections[-1], posts)
    for section in sections:  # what no proof would accept is seen early
        if section.is_barred({(*section.map, *tile) for tile in obstacles_on(tables, section.map)}):
            raise ValueError(f"somebody bars the way on map {section.map}")


def _post(tables: RomTables, section: Section, posts: tuple[str, ...]) -> None:
    scene: Place | None = None
    for number, name in enumerate(posts, 1):
        found = section.narrow(number / (len(posts) + 1))
        if name == "scene":
            scene = _set_scene(tables, section, found)
            continue
        who = Thing.of(section.map, name)
        if found:
            tables.move(who, *found.beside[2:])
            tables.pack("<H", tables.address(who) + FACING, found.facing)
            tables.pack("<H", tables.address(who) + SIGHT, 1)
        else:
            middle = section.way[number * len(section.way) // (len(posts) + 1)]
            tables.move(who, *section.spot(middle)[2:])
    if scene is not None:
        for who in ACTORS:  # at last: they go away, and close nothing
            tables.move(who, *section.spot(scene)[2:])


def _set_scene(tables: RomTables, section: Section, found: Narrow | None) -> Place:
    """The scene in the wood begins where nobody can walk around it."""
    if found is None:
        raise ValueError("the wood is nowhere narrow")
    for number, place in enumerate((found.passed, found.beside)):
        tables.move(Thing(section.map, "trigger", number), *place[2:])
    return found.passed


def _open_hall(tables: RomTables) -> None:
    """The door of Petalburg's hall is where the guard stood, who steps aside."""
    x, y = tables.place(GUARD)
    if read_world(tables)[PETALBURG].behaviour(x, y - 1) == DOOR:
        tables.move(HALLS_DOOR, x, y - 1)
        tables.move(GUARD, x ^ 1, y)


def _close_gate(tables: RomTables) -> None:
    """The scene at Petalburg's way out to the west is where that way is."""
    width, height = tables.size(PETALBURG)
    grid = tables.grid(PETALBURG)
    rows = [y for y in range(height) if not grid[y * width + GATE_COLUMN] & COLLISION]
    for number, row in zip((0, 1), rows, strict=True):
        tables.move(Thing(PETALBURG, "trigger", number), GATE_COLUMN, row)
