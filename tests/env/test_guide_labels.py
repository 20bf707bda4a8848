"""What Jade's guide says, as a part of the observation."""

from contextlib import closing

import numpy as np
import pytest

from baselines.games.game import make_env
from baselines.games.recorded_play import by_guide
from baselines.settings.game_config import GameConfig
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import observation_space
from emerald_env.state import milestone_bits


def test_random_keys_in_a_quarter_of_the_steps_do_not_lead_astray_who_follows_it():
    env = EmeraldEnv(EnvConfig(guide=True, observation="screen"))
    dice = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    for _ in range(900):
        assert env.observation_space.contains(observation)
        good = np.flatnonzero(observation["guide"])
        assert len(good), "waiting is an action, too"
        action = dice.integers(15) if dice.random() < 0.25 else dice.choice(good)
        observation, *_ = env.step(action)
    assert milestone_bits(env.state).bit_count() >= 11, "the first Pokémon, and on"
    env.close()


def test_the_network_of_a_student_does_not_see_it():
    assert observation_space(EnvConfig(observation="screen")).shape == (80, 120, 1)


def test_other_games_have_none(monkeypatch):
    monkeypatch.setattr("emerald_env.env.env.describe_game", lambda choice: {"code": "BPEE"})
    with pytest.raises(ValueError, match="only Jade"):
        EmeraldEnv(EnvConfig(guide=True))


def test_an_episode_with_a_guide_ends_with_the_story():
    config = GameConfig(guide=True, observation="screen", patience=None)
    with closing(make_env(config)) as env:
        observation, _ = env.reset(seed=0)
        truncated, badges = False, 0
        while not truncated:
            assert badges < 2
            observation, _, _, truncated, _ = env.step(by_guide(observation))
            badges = len(env.unwrapped.state.badges)
        assert badges == 2
