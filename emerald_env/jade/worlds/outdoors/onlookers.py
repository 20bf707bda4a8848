"""Trainers who walk up to the player and stay there: whoever meets some of them must get away.

A trainer stops on the tile before the one on which he sees the player first, and stands there until
the player leaves the map. Whoever comes back finds him at home, and is let pass.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Set
from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from emerald_env.jade.maps import DIRECTIONS, INHABITED, STEPS, MapId, Place
from emerald_env.jade.worlds.demanding.wanderers import LOOKS_AROUND
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.rom_tables import RomTables

PAIR: Final = 26  # offset in a trainer (jade/src/battle/duel.h)
NOWHERE: Final[MapId] = (-1, -1)
AROUND: Final = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


class Onlooker(NamedTuple):
    """A trainer who fights at sight.

    Attributes:
        home: where he stands at first.
        sight: tiles that may lie between him and the player.
        steps: the directions in which he may look.
        battle: Emerald's number of the battle, which two of a pair share.
        is_pair: whether he fights only those who have two, with another.
        turns: whether he may look elsewhere when somebody comes.
    """

    home: Place
    sight: int
    steps: tuple[tuple[int, int], ...]
    battle: int
    is_pair: bool
    turns: bool

    def looks_at(self, floor: Set[Place], taken: Set[Place]) -> Iterator[tuple[Place, Place]]:
        """Yields each tile that he sees, after the one on which he stops then.

        Args:
            floor: tiles without walls.
            taken: tiles of people.
        """
        for dx, dy in self.steps:
            stop = self.home
            for _ in range(self.sight + 1):
                seen = (*stop[:2], stop[2] + dx, stop[3] + dy)
                if seen in taken or seen not in floor:
                    break
                yield stop, seen
                stop = seen


class Onlookers:
    """The trainers of a world, and the ways that they leave.

    Args:
        tables: of the world.
        ways: on its maps.
    """

    def __init__(self, tables: RomTables, ways: Ways) -> None:
        self._ways = ways
        self._on = {at: found for at in tables.headers if (found := [*_onlookers(tables, at)])}
        self._into: dict[MapId, list[tuple[Place, Place]]] = defaultdict(list)
        for step in ways.crossings:
            self._into[step[1][:2]].append(step)
        self._shown: set[tuple[MapId, frozenset[Place], frozenset[Place]]] = set()

    def find_trap(self, start: Place, blocked: Set[Place], reached: Set[Place]) -> str | None:
        """Returns where somebody can be shut in by trainers who have walked up to him.

        Args:
            start: where the player comes from, and to where a way must lead.
            blocked: tiles that nobody can step on; trainers stand on some.
            reached: tiles that one gets to while trainers are at home; from all a way leads on.

        Returns:
            What is wrong, None if nothing is.
        """
        for at, onlookers in self._on.items():
            tiles = self._ways.tiles(at)
            people = frozenset(tiles & blocked)
            entries = {to for source, to in self._into[at] if source in reached} | {start} & tiles
            situation = at, people, frozenset(entries - people)
            if situation in self._shown or not situation[2]:
                continue
            here = [each for each in onlookers if each.home in people]
            visit = Visit(self._ways, people, here, self._leads_on(start, blocked, reached))
            if shut := visit.find_shut(situation[2]):
                return f"no way from {shut} for whoever meets a trainer there"
            self._shown.add(situation)
        return None

    def _leads_on(
        self, start: Place, blocked: Set[Place], reached: Set[Place]
    ) -> Callable[[Place], bool]:
        home = lru_cache(1)(lambda: self._ways.distances([start], blocked))
        return lambda place: place in reached or place in home()


class Stop(NamedTuple):
    """Where a trainer stands who has walked up to the player."""

    who: Onlooker
    tile: Place


class Visit:
    """One visit to a map, until the player leaves it.

    Args:
        ways: on the world's maps.
        people: tiles of everybody on the map.
        onlookers: those of them who fight at sight.
        leads_on: whether the story goes on from a tile of another map.
    """

    def __init__(
        self,
        ways: Ways,
        people: frozenset[Place],
        onlookers: Collection[Onlooker],
        leads_on: Callable[[Place], bool],
    ) -> None:
        self._after, self._people, self._leads_on = ways.after, people, leads_on
        at = next((each.home[:2] for each in onlookers), NOWHERE)
        self._floor, self._map = ways.tiles(at), ways.world.get(at)
        self._is_open = lru_cache(None)(self._find_open)
        others = people - {each.home for each in onlookers}
        stops = [
            Stop(each, tile)
            for each in onlookers
            for tile in {tile for tile, _ in each.looks_at(self._floor, others)} - {each.home}
        ]
        self._alone = {stop for stop in stops if self._matters(stop)}
        self._with: dict[Stop, set[Stop]] = defaultdict(set)
        for first, second in permutations(stops, 2):
            if first.who.battle != second.who.battle:
                if self._matters(first, second.tile) and self._matters(second, first.tile):
                    self._with[first].add(second)

    def find_shut(self, entries: Set[Place]) -> Place | None:
        """Returns a tile from which no way leads off the map any more, None if there is none.

        One trainer who has walked up is looked at, and two.

        Args:
            entries: where the player comes from other maps.
        """
        for first, seen in self._meetings(entries, [], self._alone | self._with.keys()):
            if first in self._alone and not self._gets_away(seen, [first]):
                return seen
            for second, further in self._meetings({seen}, [first], self._with.get(first, set())):
                if not self._gets_away(further, [first, second]):
                    return further
        return None

    def _matters(self, stop: Stop, other: Place | None = None) -> bool:
        """Returns whether it makes a difference that somebody is away, if one more is."""
        return not (self._is_open(stop.tile, other) and self._is_open(stop.who.home, other))

    def _find_open(self, tile: Place, other: Place | None) -> bool:
        """Returns whether whoever steps over a tile gets around it, too, within one tile of it."""
        group, number, x, y = tile
        near = {(group, number, x + dx, y + dy) for dx, dy in AROUND}
        if other is not None and other not in near:
            return self._is_open(tile, None)
        taken = self._people | {other}
        near &= self._floor - taken
        beyond = {to for to in self._after[tile].values() if to not in taken}
        before = {
            place
            for dx, dy in STEPS.values()
            for place in ((group, number, x - n * dx, y - n * dy) for n in (1, 2))  # 2: by a leap
            if place not in taken and tile in self._after.get(place, {}).values()
        }
        return all(beyond <= self._walk({place}, near) for place in before)

    def _taken(self, away: Collection[Stop]) -> Set[Place]:
        return self._people - {stop.who.home for stop in away} | {stop.tile for stop in away}

    def _meetings(
        self, starts: Set[Place], away: Collection[Stop], wanted: Set[Stop]
    ) -> Iterator[tuple[Stop, Place]]:
        """Yields where somebody may stop next, with the tile on which he sees the player."""
        taken = self._taken(away)
        free = self._floor - taken if wanted else set()
        for who in {stop.who for stop in wanted}:
            looks = [*who.looks_at(self._floor, taken)]
            watched = {seen for _, seen in looks} if not who.turns else set()
            begin = starts if away else starts - watched
            if who.is_pair:  # it lets pass whoever has one creature, and may catch another
                begin = begin | {p for p in self._walk(starts, free) if self._is_grass(p)}
            found = self._walk(begin, free, watched) | starts
            for tile, seen in looks:
                if seen in found and (stop := Stop(who, tile)) in wanted:
                    yield stop, seen

    def _is_grass(self, place: Place) -> bool:
        return self._map is not None and self._map.behaviour(*place[2:]) in INHABITED

    def _walk(
        self, starts: Set[Place], free: Set[Place], watched: Set[Place] = frozenset()
    ) -> set[Place]:
        """Returns the tiles that can be walked to, of watched ones only the first."""
        found, todo = {*starts}, [*starts]
        while todo:
            for to in self._after[todo.pop()].values():
                if to in free and to not in found:
                    found.add(to)
                    if to not in watched:
                        todo.append(to)
        return found

    def _gets_away(self, start: Place, away: Collection[Stop]) -> bool:
        found = self._walk({start}, self._floor - self._taken(away))
        further = {to for place in found for to in self._after[place].values()} - self._floor
        return any(self._leads_on(to) for to in further)


def _onlookers(tables: RomTables, at: MapId) -> Iterator[Onlooker]:
    for each in tables.people(at):
        if not each.fights:
            continue
        trainer = tables.word(each.script)  # of whom he fights with, and what he says
        (battle,), is_pair = tables.unpack("<H", trainer), bool(tables.byte(trainer + PAIR))
        turns = each.movement == LOOKS_AROUND
        facing = DIRECTIONS.get(each.facing, "down")
        # one of a pair turns to whoever speaks to it while he has one only
        steps = tuple(STEPS.values()) if turns or is_pair else (STEPS[facing],)
        yield Onlooker((*at, *each.tile), each.sight, steps, battle, is_pair, turns)
