"""Jade's story as errands: what to do next, by what is done. Places are named, not numbered.

An errand is for the first milestone that is not reached. "go" means onto a map or a tile, "use"
means to face somebody or something and press A.
"""

from itertools import chain
from typing import Final, NamedTuple

from emerald_env.jade.maps import MapId, Place
from emerald_env.jade.worlds.guidance.taught_moves import CUT, ROCK_SMASH, STRENGTH


class Errand(NamedTuple):
    """What to do until a flag is set, or a variable has a value."""

    kind: str  # of what says that it is done: "flag", "var", "party" or "move"
    number: int
    value: int
    how: str  # "go", "use" or "teach"
    map: MapId
    thing: str = ""  # "person 0", "sign 1", "trigger 0": places in the map's tables
    name: str = ""  # of the milestone, where it is one


def use(at: MapId, thing: str) -> Errand:
    """Returns an errand that no milestone belongs to: to go to a thing and press A."""
    return Errand("flag", 0, 1, "use", at, thing)


ERRANDS: Final = (
    Errand("flag", 0x86F, 1, "go", (0, 9), name="visited_littleroot"),
    Errand("var", 0x4092, 3, "go", (1, 0), name="entered_home"),
    Errand("var", 0x4092, 4, "use", (1, 0), "person 0", "sent_upstairs"),
    Errand("flag", 0x51, 1, "use", (1, 1), "sign 0", "clock_set"),
    Errand("var", 0x4092, 7, "go", (1, 0), name="tv_report"),
    Errand("flag", 0x57, 1, "go", (1, 2), name="met_rival_mom"),
    Errand("var", 0x408D, 3, "use", (1, 3), "person 0", "met_rival"),
    Errand("var", 0x4060, 1, "go", (0, 16), "trigger 0", "birch_in_danger"),
    Errand("party", 0, 1, "use", (0, 16), "person 1", "starter"),
    Errand("var", 0x4084, 2, "use", (0, 16), "person 1", "rescued_birch"),
    Errand("var", 0x4084, 3, "go", (1, 4), name="starter_given"),
    Errand("flag", 0x870, 1, "go", (0, 10), name="visited_oldale"),
    Errand("flag", 0x84, 1, "use", (0, 10), "person 0", "oldale_potion"),
    Errand("flag", 0x82, 1, "use", (0, 18), "person 0", "rival_route103"),
    Errand("flag", 0x861, 1, "use", (1, 4), "person 0", "pokedex"),
    Errand("flag", 0x8C0, 1, "use", (0, 9), "person 3", "running_shoes"),
    Errand("flag", 0x876, 1, "go", (0, 0), name="visited_petalburg"),
    Errand("flag", 0x879, 1, "go", (0, 3), name="visited_rustboro"),
    Errand("flag", 0x867, 1, "use", (11, 3), "person 0", "badge_1"),
    Errand("flag", 0xBC, 1, "use", (11, 2), "person 0", "letter"),
    Errand("flag", 0x871, 1, "use", (17, 0), "person 0", "visited_dewford"),
    Errand("flag", 0xBD, 1, "use", (0, 11), "person 2", "letter_delivered"),
    Errand("flag", 0x868, 1, "use", (3, 3), "person 0", "badge_2"),
)
# What a world asks besides, after some milestones, where trees and rocks bar the way
LESSONS: Final = {
    "badge_1": (
        Errand("flag", 0x89, 1, "use", (11, 11), "person 0"),
        Errand("move", CUT, 1, "teach", (11, 11)),
    ),
    "visited_dewford": (
        Errand("flag", 0x6B, 1, "use", (0, 11), "person 2"),
        Errand("move", ROCK_SMASH, 1, "teach", (0, 11)),
    ),
}
HARDER_ERRANDS: Final = tuple(
    each for errand in ERRANDS for each in (errand, *LESSONS.get(errand.name, ()))
)
STRENGTH_LESSON: Final = (
    Errand("flag", 0x6A, 1, "use", (24, 14), "person 2", "hm_strength"),
    Errand("move", STRENGTH, 1, "teach", (24, 14)),
)
# The story of worlds called :emerald goes on, on the coast beyond the far beach and on the mountain
COAST_ERRANDS: Final = (
    Errand("flag", 0x877, 1, "go", (0, 1), name="visited_slateport"),
    Errand("flag", 0x94, 1, "use", (9, 0), "person 0"),
    Errand("flag", 0x95, 1, "use", (9, 8), "person 0", "goods_delivered"),
    Errand("var", 0x4069, 1, "go", (0, 25), "trigger 0", "rival_route110"),
    Errand("flag", 0x878, 1, "go", (0, 2), name="visited_mauville"),
    Errand("flag", 0x5A, 1, "use", (10, 1), "person 0", "bike"),
    Errand("flag", 0xBE, 1, "use", (0, 2), "person 0", "wally_mauville"),
    Errand("flag", 0x869, 1, "use", (10, 0), "person 0", "badge_3"),
    *STRENGTH_LESSON,
    Errand("flag", 0x873, 1, "go", (0, 13), name="visited_fallarbor"),
    Errand("flag", 0xCF, 1, "go", (24, 0), "trigger 0", "meteor_falls"),
    Errand("flag", 0x8B, 1, "use", (24, 12), "person 0", "mt_chimney"),
    Errand("flag", 0x872, 1, "go", (0, 12), name="visited_lavaridge"),
    Errand("flag", 0x86A, 1, "use", (4, 1), "person 0", "badge_4"),
)
# and has scenes between Oldale and Rustboro, and a lesson in the cave: before which milestone, what
FULL_ERRANDS: Final = {
    "visited_rustboro": (
        Errand("var", 0x4085, 2, "use", (8, 1), "person 0", "wally_tutorial"),
        Errand("flag", 0x50A, 1, "go", (24, 11), "trigger 0", "petalburg_woods_grunt"),
    ),
    "letter_delivered": (Errand("flag", 0x6D, 1, "use", (24, 7), "person 1", "hm_flash"),),
}
HEAL, ENTER_CENTRE, TRAIN = 1, 2, 3  # what comes before an errand; 0: nothing
# Errands, or none, each with what comes before; those of :emerald come last, after none
STORY_OVER: Final = 4 * len(HARDER_ERRANDS) + 3
FURTHER_ERRANDS: Final = (
    *(each for each in COAST_ERRANDS if each not in STRENGTH_LESSON),
    *chain.from_iterable(FULL_ERRANDS.values()),
    *STRENGTH_LESSON,
)
PURPOSES: Final = STORY_OVER + 1 + 4 * len(FURTHER_ERRANDS)
# What opens the way to somebody: (map, flag that must be as in the next column, what to use)
SWITCHES: Final = (
    ((11, 3), 0x63, False, "sign 0"),
    ((3, 3), 0x12, False, "person 7"),
    ((3, 3), 0x12, True, "person 8"),
)
NURSES: Final = ((2, 2), (8, 4), (11, 5), (3, 1))
MOUNTAIN: Final = frozenset(
    {(0, 12), (0, 13), (0, 26), (0, 27), (0, 28), (0, 29), (4, 1), (4, 2), (4, 4), (4, 5)}
    | {(5, 0), (5, 4), (19, 0), (19, 1), (24, 0), (24, 12), (24, 13), (24, 14)}
)
COAST: Final = MOUNTAIN | frozenset(
    {(0, 1), (0, 2), (0, 25), (9, 0), (9, 7), (9, 8), (9, 11), (9, 13)}
    | {(10, 0), (10, 1), (10, 5), (10, 7)}
)
WEST: Final = frozenset({(8, 1)})
COAST_NURSES: Final = ((9, 11), (10, 5), (4, 5), (5, 4))
START: Final[Place] = (25, 40, 1, 2)  # in the truck
SAILORS: Final = ((17, 0), (0, 11), (0, 24))


