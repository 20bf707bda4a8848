"""Who lives in the grass and who fights beside trainers; levels stay as in world 0."""

import random
import struct
from collections.abc import Collection
from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import BATTLE, TRAINER_TYPE, RomTables, Thing

# Emerald's numbers of Jade's small wild kinds (jade/src/data/data_species.c)
KINDS: Final = (286, 288, 290, 295, 304, 309)
HALLS: Final = {(3, 3), (11, 3)}  # who trains there keeps to the leader's type
# jade/src/events/encounter.c: group, number, chance, four kinds with lowest and highest level
HABITAT: Final = struct.Struct("<2bBx" + "H2B" * 4)
HABITATS = 8
FIRST_HABITAT: Final = struct.pack("<2bBxH2B", 0, 16, 20, 290, 2, 2)
CAVE: Final = (24, 7)
TEAM, TEAM_SIZE = 14, 3  # in a trainer: species and level, four bytes each


def settle(tables: RomTables, chance: random.Random) -> None:
    """Gives grass and trainers other kinds."""
    first = tables.find(FIRST_HABITAT)
    for at in range(first, first + HABITATS * HABITAT.size, HABITAT.size):
        values = list(HABITAT.unpack(tables.read(at, HABITAT.size)))
        if tuple(values[:2]) != CAVE:
            values[3::3] = (chance.choice(KINDS) for _ in range(4))
        tables.pack(HABITAT.format, at, *values)
    for trainer in sorted(trainers(tables, tables.headers.keys() - HALLS)):
        for member in range(trainer + TEAM, trainer + TEAM + 4 * TEAM_SIZE, 4):
            if tables.unpack("<H", member)[0] in KINDS:
                tables.pack("<H", member, chance.choice(KINDS))


def trainers(tables: RomTables, maps: Collection[MapId]) -> set[int]:
    """Returns the addresses of all trainers on some maps."""
    found = set()
    for at in maps:
        for thing, _ in tables.things(at):
            found |= {tables.word(command + 8) for command in _battles(tables, thing)}
            entry = tables.address(thing)
            if thing.kind == "person" and tables.unpack("<H", entry + TRAINER_TYPE)[0]:
                found.add(tables.word(tables.word(entry + 16)))
    return found


def _battles(tables: RomTables, thing: Thing) -> list[int]:
    script = tables.script(thing)
    commands = tables.commands(script) if script else ()
    return [command for command in commands if tables.unpack("<B", command)[0] == BATTLE]
