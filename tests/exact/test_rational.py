"""Exact fractions against the plain convolution of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import BadValueError
from betterthan.exact import counting
from betterthan.exact.counting import patterns_at_least
from betterthan.exact.probability import BudgetExceededError
from betterthan.exact.rational import Ratio, signed_sum_pvalue
from oracles import signed_sum_law
from oracles import signed_sum_pvalue as plain_pvalue

differences = st.lists(st.integers(-25, 25), max_size=16)


@given(differences, st.sampled_from(["two-sided", "greater", "less"]))
@settings(max_examples=150, deadline=None)
def test_pvalue(d: list[int], alternative: str) -> None:
    p = signed_sum_pvalue(d, alternative=alternative)  # type: ignore[arg-type]
    assert p == plain_pvalue(d, alternative)


@given(differences, st.integers(-300, 300))
@settings(max_examples=100, deadline=None)
def test_any_observed_value(d: list[int], observed: int) -> None:
    law = signed_sum_law(d)
    greater = sum((m for s, m in law.items() if s >= observed), Fraction(0))
    two_sided = sum((m for s, m in law.items() if abs(s) >= abs(observed)), Fraction(0))
    assert signed_sum_pvalue(d, observed=observed, alternative="greater") == greater
    assert signed_sum_pvalue(d, observed=observed) == two_sided


@given(
    st.lists(st.integers(1, 12), min_size=2, max_size=5, unique=True),
    st.sampled_from([1, 7, 10**6, 10**25]),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_patterns_by_all_routes(steps: list[int], unit: int, data: st.DataObject) -> None:
    """Every way of counting against one binomial at a time."""
    steps = [step * unit for step in sorted(steps)]
    most = data.draw(st.sampled_from([2, 9, 40]))
    counts = data.draw(st.lists(st.integers(1, most), min_size=len(steps), max_size=len(steps)))
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    degree = data.draw(st.integers(0, total))
    ways = {0: 1}
    for step, count in zip(steps, counts, strict=True):
        after: dict[int, int] = {}
        for value, w in ways.items():
            for j in range(count + 1):
                moved = value + j * step
                after[moved] = after.get(moved, 0) + w * math.comb(count, j)
        ways = after
    expected = sum(w for v, w in ways.items() if v <= degree)
    assert patterns_at_least(steps, counts, total - degree) == expected
    assert counting._by_halves(steps, counts, degree) == expected
    if unit <= 7:
        assert counting._by_packing(steps, counts, degree) == expected


def test_few_items_of_any_size() -> None:
    """Items decide the cost, not the size of their differences."""
    d = [3 * 10**30, -(10**30), 10**30 + 1, 5]
    assert signed_sum_pvalue(d, alternative="greater") == plain_pvalue(d, "greater")
    many = [10**9 + j for j in range(40)]
    assert signed_sum_pvalue(many) == Fraction(1, 2**39)


def test_numpy_integers_and_large_counts() -> None:
    d = np.array([1] * 700 + [-1] * 500, dtype=np.int8)
    tail = sum(math.comb(1200, j) for j in range(700, 1201))
    assert signed_sum_pvalue(d) == Fraction(2 * tail, 2**1200)


def test_too_large_is_refused_with_a_reason() -> None:
    with pytest.raises(BudgetExceededError, match=r"patterns of 20,000 differing items"):
        signed_sum_pvalue(list(range(901, 1001)) * 200, observed=0, alternative="greater")
    with pytest.raises(BudgetExceededError, match=r"would take about .* s \(limit 17 s"):
        signed_sum_pvalue(range(1, 1000), observed=0, alternative="greater")
    with pytest.raises(ValueError, match="alternative"):
        signed_sum_pvalue([1], alternative="more")  # type: ignore[arg-type]


@given(st.fractions(0, 1))
@settings(max_examples=100, deadline=None)
def test_ratio_is_correctly_rounded(x: Fraction) -> None:
    p = Ratio.of_fraction(x)
    assert p.value == p.low == p.high == float(x)
    assert p.error == 0.0
    assert p.complement().value == float(1 - x)
    assert p.doubled().value == float(min(2 * x, Fraction(1)))
    if x:
        assert p.log == pytest.approx(math.log(x), rel=1e-14, abs=1e-15)


def test_ratio_keeps_its_logarithm_below_the_smallest_double() -> None:
    p = Ratio.of_counts(3, 2**5000)
    assert p.value == 0.0
    assert p.log == pytest.approx(math.log(3) - 5000 * math.log(2), rel=1e-15)
    assert p.log_low <= p.log <= p.log_high


@pytest.mark.parametrize("bad", [0.4, 1.5, math.nan, math.inf, "1", None])
def test_what_is_no_whole_number_is_not_rounded_to_one(bad: object) -> None:
    with pytest.raises(BadValueError):
        signed_sum_pvalue([bad] * 6)  # type: ignore[list-item]
    with pytest.raises(BadValueError, match="whole numbers"):
        signed_sum_pvalue([1] * 6, observed=bad or 0.1)  # type: ignore[arg-type]
    assert signed_sum_pvalue([4.0] * 6) == Fraction(1, 32)  # type: ignore[list-item]
