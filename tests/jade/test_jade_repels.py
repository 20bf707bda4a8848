"""Repels in worlds called :emerald: the weak keep away for a hundred steps."""

import struct

import pytest

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.journey import press
from emerald_env.jade.walker import START_CURSOR
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import LEVEL, PARTY
from emerald_env.state import decode
from tests.helpers.guided import follow

REPEL, STEPS, STEPS_LEFT = 86, 100, 0x4021  # pret: VAR_REPEL_STEP_COUNT
BLOCK_1, BLOCK_2, ITEMS, KEY = 0x03005D8C, 0x03005D90, 0x560, 0xAC
BAG_ENTRY, ENTRIES = 2, 6  # of the start menu, without the PokéNav
CURSOR = 0x0203CE60  # in gBagPosition: the row on the page


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("0:emerald")


def tap(game: GBA, *keys: str) -> None:
    for key in keys:
        press(game, frozenset({key}))
        game.step(0, 24, 24, render=False)


def give_repel(game: GBA) -> int:
    """Puts one into the first free slot of the bag; returns the slot."""
    block, secret = Look(game.memory).block, Look(game.memory).number(BLOCK_2)
    key = Look(game.memory).number(secret + KEY) & 0xFFFF
    for slot in range(30):
        at = block + ITEMS + 4 * slot
        if struct.unpack("<H", game.memory.read(at, 2)) == (0,):
            for i, byte in enumerate(struct.pack("<2H", REPEL, 1 ^ key)):
                game.memory[at + i] = byte
            return slot
    raise AssertionError("the bag is full")


def graze(game: GBA, guide: Guide) -> Look:
    """Walks a step in the grass, or towards it."""
    look = Look(game.memory)
    keys = guide._graze(look, look.people()) if look.free else frozenset({"a"})
    press(game, keys)
    return Look(game.memory)


def test_the_weak_keep_away_for_a_hundred_steps(game, guide):
    follow(game, guide, 2_000, lambda look: bool(look.block) and look.flag(0x861) and look.free)
    row = give_repel(game)
    tap(game, "start")
    tap(game, *["down"] * ((BAG_ENTRY - game.memory[START_CURSOR]) % ENTRIES), "a")
    tap(game, *["down"] * (row - game.memory[CURSOR]), "a", "a")
    assert Look(game.memory).story("var", STEPS_LEFT) == STEPS
    assert not decode(game.memory.read).item_count(REPEL)
    tap(game, "a", "a", "a")
    assert Look(game.memory).story("var", STEPS_LEFT) == STEPS
    follow(game, guide, 60, lambda look: look.free)
    game.memory[PARTY + LEVEL] = 100
    for _ in range(600):
        look = graze(game, guide)
        assert not look.in_battle
        if not look.story("var", STEPS_LEFT):
            break
    assert not look.story("var", STEPS_LEFT)
    assert any(graze(game, guide).in_battle for _ in range(600))
