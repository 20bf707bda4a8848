"""The table of where a walk's time goes."""

import pytest

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.journey import STEP, journey
from emerald_env.jade.worlds.guidance.guide import Guide
from experiments.jade_pace import FRAMES, main, walk


def test_the_seconds_by_kind_are_those_of_the_journey():
    rom = JADE_ROM.read_bytes()
    found = [(name, sum(spent.seconds.values())) for name, spent in walk(rom, "clock_set")]
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        steps = dict(zip(found, journey(gba, Guide(rom)), strict=False))
    for (name, seconds), (milestone, step) in steps.items():
        assert name == milestone
        assert seconds == pytest.approx(step * STEP / FRAMES)
    assert len(found) == 4


def test_nobody_fights_before_there_is_a_starter_and_then_once():
    *_, (name, spent) = walk(JADE_ROM.read_bytes(), "rescued_birch")
    assert name == "rescued_birch" and spent.battles == 1 and spent.seconds["battle"] > 0


def test_a_last_milestone_that_the_guide_does_not_know_is_an_error_in_one_line(capsys):
    assert main(["0", "--last", "NONSENSE"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: no milestone 'NONSENSE'") and "clock_set" in said
    assert said.count("\n") == 1


def test_an_unknown_world_is_an_error_in_one_line(capsys):
    assert main(["foo"]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("error: ") and said.err.count("\n") == 1 and not said.out
