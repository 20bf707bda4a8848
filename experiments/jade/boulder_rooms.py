"""Draws rooms with boulders by lot, and prints those that are puzzles: a new `boulder_rooms.txt`.

``python -m experiments.jade.boulder_rooms 100 > FILE``. A room takes seconds to find, so that
whoever makes a world only chooses one.
"""

import random
import sys
from typing import Final

from emerald_env.jade.worlds.demanding.puzzles.boulder_room import (
    HEIGHT,
    WIDTH,
    Room,
    lines_of,
)
from emerald_env.jade.worlds.guidance.pushing import AmongBoulders, BoulderGround, able

BOULDERS: Final = 3
WALLS: Final = (7, 12)
FEWEST, MOST = 5, 12  # pushes of a shortest solution
STATES: Final = 150  # at most, which keeps the proof and the guide quick


def attempt(chance: random.Random) -> Room:
    """Returns a room that may be a puzzle."""
    inside = [(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]
    south, north = chance.randrange(1, WIDTH - 1), chance.randrange(1, WIDTH - 1)
    floor = {*inside} - {*chance.sample(inside, chance.randint(*WALLS))}
    floor -= {(north, 2), (south, HEIGHT - 3)}  # so that nobody pushes a boulder out by a door
    boulders = tuple(sorted(chance.sample(sorted(floor), BOULDERS)))
    return Room(frozenset(floor | {(south, HEIGHT - 1), (north, 0)}), south, north, boulders)


def is_puzzle(room: Room) -> bool:
    """Returns whether a room can be solved from the south, and spoilt, and always be left."""
    bits = BoulderGround(WIDTH, 0, 0)
    south, north = bits.bit((room.south, HEIGHT - 1)), bits.bit((room.north, 0))
    floor, boulders = (sum(map(bits.bit, tiles)) for tiles in (room.floor, room.boulders))
    ground = BoulderGround(WIDTH, floor, floor)
    start, back = (ground.standing(boulders, door) for door in (south, north))
    if start.region & north or not ground.standing(0, south).region & north:
        return False
    graph, other = ground.graph(start, STATES), ground.graph(back, STATES)
    if max(len(graph), len(other)) > STATES:
        return False
    if not FEWEST <= _fewest(graph, start, north) <= MOST or len(able(graph, north)) == len(graph):
        return False
    doors = south | north
    if any(doors & each.boulders for each in (*graph, *other)):
        return False
    return all(len(able(each, doors)) == len(each) for each in (graph, other))


def _fewest(graph: dict[AmongBoulders, set[AmongBoulders]], start: AmongBoulders, goal: int) -> int:
    """Returns the fewest pushes with which a tile can be walked to."""
    steps, todo = {start: 0}, [start]
    for here in todo:  # it grows at its end
        if here.region & goal:
            return steps[here]
        for to in graph[here]:
            if to not in steps:
                steps[to] = steps[here] + 1
                todo.append(to)
    return MOST + 1


def main(wanted: int) -> None:
    """Prints rooms."""
    chance = random.Random(1)
    while wanted:
        if is_puzzle(room := attempt(chance)):
            print("\n".join(lines_of(room)), end="\n\n", flush=True)
            wanted -= 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
