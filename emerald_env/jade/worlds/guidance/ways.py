"""Shortest ways through all maps at once: how far every tile is from a goal."""

from collections import defaultdict, deque
from collections.abc import Collection, Set
from typing import Final

from emerald_env.jade.maps import COLLISION, STEPS, Place, World, step

FAR: Final = 1 << 30


class Ways:
    """All steps between the tiles of a world, people left aside.

    Attributes:
        after: each tile's steps: direction to the tile where it ends.
        before: each tile's predecessors, and the tile that must be free on the way.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.after: dict[Place, dict[str, Place]] = {}
        self.before: dict[Place, list[Place]] = defaultdict(list)
        for at, own in world.items():
            for i, cell in enumerate(own.grid):
                if not cell & COLLISION:
                    self._add((*at, i % own.width, i // own.width))

    def _add(self, place: Place) -> None:
        steps = {d: after for d in STEPS if (after := step(self.world, place, d, set()))}
        self.after[place] = steps
        for after in steps.values():
            self.before[after].append(place)

    def tiles(self, at: tuple[int, int]) -> set[Place]:
        """Returns all tiles of a map that somebody can stand on."""
        return {place for place in self.after if place[:2] == at}

    def distances(self, goals: Collection[Place], blocked: Set[Place]) -> dict[Place, int]:
        """Returns the steps from each tile to the nearest goal; tiles without a way are left out.

        Args:
            goals: where to.
            blocked: tiles that nobody can step on.
        """
        found = {goal: 0 for goal in goals if goal in self.after and goal not in blocked}
        queue = deque(found)
        while queue:
            place = queue.popleft()
            for before in self.before[place]:
                if before not in found and before not in blocked:
                    found[before] = found[place] + 1
                    queue.append(before)
        return found

    def reached(self, starts: Collection[Place], blocked: Set[Place]) -> set[Place]:
        """Returns all tiles that somebody can walk to."""
        found, todo = set(starts), list(starts)
        while todo:
            for after in self.after[todo.pop()].values():
                if after not in found and after not in blocked:
                    found.add(after)
                    todo.append(after)
        return found

    def best(self, place: Place, distances: dict[Place, int]) -> frozenset[str]:
        """Returns the directions that lead one step nearer to the goal."""
        here = distances.get(place, FAR)
        steps = self.after.get(place, {})
        return frozenset(d for d, after in steps.items() if distances.get(after, FAR) < here)
