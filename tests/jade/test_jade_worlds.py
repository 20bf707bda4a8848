"""Worlds from a number: solvable, playable by keys, and unlike each other."""

from contextlib import closing

from emerald_env.emulator import GBA
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import MILESTONES
from emerald_env.jade.worlds.journey import journey
from emerald_env.jade.worlds.teacher import Teacher


def play(rom: bytes) -> dict[str, int]:
    """The steps in which a teacher's keys reach each milestone."""
    with closing(GBA(rom, idle_loop=JADE_IDLE_LOOP)) as gba:
        return dict(journey(gba, Teacher(rom)))


def test_a_teacher_plays_the_game_as_it_is_to_its_end():
    assert set(play(JADE_ROM.read_bytes())) == {name for name, *_ in MILESTONES}
