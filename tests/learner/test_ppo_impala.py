"""The residual CNN: sizes that can be worked out by hand, and learning from pictures."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.policy.cnn import networks
from baselines.learner.policy.cnn.impala import ImpalaCNN, Residual
from baselines.learner.policy.cnn.networks import ScreenAndState, count_parameters
from baselines.learner.policy.policies import ActorCritic
from baselines.learner.ppo import PPO, Speed


def pictures(channels, height, width):
    return spaces.Box(0, 255, (channels, height, width), np.uint8)


def convolution(before, after):
    return 9 * before * after + after


@pytest.mark.parametrize(
    ("size", "channels", "features_dim", "small"),
    [
        ((3, 80, 120), (16, 32, 32), 256, (10, 15)),
        ((4, 84, 84), (16, 32, 32), 512, (11, 11)),
        ((1, 36, 40), (8, 8), 64, (9, 10)),
    ],
)
def test_it_has_as_many_parameters_as_one_counts_by_hand(size, channels, features_dim, small):
    network = ImpalaCNN(pictures(*size), features_dim, channels)
    stages = zip((size[0], *channels), channels, strict=False)
    wanted = sum(convolution(a, b) + 4 * convolution(b, b) for a, b in stages)
    wanted += (small[0] * small[1] * channels[-1] + 1) * features_dim
    assert count_parameters(network) == wanted
    assert network(torch.rand(2, *size)).shape == (2, features_dim)


def test_a_residual_of_zeros_changes_nothing():
    residual = Residual(4)
    for parameter in residual.parameters():
        torch.nn.init.zeros_(parameter)
    picture = torch.randn(2, 4, 6, 6)
    assert torch.equal(residual(picture), picture)


def test_channels_last_gives_the_same_up_to_rounding():
    network = ImpalaCNN(pictures(3, 40, 60))
    batch = torch.rand(4, 3, 40, 60)
    wanted = network(batch)
    network.to(memory_format=torch.channels_last)
    fast = network(batch.to(memory_format=torch.channels_last))
    torch.testing.assert_close(fast, wanted, rtol=1e-4, atol=1e-5)


def test_a_state_vector_is_joined_to_it():
    space = spaces.Dict({"screen": pictures(1, 40, 60), "state": spaces.Box(-1, 1, (5,))})
    both = ScreenAndState(space, "impala", 64, channels=(4, 8))
    state = torch.randn(2, 5)
    features = both({"screen": torch.rand(2, 1, 40, 60), "state": state})
    assert features.shape == (2, 69) and torch.equal(features[:, 64:], state)


def test_features_begin_as_small_as_those_of_the_other_networks():
    space = pictures(3, 80, 120)
    seen = torch.as_tensor(np.random.default_rng(0).integers(0, 256, (4, 3, 80, 120), np.uint8))
    scale = {}
    for name in ("nature", "impala"):
        torch.manual_seed(0)
        policy = ActorCritic(
            space, spaces.Discrete(3), lambda _: 0.0, **networks.policy_kwargs(name, space)
        )
        scale[name] = policy.extract_features(seen, policy.features_extractor).std().item()
    assert scale["impala"] < 8 * scale["nature"]


class Halves(gymnasium.Env):
    """One half of the picture is bright; the action that names it pays."""

    observation_space = spaces.Box(0, 255, (36, 36, 1), np.uint8)
    action_space = spaces.Discrete(2)

    def _observe(self):
        self.answer = int(self.np_random.integers(2))
        picture = self.np_random.integers(0, 128, (36, 36, 1), np.uint8)
        picture[:, 18 * self.answer :][:, :18] += 100
        return picture

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._observe(), {}

    def step(self, action):
        reward = float(action == self.answer)
        return self._observe(), reward, True, False, {}


def test_it_learns_from_pictures():
    kwargs = {
        "features_extractor_class": ImpalaCNN,
        "features_extractor_kwargs": {"features_dim": 32, "channels": (4, 8)},
        "net_arch": [],
    }
    model = PPO(
        "CnnPolicy", DummyVecEnv([Halves] * 8), n_steps=16, batch_size=64, n_epochs=4, gamma=0.0,
        learning_rate=2e-3, seed=0, policy_kwargs=kwargs, device="cpu",
        speed=Speed(channels_last=True),
    )  # fmt: skip
    model.learn(1500)
    assert model.rollout_buffer.rewards.mean() > 0.95