class Leader(NamedTuple):
    """What to do before a leader, or the rival, is fought."""

    levels: tuple[int, int, int] = (0, 0, 0)  # to reach first with Treecko, Torchic, Mudkip
    above: tuple[int, int, int] = (-3, -3, -3)  # the same, beside the leader's best
    centre: tuple[MapId, MapId] | None = None  # a town and its centre, to enter first: whoever has
    # been there wakes up there after a lost battle


# With Torchic and no level to reach first, badge 1 was won in one of three plays of 4,000 steps;
# after level 8 in some 1,500 steps, after level 13 in 2,500. The way back to badge 2 leads over the
# sea. To badge 1 it is short, and the screen does not show where one was. Treecko has moves of the
# field for badge 2: where the leader has level 19 it did not win in 12,000 steps of a world from
# level 16 on, and did in 5,000 from level 20 on.
LEADERS: Final = {
    "rival_route103": Leader(levels=(0, 7, 0), above=(1, -3, 1)),  # against water, in some worlds
    # so that who lives in the wood is no danger, and whoever loses there wakes up near
    "petalburg_woods_grunt": Leader(centre=((0, 0), (8, 4)), above=(3, 3, 3)),
    "badge_1": Leader(levels=(0, 8, 0)),
    "badge_2": Leader(centre=((0, 11), (3, 1)), above=(1, -3, -3)),
    "goods_delivered": Leader(centre=((0, 1), (9, 11))),  # two battles without a rest
    "rival_route110": Leader(),
    "wally_mauville": Leader(centre=((0, 2), (10, 5))),
    "badge_3": Leader(centre=((0, 2), (10, 5))),
    "mt_chimney": Leader(),
    "badge_4": Leader(centre=((0, 12), (4, 5))),
}
