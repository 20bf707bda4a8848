"""Narrow places on a way: whoever goes on must pass the one tile that somebody looks at."""

from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from emerald_env.jade.maps import DOOR, LEDGES, MAT, STAIRS, STEPS, MapId, Place
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.letters import table
from emerald_env.jade.worlds.rom_tables import RomTables

BOUND: Final = {DOOR, MAT, STAIRS, *LEDGES}  # what such tiles do must stay
NEAR: Final = 4  # steps

Steps = dict[Place, list[Place]]


class Narrow(NamedTuple):
    """A tile that must be passed, and one beside it for whoever looks at it."""

    passed: Place
    beside: Place

    @property
    def facing(self) -> int:
        """The number of the direction from the second to the first."""
        step = (self.passed[2] - self.beside[2], self.passed[3] - self.beside[3])
        return list(STEPS.values()).index(step) + 1


def way(ways: Ways, start: Place, goals: Set[Place], blocked: Set[Place]) -> list[Place]:
    """Returns the tiles of a shortest way.

    Raises:
        ValueError: there is none.
    """
    distances, found = ways.distances(goals, blocked), [start]
    if start not in distances:
        raise ValueError(f"no way from {start}")
    while distances[found[-1]]:
        here = distances[found[-1]]
        steps = ways.after[found[-1]].values()
        found.append(next(to for to in steps if distances.get(to, here) < here))
    return found


class Section:
    """The part of a way that lies on one map, and the ground around it.

    Attributes:
        way: its tiles, in their order.
    """

    def __init__(self, tables: RomTables, ways: Ways, tiles: list[Place]) -> None:
        self.way = tiles
        self._tables, self._at = tables, tiles[0][:2]
        self._taken = {(*self._at, *tile) for _, tile in tables.things(self._at)}
        own = ways.world[self._at]
        self._bound = {
            place for place in ways.tiles(self._at) if own.behaviour(*place[2:]) in BOUND
        }
        self._after = {
            place: [to for to in ways.after[place].values() if to[:2] == self._at]
            for place in ways.tiles(self._at)
        }
        self._before: dict[Place, list[Place]] = {place: [] for place in self._after}
        for place, steps in self._after.items():
            for to in steps:
                if to in self._before:
                    self._before[to].append(place)

    @property
    def map(self) -> MapId:
        """The map."""
        return self._at

    def narrow(self, part: float) -> Narrow | None:
        """Makes a narrow place near a part of the way, with fences; None: there is none.

        Args:
            part: of the way, from 0 to 1.
        """
        middle = part * (len(self.way) - 1)
        for number in sorted(range(1, len(self.way) - 1), key=lambda n: abs(n - middle)):
            for run in self._runs(self.way[number]):
                if found := self._closed(run, self.way[number]):
                    return found
        return None

    def spot(self, near: Place) -> Place:
        """Returns a tile near another where somebody is in nobody's way.

        Raises:
            ValueError: there is none.
        """
        for place in self._around(near):
            if place not in self._taken | self._bound and self._harmless({place}):
                self._taken.add(place)
                self._close({place})
                return place
        raise ValueError(f"nobody can stand near {near}")

    def is_barred(self, people: set[Place]) -> bool:
        """Returns whether with people in the way no way leads on from where it begins."""
        return self.way[-1] not in self._reached(self.way[0], self._after, people)

    def _runs(self, place: Place) -> Iterator[list[Place]]:
        """Yields the rows of free tiles through a tile: across, and up and down."""
        for dx, dy in ((1, 0), (0, 1)):
            run = [place]
            for sign in (1, -1):
                after = (*self._at, place[2] + sign * dx, place[3] + sign * dy)
                while after in self._after:
                    run.insert(len(run) if sign > 0 else 0, after)
                    after = (*self._at, after[2] + sign * dx, after[3] + sign * dy)
            yield run

    def _closed(self, run: list[Place], passed: Place) -> Narrow | None:
        """Closes a row but for one tile, if every way leads through it and nothing is cut off."""
        if len(run) < 2 or (self._taken | self._bound) & set(run):
            return None
        if self.way[-1] in self._reached(self.way[0], self._after, set(run)):
            return None
        rest = set(run) - {passed}
        if not self._harmless(rest):
            return None
        at = run.index(passed)
        beside = run[at - 1] if at else run[1]
        self._fence(rest - {beside})
        self._close(rest)
        self._taken |= {passed, beside}
        return Narrow(passed, beside)

    def _close(self, places: set[Place]) -> None:
        for place in places:
            del self._after[place], self._before[place]

    def _harmless(self, closed: set[Place]) -> bool:
        """Returns whether without some tiles one still gets to all others, and on from them."""
        return all(
            self._reached(start, steps, set()) - closed == self._reached(start, steps, closed)
            for start, steps in ((self.way[0], self._after), (self.way[-1], self._before))
        )

    def _reached(self, start: Place, steps: Steps, closed: set[Place]) -> set[Place]:
        found, todo = {start}, [start]
        while todo:
            for to in steps[todo.pop()]:
                if to not in found and to not in closed and to in steps:
                    found.add(to)
                    todo.append(to)
        return found

    def _around(self, near: Place) -> list[Place]:
        def steps(place: Place) -> int:
            return abs(place[2] - near[2]) + abs(place[3] - near[3])

        return sorted((p for p in self._after if 0 < steps(p) <= NEAR), key=lambda p: (steps(p), p))

    def _fence(self, places: Set[Place]) -> None:
        for *_, x, y in places:
            self._tables.set_cell(self._at, x, y, table()["outdoors"]["f"])
