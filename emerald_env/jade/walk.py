"""Walks through Jade by itself: reads the maps from the ROM, plans a way, presses the keys."""

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from emerald_env.emulator import GBA, key_mask

# Emerald's addresses (facts: symbols.csv)
SAVE_BLOCK_1_POINTER: Final = 0x03005D8C
CALLBACK2 = 0x030022C4
OVERWORLD = 0x08085E5D
IN_BATTLE = 0x030026F9
BATTLE_OUTCOME, LOST = 0x0202433A, 2
SCRIPT_STATUS = 0x03000E38
SCRIPT_STOPPED = 2
LOCKED = 0x03000F2C
FADE = 0x02037FDB
OBJECTS, OBJECT_SIZE, OBJECT_COUNT = 0x02037350, 0x24, 16
MESSAGE_BOX, MESSAGE_BOX_OPEN = 0x0600FB80, 0xF201
# Jade's own: the address of the list of maps (src/world.c)
MAP_DIRECTORY = 0x080000F0

BORDER = 7
PATIENCE = 60  # frames without a message after which a menu must be open
COLLISION = 0x0C00
METATILE = 0x03FF
LEDGE, STAIRS, MAT, DOOR = 0x3B, 0x61, 0x65, 0x69
STEPS: Final = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
# Sides of a connection: south, north, west, east
SOUTH, NORTH, WEST = 1, 2, 3

MapId = tuple[int, int]
Place = tuple[int, int, int, int]  # map group, map number, x, y


class Stuck(RuntimeError):
    """There is no way, or the game did not react as it should."""


@dataclass(frozen=True)
class Map:
    """One map of the ROM."""

    width: int
    height: int
    grid: tuple[int, ...]
    behaviours: tuple[int, ...]  # of each cell
    warps: tuple[tuple[int, int, int, MapId], ...]  # x, y, warp of the other map, its number
    connections: tuple[tuple[int, int, MapId], ...]  # side, offset, map

    def inside(self, x: int, y: int) -> bool:
        """Whether a tile is on the map."""
        return 0 <= x < self.width and 0 <= y < self.height

    def cell(self, x: int, y: int) -> int:
        """Returns a grid cell: metatile, collision, elevation."""
        return self.grid[y * self.width + x]

    def behaviour(self, x: int, y: int) -> int:
        """Returns Emerald's number for what a tile does."""
        return self.behaviours[y * self.width + x]


def read_world(gba: GBA) -> dict[MapId, Map]:
    """Returns all maps of the ROM."""
    (entry,) = struct.unpack("<I", gba.read(MAP_DIRECTORY, 4))
    world: dict[MapId, Map] = {}
    while True:
        group, number, header = struct.unpack("<bb2xI", gba.read(entry, 8))
        if not header:
            return world
        world[group, number] = _read_map(gba, header)
        entry += 8


def _read_map(gba: GBA, header: int) -> Map:
    layout, events, _, connections = struct.unpack("<4I", gba.read(header, 16))
    width, height, _, cells, tileset = struct.unpack("<ii3I", gba.read(layout, 20))
    grid = struct.unpack(f"<{width * height}H", gba.read(cells, 2 * width * height))
    (attributes,) = struct.unpack("<I", gba.read(tileset + 16, 4))
    kinds = struct.unpack("<1024H", gba.read(attributes, 2048))
    warp_count, warps = struct.unpack("<xB6xI", gba.read(events, 12))
    sides = []
    if connections:
        count, first = struct.unpack("<iI", gba.read(connections, 8))
        for i in range(count):
            side, offset, group, number = struct.unpack("<B3xi2B", gba.read(first + 12 * i, 10))
            sides.append((side, offset, (group, number)))
    return Map(
        width,
        height,
        grid,
        tuple(kinds[cell & METATILE] & 0xFF for cell in grid),
        tuple(_read_warp(gba.read(warps + 8 * i, 8)) for i in range(warp_count)),
        tuple(sides),
    )


def _read_warp(data: bytes) -> tuple[int, int, int, MapId]:
    x, y, warp, number, group = struct.unpack("<hhx3B", data)
    return x, y, warp, (group, number)


