"""The story of Jade, errand by errand, from power-on to the second badge.

``python -m emerald_env.jade.walk`` plays it 30 times, each time with different waits in between,
so that wild encounters and battles differ.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from typing import Final

from emerald_env.emulator import GBA
from emerald_env.jade import menus
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.maps import Stuck
from emerald_env.jade.walker import Walker
from emerald_env.jade.worlds.guidance.look import SAVE_BLOCK_1_POINTER

__all__ = ["MILESTONES", "SAVE_BLOCK_1_POINTER", "WALKTHROUGH", "Stuck", "Walker", "walk_through"]

# What Jade's story sets, in order: (name, kind, number, value); kinds as in the table of milestones
MILESTONES: Final = (
    ("visited_littleroot", "flag", 0x86F, 1),
    ("entered_home", "var", 0x4092, 3),
    ("sent_upstairs", "var", 0x4092, 4),
    ("clock_set", "flag", 0x51, 1),
    ("tv_report", "var", 0x4092, 7),
    ("met_rival_mom", "flag", 0x57, 1),
    ("met_rival", "var", 0x408D, 3),
    ("birch_in_danger", "var", 0x4060, 1),
    ("starter", "party", 0, 1),
    ("rescued_birch", "var", 0x4084, 2),
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
# Actions on a tile rather than with a person
DEEDS: Final[dict[str, Callable[[Walker], None]]] = {
    "look around": menus.look_around,
    "buy and sell": menus.buy_and_sell,
    "catch": menus.catch,
    "use an item": menus.use_item,
    "raise the second": menus.raise_the_second,
    "teach": menus.teach,
    "save and continue": menus.save_and_continue,
    "sail on": menus.sail_on,
}
# What to walk up to (or onto), one errand after the other: (how, group, number, x, y);
# "ask" says yes to questions; "beat", and "challenge", which says yes, try again after a defeat;
# other actions take place on the tile
WALKTHROUGH: Final = (
    ("go", 0, 9, 4, 10),  # out of the truck
    ("use", 1, 0, 9, 3),  # mother in front of the stairs
    ("use", 1, 1, 3, 1),  # the clock
    ("go", 1, 2, 5, 6),  # the neighbours
    ("use", 1, 3, 4, 3),  # Kim
    ("go", 0, 16, 10, 16),  # Route 101: a cry for help
    ("use", 0, 16, 7, 13),  # the bag, the first battle, the professor's laboratory
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
    ("challenge", 0, 19, 24, 72),  # Cindy, who always fights again
    ("use an item", 0, 19, 24, 74),
    ("use", 24, 11, 26, 26),  # the wood: an item
    ("use", 24, 11, 40, 32),  # an item
    ("catch", 24, 11, 8, 28),
    ("beat", 24, 11, 8, 20),  # Lyle
    ("beat", 24, 11, 18, 12),  # James
    ("beat", 0, 19, 26, 38),  # the twins, two against two
    ("use", 11, 5, 6, 3),  # Rustboro: a rest
    ("raise the second", 11, 5, 12, 2),
    ("look around", 11, 5, 6, 5),
    ("go", 11, 7, 4, 5),  # the shop
    ("use", 11, 11, 6, 4),  # the lesson that cuts trees
    ("use", 11, 3, 0, 14),  # the hall: the switch
    ("beat", 11, 3, 5, 3),  # the leader
    ("use", 11, 2, 9, 3),  # the president's letter
    ("save and continue", 0, 3, 9, 17),
    ("use", 11, 5, 6, 3),  # a rest
    ("ask", 0, 19, 34, 48),  # the tree that grows back: past the wood
    ("ask", 17, 0, 5, 3),  # the sailor
    ("use", 0, 11, 6, 13),  # Dewford: the letter's reader
    ("sail on", 0, 11, 12, 16),  # Route 109
    ("use", 0, 24, 12, 8),  # who swam there
    ("ask", 0, 24, 21, 15),  # the sailor, and back
    ("use", 24, 7, 36, 3),  # the cave: an item
    ("use", 3, 1, 6, 3),  # a rest
    ("teach", 3, 1, 6, 5),
    ("beat", 3, 3, 9, 3),  # the leader
)


MAX_WAIT = 60  # frames


def walk_through(walker: Walker, seed: int | None = None) -> Iterator[tuple[str, int]]:
    """Plays the story from power-on; yields each milestone with the frame it was reached in.

    Args:
        walker: of a game that was just switched on.
        seed: of the waits before the start and before each errand; None: no waits.

    Raises:
        Stuck: the game did not react as it should.
    """
    chance = random.Random(seed) if seed is not None else None
    _wait(walker, chance)
    walker.start()
    for name in _reached(walker):
        yield name, len(walker.keys)
    yield from go_on(walker, 0, chance)


def go_on(
    walker: Walker, errands: int, chance: random.Random | None = None
) -> Iterator[tuple[str, int]]:
    """Plays the rest of the story, as `walk_through` does, after the errands already done."""
    before = _reached(walker)
    for walker.errands, errand in enumerate(WALKTHROUGH[errands:], errands + 1):
        _wait(walker, chance)
        _run(walker, *errand)
        now = _reached(walker)
        for name in now:
            if name not in before:
                yield name, len(walker.keys)
        before = now


def _wait(walker: Walker, chance: random.Random | None) -> None:
    if chance is not None:
        walker.tick(chance.randrange(MAX_WAIT))


def _reached(walker: Walker) -> list[str]:
    look = walker.look
    return [name for name, kind, number, value in MILESTONES if look.story(kind, number) >= value]


def _run(walker: Walker, how: str, *place: int) -> None:
    group, number, x, y = place
    if how in ("beat", "challenge"):
        walker.beat(group, number, x, y, answer="a" if how == "challenge" else "b")
    elif how in ("use", "ask"):
        walker.use(group, number, x, y, answer="a" if how == "ask" else "b")
    else:
        walker.go_to(group, number, x, y)
        if how in DEEDS:
            DEEDS[how](walker)


def frames_to_the_end(seed: int) -> int:
    """Plays the whole story with this seed's waits; returns how many frames it took.

    Raises:
        Stuck: the game did not react as it should.
        AssertionError: a milestone was left out.
    """
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        walker = Walker(gba)
        reached = [name for name, _ in walk_through(walker, seed)]
        assert set(reached) == {name for name, *_ in MILESTONES}, sorted(reached)
        return len(walker.keys)


def main(arguments: list[str] | None = None) -> int:
    """Plays the story many times; returns 1 unless it always reaches its end."""
    parser = argparse.ArgumentParser(
        prog="python -m emerald_env.jade.walk",
        description="Plays Jade from power-on to the second badge, each time with different waits.",
    )
    parser.add_argument("--runs", type=int, default=30, help="how often (default: 30)")
    failed = 0
    for seed in range(parser.parse_args(arguments).runs):
        try:
            print(f"run {seed}: badge 2 after {frames_to_the_end(seed):,} frames", flush=True)
        except (Stuck, AssertionError) as problem:
            failed += 1
            print(f"run {seed}: {problem}", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
