"""Known tasks are learnt as well as published results say."""

import numpy as np
import pytest
import torch
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.ppo import PPO
from baselines.learner.recurrent_ppo import RecurrentPPO
from baselines.learner.schedules import LinearSchedule
from experiments.compare_options import blind_cartpole, cartpole

STEPS = 100_000
# rl-baselines3-zoo's settings for CartPole with twice its games, half its epochs, twice its
# learning rate: as good in a third of the time
SETTINGS = {
    "n_steps": 32,
    "batch_size": 256,
    "n_epochs": 10,
    "gamma": 0.98,
    "gae_lambda": 0.8,
    "learning_rate": LinearSchedule(2e-3, 0.0),
    "clip_range": LinearSchedule(0.2, 0.0),
    "device": "cpu",
}
# Without velocities. Two things make seeds alike (docs/PPO.md has them measured): normalised
# returns, without which the value's gradient leaves the policy's none of the clipped length, and
# a target KL, which ends updates that would make the policy forget
BLIND = SETTINGS | {"n_steps": 64, "gamma": 0.99, "gae_lambda": 0.95, "target_kl": 0.02}
BLIND_STEPS = 60_000
NORMALIZED = {"normalize_observations": True, "normalize_returns": True}
LSTM = NORMALIZED | {"lstm_hidden_size": 64, "net_arch": []}


def score(model, make):
    """The mean return of 30 episodes with the likeliest actions, in games not seen before."""
    env = DummyVecEnv([lambda: Monitor(make())])
    env.seed(1000)
    return evaluate_policy(model, env, n_eval_episodes=30)[0]


@pytest.fixture(autouse=True)
def one_thread():
    """For networks this small more threads only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
def test_cartpole_is_learnt_in_100_000_steps():
    scores = []
    for seed in range(3):
        games = DummyVecEnv([cartpole] * 16)
        model = PPO("MlpPolicy", games, seed=seed, **SETTINGS).learn(STEPS)
        scores.append(score(model, cartpole))
    assert np.mean(scores) >= 475, scores


@pytest.mark.slow
def test_cartpole_without_velocities_is_learnt_with_a_memory():
    scores = []
    for seed in range(2):  # of the three in docs/PPO.md
        games = DummyVecEnv([blind_cartpole] * 16)
        model = RecurrentPPO(
            "MlpPolicy", games, seed=seed, sequence_length=32, policy_kwargs=LSTM, **BLIND
        )
        scores.append(score(model.learn(BLIND_STEPS), blind_cartpole))
    assert np.mean(scores) >= 475, scores


@pytest.mark.slow
def test_cartpole_without_velocities_cannot_be_learnt_without_a_memory():
    games = DummyVecEnv([blind_cartpole] * 16)
    model = PPO("MlpPolicy", games, seed=0, policy_kwargs=NORMALIZED, **BLIND).learn(BLIND_STEPS)
    assert score(model, blind_cartpole) < 150
