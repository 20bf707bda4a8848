"""The boulders in the Fiery Path: ways among them, with what is pushed."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from emerald_env.jade.maps import BOULDER, MapId, Place
from emerald_env.jade.worlds.guidance.look import Look
from emerald_env.jade.worlds.guidance.menu_keys import A
from emerald_env.jade.worlds.guidance.pushing import BoulderGround, able
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.rom_tables import Person

FIERY_PATH: Final[MapId] = (24, 14)
FLAG_SYS_USE_STRENGTH: Final = 0x889
MOST: Final = 600  # states that somebody can bring about

Acts = dict[Place, str]


class Boulders:
    """The map of a world on which boulders lie.

    Attributes:
        start: where they lie when somebody comes.
    """

    def __init__(self, ways: Ways, people: Iterable[Person]) -> None:
        self._ways = ways
        tiles, own = ways.tiles(FIERY_PATH), ways.world[FIERY_PATH]
        self.start = frozenset((*FIERY_PATH, *each.tile) for each in people if each.look == BOULDER)
        self._entrances = [(*FIERY_PATH, x, y) for x, y, *_ in own.warps]
        self._leaving = {
            place
            for place in tiles
            if any(to[:2] != FIERY_PATH for to in ways.after[place].values())
        }
        bits = BoulderGround(own.width, 0, 0)
        leaps = tuple(
            (bits.bit(place[2:]), key, bits.bit(to[2:]))
            for place in sorted(tiles)
            for key, to in ways.after[place].items()
            if to in tiles and abs(to[2] - place[2]) + abs(to[3] - place[3]) > 1
        )
        self._ground = replace(bits, floor=self._bits(tiles, bits), leaps=leaps)
        self._acts = lru_cache(4096)(self._find_acts)
        self._field = lru_cache(512)(ways.distances)

    def _bits(self, places: Set[Place], ground: BoulderGround | None = None) -> int:
        return sum((ground or self._ground).bit(place[2:]) for place in places)

    def _among(self, people: Set[Place]) -> BoulderGround:
        """Returns the map with people in the way, of whom and of whose mats boulders stay away."""
        tiles = self._ways.tiles(FIERY_PATH)
        floor = self._ground.floor & ~self._bits(people & tiles)
        return replace(self._ground, floor=floor, bare=floor & ~self._bits({*self._entrances}))

    def keys(
        self, look: Look, people: frozenset[Place], distances: Mapping[Place, int]
    ) -> frozenset[str]:
        """Returns the keys that open a way, or lead out where none can be opened any more.

        Args:
            look: at a player on this map, who can push.
            people: everybody here but the boulders.
            distances: to his goal, as if there were no boulders.
        """
        boulders = look.people({BOULDER})
        goal = self._last_here(look.place, distances)
        acts = self._acts(boulders, look.place, people, frozenset({goal}))
        if acts is None:  # spoilt: they lie as at first for whoever comes back
            leaving = frozenset(self._leaving)
            acts = self._acts(boulders, look.place, people, leaving) or {}
            goals = frozenset(acts) or leaving
        else:
            goals = frozenset(acts) or frozenset({goal})
        if (key := acts.get(look.place)) is None:
            if look.place in goals:  # one step from the way out
                steps = self._ways.after[look.place].items()
                return frozenset(d for d, to in steps if to[:2] != FIERY_PATH)
            return self._ways.best(look.place, self._field(goals, people | boulders))
        asks = not look.flag(FLAG_SYS_USE_STRENGTH) and look.faced in boulders
        return A if asks and key == look.facing else frozenset({key})

    def _last_here(self, place: Place, distances: Mapping[Place, int]) -> Place:
        """Returns the goal, or the last tile of this map on a shortest way to it."""
        while distances.get(place):
            nearer = self._ways.best(place, distances)
            after = self._ways.after[place][min(nearer)]
            if after[:2] != FIERY_PATH:
                break
            place = after
        return place

    def _find_acts(
        self,
        boulders: frozenset[Place],
        place: Place,
        people: frozenset[Place],
        goals: frozenset[Place],
    ) -> Acts | None:
        """Returns where to press which key to go on: nowhere, if one can walk; None: no way."""
        ground = self._among(people)
        here = ground.standing(self._bits(boulders), self._bits({place}))
        acts = ground.plan(here, self._bits(goals))
        if acts is None:
            return None
        return {(*FIERY_PATH, *ground.tile(act.tile)): act.key for act in sorted(acts)}

    def find_trap(self, people: Set[Place]) -> str | None:
        """Returns what is wrong: whoever comes gets through, and whatever he pushes, out.

        Args:
            people: everybody here but the boulders.
        """
        ground, out = self._among(people), self._bits(self._leaving)
        for entrance in self._entrances:
            first = self._bits({entrance})
            start = ground.standing(self._bits(self.start), first)
            graph = ground.graph(start, MOST)
            if len(graph) > MOST:
                return f"the boulders of {FIERY_PATH} can be pushed too far to be searched"
            if graph.keys() - able(graph, out):
                return f"no way out of {FIERY_PATH} for whoever pushes boulders"
            free = ground.graph(ground.standing(0, first), MOST)
            for place in self._leaving:
                goal = self._bits({place})
                if any(each.region & goal for each in free) and start not in able(graph, goal):
                    return f"no way from {entrance} among boulders to {place}"
        return None
