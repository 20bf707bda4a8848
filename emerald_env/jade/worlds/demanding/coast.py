"""The coast of worlds called :emerald, and the mountain beyond: maps grow as the mainland's do."""

import random
from typing import Final

from emerald_env.jade.maps import Stuck
from emerald_env.jade.worlds import creatures
from emerald_env.jade.worlds.demanding.coast_proof import find_coast_trap
from emerald_env.jade.worlds.demanding.mountain import HALL_FLOORS, raise_mountain
from emerald_env.jade.worlds.guidance.errands import COAST, MOUNTAIN
from emerald_env.jade.worlds.guidance.world_story import Story
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors.outdoors import Outdoors
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.places import BEACH, MAUVILLE, ROUTE_110, SLATEPORT
from emerald_env.jade.worlds.rom_tables import RomTables, Thing
from emerald_env.jade.worlds.rooms import reshape_rooms

HALL: Final = (10, 0)
ATTEMPTS = 60
OPENING = 16  # column of all ways in and out in world 0
SHORE = 32  # column at which the sea begins, with a strip of sand
PLATE_ROWS: Final = ((16, (0,)), (11, (1, 2)), (7, (3, 4)))  # of the hall, with its triggers
BEAM_ROWS: Final = ((13, (4, 5)), (9, (8, 9)), (5, (6, 7)))  # with the people who are its beams
KINDS: Final = (*creatures.KINDS, 337)


def with_coast(rom: bytes, name: str, large: bool) -> bytes:
    """Returns a world whose coast is another than world 0's.

    Args:
        rom: of a world that jade_full.gba runs.
        name: what chance begins with.
        large: whether the ways are long.

    Raises:
        Stuck: no attempt gave a coast whose story can be played.
    """
    for attempt in range(ATTEMPTS):
        tables = RomTables(rom)
        try:
            _attempt(tables, random.Random(f"coast {name} {attempt}"), large)
        except ValueError:  # something found no room
            continue
        if find_coast_trap(Story(bytes(tables.data), sorted(COAST | {BEACH}))) is None:
            return bytes(tables.data)
    raise Stuck(f"the coast of {name}: nothing playable in {ATTEMPTS} attempts")


def _attempt(tables: RomTables, chance: random.Random, large: bool) -> None:
    _hall(tables, chance)
    reshape_rooms(tables, sorted(COAST - {HALL, *HALL_FLOORS}), chance)
    world = Outdoors(tables, chance, large)
    beach, south, north = world.even(8, 26), world.even(4, 28), world.even(4, 28)
    _beach(world, beach)
    _slateport(world, beach, south)
    _route_110(world, south, north)
    mountain = world.even(4, 34)
    _mauville(world, north, mountain)
    creatures.settle(tables, chance, COAST - MOUNTAIN | {BEACH}, KINDS)
    raise_mountain(world, mountain)


def _beach(world: Outdoors, north: int) -> None:
    """The sand is as ever; who lies on it, and the way to the city, are elsewhere."""
    drawing = Drawing.of(25)
    drawing.fill_blocks(",", (OPENING, 2))
    drawing.fill_blocks("T", (OPENING, 0))
    drawing.fill_blocks(".", (north, 0), (north, 2))
    columns = world.chance.sample(range(8, 31), 3)
    for number, column in enumerate(columns, 2):
        world.tables.move(Thing(BEACH, "person", number), column, world.chance.randrange(5, 12))
    world.store(BEACH, drawing)


def _slateport(world: Outdoors, south: int, north: int) -> None:
    ground = world.grown(SLATEPORT, (2, 2, 30, 56), [(south, 56), (north, 2)], (6, 10), kind="dT")
    ground.drawing.fill_blocks("T", (OPENING, 0), (OPENING, 58))
    ground.drawing.fill_blocks("d", (north, 0), (south, 58))
    yard, museum = world.doors[2:]
    world.tables.move(Thing(SLATEPORT, "person", 0), museum[0], museum[1] + 1)
    world.finish(SLATEPORT, ground, ("person 0",), "*+", 0.15)
    world.point(Thing(SLATEPORT, "sign", 1), "of the sea.", "of the sea is in the {}.", museum)
    world.point(Thing(SLATEPORT, "sign", 2), "shipyard.", "shipyard is in the {}.", yard)


def _route_110(world: Outdoors, south: int, north: int) -> None:
    """Two woods, joined where Kim waits; a gang bars the way in."""
    drawing = Drawing.of(26)
    drawing.fill("T", 0, 0, SHORE, drawing.height)
    narrow = world.even(4, 26)
    lower = Thicket.of(drawing, world.chance, (2, 54, 30, 42), ",T")
    upper = Thicket.of(drawing, world.chance, (2, 4, 30, 44), ",T")
    for wood, *ends in ((lower, (south, 94), (narrow, 54)), (upper, (narrow, 46), (north, 4))):
        for x, y in ends:
            wood.need(x, y)
        wood.grow(6, 6, world.large)
        wood.drop_ledges(2)
    for x, y, width, height in (
        (north, 0, 2, 4),
        (narrow, 48, 2, 6),
        (narrow + 2, 50, 2, 2),
        (south, 96, 2, 4),
    ):
        drawing.fill(",", x, y, width, height)
    tables = world.tables
    for number in (0, 1):
        tables.move(Thing(ROUTE_110, "person", number), south + number, 97)
        tables.move(Thing(ROUTE_110, "trigger", number), narrow + number, 51)
    tables.move(Thing(ROUTE_110, "person", 2), narrow + 2, 51)
    people = (upper, lower, lower, lower, upper, upper)
    world.settle(ROUTE_110, drawing, people, (lower, upper), first=3)
    for wood in (lower, upper):
        wood.scatter("::*", 0.25)
    world.store(ROUTE_110, drawing)


def _mauville(world: Outdoors, south: int, north: int) -> None:
    ground = world.grown(MAUVILLE, (2, 2, 36, 16), [(south, 16), (north, 2)], (4, 6), kind="qT")
    ground.drawing.fill_blocks("T", (OPENING, 18), (OPENING, 0))
    ground.drawing.fill_blocks("q", (south, 18), (north, 0))
    for guard in (4, 5):
        world.tables.move(Thing(MAUVILLE, "person", guard), north + guard - 4, 1)
    x, y = world.doors[0]
    world.tables.move(Thing(MAUVILLE, "person", 0), x, y + 1)
    world.finish(MAUVILLE, ground, ("person 0", "person 4", "person 5"), "*+,", 0.15)
    world.point(Thing(MAUVILLE, "sign", 1), "hall.", "hall is in the {}.", (x, y))


def _hall(tables: RomTables, chance: random.Random) -> None:
    """The hall's beams and plates are elsewhere in the same rows."""
    layout = Drawing.of(89)
    for row, people in BEAM_ROWS:
        layout.fill("I", 0, row, layout.width)
        gaps = sorted(chance.sample(range(1, layout.width - 1), len(people)))
        for who, gap in zip(people, gaps, strict=True):
            layout.fill("-", gap, row)
            tables.move(Thing(HALL, "person", who), gap, row)
    for row, plates in PLATE_ROWS:
        layout.fill("-", 0, row, layout.width)
        columns = chance.sample(range(layout.width), len(plates))
        for plate, column in zip(plates, columns, strict=True):
            layout.fill("12"[plate in (2, 4)], column, row)
            tables.move(Thing(HALL, "trigger", plate), column, row)
    reshape_rooms(tables, [HALL], chance, {HALL: layout})
