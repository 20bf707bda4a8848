"""Shortest ways through all maps at once: how far every tile is from a goal."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import Final

from emerald_env.jade.maps import COLLISION, STEPS, Place, World, step

FAR: Final = 1 << 30
BLOCKED: Final = FAR + 1


class Distances(Mapping[Place, int]):
    """The steps from tiles to a goal; tiles without a way are left out."""

    def __init__(self, numbers: dict[Place, int], steps: list[int]) -> None:
        self._numbers, self._steps = numbers, steps

    def __getitem__(self, place: Place) -> int:
        steps = self._steps[self._numbers[place]]
        if steps >= FAR:
            raise KeyError(place)
        return steps

    def __iter__(self) -> Iterator[Place]:
        return (place for place, number in self._numbers.items() if self._steps[number] < FAR)

    def __len__(self) -> int:
        return sum(steps < FAR for steps in self._steps)


class Ways:
    """All steps between the tiles of a world, people left aside.

    Attributes:
        after: each tile's steps: direction to the tile where it ends.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.after: dict[Place, dict[str, Place]] = {}
        for at, own in world.items():
            for i, cell in enumerate(own.grid):
                if not cell & COLLISION:
                    place = (*at, i % own.width, i // own.width)
                    steps = {d: step(world, place, d, set()) for d in STEPS}
                    self.after[place] = {d: after for d, after in steps.items() if after}
        self._numbers = {place: number for number, place in enumerate(self.after)}
        self._before: list[list[int]] = [[] for _ in self.after]
        for place, ways in self.after.items():
            for after in self._known(ways.values()):
                self._before[after].append(self._numbers[place])

    def _known(self, places: Iterable[Place]) -> list[int]:
        return [self._numbers[place] for place in places if place in self._numbers]

    def tiles(self, at: tuple[int, int]) -> set[Place]:
        """Returns all tiles of a map that somebody can stand on."""
        return {place for place in self.after if place[:2] == at}

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
