"""The coast of worlds called :emerald: a city by the sea, a long way north, a hall of beams."""

import random
from collections.abc import Iterator

import pytest

from emerald_env.emulator import GBA, KEYS, key_mask
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game, open_game
from emerald_env.jade.cartridge import JADE_FULL, JADE_ROM, world_rom
from emerald_env.jade.journey import press
from emerald_env.jade.maps import METATILE, read_world
from emerald_env.jade.walker import START_CURSOR
from emerald_env.jade.worlds.guidance.beams import (
    BLUE_DOWN,
    HALL,
    RED_DOWN,
    STATE,
    Beams,
    HallState,
)
from emerald_env.jade.worlds.guidance.errands import (
    COAST,
    COAST_ERRANDS,
    PURPOSES,
    STORY_OVER,
    WEST,
)
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import HP, PARTY
from emerald_env.jade.worlds.places import LOWER_CAVE
from emerald_env.jade.worlds.rom_tables import RomTables, Thing
from emerald_env.state import decode, milestones_done
from rewards import load_preset
from rewards.audit import LoopVerdict, audits
from rewards.audit.jade_walks import Sampler
from tests.helpers.guided import follow, trap_after

WORLD = "2:emerald"
FRAMES_OF_A_TILE = 4  # on the bike
# As in the table of Emerald's milestones
SLUGS = (
    "visited_slateport",
    "goods_delivered",
    "rival_route110",
    "visited_mauville",
    "bike",
    "wally_mauville",
    "badge_dynamo",
    "hm_strength",
    "visited_fallarbor",
    "meteor_falls",
    "mt_chimney",
    "visited_lavaridge",
    "badge_heat",
)
OHM = next(errand for errand in COAST_ERRANDS if errand.name == "badge_3")
FIRST_THIEF, SECOND_THIEF, DELIVERED = 0x514, 0x515, 0x95
BAG_ENTRY, ENTRIES = 2, 7  # of the start menu
POCKET, KEY_ITEMS, POCKETS = 0x0203CE5D, 4, 5


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom(WORLD)


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    with open_game(GameChoice(world=WORLD)) as game:
        yield game


# ---- the whole story ----


def test_the_story_is_played_to_the_fourth_badge_by_keys(guide, states):
    assert tuple(states) == guide.milestones
    assert guide.milestones[-1] == "badge_4"


def test_emeralds_milestones_fire_one_by_one(game, states):
    for slug, name in zip(SLUGS, [e.name for e in COAST_ERRANDS if e.name], strict=True):
        game.set_state(states[name])
        reached = milestones_done(decode(game.memory.read))
        assert set(SLUGS[: SLUGS.index(slug) + 1]) == set(SLUGS) & {*reached}


