"""The title picture and the frame of text windows, drawn here."""

from __future__ import annotations

from math import hypot, sin

from canvas import Picture
from font import GLYPHS

WIDTH, HEIGHT = 240, 160
FRAME = {  # corners and sides of a window, in this order; the paper is colour 1
    "corner": """
........
...44444
..466666
.4665555
.4655444
.4654111
.4654111
.4654111
""",
    "side": """
........
44444444
66666666
55555555
44444444
11111111
11111111
11111111
""",
}


def _turn(picture: Picture) -> Picture:
    turned = Picture(8, 8, palette="text")
    turned.rows = [list(row) for row in zip(*picture.rows)]
    return turned


def _flip(picture: Picture) -> Picture:
    flipped = picture.copy()
    flipped.rows = picture.rows[::-1]
    return flipped


def frame() -> list[Picture]:
    """Returns nine tiles: empty, then the frame from the upper left to the lower right."""
    corner = Picture.parse(FRAME["corner"], "text")
    top = Picture.parse(FRAME["side"], "text")
    left = _turn(top)
    return [
        Picture(8, 8, palette="text"),
        corner, top, corner.mirrored(),
        left, left.mirrored(),
        _flip(corner), _flip(top), _flip(corner.mirrored()),
    ]  # fmt: skip


def paper() -> Picture:
    return Picture(8, 8, "1", "text")


def arrow() -> Picture:
    picture = paper()
    picture.paste(Picture.parse("777777\n877778\n.8778.\n..88.."), 1, 2)
    return picture


def _ridge(x: int, base: int, height: float, stretch: float, phase: float) -> float:
    wave = sin(x * stretch + phase) + 0.5 * sin(x * stretch * 2.3 + phase * 2)
    return base - height * (0.5 + 0.5 * wave / 1.5)


def _sky(x: int, y: int) -> str:
    if hypot(x - 196, y - 30) < 14:
        return "C" if hypot(x - 191, y - 27) > 9 else "1"
    if (x * 37 + y * 91) % 397 == 5 and y < 70:
        return "1"
    if y > _ridge(x, 152, 22, 0.031, 1.0):
        return "F" if (x + y) % 9 else "E"
    if y > _ridge(x, 132, 40, 0.024, 4.0):
        return "E" if (x * 3 + y) % 11 else "D"
    if y > _ridge(x, 110, 34, 0.043, 2.0):
        return "D" if (x + 2 * y) % 13 else "6"
    band = "9" if y < 36 else "A" if y < 76 else "B"
    edge = 36 if y < 56 else 76
    if abs(y - edge) < 8 and (x + y) % 2 == 0:
        return {"9": "A", "A": "9" if y < 56 else "B", "B": "A"}[band]
    return band


def _letter(picture: Picture, letter: str, left: int, top: int, scale: int) -> None:
    rows = GLYPHS[letter].split("/")
    dots = {
        (x * scale + i, y * scale + j)
        for y, row in enumerate(rows)
        for x, dot in enumerate(row)
        if dot == "#"
        for i in range(scale)
        for j in range(scale)
    }
    for x, y in dots:
        for dx, dy in ((-2, 0), (2, 0), (0, -2), (0, 2), (-1, -1), (1, 1), (1, -1), (-1, 1), (2, 3), (1, 4)):
            picture.put(left + x + dx, top + y + dy, "F")
    for x, y in dots:
        lit = (x, y - 2) not in dots or (x - 2, y) not in dots
        dark = (x, y + 2) not in dots or (x + 2, y) not in dots
        picture.put(left + x, top + y, "1" if lit else "E" if dark else "6" if y < 28 else "D")


def title() -> Picture:
    picture = Picture(WIDTH, HEIGHT, palette="text").paint(_sky)
    for position, letter in enumerate("JADE"):
        _letter(picture, letter, 44 + position * 40, 26, 7)
    return picture
