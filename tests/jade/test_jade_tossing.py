"""Tossing out of the bag in worlds called :emerald: how many, then whether really."""

import struct
from collections.abc import Iterator

import pytest

from emerald_env.emulator import GBA, key_mask
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.worlds.guidance.guide import Look
from emerald_env.jade.worlds.guidance.look import MULTICHOICE, TASK, TASKS, TOSSING, YES_NO
from emerald_env.jade.worlds.guidance.menu_keys import teach
from emerald_env.jade.worlds.guidance.taught_moves import FIELD_MOVES
from emerald_env.state import Menu, MenuKind, decode
from tests.helpers.guided import first_free

BLOCK_2, KEY = 0x03005D90, 0xAC
ITEMS, BALLS, MACHINES, BERRIES, KEY_ITEMS = 0x560, 0x650, 0x690, 0x790, 0x5D8  # in SaveBlock1
POCKETS = (ITEMS, BALLS, MACHINES, BERRIES, KEY_ITEMS)  # in the order of the screen
POTION, BALL, ROCK_TOMB, CUT, BERRY, LETTER, REPEL = 13, 4, 327, 339, 139, 274, 86
COUNT = 8  # of the task's numbers: pret, tItemCount


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("0:emerald")


@pytest.fixture(scope="module")
def free(rom, guide) -> bytes:
    return first_free(rom, guide)


@pytest.fixture
def bag(game, free) -> Iterator[GBA]:
    """The bag is open, with 25 potions and one of each other kind."""
    game.set_state(free)
    look = Look(game.memory)
    key = look.number(look.number(BLOCK_2) + KEY, "<H")
    things = ((POTION, 25), (BALL, 1), (CUT, 1), (BERRY, 3), (LETTER, 1))
    for pocket, (item, count) in zip(POCKETS, things, strict=True):
        put(game, look.block + pocket, item, count ^ key)
    put(game, look.block + ITEMS + 4, REPEL, 1 ^ key)
    put(game, look.block + MACHINES + 4, ROCK_TOMB, 1 ^ key)
    tap(game, "start", "a")
    yield game


def put(game: GBA, at: int, *halves: int) -> None:
    for i, byte in enumerate(struct.pack(f"<{len(halves)}H", *halves)):
        game.memory[at + i] = byte


def tap(game: GBA, *keys: str) -> None:
    for key in keys:
        game.step(key_mask(key), 6, 12, render=False)
        game.step(0, 1, 50, render=False)


def left(game: GBA, item: int) -> int:
    return decode(game.memory.read).item_count(item)


def how_many(game: GBA) -> int | None:
    """Returns the number that is shown to be tossed; None where none is asked for."""
    for slot in range(16):
        at = TASKS + TASK.size * slot
        function, active = TASK.unpack(game.memory.read(at, TASK.size))
        if active and function == TOSSING:
            return Look(game.memory).number(at + 8 + 2 * COUNT, "<h")
    return None


def words(game: GBA) -> int:
    """Returns how many words there are in the open box; 0 without one."""
    look = Look(game.memory)
    return look.number(0x0203CD94, "<b") + 1 if MULTICHOICE in look.tasks else 0


def test_as_many_are_tossed_as_one_says_after_a_question(bag):
    tap(bag, "a", "down", "a")
    assert how_many(bag) == 1
    for key, count in (("up", 2), ("down", 1), ("down", 25), ("left", 15), ("right", 25),
                       ("up", 1), ("left", 1), ("right", 11), ("up", 12)):  # fmt: skip
        tap(bag, key)
        assert how_many(bag) == count, key
    tap(bag, "a")
    assert YES_NO in Look(bag.memory).tasks and left(bag, POTION) == 25
    assert decode(bag.memory.read).menu == Menu(MenuKind.BAG, 0, 0, 0)
    tap(bag, "a")
    assert left(bag, POTION) == 25 - 12
    tap(bag, "a", "a", "down", "a", "b")
    assert how_many(bag) is None and left(bag, POTION) == 13
    tap(bag, "a", "down", "a", "a", "b")
    assert left(bag, POTION) == 13, "who says no keeps all"
    tap(bag, "a", "down", "a", "a", "down", "a")
    assert left(bag, POTION) == 13
    tap(bag, "a", "down", "a", "down", "a", "a", "a")
    assert left(bag, POTION) == 0 and left(bag, REPEL) == 1


def test_of_a_single_one_it_is_not_asked_how_many(bag):
    tap(bag, "right", "a", "a")
    assert how_many(bag) is None and YES_NO in Look(bag.memory).tasks
    tap(bag, "a")
    assert left(bag, BALL) == 0


def test_machines_and_key_items_cannot_be_tossed(bag):
    found = []
    for _ in POCKETS:
        tap(bag, "a")
        found.append(words(bag))
        tap(bag, "b", "right") if found[-1] else tap(bag, "right")
    assert found == [3, 2, 2, 3, 0], "use, toss, cancel; toss, cancel; use, cancel; ..; nothing"


def test_the_guide_never_tosses_what_somebody_began_to_toss(bag, guide):
    cut = FIELD_MOVES[15]
    for keys in (("a", "down", "a"), ("right", "a", "a")):
        tap(bag, *keys)
        assert teach(Look(bag.memory), guide.lessons, cut) == {"b"}
        tap(bag, "b")
        assert teach(Look(bag.memory), guide.lessons, cut) != {"b"}
