"""The average of a policy's weights over its latest updates."""

from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from baselines.learner.weight_average import ETA, WeightAverage


class Point(nn.Module):
    """A policy of a few weights, which are set by hand."""

    def __init__(self, size=3):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size, dtype=torch.float64))

    def move(self, to):
        with torch.no_grad():
            self.weight.copy_(torch.as_tensor(to))


def averaged(points):
    policy, average = Point(np.shape(points)[1]), WeightAverage()
    for point in points:
        policy.move(point)
        average.add(policy)
    return average.weights["weight"].numpy()


def shares(n):
    """How much each of n updates counts, by the formula: update i as i (i+1) ... (i+ETA-1)."""
    parts = np.array([prod(range(i, i + ETA)) for i in range(1, n + 1)], np.float64)
    return parts / parts.sum()


@given(st.integers(1, 200), st.integers(0, 1000))
def test_it_is_the_weighted_mean_that_its_definition_says(n, seed):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    np.testing.assert_allclose(averaged(points), shares(n) @ points, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_updates_in_it_are_as_old_on_average_as_a_small_share_of_the_run(n):
    ages = n - 1 - np.arange(n)[:, None].astype(float)
    (mean_age,) = averaged(ages)
    assert mean_age == pytest.approx((n - 1) / (ETA + 2))


def test_weights_that_stand_still_are_their_own_average():
    point = np.random.default_rng(0).normal(size=5)
    np.testing.assert_allclose(averaged(np.tile(point, (50, 1))), point, rtol=1e-12)


def test_where_steps_are_noisy_it_is_nearer_to_the_optimum_than_the_latest_weights():
    """Gradient descent on |w|^2 / 2 with noise: the weights go on moving, the average hardly."""
    random = np.random.default_rng(1)
    latest, mean = [], []
    for _ in range(50):
        w, path = np.ones(4), []
        for _ in range(400):
            w = w - 0.3 * (w + random.normal(size=4))
            path.append(w)
        latest.append(np.sum(w**2))
        mean.append(np.sum(averaged(path) ** 2))
    assert np.mean(mean) < np.mean(latest) / 2


def test_it_keeps_its_own_copy_of_the_weights():
    policy, average = Point(), WeightAverage()
    average.add(policy)
    policy.move([1.0, 2.0, 3.0])
    assert average.weights["weight"].tolist() == [0.0, 0.0, 0.0]
    average.set(policy, 7)
    policy.move([4.0, 5.0, 6.0])
    assert average.weights["weight"].tolist() == [1.0, 2.0, 3.0]
    assert average.n_updates == 7
