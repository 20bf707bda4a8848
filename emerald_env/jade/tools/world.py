"""The layouts of our maps, drawn with letters; numbers and sizes are Emerald's.

Outdoors: `,` grass  `.` path  `:` tall grass  `T` tree (2x2, on even squares)  `~` water
`f` fence  `s` sign  `*` `+` flowers  `_` ledge  `o` rock. Rooms: see terrain.FURNITURE.
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
    houses: list[tuple[str, int, int]] = field(default_factory=list)  # kind, column, row

    @property
    def rows(self) -> list[str]:
        lines = self.art.strip("\n").split("\n")
        assert len(lines) == self.height, f"{self.name} has {len(lines)} rows"
        assert max(map(len, lines)) <= self.width, f"{self.name} is too wide"
        return [line.ljust(self.width, "T") for line in lines]


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
TT,,..........................
TT,,..........................
TT,,,,,,,,,,,,,,,,,,,,,,,s,,TT
TT,,,,~~~~~~~~,,,,,,,,,,,,,,TT
TT,,,~~~~~~~~~~,,,,,:::::,,,TT
TT,,,~~~~~~~~~~,,,,:::::::,,TT
TT,,,,~~~~~~~~,,,,,,:::::,,,TT
TT,,,,,,,,,,,,,,,,,,,,,,,,,,TT
TT
TT
""", houses=[("hall", 12, 4), ("house", 4, 12), ("centre", 19, 12)]),
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
