"""Shortest ways through all maps at once: how far every tile is from a goal."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import Final, NamedTuple

from emerald_env.jade.maps import (
    CARRYING,
    COLLISION,
    LEDGES,
    MAT,
    STEPS,
    Map,
    MapId,
    Place,
    World,
    step,
)

FAR: Final = 1 << 30
BLOCKED: Final = FAR + 1
FLOOR, WALL, OTHER = range(3)  # what a step onto a tile does; other: it depends on more
ODD: Final = CARRYING | LEDGES.keys()


class Distances(Mapping[Place, int]):
    """The steps from tiles to a goal; tiles without a way are left out."""

    def __init__(self, numbers: dict[Place, int], steps: list[int]) -> None:
        self._numbers, self._steps = numbers, steps

    def __getitem__(self, place: Place) -> int:
        steps = self._steps[self._numbers[place]]
        if steps >= FAR:
            raise KeyError(place)
        return steps

    def __contains__(self, place: object) -> bool:
        number = self._numbers.get(place)  # type: ignore[call-overload]
        return number is not None and self._steps[number] < FAR

    def __iter__(self) -> Iterator[Place]:
        return (place for place, number in self._numbers.items() if self._steps[number] < FAR)

    def __len__(self) -> int:
        return sum(steps < FAR for steps in self._steps)

    def missing(self, places: Iterable[Place]) -> set[Place]:
        """Returns those of some places, where one can stand, from which there is no way."""
        numbers, steps = self._numbers, self._steps
        return {place for place in places if steps[numbers[place]] >= FAR}


class _Part(NamedTuple):
    """The steps from the tiles of one map."""

    steps: dict[Place, dict[str, Place]]
    tiles: frozenset[Place]
    before: list[list[int]]  # by place: places of the same map, from which a step leads there
    out: list[tuple[Place, Place]]  # places with a step to another map, and where it ends

    @classmethod
    def of(cls, steps: dict[Place, dict[str, Place]]) -> "_Part":
        """Returns the part with some steps."""
        numbers = {place: number for number, place in enumerate(steps)}
        before: list[list[int]] = [[] for _ in steps]
        out = []
        for number, (place, ways) in enumerate(steps.items()):
            for after in ways.values():
                if (known := numbers.get(after)) is not None:
                    before[known].append(number)
                else:
                    out.append((place, after))
        return cls(steps, frozenset(steps), before, out)


class Ways:
    """All steps between the tiles of a world, people left aside.

    Args:
        world: its maps.
        maps: those of them on which steps begin; None: all.

    Attributes:
        after: each tile's steps: direction to the tile where it ends.
        crossings: the steps from one map to another: where each begins and ends.
    """

    def __init__(self, world: World, maps: Collection[MapId] | None = None) -> None:
        self.world = world
        begin = world if maps is None else maps
        parts = {at: _steps_on(at, _around(world, at)) for at in begin}
        self.after: dict[Place, dict[str, Place]] = {}
        self._before: list[list[int]] = []
        self.crossings: list[tuple[Place, Place]] = []
        for part in parts.values():
            first = len(self._before)
            self.after |= part.steps
            self._before += [[first + number for number in row] for row in part.before]
            self.crossings += part.out
        self._tiles = {at: part.tiles for at, part in parts.items()}
        self._numbers = dict(zip(self.after, range(len(self.after)), strict=True))
        for place, after in self.crossings:
            if (known := self._numbers.get(after)) is not None:
                self._before[known].append(self._numbers[place])

    def _known(self, places: Iterable[Place]) -> list[int]:
        return [self._numbers[place] for place in places if place in self._numbers]

    def tiles(self, at: MapId) -> frozenset[Place]:
        """Returns all tiles of a map that somebody can stand on."""
        return self._tiles.get(at, frozenset())

    def distances(self, goals: Collection[Place], blocked: Set[Place]) -> Distances:
        """Returns the steps from each tile to the nearest goal.

        Args:
            goals: where to.
            blocked: tiles that nobody can step on.
        """
        steps = [FAR] * len(self._before)
        for number in self._known(blocked):
            steps[number] = BLOCKED
        queue = [number for number in self._known(goals) if steps[number] == FAR]
        for number in queue:
            steps[number] = 0
        for number in queue:  # it grows at its end
            further = steps[number] + 1
            for before in self._before[number]:
                if steps[before] == FAR:
                    steps[before] = further
                    queue.append(before)
        return Distances(self._numbers, steps)

    def reached(self, starts: Collection[Place], blocked: Set[Place]) -> set[Place]:
        """Returns all tiles that somebody can walk to."""
        found, todo = set(starts), list(starts)
        while todo:
            for after in self.after[todo.pop()].values():
                if after not in found and after not in blocked:
                    found.add(after)
                    todo.append(after)
        return found

    def best(self, place: Place, distances: Mapping[Place, int]) -> frozenset[str]:
        """Returns the directions that lead one step nearer to the goal."""
        here = distances.get(place, FAR)
        steps = self.after.get(place, {})
        return frozenset(d for d, after in steps.items() if distances.get(after, FAR) < here)


def _around(world: World, at: MapId) -> tuple[tuple[MapId, Map], ...]:
    """Returns a map and those that steps lead to from it."""
    own = world[at]
    others = {to for *_, to in own.warps} | {to for *_, to in own.connections}
    return tuple((to, world[to]) for to in sorted({at, *others} & world.keys()))


@lru_cache(128)
def _steps_on(at: MapId, around: tuple[tuple[MapId, Map], ...]) -> _Part:
    """Returns the steps from each tile of a map that somebody can stand on.

    Worlds are proved several times while they are made; most maps are as they were.
    """
    return _Part.of(dict(_steps(dict(around), at)))


def _steps(world: World, at: MapId) -> Iterator[tuple[Place, dict[str, Place]]]:
    """Yields what `_steps_on` returns; what most tiles are a table says sooner."""
    own = world[at]
    kinds = [
        OTHER if kind in ODD else WALL if cell & COLLISION else FLOOR
        for cell, kind in zip(own.grid, own.behaviours, strict=True)
    ]
    for i, cell in enumerate(own.grid):
        if cell & COLLISION:
            continue
        y, x = divmod(i, own.width)
        place, found = (*at, x, y), {}
        inner = 0 < x < own.width - 1 and 0 < y < own.height - 1 and own.behaviours[i] != MAT
        for direction, (dx, dy) in STEPS.items():
            kind = kinds[i + dx + dy * own.width] if inner else OTHER
            if kind == FLOOR:
                found[direction] = (*at, x + dx, y + dy)
            elif kind == OTHER and (after := step(world, place, direction, set())):
                found[direction] = after
        yield place, found
