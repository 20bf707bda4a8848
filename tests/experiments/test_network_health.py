"""Numbers of a network's health, of networks whose health is known."""

import numpy as np
import pytest
import torch
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.ppo import PPO
from experiments.earlier.__main__ import warned_at
from experiments.earlier.network_health import health
from experiments.strangers.worlds import Catch


def test_units_that_never_answer_are_dormant_and_features_that_are_alike_have_rank_one():
    games = DummyVecEnv([lambda: Monitor(Catch())])
    model = PPO("MlpPolicy", games, n_steps=64, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(64)
    first, _, second, _ = model.policy.mlp_extractor.policy_net
    with torch.no_grad():
        first.weight[:16] = 0
        first.bias[:16] = 0
        second.weight[:] = second.weight[:1]
    found = health(model, np.random.default_rng(0))
    assert found["dormant"] == pytest.approx(16 / (4 * 64))
    assert found["rank"] == pytest.approx(1 / 64)
    assert found["sure"] == 0


def test_a_number_warns_once_it_has_been_beyond_its_limit_for_three_updates():
    assert warned_at([0, 2, 2, 0, 2, 2, 2], 1, low=False) == 6
    assert warned_at([2, 0, 0, 0], 1, low=True) == 3
    assert warned_at([0, 0, 2], 1, low=False) is None
