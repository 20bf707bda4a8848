"""A room with boulders: whoever wants through must push the right ones, and not into corners."""

import random
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from emerald_env.jade.worlds.guidance.pushing import Tile

FILE: Final = Path(__file__).parent / "boulder_rooms.txt"  # drawn by experiments/jade
WALL, FLOOR, BOULDER = "#.o"
WIDTH, HEIGHT = 9, 8  # with its walls, which the two doors are in


class Room(NamedTuple):
    """A room as one has it before one.

    Attributes:
        floor: its tiles, those of doors and boulders, too.
        south: column of the door in the last row, through which one comes in.
        north: column of the door in the first row.
        boulders: their tiles.
    """

    floor: frozenset[Tile]
    south: int
    north: int
    boulders: tuple[Tile, ...]


@cache
def rooms() -> tuple[Room, ...]:
    """Returns all rooms of the file."""
    return tuple(
        room_of(block.split()) for block in FILE.read_text(encoding="ascii").split("\n\n") if block
    )


def draw_room(chance: random.Random) -> Room:
    """Returns one of the rooms, perhaps as a mirror shows it."""
    lines = lines_of(chance.choice(rooms()))
    return room_of([line[::-1] for line in lines] if chance.random() < 0.5 else lines)


def room_of(lines: list[str]) -> Room:
    """Returns a room that is drawn with letters."""
    found = {(x, y): letter for y, line in enumerate(lines) for x, letter in enumerate(line)}
    return Room(
        frozenset(tile for tile, letter in found.items() if letter != WALL),
        lines[-1].index(FLOOR),
        lines[0].index(FLOOR),
        tuple(sorted(tile for tile, letter in found.items() if letter == BOULDER)),
    )


def lines_of(room: Room) -> list[str]:
    """Returns a room drawn with letters."""

    def letter(tile: Tile) -> str:
        return BOULDER if tile in room.boulders else FLOOR if tile in room.floor else WALL

    return ["".join(letter((x, y)) for x in range(WIDTH)) for y in range(HEIGHT)]
