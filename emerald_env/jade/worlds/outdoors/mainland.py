"""The story's mainland, from Littleroot to Rustboro, map by map."""

import random
from typing import Final

from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors.outdoors import Outdoors, direction
from emerald_env.jade.worlds.outdoors.walk_off import walk_off_freely
from emerald_env.jade.worlds.places import (
    LITTLEROOT,
    OLDALE,
    PETALBURG,
    ROUTE_101,
    ROUTE_102,
    ROUTE_103,
    ROUTE_104,
    RUSTBORO,
    WOODS,
)
from emerald_env.jade.worlds.rom_tables import RomTables, Thing

ROWS_102, ROWS_104 = 10, 50  # rows of Petalburg's neighbours that lie north of it
PAST_THE_WOOD = "North from Petalburg, through the wood:"  # the same sign stands on both sides
# What people and signs say of world 0's lakes and ledges, and what of other worlds; and what is
# better said, but stays in world 0, whose bytes recordings and checkpoints name
ELSEWHERE: Final = (
    (Thing(ROUTE_102, "person", 1), "jump down the ledges", "run from tree to tree"),
    (Thing(ROUTE_102, "person", 1), "Up is the hard part", "Stopping is the hard part"),
    (Thing(ROUTE_103, "person", 2), "swim across this lake", "know every tree of this wood"),
    (Thing(ROUTE_103, "sign", 0), "The lake is deeper", "The wood is deeper"),
    (Thing(PETALBURG, "person", 2), "The pond is so clear", "The air is so clear"),
    (Thing(PETALBURG, "sign", 1), "of the quiet pond", "in the quiet wood"),
    (Thing(PETALBURG, "person", 1), "Look around in the meantime", "Try Rustboro, west and north"),
    (Thing(ROUTE_104, "sign", 0), "East: Petalburg. North: the wood, and", PAST_THE_WOOD),
    (Thing((1, 4), "person", 0), "at the door", "outside, looking for you"),
    (Thing((1, 4), "person", 1), "He wants to see you", "He talks of nothing else"),
)
# Whom only jade_full.gba has (demanding/west.py)
FURTHER_102: Final = ("person 3", "person 4", "person 5", "person 6")
FURTHER_WOODS: Final = ("person 4", "person 5")


def lay_out(tables: RomTables, chance: random.Random, large: bool) -> None:
    """Grows all outdoor maps anew, with longer ways in large worlds.

    Raises:
        ValueError: there is no room for something.
    """
    world = Outdoors(tables, chance, large)
    first, second, third = (world.even(4, 14) for _ in range(3))
    west, far_west, beach = world.even(4, 14), world.even(4, 14), world.even(8, 22)
    north = world.even(6, 32)
    _littleroot(world, first)
    _route_101(world, first, second)
    _oldale(world, second, third, west)
    _route_103(world, third)
    _route_102(world, west, far_west)
    _petalburg(world, far_west + ROWS_102, beach)
    woods_north = world.even(6, 30)
    _route_104(world, beach + ROWS_104, north, woods_north)
    _woods(world)
    _rustboro(world, north)
    for thing, old, new in ELSEWHERE:
        world.say(thing, old, new)
    for at in (ROUTE_101, ROUTE_103):
        walk_off_freely(tables, at)


def _mouth(drawing: Drawing, x: int, start: int, y: int, floor: str) -> None:
    """Draws a way one tile wide to where another map begins; rocks are where trees would be cut.

    Args:
        drawing: of the map.
        x: even column of both.
        start: row where the way begins.
        y: even row of its end, which is entered.
        floor: letter of the way.
    """
    first, last = sorted((start, y))
    drawing.fill("o", x, first & ~1, 2, (last | 1) - (first & ~1) + 1)
    drawing.fill(floor, x, first, 1, last - first + 1)
    drawing.fill("E", x, y)


def _littleroot(world: Outdoors, north: int) -> None:
    ground = world.grown(LITTLEROOT, (2, 2, 16, 16), [(north, 4)], (2, 3), exits=((north, 2),))
    ground.drawing.fill_blocks("T", (10, 0))
    ground.drawing.fill_blocks(",", (north, 0))
    world.gate(LITTLEROOT, ground, 0, north, 2, "f")
    world.tables.move(Thing(LITTLEROOT, "warp", 3), *ground.spot())
    ground.ends += [(x, y + 1) for x, y in world.doors]
    world.finish(LITTLEROOT, ground, ("person 0",), "*+", 0.2)
    home, neighbours, _ = world.doors
    world.point(Thing(LITTLEROOT, "sign", 0), "of {P}.", "of {P} is in the {}.", home)
    world.point(Thing(LITTLEROOT, "sign", 1), "bours:", "bours, in the {}:", neighbours)
    x, y = world.tables.place(Thing(LITTLEROOT, "person", 3))
    world.say(
        Thing(OLDALE, "person", 1),
        "in front of the laboratory",
        f"in the {direction(x - 10, y - 10)} of Littleroot",
    )


def _route_101(world: Outdoors, south: int, north: int) -> None:
    needed = [(south, 16), (south, 14), (north, 4)]
    ground = world.grown(ROUTE_101, (2, 2, 16, 16), needed, (3, 1), exits=((north, 2),))
    ground.drawing.fill_blocks("T", (10, 0), (10, 18))
    ground.drawing.fill_blocks(",", (north, 0), (south, 18))
    world.gate(ROUTE_101, ground, 2, north, 2, "o")
    for number, x in enumerate((south, south + 1, south - 1, south + 2)):
        world.tables.move(Thing(ROUTE_101, "trigger", number), x, 17)
    world.finish(ROUTE_101, ground, ("person 2",), ":", 0.25)
    x, y = world.tables.place(Thing(ROUTE_101, "person", 1))
    world.say(
        Thing(ROUTE_101, "trigger", 0), "to the left", f"to the {direction(x - south, y - 17)}"
    )


