"""The learner is SB3's to the bit while its options are off, and does what each option says."""

import gymnasium
import numpy as np
import pytest
import stable_baselines3
import torch
from gymnasium import spaces
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.ppo import PPO, Speed

ALIKE = ("explained_variance", "approx_kl", "clip_fraction", "loss", "value_loss", "entropy_loss")


class Numbers(Logger):
    """Keeps everything that is logged."""

    def __init__(self):
        super().__init__(None, [])
        self.dumps = []

    def dump(self, step=0):
        self.dumps.append(dict(self.name_to_value))


class Pictures(gymnasium.Env):
    """Random pictures and a number; the reward is 1 where the action equals a pixel's last bit."""

    def __init__(self, dictionary=False):
        picture = spaces.Box(0, 255, (36, 36, 2), np.uint8)
        number = spaces.Box(-1, 1, (3,), np.float32)
        self._dictionary = dictionary
        both = spaces.Dict({"screen": picture, "state": number})
        self.observation_space = both if dictionary else picture
        self.action_space = spaces.Discrete(3)

    def _observe(self):
        picture = self.np_random.integers(0, 256, (36, 36, 2), np.uint8)
        self._answer = picture[0, 0, 0] & 1
        if not self._dictionary:
            return picture
        state = self.np_random.uniform(-1, 1, 3).astype(np.float32)
        return {"screen": picture, "state": state}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._observe(), {}

    def step(self, action):
        reward = float(action == self._answer)
        terminated = bool(self.np_random.random() < 0.1)
        return self._observe(), reward, terminated, False, {}


def games(make, count=3, limit=20):
    """Games with a time limit, so that truncated episodes occur."""
    limited = [lambda: gymnasium.wrappers.TimeLimit(make(), limit) for _ in range(count)]
    vec_env = DummyVecEnv(limited)
    vec_env.seed(5)
    return vec_env


def trained(kind, make, policy, updates=4, **settings):
    settings = dict(n_steps=32, batch_size=24, n_epochs=3, ent_coef=0.01, seed=3) | settings
    model = kind(policy, games(make), device="cpu", **settings)
    numbers = Numbers()
    model.set_logger(numbers)
    model.learn(updates * model.n_steps * 3, log_interval=1)
    return model, [*numbers.dumps, dict(numbers.name_to_value)]


ENVS = {
    "discrete": (lambda: gymnasium.make("CartPole-v1"), "MlpPolicy"),
    "continuous": (lambda: gymnasium.make("Pendulum-v1"), "MlpPolicy"),
    "pictures": (Pictures, "CnnPolicy"),
    "dictionary": (lambda: Pictures(True), "MultiInputPolicy"),
}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"clip_range_vf": 0.1, "target_kl": 1e-4, "learning_rate": lambda left: 1e-3 * left},
        {"normalize_advantage": False, "batch_size": 96, "gae_lambda": 0.8, "gamma": 0.9},
    ],
    ids=["defaults", "clipped values, target KL, annealed", "one batch, plain advantages"],
)
@pytest.mark.parametrize("env", ENVS)
def test_without_options_it_is_sb3s_ppo_to_the_bit(env, settings):
    ours, our_numbers = trained(PPO, *ENVS[env], **settings)
    theirs, their_numbers = trained(stable_baselines3.PPO, *ENVS[env], **settings)
    assert [tensor.shape for tensor in ours.policy.parameters()] == [
        tensor.shape for tensor in theirs.policy.parameters()
    ]
    weights = ours.policy.state_dict()
    for name, tensor in theirs.policy.state_dict().items():
        assert torch.equal(weights[name], tensor), name
    for mine, wanted in zip(our_numbers, their_numbers, strict=True):
        for name, value in wanted.items():
            if not name.startswith("time/"):
                assert mine[name] == value, name
    assert all(f"train/{name}" in our_numbers[-1] for name in ALIKE)


@pytest.mark.parametrize("env", ENVS)
def test_one_pass_of_adam_learns_the_same_up_to_rounding(env):
    # two gradient steps: later ones amplify rounding
    few = dict(updates=1, n_epochs=1, batch_size=48)
    speed = Speed(channels_last=True, shards=2)
    ours, _ = trained(PPO, *ENVS[env], speed=speed._replace(fused_adam=True), **few)
    plain, _ = trained(PPO, *ENVS[env], speed=speed, **few)
    assert ours.policy.optimizer.param_groups[0]["fused"]
    for mine, wanted in zip(ours.policy.parameters(), plain.policy.parameters(), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=0, atol=1e-6)