def test_each_errand_of_the_coast_has_purposes_of_its_own(game, guide, states):
    """Those of other worlds keep their numbers, that of the story's end among them."""
    seen = set()
    for name in [e.name for e in COAST_ERRANDS[:-1] if e.name]:
        game.set_state(states[name])
        seen.add(guide.purpose(game.memory) // 4)
    assert len(seen) == len(SLUGS) - 1
    assert all(STORY_OVER < 4 * purpose < PURPOSES <= 256 for purpose in seen)
    game.set_state(states["badge_4"])
    assert guide.purpose(game.memory) == STORY_OVER


def test_only_the_full_engine_has_a_coast():
    plain, full = (RomTables(path.read_bytes()).headers.keys() for path in (JADE_ROM, JADE_FULL))
    assert full - plain == COAST | WEST | LOWER_CAVE
    assert "badge_3" not in Guide(JADE_ROM.read_bytes()).milestones


def test_worlds_without_a_coast_show_no_picture_that_only_the_full_engine_has():
    highest = max(cell & METATILE for own in worlds(JADE_ROM.read_bytes()) for cell in own.grid)
    for world in ("3", "4:large:demanding"):
        for own in worlds(world_rom(world)):
            assert max(cell & METATILE for cell in own.grid) <= highest


def worlds(rom: bytes):
    return read_world(RomTables(rom)).values()


def test_coasts_differ_from_world_to_world(rom):
    tables = [RomTables(own) for own in (rom, world_rom("0:emerald"), world_rom("3:large:emerald"))]
    maps = [read_world(own) for own in tables]
    same = {at for at in COAST if len({(own[at].width, own[at].grid) for own in maps}) == 1}
    assert same == set()
    assert (
        len({tuple(own.place(Thing(HALL, "trigger", i)) for i in range(5)) for own in tables}) == 3
    )


# ---- two battles without a rest ----


def test_the_second_thief_comes_without_a_rest_and_who_loses_meets_both_again(game, guide, states):
    game.set_state(states["visited_slateport"])
    look = follow(game, guide, 900, lambda look: look.flag(FIRST_THIEF) and not look.in_battle)
    tired = look.party[0].hp
    look = follow(game, guide, 200, lambda look: look.in_battle)
    assert look.in_battle and look.party[0].hp == tired > 0
    game.memory[PARTY + HP], game.memory[PARTY + HP + 1] = 1, 0
    for _ in range(900):
        if (look := Look(game.memory)).place[:2] != (9, 8) or look.flag(DELIVERED):
            break
        game.memory[PARTY + HP] = min(1, game.memory[PARTY + HP])
        weaken(game)
        press(game, guide.labels(game.memory))
    assert not look.flag(DELIVERED) and not look.flag(SECOND_THIEF)
    assert look.last_heal == (0, 1), "the guide has been to Slateport's centre"
    fights = []
    for _ in range(1500):
        if (look := Look(game.memory)).flag(DELIVERED):
            break
        if look.in_battle and look.place[:2] == (9, 8):
            fights.append(look.number(0x02038BCA, "<H"))  # gTrainerBattleOpponent_A
        press(game, guide.labels(game.memory))
    assert list(dict.fromkeys(fights)) == [20, 21] and look.flag(DELIVERED)


def weaken(game: GBA) -> None:
    """Takes all HP but one from who fights."""
    if game.memory[0x02024084 + 0x28]:  # gBattleMons[0].hp
        game.memory[0x02024084 + 0x28], game.memory[0x02024084 + 0x29] = 1, 0


# ---- the hall of beams ----


def test_a_plate_puts_out_the_beams_of_its_colour_and_lights_the_others(game, guide, states):
    game.set_state(states["wally_mauville"])
    look = follow(game, guide, 600, lambda look: look.place[:2] == HALL and look.free)
    beams = Beams(guide.tables, guide.ways)
    shown = [look.people() & beams.tiles[flag] for flag in (0x63, 0x13)]
    assert [len(tiles) for tiles in shown] == [4, 0]
    look = follow(game, guide, 300, lambda look: look.story("var", STATE) == RED_DOWN and look.free)
    shown = [look.people() & beams.tiles[flag] for flag in (0x63, 0x13)]
    assert [len(tiles) for tiles in shown] == [0, 2]
    assert look.flag(0x63) and not look.flag(0x13)


def test_best_keys_shorten_the_way_through_the_beams(guide):
    beams = Beams(guide.tables, guide.ways)
    leader = frozenset(guide.sides(OHM))
    steps = beams.distances(leader, frozenset())
    inside = [standing for standing in steps if standing.place[:2] == HALL]
    assert {standing.state for standing in inside} >= {RED_DOWN, BLUE_DOWN}
    for standing in inside:
        after = beams.after(standing, set())
        best = {key for key, to in after.items() if steps.get(to, 10**9) < steps[standing]}
        assert beams.best(standing, leader, frozenset()) == best
    mat = next(tile for thing, tile in guide.tables.things(HALL) if thing.kind == "warp")
    place = (*HALL, *mat)
    assert steps[HallState(place, BLUE_DOWN)] >= guide.ways.distances(leader, set())[place]


def test_random_keys_in_the_hall_do_not_get_the_guide_lost(game, guide, states):
    game.set_state(states["wally_mauville"])
    chance = random.Random(3)
    for _ in range(4000):
        look = Look(game.memory)
        if look.flag(0x869):
            break
        astray = look.place[:2] == HALL and look.free and chance.random() < 0.3
        press(game, frozenset({chance.choice(KEYS[4:])}) if astray else guide.labels(game.memory))
    assert look.flag(0x869), "no third badge"


class Plates:
    """Rounds over the plates of the hall: each turns a flag and a variable."""

    name = "plates"

    def __init__(self, game: Game, guide: Guide) -> None:
        self._walker = Sampler(game)
        beams = Beams(guide.tables, guide.ways)
        _, *others = sorted(beams.plates, key=lambda place: -place[3])[:3]
        red, blue = sorted(others, key=lambda place: -beams.plates[place])
        self._round = (blue, red)

    def opening(self):
        yield from self._walker.take()

    def round(self):
        for plate in self._round:
            self._walker.go_to(*plate)
        yield from self._walker.take()


def test_plates_pay_nothing_twice_though_they_once_would_have(game, guide, states):
    game.set_state(states["wally_mauville"])
    follow(game, guide, 900, lambda look: look.place[:2] == HALL and look.flag(0x500 + 191))
    follow(game, guide, 60, lambda look: look.free)
    ours, original = audits(Plates(game, guide), [load_preset(), load_preset("original_2023")], 3)
    assert ours.verdict in (LoopVerdict.ONCE, LoopVerdict.ENDS)
    assert sum(p.paid.amount for p in ours.payments if p.round > 1) < 0.1
    assert original.farmable


# ---- the proof ----


@pytest.mark.parametrize(
    "thing, place, what",
    [
        (Thing((0, 1), "person", 0), (3, 3), "goods_delivered can be reached before"),
        (Thing((0, 25), "person", 0), (3, 5), "rival_route110 can be reached before"),
        (Thing((0, 25), "trigger", 1), (3, 5), "visited_mauville can be reached before"),
        (Thing((0, 2), "person", 0), (3, 3), "badge_3 can be reached before"),
        (Thing((10, 0), "trigger", 0), (0, 0), "through the beams"),
        (Thing((9, 8), "person", 0), (0, 0), "no way from"),
    ],
)
def test_an_open_gate_and_a_closed_way_are_found(rom, thing, place, what):
    assert trap_after(rom, lambda tables: None) == ""
    assert what in trap_after(rom, lambda tables: tables.move(thing, *place))


# ---- the bike ----


def tap(game: GBA, *keys: str) -> None:
    for key in keys:
        press(game, frozenset({key}))
        game.step(0, 24, 24, render=False)


def frames_of_a_step(game: GBA) -> int:
    """The fewest frames for which a key is held before the player is on another tile."""
    state, found = game.get_state(), []
    for key in ("left", "right", "up", "down"):
        game.set_state(state)
        start = Look(game.memory).place
        for frame in range(40):
            game.step(key_mask(key), 1, 1, render=False)
            if Look(game.memory).place != start:
                found.append(frame)
                break
    game.set_state(state)
    return min(found)


def test_the_bike_is_chosen_in_the_bag_and_is_faster_than_feet(game, guide, states):
    game.set_state(states["wally_mauville"])
    follow(game, guide, 60, lambda look: look.free)
    on_foot = frames_of_a_step(game)
    tap(game, "start")
    tap(game, *["down"] * ((BAG_ENTRY - game.memory[START_CURSOR]) % ENTRIES), "a")
    tap(game, *["right"] * ((KEY_ITEMS - game.memory[POCKET]) % POCKETS), "a", "b", "b")
    look = follow(game, guide, 60, lambda look: look.free)
    assert look.number(0x02037590, "<B") == 2, "gPlayerAvatar says that he rides"
    assert on_foot - frames_of_a_step(game) == 16 - FRAMES_OF_A_TILE
    for _ in range(900):
        look = Look(game.memory)
        if look.place[0] == HALL[0] and look.free:
            break
        keys = sorted(guide.labels(game.memory))[:1]
        game.step(key_mask(*keys), FRAMES_OF_A_TILE, 24, render=False)  # longer, and he rides past
    assert look.number(0x02037590, "<B") & 2 == 0, "a door ends the ride"
