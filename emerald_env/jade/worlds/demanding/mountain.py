"""The mountain north of the coast: its ways, a pass down, a town with a hall of trapdoors."""

from typing import Final

from emerald_env.jade.worlds import creatures
from emerald_env.jade.worlds.demanding.trapdoors import draw_hall
from emerald_env.jade.worlds.guidance.errands import MOUNTAIN
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors import Thicket
from emerald_env.jade.worlds.rom_tables import Thing
from emerald_env.jade.worlds.towns import LAVARIDGE, Outdoors

ROUTE_111, ROUTE_112, PEAK, PASS = (0, 26), (0, 27), (24, 12), (24, 13)
HALL_FLOORS: Final = ((4, 1), (4, 2))
KINDS: Final = (66, 74, 218, 288, 304, 339)  # who lives and fights there
ROWS_111, ROWS_112 = 20, 40  # rows of the neighbours' that lie north of Routes 112 and Lavaridge
TERRACES: Final = (6, 14, 22, 30, 38)  # rows of the pass at which they begin
MATS = 2  # the hall's first warps


def raise_mountain(world: Outdoors, south: int) -> None:
    """Lays out all maps of the mountain but its rooms.

    Args:
        world: with its tables and its chance.
        south: column of the way to the city.

    Raises:
        ValueError: there is no room for something.
    """
    east, west = world.even(28, 54), world.even(42, 48)
    _route_111(world, south, east + ROWS_111)
    _route_112(world, east, west)
    _peak(world)
    _pass(world)
    _lavaridge(world, west - ROWS_112)
    _hall(world)
    creatures.settle(world.tables, world.chance, MOUNTAIN, KINDS)


def _route_111(world: Outdoors, south: int, west: int) -> None:
    """Only its south: the desert is closed."""
    top = west - 4
    ground = world.grown(ROUTE_111, (2, top, 34, 138 - top), [(south, 136), (2, west)], (5, 6))
    drawing = ground.drawing
    drawing.fill("T", 0, 0, drawing.width, top)
    drawing.fill("T", 0, 138, drawing.width, 2)
    drawing.fill("T", 0, top, 2, 138 - top)
    drawing.fill(",", south, 138, 2, 2)
    drawing.fill(",", 0, west, 2, 2)
    world.finish(ROUTE_111, ground, (), ":*", 0.15)


def _route_112(world: Outdoors, east: int, west: int) -> None:
    """The foot of the mountain, and above a ledge the land west of it."""
    drawing = _filled(28, "T")
    ledge, cave = world.even(2, 10), world.even(2, 10)
    lower = Thicket.of(drawing, world.chance, (14, 24, 24, 34), ",T")
    lower.blocks |= {(i, j) for i in range(1, 7) for j in range(26, 29)}
    upper = Thicket.of(drawing, world.chance, (2, 20, 10, 30), ",T")
    lower.need(36, east)
    lower.need(ledge, 52)
    for x, y in ((cave, 20), (2, west), (ledge, 48)):
        upper.need(x, y)
    door = lower.build("stone works")
    lower.grow(5, 4, world.large)
    upper.grow(3, 2, world.large)
    drawing.fill(",", 38, east, 2, 2)
    drawing.fill(",", 0, west, 2, 2)
    drawing.fill(",", ledge, 50, 2)
    drawing.fill("_", ledge, 51, 2)
    drawing.fill("E", cave, 19)
    world.tables.move(Thing(ROUTE_112, "warp", 0), *door)
    world.tables.move(Thing(ROUTE_112, "warp", 1), cave, 19)
    _settle(
        world, ROUTE_112, drawing, [lower, lower, lower, lower, upper, upper, lower], [lower, upper]
    )
    for wood in (lower, upper):
        wood.scatter(":", 0.25)
    world.store(ROUTE_112, drawing)
    world.point(Thing(ROUTE_112, "sign", 0), "car. It", "car is in the {}. It", door)


