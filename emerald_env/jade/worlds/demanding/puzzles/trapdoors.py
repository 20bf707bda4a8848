"""Lavaridge's hall: two floors of small chambers, joined by doorways, trapdoors and geysers."""

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

COLUMNS, ROWS = 4, 4  # of chambers, three by three tiles each
WIDTH, HEIGHT = 17, 19
FLOORS: Final = (0, 1)  # the hall and what is below it
TRAPDOORS = 9
FEWEST = 4  # trapdoors and geysers between the door and the leader
EXIT: Final = ((13, 18), (14, 18))  # mats, below the last chamber
FLOOR, WALL, TRAPDOOR, GEYSER, MAT = "-", "R", "O", "G", "M"

Tile = tuple[int, int]


class Chamber(NamedTuple):
    """One of the rooms: floor, column, row."""

    floor: int
    column: int
    row: int

    def tile(self, across: int, down: int) -> Tile:
        """Returns one of its tiles; 0, 0 is the upper left one."""
        return 4 * self.column + 1 + across, 4 * self.row + 2 + down

    def corners(self) -> list[Tile]:
        """Returns tiles that no way through it needs."""
        return [self.tile(x, y) for x in (0, 2) for y in (0, 2)]


ENTRANCE: Final = Chamber(0, COLUMNS - 1, ROWS - 1)
CHAMBERS: Final = [Chamber(f, x, y) for f in FLOORS for y in range(ROWS) for x in range(COLUMNS)]


class Hall(NamedTuple):
    """A hall of trapdoors.

    Attributes:
        floors: letters of both, row by row.
        trapdoors: their tiles, which are the same below.
        leader: where the leader stands.
        corners: of each floor, where somebody may stand.
    """

    floors: tuple[list[str], list[str]]
    trapdoors: list[Tile]
    leader: Tile
    corners: tuple[list[Tile], list[Tile]]


def draw_hall(chance: random.Random) -> Hall:
    """Returns a hall in which one must fall, and be blown up again, to get to the leader.

    One way joins any two chambers, so that most trapdoors lead astray and none into a trap.
    """
    while True:
        ways = _joined(chance)
        far = {chamber: _falls(ways, chamber) for chamber in CHAMBERS if chamber[::2] == (0, 0)}
        best = [chamber for chamber, falls in far.items() if falls >= FEWEST]
        if best:
            return _drawn(ways, chance.choice(best), chance)


Ways = dict[Chamber, list[Chamber]]


def _joined(chance: random.Random) -> Ways:
    """Returns for each chamber those that it is joined with: a tree."""
    columns = [(x, y) for x in range(COLUMNS) for y in range(ROWS)]
    falls = [(Chamber(0, x, y), Chamber(1, x, y)) for x, y in chance.sample(columns, TRAPDOORS)]
    doorways = [
        (one, other)
        for one in CHAMBERS
        for other in (one._replace(column=one.column + 1), one._replace(row=one.row + 1))
        if other.column < COLUMNS and other.row < ROWS
    ]
    chance.shuffle(doorways)
    ways: Ways = {chamber: [] for chamber in CHAMBERS}
    part = {chamber: {chamber} for chamber in CHAMBERS}
    for one, other in (*falls, *doorways):
        if other not in part[one]:
            ways[one].append(other)
            ways[other].append(one)
            both = part[one] | part[other]
            part |= dict.fromkeys(both, both)
    return ways


def _falls(ways: Ways, goal: Chamber) -> int:
    """Returns how often one changes the floor on the way from the door to a chamber."""
    falls, todo = {ENTRANCE: 0}, [ENTRANCE]
    for chamber in todo:  # it grows at its end
        for after in ways[chamber]:
            if after not in falls:
                falls[after] = falls[chamber] + (after.floor != chamber.floor)
                todo.append(after)
    return falls[goal]


def _drawn(ways: Ways, leader: Chamber, chance: random.Random) -> Hall:
    floors = tuple([_walls() for _ in FLOORS])
    trapdoors = []
    for one in CHAMBERS:
        for x, y in _inside(one):
            floors[one.floor][y][x] = FLOOR
        for other in ways[one]:
            if other.floor > one.floor:
                trapdoors.append(chance.choice([*one.corners(), one.tile(1, 1)]))
            elif other.column > one.column:
                x, y = one.tile(3, 1)
                floors[one.floor][y][x] = FLOOR
            elif other.row > one.row:
                x, y = one.tile(1, 3)
                floors[one.floor][y][x] = FLOOR
    for x, y in trapdoors:
        floors[0][y][x], floors[1][y][x] = TRAPDOOR, GEYSER
    for x, y in EXIT:
        floors[0][y - 1][x], floors[0][y][x] = FLOOR, MAT
    rows = tuple(["".join(row) for row in floor] for floor in floors)
    corners = [
        [
            chance.choice(sorted({*each.corners()} - {*trapdoors}))
            for each in CHAMBERS
            if _empty(each, floor, leader)
        ]
        for floor in FLOORS
    ]
    return Hall((rows[0], rows[1]), trapdoors, leader.tile(1, 0), (corners[0], corners[1]))


def _empty(chamber: Chamber, floor: int, leader: Chamber) -> bool:
    return chamber.floor == floor and chamber not in (ENTRANCE, leader)


def _inside(chamber: Chamber) -> Iterator[Tile]:
    return (chamber.tile(x, y) for x in range(3) for y in range(3))


def _walls() -> list[list[str]]:
    return [list("#" * WIDTH), list("w" * WIDTH), *(list(WALL * WIDTH) for _ in range(HEIGHT - 2))]
