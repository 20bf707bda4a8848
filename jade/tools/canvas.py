"""Pictures made of palette letters, and the 8x8 tiles they are cut into."""

from __future__ import annotations

from collections.abc import Callable, Iterable

EMPTY = "."


class Picture:
    """A grid of letters, each a colour of one palette; `.` is see-through."""

    def __init__(self, width: int, height: int, fill: str = EMPTY, palette: str = "ground"):
        self.width, self.height, self.palette = width, height, palette
        self.rows = [[fill] * width for _ in range(height)]

    @classmethod
    def parse(cls, art: str, palette: str = "ground") -> Picture:
        lines = [line for line in art.strip("\n").split("\n")]
        picture = cls(max(map(len, lines)), len(lines), palette=palette)
        for y, line in enumerate(lines):
            for x, letter in enumerate(line):
                picture.rows[y][x] = letter
        return picture

    def put(self, x: int, y: int, letter: str) -> None:
        if 0 <= x < self.width and 0 <= y < self.height and letter != EMPTY:
            self.rows[y][x] = letter

    def box(self, x: int, y: int, width: int, height: int, letter: str) -> None:
        for j in range(y, y + height):
            for i in range(x, x + width):
                self.put(i, j, letter)

    def frame(self, x: int, y: int, width: int, height: int, edge: str, fill: str) -> None:
        self.box(x, y, width, height, edge)
        self.box(x + 1, y + 1, width - 2, height - 2, fill)

    def paste(self, other: Picture, x: int = 0, y: int = 0) -> None:
        for j, row in enumerate(other.rows):
            for i, letter in enumerate(row):
                self.put(x + i, y + j, letter)

    def paint(self, rule: Callable[[int, int], str]) -> Picture:
        for y in range(self.height):
            for x in range(self.width):
                self.put(x, y, rule(x, y))
        return self

    def cut(self, x: int, y: int, width: int, height: int) -> Picture:
        part = Picture(width, height, palette=self.palette)
        part.rows = [row[x : x + width] for row in self.rows[y : y + height]]
        return part

    def copy(self) -> Picture:
        return self.cut(0, 0, self.width, self.height)

    def mirrored(self) -> Picture:
        flipped = self.copy()
        flipped.rows = [row[::-1] for row in self.rows]
        return flipped


def indices(picture: Picture, letters: str) -> list[list[int]]:
    """Returns colour numbers; the palette's first letter is colour 1."""
    return [
        [0 if letter == EMPTY else letters.index(letter) + 1 for letter in row]
        for row in picture.rows
    ]


Tile = tuple[tuple[int, ...], ...]


def tiles(numbers: list[list[int]]) -> Iterable[Tile]:
    """Yields the 8x8 tiles, left to right, then down."""
    for y in range(0, len(numbers), 8):
        for x in range(0, len(numbers[0]), 8):
            yield tuple(tuple(row[x : x + 8]) for row in numbers[y : y + 8])


def pack(tile: Tile) -> list[int]:
    """Returns the eight 32-bit words of a 4-bit tile; the left pixel is the low nibble."""
    return [sum(pixel << 4 * x for x, pixel in enumerate(row)) for row in tile]


def mirror(tile: Tile) -> Tile:
    return tuple(row[::-1] for row in tile)
