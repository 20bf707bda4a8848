"""The value loss with values that may move only so far from those of playing."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from baselines.learner.ppo import PPO
from baselines.learner.rollout import Minibatch

REACH = 0.2
numbers = st.floats(-3, 3, width=32)


@pytest.fixture(scope="module", params=[False, True], ids=["clipped", "max"])
def model(request):
    settings = {"clip_range_vf": REACH, "clip_range_vf_max": request.param}
    return PPO("MlpPolicy", "CartPole-v1", device="cpu", n_steps=16, batch_size=16, **settings)


def loss_of(model, value, old, wanted):
    """The value loss of one sample, and its derivative by the value."""
    zeros = torch.zeros(1)
    batch = Minibatch(zeros, zeros, torch.tensor([old]), zeros, zeros, torch.tensor([wanted]))
    value = torch.tensor([value], requires_grad=True)
    loss = model._value_loss(value, batch)
    return loss.item(), torch.autograd.grad(loss, value)[0].item()


@given(numbers, numbers, numbers)
def test_the_loss_is_the_papers_codes_or_sb3s(model, value, old, wanted):
    clipped = old + np.clip(value - old, -REACH, REACH)
    errors = [(wanted - clipped) ** 2, (wanted - value) ** 2]
    expected = max(errors) if model.clip_range_vf_max else errors[0]
    assert loss_of(model, value, old, wanted)[0] == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_only_the_larger_error_pulls_back_a_value_that_went_the_wrong_way(model):
    loss, slope = loss_of(model, -0.5, 0.0, 1.0)  # the return is above, the value went below
    if model.clip_range_vf_max:
        assert (loss, slope) == pytest.approx((1.5**2, 2 * -1.5))
    else:
        assert (loss, slope) == pytest.approx((1.2**2, 0.0))


def test_a_value_that_went_far_enough_the_right_way_is_left_there(model):
    loss, slope = loss_of(model, 0.5, 0.0, 1.0)
    assert (loss, slope) == pytest.approx((0.8**2, 0.0))
