"""People who wander, and how far: nobody can close a way, as whoever stands in it can be passed."""

from collections.abc import Iterator
from typing import Final

from emerald_env.jade.maps import CARRYING, COLLISION, LEDGES, MAT, STEPS, Map, MapId, read_world
from emerald_env.jade.worlds.rom_tables import PLACE, WALK, RomTables, Thing

LOOKS_AROUND, WANDERS = 1, 2  # Emerald's movement types
MOVEMENT, RANGE = 9, 10  # offsets in a template
FURTHEST: Final = 3  # tiles from where somebody stands at first
AROUND: Final = 3  # tiles within which a way must lead around somebody
RANGES: Final = sorted(
    ((x, y) for x in range(FURTHEST + 1) for y in range(FURTHEST + 1) if x or y),
    key=lambda each: (-(2 * each[0] + 1) * (2 * each[1] + 1), each),
)

Tile = tuple[int, int]
Tiles = frozenset[Tile]


def wander(tables: RomTables) -> None:
    """Lets people who look around wander, as far as they bar no way; the rest stay where they are.

    Args:
        tables: of a world that jade_full.gba runs.
    """
    for at, own in read_world(tables).items():
        if not (idle := list(_idle(tables, at))):
            continue
        taken: list[Tiles] = []
        places = dict(tables.things(at))
        floor, doors = _tiles(own, bound=False), _tiles(own, bound=True)
        for thing in idle:
            start = places[thing]
            free = floor - {tile for other, tile in places.items() if other != thing}
            for reach in RANGES:
                box = _within(start, *reach)
                apart = not any(_grown(box) & other for other in taken)
                if apart and all(own.inside(*tile) for tile in box) and _harmless(box, free, doors):
                    taken.append(box)
                    entry = tables.address(thing)
                    tables.pack("<B", entry + MOVEMENT, WANDERS)
                    tables.pack("<H", entry + RANGE, reach[0] | reach[1] << 4)
                    break


def wanderers(tables: RomTables) -> dict[Thing, int]:
    """Returns who wanders, with their numbers on their maps (localId)."""
    people = (each for at in tables.headers for each in tables.people(at))
    return {each.thing: each.number for each in people if each.movement == WANDERS}


def _idle(tables: RomTables, at: MapId) -> Iterator[Thing]:
    """Yields those who look around, and whom no script puts or leads anywhere."""
    led = {
        who
        for operation, who in (tables.unpack("<2B", command) for command in tables.map_commands(at))
        if operation in (PLACE, WALK)
    }
    for each in tables.people(at):
        if each.movement == LOOKS_AROUND and not each.fights and each.number not in led:
            yield each.thing


def _tiles(own: Map, bound: bool) -> Tiles:
    """Returns the tiles of a map that one can stand on: doors, stairs, mats, ledges or the rest."""
    kinds = CARRYING | {MAT, *LEDGES}
    tiles = ((x, y) for y in range(own.height) for x in range(own.width))
    return frozenset(
        (x, y)
        for x, y in tiles
        if not own.cell(x, y) & COLLISION and (own.behaviour(x, y) in kinds) == bound
    )


def _harmless(box: Tiles, free: Tiles, doors: Tiles) -> bool:
    """Returns whether somebody may be anywhere in a box, and can move in it at all."""
    if len(box & free) < 2 or _beside_all(box) & doors:
        return False
    return all(_can_be_passed(tile, free) for tile in box & free)


def _can_be_passed(tile: Tile, free: Tiles) -> bool:
    """Returns whether short ways join all neighbours of a tile without it."""
    near = (_within(tile, AROUND, AROUND) & free) - {tile}
    beside = [other for other in _beside(tile) if other in near]
    found, todo = set(beside[:1]), beside[:1]
    while todo:
        for after in _beside(todo.pop()):
            if after in near and after not in found:
                found.add(after)
                todo.append(after)
    return found.issuperset(beside)


def _beside(tile: Tile) -> list[Tile]:
    return [(tile[0] + dx, tile[1] + dy) for dx, dy in STEPS.values()]


def _beside_all(box: Tiles) -> Tiles:
    return box | {other for tile in box for other in _beside(tile)}


def _within(tile: Tile, across: int, down: int) -> Tiles:
    x, y = tile
    return frozenset(
        (x + dx, y + dy) for dx in range(-across, across + 1) for dy in range(-down, down + 1)
    )


def _grown(box: Tiles) -> Tiles:
    return frozenset(other for tile in box for other in _within(tile, AROUND, AROUND))
