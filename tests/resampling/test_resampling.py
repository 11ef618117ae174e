"""Bootstrap replicates: their law, their bits, and the intervals made of them."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from betterthan.resampling.draws import _pair_table, bootstrap_counts
from betterthan.resampling.sums import replicates, summable
from betterthan.resampling.work import Work


def counts(n: int, resamples: int, seed: int) -> NDArray[np.uint8]:
    return np.concatenate(list(bootstrap_counts(n, resamples, seed)))


@pytest.mark.parametrize("n", [1, 2, 3, 9, 10, 65, 300, 70_001])
def test_every_replicate_draws_n_items(n: int) -> None:
    block = counts(n, 20, 0)
    assert block.dtype == np.uint8
    assert (block.sum(axis=1) == n).all()


def test_counts_of_four_items_have_the_multinomial_law() -> None:
    n, b = 4, 40_000
    seen = Counter(map(tuple, counts(n, b, 2).tolist()))
    exact = Counter(
        tuple(draws.count(item) for item in range(n)) for draws in product(range(n), repeat=n)
    )
    assert set(seen) <= set(exact)
    expected = np.array([exact[c] for c in exact]) * b / n**n
    observed = np.array([seen[c] for c in exact])
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize("n", [13, 40, 2000])
def test_counts_have_binomial_margins_and_the_covariance_of_a_multinomial(n: int) -> None:
    b = 400_000 // n + 2000
    block = counts(n, b, 5)
    assert (block.sum(axis=1, dtype=np.int64) == n).all()
    # One item: Binomial(n, 1/n).
    tally = np.bincount(block[:, n // 3], minlength=8)
    law = stats.binom.pmf(np.arange(8), n, 1 / n)
    tally, law = np.append(tally[:4], tally[4:].sum()), np.append(law[:4], 1 - law[:4].sum())
    assert stats.chisquare(tally, law / law.sum() * b).pvalue > 1e-3
    # The number in half of the items is Binomial(n, 1/2): wrong if the counts were independent.
    half = block[:, : n // 2].sum(axis=1, dtype=np.int64)
    p = (n // 2) / n
    z = (half - n * p) / math.sqrt(n * p * (1 - p))
    assert abs(z.mean()) < 4 / math.sqrt(b)
    assert abs(z.var() - 1) < 4 * math.sqrt(2 / b)
    # Neighbours share a look-up, and must still be exchangeable with any other two.
    x = block[:, ::2][:, : n // 2].astype(float)
    y = block[:, 1::2].astype(float)
    covariance = ((x - 1) * (y - 1)).mean() * n  # -1 for a multinomial
    assert abs(covariance + 1) < 6 * math.sqrt(n / b)
    # Items never drawn: mean n (1 - 1/n)^n, and the variance of the occupancy problem (Feller).
    empty = (block == 0).sum(axis=1)
    q1, q2 = (1 - 1 / n) ** n, (1 - 2 / n) ** n
    variance = n * q1 * (1 - q1) + n * (n - 1) * (q2 - q1 * q1)
    assert abs(empty.mean() - n * q1) < 4 * math.sqrt(variance / b)
    assert abs(empty.var() / variance - 1) < 5 * math.sqrt(2 / b)


@pytest.mark.parametrize("n", [1, 10, 100, 10_000])
def test_the_table_is_the_law_of_two_poisson_counts(n: int) -> None:
    """Settled slices, plus what the further bits decide, add up to every pair's probability."""
    table, cdf = _pair_table(n)
    rate = max(0.0, 1 - 3 / math.sqrt(n))
    size = table.size
    for index, high in enumerate(cdf):
        low = cdf[index - 1] if index else 0.0
        first, second = divmod(index, math.isqrt(cdf.size))
        law = [math.exp(-rate) * rate**k / math.factorial(k) for k in (first, second)]
        assert high - low == pytest.approx(law[0] * law[1], rel=1e-9, abs=1e-15)
        settled = np.flatnonzero(table == first + 256 * second)
        if settled.size:
            assert low <= settled[0] / size
            assert (settled[-1] + 1) / size <= high
        assert settled.size / size >= high - low - 2 / size  # but for the two ends of the slice


def test_same_bits_for_any_number_of_workers_and_resamples() -> None:
    rng = np.random.default_rng(0)
    for T in (rng.integers(0, 30, (700, 6)).astype(float), rng.normal(size=(700, 6))):
        whole = replicates(T, 3000, 9)
        for workers in (2, 3):
            assert (replicates(T, 3000, 9, Work(workers)) == whole).all()
        assert (replicates(T, 1001, 9) == whole[:1001]).all()
        assert (replicates(T[:, 2:3], 3000, 9) == whole[:, 2:3]).all()
        assert (replicates(T, 3000, 8) != whole).any()


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(-(2**40), 2**40))
@settings(max_examples=50, deadline=None)
def test_sums_of_integers_are_exact(seed: int, n: int, scale: int) -> None:
    values = [(i * i % 7 - 3) * scale for i in range(n)]
    drawn = counts(n, 30, seed).tolist()
    sums = replicates(np.array(values, dtype=float)[:, None], 30, seed)[:, 0]
    assert sums.tolist() == [sum(c * v for c, v in zip(row, values, strict=True)) for row in drawn]


reals = st.floats(-1e6, 1e6) | st.floats(-1e-6, 1e-6)


@given(st.lists(reals, min_size=1, max_size=30), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_rounded_columns_are_close_summed_exactly_and_rounded_once(
    values: list[float], seed: int
) -> None:
    x = np.array(values)[:, None]
    rounded = summable(x)
    n, top = len(values), max(map(abs, values))
    assert np.abs(rounded - x).max() <= n * top * 2.0**-52
    assert (summable(rounded) == rounded).all()
    drawn = counts(n, 20, seed).tolist()
    exact = [
        sum((c * Fraction(float(v)) for c, v in zip(row, rounded[:, 0], strict=True)), Fraction(0))
        for row in drawn
    ]
    assert [Fraction(s) for s in replicates(x, 20, seed)[:, 0].tolist()] == exact


def test_float32_is_used_only_where_it_is_exact() -> None:
    assert summable(np.full((2, 1), 2.0**22)).dtype == np.float32
    assert summable(np.full((4, 1), 2.0**22)).dtype == np.float64
    assert summable(np.array([[0.5], [1.0]])).dtype == np.float64


def test_degenerate_data() -> None:
    assert (replicates([[3.0]], 5, 0) == 3.0).all()
    assert (
        replicates(np.full((50, 2), 0.1), 200, 0) == summable(np.full((50, 2), 0.1)).sum(0)
    ).all()
    assert (replicates(np.zeros((5, 1)), 10, 0) == 0.0).all()
    tiny = np.full((3, 1), 5e-324)
    assert (replicates(tiny, 10, 0) == 1.5e-323).all()


def test_what_cannot_be_resampled_is_refused() -> None:
    for columns, message in (
        ([[1.0], [math.nan]], "finite, but 1 value is not"),
        ([1.0, 2.0], "shape"),
        (np.zeros((0, 2)), "at least one item"),
        ([[1e308], [0.5]], "too large"),
    ):
        with pytest.raises(ValueError, match=message):
            replicates(columns, 10, 0)
    with pytest.raises(ValueError, match="workers must be at least 1"):
        replicates([[1.0]], 5, 0, Work(0))
