"""The probe worlds with every option of the learner; `emerald probe` has them with none."""

import numpy as np
import pytest
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from baselines.commands.check.probe import GAMMA, PROBES, ProbeEnv
from baselines.learner.ppo import PPO

OPTIONS = {
    "advantage_scope": "batch",
    "recompute_advantage": True,
    "clip_range_vf": 1.0,
    "target_kl": 0.05,
    "policy_kwargs": {"normalize_observations": True, "normalize_returns": True},
}


class Layer(BaseFeaturesExtractor):
    """Features that are computed, as a CNN's are."""

    def __init__(self, space):
        super().__init__(space, 32)
        self.layer = nn.Sequential(nn.Linear(1, 32), nn.Tanh())

    def forward(self, seen):
        features = self.layer(seen)
        self.dtype = features.dtype
        return features


def games(probe):
    return DummyVecEnv([lambda: ProbeEnv(probe)] * 4)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.tests)
def test_a_probe_env_is_solved(probe):
    model = PPO(
        "MlpPolicy", games(probe), n_steps=32, batch_size=64, n_epochs=8, gamma=GAMMA,
        learning_rate=3e-3, seed=0, device="cpu", **OPTIONS,
    )  # fmt: skip
    model.learn(4_000)
    for seen, value in probe.values.items():
        observation = torch.tensor([[float(seen)]])
        with torch.no_grad():
            assert model.policy.predict_values(observation).item() == pytest.approx(value, abs=0.1)
            chances = model.policy.get_distribution(observation).distribution.probs[0].numpy()
        best = np.argmax([probe.reward(seen, action) for action in range(probe.actions)])
        assert chances[best] > 0.9


def test_only_features_are_computed_in_bfloat16():
    layer = {"features_extractor_class": Layer}
    world = games(PROBES[-1])
    model = PPO("MlpPolicy", world, n_steps=8, batch_size=32, bf16=True, policy_kwargs=layer)
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
