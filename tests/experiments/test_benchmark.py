"""The benchmark runs as its documentation says; what it measures is not judged here."""

import json
import subprocess
import sys

import pytest

from experiments.benchmarks import overlap

SHORT = "--steps 25 --rounds 1 --growth 1 --long-run-steps 500 --n-envs 2"


@pytest.mark.slow
def test_the_benchmark_compares_all_scenes_with_a_plain_c_loop():
    command = [sys.executable, "-m", "experiments.benchmarks", "--json", *SHORT.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for scene in ("overworld", "420 Pokémon", "battle", "title", "half busy", "busy"):
        for what, target in (("GBA.step", 0.97), ("EmeraldEnv.step", 0.9)):
            row = found["rows"][f"{scene}: {what} / plain C loop"]
            assert row["target"] == target and row["median"] > 0
    assert found["growth"][0]["games"] == 1 and found["growth"][0]["MiB"] > 0


@pytest.mark.slow
def test_halves_that_alternate_play_as_many_steps_as_all_games_at_once():
    row = overlap.measure(overlap.OverlapBenchmark(rounds=1, steps=4))
    assert len(row.ratios) == 1 and row.ratios[0] > 0
