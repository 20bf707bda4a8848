"""The comparison of the learner's options: which runs it makes, and the table of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from baselines.training.config import TrainConfig, parse
from experiments.compare_options import (
    JADE,
    JADE_OPTIONS,
    PLAIN,
    TASKS,
    CompareConfig,
    Run,
    all_runs,
    main,
    options_of,
    read_results,
    summary,
    table,
)

RESULTS = Path("results.jsonl")


def test_the_plain_settings_come_first_as_often_as_asked():
    config = CompareConfig(
        RESULTS, (JADE,), ("with action masks", "lambda = 1 (no GAE)"), seeds=1, plain_seeds=3
    )
    plain = options_of(JADE)[0]
    assert list(all_runs(config)) == [
        *(Run(JADE, plain, seed) for seed in range(3)),
        Run(JADE, "with action masks", 0),
        Run(JADE, "lambda = 1 (no GAE)", 0),
    ]


def test_without_a_choice_every_option_of_every_task_is_tried_as_often():
    runs = list(all_runs(CompareConfig(RESULTS, seeds=2)))
    assert len(set(runs)) == len(runs)
    wanted = {
        (task, option, seed) for task in TASKS for option in options_of(task) for seed in (0, 1)
    }
    assert set(runs) == wanted


@pytest.mark.parametrize(
    "wrong", [{"tasks": ("Chess",)}, {"options": ("with luck",)}, {"jobs": 0}], ids=str
)
def test_what_there_is_not_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="Chess|with luck|jobs is 0"):
        CompareConfig(RESULTS, **wrong)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1 of"),
        (b'{"run": ["Jade", "x", 0], "returns": {"all": 1}}', "no run: 'last'"),
        (b'{"run": ["Jade"], "returns": {"all": 1, "last": 2}}', "line 1 of"),
        (b"[1]", "line 1 of"),
        (b"\xff\xfe", "is no run"),
    ],
)
def test_a_file_of_something_else_is_not_written_into(content, message, tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(SystemExit, match=message):
        read_results(path)
    with pytest.raises(SystemExit, match="cannot be used: No such file"):
        read_results(tmp_path / "nowhere/results.jsonl")
    with pytest.raises(SystemExit, match="cannot be used: Is a directory"):
        read_results(tmp_path)
    assert read_results(tmp_path / "new.jsonl") == {}


@pytest.mark.parametrize("option", list(JADE_OPTIONS)[1:])
def test_each_option_of_jade_changes_the_training_commands_settings(option):
    assert parse(JADE_OPTIONS[option].split()) != TrainConfig()


def test_the_table_has_mean_and_standard_error_over_seeds():
    scores = {0: (1.0, 10.0), 1: (3.0, 10.0)}
    results = {
        Run("Acrobot", PLAIN, seed): {"all": all_, "last": last}
        for seed, (all_, last) in scores.items()
    }
    assert list(table(results))[2:] == [f"| Acrobot | {PLAIN} | 2.0 ± 1.0 | 10.0 ± 0.0 | 2 |"]


def test_a_run_is_told_by_all_its_episodes_and_by_their_last_tenth():
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


@pytest.mark.slow
def test_runs_beside_one_another_end_as_they_do_alone_and_are_not_made_again(tmp_path, capsys):
    def compare(file, jobs):
        flags = "--n-envs 2 --n-workers 1 --n-steps 32 --batch-size 32 --episode-length 32"
        arguments = f"{file} --tasks Jade --options NatureCNN --seeds 1 --jobs {jobs}"
        steps = f"--jade-steps 128 --jade-flags={flags} --record none"
        assert main([*arguments.split(), *steps.split(" ", 2)]) == 0
        return sorted(map(json.loads, file.read_text().splitlines()), key=str)

    both = tmp_path / "both.jsonl"
    beside = compare(both, jobs=2)
    assert {run["run"][1] for run in beside} == {"the default command", "NatureCNN"}
    assert compare(tmp_path / "alone.jsonl", jobs=1) == beside
    capsys.readouterr()
    assert compare(both, jobs=2) == beside  # at once, or an hour of training would be lost
    assert len(capsys.readouterr().out.splitlines()) == 4  # the table only


def test_a_wrong_flag_for_the_runs_is_refused_before_the_first(tmp_path, capsys):
    flags = ["--tasks", "Jade", "--jade-flags=--nonsense"]
    with pytest.raises(SystemExit):
        main([str(tmp_path / "new.jsonl"), *flags])
    assert capsys.readouterr().err.count("--nonsense") == 1
    assert not list(tmp_path.iterdir())
