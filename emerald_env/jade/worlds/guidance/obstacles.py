"""Who and what stands on the maps of a world, as its tables say."""

from typing import NamedTuple

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import PLACE, RomTables


class Obstacle(NamedTuple):
    """Somebody or something."""

    flag: int  # that hides it; 0: it is always there
    look: int  # graphicsId


Obstacles = dict[MapId, dict[tuple[int, int], Obstacle]]


def obstacles(tables: RomTables) -> Obstacles:
    """Returns by map the tiles of people and things that never step aside."""
    found: Obstacles = {}
    for at in tables.headers:
        movers = {
            tables.unpack("<B", command + 1)[0]
            for script in tables.map_scripts(at)
            for command in tables.commands(script)
            if tables.unpack("<B", command)[0] == PLACE
        }
        found[at] = {}
        for thing, tile in tables.things(at):
            entry = tables.address(thing)
            if thing.kind == "person" and tables.unpack("<B", entry)[0] not in movers:
                (flag,), (look,) = tables.unpack("<H", entry + 20), tables.unpack("<B", entry + 1)
                found[at][tile] = Obstacle(flag, look)
    return found
