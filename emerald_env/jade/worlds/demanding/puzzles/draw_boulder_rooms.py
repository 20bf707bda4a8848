"""Draws rooms with boulders by lot, and prints those that are puzzles: a new `boulder_rooms.txt`.

``python -m emerald_env.jade.worlds.demanding.puzzles.draw_boulder_rooms 100 > FILE``. A room takes
seconds to find, so that whoever makes a world only chooses one.
"""

import random
import sys
from typing import Final

from emerald_env.jade.worlds.demanding.puzzles.boulder_room import (
    HEIGHT,
    WIDTH,
    Room,
    is_puzzle,
    lines_of,
)

BOULDERS: Final = 3
WALLS: Final = (7, 12)


def attempt(chance: random.Random) -> Room:
    """Returns a room that may be a puzzle."""
    inside = [(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]
    south, north = chance.randrange(1, WIDTH - 1), chance.randrange(1, WIDTH - 1)
    floor = {*inside} - {*chance.sample(inside, chance.randint(*WALLS))}
    floor -= {(north, 2), (south, HEIGHT - 3)}  # so that nobody pushes a boulder out by a door
    boulders = tuple(sorted(chance.sample(sorted(floor), BOULDERS)))
    return Room(frozenset(floor | {(south, HEIGHT - 1), (north, 0)}), south, north, boulders)


def main(wanted: int) -> None:
    """Prints rooms."""
    chance = random.Random(1)
    while wanted:
        if is_puzzle(room := attempt(chance)):
            print("\n".join(lines_of(room)), end="\n\n", flush=True)
            wanted -= 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