def _oldale(world: Outdoors, south: int, north: int, west: int) -> None:
    needed = [(south, 16), (north, 2), (4, west)]
    ground = world.grown(OLDALE, (2, 2, 16, 16), needed, (2, 3), exits=((2, west),))
    ground.drawing.fill_blocks("T", (10, 0), (10, 18), (0, 10))
    ground.drawing.fill_blocks(",", (north, 0), (south, 18), (0, west))
    world.gate(OLDALE, ground, 1, 2, west, "f")
    world.finish(OLDALE, ground, ("person 1",), ":*+", 0.15)


def _route_103(world: Outdoors, south: int) -> None:
    ground = world.grown(ROUTE_103, (2, 2, 24, 18), [(south, 18)], (4, 1))
    ground.drawing.fill_blocks("T", (10, 20))
    ground.drawing.fill_blocks(",", (south, 20))
    world.finish(ROUTE_103, ground, (), ":", 0.25)
    x, y = world.tables.place(Thing(ROUTE_103, "person", 0))
    where = direction(x - south, y - 21)
    world.say(Thing(OLDALE, "person", 2), "to the north", f"to Route 103, and then to the {where}")


def _route_102(world: Outdoors, east: int, west: int) -> None:
    ground = world.grown(ROUTE_102, (2, 2, 46, 16), [(46, east), (2, west)], (4, 3))
    ground.drawing.fill_blocks("T", (48, 10), (0, 10))
    ground.drawing.fill_blocks(",", (48, east), (0, west))
    world.finish(ROUTE_102, ground, FURTHER_102, ":", 0.2)


def _petalburg(world: Outdoors, east: int, west: int) -> None:
    needed = [(26, east), (2, west)]
    ground = world.grown(PETALBURG, (2, 2, 26, 26), needed, (4, 4), houses=("hall",))
    x, y = world.doors[-1]
    ground.drawing.fill_blocks("T", (28, 20), (0, 20))
    ground.drawing.fill_blocks(",", (28, east), (0, west))
    world.tables.move(Thing(PETALBURG, "person", 1), x, y + 1)
    world.finish(PETALBURG, ground, ("person 1",), "*+:", 0.15)
    world.point(Thing(PETALBURG, "sign", 0), "hall.", "hall is in the {}.", (x, y))


def _route_104(world: Outdoors, east: int, north: int, wood: int) -> None:
    """The beach with the sailor's house, and the way past the wood, are as ever."""
    drawing = Drawing.of(20)
    drawing.fill("T", 0, 0, 34, 46)
    upper = world.wood(drawing, (2, 2, 36, 38), [(north, 2), (34, 38), (wood, 38)], (4, 4))
    drawing.fill_blocks(",", (34, 40))
    _mouth(drawing, wood, 40, 44, ",")
    drawing.fill_blocks(",", (north, 0))
    lower = world.wood(drawing, (22, 56, 16, 22), [(22, 70), (36, east), (34, 56)], (3, 2))
    drawing.fill("T", 22, 52, 12, 4)
    drawing.fill("o", 21, 52)
    drawing.fill_blocks("T", (38, 70))
    drawing.fill_blocks(",", (38, east))
    tables = world.tables
    tables.move(Thing(ROUTE_104, "warp", 0), wood, 44)
    for name in ("person 0", "person 3", "sign 1", "sign 2"):
        tables.move(Thing.of(ROUTE_104, name), *(spot := lower.spot()))
        if name == "sign 1":
            drawing.fill("s", *spot)
    x, y = upper.spot()
    tables.move(Thing(ROUTE_104, "person", 1), x, y)
    drawing.fill("s", *(spot := upper.spot()))
    tables.move(Thing(ROUTE_104, "sign", 0), *spot)
    tables.move(Thing(ROUTE_104, "person", 2), x, y ^ 1)
    upper.spots.add((x, y ^ 1))
    upper.ends.remove((34, 38))  # the way past the wood may be barred, if no tree is on it
    lower.ends.remove((34, 56))
    upper.scatter(":*", 0.15)
    lower.scatter(":", 0.15)
    world.store(ROUTE_104, drawing)
    for ground in (upper, lower):
        world.check_way(ROUTE_104, ground)


def _woods(world: Outdoors) -> None:
    south, north = world.even(4, 40), world.even(4, 40)
    ground = world.grown(WOODS, (2, 4, 44, 36), [(south, 38), (north, 4)], (6, 4), kind="gY")
    drawing = ground.drawing
    drawing.fill("Y", 0, 0, 48, 4)
    drawing.fill("Y", 0, 40, 48, 4)
    _mouth(drawing, south, 40, 42, "g")
    _mouth(drawing, north, 3, 2, "g")
    world.tables.move(Thing(WOODS, "warp", 0), south, 42)
    world.tables.move(Thing(WOODS, "warp", 1), north, 2)
    world.finish(WOODS, ground, FURTHER_WOODS, ";", 0.2)


def _rustboro(world: Outdoors, south: int) -> None:
    ground = world.grown(RUSTBORO, (2, 4, 36, 54), [(south, 56)], (5, 8), kind="qT")
    ground.drawing.fill("T", 0, 58, 40, 2)
    ground.drawing.fill_blocks("q", (south, 58))
    world.finish(RUSTBORO, ground, (), "*+", 0.1)
    world.point(Thing(RUSTBORO, "sign", 1), "hall.", "hall is in the {}.", world.doors[0])