def _peak(world: Outdoors) -> None:
    drawing = _filled(136, "A")
    ground = Thicket.of(drawing, world.chance, (4, 8, 32, 30), "aA")
    down = world.even(6, 32)
    ground.need(down, 36)
    world.tables.move(Thing(PEAK, "warp", 0), *ground.build("stone works"))
    ground.grow(6, 6, world.large)
    drawing.fill("a", down, 38, 2, 2)
    drawing.fill("a", down, 40)
    drawing.fill("E", down, 41)
    world.tables.move(Thing(PEAK, "warp", 1), down, 41)
    _settle(world, PEAK, drawing, [ground] * 6, [ground], "i")
    world.tables.move(Thing(PEAK, "person", 1), down, 40)
    world.store(PEAK, drawing)


def _pass(world: Outdoors) -> None:
    """Terraces, each with a ledge to the next: nobody comes up there."""
    drawing = _filled(292, "A")
    terraces = [
        Thicket.of(drawing, world.chance, (2, row, 26, 4 if row == TERRACES[-1] else 6), "aA")
        for row in TERRACES
    ]
    top, *gaps, bottom = (world.even(4, 24) for _ in range(len(TERRACES) + 1))
    for terrace, above, below, row in zip(
        terraces, (top, *gaps), (*gaps, bottom), TERRACES, strict=True
    ):
        last = row == TERRACES[-1]
        terrace.need(above, row)
        terrace.need(below, row + (2 if last else 4))
        terrace.grow(1, 2, world.large)
        if not last:
            drawing.fill("a", below, row + 6, 2)
            drawing.fill("l", below, row + 7, 2)
    for number, (x, y, inside) in enumerate(((top, 4, 5), (bottom, 43, 42))):
        drawing.fill("E", x, y)
        drawing.fill("a", x, inside)
        world.tables.move(Thing(PASS, "warp", number), x, y)
    _settle(world, PASS, drawing, [*terraces, world.chance.choice(terraces)], terraces[-1:], "i")
    for terrace in terraces:
        terrace.scatter("j", 0.3)
    world.store(PASS, drawing)


def _lavaridge(world: Outdoors, east: int) -> None:
    ground = world.grown(LAVARIDGE, (2, 2, 16, 16), [(16, east)], (1, 2))
    ground.drawing.fill("T", 18, 0, 2, ground.drawing.height)
    ground.drawing.fill(",", 18, east, 2, 2)
    world.finish(LAVARIDGE, ground, (), "*+", 0.15)
    world.point(Thing(LAVARIDGE, "sign", 1), "hall.", "hall is in the {}.", world.doors[2])


def _hall(world: Outdoors) -> None:
    tables, hall = world.tables, draw_hall(world.chance)
    for at, floor, corners in zip(HALL_FLOORS, hall.floors, hall.corners, strict=True):
        drawing = Drawing([list(row) for row in floor], "hall", [])
        tables.set_grid(at, drawing.width, drawing.height, drawing.cells())
        first = MATS if at == HALL_FLOORS[0] else 0
        for number, tile in enumerate(hall.trapdoors, first):
            tables.move(Thing(at, "warp", number), *tile)
        people = [thing for thing, _ in tables.things(at) if thing.kind == "person"]
        for thing, tile in zip(people, world.chance.sample(corners, len(people)), strict=True):
            tables.move(thing, *tile)
    tables.move(Thing(HALL_FLOORS[0], "person", 0), *hall.leader)


def _filled(layout: int, letter: str) -> Drawing:
    """Returns a map without ways."""
    drawing = Drawing.of(layout)
    drawing.houses = []
    drawing.fill(letter, 0, 0, drawing.width, drawing.height)
    return drawing


def _settle(
    world: Outdoors,
    at: tuple[int, int],
    drawing: Drawing,
    people: list[Thicket],
    signs: list[Thicket],
    board: str = "s",
) -> None:
    """Puts the people and signs of a map somewhere in their woods."""
    for number, wood in enumerate(people):
        world.tables.move(Thing(at, "person", number), *wood.spot())
    for number, wood in enumerate(signs):
        drawing.fill(board, *(spot := wood.spot()))
        world.tables.move(Thing(at, "sign", number), *spot)
