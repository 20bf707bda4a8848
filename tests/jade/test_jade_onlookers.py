"""Trainers who walk up to the player, and stand where he must pass: worlds leave him a way."""

from itertools import takewhile

import pytest

from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.maps import COLLISION, STAIRS, STEPS, Map
from emerald_env.jade.worlds.demanding.wanderers import LOOKS_AROUND, MOVEMENT
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.outdoors.onlookers import Onlooker, Visit
from emerald_env.jade.worlds.rom_tables import FACING, SIGHT, TRAINER_TYPE
from emerald_env.jade.worlds.solvable import find_trap

HERE, OUTSIDE = (0, 0), (0, 1)
RUSTBORO_HALL, MAUVILLE_HALL = (11, 3), (10, 0)  # walls and beams go away there
GRASS = 0x02
KINDS = {">": STAIRS, "v": 0x3B, '"': GRASS}
LEFT, RIGHT, UP, DOWN = (STEPS[each] for each in ("left", "right", "up", "down"))
SIDES = {1: DOWN, 2: UP, 3: LEFT, 4: RIGHT}
# Worlds that once had somebody shut in for ever: on Jagged Pass, Routes 110, 112, 114 and 104
TRAPPED = (
    *("18:emerald", "32:emerald", "20:emerald", "21:emerald", "42:emerald", "64:large"),
    *("38:large:emerald", "1000000000:large:emerald", "817061414:large:emerald"),
)
SOME = (*map(str, range(1, 9)), *(f"{seed}:large" for seed in range(60, 67)))
FURTHER = tuple(
    f"{seed}:{kind}"
    for seed in (3, 11)
    for kind in ("demanding", "large:demanding", "emerald", "large:emerald")
)

# ---- the rule, on a drawn map: > leads out, v is a ledge, letters are trainers ----

POCKET = """
#########
#>......#
####v####
#.....A.#
#####..>#
"""
WIDER = """
#########
#>......#
####v####
#.....A.#
####...>#
"""
TWO = """
#########
#>......#
####v>###
#.....A.#
#.....B.#
#####>###
"""
PAIR = """
##########
#>.......#
####.#####
###A..."##
"""


def drawn(text: str) -> Map:
    rows = text.split()
    letters = "".join(row.ljust(len(rows[0]), "#") for row in rows)
    width = len(rows[0])
    stairs = [divmod(at, width)[::-1] for at, letter in enumerate(letters) if letter == ">"]
    return Map(
        width,
        len(rows),
        tuple(COLLISION * (letter in "#v") for letter in letters),
        tuple(KINDS.get(letter, 0) for letter in letters),
        tuple((x, y, 0, OUTSIDE) for x, y in stairs),
        (),
        frozenset(),
    )


def shut(text: str, **onlookers: Onlooker) -> tuple[int, int] | None:
    """The tile from which no way leads on; whoever comes begins at the first stairs."""
    own = drawn(text)
    outside = Map(1, 1, (0,), (STAIRS,), ((0, 0, 0, HERE),), (), frozenset())
    ways = Ways({HERE: own, OUTSIDE: outside})
    people = frozenset(each.home for each in onlookers.values())
    x, y, *_ = own.warps[0]
    visit = Visit(ways, people, [*onlookers.values()], lambda place: place[:2] == OUTSIDE)
    found = visit.find_shut({(*HERE, x, y)})
    return found and found[2:]


def trainer(text: str, letter: str, *sides, sight=4, turns=False, is_pair=False) -> Onlooker:
    at = "".join(text.split()).index(letter)
    y, x = divmod(at, len(text.split()[0]))
    return Onlooker((*HERE, x, y), sight, sides, ord(letter), is_pair, turns)


def test_whoever_comes_over_a_ledge_is_shut_in_where_a_trainer_stops_in_the_only_way_out():
    assert shut(POCKET, a=trainer(POCKET, "A", LEFT)) == (4, 3)


def test_a_trainer_who_looks_elsewhere_or_not_that_far_shuts_nobody_in():
    assert shut(POCKET, a=trainer(POCKET, "A", DOWN)) is None
    assert shut(POCKET, a=trainer(POCKET, "A", LEFT, sight=0)) is None


