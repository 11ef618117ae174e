"""Medians by a window are medians of everything."""

import math
from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from betterthan.resampling import medians
from betterthan.resampling.draws import bootstrap_counts, draw_halves
from betterthan.resampling.medians import Medians, ResampledMedians, SwappedMedians

NUMBERS = st.sampled_from([0.0, 0.1, 0.3, 1.0, -2.5, 7.0])
VALUES = st.integers(1, 60).flatmap(lambda n: arrays(float, n, elements=NUMBERS))


@pytest.mark.parametrize("reach", [7.0, 0.2])  # with a small one the median is often elsewhere
@settings(max_examples=60, deadline=None)
@given(values=VALUES, seed=st.integers(0, 1000))
def test_medians_of_units_by_how_often_they_are_taken(
    reach: float, values: NDArray[np.float64], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    both = (values, rng.permutation(values))
    codes = np.unique(rng.integers(len(values), size=len(values)), return_inverse=True)[1]
    taken = rng.integers(0, 3, size=(20, codes.max() + 1), dtype=np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(medians, "REACH", reach)
        drawn = Medians.of(both, codes)(taken)
    for row, times in zip(drawn, taken, strict=True):
        rows = np.repeat(np.arange(len(values)), times[codes])
        expected = [np.median(x[rows]) if len(rows) else np.nan for x in both]
        np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize("reach", [7.0, 0.2])
@settings(max_examples=60, deadline=None)
@given(a=VALUES, seed=st.integers(0, 1000))
def test_medians_of_swapped_items(reach: float, a: NDArray[np.float64], seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = np.where(rng.random(len(a)) < 0.5, a, rng.choice([0.0, 0.2, 3.0], len(a)))
    units = np.flatnonzero(a != b)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(medians, "REACH", reach)
        patch.setattr(medians, "LARGEST_PART", -1.0)  # each one by one
        drawn = SwappedMedians.of(a, b, units).draw(20, np.random.default_rng(seed))
    expected = []
    for row in draw_halves(len(units), 20, np.random.default_rng(seed), None):
        pattern = np.zeros(len(a), dtype=bool)
        pattern[units] = row
        expected.append(np.median(np.where(pattern, a, b)) - np.median(np.where(pattern, b, a)))
    assert drawn.tolist() == expected


Law = dict[tuple[float, ...], float]


def law_of_resampled_medians(*values: NDArray[np.float64]) -> Law:
    """Medians of every resample there is, by how often each of its units is drawn."""
    n, law = len(values[0]), Counter[tuple[float, ...]]()
    for drawn in combinations_with_replacement(range(n), n):
        ways = math.factorial(n) // math.prod(map(math.factorial, Counter(drawn).values()))
        law[tuple(float(np.median(x[list(drawn)])) for x in values)] += ways
    return {key: ways / n**n for key, ways in law.items()}


def law_of_swapped_medians(a: NDArray[np.float64], b: NDArray[np.float64]) -> Law:
    law = Counter[tuple[float, ...]]()
    for pattern in product([False, True], repeat=len(a)):
        gain = np.median(np.where(pattern, a, b)) - np.median(np.where(pattern, b, a))
        law[(float(gain),)] += 1
    return {key: count / 2 ** len(a) for key, count in law.items()}


def agreement(drawn: NDArray[np.float64], law: Law) -> float:
    """P-value of Pearson's chi-square; outcomes expected less than ten times are one."""
    seen = Counter(map(tuple, drawn.tolist()))
    assert set(seen) <= set(law)
    rare = [key for key, share in law.items() if share * len(drawn) < 10]
    observed = [seen[key] for key in law if key not in rare] + [sum(seen[key] for key in rare)]
    expected = [law[key] for key in law if key not in rare] + [sum(law[key] for key in rare)]
    if not rare:
        observed, expected = observed[:-1], expected[:-1]
    return float(stats.chisquare(observed, np.array(expected) * len(drawn)).pvalue)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of four values, which a median often misses, however many draws they spare."""
    monkeypatch.setattr(medians, "REACH", 0.01)
    monkeypatch.setattr(medians, "LARGEST_PART", 1.0)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("values", [1, 2])
@pytest.mark.parametrize("n", [8, 9])
def test_resampled_medians_have_the_law_of_all_resamples(n: int, values: int) -> None:
    a = np.arange(n) / 1.0
    both = (a, np.array([7, 2, 1, 4, 3, 6, 5, 0, 8][:n]) / 1.0)[:values]
    drawn = ResampledMedians.of(Medians.of(both, np.arange(n)))
    assert drawn is not None
    assert len(drawn.kinds) > 1
    made = drawn.draw(30_000, np.random.default_rng(n))
    assert agreement(made, law_of_resampled_medians(*both)) > 1e-3


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("n", [10, 11])
def test_swapped_medians_have_the_law_of_all_swaps(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.permutation(2 * n).reshape(2, n) / 1.0
    a[:3], b[:3] = [0, 1, 38], [39, 2, 40]  # across the window, and on either side of it
    drawn = SwappedMedians.of(a, b, np.arange(n))
    assert drawn.across.size
    assert drawn.beside.size
    made = drawn.draw(30_000, np.random.default_rng(1))
    assert agreement(made[:, None], law_of_swapped_medians(a, b)) > 1e-3


def test_many_items_are_drawn_next_to_the_middle_only() -> None:
    """The law of drawing every item, by Kolmogorov and Smirnov, of either system and of delta."""
    n, rng = 3001, np.random.default_rng(5)
    a = rng.normal(size=n).round(2)
    b = a + rng.normal(0.02, 0.3, size=n).round(2)
    both = Medians.of((a, b), np.arange(n))
    drawn = ResampledMedians.of(both)
    assert drawn is not None
    assert drawn.size < n / 2
    quick = drawn.draw(3000, np.random.default_rng(6))
    slow = both(np.concatenate(list(bootstrap_counts(n, 3000, 7))))
    for fast, plain in zip(
        (*quick.T, np.diff(quick)[:, 0]), (*slow.T, np.diff(slow)[:, 0]), strict=True
    ):
        assert stats.ks_2samp(fast, plain).pvalue > 1e-3
    swapped = SwappedMedians.of(a, b, np.flatnonzero(a != b))
    assert len(swapped.near) < n / 2
    quick_swaps = swapped.draw(3000, np.random.default_rng(8))
    coins = np.random.default_rng(9).random((3000, n)) < 0.5
    slow_swaps = [
        np.median(np.where(coin, a, b)) - np.median(np.where(coin, b, a)) for coin in coins
    ]
    assert stats.ks_2samp(quick_swaps, slow_swaps).pvalue > 1e-3
