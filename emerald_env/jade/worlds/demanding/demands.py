"""What a demanding world asks of the player, as the real game does: bytes that its engine reads."""

from typing import Final, NamedTuple

from emerald_env.jade.worlds.letters import table
from emerald_env.jade.worlds.places import ROUTE_104
from emerald_env.jade.worlds.rom_tables import RomTables, Thing

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
    "dark": Demand(4, "on the lower floors of the cave one sees only what is near", full=True),
    "pace": Demand(5, "words, fades, battles and the processor take Emerald's time", full=True),
}
TREE: Final = Thing(ROUTE_104, "person", 4)  # the small tree
SHORTCUT: Final = (34, 48)  # where it stands in other worlds
# Whom the letter is for, and where he is in worlds that have a cave of several floors
READER, CHAMBER = Thing((0, 11), "person", 2), (24, 10)
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
    return bool(tables.byte(DEMANDS_AT + DEMANDS[name].byte))


def readers_place(tables: RomTables) -> Thing:
    """Returns whom the letter is for: in Dewford, or in the last chamber of its cave."""
    return Thing(CHAMBER, "person", 0) if has_rock(tables) else READER


def has_rock(tables: RomTables) -> bool:
    """Returns whether a rock bars the way to whom the letter is for."""
    return CHAMBER in tables.headers


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
