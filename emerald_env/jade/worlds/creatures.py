"""Who lives in the grass and who fights beside trainers; levels stay as in world 0."""

import random
import re
import struct
from collections.abc import Collection, Set
from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.places import CAVE, FULL_HABITATS, HABITATS
from emerald_env.jade.worlds.rom_tables import BATTLE, ROM, RomTables, Thing

# Emerald's numbers of Jade's small wild kinds (jade/src/data/data_species.c)
KINDS: Final = (286, 288, 290, 295, 304, 309)
HALLS: Final = {(3, 3), (11, 3), (10, 0), (4, 1), (4, 2)}  # who trains there keeps to one type
# jade/src/events/encounter.c: group, number, chance, four kinds with lowest and highest level
HABITAT: Final = struct.Struct("<2bBx" + "H2B" * 4)
ROWS: Final = re.compile(
    b"".join(re.escape(bytes(at)) + b"." * (HABITAT.size - 2) for at in HABITATS), re.DOTALL
)
TEAM, TEAM_SIZE = 14, 3  # in a trainer: species and level, four bytes each


def settle(
    tables: RomTables, chance: random.Random, maps: Set[MapId], kinds: tuple[int, ...] = KINDS
) -> None:
    """Gives grass and trainers of some maps other kinds.

    Args:
        tables: of the world.
        chance: decides.
        maps: which.
        kinds: who may live and fight there.
    """
    for at in habitats(tables):
        values = list(HABITAT.unpack(tables.read(at, HABITAT.size)))
        here = (values[0], values[1])
        if here != CAVE and here in maps:
            values[3::3] = (chance.choice(kinds) for _ in range(4))
            tables.pack(HABITAT.format, at, *values)
    for trainer in sorted(trainers(tables, maps - HALLS)):
        for member in range(trainer + TEAM, trainer + TEAM + 4 * TEAM_SIZE, 4):
            if tables.unpack("<H", member)[0] in kinds:
                tables.pack("<H", member, chance.choice(kinds))


def habitats(tables: RomTables) -> list[int]:
    """Returns where each map's habitat is in the ROM, in the order of `HABITATS`.

    Raises:
        ValueError: it is no ROM of Jade.
    """
    found = ROWS.search(tables.data)
    if found is None:
        raise ValueError("there are no habitats in this ROM")
    first, rows = ROM + found.start(), len(HABITATS)
    while tables.read(first + HABITAT.size * rows, 2) in map(bytes, FULL_HABITATS):
        rows += 1
    return [first + HABITAT.size * row for row in range(rows)]


def trainers(tables: RomTables, maps: Collection[MapId]) -> set[int]:
    """Returns the addresses of all trainers on some maps."""
    found = set()
    for at in maps:
        found |= {tables.word(each.script) for each in tables.people(at) if each.fights}
        found.update(*(challenged(tables, thing) for thing, _ in tables.things(at)))
    return found


def challenged(tables: RomTables, thing: Thing) -> set[int]:
    """Returns the addresses of the trainers whom talking to somebody leads to."""
    battles = tables.commands(tables.script(thing), BATTLE)
    return {tables.word(command + 8) for command in battles}


def highest_level(tables: RomTables, thing: Thing) -> int:
    """Returns the highest level that somebody sends out when talked to; 0: nobody fights."""
    members = [
        at + TEAM + 4 * place for at in challenged(tables, thing) for place in range(TEAM_SIZE)
    ]
    rows = [tables.unpack("<HB", member) for member in members]
    return max((level for species, level in rows if species), default=0)
