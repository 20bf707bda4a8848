"""Demanding worlds: what the real game asks is asked, and the guide does it."""

import json
import random

import pytest

from baselines.commands.play import jade_world
from emerald_env.emulator import GBA
from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.menu_numbers import SCREEN_POCKETS, observe_menu
from emerald_env.explorer.exact_places import places_and_grounds
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM, world_of, world_rom, worlds_of
from emerald_env.jade.journey import journey, press
from emerald_env.jade.walk import MILESTONES
from emerald_env.jade.worlds import make_world
from emerald_env.jade.worlds.demanding.demands import DEMANDS, TREE, demanded
from emerald_env.jade.worlds.guidance.battle_keys import PARTY_INDEXES
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import (
    HP,
    LEVEL,
    MEMBER,
    PARTY,
    PARTY_COUNT,
    START_MENU,
    YES_NO,
)
from emerald_env.jade.worlds.guidance.menu_keys import pupils
from emerald_env.jade.worlds.guidance.taught_moves import CUT
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.jade.worlds.solvable import find_trap
from emerald_env.state import MenuKind, StateReader, decode
from tests.helpers.guided import follow

NAMES = [name for name, *_ in MILESTONES]
KEYS = ("up", "down", "left", "right", "a", "b", "start")
FOES_HP = 0x02024084 + 88 + 0x28  # in gBattleMons


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("0:demanding")


