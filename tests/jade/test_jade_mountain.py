"""The mountain of worlds called :emerald: a cable car, a pass one way down, a hall of trapdoors."""

import random
from collections.abc import Iterator

import pytest

from emerald_env.emulator import GBA, KEYS
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game, open_game
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.journey import press
from emerald_env.jade.maps import LEDGES, ROCK, STEPS
from emerald_env.jade.worlds.demanding.puzzles.trapdoors import FEWEST, GEYSER, TRAPDOOR, draw_hall
from emerald_env.jade.worlds.guidance.errands import COAST_ERRANDS
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.rom_tables import Thing
from rewards import load_preset
from rewards.audit import LoopVerdict, audits
from rewards.audit.jade_walks import Sampler
from tests.helpers.guided import follow, trap_after

WORLD = "2:emerald"
ROUTE_112, FIERY_PATH = (0, 27), (24, 14)
BEASTS_TILES = 0x06010000 + 17 * 56 * 32, 56 * 32  # LOOK_BEAST
VALLEY, PEAK_STATION, PEAK, PASS, TOWN = (19, 0), (19, 1), (24, 12), (24, 13), (0, 12)
UPSTAIRS, DOWNSTAIRS = (4, 1), (4, 2)
SCORIA = next(errand for errand in COAST_ERRANDS if errand.name == "badge_4")
ACTIVE_FOE, STAGES, PP, SP_ATTACK = 0x02024084 + 0x58, 0x18, 0x24, 4  # gBattleMons[1]


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom(WORLD)


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    with open_game(GameChoice(world=WORLD)) as game:
        yield game


# ---- around the mountain ----


def test_a_rock_in_the_fiery_path_is_smashed_and_lies_there_again(game, guide, states):
    game.set_state(states["badge_3"])
    place = (*FIERY_PATH, *guide.tables.place(Thing(FIERY_PATH, "person", 0)))
    look = follow(game, guide, 2500, lambda look: look.place[:2] == FIERY_PATH and look.free)
    assert place in look.people({ROCK})
    follow(game, guide, 60, lambda look: look.place == place)
    assert Look(game.memory).place == place
    game.set_state(states["meteor_falls"])
    look = follow(game, guide, 2500, lambda look: look.place[:2] == FIERY_PATH and look.free)
    assert place in look.people({ROCK})


def test_the_gang_leaves_the_cable_car_when_the_stone_is_stolen(game, guide, states):
    for state, there in (("badge_3", True), ("meteor_falls", False)):
        game.set_state(states[state])
        follow(game, guide, 2500, lambda look: look.place[:2] == ROUTE_112 and look.free)
        gang = (*ROUTE_112, *guide.tables.place(Thing(ROUTE_112, "person", 7)))
        assert (gang in Look(game.memory).people()) == there


# ---- faces ----


def test_a_leader_has_a_face_of_her_own_and_the_beast_its_own_again(game, guide, states):
    """The tiles of the beast's look are those of the face on maps that have one."""
    shown = []
    for name in ("letter", "badge_4"):
        game.set_state(states[name])
        shown.append(game.memory.read(*BEASTS_TILES))
    assert any(shown[0]) and any(shown[1]) and shown[0] != shown[1]
    press(game, frozenset({"b"}))
    assert game.memory.read(*BEASTS_TILES) == shown[1]


# ---- the cable car ----


def platform(guide: Guide, at: tuple[int, int]) -> tuple[int, int]:
    return guide.tables.place(Thing(at, "trigger", 0))


def test_whoever_says_no_stays_where_the_cable_car_is(game, guide, states):
    game.set_state(states["meteor_falls"])
    look = follow(game, guide, 2500, lambda look: look.place[:2] == VALLEY and look.message_open)
    x, y = platform(guide, VALLEY)
    assert look.place == (*VALLEY, x, y)
    for _ in range(40):
        press(game, frozenset({"b"}))
    assert Look(game.memory).place == (*VALLEY, x, y + 1)


class Rides:
    """Rounds with the cable car, up and down: each sets a variable twice."""

    name = "rides"

    def __init__(self, game: Game, guide: Guide) -> None:
        self._walker = Sampler(game)
        self._ends = [(at, platform(guide, at)) for at in (VALLEY, PEAK_STATION)]

    def opening(self):
        yield from self._walker.take()

    def round(self):
        for at, (x, y) in self._ends:
            self._walker.go_to(*at, x, y + 1)
            self._walker.face("up")
            self._walker.tick(20, "up")
            self._walker.settle(answer="a")
        yield from self._walker.take()


def test_rides_pay_nothing_twice(game, guide, states):
    game.set_state(states["meteor_falls"])
    follow(game, guide, 2500, lambda look: look.place[:2] == VALLEY and look.free)
    (ours,) = audits(Rides(game, guide), [load_preset()], 3)
    assert Look(game.memory).place[:2] == VALLEY
    assert ours.verdict in (LoopVerdict.ONCE, LoopVerdict.ENDS)
    assert sum(p.paid.amount for p in ours.payments if p.round > 1) < 0.1


