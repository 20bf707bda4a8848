"""Packed weights change how fast a policy computes, not what."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from baselines.learner.policy.cnn.networks import CNNS, policy_kwargs
from baselines.learner.policy.packed import packed
from baselines.learner.policy.policies import ActorCritic
from baselines.learner.policy.recurrent import RecurrentActorCritic
from baselines.training.resources import processor_has_bf16

BATCH = 8
SEEN = spaces.Dict(
    {
        "screen": spaces.Box(0, 255, (2, 80, 120), np.uint8),
        "state": spaces.Box(-1, 1, (9,), np.float32),
    }
)


def policy_of(network, kind=ActorCritic, **options):
    torch.manual_seed(3)
    kwargs = policy_kwargs(network, SEEN) | options
    policy = kind(SEEN, spaces.Discrete(15), lambda _: 1e-3, **kwargs)
    return policy.to(memory_format=torch.channels_last)


def observations(batch=BATCH):
    found = [SEEN.sample() for _ in range(batch)]
    return {key: torch.tensor(np.stack([one[key] for one in found])) for key in SEEN}


def answers(policy, seen):
    """Actions, values, log probabilities, and the values alone; always with the same dice."""
    torch.manual_seed(5)
    with torch.no_grad():
        return (*policy(seen), policy.predict_values(seen))


def assert_close(found, expected):
    for ours, plain in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(not processor_has_bf16(), reason="no AVX512-BF16 and no AMX")
@pytest.mark.parametrize("network", CNNS)
def test_packed_weights_in_bfloat16_are_as_exact_as_plain_ones(network):
    policy, seen = policy_of(network), observations()
    features = policy.extract_features(seen)
    policy.bf16 = True
    rounded = policy.extract_features(seen)
    with torch.no_grad(), packed(policy, BATCH):
        ours = policy.extract_features(seen)
        again = policy.extract_features(seen)
    assert ours.dtype == torch.float32
    assert torch.equal(ours, again)
    off = (rounded - features).norm()
    assert 0 < (ours - features).norm() < 1.5 * off
    assert (ours - rounded).norm() < 1.5 * off


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("network", CNNS)
def test_packed_weights_give_the_same_answers_up_to_rounding(network, separate):
    policy, seen = policy_of(network, separate_networks=separate), observations()
    expected = answers(policy, seen)
    with packed(policy, BATCH):
        assert_close(answers(policy, seen), expected)
        assert_close(answers(policy, seen), expected)  # those packed before


def test_a_policy_with_memory_computes_the_same_up_to_rounding():
    policy, seen = policy_of("small", RecurrentActorCritic), observations()
    state = (torch.ones(1, BATCH, policy.lstm_actor.hidden_size),) * 2
    arguments = (seen, state, torch.zeros(BATCH))
    with torch.no_grad():
        expected = policy.predict_values(*arguments)
        with packed(policy, BATCH):
            assert_close([policy.predict_values(*arguments)], [expected])


@pytest.mark.parametrize("network", CNNS)
def test_changed_weights_are_packed_again(network):
    policy, seen = policy_of(network), observations()
    with packed(policy, BATCH):
        before = answers(policy, seen)
        policy.evaluate_actions(seen, before[0])[0].sum().backward()
        policy.optimizer.step()
        after = answers(policy, seen)
        policy.load_state_dict(policy_of(network).state_dict())
        assert_close(answers(policy, seen), before)
    assert not torch.allclose(before[1], after[1])


@pytest.mark.parametrize("network", CNNS)
def test_other_batches_and_gradients_are_the_same_to_the_bit(network):
    policy, seen = policy_of(network), observations()
    plain = [*answers(policy, few := observations(3)), *gradients(policy, seen)]
    with packed(policy, BATCH):
        ours = [*answers(policy, few), *gradients(policy, seen)]
    assert all(torch.equal(a, b) for a, b in zip(ours, plain, strict=True))


def gradients(policy, seen):
    policy.zero_grad()
    sum(part.sum() for part in policy.evaluate_actions(seen, torch.arange(BATCH))).backward()
    return [parameter.grad.clone() for parameter in policy.parameters()]


def test_nothing_is_left_behind():
    policy, seen = policy_of("impala"), observations()
    expected = answers(policy, seen)
    with pytest.raises(ZeroDivisionError), packed(policy, BATCH):
        answers(policy, seen)
        raise ZeroDivisionError
    assert not any("forward" in vars(module) for module in policy.modules())
    assert all(torch.equal(*pair) for pair in zip(answers(policy, seen), expected, strict=True))
