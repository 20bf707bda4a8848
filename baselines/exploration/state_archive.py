"""States that games have reached, with the path from the start to each of them."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from baselines.exploration.selection import Spot, weights
from emerald_env.emulator import SCREEN_SHAPE
from emerald_env.explorer import Cell, Found, Strength
from emerald_env.explorer.cells import is_cell
from emerald_env.files.data import is_count, is_number
from emerald_env.game.savefile import pack_png_around
from emerald_env.game.tables import milestones
from emerald_env.state import milestones_in

MAX_CELLS = 40_000  # 1 kB of memory each
MAX_BYTES = 1 << 30  # of disk; a state takes some 10 kB in Jade and 44 kB in Emerald
NO_PICTURE = np.zeros(SCREEN_SHAPE, np.uint8)  # drawing one takes longer than a step


@dataclass
class Node:
    """A state, and its predecessor on the path from the start."""

    cell: Cell
    parent: int | None  # number of an earlier node; None: an episode begins here
    length: int  # steps from the start
    strength: Strength
    file: str  # in the archive's folder
    drawn: int = 0  # bursts that began here
    children: int = 0
    spot: Spot = field(init=False)

    def __post_init__(self) -> None:
        """Computes the spot from the cell."""
        self.spot = Spot(self.cell.rank, self.cell.room, self.cell.square)

    @property
    def cost(self) -> float:
        """Cost in steps; lower is better."""
        return self.strength.cost(self.length)


class Archive:
    """The best known state of each cell, and all states on the paths to them.

    A replaced state is kept while another state's path passes through it, so every chain of parents
    is a path that was actually played, back to the start.

    Args:
        folder: where the states are, as PNG states of mGBA; created with the first of them.
        most_cells: above that, the cells least likely to be drawn are forgotten.
        most_bytes: the same for the disk that all states take, by the size of the latest.
    """

    def __init__(
        self, folder: Path, most_cells: int = MAX_CELLS, most_bytes: int = MAX_BYTES
    ) -> None:
        self.folder = folder
        self.nodes: dict[int, Node] = {}
        self.cells: dict[Cell, int] = {}  # cell -> its best state's node
        self._most_cells = most_cells
        self._most_bytes = most_bytes
        self._next = 0
        self._news: dict[Cell, float] = {}
        self._fewest: dict[tuple[int, ...], int] = {}  # room -> fewest milestones there
        self._replaced: list[int] = []
        self._known: dict[str, Any] = {}  # cached until the next change
        self.lost: set[int] = set()  # nodes whose file is missing or damaged; never drawn

    def __len__(self) -> int:
        return len(self.cells)

    def path(self, node: int) -> Path:
        """Returns the file of a node's state."""
        return self.folder / self.nodes[node].file

    def add(self, found: Found, parent: int | None) -> int | None:
        """Keeps a state, unless its cell already has one that is as good.

        Args:
            found: the state.
            parent: the previous node on the path; None: an episode begins here.

        Returns:
            Its node; None if it was not kept.

        Raises:
            OSError: it cannot be written.
        """
        old = self.cells.get(found.cell)
        if old is not None and found.cost >= self.nodes[old].cost:
            return None
        name = hashlib.sha256(found.state).hexdigest()[:20] + ".ss1"
        self._known.clear()
        self.folder.mkdir(parents=True, exist_ok=True)
        written = (self.folder / name).write_bytes(pack_png_around(found.state, NO_PICTURE))
        self._most_cells = min(self._most_cells, self._most_bytes // written)
        number, self._next = self._next, self._next + 1
        self.nodes[number] = Node(found.cell, parent, found.length, found.strength, name)
        if parent is not None:
            self.nodes[parent].children += 1
        self.cells.pop(found.cell, None)  # so that cells are in the order of their nodes
        self.cells[found.cell] = number
        self._news[found.cell] = found.cost
        self._see(found.cell)
        if old is not None:
            self._replaced.append(old)
        return number

    def tidy(self) -> None:
        """Forgets replaced states that are on no path, and cells beyond `most_cells`.

        Until then a state that was just replaced may still become a parent.
        """
        self._known.clear()
        for number in self._replaced:
            self._drop(number)
        self._replaced.clear()
        if len(self.cells) > self._most_cells:
            self._thin()

    def _drop(self, number: int | None) -> None:
        """Forgets a node that is no cell's best and on no path, and then its parents likewise."""
        while number is not None and (node := self.nodes.get(number)) is not None:
            if node.children or self.cells.get(node.cell) == number:
                return
            del self.nodes[number]
            number = node.parent
            if number is not None:
                self.nodes[number].children -= 1

    def chain(self, number: int) -> list[int]:
        """Returns the nodes on the path to a node, from the start."""
        way = [number]
        while (parent := self.nodes[way[-1]].parent) is not None:
            way.append(parent)
        return way[::-1]

    def homes(self) -> dict[Cell, int]:
        """Returns the nodes in which episodes begin, by their cells."""
        return {node.cell: number for number, node in self.nodes.items() if node.parent is None}

    def draw(self, dice: Random, count: int, before: str | None = None) -> list[int]:
        """Returns nodes to begin bursts in, see `selection.weights`.

        Args:
            dice: random numbers.
            count: how many.
            before: only states without this milestone, if there are any.

        Raises:
            FileNotFoundError: the files of all states are gone.
        """
        best = [number for number in self.cells.values() if number not in self.lost]
        if not best:
            raise FileNotFoundError(f"no state in {self.folder} can be read any more")
        if before is not None:
            done = sum(1 << entry.bit for entry in milestones() if entry.slug == before)
            best = [n for n in best if not self.nodes[n].cell.milestones & done] or best
        drawn = dice.choices(best, self._weights(best), k=count)
        self.count(drawn)
        return drawn

    def count(self, begun: Iterable[int]) -> None:
        """Counts the bursts that begin in some nodes."""
        self._known.clear()
        for number in begun:
            self.nodes[number].drawn += 1

    def _weights(self, numbers: list[int]) -> list[float]:
        nodes = [self.nodes[number] for number in numbers]
        spots, drawn = [node.spot for node in nodes], [node.drawn for node in nodes]
        likely: list[float] = weights(spots, drawn, self._fewest).tolist()
        return likely

    def _see_all(self) -> None:
        """Notes where all cells are, after some were forgotten or all were replaced."""
        self._fewest.clear()
        for cell in self.cells:
            self._see(cell)

    def _see(self, cell: Cell) -> None:
        """Notes with how few milestones a room was reached."""
        self._fewest[cell.room] = min(cell.progress, self._fewest.get(cell.room, cell.progress))

    def _thin(self) -> None:
        """Forgets a tenth of the cells, those that are least likely to be drawn."""
        ends = [number for number in self.cells.values() if not self.nodes[number].children]
        likely = dict(zip(ends, self._weights(ends), strict=True))
        for number in sorted(ends, key=likely.__getitem__)[: self._most_cells // 10]:
            cell = self.nodes[number].cell
            if self.nodes[number].parent is not None:
                del self.cells[cell]
                self._news[cell] = math.inf
                self._drop(number)
        self._see_all()

    def lose(self, number: int) -> Path | None:
        """Excludes a node from being drawn; returns its file the first time."""
        if number in self.lost or number not in self.nodes:
            return None
        self.lost.add(number)
        return self.path(number)

    def take_news(self) -> dict[Cell, float]:
        """Returns the costs that changed since the last call; infinity: the cell was forgotten."""
        news, self._news = self._news, {}
        return news

    def costs(self) -> dict[Cell, float]:
        """Returns the cost of each cell's state."""
        return {cell: self.nodes[number].cost for cell, number in self.cells.items()}

    def first_with(self) -> dict[str, int]:
        """Returns, by slug, the cheapest node that has each milestone."""
        if "first" not in self._known:
            self._known["first"] = self._first_with()
        return dict(self._known["first"])

    def _first_with(self) -> dict[str, int]:
        first: dict[int, int] = {}
        for number, node in self.nodes.items():
            before = 0 if node.parent is None else self.nodes[node.parent].cell.milestones
            for bit in _bits(node.cell.milestones & ~before):
                if bit not in first or node.cost < self.nodes[first[bit]].cost:
                    first[bit] = number
        return {m.slug: first[m.bit] for m in milestones() if m.bit in first}

    def states_by_milestone(self) -> dict[str, int]:
        """Returns, by slug, in how many cells each milestone is the last of the story."""
        if "states" not in self._known:
            done = (milestones_in(cell.milestones) for cell in self.cells)
            self._known["states"] = dict(Counter(reached[-1].slug for reached in done if reached))
        return dict(self._known["states"])

    def furthest(self) -> int:
        """Returns the cheapest of the nodes with the most milestones."""
        if "furthest" not in self._known:
            self._known["furthest"] = max(
                self.cells.values(),
                key=lambda number: (self.nodes[number].cell.progress, -self.nodes[number].cost),
            )
        return int(self._known["furthest"])

    def get_state(self) -> dict[str, Any]:
        """Returns everything but the states themselves, as plain values."""
        if "state" not in self._known:
            self._known["state"] = self._plain()
        state: dict[str, Any] = self._known["state"]
        return state

    def _plain(self) -> dict[str, Any]:
        return {
            "next": self._next,
            "nodes": [
                [
                    number,
                    list(node.cell),
                    node.parent,
                    node.length,
                    list(node.strength),
                    node.file,
                    node.drawn,
                    self.cells.get(node.cell) == number,
                ]
                for number, node in self.nodes.items()
            ],
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned.

        States whose files are gone are never drawn.

        Raises:
            ValueError, TypeError, LookupError: it is not from `get_state`.
        """
        nodes: dict[int, Node] = {}
        cells: dict[Cell, int] = {}
        following = state["next"]
        for number, *values, best in state["nodes"]:
            # a number given twice could make parents a ring
            new = is_count(following) and is_count(number, following - 1) and number not in nodes
            if not new:
                raise ValueError(f"node {number!r:.40} of the archive is damaged")
            node, parent = _node(*values), values[1]
            if parent is not None:
                nodes[parent].children += 1  # which came before
            nodes[number] = node
            if best:
                cells[node.cell] = number
        files = {path.name for path in self.folder.glob("*.ss1")}
        self.lost = {number for number, node in nodes.items() if node.file not in files}
        self.nodes, self.cells, self._next, self._news = nodes, cells, following, {}
        self._see_all()
        self._known.clear()

    def sweep(self, saved: Mapping[str, Any]) -> None:
        """Removes files that neither the archive nor a saved `get_state` refers to."""
        kept = {node.file for node in self.nodes.values()} | {node[5] for node in saved["nodes"]}
        for path in self.folder.glob("*.ss1"):
            if path.name not in kept:
                path.unlink()


def _node(cell: Any, parent: Any, length: Any, strength: Any, file: Any, drawn: Any) -> Node:
    """Returns a node of values from a file.

    Raises:
        ValueError, TypeError: they are not a node's.
    """
    health, levels = strength
    counts = (0 if parent is None else parent, length, drawn, levels)
    if not is_cell(cell) or not all(map(is_count, counts)) or not is_number(health, 0):
        raise ValueError(f"the archive has a node {[cell, parent, length, strength, drawn]!r:.200}")
    if not is_name(file):
        raise ValueError(f"the archive names a file {file!r:.40}")
    return Node(Cell(*cell), parent, length, Strength(float(health), levels), file, drawn)


def is_name(file: Any) -> bool:
    """Returns whether this is one of our file names, and not a path to anywhere else."""
    return isinstance(file, str) and file.endswith(".ss1") and file[:-4].isalnum()


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1
