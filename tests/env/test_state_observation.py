"""Playing from memory alone: no picture in the observation, none drawn where nobody looks."""

import numpy as np
from gymnasium.utils.env_checker import check_env

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.training.command_line import train_from_flags
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv


def test_it_is_full_without_the_picture_and_plays_the_same_game():
    games = [EmeraldEnv(EnvConfig(observation=kind)) for kind in ("full", "state")]
    assert games[1].observation_space.keys() == {"state"}
    dice = np.random.default_rng(0)
    seen = [game.reset(seed=3)[0] for game in games]
    for _ in range(150):
        np.testing.assert_array_equal(*[observation["state"] for observation in seen])
        action = dice.integers(15)
        seen = [game.step(action)[0] for game in games]
    assert np.array_equal(*(game.gba.memory.ewram for game in games))
    assert games[0].get_state()["reader"] == games[1].get_state()["reader"]
    for game in games:
        game.close()


def test_frames_are_drawn_now_and_then_and_all_of_them_for_whoever_looks():
    both = EmeraldEnv(EnvConfig(observation="full"), render_mode="rgb_array")
    game = EmeraldEnv(EnvConfig(observation="state"), render_mode="rgb_array")
    both.reset(seed=0), game.reset(seed=0)
    drawn = 0
    for _ in range(64):
        both.step(1), game.step(1)
        if game.picture is not None:
            drawn += 1
            np.testing.assert_array_equal(game.picture, both.picture)
    assert drawn == 8
    game.render()
    for _ in range(20):
        both.step(1), game.step(1)
        np.testing.assert_array_equal(game.render(), both.render())
    both.close(), game.close()


def test_gymnasiums_checker_passes():
    check_env(EmeraldEnv(EnvConfig(observation="state")), skip_render_check=True)


def test_it_is_explored_trained_and_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr("baselines.exploration.search.JOBS", 2)
    monkeypatch.setattr("baselines.exploration.search.STEPS", 20)
    flags = (
        "--observation state --action-masks --explore .5 --n-envs 4 --n-workers 1 --n-steps 32 "
        "--batch-size 64 --episode-length 50 --record none --device cpu"
    )
    run = [*flags.split(), "--sessions", str(tmp_path)]
    assert train_from_flags([*run, "--total-timesteps", "160"]) == 0
    again = ["--resume", "last", "--sessions", str(tmp_path), "--total-timesteps", "600"]
    assert train_from_flags(again) == 0
    (session,) = tmp_path.iterdir()
    saved = [load_policy(path) for path in session.glob("checkpoints/ppo_*_steps.zip")]
    (_, first), (policy, manifest) = sorted(saved, key=lambda pair: pair[1].num_timesteps)
    assert first.num_timesteps == 256, "no room for a round after the first 128"
    # updates of 128 steps, and as many rounds of 40 as end before 600
    assert manifest.num_timesteps == 256 + 128 + 5 * 40 + 128
    assert list(session.glob("archive/*"))
    assert manifest.env["observation"] == "state"
    assert not [name for name in policy.state_dict() if "screen" in name]
