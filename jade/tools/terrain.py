"""Pictures of the ground, of trees and houses, and of rooms: all drawn here."""

from __future__ import annotations

from math import hypot

from canvas import Picture

SIZE = 16

# Emerald's metatile behaviours (facts: metatile_behaviors.csv)
NORMAL, TALL_GRASS, OCEAN_WATER = 0x00, 0x02, 0x15
CAVE = 0x08
STAIRS, ARROW_SOUTH, DOOR = 0x61, 0x65, 0x69
JUMPED = {"e": 0x38, "w": 0x39, "n": 0x3A, "s": 0x3B}  # ledges, by the side towards which
GEYSER, CABIN, TRAPDOOR = 0x29, 0x60, 0x68  # the last stage of Lavaridge, a door that does not move


def grass(variant: int = 0) -> Picture:
    picture = Picture(SIZE, SIZE, "a")
    tufts = ((2, 3), (10, 11)) if variant == 0 else ((11, 3), (4, 9), (13, 13))
    for x, y in tufts:
        for dx, dy in ((0, 0), (1, 1), (2, 0), (1, 2)):
            picture.put(x + dx, y + dy, "b")
    return picture


def edge_distance(x: int, y: int, open_sides: frozenset[str]) -> float:
    """Returns how far a pixel is from the nearest side or corner that faces another ground."""
    far = {"n": y, "s": 15 - y, "w": x, "e": 15 - x}
    distance = min([float(far[side]) for side in open_sides if side in far] + [99.0])
    for vertical, sideways, cx, cy in (
        ("n", "w", 0, 0), ("n", "e", 15, 0), ("s", "w", 0, 15), ("s", "e", 15, 15),
    ):  # fmt: skip
        dx, dy = abs(x - cx), abs(y - cy)
        if vertical in open_sides and sideways in open_sides and dx < 7 and dy < 7:
            distance = min(distance, 7 - hypot(7 - dx, 7 - dy))
        elif (vertical + sideways).upper() in open_sides:
            distance = min(distance, hypot(dx, dy))
    return distance


def path(open_sides: frozenset[str]) -> Picture:
    """Returns trodden ground; `open_sides` names the sides and corners that face grass."""

    def colour(x: int, y: int) -> str:
        distance = edge_distance(x, y, open_sides)
        if distance < 1:
            return "a"
        if distance < 2:
            return "b" if (x + y) % 3 else "c"
        if distance < 3:
            return "r"
        if distance < 4:
            return "q"
        return "q" if (x * 5 + y * 11) % 37 == 3 or (x * 7 + y * 3) % 41 == 9 else "p"

    return Picture(SIZE, SIZE).paint(colour)


def water(open_sides: frozenset[str]) -> Picture:
    def colour(x: int, y: int) -> str:
        distance = edge_distance(x, y, open_sides)
        if distance < 1:
            return "b"
        if distance < 2:
            return "r"
        if distance < 3:
            return "q"
        if distance < 4:
            return "W"
        if distance < 5:
            return "w"
        wave = (x + (4 if y % 8 < 4 else 12)) % 16
        if y % 4 == 1 and wave < 5:
            return "w" if wave in (1, 2, 3) else "y"
        return "x"

    return Picture(SIZE, SIZE).paint(colour)


def tall_grass(shady: bool = False) -> Picture:
    picture = Picture(SIZE, SIZE, "b") if shady else grass()
    clump = Picture.parse("""
...c....
.c.cc.c.
.cccdcc.
ccdcdcdc
dcdddcdc
dddcddcd
.dddddd.
..dddd..
""")
    for x, y in ((0, 0), (8, 0), (0, 8), (8, 8)):
        picture.paste(clump, x, y)
    return picture


def flowers(letter: str) -> Picture:
    picture = grass()
    flower = Picture.parse(f"""
.{letter}{letter}.
{letter}WW{letter}
{letter}WW{letter}
.{letter}{letter}.
.cd.
c.dc
""")
    for x, y in ((1, 2), (9, 0), (5, 9), (11, 9)):
        picture.paste(flower, x, y)
    return picture


