"""When an episode reached the 26 splits of the PokéAgent Challenge's Emerald track.

The names are those of its table (pokeagent.github.io); the last is the first gym's badge.
"""

from collections.abc import Iterable
from typing import Final

from emerald_env.state import GameState, milestones_done

MapId = tuple[int, int]  # group and number
BEFORE: Final = ("GAME_RUNNING", "PLAYER_NAME_SET", "INTRO_CUTSCENE_COMPLETE")  # of a new game
HOUSES: Final[tuple[MapId, ...]] = ((1, 0), (1, 2))  # one is the player's, the other the rival's
OWN_HOUSE, OWN_ROOM, RIVALS_HOUSE, RIVALS_ROOM = "own", "own room", "rival's", "rival's room"
ROUTE_104: Final = (0, 19)  # one map, on both sides of the woods
WOODS: Final = (24, 11)
AFTER_WOODS: Final = "Route 104 after the woods"
# split -> a map to be in, a milestone's slug, or one of the names above
SPLITS: Final[dict[str, MapId | str]] = {
    "LITTLEROOT_TOWN": (0, 9),
    "PLAYER_HOUSE_ENTERED": OWN_HOUSE,
    "PLAYER_BEDROOM": OWN_ROOM,
    "RIVAL_HOUSE": RIVALS_HOUSE,
    "RIVAL_BEDROOM": RIVALS_ROOM,
    "ROUTE_101": (0, 16),
    "STARTER_CHOSEN": "starter",
    "BIRCH_LAB_VISITED": (1, 4),
    "OLDALE_TOWN": (0, 10),
    "ROUTE_103": (0, 18),
    "RECEIVED_POKEDEX": "pokedex",
    "ROUTE_102": (0, 17),
    "PETALBURG_CITY": (0, 0),
    "DAD_FIRST_MEETING": (8, 1),
    "GYM_EXPLANATION": "wally_tutorial",
    "ROUTE_104_SOUTH": ROUTE_104,
    "PETALBURG_WOODS": WOODS,
    "TEAM_AQUA_GRUNT_DEFEATED": "petalburg_woods_grunt",
    "ROUTE_104_NORTH": AFTER_WOODS,
    "RUSTBORO_CITY": (0, 3),
    "RUSTBORO_GYM_ENTERED": (11, 3),
    "ROXANNE_DEFEATED": "badge_stone",
    "FIRST_GYM_COMPLETE": "badge_stone",
}


def splits_of(states: Iterable[GameState | None]) -> dict[str, int]:
    """Returns the step at which each split was reached, 0 for those before a new game.

    Args:
        states: at the start of an episode, and after each step.
    """
    reached: dict[MapId | str, int] = {}
    known: tuple[bytes, bytes, int] | None = None
    for step, state in enumerate(states):
        if state is None:
            continue
        for place in _places(state.location, reached):
            reached.setdefault(place, step)
        story = state.flags, state.vars, len(state.party)
        if story != known:
            known = story
            for slug in milestones_done(state):
                reached.setdefault(slug, step)
    found = {name: reached[goal] for name, goal in SPLITS.items() if goal in reached}
    return dict.fromkeys(BEFORE, 0) | found


def _places(here: MapId, reached: dict[MapId | str, int]) -> Iterable[MapId | str]:
    """Yields a map, and what it is in the story."""
    yield here
    if here == ROUTE_104 and WOODS in reached:
        yield AFTER_WOODS
    house = (here[0], here[1] & ~1)  # a room is above its house
    if house in HOUSES:
        first = next(iter(house for house in reached if house in HOUSES), house)
        names = (OWN_HOUSE, OWN_ROOM) if first == house else (RIVALS_HOUSE, RIVALS_ROOM)
        yield names[here[1] & 1]
