"""The mountain north of the coast: ways through, around and down it, a hall of trapdoors."""

from typing import Final

from emerald_env.jade.worlds import creatures
from emerald_env.jade.worlds.demanding.puzzles.boulder_room import (
    HEIGHT,
    WIDTH,
    Room,
    draw_room,
)
from emerald_env.jade.worlds.demanding.puzzles.trapdoors import draw_hall
from emerald_env.jade.worlds.guidance.errands import MOUNTAIN
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors.outdoors import Outdoors
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.places import FALLARBOR, LAVARIDGE
from emerald_env.jade.worlds.rom_tables import Thing

ROUTE_111, ROUTE_112, ROUTE_113, ROUTE_114 = (0, 26), (0, 27), (0, 28), (0, 29)
PEAK, PASS, PATH, FALLS = (24, 12), (24, 13), (24, 14), (24, 0)
HALL_FLOORS: Final = ((4, 1), (4, 2))
KINDS: Final = (66, 74, 218, 288, 304, 339)  # who lives and fights there
ROWS_111, ROWS_112 = 20, 40  # rows of the neighbours' that lie north of Routes 112 and Lavaridge
SHELF: Final = {(i, j) for i in range(1, 7) for j in range(26, 29)}  # blocks below 112's ledge
TERRACES: Final = (6, 14, 22, 30, 38)  # rows of the pass at which they begin
MATS = 2  # the hall's first warps
ROOM_TOP = 13  # row of the room with boulders in the Fiery Path

Tile = tuple[int, int]


def raise_mountain(world: Outdoors, south: int) -> None:
    """Lays out all maps of the mountain but its rooms.

    Args:
        world: with its tables and its chance.
        south: column of the way to the city.

    Raises:
        ValueError: there is no room for something.
    """
    east, west = world.even(28, 54), world.even(42, 48)
    north, ash, town = world.even(4, 10), world.even(4, 14), world.even(4, 14)
    _route_111(world, south, east + ROWS_111, north + ROWS_111, ash)
    _route_112(world, east, west, north)
    _path(world)
    _route_113(world, ash, town)
    _fallarbor(world, town, beyond := world.even(4, 14))
    _route_114(world, beyond)
    _falls(world)
    _peak(world)
    _pass(world)
    _lavaridge(world, west - ROWS_112)
    _hall(world)
    creatures.settle(world.tables, world.chance, MOUNTAIN, KINDS)


# ---- ways ----


def _route_111(world: Outdoors, south: int, west: int, north: int, ash: int) -> None:
    """Its south and its north: the desert between them is closed."""
    drawing, top = Drawing.filled(27, "T"), west - 4
    lower = world.wood(drawing, (2, top, 34, 138 - top), [(south, 136), (2, west)], (5, 4))
    world.wood(drawing, (2, 2, 34, 32), [(2, ash), (2, north)], (5, 4))
    drawing.fill_blocks(",", (south, 138), (0, west), (0, north), (0, ash))
    lower.drop_ledges(3)
    world.settle(ROUTE_111, drawing, [lower] * 5, [lower] * 2)
    lower.scatter(":*", 0.15)
    world.store(ROUTE_111, drawing)


def _route_112(world: Outdoors, east: int, west: int, north: int) -> None:
    """The foot of the mountain, the land west of it above a ledge, and its path's other end."""
    drawing, station = Drawing.filled(28, "T"), Thing(ROUTE_112, "warp", 0)
    ledge, cave, below, beyond = (world.even(*ends) for ends in (*[(2, 10)] * 2, *[(14, 36)] * 2))
    lower = Thicket.of(drawing, world.chance, (14, 24, 24, 34), ",T")
    lower.blocks |= SHELF
    _grow(world, lower, [(36, east), (ledge, 52), (below, 24)], (5, 4), station)
    upper = world.wood(drawing, (2, 20, 10, 30), [(cave, 20), (2, west), (ledge, 48)], (3, 2))
    further = world.wood(drawing, (14, 2, 24, 12), [(36, north), (beyond, 12)], (2, 2))
    drawing.fill_blocks(",", (38, east), (38, north), (0, west))
    drawing.fill(",", ledge, 50, 2)
    drawing.fill("_", ledge, 51, 2)
    for wood in (lower, upper):
        wood.drop_ledges(1)
    world.mouths(ROUTE_112, drawing, [(cave, 19), (below, 23), (beyond, 14)], first=1)
    people = [lower, lower, lower, lower, upper, upper, lower]
    world.settle(ROUTE_112, drawing, people, [lower, upper])
    x, y = world.tables.place(station)
    world.tables.move(Thing(ROUTE_112, "person", 7), x, y + 1)
    for wood in (lower, upper, further):
        wood.scatter(":", 0.25)
    world.store(ROUTE_112, drawing)
    world.point(Thing(ROUTE_112, "sign", 0), "car. It", "car is in the {}. It", (x, y))