def fence() -> Picture:
    picture = grass()
    picture.paste(Picture.parse("""
................
.oooo.....oooo..
.oWWo.....oWWo..
.oWpo.....oWpo..
ooWpoooooooWpooo
WWWpWWWWWWWWpWWW
ppWpppppppWWpppp
ooWpoooooooWpooo
.oWpo.....oWpo..
ooWpoooooooWpooo
WWWpWWWWWWWWpWWW
ppWpppppppWWpppp
ooWpoooooooWpooo
.oWpo.....oWpo..
.oooo.....oooo..
.cccc.....cccc..
"""))
    return picture


def sign() -> Picture:
    return _board(grass(), "c")


def sand_sign() -> Picture:
    """Returns a board on sand."""
    return _board(sand(), "r")


def _board(picture: Picture, shadow: str) -> Picture:
    picture.paste(Picture.parse("""
................
.oooooooooooooo.
oqqqqqqqqqqqqqqo
oqrrrrrrrrrrrrqo
oqpkkkpkkpkkkpqo
oqppppppppppppqo
oqpkkpkkkkpkkpqo
oqrrrrrrrrrrrrqo
oqqqqqqqqqqqqqqo
.oooooooooooooo.
....oko..oko....
....oko..oko....
....oko..oko....
...cooccccoocc..
""".replace("c", shadow)))
    return picture


def ledge(facing: str = "s") -> Picture:
    """Returns a ledge in grass, which is jumped towards a side: one of n, s, w, e."""
    return drop(grass(), "bpqqrkc", facing)


def drop(picture: Picture, colours: str, facing: str) -> Picture:
    """Draws where the ground falls off towards a side, in colours from above to below."""
    for along in range(SIZE):
        wave = (0, 0, 1, 1, 1, 0, 0, 0)[along % 8]
        for across, letter in enumerate(colours, 7 + wave):
            far = across if facing in "se" else SIZE - 1 - across
            picture.put(*((along, far) if facing in "ns" else (far, along)), letter)
    return picture


