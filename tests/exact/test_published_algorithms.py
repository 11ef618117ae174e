"""The published algorithms against enumeration, and against each other."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact.probability import BudgetExceededError
from betterthan.exact.published import exact_test, monte_carlo
from oracles import signed_sum_pvalue

both = pytest.mark.parametrize("convolve", ["dp", "fft"])


@both
@given(d=st.lists(st.integers(-12, 12), max_size=12))
@settings(max_examples=80, deadline=None)
def test_one_sum(convolve: Any, d: list[int]) -> None:
    x = np.array(d, dtype=np.int64)
    for h, alternative in ((np.abs, "two-sided"), (np.positive, "greater"), (np.negative, "less")):
        p = exact_test(x, -x, h, convolve=convolve)
        assert p == pytest.approx(float(signed_sum_pvalue(d, alternative)), rel=1e-10)


@both
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_several_sums_of_any_pair_function(convolve: Any, data: st.DataObject) -> None:
    """Local effects that are not mirror images, and a statistic of two sums."""
    row = st.tuples(st.integers(-3, 4), st.integers(-3, 4))
    stay = data.draw(st.lists(row, min_size=1, max_size=7))
    swap = data.draw(st.lists(row, min_size=len(stay), max_size=len(stay)))

    def h(x: Any, y: Any) -> Any:
        return x * x - 3 * y

    observed = h(sum(x for x, _ in stay), sum(y for _, y in stay))
    hits = sum(
        h(sum(x for x, _ in pick), sum(y for _, y in pick)) >= observed
        for pick in product(*zip(stay, swap, strict=True))
    )
    p = exact_test(stay, swap, h, convolve=convolve)
    assert p == pytest.approx(float(Fraction(hits, 2 ** len(stay))), abs=1e-12)
    if convolve == "dp":
        sampled = monte_carlo(stay, swap, h, 40_000, rng=1)
        assert abs(sampled - p) <= 5.0 * np.sqrt(p * (1.0 - p) / 40_000) + 1e-12  # five sigma


@both
def test_nothing_to_swap(convolve: Any) -> None:
    assert exact_test([], [], np.abs, convolve=convolve) == 1.0
    assert exact_test([3, 1], [3, 1], np.abs, convolve=convolve) == 1.0
    assert monte_carlo([], [], np.abs, 10, rng=0) == 1.0


@both
def test_thirty_straight_wins_are_not_truncated(convolve: Any) -> None:
    """The authors' program drops mass below 1e-8 and gives 0.0 here."""
    wins = np.ones(30, dtype=np.int64)
    assert exact_test(wins, -wins, np.abs, convolve=convolve) == pytest.approx(2.0**-29, rel=1e-6)


def test_monte_carlo_counts_ties() -> None:
    d = np.array([1, 1, -1, 2, 0, 1, -2, 1, 3, -1])
    exact = float(signed_sum_pvalue(d.tolist()))
    assert monte_carlo(d, -d, np.abs, 100_000, rng=3) == pytest.approx(exact, abs=0.006)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="stay must hold integers"):
        exact_test([0.5], [1], np.abs)
    with pytest.raises(ValueError, match="same shape"):
        exact_test([1, 2], [1], np.abs)
    with pytest.raises(ValueError, match="shape"):
        exact_test([[[1]]], [[[1]]], np.abs)
    with pytest.raises(ValueError, match="samples"):
        monte_carlo([1], [1], np.abs, 0)


def test_what_would_fill_the_memory_is_refused() -> None:
    huge = np.array([10**10, 1])
    with pytest.raises(BudgetExceededError, match="20,000,000,003 cells"):
        exact_test(huge, -huge, np.abs, convolve="dp")
    with pytest.raises(BudgetExceededError, match="20,000,000,003 cells"):
        exact_test(huge, -huge, np.abs)
    many = np.full(60_000, 70)
    with pytest.raises(BudgetExceededError, match="takes some"):
        exact_test(many, -many, np.abs, convolve="dp")
