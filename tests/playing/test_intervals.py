"""Confidence intervals, by their defining equations and by published tables."""

import math

import numpy as np
import pytest
from scipy import stats

from baselines.playing.intervals import (
    Estimate,
    difference_of_means,
    difference_of_shares,
    mean,
    median_of,
    wilson,
)

Z = 1.959964


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (5, 10), (10, 10), (1, 1000)])
def test_wilsons_interval_solves_its_equation(successes, trials):
    share, *bounds = wilson(successes, trials)
    assert share == successes / trials
    for bound in bounds:
        # |share - p| = z sqrt(p (1 - p) / n) at both ends
        assert (share - bound) ** 2 == pytest.approx(
            Z**2 * bound * (1 - bound) / trials, rel=1e-6, abs=1e-12
        )


def test_a_mean_has_students_interval_and_a_single_value_none():
    value, low, high = mean([1.0, 2.0, 4.0, 5.0])
    half = 3.182446 * math.sqrt((4 + 1 + 1 + 4) / 3 / 4)
    assert (value, low, high) == pytest.approx((3.0, 3 - half, 3 + half), abs=1e-5)
    assert mean([7.0]) == (7.0, -math.inf, math.inf)


def test_the_difference_of_means_is_welchs_worked_example():
    # equal sizes and variances: as Student's with n1 + n2 - 2 degrees
    first, second = [1.0, 2.0, 4.0, 5.0], [11.0, 12.0, 14.0, 15.0]
    value, low, high = difference_of_means(first, second)
    half = 2.446912 * math.sqrt(2 * (10 / 3) / 4)
    assert (value, low, high) == pytest.approx((-10.0, -10 - half, -10 + half), abs=1e-5)
    assert difference_of_means([3.0, 3.0], [1.0, 1.0]) == (2.0, 2.0, 2.0)
    assert difference_of_means([3.0], [1.0, 2.0]).high == math.inf


@pytest.mark.filterwarnings("error")
def test_a_player_that_always_scores_the_same_adds_no_error_and_no_warning():
    # one sample's interval: t with 3 degrees, variance 10/3
    value, low, high = difference_of_means([1.0, 2.0, 4.0, 5.0], [2.0] * 7)
    half = 3.182446 * math.sqrt(10 / 3 / 4)
    assert (value, low, high) == pytest.approx((1.0, 1 - half, 1 + half), abs=1e-5)


@pytest.mark.filterwarnings("error")
def test_sums_that_differ_by_rounding_are_the_same():
    rounded = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2]  # 0.30000000000000004 twice
    assert difference_of_means(rounded, [0.3] * 5) == (0.0, 0.0, 0.0)
    assert difference_of_means(rounded, [1e-12] * 5) == pytest.approx((0.3, 0.3, 0.3))
    _, low, high = difference_of_means([1e-12, 2e-12, 4e-12, 5e-12], [0.0] * 2)
    assert low < 3e-12 < high


def test_welchs_interval_of_unequal_samples_is_scipys():
    first, second = [1.0, 2.5, 9.0], [4.0, 4.5, 4.25, 5.0, 3.0]
    theirs = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    _, *ours = difference_of_means(first, second)
    assert ours == pytest.approx([theirs.low, theirs.high], rel=1e-9)


def test_the_difference_of_shares_is_newcombes_published_one():
    # Newcombe 1998, Table II, method 10: 56/70 - 48/80
    value, low, high = difference_of_shares(wilson(56, 70), wilson(48, 80))
    assert value == pytest.approx(0.2)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_a_medians_interval_is_the_order_statistics_of_the_tables():
    # n = 10: the 2nd and 9th value, with 97.9 % certainty; n = 20: the 6th and 15th, 95.9 %
    assert median_of(range(1, 11)) == Estimate(5.5, 2, 9)
    assert median_of(range(1, 21)) == Estimate(10.5, 6, 15)
    assert median_of([3, 1, 2]) == Estimate(2, 0, math.inf)


def test_what_never_happened_counts_as_later_than_everything():
    values = [10.0] * 6 + [math.inf] * 4
    assert median_of(values) == Estimate(10.0, 10.0, math.inf)
    assert median_of([10.0] * 4 + [math.inf] * 6).value == math.inf


def test_the_intervals_hold_what_they_promise():
    dice = np.random.default_rng(0)
    trials = 1000
    means = [mean(dice.exponential(1.0, 40).tolist()) for _ in range(trials)]
    medians = [median_of(dice.exponential(1.0, 40).tolist()) for _ in range(trials)]
    shares = [wilson(int(dice.binomial(40, 0.3)), 40) for _ in range(trials)]
    for estimates, truth, least in (
        (means, 1, 0.9),
        (medians, math.log(2), 0.94),
        (shares, 0.3, 0.93),
    ):
        held = sum(low <= truth <= high for _, low, high in estimates) / trials
        assert least < held < 0.99
