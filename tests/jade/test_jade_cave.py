"""The cave of worlds called :emerald: floors joined by ladders, a rock, darkness and Flash."""

import random
from collections.abc import Collection
from functools import cache
from itertools import groupby

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_ROM, world_rom
from emerald_env.jade.editing import habitats
from emerald_env.jade.journey import journey, press
from emerald_env.jade.maps import STAIRS, MapId, Place, read_world
from emerald_env.jade.walker import START_CURSOR
from emerald_env.jade.worlds.creatures import HABITAT
from emerald_env.jade.worlds.demanding.cave import FLOOR, LOWER, UPPER
from emerald_env.jade.worlds.demanding.demands import CHAMBER, readers_place
from emerald_env.jade.worlds.demanding.narrows import way
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import OVERWORLD, PARTY_COUNT, START_MENU, YES_NO
from emerald_env.jade.worlds.guidance.menu_keys import PARTY_SCREEN, START, A, teach, towards
from emerald_env.jade.worlds.guidance.taught_moves import CUT, FIELD_MOVES, FLASH, ROCK_SMASH
from emerald_env.jade.worlds.rom_tables import RomTables, Thing
from emerald_env.jade.worlds.solvable import find_trap
from emerald_env.state import decode
from emerald_env.state.milestones import milestones_done
from emerald_env.state.parts.field_moves import lessons_waiting, machines_held, moves_known
from tests.helpers.guided import follow

WORLDS = ("0:emerald", "1:emerald", "2:emerald", "3:large:emerald")
DEWFORD: MapId = (0, 11)
FLASH_LEVEL, FLAGS = 0x30, 0x1270  # in SaveBlock1
RECEIVED, DELIVERED, LIT, BADGE_1, BADGE_2 = 0x6D, 0xBD, 0x888, 0x867, 0x868  # flags
PARTY_CHOICE = 0x081B3731  # Task_HandleSelectionMenuInput
# pret's decompilation: who lives on each floor, at which levels
EMERALDS_WILD = {
    FLOOR: {41: (7, 8), 335: (6, 10), 63: (8, 8), 74: (6, 9)},
    UPPER: {41: (9, 10), 382: (9, 11), 63: (9, 9), 335: (10, 11), 322: (9, 11)},
    LOWER: {41: (10, 11), 382: (10, 12), 63: (10, 10), 322: (10, 12)},
    CHAMBER: {41: (7, 8), 335: (6, 10), 63: (8, 8), 382: (7, 8)},
}
RATE = 14  # of 256 a step: rate 10 of 180


world = cache(world_rom)


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world("1:emerald")


@pytest.fixture(scope="module")
def states(game, guide) -> dict[str, bytes]:
    """States at milestones, below and before the rock, by keys: Treecko can learn Flash."""
    found = {}
    for name, _ in journey(game, guide, starter="left"):
        found[name] = game.get_state()
        if name == "hm_flash":
            break
    assert follow(game, guide, 900, lambda look: look.place[:2] == UPPER and look.free).free
    found["upper"] = game.get_state()
    look = follow(game, guide, 900, lambda look: look.place[:2] == FLOOR and faces_rock(look))
    assert faces_rock(look)
    found["rock"] = game.get_state()
    assert follow(game, guide, 200, lambda look: look.flag(DELIVERED)).flag(DELIVERED)
    found["letter_delivered"] = game.get_state()
    return found


def faces_rock(look: Look) -> bool:
    return look.free and look.faced in look.obstacles


def walk_to(game: GBA, guide: Guide, goals: Collection[Place], steps: int = 900) -> Look:
    """Walks to the nearest of some tiles; what comes in between is done as the guide says."""
    for _ in range(steps):
        look = Look(game.memory)
        if not look.free or look.in_battle:
            press(game, guide.labels(game.memory))
        elif look.place in goals:
            break
        else:
            distances = guide.ways.distances(goals, look.people() - look.obstacles)
            keys = guide.ways.best(look.place, distances)
            in_front = look.facing in keys and look.faced in look.obstacles
            press(game, A if in_front else keys)
    return Look(game.memory)


def fight(game: GBA, guide: Guide) -> None:
    """Walks about on a floor until somebody is met."""
    dice = random.Random(1)
    for _ in range(900):
        look = Look(game.memory)
        if look.in_battle:
            return
        steps = guide.ways.after[look.place] if look.free else {}
        press(
            game,
            frozenset(dice.sample([d for d, to in steps.items() if to[:2] == look.place[:2]], 1))
            if steps
            else frozenset(),
        )


