"""The layouts of the mountain: maps that only jade_full.gba has, drawn as those of world.py.

Besides its letters: `a` ash  `A` crag  `j` dry grass  `l` `u` `{` `}` ledges of ash (south, north, west, east)  `i` a sign there  `v` a ledge in a cave. In rooms: `Q` a cable car, `O` a trapdoor, `G` a geyser.
"""

from __future__ import annotations

from world import LAYOUTS, Layout, carve

CENTRE = next(layout for layout in LAYOUTS if layout.name == "Centre1F")
BANDS = range(6, 38, 8)  # rows of the pass at which a terrace begins, with a ledge below it
GAPS = (4, 22, 10, 24)  # columns of those ledges
# With boulders `o`, which are people of the map; one of those from which other worlds choose
BOULDER_ROOM = """
#####.###
#.o...o.#
#..###..#
##.#.#..#
#.#.o...#
#.#.##..#
#...#..##
##.######
""".split()

MOUNTAIN = [
    Layout("Route111", 27, 40, 140, carve(
        40, 140, "T",
        (",", 2, 4, 34, 28), (".", 0, 26, 20, 2), (".", 18, 8, 2, 18), (".", 0, 8, 18, 2), (",", 2, 64, 34, 72), (".", 16, 60, 2, 80), (".", 0, 60, 18, 2), (":", 4, 70, 10, 8), (":", 20, 84, 10, 8),
        (":", 4, 108, 10, 8), ("*", 22, 66, 6, 2), ("+", 6, 126, 8, 4), ("T", 2, 80, 12, 2), ("T", 20, 76, 16, 2),
        ("T", 2, 96, 12, 4), ("T", 20, 100, 16, 4), ("T", 2, 118, 12, 2), ("T", 20, 120, 16, 2), ("o", 12, 90, 1, 1),
        ("o", 24, 112, 1, 1), ("s", 19, 133, 1, 1), ("s", 14, 63, 1, 1),
    )),
    Layout("Route112", 28, 40, 60, carve(
        40, 60, "T",
        (",", 14, 2, 24, 12), (".", 22, 6, 18, 2), (",", 22, 8, 2, 6), ("E", 22, 14, 1, 1), ("E", 18, 23, 1, 1),
        (",", 14, 24, 24, 34), (",", 2, 52, 12, 6), (",", 2, 20, 10, 30), (":", 16, 26, 6, 6), (":", 28, 46, 8, 6),
        (":", 2, 28, 4, 8), (":", 8, 34, 4, 6), (".", 16, 40, 24, 2), (".", 26, 36, 2, 4), (".", 6, 20, 2, 26),
        (".", 0, 44, 8, 2), ("T", 18, 52, 10, 2), ("T", 30, 34, 6, 2), ("T", 2, 50, 12, 2), (",", 8, 50, 2, 1),
        ("_", 8, 51, 2, 1), ("E", 6, 19, 1, 1), ("s", 24, 38, 1, 1), ("s", 4, 42, 1, 1),
    ), houses=[("stone works", 23, 31)]),
    Layout("CableCar", 118, 13, 12, """
#############
wkkwwwwwwwkkw
IIIIIIQIIIIII
-------------
xxxxx---xxxxx
-------------
-rrrr---rrrr-
-rrrr---rrrr-
-------------
p-----------p
-------------
------MM-----
""", "hall"),
    Layout("Chimney", 136, 40, 47, carve(
        40, 47, "A",
        ("a", 4, 8, 32, 30), ("A", 4, 14, 24, 2), ("A", 12, 22, 24, 2), ("A", 22, 30, 14, 8), ("a", 20, 38, 2, 2),
        ("a", 20, 40, 1, 1), ("E", 20, 41, 1, 1), ("i", 18, 38, 1, 1),
    ), border="rock", houses=[("stone works", 14, 32)]),
    Layout("JaggedPass", 292, 30, 46, carve(
        30, 46, "A",
        *(area for row, gap in zip(BANDS, GAPS) for area in (
            ("a", 2, row, 26, 6), ("j", 6, row, 6, 4), ("j", 18, row + 2, 6, 4), ("a", gap, row + 6, 2, 1), ("l", gap, row + 7, 2, 1),
        )),
        ("a", 2, 38, 26, 4), ("a", 14, 42, 1, 1), ("E", 14, 43, 1, 1), ("a", 14, 5, 1, 1), ("E", 14, 4, 1, 1), ("i", 16, 40, 1, 1),
        ("A", 13, 22, 2, 5), ("a", 13, 23, 1, 2), ("}", 14, 23, 1, 2), ("A", 12, 30, 2, 5), ("{", 12, 32, 1, 2), ("a", 13, 32, 1, 2),
    ), border="rock"),
    Layout("Lavaridge", 13, 20, 20, carve(
        20, 20, "T",
        (",", 2, 2, 16, 16), (".", 8, 4, 12, 2), (".", 4, 6, 8, 2), (".", 8, 6, 2, 10), (".", 6, 14, 10, 2), (".", 12, 12, 4, 2),
        ("*", 2, 10, 2, 4), ("+", 12, 2, 6, 2), ("s", 10, 8, 1, 1), ("s", 11, 16, 1, 1),
    ), houses=[("centre", 4, 2), ("shop", 12, 8), ("hall", 2, 9)]),
    Layout("LavaridgeGym1F", 69, 17, 19, """
#################
wwwwwwwwwwwwwwwww
R---R---R---RO--R
R---R---R---R---R
R---R--ORO--R---R
RR-RRRRRRRRRRR-RR
RO--R---R---R---R
R-------R-O-----R
R---R---R---R---R
RRRRRRRRRRRRRRRRR
RO--R---R--OR---R
R---R-------R-O-R
R---R---R---R---R
RRRRRR-RRRRRRR-RR
R--OR---R---R---R
R---R-------R---R
R---R---R---R---R
RRRRRRRRRRRRR--RR
RRRRRRRRRRRRRMMRR
""", "hall"),
    Layout("LavaridgeGymB1F", 70, 17, 19, """
#################
wwwwwwwwwwwwwwwww
R---R---R---RG--R
R---R-----------R
R---R--GRG--R---R
RR-RRR-RRRRRRRRRR
RG--R---R---R---R
R-------R-G-----R
R---R---R---R---R
RR-RRRRRRR-RRRRRR
RG--R---R--GR---R
R---R---------G-R
R---R---R---R---R
RR-RRR-RRR-RRR-RR
R--GR---R---R---R
R---R---R---R---R
R---R---R---R---R
RRRRRRRRRRRRRRRRR
RRRRRRRRRRRRRRRRR
""", "hall"),
    Layout("LavaridgeCentre", 71, CENTRE.width, CENTRE.height, CENTRE.art, CENTRE.palette),
    Layout("FieryPath", 293, 35, 38, carve(
        35, 38, "W",
        ("c", 6, 4, 22, 6), ("c", 11, 10, 1, 4), ("c", 4, 24, 24, 6), ("c", 24, 30, 4, 5), ("c", 26, 35, 1, 1), ("E", 26, 36, 1, 1),
        ("E", 26, 3, 1, 1), ("c", 20, 10, 2, 14), ("v", 20, 17, 2, 1), ("c", 8, 22, 1, 2),
        *(("c", 6 + x, 14 + y, 1, 1) for y, line in enumerate(BOULDER_ROOM) for x, letter in enumerate(line) if letter != "#"),
    ), border="rock"),
    Layout("Route113", 29, 100, 20, carve(
        100, 20, "T",
        ("a", 2, 4, 96, 12), ("a", 0, 8, 100, 2), ("j", 8, 4, 8, 4), ("j", 28, 10, 8, 4), ("j", 60, 4, 8, 4), ("j", 76, 10, 8, 4),
        ("T", 24, 4, 2, 4), ("T", 44, 12, 2, 4), ("T", 64, 12, 2, 4), ("T", 88, 4, 2, 2), ("i", 92, 7, 1, 1),
        ("T", 44, 8, 2, 8), ("a", 44, 12, 1, 2), ("}", 45, 12, 1, 2), ("T", 64, 8, 2, 8), ("{", 64, 12, 1, 2), ("a", 65, 12, 1, 2),
        ("T", 90, 12, 6, 2), ("u", 92, 12, 2, 1), ("a", 92, 13, 2, 1),
    )),
    Layout("Fallarbor", 14, 20, 20, carve(
        20, 20, "T",
        ("a", 2, 2, 16, 16), (",", 4, 12, 12, 4), (".", 0, 8, 20, 2), ("+", 4, 14, 4, 2), ("i", 9, 7, 1, 1),
    ), houses=[("centre", 4, 4), ("shop", 12, 4)]),
    Layout("Route114", 30, 40, 80, carve(
        40, 80, "T",
        (",", 4, 4, 34, 38), (".", 8, 8, 32, 2), (".", 8, 8, 2, 36), ("E", 8, 44, 1, 1), (":", 12, 12, 8, 6), (":", 24, 26, 8, 6),
        ("T", 16, 20, 18, 2), ("T", 12, 34, 16, 2), ("s", 26, 7, 1, 1),
    )),
    Layout("MeteorFalls", 125, 30, 42, carve(
        30, 42, "W",
        ("c", 6, 8, 18, 8), ("c", 12, 16, 6, 20), ("c", 18, 24, 6, 6), ("c", 14, 36, 1, 2), ("E", 14, 38, 1, 1),
    ), border="rock"),
]  # fmt: skip
