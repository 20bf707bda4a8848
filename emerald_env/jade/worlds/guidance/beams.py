"""Mauville's hall, where plates in the floor put out beams: ways through it, with what they do."""

from collections import defaultdict
from collections.abc import Set
from functools import lru_cache
from typing import Final, NamedTuple

from emerald_env.jade.maps import MapId, Place
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.rom_tables import RomTables

HALL: Final[MapId] = (10, 0)
STATE: Final = 0x4093  # VAR_MAUVILLE_GYM_STATE: which plate is down
RED_DOWN, BLUE_DOWN, ALL_OUT = 1, 2, 3
VALUE = 8  # offset in a trigger: of its variable
RED_BEAMS, BLUE_BEAMS = 0x63, 0x13  # flags: they are out
BURNING: Final = {RED_DOWN: BLUE_BEAMS, BLUE_DOWN: RED_BEAMS}  # by state


class HallState(NamedTuple):
    """Where the player stands in the hall, and which plate is down."""

    place: Place
    state: int


class Beams:
    """The hall of one world.

    Attributes:
        tiles: of the beams, by the flag that says that they are out.
        plates: state in which each can be stepped on.
        distances: the steps to the nearest goal, by goals and the tiles of people, from wherever
            there is a way; no goals: to whatever is outside.
    """

    def __init__(self, tables: RomTables, ways: Ways) -> None:
        self.tiles: dict[int, set[Place]] = {RED_BEAMS: set(), BLUE_BEAMS: set()}
        self.plates: dict[Place, int] = {}
        self._ways = ways
        self.distances = lru_cache(64)(self._find_distances)
        for thing, tile in tables.things(HALL):
            if thing.kind == "trigger":
                place = (*HALL, *tile)
                self.plates[place] = tables.unpack("<H", tables.address(thing) + VALUE)[0]
        for each in tables.people(HALL):
            self.tiles.get(each.flag, set()).add((*HALL, *each.tile))

    @property
    def all(self) -> set[Place]:
        """The tiles of all beams."""
        return self.tiles[RED_BEAMS] | self.tiles[BLUE_BEAMS]

    def after(self, standing: HallState, blocked: Set[Place]) -> dict[str, HallState]:
        """Returns where each step ends, and which plate is down then.

        Args:
            standing: where it begins, in the hall.
            blocked: tiles of people.
        """
        burning = self.tiles.get(BURNING.get(standing.state, 0), set())
        found = {}
        for direction, place in self._ways.after[standing.place].items():
            if place not in burning and place not in blocked:
                pressed = self.plates.get(place) == standing.state
                state = RED_DOWN + BLUE_DOWN - standing.state if pressed else standing.state
                found[direction] = HallState(place, state)
        return found

    def _find_distances(
        self, goals: frozenset[Place], blocked: frozenset[Place]
    ) -> dict[HallState, int]:
        before, ends = defaultdict(list), set()
        for place in self._ways.tiles(HALL):
            for state in (RED_DOWN, BLUE_DOWN, ALL_OUT):
                standing = HallState(place, state)
                if place in goals:
                    ends.add(standing)
                for after in self.after(standing, blocked).values():
                    before[after].append(standing)
                    if not goals and after.place[:2] != HALL:
                        ends.add(after)
        found, queue = dict.fromkeys(ends, 0), list(ends)
        for standing in queue:  # it grows at its end
            for earlier in before[standing]:
                if earlier not in found:
                    found[earlier] = found[standing] + 1
                    queue.append(earlier)
        return found

    def best(
        self, standing: HallState, goals: frozenset[Place], blocked: frozenset[Place]
    ) -> frozenset[str]:
        """Returns the directions that lead one step nearer to a goal; see `distances`."""
        steps = self.distances(goals, blocked)
        here = steps.get(standing)
        if here is None:
            return frozenset()
        ways = self.after(standing, blocked).items()
        return frozenset(d for d, after in ways if steps.get(after, here) < here)
