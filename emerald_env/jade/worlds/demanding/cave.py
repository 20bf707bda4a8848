"""Dewford's cave in worlds called :emerald: the way through it leads down and up again."""

import random
from typing import Final

from emerald_env.jade.worlds.demanding.demands import CHAMBER
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors.outdoors import Outdoors
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.rom_tables import RomTables, Thing

FLOOR, UPPER, LOWER = (24, 7), (24, 8), (24, 9)
LAYOUTS: Final = {FLOOR: 132, UPPER: 133, LOWER: 134, CHAMBER: 288}
ATTEMPTS = 50
SIDES: Final = (2, 24)  # columns at which the first floor's two halves begin
PARTS = 3  # of each lower floor
LEFT, TOP, RIGHT, BOTTOM = 2, 2, 30, 24  # of the lower floors' ground
NARROWEST = 8  # part, in tiles
KIND: Final = "cW"

Tile = tuple[int, int]
Area = tuple[int, int, int, int]  # column, row, width, height


def dig_cave(tables: RomTables, chance: random.Random, large: bool) -> None:
    """Gives the cave's floors other ways.

    A lower floor's three parts are joined only by ladders to the floor above or below, so that
    there is one way between any two of them.

    Args:
        tables: of a world that jade_full.gba runs.
        chance: decides.
        large: whether the ways are long.

    Raises:
        ValueError: there is no room for something.
    """
    world = Outdoors(tables, chance, large)
    upper, lower, shafts = _shafts(world)
    begin, end = chance.sample(range(PARTS), 2)
    ladders = [_free(world, upper[part], shafts) for part in (begin, end)]
    _first_floor(world)
    _lower_floor(world, UPPER, upper, [*ladders, *shafts], up=len(ladders))
    _lower_floor(world, LOWER, lower, shafts, up=len(shafts))
    _chamber(world)


# ---- the lower floors ----


def _shafts(world: Outdoors) -> tuple[list[Area], list[Area], list[Tile]]:
    """Returns the parts of both lower floors, and the tiles of the ladders that join them all."""
    for _ in range(ATTEMPTS):
        upper, lower = _parts(world), _parts(world)
        if len(shafts := _joining(world, upper, lower)) == 2 * PARTS - 1:
            return upper, lower, shafts
    raise ValueError("the cave's floors cannot be joined")


def _parts(world: Outdoors) -> list[Area]:
    """Returns the parts of a floor: one half, and the two quarters of the other."""
    column = world.even(LEFT + NARROWEST, RIGHT - NARROWEST - 2)
    row = world.even(TOP + NARROWEST, BOTTOM - NARROWEST - 2)
    halves = [(LEFT, column - LEFT), (column + 2, RIGHT - column - 2)]
    world.chance.shuffle(halves)
    (whole, wide), (cut, narrow) = halves
    return [
        (whole, TOP, wide, BOTTOM - TOP),
        (cut, TOP, narrow, row - TOP),
        (cut, row + 2, narrow, BOTTOM - row - 2),
    ]


def _joining(world: Outdoors, upper: list[Area], lower: list[Area]) -> list[Tile]:
    """Returns tiles for ladders, each in a part of both floors: one way joins any two parts."""
    pairs = [(one, other) for one in range(PARTS) for other in range(PARTS, 2 * PARTS)]
    world.chance.shuffle(pairs)
    joined = {part: {part} for part in range(2 * PARTS)}
    found = []
    for one, other in pairs:
        tiles = sorted(_tiles(upper[one]) & _tiles(lower[other - PARTS]))
        if tiles and other not in joined[one]:
            found.append(world.chance.choice(tiles))
            both = joined[one] | joined[other]
            joined |= dict.fromkeys(both, both)
    return found


def _tiles(area: Area) -> set[Tile]:
    """Returns the upper left tiles of an area's blocks."""
    x, y, width, height = area
    return {(i, j) for i in range(x, x + width, 2) for j in range(y, y + height, 2)}


def _free(world: Outdoors, area: Area, taken: list[Tile]) -> Tile:
    return world.chance.choice(sorted(_tiles(area) - {*taken}))


def _lower_floor(
    world: Outdoors, at: tuple[int, int], parts: list[Area], ladders: list[Tile], up: int
) -> None:
    """Digs a floor whose first ladders lead up, and puts what lies about into its parts."""
    drawing = Drawing.filled(LAYOUTS[at], "W")
    woods = [
        world.wood(drawing, part, [tile for tile in ladders if tile in _tiles(part)], (2, 2), KIND)
        for part in parts
    ]
    world.mouths(at, drawing, ladders[:up], letter="U")
    world.mouths(at, drawing, ladders[up:], first=up, letter="D")
    _scatter(world, at, woods)
    world.store(at, drawing)


def _scatter(world: Outdoors, at: tuple[int, int], woods: list[Thicket]) -> None:
    people = list(world.tables.people(at))
    for each, wood in zip(people, world.chance.sample(woods, len(people)), strict=True):
        world.tables.move(each.thing, *wood.spot())


# ---- the first floor, and whom the letter is for ----


def _first_floor(world: Outdoors) -> None:
    """Two halves: one has the way in, the other, behind a rock, the way to the last chamber."""
    drawing = Drawing.filled(LAYOUTS[FLOOR], "W")
    near, far = world.chance.sample(SIDES, 2)
    entrance, door = (near + world.even(0, 14), 10), (far + world.even(0, 14), 4)
    halves = (near, 2, 16, 10), (far, 4, 16, 8)
    down, up = (
        _free(world, half, [tile]) for half, tile in zip(halves, (entrance, door), strict=True)
    )
    ground = world.wood(drawing, halves[0], [entrance, down], (3, 3), KIND)
    world.wood(drawing, halves[1], [door, up], (2, 2), KIND)
    drawing.fill("c", entrance[0], 12)
    drawing.fill("c", door[0], 2, 1, 2)
    world.mouths(FLOOR, drawing, [(entrance[0], 13)])
    world.mouths(FLOOR, drawing, [down, up], first=1, letter="D")
    world.mouths(FLOOR, drawing, [(door[0], 1)], first=3)
    for number in (0, 1):
        world.tables.move(Thing(FLOOR, "person", number), *ground.spot())
    world.tables.move(Thing(FLOOR, "person", 2), door[0], 3)
    world.store(FLOOR, drawing)


def _chamber(world: Outdoors) -> None:
    """The last chamber: wide enough for somebody who wanders about."""
    drawing = Drawing.filled(LAYOUTS[CHAMBER], "W")
    mouth, x, y = world.even(2, 10), world.even(4, 8), world.even(4, 6)
    world.wood(drawing, (2, 2, 10, 8), [(mouth, 8), (x, y)], (1, 1), KIND)
    drawing.fill("c", x - 2, y - 2, 6, 6)
    drawing.fill("c", mouth, 10, 1, 2)
    world.mouths(CHAMBER, drawing, [(mouth, 12)])
    world.tables.move(Thing(CHAMBER, "person", 0), x, y)
    world.store(CHAMBER, drawing)
