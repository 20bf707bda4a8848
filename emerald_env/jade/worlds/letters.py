"""Layouts as letters (see jade/tools/world.py), and the ROM's cells for them."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from emerald_env.jade.maps import STEPS, Map, read_world
from emerald_env.jade.worlds.rom_tables import RomTables

FILE: Final = Path(__file__).parent / "letters.json"  # written by jade/tools/generate.py
FREE: Final = frozenset(",.:;*+qdgcEajUD")  # outdoors: what one can walk on
AROUND: Final = {
    "n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0),
    "NW": (-1, -1), "NE": (1, -1), "SW": (-1, 1), "SE": (1, 1),
}  # fmt: skip

BOARDS: Final = {",": "s", "d": "e", "q": "k", "a": "i"}  # a sign, by what lies beside it


@cache
def table() -> dict[str, Any]:
    """Returns the file with the layouts and the cells."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@dataclass
class Drawing:
    """One map's letters, which may be changed.

    Attributes:
        rows: letters, as lists.
        palette: of a room; empty outdoors.
        houses: kind, column, row.
    """

    rows: list[list[str]]
    palette: str
    houses: list[tuple[str, int, int]]

    @classmethod
    def of(cls, layout: int) -> "Drawing":
        """Returns the layout with a number as it is in world 0."""
        own = table()["layouts"][str(layout)]
        rows = [list(row) for row in own["rows"]]
        return cls(rows, own["palette"], [tuple(house) for house in own["houses"]])

    @classmethod
    def filled(cls, layout: int, letter: str) -> "Drawing":
        """Returns a layout of one letter alone, without houses."""
        drawing = cls.of(layout)
        drawing.houses = []
        drawing.fill(letter, 0, 0, drawing.width, drawing.height)
        return drawing

    @property
    def width(self) -> int:
        """Tiles in a row."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Rows."""
        return len(self.rows)

    def fill(self, letter: str, column: int, row: int, width: int = 1, height: int = 1) -> None:
        """Writes a letter into a rectangle."""
        for line in self.rows[row : row + height]:
            line[column : column + width] = [letter] * width

    def fill_blocks(self, letter: str, *tiles: tuple[int, int]) -> None:
        """Writes a letter into blocks of two by two tiles, named by their upper left ones."""
        for column, row in tiles:
            self.fill(letter, column, row, 2, 2)

    def cells(self) -> list[int]:
        """Returns the grid as the ROM has it."""
        grid = [[self._cell(x, y) for x in range(self.width)] for y in range(self.height)]
        for kind, column, row in self.houses:
            for i, line in enumerate(table()["houses"][kind]["rows"]):
                grid[row + i][column : column + len(line)] = line
        return sum(grid, [])

    def _sides(self, x: int, y: int) -> list[str]:
        """Returns the sides on which another letter lies; the map's end is the same."""
        found = []
        for name, (dx, dy) in AROUND.items():
            i, j = x + dx, y + dy
            inside = 0 <= i < self.width and 0 <= j < self.height
            if inside and self.rows[j][i] != self.rows[y][x]:
                found.append(name)
        return found

    def _cell(self, x: int, y: int) -> int:
        letter = self.rows[y][x]
        sides = self._sides(x, y) if letter in "t.~" else []
        if self.palette:
            joined = [side for side in "ensw" if side not in sides] if letter == "t" else []
            key = " ".join([self.palette, letter, *joined])
            return int(table()["rooms"].get(key, table()["rooms"][f"{self.palette} -"]))
        cells = table()["outdoors"]
        if letter in "TY":
            return int(cells[f"{letter} {x % 2}{y % 2}"])
        if letter in ",g":
            return int(cells[f"{letter} {int((x * 7 + y * 5) % 4 == 0)}"])
        if not sides:
            return int(cells[letter])
        return int(cells.get(f"{letter} {' '.join(sorted(sides))}", cells[letter]))


def suit_signs(tables: RomTables) -> None:
    """Gives each sign outdoors the picture that suits the ground beside it.

    Args:
        tables: of a world that jade_full.gba runs.
    """
    cells = table()["outdoors"]
    boards = {cells[letter] for letter in BOARDS.values()}
    grounds = {cell: key[0] for key, cell in cells.items() if key[0] in BOARDS}
    for at, own in read_world(tables).items():
        for thing, (x, y) in tables.things(at):
            if thing.kind == "sign" and own.cell(x, y) in boards:
                beside = Counter(grounds.get(cell) for cell in _beside(own, x, y))
                ground = max(BOARDS, key=lambda each: beside[each])
                tables.set_cell(at, x, y, cells[BOARDS[ground]])


def _beside(own: Map, x: int, y: int) -> list[int]:
    tiles = [(x + dx, y + dy) for dx, dy in STEPS.values()]
    return [own.cell(*tile) for tile in tiles if own.inside(*tile)]