def test_one_who_turns_may_look_where_the_way_out_is():
    assert shut(POCKET, a=trainer(POCKET, "A", *SIDES.values(), turns=True)) == (4, 3)


def test_a_second_way_out_is_enough():
    assert shut(WIDER, a=trainer(WIDER, "A", LEFT)) is None


def test_two_trainers_close_two_ways_out_that_each_leaves_one_of():
    above, below = trainer(TWO, "A", LEFT), trainer(TWO, "B", LEFT)
    assert shut(TWO, a=above, b=below._replace(sight=0)) is None
    assert shut(TWO, a=above._replace(sight=0), b=below) is None
    assert shut(TWO, a=above, b=below) in {(4, 3), (4, 4)}
    assert shut(TWO, a=above, b=below._replace(battle=above.battle)) is None, "a pair fights once"


def test_what_lies_behind_the_tile_next_to_a_trainer_is_entered_beaten_but_for_a_pair():
    """Who has one creature passes a pair, and may catch another where something lives."""
    look = {"a": trainer(PAIR, "A", RIGHT)}
    pair = {"a": trainer(PAIR, "A", RIGHT, is_pair=True)}
    assert shut(PAIR, **look) is None
    assert shut(PAIR, **pair) in {(5, 3), (6, 3), (7, 3)}
    assert shut(PAIR.replace('"', "."), **pair) is None


# ---- worlds ----


@pytest.mark.parametrize("name", [*TRAPPED, *SOME, *FURTHER])
def test_nobody_is_shut_in_by_whoever_walks_up_to_him(name):
    rom = world_rom(name)
    assert find_trap(rom) is None
    assert [*shut_in(Guide(rom))] == []


def shut_in(guide: Guide):
    """Yields where one trainer shuts the player in, with everybody else at home."""
    for at in guide.tables.headers.keys() - {RUSTBORO_HALL, MAUVILLE_HALL}:
        people = [each for each in guide.tables.things(at) if each[0].kind == "person"]
        for thing, home in people:
            movement, facing, fights, sight = read(guide, thing)
            others = {(*at, *tile) for each, tile in people if each != thing}
            for side in SIDES.values() if movement == LOOKS_AROUND else (SIDES.get(facing, DOWN),):
                seen = line(guide, (*at, *home), side, sight * fights, others)
                watched = set() if movement == LOOKS_AROUND else {*seen}
                entries = {to for _, to in guide.ways.crossings if to[:2] == at}
                found = walk(guide, entries - watched, others | {(*at, *home)}, watched) | entries
                for stop, tile in zip(seen, seen[1:], strict=False):
                    if tile in found and all(
                        place[:2] == at for place in walk(guide, {tile}, others | {stop}, set())
                    ):
                        yield tile


def read(guide: Guide, thing) -> tuple[int, int, bool, int]:
    at = guide.tables.address(thing)
    facing, fights = (
        guide.tables.unpack("<H", at + offset)[0] for offset in (FACING, TRAINER_TYPE)
    )
    sight = guide.tables.unpack("<H", at + SIGHT)[0]
    return guide.tables.unpack("<B", at + MOVEMENT)[0], facing, bool(fights), sight


def line(guide: Guide, home, side, sight: int, others) -> list:
    """The tiles that somebody sees, nearest first."""
    places = [
        (*home[:2], home[2] + n * side[0], home[3] + n * side[1]) for n in range(1, sight + 2)
    ]
    free = guide.ways.tiles(home[:2]) - others
    return [*takewhile(free.__contains__, places)] if sight else []


def walk(guide: Guide, starts, blocked, watched) -> set:
    """Where one can walk to on a map, and one step beyond."""
    found, todo = {*starts} - blocked, [*({*starts} - blocked)]
    while todo:
        place = todo.pop()
        for to in guide.ways.after[place].values():
            if to not in found and to not in blocked:
                found.add(to)
                if to not in watched and to[:2] == place[:2]:
                    todo.append(to)
    return found
