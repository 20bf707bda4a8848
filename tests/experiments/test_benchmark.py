"""The benchmark runs as its documentation says; what it measures is not judged here."""

import json
import subprocess
import sys

import pytest

from emerald_env.emulator import is_compiled_in
from emerald_env.parallel.cpu_placement import available_cores
from experiments.benchmarks.idle_rom import idle_rom
from experiments.benchmarks.run import main

TARGETS = {  # of EmeraldEnv.step with the system's library, and with mGBA compiled in
    "overworld": (1.45, 1.9),
    "420 Pokémon": (1.45, 1.9),
    "battle": (1.45, 1.9),
    "title": (1.6, 2.3),
    "half busy": (None, None),
    "busy": (None, 2.4),
}
SHORT = f"--steps 25 --rounds 1 --growth 1 --long-run-steps 500 --n-envs {available_cores()}"


@pytest.mark.slow
def test_the_benchmark_compares_all_scenes_with_a_plain_c_loop():
    command = [sys.executable, "-m", "experiments.benchmarks", "--json", *SHORT.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for scene in ("overworld", "420 Pokémon", "battle", "title", "half busy", "busy"):
        targets = [
            found["rows"][f"{scene}: {what} / plain C loop"]["target"]
            for what in ("GBA.step", "EmeraldEnv.step")
            if found["rows"][f"{scene}: {what} / plain C loop"]["median"] > 0
        ]
        assert targets == [None, TARGETS[scene][is_compiled_in()]]
    assert found["growth"][0]["games"] == 1 and found["growth"][0]["MiB"] > 0


def test_any_other_game_is_one_scene_for_the_console_alone(tmp_path, capsys):
    (tmp_path / "idle.gba").write_bytes(idle_rom())
    words = ["--rom", str(tmp_path / "idle.gba"), "--steps", "25", "--rounds", "1"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["rows"]) == {"idle.gba: GBA.step / plain C loop"}
    assert main([*words, "--markdown"]) == 0
    assert "Growth" not in capsys.readouterr().out