def test_several_worlds_are_walked_with_each_starter_by_one_command(capsys):
    assert jade_world.main(["0..0", "--walk", "--starter", "each"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith("3 of 3 walks reach the end of the story")
    assert [line.split(":")[1] for line in lines] == ["small left", "small middle", "small right"]
    assert all("badge_2 -" not in line for line in lines)
    with pytest.raises(SystemExit):
        jade_world.main(["0..1", "--map", "map.png"])


def test_several_worlds_are_made_by_one_command(capsys, monkeypatch):
    assert jade_world.main(["1..3"]) == 0
    assert capsys.readouterr().out.startswith(
        "3 of 3 worlds made, in which the story can be played"
    )
    monkeypatch.setattr(make_world, "ATTEMPTS", 0)
    assert jade_world.main(["1..2:large"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"world {n}: nothing playable in 0 attempts" for n in (1, 2)]
    assert lines[2].startswith("0 of 2 worlds made")
    with pytest.raises(SystemExit):
        jade_world.main(["1..2", "--starter", "each"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--starter", "left", "--out", "a.gba"], "--starter left is for walks: give --walk, too"),
        (["--out", "link", "--tables", "./same"], "--out and --tables name one file"),
        (["--map", "a.png", "--out", "b/../a.png"], "--out and --map name one file"),
    ],
)
def test_flags_of_a_world_that_do_not_fit_are_refused(
    flags, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("same")
    with pytest.raises(SystemExit):
        jade_world.main(["7", *flags])
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


def test_a_world_that_is_only_made_is_told_of_in_one_line(capsys, tmp_path):
    assert jade_world.main(["7"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line == "world 7 is made: --out FILE writes its ROM, --walk plays it through"
    assert jade_world.main(["7", "--out", str(tmp_path / "game.gba")]) == 0
    assert capsys.readouterr().out == ""


def test_of_several_worlds_json_has_one_object_a_line(capsys, monkeypatch):
    assert jade_world.main(["0..0", "--walk", "--json"]) == 0
    walked, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert walked["world"] == "0:small" and walked["steps"]["badge_2"] and not walked["problem"]
    assert (summary["played"], summary["ended"]) == (1, 1)
    monkeypatch.setattr(make_world, "ATTEMPTS", 0)
    assert jade_world.main(["1..2:large", "--json"]) == 1
    *failures, made = map(json.loads, capsys.readouterr().out.splitlines())
    assert [each["world"] for each in failures] == ["1:large", "2:large"]
    assert (made["made"], made["failed"]) == (0, 2)


def test_the_story_is_played_to_its_end_by_keys(states):
    assert list(states) == NAMES


def test_a_large_demanding_world_is_played_to_its_end_by_keys():
    rom = world_rom("7:large:demanding")
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        assert [name for name, _ in journey(gba, Guide(rom))] == NAMES


def test_a_demanding_world_demands_all_that_the_plain_engine_can_and_world_0_nothing(rom):
    for name, demand in DEMANDS.items():
        assert demanded(RomTables(rom), name) != demand.full
        assert not demanded(RomTables(JADE_ROM.read_bytes()), name)


def test_a_worlds_name_says_how_long_its_ways_are_and_that_it_is_demanding():
    assert world_of("7:demanding") == (7, "small", "demanding")
    assert [*worlds_of("1..2:large:demanding").names()] == [
        "1:large:demanding",
        "2:large:demanding",
    ]
    assert [str(world_of(name)) for name in worlds_of("3..3:demanding").names()] == [
        "3:small:demanding"
    ]
    with pytest.raises(
        ValueError, match="with :demanding, :emerald or :paced, got '7:demanding:large'"
    ):
        world_of("7:demanding:large")


def test_a_alone_never_sets_the_clock(game, guide, states):
    game.set_state(states["sent_upstairs"])
    follow(game, guide, 60, until=lambda look: YES_NO in look.tasks)
    for _ in range(60):
        press(game, frozenset("a"))
    assert not Look(game.memory).flag(0x51)
    assert follow(game, guide, 60, until=lambda look: look.flag(0x51)).flag(0x51)


def test_a_alone_hurts_nobody_in_the_first_battle(game, guide, states):
    game.set_state(states["starter"])
    follow(game, guide, 60, until=lambda look: look.in_battle)
    for _ in range(12):
        press(game, frozenset())
    whole = Look(game.memory).number(FOES_HP, "<H")
    for _ in range(30):
        press(game, frozenset("a"))
    assert Look(game.memory).number(FOES_HP, "<H") == whole
    follow(game, guide, 40, until=lambda look: look.number(FOES_HP, "<H") < whole)
    assert Look(game.memory).number(FOES_HP, "<H") < whole


def test_cut_is_taught_for_ever_and_opens_the_way(game, guide, states):
    game.set_state(states["badge_1"])
    look = follow(game, guide, 400, until=lambda look: look.story("move", CUT))
    (member,) = look.party
    assert CUT in member.moves and 0 not in member.moves, "it has forgotten another one"
    assert not pupils(look, guide.lessons, CUT), "who knows it needs no lesson"
    assert guide.lessons.worst((CUT, CUT, CUT, CUT), 15) is None
    follow(game, guide, 40, until=lambda look: look.free)
    look = follow(game, guide, 600, until=lambda look: look.faced in look.obstacles)
    assert look.faced[:2] == TREE.map
    tree = look.faced
    assert (
        tree not in follow(game, guide, 30, until=lambda look: tree not in look.obstacles).obstacles
    )


def test_the_partys_menu_tells_the_pocket_of_the_item_that_one_is_chosen_for(game, guide, states):
    game.set_state(states["badge_1"])
    menus = []

    def taught(look):
        menus.append(decode(game.memory.read).menu)
        return look.story("move", CUT)

    follow(game, guide, 400, until=taught)
    chosen_for = {menu.pocket for menu in menus if menu and menu.kind is MenuKind.PARTY}
    assert chosen_for == {SCREEN_POCKETS.index("tm_hm")}


def test_the_bag_from_which_a_move_was_taught_is_another_place_than_before(game, guide, states):
    """As one place, it led from the machine back to the map as if the move had been taught."""
    game.set_state(states["badge_1"])
    reader, taught, places = StateReader(game.memory.read), [], []

    def is_closed(look):
        state = reader.sample()
        if state.menu and state.menu.kind is MenuKind.BAG and state.menu.words is None:
            seen = observe_fully(state)[None], observe_menu(state)[None]
            taught.append(bool(look.story("move", CUT)))
            places.append(int(places_and_grounds(*seen)[0][0]))
        return bool(taught) and taught[-1] and look.free

    follow(game, guide, 400, until=is_closed)
    assert {False, True} == set(taught)
    seen = set(zip(places, taught, strict=True))
    assert len({place for place, _ in seen}) == len(seen), "no place is one of both"


@pytest.mark.parametrize("badge", [True, False])
def test_the_tree_asks_only_who_knows_cut_and_has_the_badge(game, guide, states, badge):
    game.set_state(states["badge_1"])
    look = follow(game, guide, 1000, until=lambda look: look.faced in look.obstacles and look.free)
    if not badge:
        byte = look.block + 0x1270 + 0x867 // 8
        game.memory[byte] = look.number(byte, "<B") & ~(1 << 0x867 % 8)
    press(game, frozenset("a"))
    for _ in range(8):
        press(game, frozenset())
    assert (YES_NO in Look(game.memory).tasks) == badge


def test_another_one_comes_out_for_one_that_fainted(game, guide, states):
    game.set_state(states["oldale_potion"])
    member = game.memory.read(PARTY, MEMBER)
    game.memory[PARTY + MEMBER : PARTY + 2 * MEMBER] = member
    game.memory[PARTY_COUNT] = 2
    game.memory[PARTY + LEVEL] = 1  # nobody takes the first one to a nurse
    game.memory[PARTY + HP] = 1
    follow(game, guide, 600, until=lambda look: look.in_battle and not look.party[0].hp)
    look = follow(game, guide, 60, until=lambda look: look.number(PARTY_INDEXES, "<H") == 1)
    assert look.number(PARTY_INDEXES, "<H") == 1


@pytest.mark.parametrize("name", ["sent_upstairs", "starter", "pokedex", "badge_1", "letter"])
def test_menus_opened_at_random_do_not_get_the_guide_lost(game, guide, states, name):
    chance = random.Random(name)
    game.set_state(states[name])
    opened = 0
    for _ in range(250):
        astray = chance.random() < 0.4
        press(game, frozenset({chance.choice(KEYS)}) if astray else guide.labels(game.memory))
        opened += START_MENU in Look(game.memory).tasks
    errand = next(e for e in guide.errands if e.name == NAMES[NAMES.index(name) + 1])
    look = follow(game, guide, 2500, until=lambda look: look.story(errand.kind, errand.number))
    assert look.story(errand.kind, errand.number) >= errand.value
    assert opened


def test_a_tree_that_can_be_walked_around_is_found(rom):
    tables = RomTables(rom)
    tables.move(TREE, 30, 20)
    assert "walked around" in (find_trap(bytes(tables.data)) or "")
