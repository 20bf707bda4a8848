"""What each outdoor map needs: exits that meet the neighbours', gates, houses, people."""

import random
from collections.abc import Iterable
from typing import Final

from emerald_env.jade.maps import COLLISION, STEPS, MapId
from emerald_env.jade.worlds.guidance.errands import COAST
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors import Thicket
from emerald_env.jade.worlds.rom_tables import PLACE, SAY, WALK, RomTables, Thing, obstacles_on

LITTLEROOT, ROUTE_101, OLDALE, ROUTE_103 = (0, 9), (0, 16), (0, 10), (0, 18)
ROUTE_102, PETALBURG, ROUTE_104, WOODS, RUSTBORO = (0, 17), (0, 0), (0, 19), (24, 11), (0, 3)
SLATEPORT, MAUVILLE, LAVARIDGE, FALLARBOR = (0, 1), (0, 2), (0, 12), (0, 13)
ATTEMPTS = 60
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
HIDDEN: Final = {Thing(PETALBURG, "sign", 2)}  # under a flower, as in world 0
HOUSES: Final[dict[MapId, tuple[str, ...]]] = {  # in the order of the doors
    LITTLEROOT: ("home", "house", "lab"),
    OLDALE: ("house", "centre", "shop"),
    PETALBURG: ("house", "centre"),
    RUSTBORO: ("stone hall", "stone works", "centre", "shop", "stone house"),
    SLATEPORT: ("centre", "shop", "stone works", "hall"),
    MAUVILLE: ("hall", "centre", "house", "shop"),
    LAVARIDGE: ("centre", "shop", "hall"),
    FALLARBOR: ("centre", "shop"),
}


