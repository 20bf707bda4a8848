"""The options of worlds called :emerald, in the Start menu and before a game: they are honoured."""

from collections.abc import Iterator

import pytest

from emerald_env.emulator import GBA, key_mask
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, world_rom
from emerald_env.jade.walker import START_CURSOR
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import START_MENU
from emerald_env.state import Menu, MenuKind, decode
from tests.helpers.guided import first_free, follow, is_free

BLOCK_2, OPTIONS = 0x03005D90, 0x14  # in SaveBlock2
SLOW, MIDDLE, FAST = range(3)
FRAMES = {SLOW: 8, MIDDLE: 4, FAST: 1}  # pret: sTextSpeedFrameDelays
SCENE_OFF = 0x400
SCENE, NO_SCENE = 165, 20  # frames of a move: jade/src/battle/battle_steps.h
MAIN_MENU, OPTION_MENU, OVERWORLD, BAG = 0x0802F6B1, 0x080BA4B1, 0x08085E5D, 0x081AAD5D
PRINTER, IS_PRINTING = 0x020201B0, 0x020201CB  # sTextPrinters: the next letter; whether it prints
FOES_HP = 0x020240DC + 0x28  # in gBattleMons
POCKET = 0x0203CE5D  # in gBagPosition
TEXT_SPEED, BATTLE_SCENE, BUTTON_MODE, CANCEL = 0, 1, 4, 6  # pret: the option menu's items


def tap(game: GBA, *keys: str) -> None:
    for key in keys:
        game.step(key_mask(key), 6, 12, render=False)
        game.step(0, 1, 60, render=False)


def options(game: GBA) -> int:
    return Look(game.memory).number(Look(game.memory).number(BLOCK_2) + OPTIONS, "<H")


def callback(game: GBA) -> int:
    return Look(game.memory).callback


def at_main_menu(name: str) -> GBA:
    game = GBA(world_rom(name), idle_loop=JADE_IDLE_LOOP)
    game.step(0, 1, 200, render=False)
    tap(game, "start")
    assert callback(game) == MAIN_MENU
    return game


def frames_of_a_letter(game: GBA) -> int:
    """Returns how long each letter of the message that is printed takes."""
    shown = []
    for _ in range(8 * 12):
        game.step(0, 1, 1, render=False)
        shown.append(Look(game.memory).number(PRINTER))
    changes = [i for i in range(1, len(shown)) if shown[i] != shown[i - 1]]
    (took,) = {after - before for before, after in zip(changes, changes[1:], strict=False)}
    return took


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("0:emerald")


@pytest.fixture(scope="module")
def free(rom, guide) -> bytes:
    return first_free(rom, guide)


@pytest.fixture
def playing(game, free) -> Iterator[GBA]:
    game.set_state(free)
    yield game


def open_options(game: GBA) -> None:
    tap(game, "start", "up", "up", "a")
    assert callback(game) == OPTION_MENU


@pytest.mark.parametrize(("keys", "speed"), [((), FAST), (("right",), SLOW), (("left",), MIDDLE)])
def test_the_text_speed_is_chosen_before_the_first_game_and_stays_in_it(guide, keys, speed):
    with at_main_menu("0:emerald") as game:
        tap(game, "down", "a", *keys, "b")
        assert callback(game) == MAIN_MENU and options(game) == speed
        tap(game, "a")
        assert frames_of_a_letter(game) == FRAMES[speed]
        assert is_free(follow(game, guide, 200, until=is_free)) and options(game) == speed


def test_a_world_with_emeralds_pace_begins_at_its_middle_speed():
    with at_main_menu("0:paced") as game:
        assert options(game) == MIDDLE
        tap(game, "a")
        assert frames_of_a_letter(game) == FRAMES[MIDDLE]


def test_the_screens_cursor_has_emeralds_numbers(playing):
    open_options(playing)
    found = []
    for _ in range(4):
        found.append(decode(playing.memory.read).menu)
        tap(playing, "down")
    cursors = (TEXT_SPEED, BATTLE_SCENE, BUTTON_MODE, CANCEL)
    assert found == [Menu(MenuKind.OTHER, cursor) for cursor in cursors]


def test_options_count_when_the_screen_has_closed(playing):
    before = options(playing)
    open_options(playing)
    tap(playing, "right", "down", "right")
    assert options(playing) == before
    tap(playing, "up", "up", "a")
    assert START_MENU in Look(playing.memory).tasks and callback(playing) == OVERWORLD
    assert options(playing) == SLOW | SCENE_OFF
    assert decode(playing.memory.read).menu == Menu(MenuKind.START, playing.memory[START_CURSOR])
    open_again = ("a", "right", "down", "left", "b")
    tap(playing, *open_again)
    assert options(playing) == MIDDLE


def test_l_may_be_a_and_may_turn_the_bags_pockets(playing):
    open_options(playing)
    tap(playing, "up", "up", "right", "b", "b")
    tap(playing, "start", "up", "up", "up", "a")
    assert callback(playing) == BAG and not playing.memory[POCKET]
    tap(playing, "r")
    assert playing.memory[POCKET] == 1
    tap(playing, "l", "l")
    assert playing.memory[POCKET] == 4, "of five"
    tap(playing, "b", "b")
    open_options(playing)
    tap(playing, "up", "up", "right", "b")
    tap(playing, "l")
    assert callback(playing) == OPTION_MENU, "L is A now"
    tap(playing, "b", "b")


def frames_after_a_blow(game: GBA, guide: Guide) -> int:
    """Lets the foe be hit; returns the frames from then on until something is said."""
    whole = Look(game.memory).number(FOES_HP, "<H")
    while Look(game.memory).number(FOES_HP, "<H") == whole:
        menu = decode(game.memory.read).menu
        keys = guide.labels(game.memory) if menu else ()
        game.step(key_mask(*sorted(keys)[:1]), 4, 24 if keys else 1, render=False)
    frames = 0
    while not game.memory[IS_PRINTING]:
        game.step(0, 1, 1, render=False)
        frames += 1
    return frames


def test_without_battle_scenes_a_blow_takes_little_time():
    rom = world_rom("0:paced")
    guide = Guide(rom)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        follow(game, guide, 1_200, until=lambda look: bool(look.block) and look.in_battle)
        follow(game, guide, 60, until=lambda look: Look(game.memory).number(FOES_HP, "<H") > 0)
        before = game.get_state()
        shown = frames_after_a_blow(game, guide)
        game.set_state(before)
        game.memory[Look(game.memory).number(BLOCK_2) + OPTIONS + 1] = SCENE_OFF >> 8
        assert shown - frames_after_a_blow(game, guide) == SCENE - NO_SCENE
