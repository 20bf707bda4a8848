"""What whoever pushes boulders can bring about: a graph of where they lie and where he can walk.

Tiles are bits of one number, row by row, so that a step of all tiles at once is a shift.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from emerald_env.jade.maps import STEPS

Tile = tuple[int, int]


class AmongBoulders(NamedTuple):
    """Where boulders lie, and the tiles that somebody can walk to among them."""

    boulders: int
    region: int


class Act(NamedTuple):
    """A key that moves a boulder, or leads over a ledge; where one stands for it."""

    tile: int  # a bit
    key: str


@dataclass(frozen=True)
class BoulderGround:
    """A map, or a part of it, with walls all around.

    Attributes:
        width: tiles in a row.
        floor: where one can walk.
        bare: where a boulder can be pushed to.
        leaps: of ledges: from where, by which key, to where.
    """

    width: int
    floor: int
    bare: int
    leaps: tuple[tuple[int, str, int], ...] = ()

    def bit(self, tile: Tile) -> int:
        """Returns a tile's bit."""
        return 1 << tile[1] * self.width + tile[0]

    def tile(self, bit: int) -> Tile:
        """Returns the tile of a bit."""
        y, x = divmod(bit.bit_length() - 1, self.width)
        return x, y

    def standing(self, boulders: int, start: int) -> AmongBoulders:
        """Returns where one can walk from a tile, or from several."""
        free, region, width = self.floor & ~boulders, start, self.width
        while True:
            more = region | region << 1 | region >> 1 | region << width | region >> width
            more &= free
            if more == region:
                return AmongBoulders(boulders, region)
            region = more

    def after(self, here: AmongBoulders) -> Iterator[tuple[Act, AmongBoulders]]:
        """Yields what one can do, and what comes of it: pushes, and leaps over ledges."""
        boulders, region = here
        rest = boulders
        while rest:
            boulder = rest & -rest
            rest ^= boulder
            for key, (dx, dy) in STEPS.items():
                shift = dy * self.width + dx
                tile, to = _moved(boulder, -shift), _moved(boulder, shift)
                if tile & region and to & self.bare & ~boulders:
                    yield Act(tile, key), self.standing(boulders ^ boulder ^ to, tile)
        for start, key, to in self.leaps:
            if start & region and to & self.floor & ~boulders & ~region:
                yield Act(start, key), self.standing(boulders, to)

    def plan(self, here: AmongBoulders, goals: int) -> frozenset[Act] | None:
        """Returns how shortest plans to tiles begin: no act, one of some; None: there is no plan.

        Args:
            here: where one stands.
            goals: tiles.
        """
        begun: dict[AmongBoulders, frozenset[Act]] = {here: frozenset()}
        level = [here]
        while level:
            if found := [each for each in level if each.region & goals]:
                return frozenset().union(*(begun[each] for each in found))
            further: dict[AmongBoulders, frozenset[Act]] = {}
            for each in level:
                for act, to in self.after(each):
                    if to not in begun:
                        further[to] = further.get(to, NOTHING) | (begun[each] or {act})
            begun |= further
            level = list(further)
        return None

    def graph(self, start: AmongBoulders, most: int) -> dict[AmongBoulders, set[AmongBoulders]]:
        """Returns all that can be brought about, each with what can be next.

        Args:
            start: where one begins.
            most: of such states, after which it ends.
        """
        found: dict[AmongBoulders, set[AmongBoulders]] = {}
        todo = [start]
        while todo and len(found) <= most:
            here = todo.pop()
            if here not in found:
                found[here] = {to for _, to in self.after(here)}
                todo += found[here]
        return found


NOTHING: Final[frozenset[Act]] = frozenset()


def able(graph: dict[AmongBoulders, set[AmongBoulders]], goals: int) -> set[AmongBoulders]:
    """Returns from which states of a graph one gets to one of some tiles."""
    before: dict[AmongBoulders, list[AmongBoulders]] = {}
    for here, further in graph.items():
        for to in further:
            before.setdefault(to, []).append(here)
    todo = [here for here in graph if here.region & goals]
    found = set(todo)
    while todo:
        for earlier in before.get(todo.pop(), ()):
            if earlier not in found:
                found.add(earlier)
                todo.append(earlier)
    return found


def _moved(bit: int, shift: int) -> int:
    return bit << shift if shift > 0 else bit >> -shift
