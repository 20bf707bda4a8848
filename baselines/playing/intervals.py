"""Confidence intervals of 95 %, in closed form."""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, median, variance
from typing import NamedTuple

CONFIDENCE = 0.95
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)  # 1.96


class Estimate(NamedTuple):
    """A number with the bounds of its interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int) -> Estimate:
    """Returns a share with its interval (Wilson 1927); `trials` is at least 1."""
    share, z2 = successes / trials, QUANTILE**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    half = QUANTILE * spread / (1 + z2 / trials)
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half))


def difference_of_shares(first: Estimate, second: Estimate) -> Estimate:
    """Returns first - second of two independent shares (Newcombe 1998, method 10)."""
    difference = first.value - second.value
    down = math.hypot(first.value - first.low, second.high - second.value)
    up = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(difference, difference - down, difference + up)


def mean(values: Sequence[float]) -> Estimate:
    """Returns a mean with Student's interval; of a single value it is infinitely wide."""
    centre = fmean(values)
    if len(values) < 2:
        return Estimate(centre, -math.inf, math.inf)
    half = student(len(values) - 1) * math.sqrt(variance(values) / len(values))
    return Estimate(centre, centre - half, centre + half)


def difference_of_means(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Returns the mean of `first` less that of `second`, with Welch's interval (1947)."""
    difference = fmean(first) - fmean(second)
    if min(len(first), len(second)) < 2:
        return Estimate(difference, -math.inf, math.inf)
    errors = [variance(values) / len(values) for values in (first, second)]
    if not any(errors):
        return Estimate(difference, difference, difference)
    weights = [e**2 / (len(v) - 1) for e, v in zip(errors, (first, second), strict=True)]
    # rounded down, to the safe side: `student` knows whole numbers only
    half = student(int(sum(errors) ** 2 / sum(weights))) * math.sqrt(sum(errors))
    return Estimate(difference, difference - half, difference + half)


def median_of(values: Sequence[float]) -> Estimate:
    """Returns a median with the interval of its order statistics, which holds for any distribution.

    Values may be infinite: what had not happened when the watching ended. Fewer than six values
    give no interval: 0 to infinity.
    """
    ordered = sorted(values)
    n = len(ordered)
    rank, below = 0, 0.5**n  # the chance that less than rank + 1 of n values lie below the median
    while below <= (1 - CONFIDENCE) / 2:
        rank += 1
        below += math.comb(n, rank) * 0.5**n
    if rank == 0:
        return Estimate(median(ordered), 0.0, math.inf)
    return Estimate(median(ordered), ordered[rank - 1], ordered[n - rank])


def student(degrees: int) -> float:
    """Returns the number within which CONFIDENCE of Student's t lies, by bisection."""
    low, high = 0.0, 1000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if _within(middle, degrees) > CONFIDENCE else (middle, high)
    return high


def _within(t: float, degrees: int) -> float:
    """Returns how much of Student's t lies in -t to t (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    odd = degrees % 2
    term, total = math.cos(angle) if odd else 1.0, 0.0
    for count in range(1, degrees // 2 + 1):
        total += term
        top, bottom = (2 * count, 2 * count + 1) if odd else (2 * count - 1, 2 * count)
        term *= top / bottom * math.cos(angle) ** 2
    inside = math.sin(angle) * total
    return 2 / math.pi * (angle + inside) if odd else inside