def _path(world: Outdoors) -> None:
    """Through the mountain: a rock in its southern entrance, a room with boulders, a way back."""
    drawing, room = Drawing.filled(293, "W"), draw_room(world.chance)
    south, north = world.even(2, 30), world.even(2, 30)
    left = world.chance.randrange(2, 24)
    lanes = [x for x in range(2, 32, 2) if not left - 2 <= x <= left + WIDTH]
    lane = world.chance.choice(lanes)
    ends = [(north, 4), (left + room.north, 10), (lane, 10)]
    upper = world.wood(drawing, (2, 4, 30, 8), ends, (2, 2), "cW")
    ends = [(south, 32), (left + room.south, 24), (lane, 24)]
    lower = world.wood(drawing, (2, 24, 30, 10), ends, (2, 2), "cW")
    drawing.fill("c", lane, 12, 2, 12)
    drawing.fill("v", lane, world.chance.randrange(14, 22), 2)
    _put_boulders(world, drawing, room, left)
    drawing.fill("c", south, 34, 1, 2)
    world.mouths(PATH, drawing, [(south, 36), (north, 3)])
    world.tables.move(Thing(PATH, "person", 0), south, 35)
    world.tables.move(Thing(PATH, "person", 1), *world.chance.choice((upper, lower)).spot())
    world.tables.move(Thing(PATH, "person", 2), *lower.spot())
    world.store(PATH, drawing)


def _put_boulders(world: Outdoors, drawing: Drawing, room: Room, left: int) -> None:
    for x, y in room.floor:
        drawing.fill("c", left + x, ROOM_TOP + y)
    drawing.fill("c", left + room.north, ROOM_TOP - 1)
    drawing.fill("c", left + room.south, ROOM_TOP + HEIGHT, 1, 3)
    for number, (x, y) in enumerate(room.boulders, 3):
        world.tables.move(Thing(PATH, "person", number), left + x, ROOM_TOP + y)


def _route_113(world: Outdoors, east: int, west: int) -> None:
    drawing = Drawing.filled(29, "T")
    ground = world.wood(drawing, (2, 2, 96, 16), [(96, east), (2, west)], (6, 8), "aT")
    drawing.fill_blocks("a", (98, east), (0, west))
    ground.drop_ledges(3)
    world.settle(ROUTE_113, drawing, [ground] * 6, [ground])
    ground.scatter("j", 0.2)
    world.store(ROUTE_113, drawing)


def _route_114(world: Outdoors, east: int) -> None:
    """Only as far as the falls."""
    drawing, cave = Drawing.filled(30, "T"), world.even(4, 30)
    ground = world.wood(drawing, (4, 2, 34, 42), [(36, east), (cave, 42)], (6, 5))
    drawing.fill_blocks(",", (38, east))
    ground.drop_ledges(2)
    world.mouths(ROUTE_114, drawing, [(cave, 44)])
    world.settle(ROUTE_114, drawing, [ground] * 5, [ground])
    ground.scatter(":", 0.2)
    world.store(ROUTE_114, drawing)