def set_flag(game: GBA, flag: int, on: bool) -> None:
    byte = Look(game.memory).block + FLAGS + flag // 8
    bit = 1 << flag % 8
    game.memory[byte] = game.memory[byte] | bit if on else game.memory[byte] & ~bit


def flash_level(look: Look) -> int:
    return look.number(look.block + FLASH_LEVEL, "<B")


# ---- floors ----


def entrance(guide: Guide) -> Place:
    x, y = guide.tables.place(Thing(FLOOR, "warp", 0))
    return (*FLOOR, x, y)


def beside(guide: Guide, thing: Thing) -> set[Place]:
    x, y = guide.tables.place(thing)
    around = {(*thing.map, x + dx, y + dy) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    return around & guide.ways.after.keys()


@pytest.mark.parametrize("name", WORLDS)
def test_the_way_to_the_reader_leads_down_two_floors_and_up_again(name):
    guide = Guide(world(name))
    tiles = way(guide.ways, entrance(guide), beside(guide, readers_place(guide.tables)), set())
    floors = [floor for floor, _ in groupby(tile[:2] for tile in tiles)]
    assert floors[:3] == [FLOOR, UPPER, LOWER] and floors[-3:] == [UPPER, FLOOR, CHAMBER]
    assert floors.count(LOWER) in (1, 2)
    rock = (*FLOOR, *guide.tables.place(Thing(FLOOR, "person", 2)))
    assert rock in tiles


@pytest.mark.parametrize("name", WORLDS)
def test_each_ladder_leads_to_one_that_leads_back(name):
    """With Emerald's numbers of warps, and its behaviour of ladders, 0x61."""
    maps = read_world(RomTables(world(name)))
    assert [len(maps[at].warps) for at in (FLOOR, UPPER, LOWER, CHAMBER)] == [4, 7, 5, 1]
    for at in (FLOOR, UPPER, LOWER, CHAMBER):
        for number, (x, y, other, to) in enumerate(maps[at].warps):
            assert maps[at].behaviour(x, y) == STAIRS == 0x61
            assert to == DEWFORD or maps[to].warps[other][2:] == (number, at)
    shafts = [maps[UPPER].warps[number][:2] for number in range(2, 7)]
    assert shafts == [maps[LOWER].warps[number][:2] for number in range(5)]


def test_floors_differ_from_world_to_world():
    maps = [read_world(RomTables(world(name))) for name in WORLDS]
    for at in (FLOOR, UPPER, LOWER, CHAMBER):
        assert len({own[at].grid for own in maps}) == len(maps)


def test_worlds_of_the_plain_engine_have_one_floor():
    assert {FLOOR} == {FLOOR, UPPER, LOWER, CHAMBER} & RomTables(
        JADE_ROM.read_bytes()
    ).headers.keys()


def test_a_ladder_that_leads_nowhere_is_a_trap(rom):
    """Without the second ladder of the first floor nobody gets out of its far half."""
    for at, number, goal in (
        (FLOOR, 1, "person 0 of (24, 10)"),
        (UPPER, 1, "person 0 of (24, 10)"),
    ):
        tables = RomTables(rom)
        tables.move(Thing(at, "warp", number), 0, 0)
        assert goal in (find_trap(bytes(tables.data)) or "")


def test_a_way_without_a_way_back_is_a_trap(rom):
    """A ladder that leads into the far half, from where another leads nowhere."""
    guide, tables = Guide(rom), RomTables(rom)
    width, _ = tables.size(FLOOR)
    for number in (1, 2):
        tables.set_cell(FLOOR, *tables.place(Thing(FLOOR, "warp", number)), tables.grid(FLOOR)[0])
    assert "no way from" in (find_trap(bytes(tables.data)) or "")
    assert find_trap(bytes(guide.tables.data)) is None and width == 42


def test_emeralds_kinds_live_on_each_floor_at_emeralds_levels(rom):
    tables = RomTables(rom)
    for (group, number), wild in EMERALDS_WILD.items():
        at = habitats(tables)[f"{group}.{number}"]
        _, _, chance, *kinds = HABITAT.unpack(tables.read(at, HABITAT.size))
        assert chance == RATE
        for species, least, most in zip(kinds[::3], kinds[1::3], kinds[2::3], strict=True):
            assert wild[species][0] <= least <= most <= wild[species][1]


def test_they_are_met_below(game, guide, states):
    game.set_state(states["upper"])
    fight(game, guide)
    look = follow(game, guide, 60, until=lambda look: bool(decode(look.memory.read).enemy_party))
    (foe,) = decode(look.memory.read).enemy_party
    least, most = EMERALDS_WILD[look.place[:2]][foe.species]
    assert least <= foe.level <= most


# ---- rocks ----


def bits(number: int) -> int:
    """The bit of Rock Smash, HM06, in what the menus' observation tells of moves of the field."""
    return number >> 5 & 1


def test_rock_smash_is_taught_from_the_bag_and_opens_the_way_to_the_reader(game, guide, states):
    game.set_state(states["visited_dewford"])
    assert not bits(machines_held(decode(game.memory.read)))
    follow(game, guide, 300, until=lambda look: look.flag(0x6B))
    state = decode(game.memory.read)
    assert bits(machines_held(state)) and bits(lessons_waiting(state))
    look = follow(game, guide, 100, until=lambda look: look.story("move", ROCK_SMASH))
    assert look.story("move", CUT), "moves of the field are never forgotten"
    assert bits(moves_known(decode(game.memory.read)))
    game.set_state(states["rock"])
    rock = Look(game.memory).faced
    look = follow(game, guide, 40, until=lambda look: rock not in look.obstacles)
    assert rock not in look.obstacles
    follow(game, guide, 20, until=lambda look: look.place == rock)
    assert Look(game.memory).place == rock


@pytest.mark.parametrize("missing", ["the move", "the badge"])
def test_the_rock_asks_only_who_knows_rock_smash_and_has_the_badge(game, states, missing):
    game.set_state(states["rock"])
    look = Look(game.memory)
    if missing == "the badge":
        set_flag(game, BADGE_1, False)
    else:
        game.memory[PARTY_COUNT] = 0
    press(game, A)
    for _ in range(12):
        press(game, frozenset())
    assert YES_NO not in Look(game.memory).tasks and look.faced in Look(game.memory).obstacles


def use_from_menu(game: GBA, move: int) -> None:
    """Chooses a move of the field of the first in the party, from the Start menu."""
    chosen = False
    for _ in range(60):
        look = Look(game.memory)
        keys: frozenset[str] = frozenset()
        if chosen:
            return
        if START_MENU in look.tasks:
            keys = towards(look.number(START_CURSOR, "<B"), 1, 2)
        elif PARTY_CHOICE in look.tasks:
            kept = [each for each in look.party[0].moves if each in FIELD_MOVES]
            keys = towards(look.menu_cursor, 1 + kept.index(move), 8)
            chosen = keys == A
        elif look.callback == PARTY_SCREEN:
            keys = A
        elif look.free:
            keys = START
        press(game, keys)
    raise AssertionError("the menu does not open")


def test_rock_smash_is_used_from_the_partys_menu(game, states):
    game.set_state(states["rock"])
    rock = Look(game.memory).faced
    use_from_menu(game, ROCK_SMASH)
    for _ in range(12):
        press(game, A)
    look = Look(game.memory)
    assert rock not in look.obstacles and look.free


def test_a_rock_that_can_be_walked_around_is_found(rom):
    tables = RomTables(rom)
    x, y = tables.place(Thing(FLOOR, "person", 1))
    tables.move(Thing(FLOOR, "person", 2), x, y)
    problem = find_trap(bytes(tables.data)) or ""
    assert "the rock on the way to (24, 10) can be walked around" in problem


# ---- darkness, and Flash ----


def lit(game: GBA) -> np.ndarray:
    """Which pixels are not black."""
    game.step(0, 2, 2)
    return np.asarray(game.screen.ndarray)[..., :3].any(axis=-1)


def sees(game: GBA, radius: int) -> bool:
    """Whether a circle of so many pixels around the player is seen, and nothing else."""
    picture = lit(game)
    y, x = np.mgrid[:160, :240]
    far = np.hypot(x - 119.5, y - 79.5)
    return bool(picture[far < radius - 2].mean() > 0.9 and not picture[far > radius + 2].any())


def test_below_only_a_circle_around_the_player_is_seen_and_above_everything(game, guide, states):
    game.set_state(states["upper"])
    assert sees(game, 24) and flash_level(Look(game.memory)) == 7
    look = follow(game, guide, 400, lambda look: look.place[:2] == LOWER and look.free)
    assert sees(game, 24) and flash_level(look) == 7
    game.set_state(states["rock"])
    assert lit(game).mean() > 0.9 and flash_level(Look(game.memory)) == 0


def test_it_is_dark_again_after_a_battle(game, guide, states):
    game.set_state(states["upper"])
    fight(game, guide)
    look = follow(game, guide, 300, until=lambda look: look.free and not look.in_battle)
    assert look.place[:2] in (UPPER, LOWER)
    assert sees(game, 24)


def test_a_hiker_gives_flash_as_in_emerald(game, guide, states):
    game.set_state(states["hm_flash"])
    look = Look(game.memory)
    assert look.place[:2] == FLOOR and look.flag(RECEIVED)
    assert "hm_flash" in milestones_done(decode(game.memory.read))
    assert machines_held(decode(game.memory.read)) >> 4 & 1
    assert guide.errand(look).name == "letter_delivered"


@pytest.fixture(scope="module")
def below(game, guide, states) -> bytes:
    """Down in the dark, with the badge, and with somebody who has learnt Flash from the bag."""
    game.set_state(states["hm_flash"])
    set_flag(game, BADGE_2, True)
    for _ in range(300):
        look = Look(game.memory)
        if look.story("move", FLASH):
            break
        press(game, teach(look, guide.lessons, FIELD_MOVES[FLASH]) or A)
    assert {CUT, ROCK_SMASH, FLASH} < {*look.party[0].moves}
    follow(game, guide, 60, until=lambda look: look.free and look.callback == OVERWORLD)
    look = walk_to(game, guide, guide.ways.tiles(UPPER))
    assert look.place[:2] == UPPER and flash_level(look) == 7
    return game.get_state()


def test_flash_from_the_partys_menu_widens_what_is_seen_until_one_leaves(game, guide, below):
    game.set_state(below)
    use_from_menu(game, FLASH)
    for _ in range(12):
        press(game, frozenset())
    assert Look(game.memory).message_open and not Look(game.memory).flag(LIT)
    assert lit(game)[120:].mean() > 0.6, "words are read in the dark"
    for _ in range(6):
        press(game, A)
    look = Look(game.memory)
    assert look.free and look.flag(LIT) and flash_level(look) == 1 and sees(game, 72)
    look = walk_to(game, guide, guide.ways.tiles(LOWER))
    assert look.place[:2] == LOWER and flash_level(look) == 1 and sees(game, 72)
    look = walk_to(game, guide, guide.ways.tiles(DEWFORD))
    assert look.place[:2] == DEWFORD and not look.flag(LIT) and flash_level(look) == 0
    look = walk_to(game, guide, guide.ways.tiles(UPPER))
    assert look.place[:2] == UPPER and flash_level(look) == 7 and sees(game, 24)


@pytest.mark.parametrize("missing", ["the badge", "the dark", "the need"])
def test_flash_is_of_no_use_without_the_badge_where_it_is_light_and_twice(
    game, guide, below, missing
):
    game.set_state(below)
    if missing == "the badge":
        set_flag(game, BADGE_2, False)
    elif missing == "the need":
        set_flag(game, LIT, True)
    else:
        walk_to(game, guide, guide.ways.tiles(FLOOR))
    before = Look(game.memory).flag(LIT)
    use_from_menu(game, FLASH)
    for _ in range(4):
        press(game, frozenset())
    look = Look(game.memory)
    assert look.callback == PARTY_SCREEN and not look.message_open and look.flag(LIT) == before


def test_the_guide_finds_its_way_with_flash_too(game, guide, states):
    game.set_state(states["upper"])
    set_flag(game, LIT, True)
    look = follow(game, guide, 1500, until=lambda look: look.flag(DELIVERED))
    assert look.flag(DELIVERED) and look.flag(LIT) and look.place[:2] == CHAMBER


def test_whom_the_letter_was_for_leaves(game, guide, states):
    game.set_state(states["letter_delivered"])
    reader = readers_place(guide.tables)
    number = guide.wanderers[reader]
    assert Look(game.memory).person(number)
    follow(game, guide, 60, until=lambda look: look.free)
    look = Look(game.memory)
    assert look.person(number) is None and look.flag(0x341), "FLAG_HIDE_GRANITE_CAVE_STEVEN"
