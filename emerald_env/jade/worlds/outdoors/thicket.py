"""Outdoor maps: winding ways between what the story needs, through a wood that is the rest.

A map is cut into blocks of two by two tiles, as trees are. Blocks that something needs are joined
by shortest paths over random costs; all other blocks become trees.
"""

import heapq
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from emerald_env.jade.maps import STEPS
from emerald_env.jade.worlds.letters import Drawing, table

Block = tuple[int, int]
LOOP = 5  # blocks of the way around a ledge, at least
LONGEST = 9  # blocks of a second way, with its ends
LEDGES: Final = {",": "_^<>", "a": "lu{}"}  # by floor, in the order of `STEPS`
OFF_MAZE = 300  # what a block beside the maze costs more than one of it
NEXT = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass
class Thicket:
    """A rectangle of blocks that is grown anew.

    Attributes:
        drawing: the map's letters.
        blocks: those that may be opened.
        needed: those that must be joined.
        taken: open ones where nobody may stand.
        ends: tiles between which a way must stay open, whoever stands about.
        spots: tiles where somebody or something stands.
    """

    drawing: Drawing
    chance: random.Random
    blocks: set[Block]
    floor: str = ","
    wall: str = "T"
    needed: list[Block] = field(default_factory=list)
    taken: set[Block] = field(default_factory=set)
    open: set[Block] = field(default_factory=set)
    ends: list[tuple[int, int]] = field(default_factory=list)
    spots: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def of(
        cls, drawing: Drawing, chance: random.Random, area: tuple[int, int, int, int], kind: str
    ) -> "Thicket":
        """Returns the ground of an area in tiles: column, row, width, height, all even."""
        x, y, width, height = (n // 2 for n in area)
        blocks = {(i, j) for i in range(x, x + width) for j in range(y, y + height)}
        return cls(drawing, chance, blocks, *kind)

    def need(self, x: int, y: int) -> None:
        """Joins the block of a tile with the others; nobody may stand there."""
        block = (x // 2, y // 2)
        self.blocks.add(block)
        self.needed.append(block)
        self.taken.add(block)

    def leave_through(self, x: int, y: int) -> None:
        """Opens the block of a tile, through which no way to elsewhere leads."""
        self.blocks.discard((x // 2, y // 2))
        self.drawing.fill(self.floor, x, y, 2, 2)

    def build(self, kind: str) -> tuple[int, int]:
        """Puts a house somewhere; returns the tile of its door.

        Raises:
            ValueError: there is no room for it.
        """
        house = table()["houses"][kind]
        width, height = len(house["rows"][0]), len(house["rows"])
        for _ in range(200):
            left, top = self.chance.choice(sorted(self.blocks))
            x, y = 2 * left + self.chance.randrange(2), 2 * top + height % 2
            door = (x + house["door"], y + height - 1)
            covered = {(i // 2, j // 2) for i in range(x, x + width) for j in range(y, y + height)}
            front = (door[0] // 2, (door[1] + 1) // 2)
            if covered <= self.blocks - self.taken and front in self.blocks:
                self.blocks -= covered
                self.drawing.houses.append((kind, x, y))
                for i, j in covered:
                    self.drawing.fill(self.floor, 2 * i, 2 * j, 2, 2)
                self.need(door[0], door[1] + 1)
                return door
        raise ValueError(f"no room for a {kind}")

    def grow(self, detours: int, clearings: int, large: bool = False) -> None:
        """Joins everything that is needed, by ways that wind; draws floor and trees.

        Args:
            detours: blocks anywhere that are joined, too.
            clearings: wider places on the ways.
            large: whether the ways follow a maze, and are as long as there is room for.

        Raises:
            ValueError: something cannot be joined.
        """
        todo = [*self.needed, *self.chance.sample(sorted(self.blocks), detours)]
        maze = self._maze() if large else set()
        cost = {
            block: 1.0 if block in maze else self.chance.random() ** 2 * 9 + 1 + OFF_MAZE * large
            for block in self.blocks
        }
        self.open = {todo[0]}
        for block in todo[1:]:
            self.open |= set(self._way(block, cost))
        for _ in range(0 if large else clearings):
            i, j = self.chance.choice(sorted(self.open))
            wide, high = self.chance.randrange(1, 4), self.chance.randrange(1, 3)
            room = {(i + a, j + b) for a in range(wide) for b in range(high)}
            self.open |= room & self.blocks
        for i, j in self.blocks:
            letter = self.floor if (i, j) in self.open else self.wall
            self.drawing.fill(letter, 2 * i, 2 * j, 2, 2)

    def _maze(self) -> set[Block]:
        """Returns the blocks of a maze with one way between any two of its places."""
        at = self.chance.choice(sorted(self.blocks))
        left, trail = self.blocks - {at}, [at]
        while trail:
            i, j = trail[-1]
            free = [
                (dx, dy)
                for dx, dy in NEXT
                if (i + dx, j + dy) in left and (i + 2 * dx, j + 2 * dy) in left
            ]
            if not free:
                trail.pop()
                continue
            dx, dy = self.chance.choice(free)
            trail.append((i + 2 * dx, j + 2 * dy))
            left -= {(i + dx, j + dy), trail[-1]}
        return self.blocks - left

    def _way(self, start: Block, cost: dict[Block, float]) -> list[Block]:
        came: dict[Block, Block | None] = {}
        queue: list[tuple[float, Block, Block | None]] = [(0.0, start, None)]
        while queue:
            spent, block, before = heapq.heappop(queue)
            if block in came:
                continue
            came[block] = before
            if block in self.open:
                way = []
                at: Block | None = block
                while at is not None:
                    way.append(at)
                    at = came[at]
                return way
            for dx, dy in NEXT:
                after = (block[0] + dx, block[1] + dy)
                if after in self.blocks and after not in came:
                    heapq.heappush(queue, (spent + cost[after], after, block))
        raise ValueError(f"no way from block {start}")

    def drop_ledges(self, count: int) -> None:
        """Joins ways a second time, by narrow ones that a ledge lets nobody come back.

        Args:
            count: of such ways, at most.
        """
        starts = sorted(self.open - self.taken)
        self.chance.shuffle(starts)
        for start in starts:
            way = self._second_way(start)
            places = [n for n in range(1, len(way) - 1) if self._is_straight(way, n)]
            if places:
                self._drop(way, self.chance.choice(places))
                count -= 1
            if not count:
                return

    def _second_way(self, start: Block) -> list[Block]:
        """Returns a way through trees from an open block to one that is far from it; or none."""
        far, closed, came = self._steps(start), self.blocks - self.open, {start: start}
        todo = [start]
        for block in todo:  # it grows at its end
            for dx, dy in self.chance.sample(NEXT, 4):
                after = (block[0] + dx, block[1] + dy)
                if after in came:
                    continue
                came[after] = block
                if after in closed:
                    todo.append(after)
                elif far.get(after, 0) >= LOOP and after not in self.taken:
                    way = [after]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1] if len(way) <= LONGEST else []
        return []

    def _steps(self, start: Block) -> dict[Block, int]:
        """Returns how many blocks of open ground lie between one and each other."""
        steps, todo = {start: 0}, [start]
        for i, j in todo:  # it grows at its end
            for dx, dy in NEXT:
                after = (i + dx, j + dy)
                if after in self.open and after not in steps:
                    steps[after] = steps[i, j] + 1
                    todo.append(after)
        return steps

    def _is_straight(self, way: list[Block], n: int) -> bool:
        """Returns whether a way goes on straight at one of its blocks, with trees on both sides."""
        (a, b), (i, j), (c, d) = way[n - 1 : n + 2]
        dx, dy = i - a, j - b
        sides = {(i + dy, j + dx), (i - dy, j - dx)}
        return (c - i, d - j) == (dx, dy) and sides <= self.blocks - self.open - {*way}

    def _drop(self, way: list[Block], n: int) -> None:
        """Opens a way; one of its blocks ends in a ledge."""
        for i, j in way[1:-1]:
            self.drawing.fill(self.floor, 2 * i, 2 * j, 2, 2)
            self.open.add((i, j))
        (a, b), (i, j) = way[n - 1 : n + 1]
        dx, dy = i - a, j - b
        letter = LEDGES[self.floor][list(STEPS.values()).index((dx, dy))]
        at = (2 * i + (dx > 0), 2 * j + (dy > 0))
        self.drawing.fill(letter, *at, 2 - abs(dx), 2 - abs(dy))
        self.taken |= {*way[n - 1 : n + 2]}

    def scatter(self, letters: Iterable[str], part: float) -> None:
        """Sows grass or flowers on a part of the open blocks."""
        for block in sorted(self.open - self.taken):
            if self.chance.random() < part:
                self.drawing.fill(
                    self.chance.choice(list(letters)), 2 * block[0], 2 * block[1], 2, 2
                )

    def spot(self) -> tuple[int, int]:
        """Returns a tile for somebody, who leaves the others of his block free.

        Raises:
            ValueError: all blocks are taken.
        """
        free = sorted(self.open - self.taken)
        if not free:
            raise ValueError("nowhere to stand")
        block = self.chance.choice(free)
        self.taken.add(block)
        spot = 2 * block[0] + self.chance.randrange(2), 2 * block[1] + self.chance.randrange(2)
        self.spots.add(spot)
        return spot