# ---- the pass ----


def test_the_pass_leads_down_only_and_the_town_is_left_over_a_ledge(guide):
    ways = guide.ways
    peak = ways.distances(guide.sides(COAST_ERRANDS[-3]), set())
    start = (*PASS, *guide.tables.place(Thing(PASS, "warp", 1)))
    cabins = {(*at, *platform(guide, at)) for at in (VALLEY, PEAK_STATION)}
    assert start in peak, "by the cable car"
    assert not {place for place in ways.reached([start], cabins) if place[:2] == PEAK}
    town = {place for place in ways.after if place[:2] == TOWN}
    valley = min(place for place in ways.after if place[:2] == VALLEY)
    assert not ways.reached([valley], cabins) & town
    assert valley in ways.reached(town, cabins)


def test_each_terrace_of_the_pass_ends_at_a_ledge(guide):
    own = guide.ways.world[PASS]
    ledges = {
        y
        for y in range(own.height)
        for x in range(own.width)
        if LEDGES.get(own.behaviour(x, y)) == "down"
    }
    assert ledges >= {13, 21, 29, 37}


# ---- the hall ----


def test_halls_differ_and_nobody_comes_to_the_leader_without_falling():
    halls = [draw_hall(random.Random(seed)) for seed in range(40)]
    assert len({tuple(hall.trapdoors) for hall in halls}) == len(halls)
    for hall in halls:
        assert falls_to(hall) >= FEWEST
        for rows, letter in zip(hall.floors, (TRAPDOOR, GEYSER), strict=True):
            tiles = [
                (x, y) for y, row in enumerate(rows) for x, at in enumerate(row) if at == letter
            ]
            assert sorted(tiles) == sorted(hall.trapdoors)


def falls_to(hall) -> int:
    """The fewest falls and geysers from the mats to the leader, by a search over tiles."""
    least = {(0, 13, 17): 0}
    todo = list(least)
    while todo:
        floor, x, y = todo.pop(0)
        for dx, dy in STEPS.values():
            to = (floor, x + dx, y + dy)
            letter = hall.floors[floor][y + dy][x + dx] if y + dy < 19 else "#"
            cost = least[floor, x, y]
            if letter in (TRAPDOOR, GEYSER):
                to, cost = (1 - floor, x + dx, y + dy), cost + 1
            if letter in "-OG" and cost < least.get(to, 99):
                least[to] = cost
                todo.append(to)
    return least[(0, *hall.leader)]


def test_a_floor_that_gives_way_drops_and_a_geyser_lifts(game, guide, states):
    game.set_state(states["visited_lavaridge"])
    follow(game, guide, 4000, lambda look: look.place[:2] == DOWNSTAIRS and look.free)
    look = Look(game.memory)
    holes = [tile for thing, tile in guide.tables.things(UPSTAIRS) if thing.kind == "warp"][2:]
    assert look.place[2:] in holes
    look = follow(game, guide, 400, lambda look: look.place[:2] == UPSTAIRS and look.free)
    assert look.place[:2] == UPSTAIRS and look.place[2:] in holes


def test_random_keys_in_the_hall_of_trapdoors_do_not_get_the_guide_lost(game, guide, states):
    game.set_state(states["visited_lavaridge"])
    chance = random.Random(3)
    for _ in range(6000):
        look = Look(game.memory)
        if look.flag(0x86A):
            break
        astray = look.place[0] == UPSTAIRS[0] and look.free and chance.random() < 0.3
        press(game, frozenset({chance.choice(KEYS[4:])}) if astray else guide.labels(game.memory))
    assert look.flag(0x86A), "no fourth badge"


def test_overheat_tires_who_uses_it(game, guide, states):
    game.set_state(states["visited_lavaridge"])
    follow(game, guide, 6000, lambda look: look.in_battle and foe(game) == 321)
    for place in range(3):
        game.memory[ACTIVE_FOE + PP + place] = 0
    for _ in range(200):
        game.memory[ACTIVE_FOE + 0x29] = 2  # it has HP enough
        stage = game.memory[ACTIVE_FOE + STAGES + SP_ATTACK]
        if stage < 6:
            break
        press(game, frozenset({"a"}))
    assert foe(game) == 321 and stage == 4


def foe(game: GBA) -> int:
    return game.memory[ACTIVE_FOE] | game.memory[ACTIVE_FOE + 1] << 8


# ---- the proof ----


@pytest.mark.parametrize(
    "thing, place, what",
    [
        (Thing((0, 2), "person", 4), (3, 3), "hm_strength can be reached before"),
        (Thing(ROUTE_112, "person", 7), (3, 3), "mt_chimney can be reached before"),
        (Thing(PEAK, "person", 1), (3, 3), "visited_lavaridge can be reached before"),
        (Thing(UPSTAIRS, "person", 0), (0, 0), "no way from"),
    ],
)
def test_an_open_gate_and_a_closed_way_are_found(rom, thing, place, what):
    assert what in trap_after(rom, lambda tables: tables.move(thing, *place))
