"""What docs/PPO.md says of the code is true of it."""

import pkgutil
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces

from baselines.learner.policy.cnn.impala import ImpalaCNN
from baselines.learner.policy.cnn.networks import count_parameters
from baselines.learner.policy.cnn.small_cnn import SmallCNN
from baselines.learner.policy.cnn.tile_cnn import TileCNN
from baselines.learner.policy.policies import ActorCritic
from baselines.learner.policy.recurrent import RecurrentActorCritic
from baselines.learner.ppo import PPO
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import PPOConfig

PAGE = (Path(__file__).resolve().parents[2] / "docs/PPO.md").read_text()
NAMES = sorted(set(re.findall(r"`(baselines\.learner\.[A-Za-z_.]+)`", PAGE)))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_exists(name):
    assert pkgutil.resolve_name(name).__doc__


def test_the_page_names_the_code_of_every_option():
    assert len(NAMES) > 15


def test_every_option_is_in_a_row_of_a_table():
    settings = (*fields(PPOConfig), *fields(PolicyConfig))
    arguments = ["ortho_init", "channels_last", "fused_adam", "pack_weights", "shards"]
    arguments += ["novelty_coef", "action_masks"]
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    for option in (*(setting.name for setting in settings), *arguments):
        assert f"`{option}`" in rows, option


@pytest.mark.parametrize(
    ("label", "policy", "kwargs"),
    [
        (
            "`baselines.learner.policy.cnn.tile_cnn.TileCNN`",
            ActorCritic,
            {"features_extractor_class": TileCNN},
        ),
        (
            "`baselines.learner.policy.cnn.small_cnn.SmallCNN`",
            ActorCritic,
            {"features_extractor_class": SmallCNN},
        ),
        ("NatureCNN", ActorCritic, {}),
        (
            "`baselines.learner.policy.cnn.impala.ImpalaCNN`",
            ActorCritic,
            {"features_extractor_class": ImpalaCNN},
        ),
        (
            "the same with `channels=(8, 16, 16)`",
            ActorCritic,
            {
                "features_extractor_class": ImpalaCNN,
                "features_extractor_kwargs": {"channels": (8, 16, 16)},
            },
        ),
        (
            "SmallCNN and two LSTMs of 256",
            RecurrentActorCritic,
            {"features_extractor_class": SmallCNN},
        ),
    ],
)
def test_the_sizes_are_right(label, policy, kwargs):
    pictures = spaces.Box(0, 255, (3, 80, 120), np.uint8)
    built = policy(pictures, spaces.Discrete(15), lambda _: 1e-3, net_arch=[], **kwargs)
    assert f"| {label} | {count_parameters(built):,} |" in PAGE


def test_the_gains_of_the_orthogonal_initialisation():
    model = PPO("MlpPolicy", "CartPole-v1", device="cpu", seed=0)
    policy = model.policy
    for layer, gain in (
        (policy.mlp_extractor.policy_net[2], 2**0.5),
        (policy.action_net, 0.01),
        (policy.value_net, 1.0),
    ):
        weight = layer.weight.detach().numpy()
        np.testing.assert_allclose(
            weight @ weight.T, gain**2 * np.eye(len(weight)), atol=gain**2 * 1e-5
        )
        assert not layer.bias.any()
