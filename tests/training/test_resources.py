from dataclasses import replace
from pathlib import Path

import pytest

from baselines.commands.learn.train import main
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.resources import GAME, MEBIBYTE, Needs, NotEnough, observation_bytes

SMALL = TrainConfig(n_envs=4, n_workers=2, env=GameConfig(observation="screen"))


def test_a_game_more_needs_its_memory_and_its_samples():
    more = Needs.of(replace(SMALL, n_envs=5)).memory - Needs.of(SMALL).memory
    samples = 2 * SMALL.ppo.n_steps * SMALL.n_stack * 80 * 120
    assert more == GAME + samples
    assert GAME <= 4 * MEBIBYTE


def test_an_observations_bytes_are_those_of_its_arrays():
    assert observation_bytes(SMALL.env) == 80 * 120
    assert observation_bytes(GameConfig(observation="dict")) > 80 * 120


def test_more_checkpoints_need_more_disk():
    assert Needs.of(replace(SMALL, keep_checkpoints=9)).disk > Needs.of(SMALL).disk


def test_needs_say_what_is_needed_and_what_is_there():
    needs = Needs(10 * MEBIBYTE, 2000 * MEBIBYTE, 3 * MEBIBYTE, 5 * MEBIBYTE)
    assert str(needs) == (
        "memory: up to 10 MiB more, 2,000 MiB free; disk: up to 3 MiB more, 5 MiB free"
    )
    needs.check()


@pytest.mark.parametrize("what", ["memory", "disk"])
def test_what_cannot_fit_is_refused_with_the_numbers(what):
    needs = replace(Needs(1, 2, 1, 2), **{what: 3})
    with pytest.raises(NotEnough, match=f"not enough {what} .memory: up to"):
        needs.check()


@pytest.mark.parametrize(("teacher", "lower"), [("guide", "--labels.stored, "), (None, "")])
def test_where_labelled_steps_are_kept_their_number_is_what_to_lower_first(teacher, lower):
    stored = replace(SMALL.labels, stored=300_000_000)
    recurrent = replace(SMALL.policy, recurrent=True)
    needs = Needs.of(
        replace(SMALL, n_stack=1, explore=0.0, policy=recurrent, teacher=teacher, labels=stored)
    )
    with pytest.raises(NotEnough, match=f": lower {lower}--n-envs, --n-workers or --n-steps$"):
        replace(needs, memory_free=0).check()
    with pytest.raises(NotEnough, match=f": lower {lower}--keep-checkpoints, or give --sessions"):
        replace(needs, memory_free=needs.memory, disk_free=0).check()


def test_a_folder_that_does_not_exist_yet_lies_on_its_parents_disk(tmp_path: Path):
    config = replace(SMALL, sessions=tmp_path / "not" / "yet")
    assert Needs.of(config).disk_free > 0


def test_a_start_that_cannot_fit_ends_at_once_with_the_numbers(tmp_path, capsys):
    arguments = ["--n-envs", "10000000", "--sessions", str(tmp_path)]
    assert main(arguments) == 1
    assert "error: not enough memory (memory: up to " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_default_rollout_is_counted_twice():
    long = replace(SMALL, ppo=PPOConfig(n_steps=256))
    added = Needs.of(long).memory - Needs.of(SMALL).memory
    assert added == 2 * 4 * 128 * SMALL.n_stack * 80 * 120