def _falls(world: Outdoors) -> None:
    """A cave with a wider place, where the stone is stolen."""
    drawing, mouth, stone = Drawing.filled(125, "W"), world.even(4, 24), world.even(4, 22)
    ground = world.wood(drawing, (2, 4, 26, 32), [(mouth, 34), (stone, 6)], (4, 3), "cW")
    drawing.fill("c", stone - 2, 4, 6, 4)
    drawing.fill("c", mouth, 36, 1, 2)
    world.mouths(FALLS, drawing, [(mouth, 38)])
    world.tables.move(Thing(FALLS, "trigger", 0), stone, 6)
    for number, x in enumerate((stone - 1, stone + 1, stone + 2)):
        world.tables.move(Thing(FALLS, "person", number), x, 4)
    world.tables.move(Thing(FALLS, "person", 3), *ground.spot())
    world.store(FALLS, drawing)


def _peak(world: Outdoors) -> None:
    drawing, down = Drawing.filled(136, "A"), world.even(6, 32)
    ground = Thicket.of(drawing, world.chance, (4, 8, 32, 30), "aA")
    _grow(world, ground, [(down, 36)], (6, 6), Thing(PEAK, "warp", 0))
    drawing.fill("a", down, 38, 2, 2)
    drawing.fill("a", down, 40)
    world.mouths(PEAK, drawing, [(down, 41)], first=1)
    world.settle(PEAK, drawing, [ground] * 6, [ground])
    world.tables.move(Thing(PEAK, "person", 1), down, 40)
    world.store(PEAK, drawing)


def _pass(world: Outdoors) -> None:
    """Terraces, each with a ledge to the next: nobody comes up there."""
    drawing, terraces = Drawing.filled(292, "A"), []
    top, *gaps, bottom = (world.even(4, 24) for _ in range(len(TERRACES) + 1))
    for row, above, below in zip(TERRACES, (top, *gaps), (*gaps, bottom), strict=True):
        high = 4 if row == TERRACES[-1] else 6
        ends = [(above, row), (below, row + high - 2)]
        terraces.append(world.wood(drawing, (2, row, 26, high), ends, (1, 2), "aA"))
        terraces[-1].drop_ledges(1)
        drawing.fill("a", below, row + high, 2)
        drawing.fill("l", below, row + high + 1, 2)
    drawing.fill("A", bottom, TERRACES[-1] + 4, 2, 2)
    drawing.fill("a", top, 5)
    drawing.fill("a", bottom, 42)
    world.mouths(PASS, drawing, [(top, 4), (bottom, 43)])
    people = [*terraces, world.chance.choice(terraces)]
    world.settle(PASS, drawing, people, terraces[-1:])
    for terrace in terraces:
        terrace.scatter("j", 0.3)
    world.store(PASS, drawing)


# ---- towns ----


def _fallarbor(world: Outdoors, east: int, west: int) -> None:
    ground = world.grown(FALLARBOR, (2, 2, 16, 16), [(16, east), (2, west)], (2, 3))
    for x in (18, 0):
        ground.drawing.fill("T", x, 0, 2, ground.drawing.height)
    ground.drawing.fill_blocks(",", (18, east), (0, west))
    world.finish(FALLARBOR, ground, (), "*+a", 0.25)


def _lavaridge(world: Outdoors, east: int) -> None:
    ground = world.grown(LAVARIDGE, (2, 2, 16, 16), [(16, east)], (1, 2))
    ground.drawing.fill("T", 18, 0, 2, ground.drawing.height)
    ground.drawing.fill_blocks(",", (18, east))
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
        people = list(tables.people(at))
        for each, tile in zip(people, world.chance.sample(corners, len(people)), strict=True):
            tables.move(each.thing, *tile)
    tables.move(Thing(HALL_FLOORS[0], "person", 0), *hall.leader)


# ---- parts of a map ----


def _grow(
    world: Outdoors,
    wood: Thicket,
    needed: list[Tile],
    winding: tuple[int, int],
    station: Thing | None = None,
) -> None:
    """Grows a wood, perhaps with the cable car's station, to whose door a warp comes."""
    for x, y in needed:
        wood.need(x, y)
    if station:
        world.tables.move(station, *wood.build("stone works"))
    wood.grow(*winding, world.large)
