"""The outdoor maps of the story, and their houses."""

from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import Thing

LITTLEROOT, ROUTE_101, OLDALE, ROUTE_103 = (0, 9), (0, 16), (0, 10), (0, 18)
ROUTE_102, PETALBURG, ROUTE_104, WOODS, RUSTBORO = (0, 17), (0, 0), (0, 19), (24, 11), (0, 3)
SLATEPORT, MAUVILLE, LAVARIDGE, FALLARBOR = (0, 1), (0, 2), (0, 12), (0, 13)
HIDDEN: Final = {Thing(PETALBURG, "sign", 2)}  # under a flower, as in world 0
HOUSES: Final[dict[MapId, tuple[str, ...]]] = {  # in the order of the doors
    LITTLEROOT: ("home", "house", "lab"),
    OLDALE: ("house", "centre", "shop"),
    PETALBURG: ("house", "centre"),
    RUSTBORO: ("stone hall", "stone works", "centre", "shop", "stone house"),
    SLATEPORT: ("centre", "shop", "stone works", "hall"),
    MAUVILLE: ("hall", "centre", "house", "shop"),
    LAVARIDGE: ("centre", "shop", "hall"),
    FALLARBOR: ("centre", "shop"),
}
