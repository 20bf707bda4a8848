"""Places of Jade by what stands there, whatever world it is: see `Walker.at`."""

from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import Thing

PETALBURG, DEWFORD, BEACH = (0, 0), (0, 11), (0, 24)
HALL, CENTRE, SECOND_HALL = (11, 3), (11, 5), (3, 3)  # Rustboro's two, Dewford's
# Maps across the sea, and who sails there from the mainland, back, and further to the beach
ISLAND: Final = frozenset({DEWFORD, (3, 1), SECOND_HALL, (24, 7), (24, 8), (24, 9), (24, 10)})
SAILOR_AT_HOME: Final = Thing((17, 0), "person", 0)
SAILOR_IN_DEWFORD: Final = Thing(DEWFORD, "person", 0)
SAILOR_ON_BEACH: Final = Thing(BEACH, "person", 0)
# What must be pulled again after entering a map
SWITCHES: Final[dict[MapId, tuple[Thing, ...]]] = {
    SECOND_HALL: (Thing(SECOND_HALL, "person", 7), Thing(SECOND_HALL, "person", 8))
}
LEADER, LEVER = Thing(HALL, "person", 0), Thing(HALL, "sign", 0)
CINDY: Final = Thing((0, 19), "person", 3)  # she always fights again
BERRY: Final = Thing(PETALBURG, "person", 2)  # a day's
NURSE: Final = Thing((8, 4), "sign", 0)  # in Petalburg, over the counter
COMPUTER, CENTRES_NURSE = Thing(CENTRE, "sign", 1), Thing(CENTRE, "sign", 0)
COUNTER: Final = Thing((2, 4), "sign", 0)  # Oldale's shop
