"""Our interpreter does what mGBA's own does, over cartridges of random instructions."""

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.emulator.library import lib
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM
from experiments.benchmarks.layers import plain_library
from experiments.lockstep import library
from experiments.lockstep.lockstep import FRAMES, Difference, Pair, compare, main
from experiments.lockstep.random_programs import SIZE, random_cartridge
from experiments.lockstep.system_game import SystemGame

needs_static = pytest.mark.skipif(
    not lib.mgba_static(), reason="the shim was linked with the library: make fast"
)
CARTRIDGES, LEAST = 40, 5_000_000


@needs_static
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 7, 204])
def test_random_instructions_are_equal(seed):
    assert compare(random_cartridge(seed), seed, FRAMES) > 0


@needs_static
@pytest.mark.slow
def test_millions_of_random_instructions_are_equal():
    run = sum(
        compare(random_cartridge(seed), seed, FRAMES) for seed in range(1000, 1000 + CARTRIDGES)
    )
    assert run > LEAST


@needs_static
def test_a_difference_is_found_and_named():
    pair = Pair(JADE_ROM)
    pair.both[1].step(1, 1, 1, render=False)
    with pytest.raises(Difference, match="the states differ at 0x"):
        pair.step(0, 1, render=False)
    pair.close()


@needs_static
def test_roms_in_a_folder_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("experiments.lockstep.lockstep.ROM_FRAMES", 3)
    (tmp_path / "one.gba").write_bytes(JADE_ROM.read_bytes())
    assert main(["--folder", str(tmp_path)]) == 0
    assert "1 cartridges" in capsys.readouterr().out


@pytest.mark.parametrize("folder", [".", "missing"])
def test_a_folder_without_roms_is_an_error(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("experiments.lockstep.lockstep.is_compiled_in", lambda: True)
    assert main(["--folder", str(tmp_path / folder)]) == 1
    assert "there is nothing to compare: no *.gba in" in capsys.readouterr().err


@pytest.mark.parametrize("minutes", ["0", "-1"])
def test_no_time_to_compare_is_an_error(minutes, monkeypatch, capsys):
    monkeypatch.setattr("experiments.lockstep.lockstep.is_compiled_in", lambda: True)
    assert main(["--minutes", minutes]) == 1
    assert f"nothing to compare: {minutes} minutes are too short" in capsys.readouterr().err


def test_each_seed_gives_another_cartridge_of_one_size():
    one, other = random_cartridge(1), random_cartridge(2)
    assert len(one) == len(other) == SIZE and one != other
    assert random_cartridge(1) == one


@pytest.mark.skipif(lib.mgba_static(), reason="mGBA is compiled in")
def test_without_our_interpreter_there_is_nothing_to_compare():
    assert main(["--minutes", "0"]) == 1


def test_a_core_that_leaves_another_state_than_the_systems_library_is_named(tmp_path):
    system = SystemGame(JADE_ROM, plain_library(tmp_path))
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP, core="plain") as gba:
        system.set_state(gba.get_state())
        games, keys = {"ours": gba}, np.zeros(30, np.int64)
        assert library.compare(games, system, keys, np.random.default_rng(0)) > 1
        gba.step(1, 1, 1, render=False)
        with pytest.raises(Difference, match="ours: another state after frame"):
            library.compare(games, system, keys, np.random.default_rng(0))
    system.stop()
