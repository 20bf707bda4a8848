"""Small envs that each need one thing to work: what fails here says which part is broken."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from baselines.learner.ppo import PPO

GAMMA = 0.5


class Probe(gymnasium.Env):
    """What all have in common: one number seen, two actions, a fixed number of steps."""

    length = 1
    observation_space = spaces.Box(-1, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.step_number = 0
        self.seen = self.see()
        return np.array([self.seen], np.float32), {}

    def step(self, action):
        reward = self.reward(action)
        self.step_number += 1
        self.seen = self.see()
        ended = self.step_number == self.length
        return np.array([self.seen], np.float32), reward, ended, False, {}

    def see(self):
        return 0.0

    def reward(self, action):
        return 1.0


class ConstantReward(Probe):
    """One step, always 1: the value network must learn a constant."""


class ObservationDependent(Probe):
    """One step that pays what is seen: the value must follow the observation."""

    def see(self):
        return float(self.np_random.choice([-1, 1]))

    def reward(self, action):
        return self.seen


class DelayedReward(Probe):
    """Two steps, paid at the end: the value must be discounted backwards."""

    length = 2

    def see(self):
        return float(self.step_number)

    def reward(self, action):
        return float(self.step_number == 1)


class ActionDependent(Probe):
    """One step that pays for action 1: the policy must learn."""

    def reward(self, action):
        return float(action)


class Both(ObservationDependent):
    """One step that pays if the action matches what is seen: both must learn together."""

    def reward(self, action):
        return float((action == 1) == (self.seen > 0))


VALUES = {  # env -> value of each observation, for the best policy
    ConstantReward: {0.0: 1.0},
    ObservationDependent: {-1.0: -1.0, 1.0: 1.0},
    DelayedReward: {0.0: GAMMA, 1.0: 1.0},
    ActionDependent: {0.0: 1.0},
    Both: {-1.0: 1.0, 1.0: 1.0},
}
BEST = {ActionDependent: {0.0: 1}, Both: {-1.0: 0, 1.0: 1}}


class Layer(BaseFeaturesExtractor):
    """Features that are computed, as a CNN's are."""

    def __init__(self, space):
        super().__init__(space, 32)
        self.layer = nn.Sequential(nn.Linear(1, 32), nn.Tanh())

    def forward(self, seen):
        features = self.layer(seen)
        self.dtype = features.dtype
        return features


OPTIONS = {
    "plain": {},
    "everything": {
        "advantage_scope": "batch",
        "recompute_advantage": True,
        "clip_range_vf": 1.0,
        "target_kl": 0.05,
        "policy_kwargs": {"normalize_observations": True, "normalize_returns": True},
    },
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("env", VALUES, ids=lambda env: env.__name__)
def test_a_probe_env_is_solved(env, options):
    model = PPO(
        "MlpPolicy", DummyVecEnv([env] * 4), n_steps=32, batch_size=64, n_epochs=8, gamma=GAMMA,
        learning_rate=3e-3, seed=0, device="cpu", **OPTIONS[options],
    )  # fmt: skip
    model.learn(4_000)
    for seen, value in VALUES[env].items():
        observation = torch.tensor([[seen]])
        with torch.no_grad():
            assert model.policy.predict_values(observation).item() == pytest.approx(value, abs=0.1)
            probabilities = model.policy.get_distribution(observation).distribution.probs[0]
        if env in BEST:
            assert probabilities[BEST[env][seen]] > 0.9


def test_only_features_are_computed_in_bfloat16():
    layer = {"features_extractor_class": Layer}
    games = DummyVecEnv([Both] * 4)
    model = PPO("MlpPolicy", games, n_steps=8, batch_size=32, bf16=True, policy_kwargs=layer)
    model.learn(64)
    assert model.policy.features_extractor.dtype == torch.bfloat16
    assert {parameter.dtype for parameter in model.policy.parameters()} == {torch.float32}
    seen = torch.tensor([[-1.0], [1.0]])
    values, log_prob, entropy = model.policy.evaluate_actions(seen, torch.tensor([0, 1]))
    assert values.dtype == log_prob.dtype == entropy.dtype == torch.float32
    model.policy.bf16 = False
    exact = model.policy.evaluate_actions(seen, torch.tensor([0, 1]))
    assert not torch.equal(values, exact[0])
    torch.testing.assert_close(values, exact[0], atol=0.02, rtol=0.02)