class Outdoors:
    """Grows one outdoor map after the other."""

    def __init__(self, tables: RomTables, chance: random.Random, large: bool) -> None:
        self.tables, self.chance, self.large = tables, chance, large
        self.doors: list[tuple[int, int]] = []  # of the last map

    def even(self, least: int, most: int) -> int:
        """Returns an even number."""
        return 2 * self.chance.randrange(least // 2, most // 2 + 1)

    def grown(
        self,
        at: MapId,
        area: tuple[int, int, int, int],
        needed: list[tuple[int, int]],
        winding: tuple[int, int],
        *,
        kind: str = ",T",
        exits: tuple[tuple[int, int], ...] = (),
        houses: tuple[str, ...] = (),
    ) -> Thicket:
        """Returns a map's ground with its houses and ways.

        Args:
            at: map.
            area: that is grown anew, in tiles.
            needed: tiles that must be joined.
            winding: how many detours and clearings there are.
            kind: letters of floor and wall.
            exits: blocks with somebody who bars the way.
            houses: without a way in.

        Raises:
            ValueError: no attempt joined everything.
        """
        for _ in range(ATTEMPTS):
            drawing = Drawing.of(self.tables.unpack("<H", self.tables.headers[at] + 18)[0])
            drawing.houses = []
            ground = Thicket.of(drawing, self.chance, area, kind)
            for x, y in exits:
                ground.leave_through(x, y)
            for x, y in needed:
                ground.need(x, y)
            ground.ends = needed
            try:
                self.doors = [ground.build(house) for house in (*HOUSES.get(at, ()), *houses)]
                ground.grow(*winding, self.large)
            except ValueError:
                continue
            for number, door in enumerate(self.doors[: len(HOUSES.get(at, ()))]):
                self.tables.move(Thing(at, "warp", number), *door)
            return ground
        raise ValueError(f"nothing fits on map {at}")

    def wood(
        self,
        drawing: Drawing,
        area: tuple[int, int, int, int],
        needed: Iterable[tuple[int, int]],
        winding: tuple[int, int],
        kind: str = ",T",
    ) -> Thicket:
        """Returns a part of a map that is grown, without houses; see `grown`."""
        wood = Thicket.of(drawing, self.chance, area, kind)
        wood.ends = [*needed]
        for x, y in wood.ends:
            wood.need(x, y)
        wood.grow(*winding, self.large)
        return wood

    def mouths(
        self,
        at: MapId,
        drawing: Drawing,
        tiles: Iterable[tuple[int, int]],
        first: int = 0,
        letter: str = "E",
    ) -> None:
        """Puts ways into the dark, the map's warps from one on; rocks stand for a cut tree."""
        for number, tile in enumerate(tiles, first):
            x, y = tile
            if drawing.rows[y][x] == "T":
                drawing.fill("o", x & ~1, y & ~1, 2, 2)
            drawing.fill(letter, *tile)
            self.tables.move(Thing(at, "warp", number), *tile)

    def finish(
        self,
        at: MapId,
        ground: Thicket,
        gone: tuple[str, ...] = (),
        sown: str = ":",
        part: float = 0.1,
    ) -> None:
        """Puts everybody somewhere, and the map into the ROM.

        Raises:
            ValueError: somebody found no room, or bars the way.
        """
        for thing, _ in list(self.tables.things(at)):
            name = f"{thing.kind} {thing.number}"
            if thing.kind in ("person", "sign") and name not in gone:
                x, y = ground.spot()
                self.tables.move(thing, x, y)
                if thing.kind == "sign":
                    ground.drawing.fill("+" if thing in HIDDEN else "s", x, y)
        ground.scatter(sown, part)
        self.store(at, ground.drawing)
        self.check_way(at, ground)

    def store(self, at: MapId, drawing: Drawing) -> None:
        """Puts a map's layout into the ROM."""
        self.tables.set_grid(at, drawing.width, drawing.height, drawing.cells())

    def check_way(self, at: MapId, ground: Thicket) -> None:
        """Sees early what no proof would accept: that a way through a map in the ROM is barred.

        Raises:
            ValueError: somebody bars it; on the coast, where people go away, who never does.
        """
        people = obstacles_on(self.tables, at).items()
        staying = {tile for tile, who in people if at not in COAST or not who.flag}
        free = _free(self.tables, at) - (ground.spots & staying)
        found = {*(todo := ground.ends[:1])}
        for x, y in todo:  # it grows at its end
            further = free.intersection((x + dx, y + dy) for dx, dy in STEPS.values()) - found
            found |= further
            todo += further
        if not found.issuperset(ground.ends):
            raise ValueError(f"somebody bars the way on map {at}")

    def gate(self, at: MapId, ground: Thicket, number: int, x: int, y: int, fence: str) -> None:
        """A person and a fence bar an exit, until the person steps aside.

        Args:
            at: map.
            ground: of the map.
            number: of the person.
            x: where the person stands; to the north or west lies the exit.
            y: the same.
            fence: letter of the fence beside the person.
        """
        north = y == 2
        ground.drawing.fill(fence, x + north, y + (not north))
        self.tables.move(Thing(at, "person", number), x, y)
        for script in self.tables.map_scripts(at):
            for command in self.tables.commands(script):
                if self.tables.unpack("<B", command)[0] == PLACE:
                    self.tables.pack("<2H", command + 2, x + 1, y + 1)

    def point(self, sign: Thing, old: str, new: str, door: tuple[int, int]) -> None:
        """Lets a sign say in which direction a door lies, where `new` has {}."""
        x, y = self.tables.place(sign)
        self.say(sign, old, new.replace("{}", _direction(door[0] - x, door[1] - y)))

    def say(self, thing: Thing, old: str, new: str) -> None:
        """Changes a part of what somebody says."""
        for command in self.tables.commands(self.tables.script(thing)):
            if self.tables.unpack("<B", command)[0] == SAY:
                text = self.tables.text(self.tables.word(command + 8))
                if old in text:
                    address = self.tables.add_text(text.replace(old, new))
                    self.tables.pack("<I", command + 8, address)


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


def walk_off_freely(tables: RomTables, at: MapId) -> None:
    """Lets whoever leaves a map's scenes do so on free ground, around trees, signs and people."""
    taken = {place for thing, place in tables.things(at) if thing.kind in ("person", "sign")}
    free = _free(tables, at) - taken
    people = {
        tables.unpack("<B", tables.address(thing))[0]: place
        for thing, place in tables.things(at)
        if thing.kind == "person"
    }
    for command in tables.map_commands(at):
        operation, who = tables.unpack("<2B", command)
        if operation == WALK and who in people:
            steps = tables.text(tables.word(command + 8))
            walk = _walk_off(people[who], steps, free)
            tables.pack("<I", command + 8, tables.add_text(walk))


def _free(tables: RomTables, at: MapId) -> set[tuple[int, int]]:
    """Returns the tiles of a map without walls."""
    width, _ = tables.size(at)
    grid = enumerate(tables.grid(at))
    return {(n % width, n // width) for n, cell in grid if not cell & COLLISION}


def _walk_off(start: tuple[int, int], steps: str, free: set[tuple[int, int]]) -> str:
    """Returns the steps of a way on free tiles that begins like another, is as long, and leads far.

    The player may stand on any other side, so it does not come back there.
    """
    beside = {(start[0] + dx, start[1] + dy) for dx, dy in STEPS.values()}
    ways, longest = {start: ""}, ""
    for x, y in (todo := [start]):  # it grows at its end
        longest = ways[x, y]
        for key, (dx, dy) in STEPS.items():
            letter, after = key[0].upper(), (x + dx, y + dy)
            begins = letter == steps[0] if (x, y) == start else after not in beside
            if begins and after in free and after not in ways and len(longest) < len(steps):
                ways[after] = longest + letter
                todo.append(after)
    return longest


def _exit(drawing: Drawing, x: int, y: int, letter: str = ",") -> None:
    drawing.fill(letter, x, y, 2, 2)


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


def _close(drawing: Drawing, *openings: tuple[int, int]) -> None:
    for x, y in openings:
        _exit(drawing, x, y, "T")


def _littleroot(world: Outdoors, north: int) -> None:
    ground = world.grown(LITTLEROOT, (2, 2, 16, 16), [(north, 4)], (2, 3), exits=((north, 2),))
    _close(ground.drawing, (10, 0))
    _exit(ground.drawing, north, 0)
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
        f"in the {_direction(x - 10, y - 10)} of Littleroot",
    )


def _route_101(world: Outdoors, south: int, north: int) -> None:
    needed = [(south, 16), (south, 14), (north, 4)]
    ground = world.grown(ROUTE_101, (2, 2, 16, 16), needed, (3, 1), exits=((north, 2),))
    _close(ground.drawing, (10, 0), (10, 18))
    _exit(ground.drawing, north, 0)
    _exit(ground.drawing, south, 18)
    world.gate(ROUTE_101, ground, 2, north, 2, "o")
    for number, x in enumerate((south, south + 1, south - 1, south + 2)):
        world.tables.move(Thing(ROUTE_101, "trigger", number), x, 17)
    world.finish(ROUTE_101, ground, ("person 2",), ":", 0.25)
    x, y = world.tables.place(Thing(ROUTE_101, "person", 1))
    world.say(
        Thing(ROUTE_101, "trigger", 0), "to the left", f"to the {_direction(x - south, y - 17)}"
    )


def _oldale(world: Outdoors, south: int, north: int, west: int) -> None:
    needed = [(south, 16), (north, 2), (4, west)]
    ground = world.grown(OLDALE, (2, 2, 16, 16), needed, (2, 3), exits=((2, west),))
    _close(ground.drawing, (10, 0), (10, 18), (0, 10))
    for x, y in ((north, 0), (south, 18), (0, west)):
        _exit(ground.drawing, x, y)
    world.gate(OLDALE, ground, 1, 2, west, "f")
    world.finish(OLDALE, ground, ("person 1",), ":*+", 0.15)


def _route_103(world: Outdoors, south: int) -> None:
    ground = world.grown(ROUTE_103, (2, 2, 24, 18), [(south, 18)], (4, 1))
    _close(ground.drawing, (10, 20))
    _exit(ground.drawing, south, 20)
    world.finish(ROUTE_103, ground, (), ":", 0.25)
    x, y = world.tables.place(Thing(ROUTE_103, "person", 0))
    where = _direction(x - south, y - 21)
    world.say(Thing(OLDALE, "person", 2), "to the north", f"to Route 103, and then to the {where}")


def _route_102(world: Outdoors, east: int, west: int) -> None:
    ground = world.grown(ROUTE_102, (2, 2, 46, 16), [(46, east), (2, west)], (4, 3))
    _close(ground.drawing, (48, 10), (0, 10))
    _exit(ground.drawing, 48, east)
    _exit(ground.drawing, 0, west)
    world.finish(ROUTE_102, ground, FURTHER_102, ":", 0.2)


def _petalburg(world: Outdoors, east: int, west: int) -> None:
    needed = [(26, east), (2, west)]
    ground = world.grown(PETALBURG, (2, 2, 26, 26), needed, (4, 4), houses=("hall",))
    x, y = world.doors[-1]
    _close(ground.drawing, (28, 20), (0, 20))
    _exit(ground.drawing, 28, east)
    _exit(ground.drawing, 0, west)
    world.tables.move(Thing(PETALBURG, "person", 1), x, y + 1)
    world.finish(PETALBURG, ground, ("person 1",), "*+:", 0.15)
    world.point(Thing(PETALBURG, "sign", 0), "hall.", "hall is in the {}.", (x, y))


def _route_104(world: Outdoors, east: int, north: int, wood: int) -> None:
    """The beach with the sailor's house, and the way past the wood, are as ever."""
    drawing = Drawing.of(20)
    drawing.fill("T", 0, 0, 34, 46)
    upper = world.wood(drawing, (2, 2, 36, 38), [(north, 2), (34, 38), (wood, 38)], (4, 4))
    drawing.fill("T", 34, 40, 2, 2)
    drawing.fill(",", 34, 40, 2, 2)
    _mouth(drawing, wood, 40, 44, ",")
    _exit(drawing, north, 0)
    lower = world.wood(drawing, (22, 56, 16, 22), [(22, 70), (36, east), (34, 56)], (3, 2))
    drawing.fill("T", 22, 52, 12, 4)
    drawing.fill("o", 21, 52)
    _close(drawing, (38, 70))
    _exit(drawing, 38, east)
    tables = world.tables
    tables.move(Thing(ROUTE_104, "warp", 0), wood, 44)
    for name in ("person 0", "person 3", "sign 1", "sign 2"):
        kind, number = name.split()
        tables.move(Thing(ROUTE_104, kind, int(number)), *(spot := lower.spot()))
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
    _exit(ground.drawing, south, 58, "q")
    world.finish(RUSTBORO, ground, (), "*+", 0.1)
    world.point(Thing(RUSTBORO, "sign", 1), "hall.", "hall is in the {}.", world.doors[0])


def move_gaps(tables: RomTables, drawing: Drawing, chance: random.Random) -> None:
    """Rustboro's hall: its walls are open elsewhere."""
    guard, _ = tables.place(Thing((11, 3), "person", 1))
    columns = [column for column in range(1, drawing.width - 1) if column != guard]
    for row in (5, 9, 12):
        drawing.fill("R", 0, row, drawing.width)
        drawing.fill("-", gap := chance.choice(columns), row)
        if row == 5:
            tables.move(Thing((11, 3), "person", 2), gap, row)


def _direction(x: int, y: int) -> str:
    """Returns the words for a direction."""
    across = "west" if x < 0 else "east"
    along = "north" if y < 0 else "south"
    if abs(x) > 2 * abs(y):
        return across
    return along if abs(y) > 2 * abs(x) else f"{along}-{across}"
