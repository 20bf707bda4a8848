"""Estimates with confidence intervals of 95 %."""

import math
from collections.abc import Sequence
from statistics import fmean, median, variance
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

from scipy import stats

CONFIDENCE = 0.95
ROUNDING = 1e-9  # of the size of sums: less is from the order of their terms


class Estimate(NamedTuple):
    """A number with the bounds of its interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int) -> Estimate:
    """Returns a share with its interval (Wilson 1927); `trials` is at least 1."""
    interval = stats.binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high))


def difference_of_shares(first: Estimate, second: Estimate) -> Estimate:
    """Returns first - second of two independent shares (Newcombe 1998, method 10)."""
    difference = first.value - second.value
    down = math.hypot(first.value - first.low, second.high - second.value)
    up = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(difference, difference - down, difference + up)


def mean(values: Sequence[float]) -> Estimate:
    """Returns a mean with Student's interval, which is infinite for a single value."""
    centre = fmean(values)
    if len(values) < 2:
        return Estimate(centre, -math.inf, math.inf)
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))
    half = quantile * math.sqrt(variance(values) / len(values))
    return Estimate(centre, centre - half, centre + half)


def difference_of_means(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Returns the mean of `first` minus that of `second`, with Welch's interval (1947).

    Values that differ by `ROUNDING` of their size count as the same.
    """
    difference = fmean(first) - fmean(second)
    if min(len(first), len(second)) < 2:
        return Estimate(difference, -math.inf, math.inf)
    least = ROUNDING * max(map(abs, [*first, *second]))
    if math.sqrt(max(variance(first), variance(second))) <= least < math.inf:
        difference = difference if abs(difference) > least else 0.0
        return Estimate(difference, difference, difference)
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # of one whose values are all the same
        welch = stats.ttest_ind(first, second, equal_var=False).confidence_interval(CONFIDENCE)
    return Estimate(difference, float(welch.low), float(welch.high))


def median_of(values: Sequence[float]) -> Estimate:
    """Returns a median with the interval of its order statistics, which holds for any distribution.

    Values may be infinite, for what had not happened by the end. With fewer than six values the
    interval is 0 to infinity.
    """
    ordered, n = sorted(values), len(values)
    # in 97.5 % of all samples at least this many of n values are below the median
    rank = int(stats.binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    if rank == 0:
        return Estimate(median(ordered), 0.0, math.inf)
    return Estimate(median(ordered), ordered[rank - 1], ordered[n - rank])
