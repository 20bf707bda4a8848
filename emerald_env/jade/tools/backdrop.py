"""What is behind a battle: sky, hills, and the ground under the two creatures."""

from __future__ import annotations

from math import hypot, sin

from canvas import Picture

WIDTH, HEIGHT = 240, 160
COLOURS = {
    "1": (184, 232, 248), "2": (152, 216, 240), "3": (208, 240, 248), "4": (112, 192, 144),
    "5": (136, 208, 152), "6": (168, 224, 144), "7": (152, 208, 128), "8": (200, 224, 136),
    "9": (128, 184, 104), "A": (216, 232, 160), "B": (104, 160, 96), "C": (248, 248, 232),
}  # fmt: skip
GROUNDS = ((184, 60, 52, 12), (60, 118, 66, 18))  # x, y and radii of the places to stand


def _place(x: int, y: int) -> str:
    for cx, cy, rx, ry in GROUNDS:
        distance = hypot((x - cx) / rx, (y - cy) / ry)
        if distance < 1:
            return "B" if distance > 0.93 else "A" if distance < 0.6 else "8"
    return ""


def backdrop() -> Picture:
    """Returns the picture of the whole screen; the message box covers its lowest part."""

    def colour(x: int, y: int) -> str:
        if place := _place(x, y):
            return place
        hill = 44 - 7 * sin(x * 0.0524) - 3 * sin(x * 0.1309)
        if y < hill:
            return "3" if y > hill - 3 else "1" if y // 8 % 2 else "2"
        if y < 56:
            return "5" if y < hill + 3 else "4"
        return "9" if y == 56 else "7" if (y - 56) // 6 % 2 else "6"

    return Picture(WIDTH, HEIGHT, palette="backdrop").paint(colour)
