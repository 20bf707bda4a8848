"""The layouts of our maps, drawn with letters; numbers and sizes are Emerald's.

Outdoors: `,` grass  `.` path  `:` tall grass  `T` tree (2x2, on even squares)  `~` water
`E` way into a wood or cave  `c` `W` cave floor and wall  `d` sand  `f` fence  `s` sign  `*` `+` flowers  `_` `^` `<` `>` ledges (south, north, west, east)  `o` rock
`q` paving  `g` `Y` `;` floor, trees and tall grass of a wood. Rooms: see terrain.FURNITURE.
Houses are stamped over the ground. Rows that are too short go on with trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Kind -> (width, height, column of the door, palette)
HOUSES = {
    "home": (5, 4, 1, "red_house"),
    "house": (5, 4, 3, "blue_house"),
    "lab": (7, 5, 3, "jade_house"),
    "centre": (4, 4, 1, "red_house"),
    "shop": (4, 4, 2, "blue_house"),
    "hall": (7, 5, 3, "jade_house"),
    "stone hall": (7, 5, 3, "stone_house"),
    "stone works": (7, 5, 3, "stone_house"),
    "stone house": (5, 4, 3, "stone_house"),
}


@dataclass
class Layout:
    """One map's ground; layout_id, width and height as in Emerald (facts: maps.csv)."""

    name: str
    layout_id: int
    width: int
    height: int
    art: str
    palette: str = ""  # of a room; empty outdoors
    border: str = "wood"  # what lies around it: wood, sea, rock; rooms: void
    houses: list[tuple[str, int, int]] = field(default_factory=list)  # kind, column, row

    @property
    def rows(self) -> list[str]:
        lines = self.art.strip("\n").split("\n")
        assert len(lines) == self.height, f"{self.name} has {len(lines)} rows"
        assert max(map(len, lines)) <= self.width, f"{self.name} is too wide"
        return [line.ljust(self.width, "T") for line in lines]


def carve(width: int, height: int, fill: str, *areas: tuple[str, int, int, int, int]) -> str:
    """Returns a layout's letters: areas of (letter, column, row, width, height) over a ground."""
    rows = [[fill] * width for _ in range(height)]
    for letter, column, row, wide, high in areas:
        for line in rows[row : row + high]:
            line[column : column + wide] = [letter] * wide
    return "\n".join("".join(line) for line in rows)


