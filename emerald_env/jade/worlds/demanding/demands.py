"""What a demanding world asks of the player, as the real game does: bytes that its engine reads."""

import struct
from typing import Final, NamedTuple

from emerald_env.jade.maps import ROCK, MapId
from emerald_env.jade.worlds.letters import table
from emerald_env.jade.worlds.rom_tables import SAY, RomTables, Thing

DEMANDS_AT: Final = 0x080000F4  # jade/src/system/demands.h


class Demand(NamedTuple):
    """One thing that the real game demands."""

    byte: int  # its place in the ROM, from `DEMANDS_AT`
    about: str
    full: bool = False  # whether only jade_full.gba can


DEMANDS: Final = {
    "lessons": Demand(0, "field moves are taught from the bag to whoever can learn them"),
    "cursor": Demand(1, "lists in battles open where the cursor was; harmless moves come first"),
    "clock": Demand(2, "the clock asks whether the time is right, with the cursor on No"),
    "poison": Demand(3, "poison hurts on the way, every fourth step", full=True),
    "dark": Demand(4, "in the cave one sees only what is near", full=True),
    "pace": Demand(5, "words, fades, battles and the processor take Emerald's time", full=True),
}
ROUTE_104: Final = (0, 19)
TREE: Final = Thing(ROUTE_104, "person", 4)  # the small tree
SHORTCUT: Final = (34, 48)  # where it stands in other worlds
# Whom the letter is for, and where he is in the cave; who says that; the rock in the way to him
READER, CAVE, READERS_PLACE = Thing((0, 11), "person", 2), (24, 7), (33, 4)
PRESIDENT: Final = Thing((11, 2), "person", 0)
SMASHER: Final = READER  # who stands where the letter's reader would be, and teaches Rock Smash
ROCKS_PLACE, BESIDE_ROCK = (18, 4), ((18, 3), (18, 5))
FLAG_TEMP_11: Final = 0x11
SCRIPTS_AT: Final = 0x080000FC  # jade/src/world/world.c: the fifth and sixth are these
PERSON = 24  # bytes of a template
HEDGE_COLUMN, HEDGE_ROWS, GAP = 18, range(54, 78), 66  # between the sailor's house and the rest


def demand(rom: bytes) -> bytes:
    """Returns a demanding world: the same maps, but that a tree bars the beach.

    What only jade_full.gba can is left out; worlds called :emerald demand that, too.

    Args:
        rom: a world of Jade.
    """
    tables = RomTables(rom)
    for each in DEMANDS.values():
        tables.pack("<B", DEMANDS_AT + each.byte, not each.full)
    _fence(tables)
    return bytes(tables.data)


def demanded(tables: RomTables, name: str) -> bool:
    """Returns whether a world makes one of the `DEMANDS`."""
    return bool(tables.unpack("<B", DEMANDS_AT + DEMANDS[name].byte)[0])


def readers_place(tables: RomTables) -> Thing:
    """Returns whom the letter is for: in Dewford, or in the cave after `hide_reader`."""
    return Thing(CAVE, "person", 1) if _count(tables, CAVE) > 1 else READER


def has_rock(tables: RomTables) -> bool:
    """Returns whether a rock bars the way to whom the letter is for."""
    return _count(tables, CAVE) > 2


def hide_reader(tables: RomTables) -> None:
    """Sends whom the letter is for into the cave, as in Emerald, behind a rock.

    The president says so; who teaches to smash rocks stands in his place.
    """
    rock, smasher = (tables.word(tables.word(SCRIPTS_AT) + 4 * i) for i in (4, 5))
    reader = _person(tables, READER, 2, READERS_PLACE)
    block = bytearray(_person(tables, READER, 3, ROCKS_PLACE))
    block[1] = ROCK
    struct.pack_into("<2B", block, 9, 0, 1)  # it stands, and looks down
    struct.pack_into("<IH", block, 16, rock, FLAG_TEMP_11)
    cave = tables.word(tables.headers[CAVE] + 4)
    people = tables.read(tables.word(cave + 4), PERSON)
    tables.pack("<I", cave + 4, tables.add(people + reader + bytes(block)))
    tables.pack("<B", cave, 3)
    tables.pack("<I", tables.address(SMASHER) + 16, smasher)
    width, height = tables.size(CAVE)
    grid = list(tables.grid(CAVE))
    for x, y in BESIDE_ROCK:
        grid[y * width + x] = grid[0]  # a wall
    tables.set_grid(CAVE, width, height, grid)
    for command in tables.commands(tables.script(PRESIDENT)):
        if tables.unpack("<B", command)[0] == SAY:
            text = tables.text(tables.word(command + 8))
            told = text.replace("letter to Dewford.", "letter into the cave of Dewford.")
            tables.pack("<I", command + 8, tables.add_text(told))


def _count(tables: RomTables, at: MapId) -> int:
    """Returns how many people there are on a map."""
    return tables.unpack("<B", tables.word(tables.headers[at] + 4))[0]


def _person(tables: RomTables, like: Thing, number: int, place: tuple[int, int]) -> bytes:
    """Returns the template of somebody who is like another, but for number and place."""
    person = bytearray(tables.read(tables.address(like), PERSON))
    person[0] = number
    struct.pack_into("<2h", person, 4, *place)
    return bytes(person)


def _fence(tables: RomTables) -> None:
    """Closes the sailor's house off by a hedge; in the only gap grows the tree of the short way."""
    width, height = tables.size(ROUTE_104)
    grid, outdoors = list(tables.grid(ROUTE_104)), table()["outdoors"]
    left, top = SHORTCUT
    hedge = [(HEDGE_COLUMN + i, row) for row in HEDGE_ROWS for i in range(2)]
    for x, y in (*hedge, *((left + i, top + j) for i in range(2) for j in range(2))):
        if y == GAP:
            continue
        letter = "f" if y == GAP + 1 else f"T {x % 2}{y % 2}"
        grid[y * width + x] = outdoors[letter]
    tables.set_grid(ROUTE_104, width, height, grid)
    tables.move(TREE, HEDGE_COLUMN, GAP)