def tree(ground: str = "a") -> Picture:
    """Returns a tree of 32x32 pixels that closes up with its neighbours into a wood."""
    lumps = ((16, 9, 9), (8, 14, 8), (24, 14, 8), (16, 18, 10), (9, 20, 7), (23, 20, 7))
    picture = Picture(32, 32, ground, "trees")
    for x, y in ((1, 2), (28, 3), (14, 29)):
        picture.put(x, y, "b" if ground == "a" else "c")
    picture.box(7, 29, 18, 2, "c")
    picture.box(5, 28, 22, 2, "c")
    picture.box(12, 24, 8, 7, "o")
    picture.box(13, 24, 6, 6, "l")
    picture.box(14, 24, 2, 6, "k")

    def inside(x: float, y: float) -> bool:
        return any(hypot(x - cx, y - cy) < r for cx, cy, r in lumps)

    def colour(x: int, y: int) -> str:
        if not inside(x + 0.5, y + 0.5):
            return "."
        sides = ((1, 0), (-1, 0), (0, 1), (0, -1))
        if not all(inside(x + 0.5 + dx, y + 0.5 + dy) for dx, dy in sides):
            return "o"
        light = (x - 16) * 0.45 + (y - 15) * 0.8
        leaf = ((x * 3 + y * 5) % 7) - 3 + (2 if (x // 3 + y // 2) % 3 == 0 else 0)
        tone = light + leaf * 0.7
        return "t" if tone < -6 else "u" if tone < 1 else "v" if tone < 7 else "x"

    return picture.paint(colour)


def rock() -> Picture:
    picture = grass()
    picture.palette = "trees"
    return picture.paint(
        lambda x, y: "."
        if (d := hypot((x - 7.5) / 7, (y - 8.5) / 6)) >= 1
        else "o" if d > 0.86 else "i" if x + y < 12 else "g" if x + y < 19 else "h"
    )


def cave_floor() -> Picture:
    picture = Picture(SIZE, SIZE, "q")
    return picture.paint(lambda x, y: "r" if (x * 7 + y * 3) % 29 == 4 or (x + y * 5) % 31 == 9 else ".")


def cave_wall() -> Picture:
    picture = Picture(SIZE, SIZE, "k")
    picture.box(0, 14, SIZE, 2, "o")
    for x, y in ((0, 0), (8, 0), (4, 7), (12, 7)):
        picture.box(x, y, 7, 6, "r")
        picture.box(x + 1, y, 5, 2, "q")
    return picture


def ladder_up() -> Picture:
    """Returns a ladder in a cave that leads through its roof, seen from in front."""
    picture = cave_floor()
    picture.box(3, 13, 10, 2, "r")
    return _ladder(picture, 0, 14)


def ladder_down() -> Picture:
    """Returns a hole in a cave's floor, with the upper end of a ladder in it."""
    picture = cave_floor().paint(lambda x, y: _hole(hypot((x - 7.5) / 7, (y - 8) / 7)))
    return _ladder(picture, 3, 9)


def _hole(distance: float) -> str:
    return "o" if distance < 1 else "r" if distance < 1.15 else "."


def _ladder(picture: Picture, top: int, high: int) -> Picture:
    for x in (4, 10):
        picture.box(x, top, 2, high, "k")
    for y in range(top + 1, top + high, 3):
        picture.box(4, y, 8, 1, "p")
    return picture


def cave_ledge(facing: str = "s") -> Picture:
    return drop(cave_floor(), "pprrkko", facing)


def ash() -> Picture:
    """Returns the ground of a mountain that smokes."""
    picture = Picture(SIZE, SIZE, "i", "trees")
    return picture.paint(lambda x, y: "g" if (x * 7 + y * 3) % 23 == 4 or (x + y * 5) % 29 == 9 else ".")


def ash_sign() -> Picture:
    """Returns a board on ash."""
    return _grey_board(ash())


def street_sign() -> Picture:
    """Returns a board on paving."""
    return _grey_board(paving())


def _grey_board(picture: Picture) -> Picture:
    picture.frame(1, 1, 14, 9, "o", "k")
    for y in (3, 5, 7):
        picture.box(3, y, 10 if y == 3 else 8, 1, "l")
    picture.box(4, 10, 2, 4, "l")
    picture.box(10, 10, 2, 4, "l")
    return picture


def crag() -> Picture:
    picture = Picture(SIZE, SIZE, "l", "trees")
    for x, y in ((0, 0), (8, 0), (4, 8), (12, 8), (-4, 8)):
        picture.box(x, y, 7, 7, "h")
        picture.box(x, y, 6, 5, "g")
        picture.box(x + 1, y, 4, 2, "i")
    return picture


def dry_grass() -> Picture:
    """Returns tall grass on ash."""
    picture = ash()
    for x, y in ((0, 0), (8, 0), (0, 8), (8, 8)):
        for i, high in enumerate((3, 6, 4, 7, 5, 6, 3)):
            picture.box(x + i, y + 7 - high, 1, high, "k" if i % 2 else "l")
    return picture


def ash_ledge(facing: str = "s") -> Picture:
    return drop(ash(), "ikkllhg", facing)


def entrance() -> Picture:
    """Returns a way into the dark: a wood or a cave."""
    picture = Picture(SIZE, SIZE, "p")
    picture.paint(lambda x, y: "o" if hypot((x - 7.5) / 6, (y - 9) / 8) < 1 and y < 13 else ".")
    picture.paint(lambda x, y: "k" if 1 <= hypot((x - 7.5) / 6, (y - 9) / 8) < 1.25 and y < 13 else ".")
    return picture


def sand() -> Picture:
    return Picture(SIZE, SIZE, "p").paint(lambda x, y: "q" if (x * 5 + y * 7) % 23 == 2 else ".")


def paving() -> Picture:
    """Returns a street of cut stones, each other row half a stone further."""

    def colour(x: int, y: int) -> str:
        row, inside = divmod(y, 8)
        column = (x + 4 * row) % 8
        if inside == 7 or column == 7:
            return "h"
        if inside == 0 or column == 0:
            return "i"
        return "h" if (x * 5 + y * 7) % 29 == 3 else "g"

    return Picture(SIZE, SIZE, palette="trees").paint(colour)


def wood_floor(variant: int = 0) -> Picture:
    """Returns shady ground with fallen leaves."""
    picture = Picture(SIZE, SIZE, "b", "trees")
    tufts = ((2, 3), (10, 11)) if variant == 0 else ((11, 3), (4, 9))
    for x, y in tufts:
        for dx, dy in ((0, 0), (1, 1), (2, 0), (1, 2)):
            picture.put(x + dx, y + dy, "c")
    for x, y in ((6, 6), (13, 14)) if variant else ((7, 13),):
        picture.put(x, y, "k")
        picture.put(x + 1, y, "l")
    return picture


def _roof(picture: Picture, height: int) -> None:
    width = picture.width
    for y in range(height):
        inset = max(0, 5 - y // 2) if y < 10 else 0
        for x in range(inset, width - inset):
            edge = x in (inset, width - inset - 1) or y in (0, height - 1)
            band = "r" if y < 4 else "t" if y % 6 == 5 else "s" if y % 6 in (3, 4) else "r"
            tile = "t" if y > 3 and (x + (y // 6 % 2) * 5) % 10 == 0 and y % 6 < 5 else band
            picture.put(x, y, "o" if edge else tile)
    picture.box(6, 2, width - 12, 1, "w")


def _window(picture: Picture, x: int, y: int) -> None:
    picture.frame(x, y, 14, 12, "o", "l")
    picture.box(x + 1, y + 6, 12, 5, "m")
    picture.box(x + 6, y + 1, 2, 10, "w")
    picture.box(x + 1, y + 5, 12, 1, "w")
    picture.box(x - 1, y + 12, 16, 2, "u")


def _door(picture: Picture, x: int, y: int) -> None:
    picture.frame(x, y - 4, 16, 20, "o", "k")
    picture.frame(x + 2, y - 2, 12, 18, "u", "k")
    picture.frame(x + 4, y, 8, 6, "o", "l")
    picture.box(x + 11, y + 9, 2, 2, "y")


def house(width: int, height: int, door: int, palette: str) -> Picture:
    """Returns a house of width x height metatiles; `door` is the column of its door."""
    picture = Picture(width * SIZE, height * SIZE, "a", palette)
    roof = (height - 2) * SIZE + 8
    bottom = height * SIZE
    picture.box(2, roof - 2, picture.width - 4, bottom - roof + 2, "o")
    picture.box(3, roof - 2, picture.width - 6, bottom - roof, "w")
    picture.box(3, roof, picture.width - 6, 3, "u")
    picture.box(3, bottom - 6, picture.width - 6, 4, "v")
    picture.box(3, bottom - 2, picture.width - 6, 1, "u")
    for y in range(roof + 6, bottom - 6, 6):
        picture.box(3, y, picture.width - 6, 1, "v")
    _roof(picture, roof)
    for column in range(width):
        x = column * SIZE
        if column == door:
            _door(picture, x, bottom - SIZE)
        elif abs(column - door) % 2 == 0 or width < 5:
            _window(picture, x + 1, bottom - 20)
    return picture


def floor(palette: str = "room") -> Picture:
    if palette == "hall":
        return Picture(SIZE, SIZE, palette=palette).paint(
            lambda x, y: "g" if (x // 8 + y // 8) % 2 else "f"
        )
    return Picture(SIZE, SIZE, palette=palette).paint(
        lambda x, y: "h" if y % 8 == 7 or (y % 8 < 7 and x == (3 if y < 8 else 11)) else
        "g" if y % 8 == 6 else "f"
    )  # fmt: skip


def wall(lower: bool, palette: str = "room") -> Picture:
    picture = Picture(SIZE, SIZE, "w", palette)
    for x in range(0, SIZE, 8):
        picture.box(x + 3, 0, 2, SIZE, "v")
    if lower:
        picture.box(0, 10, SIZE, 5, "u")
        picture.box(0, 9, SIZE, 1, "o")
        picture.box(0, 15, SIZE, 1, "o")
    else:
        picture.box(0, 0, SIZE, 2, "o")
        picture.box(0, 2, SIZE, 2, "u")
    return picture


def mat(palette: str = "room") -> Picture:
    picture = floor(palette)
    picture.frame(0, 2, SIZE, 12, "s", "r")
    picture.box(2, 4, 12, 1, "y")
    picture.box(2, 11, 12, 1, "y")
    return picture


def stairs(up: bool, palette: str = "room") -> Picture:
    picture = floor(palette)
    picture.frame(0, 0, SIZE, SIZE, "o", "u")
    for step in range(4):
        y = step * 4
        shade = ("w", "v", "u", "h") if up else ("h", "u", "v", "w")
        picture.box(1, y + 1, 14, 3, shade[3 - step])
        picture.box(1, y, 14, 1, "o")
    return picture


def plant(palette: str = "room") -> Picture:
    picture = floor(palette)
    picture.paint(
        lambda x, y: "."
        if (d := hypot(x - 7.5, (y - 5) * 1.1)) >= 7
        else "o" if d > 6.2 else "t" if (x * 3 + y * 5) % 4 < 2 else "x"
    )
    picture.frame(4, 10, 8, 6, "o", "s")
    picture.box(5, 11, 6, 1, "r")
    return picture


def _shelf(palette: str) -> Picture:
    picture = Picture(SIZE, SIZE, "o", palette)
    picture.box(0, 0, SIZE, 2, "h")
    for y in (3, 10):
        for x, letter in enumerate("rrmmtylsrxmtyyr"):
            picture.box(x, y, 1, 5, letter if x % 3 else "o")
        picture.box(0, y + 5, SIZE, 1, "h")
    return picture


def table(palette: str, joined: frozenset[str]) -> Picture:
    """Returns a piece of a table that goes on to the joined sides (letters of nsew)."""
    picture = floor(palette)
    bottom = SIZE if "s" in joined else 11
    picture.box(0, 0 if "n" in joined else 1, SIZE, bottom, "g")
    if "n" not in joined:
        picture.box(0, 1, SIZE, 1, "o")
        picture.box(0, 2, SIZE, 1, "f")
    if "s" not in joined:
        picture.box(0, 9, SIZE, 3, "h")
        picture.box(0, 12, SIZE, 1, "o")
    for side, x in (("w", 0), ("e", 15)):
        if side not in joined:
            picture.box(x, 1, 1, bottom, "o")
            if "s" not in joined:
                picture.box(min(x, 13), 12, 3, 4, "o")
    return picture


def _bed(palette: str, head: bool) -> Picture:
    picture = floor(palette)
    picture.box(0, 0, SIZE, SIZE, "o")
    picture.box(1, 1, 14, 15, "l")
    if head:
        picture.box(1, 1, 14, 3, "h")
        picture.frame(3, 5, 10, 7, "u", "W")
        picture.box(1, 13, 14, 3, "m")
    else:
        picture.box(1, 0, 14, 12, "m")
        picture.box(4, 0, 2, 12, "l")
        picture.box(10, 0, 2, 12, "l")
        picture.box(1, 12, 14, 3, "h")
    return picture


def _screen(palette: str, glow: str) -> Picture:
    picture = floor(palette)
    picture.frame(0, 1, SIZE, 13, "o", "h")
    picture.frame(2, 3, 12, 8, "o", glow)
    picture.box(3, 4, 3, 1, "W")
    picture.box(3, 13, 10, 3, "o")
    picture.box(11, 11, 2, 1, "r")
    return picture


def _clock(palette: str) -> Picture:
    picture = wall(True, palette)
    picture.paint(
        lambda x, y: "." if (d := hypot(x - 7.5, y - 5.5)) > 5.5 else "o" if d > 4.4 else "W"
    )
    picture.box(7, 2, 1, 4, "o")
    picture.box(7, 5, 3, 1, "s")
    return picture


def _counter(palette: str) -> Picture:
    picture = Picture(SIZE, SIZE, "v", palette)
    picture.box(0, 0, SIZE, 1, "o")
    picture.box(0, 1, SIZE, 2, "w")
    picture.box(0, 8, SIZE, 1, "o")
    picture.box(0, 9, SIZE, 6, "u")
    picture.box(0, 15, SIZE, 1, "o")
    return picture


def _machine(palette: str) -> Picture:
    picture = Picture(SIZE, SIZE, "u", palette)
    picture.frame(0, 0, SIZE, SIZE, "o", "v")
    picture.frame(2, 2, 12, 6, "o", "x")
    picture.box(3, 4, 4, 1, "t")
    picture.box(8, 5, 5, 1, "t")
    for x, letter in ((3, "r"), (7, "y"), (11, "l")):
        picture.box(x, 10, 3, 3, letter)
    return picture


def _rug(palette: str) -> Picture:
    picture = Picture(SIZE, SIZE, "r", palette)
    return picture.paint(lambda x, y: "s" if (x + y) % 8 == 0 or (x - y) % 8 == 0 else "r")


def _boulders(palette: str) -> Picture:
    """Returns a wall of rough rock."""
    picture = Picture(SIZE, SIZE, "o", palette)
    for x, y, width in ((0, 0, 9), (10, 0, 6), (0, 6, 5), (6, 6, 10), (0, 11, 10), (11, 11, 5)):
        picture.box(x, y, width, 5, "h")
        picture.box(x, y, width - 1, 3, "g")
        picture.box(x, y, width - 2, 1, "f")
    return picture


def _steel(palette: str) -> Picture:
    """Returns a wall of riveted plates."""
    picture = Picture(SIZE, SIZE, "g", palette)
    picture.box(0, 0, SIZE, 2, "f")
    picture.box(0, 12, SIZE, 3, "h")
    picture.box(0, 15, SIZE, 1, "o")
    picture.box(15, 0, 1, SIZE, "h")
    for x, y in ((2, 4), (12, 4), (2, 9), (12, 9)):
        picture.box(x, y, 2, 2, "h")
        picture.put(x, y, "W")
    return picture


def _lever(palette: str) -> Picture:
    picture = floor(palette)
    picture.frame(2, 9, 12, 6, "o", "h")
    picture.box(3, 10, 10, 1, "f")
    for i in range(7):
        picture.box(6 + i // 2, 9 - i, 2, 1, "o")
    picture.frame(8, 0, 5, 4, "o", "r")
    return picture


def _plate(palette: str, light: str, dark: str) -> Picture:
    """Returns a plate in the floor that gives way under whoever steps on it."""
    picture = floor(palette)
    picture.frame(1, 1, 14, 14, "o", "h")
    picture.frame(3, 3, 10, 10, dark, light)
    picture.box(4, 4, 7, 1, "W")
    picture.box(7, 6, 2, 4, "y")
    picture.box(6, 7, 4, 2, "y")
    return picture


def _bike(palette: str) -> Picture:
    """Returns a bike on its stand."""
    picture = floor(palette)
    for centre in (4, 12):
        picture.paint(
            lambda x, y: "o" if 2 < hypot(x - centre + 0.5, y - 10.5) < 3.9 else "."  # noqa: B023
        )
    for i in range(5):
        picture.box(4 + i, 9 - i, 2, 1, "s")
        picture.box(8 + i // 2, 5 + i, 2, 1, "r")
    picture.box(5, 5, 6, 1, "r")
    picture.box(2, 3, 4, 2, "o")
    picture.box(9, 3, 4, 1, "o")
    picture.box(12, 3, 1, 3, "m")
    return picture


def _cabin(palette: str) -> Picture:
    """Returns a cable car with its door open, seen from the platform."""
    picture = wall(True, palette)
    picture.frame(0, 0, SIZE, SIZE, "o", "r")
    picture.box(1, 1, 14, 2, "s")
    picture.frame(3, 3, 10, 13, "o", "l")
    picture.box(4, 4, 8, 4, "W")
    picture.box(4, 10, 8, 6, "h")
    return picture


def _trapdoor(palette: str) -> Picture:
    """Returns a piece of floor with a crack out of which some steam comes."""
    picture = floor(palette)
    picture.frame(2, 2, 12, 12, "h", "g")
    for x, y in ((4, 7), (5, 8), (6, 7), (7, 8), (8, 9), (9, 8), (10, 9), (11, 8)):
        picture.put(x, y, "o")
    for x, y in ((6, 4), (9, 5), (7, 5), (10, 6)):
        picture.put(x, y, "W")
    return picture


def _geyser(palette: str) -> Picture:
    """Returns a hole that blows whoever steps on it to the floor above."""
    picture = floor(palette)
    picture.paint(lambda x, y: "." if (d := hypot(x - 7.5, (y - 9.5) * 1.3)) > 6.5 else "h" if d > 4.5 else "o")
    for x, y, wide in ((6, 1, 4), (5, 3, 6), (6, 5, 4), (7, 7, 2)):
        picture.box(x, y, wide, 2, "W")
    return picture


def _crate(palette: str) -> Picture:
    """Returns a box with tape, as movers use them."""
    picture = floor(palette)
    picture.frame(0, 1, SIZE, 14, "o", "r")
    picture.box(1, 2, 14, 4, "t")
    picture.box(1, 6, 14, 1, "s")
    picture.box(6, 2, 4, 12, "y")
    picture.box(1, 13, 14, 1, "x")
    return picture


def _bars(palette: str) -> Picture:
    """Returns a wall of the truck with slats."""
    picture = Picture(SIZE, SIZE, "v", palette)
    for y in range(0, SIZE, 4):
        picture.box(0, y, SIZE, 1, "u")
    picture.box(0, 14, SIZE, 2, "o")
    return picture


def _open_door(palette: str) -> Picture:
    """Returns the way out at the side, into the light."""
    picture = floor(palette)
    for x in range(SIZE):
        picture.box(x, 0, 1, SIZE, "W" if x > 11 else "y" if x > 7 else "w" if x > 3 else "f")
    picture.box(0, 0, SIZE, 1, "o")
    picture.box(0, 15, SIZE, 1, "o")
    return picture


# Furniture: letter -> (picture of a palette, passable, behaviour)
FURNITURE = {
    "#": (lambda p: wall(False, p), False, NORMAL),
    "w": (lambda p: wall(True, p), False, NORMAL),
    "-": (floor, True, NORMAL),
    "M": (mat, True, ARROW_SOUTH),
    "U": (lambda p: stairs(True, p), True, STAIRS),
    "D": (lambda p: stairs(False, p), True, STAIRS),
    "p": (plant, False, NORMAL),
    "k": (_shelf, False, NORMAL),
    "B": (lambda p: _bed(p, True), False, NORMAL),
    "b": (lambda p: _bed(p, False), False, NORMAL),
    "v": (lambda p: _screen(p, "l"), False, NORMAL),
    "P": (lambda p: _screen(p, "t"), False, NORMAL),
    "C": (_clock, False, NORMAL),
    "x": (_counter, False, NORMAL),
    "m": (_machine, False, NORMAL),
    "r": (_rug, True, NORMAL),
    "R": (_boulders, False, NORMAL),
    "I": (_steel, False, NORMAL),
    "L": (_lever, False, NORMAL),
    "1": (lambda p: _plate(p, "r", "s"), True, NORMAL),
    "2": (lambda p: _plate(p, "l", "m"), True, NORMAL),
    "3": (_bike, False, NORMAL),
    "c": (_crate, False, NORMAL),
    "=": (_bars, False, NORMAL),
    "e": (_open_door, True, STAIRS),
    "Q": (_cabin, True, CABIN),
    "O": (_trapdoor, True, TRAPDOOR),
    "G": (_geyser, True, GEYSER),
}