LAYOUTS = [
    Layout("Littleroot", 10, 20, 20, """
TTTTTTTTTT..TTTTTTTT
TTTTTTTTTT..TTTTTTTT
TT,,,,,,,,..,,,,,,TT
TTffffffff.fffffffTT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,.,s,,,..,,s.,,TT
TT,,.............,TT
TT,,.............,TT
TT,,,,,,,,,,..,,,,TT
TT,,,,,,,,,,..*+*,TT
TT*,,,,,,,,,..+*+,TT
TT+,,,,,,,,,..*+*,TT
TT*,,,,,,,,,..,,,,TT
TT+,,,,.......,,o,TT
TTTTTTTTTTTTTTTTTTTT
TTTTTTTTTTTTTTTTTTTT
""", houses=[("home", 3, 5), ("house", 12, 5), ("lab", 4, 12)]),
    Layout("Route101", 17, 20, 20, """
TTTTTTTTTT..TTTTTTTT
TTTTTTTTTT..TTTTTTTT
TT,,,:::,,..,,,,,,TT
TT,,::::,,..,,:::,TT
TT,,:::,,,..,::::,TT
TT,*,,,,,,..,:::,,TT
TT,,,,s,,...,,,,+,TT
TT,,,,,,,,..,,,,,,TT
TTTTTTTTTT.oTTTTTTTT
TTTTTTTTTT..TTTTTTTT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,...,:::,,TT
TT,,*,,,,..,::::,,TT
TT,,,,,,,..,,:::,,TT
TT____TT__..____TTTT
TT,,,,TT,,..,,,,TTTT
TT,:::,,,,..,,,,,,TT
TT,:::,,s,..,,+,,,TT
TTTTTTTTTT..TTTTTTTT
TTTTTTTTTT..TTTTTTTT
"""),
    Layout("Oldale", 11, 20, 20, """
TTTTTTTTTT..TTTTTTTT
TTTTTTTTTT..TTTTTTTT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,,,,.,,,..,,.,,,TT
TT,,,,.........,,,TT
TT,,,,,s,,..,,,,s,TT
............,,,,,,TT
..f.........,,,,,,TT
TT,,,,,,,,..,,,,,,TT
TT,*+,,,,,..,,,,,,TT
TT,+*,,,,,..,,,,,,TT
TT,,,,,,,,......,,TT
TT,,::,,,,..,,s,,,TT
TT,:::,,,,..,,,,*,TT
TTTTTTTTTT..TTTTTTTT
TTTTTTTTTT..TTTTTTTT
""", houses=[("house", 3, 3), ("centre", 13, 3), ("shop", 13, 11)]),
    Layout("Route103", 19, 80, 22, """
TTTTTTTTTTTTTTTTTTTTTTTTTTTT
TTTTTTTTTTTTTTTTTTTTTTTTTTTT
TT,,,,,,,,,,,,,,,,~~~~~~~~TT
TT,::::,,,,,,,,,,,~~~~~~~~TT
TT,::::,,,..,,,,,~~~~~~~~~TT
TT,,::,,......,,,~~~~~~~~~TT
TT,,,,........,,,,~~~~~~~~TT
TT,,,,..,,,,..,,,,,~~~~~~~TT
TT__TT..,,,,..TT__,,,~~~~~TT
TT,,TT..,,,,..TT,,,,,,,,,,TT
TT,,,,..,,,,..,,,,,:::,,,,TT
TT,,,,...,,...,,,,:::::,,,TT
TT,*+,,.......,,,,::::,,,,TT
TT,+*,,,.....,,,,,,,,,,,,,TT
TT,,,,,,,...,,TT__TT__TT,,TT
TT,,,,,,,,..,,TT,,TT,,TT,,TT
TT,,::::,,..,,,,,,,,,,,,,,TT
TT,::::,,,..,,,,,,,,,,,,,,TT
TT,,,,,,,,..,s,,,,,,,,,,,,TT
TT,,,,,,,,..,,,,,,,,,,,,,,TT
TTTTTTTTTT..TTTTTTTTTTTTTTTT
TTTTTTTTTT..TTTTTTTTTTTTTTTT
"""),
    Layout("Route102", 18, 50, 20, """
TT
TT
TT,,,,,,,,,,TTTT,,,,,,,,,,TT,,,,,,,,,,,,
TT,,::::,,,,TTTT,,,,,,,,,,TT,,,:::::,,,,
TT,:::::,,,,,,,,,,......,,TT,,::::::,,,,
TT,,:::,,,,,,,,,,,......,,TT,,,::::,,,,,
TT,,,,,,,,,,,,,,,,..,,..,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,................,,..,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,................,,..,,,,................,,,,TT
TT,,..,,,,,,,,,,,,,,,,..,,,,................,,,,TT
......,,,,TT__TT__TT__..........,,,,,,,,,,........
......,,*,TT,,TT,,TT,,..........,,,,,,,,,,........
TT,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,TTTTTTTT,,,,,,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,TTTTTTTT,,s,,,,,TT
TT,,::::,,~~~~~~,,,,::::,,,,,,,,TTTTTTTT,,,,,,,,TT
TT,:::::,~~~~~~~~,,::::::,,+*,,,TTTTTTTT,,*+*,,,TT
TT,,:::,,~~~~~~~,,,,::::,,,*+,,,TTTTTTTT,,+*+,,,TT
TT,,,,,,,,,~~~,,,,,,,,,,,,,,,,,,TTTTTTTT,,,,,,,,TT
TT
TT
"""),
    Layout("Petalburg", 1, 30, 30, """
TT
TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,+*,,,,,,,,,,,,,,,,,,+*,,TT
TT,,*+,,,,,,,,,,,,,,,,,,*+,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..s,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,..............,,,,,,,TT
TT,,,,,..............,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
TT,,,,,,,,,,,,,..,,,,,,,,,,,TT
..............................
..............................
TT,,,,,,,,,,,,,,,,,,,,,,,s,,TT
TT,,,,~~~~~~~~,,,,,,,,,,,,,,TT
TT,,,~~~~~~~~~~,,,,,:::::,,,TT
TT,,,~~~~~~~~~~,,,,:::::::,,TT
TT,,,,~~~~~~~~,,,,,,:::::,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT
TT
""", houses=[("hall", 12, 4), ("house", 4, 12), ("centre", 19, 12)]),
    Layout("Route104", 20, 40, 80, carve(
        40, 80, "T",
        (",", 2, 2, 36, 40), (".", 20, 0, 2, 46), ("~", 4, 6, 12, 10), (":", 24, 8, 10, 8),
        ("*", 26, 20, 6, 2), ("+", 26, 22, 6, 2), (":", 6, 24, 10, 6), (".", 8, 34, 14, 2),
        ("T", 2, 30, 18, 2), ("T", 22, 28, 16, 2), ("E", 20, 44, 1, 1), ("T", 21, 43, 1, 3),
        ("s", 19, 38, 1, 1), ("_", 24, 34, 14, 1),
        (",", 2, 54, 36, 24), ("~", 2, 56, 6, 22), ("d", 8, 56, 4, 22), (".", 20, 53, 2, 18),
        (".", 12, 70, 28, 2), ("E", 20, 52, 1, 1), ("T", 21, 52, 1, 1), (":", 26, 56, 10, 8),
        (":", 26, 74, 10, 4), (".", 15, 66, 1, 4), (".", 15, 66, 6, 1), ("s", 22, 68, 1, 1),
        ("*", 30, 68, 4, 1), (",", 34, 42, 2, 12), ("o", 35, 48, 1, 1), # past the wood: a tree to cut
    ), houses=[("house", 12, 62)]),
    Layout("Woods", 135, 48, 44, carve(
        48, 44, "Y",
        ("g", 4, 34, 40, 6), (".", 22, 36, 2, 6), ("E", 22, 42, 1, 1), ("Y", 23, 41, 1, 2),
        ("g", 4, 18, 8, 18), (";", 4, 24, 8, 8), ("g", 4, 12, 24, 6), (".", 6, 14, 22, 2),
        ("g", 22, 4, 20, 10), (";", 30, 6, 8, 6), (".", 24, 4, 2, 10), ("E", 24, 2, 1, 1),
        ("Y", 25, 2, 1, 1), (".", 24, 3, 1, 1), ("g", 34, 14, 8, 20), (";", 36, 20, 6, 8),
        ("s", 21, 38, 1, 1), ("g", 16, 20, 12, 10), ("g", 20, 30, 4, 4), ("*", 18, 22, 6, 2),
    )),
    Layout("Rustboro", 4, 40, 60, carve(
        40, 60, "T",
        (",", 2, 4, 36, 54), ("q", 20, 8, 2, 52), ("q", 6, 18, 30, 2), ("q", 6, 32, 30, 2),
        ("q", 6, 46, 30, 2), ("*", 4, 6, 8, 2), ("+", 28, 6, 8, 2), ("~", 24, 50, 10, 6),
        ("s", 22, 34, 1, 1), ("s", 19, 20, 1, 1), ("q", 31, 16, 1, 2), ("q", 9, 16, 1, 2),
        ("q", 9, 30, 1, 2), ("q", 30, 30, 1, 2), ("q", 11, 44, 1, 2), ("f", 24, 24, 10, 1),
    ), houses=[
        ("stone hall", 28, 11), ("stone works", 6, 11), ("centre", 8, 26), ("shop", 28, 26), ("stone house", 8, 40),
    ]),
    Layout("Dewford", 12, 20, 20, carve(
        20, 20, "~",
        ("d", 2, 2, 15, 15), (",", 3, 3, 13, 8), (".", 4, 11, 10, 1), (".", 4, 9, 1, 2),
        (".", 12, 9, 1, 2), ("d", 12, 17, 2, 2), ("E", 9, 2, 1, 1), (".", 9, 3, 1, 8),
        ("W", 7, 1, 5, 1), ("W", 7, 2, 2, 1), ("W", 10, 2, 2, 1), ("s", 8, 11, 1, 1),
        ("*", 14, 4, 2, 2),
    ), border="sea", houses=[("centre", 3, 5), ("hall", 9, 4)]),
    Layout("Route109", 25, 40, 63, carve(
        40, 63, "~",
        ("d", 6, 2, 28, 14), (",", 6, 0, 28, 4), ("T", 6, 0, 28, 2), ("d", 19, 16, 3, 3),
        ("*", 8, 2, 4, 1), ("o", 28, 8, 1, 1), ("s", 22, 14, 1, 1),
    ), border="sea"),
    Layout("Granite", 132, 42, 15, carve(
        42, 15, "W",
        ("c", 2, 9, 12, 4), ("c", 10, 3, 4, 8), ("c", 10, 3, 16, 3), ("c", 22, 3, 4, 9),
        ("c", 22, 9, 16, 4), ("c", 32, 2, 6, 8), ("E", 4, 13, 1, 1),
    ), border="rock"),
    Layout("Truck", 237, 5, 5, """
#####
c===c
c---e
c--cc
#####
""", "truck"),
    Layout("Home1F", 54, 11, 9, """
###########
wwkkwwwwwww
v--------U-
-----------
---tt------
---tt----p-
-----------
p---------p
----M------
""", "room"),
    Layout("Home2F", 55, 9, 8, """
#########
wwwCwwkkw
P------D-
B--------
b---rrr--
----rrr--
p------tt
---------
""", "room"),
    Layout("Neighbour1F", 56, 11, 9, """
###########
wwwwwwwkkww
-U--------v
-----------
------tt---
-p----tt---
-----------
p---------p
------M----
""", "room"),
    Layout("Neighbour2F", 57, 9, 8, """
#########
wkkwwwwww
-D------P
--------B
--rrr---b
--rrr----
tt------p
---------
""", "room"),
    Layout("Briney", 102, 12, 9, """
############
wwkkwwwwwwww
v---------p-
------------
----tt------
----tt------
------------
p----------p
-----M------
""", "room"),
    Layout("Cutter", 98, 11, 9, """
###########
wwkkwwwwkww
---------p-
-----------
--tt-------
--tt-----B-
---------b-
p----------
----M------
""", "room"),
    Layout("Devon3F", 269, 19, 9, """
###################
wwkkwwwwwwwwwwwkkww
mm---------------P-
-------------------
------ttttttt------
-------------------
---rrrr-----rrrr---
p-----------------p
---------M---------
""", "hall"),
    Layout("RustboroGym", 94, 11, 20, """
###########
wwwwwwwwwww
p---rrr---p
----rrr----
-----------
RRRRR-RRRRR
-----------
-p-------p-
-----------
RRR-RRRRRRR
-----------
-----------
RRRRRRR-RRR
-----------
L----------
-----------
p---------p
-----------
p---------p
-----M-----
""", "hall"),
    Layout("DewfordGym", 65, 18, 28, """
##################
wwwwwwwwwwwwwwwwww
p-----rrrrrr-----p
------rrrrrr------
------------------
------------------
III-IIIIIIIIIIIIII
-----rr-I-rr------
--------I---------
--------I---------
--------I---------
------------------
--------I---------
--------I---------
--------I---------
--------I---------
p------pIp-------p
III-IIIIIIIII-IIII
------------------
------------------
------------------
---p----------p---
------------------
---p----------p---
------------------
---p----------p---
------------------
--------MM--------
""", "hall"),
    Layout("Lab", 58, 13, 13, """
#############
wwkkwwwwwkkww
mm--------mm-
mm---------P-
-------------
-------------
----ttt------
-------------
kkkkk---kkkkk
-------------
-------------
p-----------p
------M------
""", "hall"),
    Layout("House1", 59, 10, 9, """
##########
wwkkwwwwww
v-------p-
----------
---ttt----
---ttt----
----------
p--------p
---M------
""", "room"),
    Layout("Centre1F", 61, 14, 9, """
##############
wwwmwwwwwwwwww
---xxxxxxx---P
-------------k
--------------
-rrr------tt--
-rrr------tt--
p------------p
------MM------
""", "hall"),
    Layout("Mart", 63, 11, 8, """
###########
kkkwwwwkkkw
-xx--------
xxx--k--k--
-----k--k--
-----k--k--
p----------
---MM-----p
""", "hall"),
]
