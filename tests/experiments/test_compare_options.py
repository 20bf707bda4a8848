"""The comparison of the learner's options: which runs it makes, and the table of them."""

from pathlib import Path

import numpy as np
import pytest

from baselines.cluster.sweep.plan import read_plan
from experiments.compare_options import (
    PLAIN,
    TASKS,
    CompareConfig,
    Run,
    all_runs,
    options_of,
    read_results,
    summary,
    table,
)

RESULTS = Path("results.jsonl")
ROOT = Path(__file__).resolve().parents[2]


def test_the_plain_settings_come_first_as_often_as_asked():
    chosen = ("without entropy bonus", "lambda = 1 (no GAE)")
    config = CompareConfig(RESULTS, ("Acrobot",), chosen, seeds=1, plain_seeds=3)
    assert list(all_runs(config)) == [
        *(Run("Acrobot", PLAIN, seed) for seed in range(3)),
        *(Run("Acrobot", option, 0) for option in chosen),
    ]


def test_without_a_choice_every_option_of_every_task_is_tried_as_often():
    runs = list(all_runs(CompareConfig(RESULTS, seeds=2)))
    assert len(set(runs)) == len(runs)
    wanted = {
        (task, option, seed) for task in TASKS for option in options_of(task) for seed in (0, 1)
    }
    assert set(runs) == wanted


@pytest.mark.parametrize(
    "wrong", [{"tasks": ("Chess",)}, {"options": ("with luck",)}, {"seeds": 0}], ids=str
)
def test_what_does_not_exist_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="Chess|with luck|seeds is 0"):
        CompareConfig(RESULTS, **wrong)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1 of"),
        (b'{"run": ["Taxi", "x", 0], "returns": {"all": 1}}', "not a run: 'last'"),
        (b'{"run": ["Taxi"], "returns": {"all": 1, "last": 2}}', "line 1 of"),
        (b"[1]", "line 1 of"),
        (b"\xff\xfe", "is not a run"),
    ],
)
def test_a_file_of_another_kind_is_not_written_into(content, message, tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(SystemExit, match=message):
        read_results(path)
    with pytest.raises(SystemExit, match="cannot be used: No such file"):
        read_results(tmp_path / "nowhere/results.jsonl")
    with pytest.raises(SystemExit, match="cannot be used: Is a directory"):
        read_results(tmp_path)
    assert read_results(tmp_path / "new.jsonl") == {}


def test_each_option_of_the_sweep_on_jade_is_a_setting_of_its_own():
    plan = read_plan(ROOT / "experiments" / "options.toml")
    commands = [tuple(plan.command(settings, 0)) for settings in plan.all_settings()]
    assert len(set(commands)) == len(commands) == 21


def test_the_table_has_mean_and_standard_error_over_seeds():
    scores = {0: (1.0, 10.0), 1: (3.0, 10.0)}
    results = {
        Run("Acrobot", PLAIN, seed): {"all": all_, "last": last}
        for seed, (all_, last) in scores.items()
    }
    assert list(table(results))[2:] == [f"| Acrobot | {PLAIN} | 2.0 ± 1.0 | 10.0 ± 0.0 | 2 |"]


def test_a_run_is_described_by_all_its_episodes_and_by_their_last_tenth():
    assert summary([float(k) for k in range(20)]) == {"all": 9.5, "last": 18.5}
    assert summary([4.0]) == {"all": 4.0, "last": 4.0}
    with pytest.raises(SystemExit, match="more steps"):
        summary([])


@pytest.mark.parametrize("task", TASKS)
def test_each_task_can_be_played(task):
    game = TASKS[task].make()
    game.action_space.seed(0)
    game.reset(seed=0)
    observation, reward, *_ = game.step(game.action_space.sample())
    assert game.observation_space.contains(observation) and np.isfinite(reward)
    assert isinstance(observation, dict) == task.endswith("with masks")
    game.close()
