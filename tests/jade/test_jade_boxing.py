"""The PC's boxes: who could still fight stays, and in worlds called :emerald one may be moved."""

import pytest

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, world_rom
from emerald_env.jade.walker import Walker
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.look import HP, MEMBER, PARTY, PARTY_COUNT
from emerald_env.jade.worlds.rom_tables import Thing
from tests.helpers.guided import follow

COMPUTER = Thing((2, 2), "sign", 1)  # in Oldale's centre
OLDALE = 0x870  # flag: it was visited
STORAGE_POINTER, BOXES, BOX_COUNT, PLACES, BOXED = 0x03005D94, 4, 14, 30, 80
TAKEN = 20  # frames for a key


@pytest.fixture(scope="module")
def at_the_computer():
    """The computer's screen is open; two are in the party."""
    rom = world_rom("0:emerald")
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        follow(game, Guide(rom), 600, until=lambda look: bool(look.block) and look.flag(OLDALE))
        walker = Walker(game)
        walker.settle()
        walker.approach(*walker.at(COMPUTER))
        game.memory[PARTY + MEMBER : PARTY + 2 * MEMBER] = game.memory.read(PARTY, MEMBER)
        game.memory[PARTY_COUNT] = 2
        walker.press("a", 120)
        yield walker, game.get_state()


def press(walker: Walker, *keys: str) -> None:
    for key in keys:
        walker.press(key, TAKEN)


def boxed(walker: Walker) -> list[int]:
    """Returns the box of each that is in one."""
    storage = walker.number(STORAGE_POINTER) + BOXES
    places = walker.gba.memory.read(storage, BOX_COUNT * PLACES * BOXED)
    return [
        at // (PLACES * BOXED)
        for at in range(0, len(places), BOXED)
        if any(places[at : at + BOXED])
    ]


def party(walker: Walker) -> int:
    return walker.number(PARTY_COUNT, "<B")


def test_one_is_put_away_and_taken_again_but_never_the_last(at_the_computer):
    walker, state = at_the_computer
    walker.gba.set_state(state)
    press(walker, "a")
    assert party(walker) == 1 and boxed(walker) == [0]
    press(walker, "a")
    assert party(walker) == 1 and boxed(walker) == [0], "the last one stays"
    press(walker, "right", "a")
    assert party(walker) == 2 and not boxed(walker)


def test_the_last_that_can_fight_stays(at_the_computer):
    walker, state = at_the_computer
    walker.gba.set_state(state)
    for at in (PARTY + MEMBER + HP, PARTY + MEMBER + HP + 1):
        walker.gba.memory[at] = 0
    press(walker, "a")
    assert party(walker) == 2
    press(walker, "down", "a")
    assert party(walker) == 1 and boxed(walker) == [0]


def test_one_is_moved_to_another_box(at_the_computer):
    walker, state = at_the_computer
    walker.gba.set_state(state)
    press(walker, "select", "a", "right", "select", "r", "b")
    assert boxed(walker) == [0], "B leaves it there"
    press(walker, "l", "select", "r", "r", "a")
    assert boxed(walker) == [2] and party(walker) == 1
    press(walker, "a")
    assert party(walker) == 2 and not boxed(walker)
