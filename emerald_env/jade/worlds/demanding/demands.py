"""What a demanding world asks of the player, as the real game does: bytes that its engine reads."""

import struct
from typing import Final, NamedTuple

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
ENGINE: Final = 7  # the byte that is 1 in jade_full.gba
ROUTE_104: Final = (0, 19)
TREE: Final = Thing(ROUTE_104, "person", 4)  # the small tree
SHORTCUT: Final = (34, 48)  # where it stands in other worlds
# Whom the letter is for, and where he is in the cave; who says that
READER, CAVE, READERS_PLACE = Thing((0, 11), "person", 2), (24, 7), (33, 4)
PRESIDENT: Final = Thing((11, 2), "person", 0)
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


def is_full(tables: RomTables) -> bool:
    """Returns whether a ROM's engine is that of jade_full.gba."""
    return bool(tables.unpack("<B", DEMANDS_AT + ENGINE)[0])


def readers_place(tables: RomTables) -> Thing:
    """Returns whom the letter is for: in Dewford, or in the cave after `hide_reader`."""
    count = tables.unpack("<B", tables.word(tables.headers[CAVE] + 4))[0]
    return Thing(CAVE, "person", 1) if count > 1 else READER


def hide_reader(tables: RomTables) -> None:
    """Sends whom the letter is for into the cave, as in Emerald; the president says so."""
    town, cave = (tables.word(tables.headers[at] + 4) for at in (READER.map, CAVE))
    count = tables.unpack("<B", cave)[0]
    people = tables.read(tables.word(cave + 4), PERSON * count)
    reader = bytearray(tables.read(tables.address(READER), PERSON))
    reader[0] = count + 1
    struct.pack_into("<2h", reader, 4, *READERS_PLACE)
    tables.pack("<I", cave + 4, tables.add(people + bytes(reader)))
    tables.pack("<B", cave, count + 1)
    tables.pack("<B", town, READER.number)  # he was the last one there
    for command in tables.commands(tables.script(PRESIDENT)):
        if tables.unpack("<B", command)[0] == SAY:
            text = tables.text(tables.word(command + 8))
            told = text.replace("letter to Dewford.", "letter into the cave of Dewford.")
            tables.pack("<I", command + 8, tables.add_text(told))


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
