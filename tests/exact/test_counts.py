"""Distinct rows with counts give what the same rows written out give."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import grid, meet, rational, real
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability
from betterthan.exact.ratio import RatioCase
from betterthan.exact.subset_means import shift_interval
from betterthan.exact.swaplaw import SwapLaw
from betterthan.exact.walsh import walsh_interval
from betterthan.numeric import Alternative, Floats, Ints

ALTERNATIVES: list[Alternative] = ["two-sided", "greater", "less"]
alternatives = st.sampled_from(ALTERNATIVES)


@st.composite
def tallies(
    draw: st.DrawFn, *, least: int = -9, columns: int = 1, most_rows: int = 8
) -> tuple[Ints, Ints]:
    """Rows, which may repeat, and how often each occurs."""
    row = st.lists(st.integers(least, 9), min_size=columns, max_size=columns)
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, dtype=np.int64), np.array(counts, dtype=np.int64)


def same(first: Probability, second: Probability) -> None:
    """Equal within what either says about itself."""
    assert first.log == pytest.approx(second.log, rel=1e-13, abs=1e-13 + first.error + second.error)
    assert first.log_low <= second.log_high
    assert second.log_low <= first.log_high


@settings(max_examples=100, deadline=None)
@given(tallies(), alternatives, st.sampled_from([1, 7, 10**5]))
def test_signed_sums(tally: tuple[Ints, Ints], alternative: Alternative, unit: int) -> None:
    rows, counts = tally[0][:, 0] * unit, tally[1]
    items = np.repeat(rows, counts)
    law, twin = SignedSum.of(rows, counts), SignedSum.of(items)
    assert law.unit == twin.unit
    np.testing.assert_array_equal(law.steps, twin.steps)
    np.testing.assert_array_equal(law.counts, twin.counts)
    fraction = rational.signed_sum_pvalue(rows, counts=counts, alternative=alternative)
    assert fraction == rational.signed_sum_pvalue(items, alternative=alternative)
    p = meet.pvalue(rows.astype(np.float64), counts=counts, alternative=alternative)
    assert p.value == pytest.approx(float(fraction), rel=1e-13)
    p = real.pvalue(rows.astype(np.float64), counts=counts, alternative=alternative)
    assert p.low <= float(fraction) * (1 + 1e-13)
    assert p.high >= float(fraction) * (1 - 1e-13)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), alternatives, st.sampled_from([1, 2, 40]))
def test_certified_brackets(seed: int, alternative: Alternative, most: int) -> None:
    rng = np.random.default_rng(seed)
    rows: Floats = rng.standard_t(4, 60) + 0.2
    counts = rng.integers(1, most + 1, 60)
    tallied = real.pvalue(rows, counts=counts, alternative=alternative)
    same(tallied, real.pvalue(np.repeat(rows, counts), alternative=alternative))
    assert tallied.error < 1e-3


@settings(max_examples=60, deadline=None)
@given(tallies(least=0, columns=4), alternatives)
def test_ratios_and_functions_of_sums(tally: tuple[Ints, Ints], alternative: Alternative) -> None:
    rows, counts = tally
    items = np.repeat(rows, counts, axis=0)
    tallied = grid.ratio_pvalue(*rows.T, counts=counts, alternative=alternative)
    same(tallied, grid.ratio_pvalue(*items.T, alternative=alternative))
    a, b = rows[:, :2], rows[:, 2:]
    assert RatioCase.of(a, b, counts) == RatioCase.of(items[:, :2], items[:, 2:])
    law, twin = SwapLaw.of(a, b, counts), SwapLaw.of(items[:, :2], items[:, 2:])
    for name in ("origin", "basis", "steps", "counts", "observed"):
        np.testing.assert_array_equal(getattr(law, name), getattr(twin, name))

    def product(x: Ints, y: Ints) -> Ints:
        return x * y

    same(grid.test(a, b, product, counts=counts), grid.test(items[:, :2], items[:, 2:], product))


@settings(max_examples=40, deadline=None)
@given(tallies(columns=2), st.fractions(-3, 3))
def test_resampled_sums_and_ratios(tally: tuple[Ints, Ints], r: Fraction) -> None:
    rows, counts = tally
    items = np.repeat(rows, counts, axis=0)
    mean = Fraction(int(counts @ rows[:, 0]) + 3, len(items))
    tallied = ResampledRatio.of(rows[:, 0], counts=counts).tail(mean)
    same(tallied, ResampledRatio.of(items[:, 0]).tail(mean))
    rows[:, 1], items[:, 1] = np.abs(rows[:, 1]), np.abs(items[:, 1])
    (d, w), (each_d, each_w) = rows.T, items.T
    same(ResampledRatio.of(d, w, counts).tail(r), ResampledRatio.of(each_d, each_w).tail(r))


@settings(max_examples=40, deadline=None)
@given(tallies(), alternatives, st.sampled_from([1.0, 0.1, 2**0.5]))
def test_intervals(tally: tuple[Ints, Ints], alternative: Alternative, unit: float) -> None:
    rows, counts = tally[0][:, 0] * unit, tally[1]
    items = np.repeat(rows, counts)
    for interval in (shift_interval, walsh_interval):
        tallied = interval(rows, counts=counts, alpha=0.1, alternative=alternative)
        twin = interval(items, alpha=0.1, alternative=alternative)
        assert tallied.engine == twin.engine
        slack = 1e-11 * (1 + np.abs(rows).sum()) + tallied.slack + twin.slack
        for ours, theirs in ((tallied.low, twin.low), (tallied.high, twin.high)):
            assert ours == pytest.approx(theirs, abs=slack)


@pytest.mark.parametrize("counts", [[1], [1, 0], [1.5, 1.0], [[1, 1]]])
def test_counts_that_are_none_are_refused(counts: list[float]) -> None:
    d = np.array([1, 2])
    for ask in (
        lambda: SignedSum.of(d, counts),
        lambda: real.pvalue(d.astype(np.float64), counts=counts),
        lambda: grid.ratio_pvalue(d, d, d, 2 * d, counts=counts),
        lambda: shift_interval(d, counts=counts),
    ):
        with pytest.raises(ValueError, match="counts must"):
            ask()
