"""How far each tile of a world is from what its story asks for next, on the maps that it has."""

import struct
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.jade.cartridge import world_file
from emerald_env.jade.maps import MapId, Place
from emerald_env.jade.worlds.guidance.errands import SAILORS, START, Errand, use
from emerald_env.jade.worlds.guidance.look import VARS_FROM
from emerald_env.jade.worlds.guidance.ways import Distances
from emerald_env.jade.worlds.guidance.world_story import Story

NO_WAY: Final = -1
LANDINGS: Final = tuple(use(at, "person 0") for at in SAILORS)  # beside whom one lands
KEPT: Final = 128  # worlds at once in a process: a MiB each, the largest 5

Moves = tuple[tuple[int, ...], ...]  # of each Pokémon of the party


class ErrandWays:
    """The ways to the errands of a world, through its own doors and over its own ledges.

    Nobody is in the way: people step aside or are walked around, trees and rocks are cleared.

    Args:
        rom: of the world.
    """

    def __init__(self, rom: bytes) -> None:
        story = Story(rom)
        self._errands = story.errands
        fields = [story.ways.distances(_goals(story, each), frozenset()) for each in story.errands]
        self._lengths = tuple(_lengths(story, fields))
        self._steps = _grids(story, fields)
        self._find_next = lru_cache(256)(self._next_of)

    def next(self, flags: bytes, variables: bytes, moves: Moves) -> int | None:
        """Returns the number of the errand that comes next; None when the story is over.

        A milestone that was passed by was not needed; whatever is no milestone is.

        Args:
            flags: as `GameState.flags`.
            variables: as `GameState.vars`.
            moves: of the party.
        """
        return self._find_next(flags, variables, moves)

    def _next_of(self, flags: bytes, variables: bytes, moves: Moves) -> int | None:
        done = [_reached(errand, flags, variables, moves) for errand in self._errands]
        named = [number for number, each in enumerate(self._errands) if done[number] and each.name]
        furthest = max(named, default=-1)
        for number, errand in enumerate(self._errands):
            if not done[number] and (number > furthest or not errand.name):
                return number
        return None

    def name(self, number: int) -> str:
        """Returns the milestone that an errand is for, "errand 22" where it is none."""
        return self._errands[number].name or f"errand {number}"

    def length(self, number: int) -> int:
        """Returns in how many steps one walks to an errand from where the one before ended."""
        return self._lengths[number]

    def left(self, number: int, place: Place) -> int | None:
        """Returns the steps from a tile to an errand; None where no way leads there."""
        grid, (x, y) = self._steps.get(place[:2]), place[2:]
        if grid is None or not (0 <= y < grid.shape[1] and 0 <= x < grid.shape[2]):
            return None
        steps = int(grid[number, y, x])
        return None if steps == NO_WAY else steps


def _goals(story: Story, errand: Errand) -> Collection[Place]:
    """Returns where an errand is done; a move can be taught anywhere."""
    return () if errand.how == "teach" else story.sides(errand)


def _reached(errand: Errand, flags: bytes, variables: bytes, moves: Moves) -> bool:
    """Returns whether an errand is done."""
    if errand.kind == "party":
        return len(moves) >= errand.value
    if errand.kind == "move":
        return any(errand.number in each for each in moves)
    if errand.kind == "var":
        (value,) = struct.unpack_from("<H", variables, 2 * (errand.number - VARS_FROM))
        return bool(value >= errand.value)
    return bool(flags[errand.number >> 3] >> (errand.number & 7) & 1)


def _lengths(story: Story, fields: Sequence[Distances]) -> list[int]:
    """Returns the steps to each errand; whoever cannot walk there has come over the sea."""
    place, lengths = START, []
    landings = [min(story.sides(each)) for each in LANDINGS if each.map in story.tables.headers]
    for field in fields:
        begins = [start for start in (place, *landings) if start in field]
        if begins:
            place = begins[0]
            lengths.append(field[place])
            place = _end(story, field, place)
        else:
            lengths.append(0)
    return lengths


def _end(story: Story, field: Distances, place: Place) -> Place:
    """Returns the goal to which a shortest way leads."""
    while field[place]:
        direction = min(story.ways.best(place, field))
        place = story.ways.after[place][direction]
    return place


def _grids(story: Story, fields: Sequence[Distances]) -> Mapping[MapId, NDArray[np.int16]]:
    """Returns the steps to each errand by map, each (errands, height, width)."""
    grids = {
        at: np.full((len(fields), own.height, own.width), NO_WAY, np.int16)
        for at, own in story.ways.world.items()
    }
    for number, field in enumerate(fields):
        for (group, map_number, x, y), steps in field.items():
            grids[group, map_number][number, y, x] = steps
    return grids


@lru_cache(KEPT)
def errand_ways_of(world: str) -> ErrandWays:
    """Returns the ways of a world by its name.

    Raises:
        ValueError: there is no such world.
    """
    return ErrandWays(world_file(world).read_bytes())
