"""Maps and places of Jade by what is there, whatever world it is: see `Walker.at`."""

from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import Thing

LITTLEROOT, ROUTE_101, OLDALE, ROUTE_103 = (0, 9), (0, 16), (0, 10), (0, 18)
ROUTE_102, PETALBURG, ROUTE_104, WOODS, RUSTBORO = (0, 17), (0, 0), (0, 19), (24, 11), (0, 3)
DEWFORD, CAVE, BEACH, ROUTE_110 = (0, 11), (24, 7), (0, 24), (0, 25)
SLATEPORT, MAUVILLE, LAVARIDGE, FALLARBOR = (0, 1), (0, 2), (0, 12), (0, 13)
HALL, CENTRE, SECOND_HALL = (11, 3), (11, 5), (3, 3)  # Rustboro's two, Dewford's
LOWER_CAVE: Final = frozenset({(24, 8), (24, 9), (24, 10)})
# Maps across the sea, and who sails there from the mainland, back, and further to the beach
ISLAND: Final = frozenset({DEWFORD, (3, 1), SECOND_HALL, CAVE}) | LOWER_CAVE
SAILOR_AT_HOME: Final = Thing((17, 0), "person", 0)
SAILOR_IN_DEWFORD: Final = Thing(DEWFORD, "person", 0)
SAILOR_ON_BEACH: Final = Thing(BEACH, "person", 0)
# What must be pulled again after entering a map
SWITCHES: Final[dict[MapId, tuple[Thing, ...]]] = {
    SECOND_HALL: (Thing(SECOND_HALL, "person", 7), Thing(SECOND_HALL, "person", 8))
}
LEADER, LEVER = Thing(HALL, "person", 0), Thing(HALL, "sign", 0)
CINDY: Final = Thing(ROUTE_104, "person", 3)  # she always fights again
BERRY: Final = Thing(PETALBURG, "person", 2)  # a day's
NURSE: Final = Thing((8, 4), "sign", 0)  # in Petalburg, over the counter
COMPUTER, CENTRES_NURSE = Thing(CENTRE, "sign", 1), Thing(CENTRE, "sign", 0)
COUNTER: Final = Thing((2, 4), "sign", 0)  # Oldale's shop
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
# Where something lives in the grass, or in the cave, in the order of the ROM's table
# (jade/src/events/encounter.c); and, in no order, where only in jade_full.gba
HABITATS: Final = (ROUTE_101, ROUTE_103, ROUTE_102, OLDALE, ROUTE_104, WOODS, CAVE, PETALBURG)
FULL_HABITATS: Final = LOWER_CAVE | {
    *(ROUTE_110, (0, 27), (0, 28), (0, 29), (24, 13), (24, 14)),
}
