"""Walsh averages against the sorted list of all, and Hollander & Wolfe's example."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact.walsh import walsh_interval
from oracles import signed_sum_law


def listed(d: list[int], tail: Fraction) -> tuple[float, float]:
    """Order statistics of the sorted Walsh averages at the exact critical rank."""
    n = len(d)
    averages = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
    law = signed_sum_law(list(range(1, n + 1)))
    below = [sum(q for s, q in law.items() if s <= 2 * k - len(averages)) for k in range(n * n)]
    k = sum(p <= tail for p in below)
    return (averages[k - 1], averages[-k]) if k else (-math.inf, math.inf)


@settings(max_examples=100)
@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=10), st.sampled_from([0.2, 0.1, 0.05, 1e-3])
)
def test_ends_are_averages_of_two_items(d: list[int], alpha: float) -> None:
    interval = walsh_interval(d, alpha=alpha)
    assert (interval.low, interval.high) == listed(d, Fraction(str(alpha)) / 2)
    averages = [(x + y) / 2 for i, x in enumerate(d) for y in d[i:]]
    assert interval.estimate == np.median(averages)


def test_depression_scores() -> None:
    """Hollander & Wolfe (1999), examples 3.3, 3.4: estimate -.46, 96 % limits -.786 and -.010."""
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    interval = walsh_interval(np.array(second) - first, alpha=0.04)
    assert interval.estimate == pytest.approx(-0.46)
    assert (interval.low, interval.high) == pytest.approx((-0.786, -0.010))


def test_many_items_are_counted() -> None:
    d = np.random.default_rng(2).normal(size=600)
    i, j = np.triu_indices(d.size)
    averages = np.sort(d[i] + d[j]) / 2
    interval = walsh_interval(d)
    for end in (interval.low, interval.high):
        assert np.abs(averages - end).min() < 1e-15
    assert interval.estimate == pytest.approx(np.median(averages), abs=1e-15)
    assert walsh_interval(d, alternative="greater", alpha=0.025).low == interval.low
    assert walsh_interval(d, alternative="greater").high == math.inf
    ratings, counts = (
        np.arange(-4.0, 5.0),
        np.arange(1, 10) * 10**5,
    )  # four and a half million items
    many = walsh_interval(ratings, counts=counts)
    assert many.low == many.high == many.estimate