class Walker:
    """Plays Jade by plan: each method presses keys until what it names has happened.

    Attributes:
        gba: the running game.
        keys: the mask of keys held in each frame so far, to play the same again.
    """

    def __init__(self, gba: GBA) -> None:
        self.gba = gba
        self.keys: list[int] = []
        self.world = read_world(gba)

    # ---- what the memory says ----

    def number(self, address: int, layout: str = "<I") -> int:
        """Returns one number of the memory."""
        return int(struct.unpack(layout, self.gba.read(address, struct.calcsize(layout)))[0])

    @property
    def place(self) -> Place:
        """Where the player stands."""
        block = self.number(SAVE_BLOCK_1_POINTER)
        x, y, group, number = struct.unpack("<hhbb", self.gba.read(block, 6))
        return group, number, x, y

    @property
    def free(self) -> bool:
        """Whether keys move the player now."""
        return (
            self.number(CALLBACK2) == OVERWORLD
            and not self.number(LOCKED, "<B")
            and self.number(SCRIPT_STATUS, "<B") == SCRIPT_STOPPED
            and not self.number(FADE, "<B") & 0x80
        )

    @property
    def message_open(self) -> bool:
        """Whether the message box is on the screen."""
        return self.number(MESSAGE_BOX, "<H") == MESSAGE_BOX_OPEN

    @property
    def in_battle(self) -> bool:
        """Whether a battle runs, or a screen that it opened."""
        return bool(self.number(IN_BATTLE, "<B") & 2)

    @property
    def moving(self) -> bool:
        """Whether the player is between two tiles or turning."""
        return bool(self.number(OBJECTS, "<B") & 0x40)

    @property
    def facing(self) -> int:
        """1 down, 2 up, 3 left, 4 right."""
        return self.number(OBJECTS + 0x18, "<B") & 15

    def flag(self, flag: int) -> bool:
        """Returns an event flag."""
        block = self.number(SAVE_BLOCK_1_POINTER)
        return bool(self.number(block + 0x1270 + flag // 8, "<B") >> flag % 8 & 1)

    def var(self, var: int) -> int:
        """Returns a saved variable."""
        return self.number(self.number(SAVE_BLOCK_1_POINTER) + 0x139C + 2 * (var - 0x4000), "<H")

    def people(self) -> set[tuple[int, int]]:
        """Returns the tiles of this map that people and things stand on."""
        found = set()
        for i in range(1, OBJECT_COUNT):
            data = self.gba.read(OBJECTS + OBJECT_SIZE * i, OBJECT_SIZE)
            if data[0] & 1:
                x, y = struct.unpack_from("<hh", data, 0x10)
                found.add((x - BORDER, y - BORDER))
        return found

    # ---- pressing keys ----

    def tick(self, frames: int = 1, *keys: str) -> None:
        """Runs frames with these keys held."""
        mask = key_mask(*keys)
        self.keys += [mask] * frames
        self.gba.step(mask, frames, frames, render=False)

    def press(self, key: str, wait: int = 6) -> None:
        """Taps a key, then waits some frames."""
        self.tick(2, key)
        self.tick(wait)

    def mash(self, key: str = "a", limit: int = 3000) -> None:
        """Presses a key again and again until the player is free."""
        for _ in range(0, limit, 8):
            if self.free and not self.moving:
                return
            self.press(key)
        raise Stuck(f"not free after {limit} frames at {self.place}")

    def settle(self, limit: int = 9000, answer: str = "b") -> None:
        """Waits for steps and fades, talks its way through messages, fights with A, closes menus.

        Args:
            limit: rounds after which there is no hope.
            answer: what messages are answered with: "a" says yes.
        """
        for waited in range(1, limit):
            if self.free and not self.moving:
                return
            if self.in_battle:
                self.press("a")
            elif self.message_open:
                self.press(answer)
            elif waited % PATIENCE == 0:
                self.press("b")
            else:
                self.tick()
        raise Stuck(f"not free after {limit} frames at {self.place}")

    # ---- planning ----

    def _neighbour(self, place: Place) -> Place | None:
        """Returns the same tile in the neighbour's numbers, where it lies outside of the map."""
        group, number, x, y = place
        own = self.world[group, number]
        if own.inside(x, y):
            return place
        for side, offset, other in own.connections:
            neighbour = self.world[other]
            left, top = {
                SOUTH: (offset, own.height),
                NORTH: (offset, -neighbour.height),
                WEST: (-neighbour.width, offset),
            }.get(side, (own.width, offset))
            if neighbour.inside(x - left, y - top):
                return (*other, x - left, y - top)
        return None

    def _through(self, group: int, number: int, x: int, y: int) -> Place | None:
        """Returns where the warp on a tile leads, if there is one."""
        for warp_x, warp_y, other_warp, other in self.world[group, number].warps:
            if (warp_x, warp_y) == (x, y):
                far_x, far_y = self.world[other].warps[other_warp][:2]
                below = self.world[other].behaviour(far_x, far_y) == DOOR
                return (*other, far_x, far_y + below)
        return None

    def _step(self, place: Place, direction: str, blocked: set[Place]) -> Place | None:
        """Returns where a step ends, or None where it is not possible."""
        group, number, x, y = place
        dx, dy = STEPS[direction]
        if direction == "down" and self.world[group, number].behaviour(x, y) == MAT:
            return self._through(group, number, x, y)
        after = self._neighbour((group, number, x + dx, y + dy))
        if after is None or after in blocked:
            return None
        kind = self.world[after[:2]].behaviour(*after[2:])
        if kind == LEDGE:
            landing = (*after[:2], after[2], after[3] + 1)
            return landing if direction == "down" and landing not in blocked else None
        if self.world[after[:2]].cell(*after[2:]) & COLLISION:
            return None
        if kind == DOOR and direction != "up":
            return None
        return (self._through(*after) or after) if kind in (DOOR, STAIRS) else after

    def plan(self, goals: set[Place], blocked: set[Place]) -> list[tuple[str, Place]]:
        """Returns the shortest way as (direction, where it leads).

        Raises:
            Stuck: there is none.
        """
        start = self.place
        came: dict[Place, tuple[Place, str] | None] = {start: None}
        queue = deque([start])
        while queue:
            place = queue.popleft()
            if place in goals:
                return list(self._trace(came, place))[::-1]
            for direction in STEPS:
                after = self._step(place, direction, blocked)
                if after is not None and after not in came:
                    came[after] = (place, direction)
                    queue.append(after)
        raise Stuck(f"no way from {start} to {sorted(goals)}")

    @staticmethod
    def _trace(
        came: dict[Place, tuple[Place, str] | None], place: Place
    ) -> Iterator[tuple[str, Place]]:
        while (step := came[place]) is not None:
            yield step[1], place
            place = step[0]

    # ---- walking ----

    def step(self, direction: str, limit: int = 60) -> None:
        """Holds a direction until the player has left the tile, then waits for what follows."""
        start = self.place
        for _ in range(limit):
            self.tick(1, direction)
            if self.place != start or not self.free:
                break
        self.settle()

    def go(self, goals: set[Place], *keys: str) -> None:
        """Walks to the nearest of some places, around people; `keys` are held on the way.

        Raises:
            Stuck: no way, or somebody stands in it for good.
        """
        refused: set[Place] = set()
        for _ in range(2000):
            if self.place in goals:
                return
            here = {(*self.place[:2], x, y) for x, y in self.people()}
            direction, after = self.plan(goals, here | refused)[0]
            before = self.place
            self.step(direction)
            if self.place == before:
                refused.add(after)
        raise Stuck(f"still not at {sorted(goals)}: at {self.place}")

    def go_to(self, group: int, number: int, x: int, y: int) -> None:
        """Walks to one tile."""
        self.go({(group, number, x, y)})

    def face(self, direction: str) -> None:
        """Turns on the spot."""
        self.tick(2)  # whoever has just walked would walk on
        wanted = list(STEPS).index(direction) + 1
        for _ in range(30):
            if self.facing == wanted and not self.moving:
                return
            self.tick(1, direction)
            self.tick(9)
        raise Stuck(f"cannot face {direction} at {self.place}")

    def use(self, group: int, number: int, x: int, y: int, answer: str = "b") -> None:
        """Walks up to a person, a thing or a sign, presses A and reads all that is said.

        Questions are answered with `answer`: "a" for yes.
        """
        sides = {(group, number, x - dx, y - dy): d for d, (dx, dy) in STEPS.items()}
        if self.place[:2] == (group, number):
            for at in self.people():
                sides.pop((group, number, *at), None)
        self.go(set(sides))
        self.face(sides[self.place])
        self.tick(2, "a")
        self.tick(2)
        self.settle(answer=answer)

    def beat(self, group: int, number: int, x: int, y: int, tries: int = 12) -> None:
        """Fights somebody until the battle is won; after a defeat one wakes up healed.

        Raises:
            Stuck: no victory in so many tries.
        """
        for _ in range(tries):
            self.use(group, number, x, y)
            if self.number(BATTLE_OUTCOME, "<B") != LOST:
                return
        raise Stuck(f"{tries} defeats at {self.place}")

    def start(self) -> None:
        """Presses A from power-on until the game is free.

        Raises:
            Stuck: it is not after 900 frames.
        """
        for _ in range(60):
            self.tick(8, "a")
            self.tick(7)
            if self.number(SAVE_BLOCK_1_POINTER) and self.free and not self.moving:
                return
        raise Stuck("no free game after 900 frames of pressing A")


# Emerald's flags and variables that Jade's story sets, in order: (name, kind, number, value)
MILESTONES: Final = (
    ("visited_littleroot", "flag", 0x86F, 1),
    ("entered_home", "var", 0x4092, 3),
    ("sent_upstairs", "var", 0x4092, 4),
    ("clock_set", "flag", 0x51, 1),
    ("tv_report", "var", 0x4092, 7),
    ("met_rival_mom", "flag", 0x57, 1),
    ("met_rival", "var", 0x408D, 3),
    ("birch_in_danger", "var", 0x4060, 1),
    ("starter", "flag", 0x860, 1),
    ("rescued_birch", "flag", 0x52, 1),
    ("starter_given", "var", 0x4084, 3),
    ("visited_oldale", "flag", 0x870, 1),
    ("oldale_potion", "flag", 0x84, 1),
    ("rival_route103", "flag", 0x82, 1),
    ("pokedex", "flag", 0x861, 1),
    ("running_shoes", "flag", 0x8C0, 1),
    ("visited_petalburg", "flag", 0x876, 1),
    ("visited_rustboro", "flag", 0x879, 1),
    ("badge_1", "flag", 0x867, 1),
    ("letter", "flag", 0xBC, 1),
    ("visited_dewford", "flag", 0x871, 1),
    ("letter_delivered", "flag", 0xBD, 1),
    ("badge_2", "flag", 0x868, 1),
)
# What to walk up to (or onto), one errand after the other: (how, group, number, x, y);
# "ask" says yes to questions, "beat" tries again after a defeat
WALKTHROUGH: Final = (
    ("use", 1, 0, 9, 3),  # mother in front of the stairs
    ("use", 1, 1, 3, 1),  # the clock
    ("go", 1, 2, 5, 6),  # the neighbours
    ("use", 1, 3, 4, 3),  # Kim
    ("go", 0, 16, 10, 16),  # Route 101: a cry for help
    ("use", 0, 16, 7, 13),  # the bag
    ("use", 1, 4, 6, 4),  # the professor
    ("use", 0, 10, 12, 8),  # the girl from the shop
    ("beat", 0, 18, 10, 5),  # Kim on Route 103
    ("use", 0, 18, 24, 15),  # an item
    ("use", 1, 4, 6, 4),  # the professor
    ("use", 0, 9, 9, 17),  # mother with the shoes
    ("use", 0, 17, 12, 6),  # an item
    ("go", 0, 0, 25, 20),  # Petalburg
    ("use", 0, 0, 4, 26),  # an item
    ("use", 0, 0, 24, 3),  # something hidden
    ("use", 0, 0, 10, 22),  # the daily berry
    ("use", 8, 4, 6, 3),  # a rest
    ("use", 0, 19, 34, 76),  # Route 104: an item
    ("use", 0, 19, 31, 68),  # something hidden
    ("use", 24, 11, 26, 26),  # the wood: an item
    ("use", 24, 11, 40, 32),  # an item
    ("use", 11, 5, 6, 3),  # Rustboro: a rest
    ("use", 11, 11, 6, 4),  # the lesson that cuts trees
    ("use", 11, 3, 0, 14),  # the hall: the switch
    ("beat", 11, 3, 5, 3),  # the leader
    ("use", 11, 2, 9, 3),  # the president's letter
    ("use", 11, 5, 6, 3),  # a rest
    ("ask", 17, 0, 5, 3),  # the sailor
    ("use", 0, 11, 6, 13),  # Dewford: the letter's reader
    ("use", 24, 7, 36, 3),  # the cave: an item
    ("use", 3, 1, 6, 3),  # a rest
    ("beat", 3, 3, 9, 3),  # the leader
)


def walk_through(walker: Walker) -> Iterator[tuple[str, int]]:
    """Plays the story from power-on; yields each milestone with the frame it was reached in."""
    reached = set()

    def news() -> Iterator[tuple[str, int]]:
        for name, kind, number, value in MILESTONES:
            have = walker.var(number) if kind == "var" else walker.flag(number)
            if name not in reached and have >= value:
                reached.add(name)
                yield name, len(walker.keys)

    walker.start()
    yield from news()
    for how, *place in WALKTHROUGH:
        if how == "go":
            walker.go_to(*place)
        elif how == "beat":
            walker.beat(*place)
        else:
            group, number, x, y = place
            walker.use(group, number, x, y, answer="a" if how == "ask" else "b")
        yield from news()
