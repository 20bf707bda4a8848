"""The story of Jade, errand by errand, from power-on to the second badge."""

from collections.abc import Callable, Iterator
from typing import Final

from emerald_env.jade import menus
from emerald_env.jade.maps import Stuck
from emerald_env.jade.walker import SAVE_BLOCK_1_POINTER, Walker

__all__ = ["MILESTONES", "SAVE_BLOCK_1_POINTER", "WALKTHROUGH", "Stuck", "Walker", "walk_through"]

# Emerald's flags and variables that Jade's story sets, in order: (name, kind, number, value)
MILESTONES: Final = (
    ("visited_littleroot", "flag", 0x86F, 1),
    ("entered_home", "var", 0x4092, 3),
    ("sent_upstairs", "var", 0x4092, 4),
    ("clock_set", "flag", 0x51, 1),
    ("tv_report", "var", 0x4092, 7),
    ("met_rival_mom", "flag", 0x57, 1),
    ("met_rival", "var", 0x408D, 3),
    ("birch_in_danger", "var", 0x4060, 1),
    ("starter", "flag", 0x860, 1),
    ("rescued_birch", "flag", 0x52, 1),
    ("starter_given", "var", 0x4084, 3),
    ("visited_oldale", "flag", 0x870, 1),
    ("oldale_potion", "flag", 0x84, 1),
    ("rival_route103", "flag", 0x82, 1),
    ("pokedex", "flag", 0x861, 1),
    ("running_shoes", "flag", 0x8C0, 1),
    ("visited_petalburg", "flag", 0x876, 1),
    ("visited_rustboro", "flag", 0x879, 1),
    ("badge_1", "flag", 0x867, 1),
    ("letter", "flag", 0xBC, 1),
    ("visited_dewford", "flag", 0x871, 1),
    ("letter_delivered", "flag", 0xBD, 1),
    ("badge_2", "flag", 0x868, 1),
)
# What is done on a tile rather than to a person
DEEDS: Final[dict[str, Callable[[Walker], None]]] = {
    "look around": menus.look_around,
    "buy and sell": menus.buy_and_sell,
    "catch": menus.catch,
    "use an item": menus.use_item,
    "use the computer": menus.put_away_and_take_back,
    "sail on": menus.sail_on,
}
# What to walk up to (or onto), one errand after the other: (how, group, number, x, y);
# "ask" says yes to questions, "beat" tries again after a defeat; a deed is done on the tile
WALKTHROUGH: Final = (
    ("use", 1, 0, 9, 3),  # mother in front of the stairs
    ("use", 1, 1, 3, 1),  # the clock
    ("go", 1, 2, 5, 6),  # the neighbours
    ("use", 1, 3, 4, 3),  # Kim
    ("go", 0, 16, 10, 16),  # Route 101: a cry for help
    ("use", 0, 16, 7, 13),  # the bag
    ("use", 1, 4, 6, 4),  # the professor
    ("use", 0, 10, 12, 8),  # the girl from the shop
    ("beat", 0, 18, 10, 5),  # Kim on Route 103
    ("use", 0, 18, 24, 15),  # an item
    ("use", 1, 4, 6, 4),  # the professor
    ("use", 0, 9, 9, 17),  # mother with the shoes
    ("use", 2, 0, 6, 3),  # Oldale: the house
    ("use", 2, 2, 6, 3),  # a rest
    ("buy and sell", 2, 4, 3, 3),
    ("use", 0, 17, 12, 6),  # an item
    ("go", 0, 0, 25, 20),  # Petalburg
    ("use", 0, 0, 4, 26),  # an item
    ("use", 0, 0, 24, 3),  # something hidden
    ("use", 0, 0, 10, 22),  # the daily berry
    ("use", 8, 2, 6, 3),  # father
    ("use", 8, 4, 6, 3),  # a rest
    ("use", 0, 19, 34, 76),  # Route 104: an item
    ("use", 0, 19, 31, 68),  # something hidden
    ("ask", 0, 19, 24, 72),  # Cindy, who always fights again
    ("use an item", 0, 19, 24, 74),
    ("catch", 0, 19, 30, 60),
    ("use", 24, 11, 26, 26),  # the wood: an item
    ("use", 24, 11, 40, 32),  # an item
    ("beat", 24, 11, 8, 20),  # Lyle
    ("beat", 24, 11, 18, 12),  # James
    ("use", 11, 5, 6, 3),  # Rustboro: a rest
    ("use the computer", 11, 5, 12, 2),
    ("look around", 11, 5, 6, 5),
    ("go", 11, 7, 4, 5),  # the shop
    ("use", 11, 11, 6, 4),  # the lesson that cuts trees
    ("use", 11, 3, 0, 14),  # the hall: the switch
    ("beat", 11, 3, 5, 3),  # the leader
    ("use", 11, 2, 9, 3),  # the president's letter
    ("use", 11, 5, 6, 3),  # a rest
    ("ask", 0, 19, 34, 48),  # the tree that grows back: past the wood
    ("ask", 17, 0, 5, 3),  # the sailor
    ("use", 0, 11, 6, 13),  # Dewford: the letter's reader
    ("sail on", 0, 11, 12, 16),  # Route 109
    ("use", 0, 24, 12, 8),  # who swam there
    ("ask", 0, 24, 21, 15),  # the sailor, and back
    ("use", 24, 7, 36, 3),  # the cave: an item
    ("use", 3, 1, 6, 3),  # a rest
    ("beat", 3, 3, 9, 3),  # the leader
)


def walk_through(walker: Walker) -> Iterator[tuple[str, int]]:
    """Plays the story from power-on; yields each milestone with the frame it was reached in."""
    reached = set()

    def news() -> Iterator[tuple[str, int]]:
        for name, kind, number, value in MILESTONES:
            have = walker.var(number) if kind == "var" else walker.flag(number)
            if name not in reached and have >= value:
                reached.add(name)
                yield name, len(walker.keys)

    walker.start()
    yield from news()
    for how, *place in WALKTHROUGH:
        if how == "go":
            walker.go_to(*place)
        elif how == "beat":
            walker.beat(*place)
        elif how in DEEDS:
            walker.go_to(*place)
            DEEDS[how](walker)
        else:
            group, number, x, y = place
            walker.use(group, number, x, y, answer="a" if how == "ask" else "b")
        yield from news()
