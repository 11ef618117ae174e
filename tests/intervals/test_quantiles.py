"""Percentile, basic and BCa intervals and the Monte-Carlo error of their ends."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from betterthan.intervals.quantiles import (
    SampledLaw,
    corrected_tails,
    expanded_tail,
    percentile_ends,
    quantile_error,
    upper_quantile,
)

finite = st.floats(-1e6, 1e6)
tails = st.sampled_from([0.25, 0.05, 0.025, 0.005])


@given(st.lists(finite, min_size=1, max_size=60), tails)
@settings(max_examples=100, deadline=None)
def test_percentile_ends_are_order_statistics_and_change_sign_with_the_data(
    values: list[float], tail: float
) -> None:
    law, mirror = (SampledLaw(np.sort(sign * np.array(values)), 0.0) for sign in (1, -1))
    low, high = law.between(tail, tail)
    k = max(1, math.floor(Fraction(len(values) + 1) * Fraction(str(tail))))
    ordered = sorted(values)
    assert (low, high) == (ordered[k - 1], ordered[-k])
    assert mirror.between(tail, tail) == (-high, -low)
    columns = np.array([values, [-v for v in values]]).T
    lows, highs = percentile_ends(columns, tail)
    assert (lows.tolist(), highs.tolist()) == ([low, -high], [high, -low])
    # One-sided: the upper end of the two-sided interval with the same tail.
    assert upper_quantile(columns[:, 0], tail) == high


def test_bca_agrees_with_scipy_on_its_own_replicates() -> None:
    """The same definitions: nothing is left but scipy's interpolation of order statistics."""
    x = np.random.default_rng(1).exponential(size=60)
    peer = stats.bootstrap((x,), np.mean, n_resamples=40_000, rng=3, method="BCa")
    law = SampledLaw(np.sort(peer.bootstrap_distribution), float(x.mean()))
    left_out = (x.sum() - x) / (x.size - 1)
    tails = corrected_tails(law.share_below()[0], left_out, np.ones(x.size), 0.025)
    assert not isinstance(tails, str)
    assert law.between(*tails) == pytest.approx(peer.confidence_interval, abs=3e-4)


def test_bca_without_bias_or_skewness_is_the_percentile_interval() -> None:
    for left_out in ([1.0, 2.0, 3.0], [2.0, 2.0]):
        values = np.array(left_out)
        tails = corrected_tails(0.5, values, np.ones(values.size), 0.05)
        assert tails == pytest.approx((0.05, 0.05))


@pytest.mark.parametrize(
    ("left_out", "below", "why"),
    [
        ([0.0, 1.0], 1.0, "outside its replicates"),
        ([0.0, 1.0], 0.0, "outside its replicates"),
        ([0.0, math.nan], 0.5, "undefined"),
        ([-1.0] + [0.0] * 999, 0.999995, "too large"),
    ],
)
def test_bca_where_it_does_not_exist(left_out: list[float], below: float, why: str) -> None:
    tails = corrected_tails(below, np.array(left_out), np.ones(len(left_out)), 0.025)
    assert isinstance(tails, str)
    assert why in tails


def test_few_replicates_are_too_few_to_know_an_end() -> None:
    assert SampledLaw(np.full(10, 2.5), 2.5).error(0.025, 0.025) == math.inf
    assert SampledLaw(np.full(1000, 2.5), 2.5).error(0.025, 0.025) == 0.0


@given(st.integers(400, 900), st.sampled_from([0.025, 0.5, 0.9]))
@settings(max_examples=40)
def test_the_error_of_a_quantile_is_half_its_99_percent_interval(b: int, q: float) -> None:
    """At most half the error at either end, and one rank further in would be too much."""
    law = stats.binom(b, q)
    low = max(k for k in range(b) if law.cdf(k - 1) <= 0.005)  # fewer than k lie below
    high = min(k for k in range(1, b + 2) if law.sf(k - 1) <= 0.005)
    expected = (high - low) / 2 if low >= 1 and high <= b else math.inf
    assert quantile_error(np.arange(1.0, b + 1), q, 1.0 - q) == expected


@pytest.mark.parametrize(("units", "strata"), [(8, 1), (20, 1), (12, 3)])
def test_the_expanded_level_makes_a_normal_interval_as_wide_as_students(
    units: int, strata: int
) -> None:
    """Resamples within strata of one size have (units - strata) / units of the variance."""
    tail = expanded_tail(0.05, units, strata)
    resampled = math.sqrt((units - strata) / units) * stats.norm.isf(tail)
    assert resampled == pytest.approx(stats.t.ppf(0.95, units - strata))


def test_nothing_is_expanded_without_degrees_of_freedom() -> None:
    assert expanded_tail(0.05, 3, 3) == 0.05
