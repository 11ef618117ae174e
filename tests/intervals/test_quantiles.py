"""Percentile, basic and BCa intervals and the Monte-Carlo error of their ends."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from betterthan.intervals.quantiles import (
    basic_interval,
    bca_interval,
    expanded_tail,
    percentile_ends,
    percentile_interval,
    quantile_error,
    upper_quantile,
)
from betterthan.resampling.sums import jackknife_sums, replicates

finite = st.floats(-1e6, 1e6)
tails = st.sampled_from([0.25, 0.05, 0.025, 0.005])


@given(st.lists(finite, min_size=1, max_size=60), tails)
@settings(max_examples=100, deadline=None)
def test_percentile_ends_are_order_statistics_and_change_sign_with_the_data(
    values: list[float], tail: float
) -> None:
    low, high, *_ = percentile_interval(values, tail)
    k = max(1, math.floor(Fraction(len(values) + 1) * Fraction(str(tail))))
    ordered = sorted(values)
    assert (low, high) == (ordered[k - 1], ordered[-k])
    mirrored = percentile_interval([-v for v in values], tail)
    assert (mirrored.low, mirrored.high) == (-high, -low)
    columns = np.array([values, [-v for v in values]]).T
    lows, highs = percentile_ends(columns, tail)
    assert (lows.tolist(), highs.tolist()) == ([low, mirrored.low], [high, mirrored.high])
    # One-sided: the upper end of the two-sided interval with the same tail.
    assert upper_quantile(columns[:, 0], tail) == high


@given(st.lists(finite, min_size=1, max_size=30), finite)
@settings(max_examples=50, deadline=None)
def test_basic_reflects_the_percentile_interval(values: list[float], estimate: float) -> None:
    percentile, basic = percentile_interval(values), basic_interval(values, estimate)
    assert basic.low == 2 * estimate - percentile.high
    assert basic.high == 2 * estimate - percentile.low
    assert (percentile.method, basic.method) == ("percentile", "basic")


def test_bca_agrees_with_scipy() -> None:
    """The same definitions; scipy interpolates between order statistics and resamples itself."""
    x = np.random.default_rng(1).exponential(size=60)
    peer = stats.bootstrap((x,), np.mean, n_resamples=40_000, rng=3, method="BCa")
    own = replicates(x[:, None], 40_000, 4)[:, 0] / x.size
    left_out = jackknife_sums(x[:, None])[:, 0] / (x.size - 1)
    low, high, method, note, _ = bca_interval(own, left_out, float(x.mean()))
    assert (method, note) == ("bca", "")
    error = 4 * float(own.std()) / math.sqrt(40_000 * 0.025)
    assert low == pytest.approx(peer.confidence_interval.low, abs=error)
    assert high == pytest.approx(peer.confidence_interval.high, abs=error)
    # The very replicates of the peer: nothing is left but the interpolation.
    ends = bca_interval(peer.bootstrap_distribution, left_out, float(x.mean()))[:2]
    assert ends == pytest.approx(peer.confidence_interval, abs=error / 50)


def test_bca_without_bias_or_skewness_is_the_percentile_interval() -> None:
    values = np.arange(-500.0, 501.0)
    bca = bca_interval(values, [1.0, 2.0, 3.0], 0.0, 0.05)
    assert bca[:2] == percentile_interval(values, 0.05)[:2]
    assert bca_interval(values, [2.0, 2.0], 0.0, 0.05)[:2] == bca[:2]


def test_bca_where_it_does_not_exist() -> None:
    values = np.linspace(0.0, 1.0, 100_001)
    plain = percentile_interval(values)[:2]
    point = bca_interval([2.5] * 10, [2.5] * 4, 2.5)
    assert point[:2] == (2.5, 2.5)
    assert point.error == math.inf  # ten replicates are too few to know that all are
    assert bca_interval([2.5] * 1000, [2.5] * 4, 2.5).error == 0.0
    for jackknife, estimate, note in (
        ([0.0, 1.0], 2.0, "outside its replicates"),
        ([0.0, 1.0], -1.0, "outside its replicates"),
        ([0.0, math.nan], 0.5, "undefined"),
        ([-1.0] + [0.0] * 999, 0.999995, "too large"),
    ):
        interval = bca_interval(values, jackknife, estimate)
        assert note in interval.note
        assert interval[:2] == plain
        assert interval.method == "percentile"


@given(st.integers(400, 900), st.sampled_from([0.025, 0.5, 0.9]))
@settings(max_examples=40)
def test_the_error_of_a_quantile_is_half_its_99_percent_interval(b: int, q: float) -> None:
    """At most half the error at either end, and one rank further in would be too much."""
    law = stats.binom(b, q)
    low = max(k for k in range(b) if law.cdf(k - 1) <= 0.005)  # fewer than k lie below
    high = min(k for k in range(1, b + 2) if law.sf(k - 1) <= 0.005)
    expected = (high - low) / 2 if low >= 1 and high <= b else math.inf
    assert quantile_error(np.arange(1.0, b + 1), q, 1.0 - q) == expected


def test_replicates_are_numbers() -> None:
    with pytest.raises(ValueError, match="1 of 2 replicates are undefined"):
        percentile_interval([1.0, math.nan])
    with pytest.raises(ValueError, match="one column of at least one"):
        percentile_interval([])


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
