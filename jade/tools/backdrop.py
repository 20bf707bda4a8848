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


HALL_COLOURS = {
    "1": (96, 112, 144), "2": (80, 92, 124), "3": (64, 72, 104), "4": (216, 184, 120),
    "5": (184, 148, 92), "6": (200, 168, 108), "7": (152, 116, 72), "8": (232, 216, 176),
    "9": (48, 52, 76), "A": (248, 240, 208), "B": (136, 104, 72), "C": (248, 216, 120),
}  # fmt: skip


def hall() -> Picture:
    """Returns the same in a leader's hall: a wall with lamps, a floor of boards."""

    def colour(x: int, y: int) -> str:
        if place := _place(x, y):
            return place
        if y < 48:
            if x % 48 in (22, 23, 24, 25) and 14 <= y < 30:
                return "C" if y < 22 else "9"
            return "3" if y > 44 else "9" if x % 24 == 0 else "2" if y // 12 % 2 else "1"
        if y < 51:
            return "7"
        return "7" if (y - 51) % 12 == 0 else "5" if (x + y // 12 * 37) % 64 == 0 else "4" if y // 12 % 2 else "6"

    return Picture(WIDTH, HEIGHT, palette="backdrop").paint(colour)


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
