"""The networks that see the screen."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticCnnPolicy, MultiInputActorCriticPolicy

from baselines.checkpoints.network import count_numbers
from baselines.learner.masks_in_observation import MASKS
from baselines.learner.policy.cnn.networks import CNNS, count_parameters, policy_kwargs, policy_name
from baselines.learner.recurrent_ppo import learner_class
from baselines.settings.policy_config import PolicyConfig

SCREEN = spaces.Box(0, 255, (3, 80, 120), np.uint8)
BOTH = spaces.Dict({"screen": SCREEN, "state": spaces.Box(-1.0, 1.0, (40,), np.float32)})


def make_policy(name, space=SCREEN):
    torch.manual_seed(0)
    kind = {"CnnPolicy": ActorCriticCnnPolicy, "MultiInputPolicy": MultiInputActorCriticPolicy}
    kwargs = policy_kwargs(name, space)
    return kind[policy_name(space)](space, spaces.Discrete(15), lambda _: 3e-4, **kwargs)


def test_the_small_network_has_the_parameters_one_counts_by_hand():
    convolutions = 16 * (3 * 64 + 1) + 32 * (16 * 16 + 1) + 32 * (32 * 9 + 1)
    # 80 x 120 -> 19 x 29 -> 8 x 13 -> 6 x 11
    linear = 256 * (32 * 6 * 11 + 1)
    heads = 15 * 257 + 257
    assert count_parameters(make_policy("small")) == convolutions + linear + heads


def test_the_tile_network_has_the_parameters_one_counts_by_hand():
    # 80 x 120 and half a tile above and below -> 11 x 15 tiles -> every other one: 6 x 8
    convolutions = 32 * (3 * 64 + 1) + 32 * (32 * 9 + 1)
    linear = 256 * (32 * 6 * 8 + 1)
    heads = 15 * 257 + 257
    assert count_parameters(make_policy("tile")) == convolutions + linear + heads


def test_the_tile_network_looks_at_each_of_the_games_tiles_alone():
    first = make_policy("tile").features_extractor.cnn[0]
    pictures = torch.zeros(1, 3, 80, 120)
    plain = first(pictures)
    pictures[..., 36:44, 56:64] = 255  # where the player stands
    rows, columns = torch.nonzero((first(pictures) != plain).any(1)[0], as_tuple=True)
    assert set(rows.tolist()) == {5} and set(columns.tolist()) == {7}


def test_the_small_network_has_a_quarter_of_natures_parameters():
    ratio = count_parameters(make_policy("nature")) / count_parameters(make_policy("small"))
    assert ratio > 3.5


@pytest.mark.parametrize("name", CNNS)
def test_pixels_are_seen_from_zero_to_one(name):
    torch.manual_seed(0)
    bytes_ = torch.randint(0, 256, (5, *SCREEN.shape), dtype=torch.uint8)
    policy = make_policy(name)
    first = policy.features_extractor.cnn[0]
    expected = torch.nn.functional.conv2d(
        bytes_ / 255, first.weight, first.bias, first.stride, first.padding
    )
    seen = []
    first.register_forward_hook(lambda _, __, output: seen.append(output.detach().clone()))
    policy.predict_values(bytes_)
    torch.testing.assert_close(seen[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CNNS)
def test_channels_last_changes_the_order_in_memory_and_not_the_result(name):
    policy = make_policy(name)
    pictures = torch.randint(0, 256, (5, *SCREEN.shape), dtype=torch.uint8)
    actions = torch.arange(5)
    before = policy.evaluate_actions(pictures, actions)
    weights = {key: value.clone() for key, value in policy.state_dict().items()}
    policy.to(memory_format=torch.channels_last)
    first = next(p for p in policy.features_extractor.parameters() if p.ndim == 4)
    assert first.is_contiguous(memory_format=torch.channels_last)
    assert all(torch.equal(value, weights[key]) for key, value in policy.state_dict().items())
    for one, other in zip(before, policy.evaluate_actions(pictures, actions), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_with_a_state_vector_picture_and_state_both_change_the_value():
    policy = make_policy("small", BOTH)
    observation = {"screen": torch.zeros(1, 3, 80, 120), "state": torch.zeros(1, 40)}
    value = policy.predict_values(observation)
    for key in observation:
        changed = observation | {key: torch.ones_like(observation[key]) * 100}
        assert not torch.equal(policy.predict_values(changed), value)


def test_heads_start_small_so_that_every_action_is_about_as_likely():
    probabilities = (
        make_policy("small")
        .get_distribution(torch.randint(0, 256, (1, 3, 80, 120), dtype=torch.uint8))
        .distribution.probs
    )
    assert probabilities.max() < 1.2 / 15


def test_an_unknown_network_is_answered_with_those_there_are():
    with pytest.raises(ValueError, match="tile, small, nature"):
        policy_kwargs("huge", SCREEN)


SPACES = {
    "screen": SCREEN,
    "both": BOTH,
    "masked": spaces.Dict({"screen": SCREEN, MASKS: spaces.Box(0, 1, (45,), np.uint8)}),
    "all": spaces.Dict(dict(BOTH.spaces) | {MASKS: spaces.Box(0, 1, (45,), np.uint8)}),
    "odd picture": spaces.Box(0, 255, (1, 43, 97), np.uint8),
}
OPTIONS = {
    "none": PolicyConfig(embed_places=False),
    "sizes": PolicyConfig(
        embed_places=False, features_dim=24, hidden_layers=(32, 16), impala_channels=(4, 8)
    ),
    "memory": PolicyConfig(embed_places=False, recurrent=True, lstm_size=20, hidden_layers=(8,)),
    "normalised": PolicyConfig(
        embed_places=False, normalize_observations=True, normalize_returns=True
    ),
    "separate": PolicyConfig(
        embed_places=False,
        separate_networks=True,
        normalize_observations=True,
        normalize_binary=True,
    ),
    "separate memories": PolicyConfig(
        embed_places=False, separate_networks=True, recurrent=True, lstm_size=20
    ),
}


@pytest.mark.parametrize("name", CNNS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("options", OPTIONS)
def test_what_a_network_holds_is_reckoned_without_building_it(name, space, options):
    seen, policy = SPACES[space], OPTIONS[options]
    kind = learner_class(policy.recurrent).policy_aliases[policy_name(seen)]
    kwargs = policy_kwargs(name, seen, policy) | {"ortho_init": False}
    built = kind(seen, spaces.Discrete(15), lambda _: 3e-4, **kwargs)
    held = sum(part.numel() for part in (*built.parameters(), *built.buffers()))
    assert count_numbers(name, seen, spaces.Discrete(15), policy) == held


def test_a_network_without_weights_before_its_hidden_layers_is_reckoned():
    seen = spaces.Dict({"state": BOTH["state"]})
    policy = PolicyConfig(embed_places=False, hidden_layers=(8,))
    stacks, heads = 2 * 8 * (40 + 1), (15 + 1) * (8 + 1)
    assert count_numbers("tile", seen, spaces.Discrete(15), policy) == stacks + heads


def test_a_network_is_not_reckoned_where_it_could_not_be_built():
    small = spaces.Box(0, 255, (3, 20, 20), np.uint8)
    actions = spaces.Discrete(15)
    with pytest.raises(ValueError, match="'nature' cannot see"):
        count_numbers("nature", small, actions, PolicyConfig(embed_places=False))
    with pytest.raises(ValueError, match="needs pictures.*: give --network FILE.py:NAME, an"):
        count_numbers("impala", BOTH["state"], actions, PolicyConfig(embed_places=False))
