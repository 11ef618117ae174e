from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact.enumeration import (
    blackbox_pvalue,
    enumerate_sums,
    enumeration_pvalue,
    swap_patterns,
)
from oracles import enumerate_pvalue

ALTERNATIVES = st.sampled_from(["two-sided", "greater", "less"])
PAIRS = st.lists(st.tuples(*[st.integers(-5, 9)] * 2), min_size=1, max_size=7)


@pytest.mark.parametrize("n", [0, 1, 5, 14])
def test_every_pattern_comes_once_and_the_observed_data_first(n: int) -> None:
    patterns = np.concatenate(list(swap_patterns(n)))
    assert patterns.shape == (2**n, n)
    assert len(np.unique(patterns, axis=0)) == 2**n
    assert not patterns[0].any()


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(*[st.integers(-(10**9), 10**9)] * 4), max_size=6), st.integers(0, 2**31))
def test_sums_are_those_of_each_pattern(rows: list[tuple[int, ...]], seed: int) -> None:
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    stay, swap = table[:, :2], table[:, 2:]
    sums = np.concatenate(list(enumerate_sums(stay, swap)))
    patterns = np.concatenate(list(swap_patterns(len(rows))))
    i = seed % len(patterns)
    expected = np.where(patterns[i][:, None], swap, stay).sum(axis=0)
    assert sums[i].tolist() == expected.tolist()


def test_chunks_beyond_one_table_stay_in_order() -> None:
    rng = np.random.default_rng(3)
    stay, swap = rng.integers(-9, 9, (15, 2)), rng.integers(-9, 9, (15, 2))
    sums = np.concatenate(list(enumerate_sums(stay, swap)))
    patterns = np.concatenate(list(swap_patterns(15)))
    assert np.array_equal(sums, patterns @ (swap - stay) + stay.sum(axis=0))


@settings(deadline=None, max_examples=100)
@given(PAIRS, ALTERNATIVES)
def test_both_ways_match_fractions(pairs: list[tuple[int, int]], alternative: str) -> None:
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    truth = enumerate_pvalue(
        a.tolist(), b.tolist(), lambda u, v: Fraction(sum(v) - sum(u)), alternative
    )

    def delta(swapped: np.ndarray) -> float:
        return float((np.where(swapped, a, b) - np.where(swapped, b, a)).sum())

    assert blackbox_pvalue(delta, len(a), alternative=alternative) == truth
    observed = int((b - a).sum())
    sign = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    difference = (b - a)[:, None]
    p = enumeration_pvalue(difference, -difference, lambda s: sign(s[:, 0]) >= sign(observed))
    assert p == truth


def test_a_black_box_ties_in_spite_of_float_noise() -> None:
    wins = np.array([0.1, 0.2, 0.3])  # 0.1 + 0.2 - 0.3 is not 0 in doubles

    def delta(swapped: np.ndarray) -> float:
        signed = np.where(swapped, -wins, wins)
        return float(signed[0] + signed[1] + signed[2])

    signs = np.where(np.concatenate(list(swap_patterns(3))), -1, 1)
    tenths = signs @ np.array([1, 2, 3])
    for alternative, truth in [("greater", 1), ("less", 8), ("two-sided", 2)]:
        assert blackbox_pvalue(delta, 3, alternative=alternative) == Fraction(truth, 8)
    assert np.count_nonzero(tenths >= 6) == 1


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 24 items, not 25"):
        next(swap_patterns(25))
    with pytest.raises(ValueError, match="at most 14 items, not 15"):
        blackbox_pvalue(lambda swapped: 0.0, 15)
    with pytest.raises(ValueError, match="alternative"):
        blackbox_pvalue(lambda swapped: 0.0, 2, alternative="both")
    with pytest.raises(ValueError, match="NaN"):
        blackbox_pvalue(lambda swapped: float("nan"), 2)


def test_undefined_patterns_count_as_extreme() -> None:
    p = blackbox_pvalue(lambda swapped: 1.0 if not swapped.any() else float("nan"), 2)
    assert p == 1
