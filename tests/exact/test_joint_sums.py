"""Functions of several integer sums under swaps against the counts of all swaps."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import grid
from betterthan.exact.grid import ratio_pvalue
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.ratio import RatioCase
from betterthan.exact.swaplaw import SwapLaw
from oracles import assert_bounds, enumerate_pvalue, swap_pvalue

Sides = tuple[Any, Any]
"""Rows (num, den) of a and of b."""
ALTERNATIVES = ["two-sided", "greater", "less"]


@contextmanager
def enumerating_up_to(items: int) -> Iterator[None]:
    """Few items would be enumerated: with 0 they take the way of many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "ENUMERATE_UP_TO", items)
        patch.setattr(grid, "ENUMERATE_AT_MOST", items)
        yield


def ask(sides: Sides, alternative: str = "two-sided", counts: Any = None) -> Probability:
    (num_a, den_a), (num_b, den_b) = (side.T for side in sides)
    return ratio_pvalue(num_a, den_a, num_b, den_b, alternative=alternative, counts=counts)


def all_swaps(sides: Sides, alternative: str) -> Fraction:
    """P-value of a difference of ratios, one with denominator 0 being 0, from all joint sums."""
    a, b = sides
    nums, dens = (int(total) for total in (a + b).sum(axis=0))

    def ratio(num: int, den: int) -> Fraction:
        return Fraction(num, den) if den else Fraction(0)

    def extremeness(num: int, den: int) -> Fraction:
        delta = ratio(num, den) - ratio(nums - num, dens - den)
        return {"two-sided": abs(delta), "greater": delta, "less": -delta}[alternative]

    return swap_pvalue(b, a, extremeness)


# Families of items: arbitrary ratios with denominators of any kind, and the usual metrics.
small = st.integers(-3, 6)
arbitrary = st.tuples(small, small)
nonnegative = st.tuples(st.integers(-3, 6), st.integers(0, 6))
sparse = st.tuples(st.integers(0, 2), st.integers(0, 1))


@st.composite
def tagged(draw: st.DrawFn, project: Callable[[int, int, int], tuple[int, int]]) -> Any:
    """An item's pair of rows from gold, predicted and true positive counts."""
    gold = draw(st.integers(0, 3))
    rows = []
    for _ in range(2):
        tp = draw(st.integers(0, gold))
        rows.append(project(tp, tp + draw(st.integers(0, 2)), gold))
    return tuple(rows)


ITEMS = st.one_of(
    st.lists(st.tuples(arbitrary, arbitrary), max_size=8),
    st.lists(st.tuples(nonnegative, nonnegative), max_size=8),
    st.lists(st.tuples(sparse, sparse), max_size=8),
    st.lists(tagged(lambda tp, pred, gold: (2 * tp, pred + gold)), max_size=8),  # F1
    st.lists(tagged(lambda tp, pred, gold: (tp, pred)), max_size=8),  # precision
    st.lists(tagged(lambda tp, pred, gold: (5 * tp, pred + 4 * gold)), max_size=8),  # F2
    # Alignment error rate with sure = gold and possible = gold + 1 links.
    st.lists(
        tagged(lambda tp, pred, gold: (pred + gold - tp - min(pred, tp + 1), pred + gold)),
        max_size=8,
    ),
)


@settings(deadline=None, max_examples=200)
@given(ITEMS, st.sampled_from(ALTERNATIVES), st.sampled_from([0, 16]), st.data())
def test_ratios_match_all_swaps(
    items: list[Any], alternative: str, enumerated: int, data: st.DataObject
) -> None:
    """Rows with counts, which may repeat, enumerated or by the joint distribution."""
    rows = np.array(items, dtype=np.int64).reshape(-1, 2, 2)
    some = st.integers(1, 3 if len(rows) < 4 else 1)
    counts = np.array([data.draw(some) for _ in rows], dtype=np.int64)
    each = np.repeat(rows, counts, axis=0)
    with enumerating_up_to(enumerated):
        p = ask((rows[:, 0], rows[:, 1]), alternative, counts)
    assert_bounds(p, all_swaps((each[:, 0], each[:, 1]), alternative))
    case = RatioCase.of(rows[:, 0, ::-1], rows[:, 1, ::-1], counts)
    assert case == RatioCase.of(each[:, 0, ::-1], each[:, 1, ::-1])


def taggers(n: int, seed: int, better: float) -> Sides:
    """Sentences of two taggers as rows of F1's numerator and denominator."""
    rng = np.random.default_rng(seed)
    gold = rng.poisson(1.6, n)
    sides = []
    for skill in (0.6, 0.6 + better):
        tp = rng.binomial(gold, skill)
        sides.append(np.stack([2 * tp, tp + rng.binomial(gold - tp + 1, 0.2) + gold], axis=1))
    return sides[0], sides[1]


def long_items() -> Sides:
    """As many differences as items."""
    rng = np.random.default_rng(17)
    a, b = (rng.integers((0, 1), (7, 13), (30, 2)) for _ in "ab")
    return a, b


def one_dimension() -> Sides:
    rng = np.random.default_rng(2)
    a = np.stack([rng.integers(3, 9, 40), rng.integers(9, 20, 40)], axis=1)
    return a, a + np.outer(rng.integers(-3, 5, 40), [1, 2])


def precision() -> Sides:
    rng = np.random.default_rng(8)
    a = np.stack([rng.integers(0, 2, 250), 1 + rng.integers(0, 2, 250)], axis=1)
    return a, np.where(rng.random((250, 1)) < 0.95, [1, 1], a)


def huge_counts() -> Sides:
    """Cross products near 1e20, with ties."""
    big = 10**9 + 7
    a = np.array([(big - 1, 3 * big), (1, big)] + [(0, 3)] * 10)
    return a, np.array([(big, 3 * big - 1), (0, big + 1)] + [(3, 3)] * 10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("sides", "least", "most"),
    [
        (taggers(40, 40, 0.0), 1e-3, 1),
        (taggers(60, 60, 0.1), 1e-4, 1),
        (taggers(60, 60, -0.1), 1e-4, 1),
        (taggers(220, 5, 0.32), 1e-12, 1e-6),
        (taggers(220, 5, 0.39), 1e-20, 1e-9),
        (long_items(), 1e-3, 1),
        (one_dimension(), 1e-3, 1),
        (precision(), 1e-60, 1e-30),
    ],
    ids=["null", "better", "worse", "small", "tiny", "long", "one dimension", "precision"],
)
def test_many_items_match_the_counts_of_all_sums(
    sides: Sides, least: float, most: float, alternative: str
) -> None:
    p = ask(sides, alternative)
    assert_bounds(p, all_swaps(sides, alternative), error=1e-10)
    assert alternative != "two-sided" or least < p.value <= most


def test_huge_counts_tie_exactly() -> None:
    a, b = huge_counts()

    def delta(u: Any, v: Any) -> Fraction:
        (nu, du), (nv, dv) = (map(sum, zip(*side, strict=True)) for side in (u, v))
        return Fraction(nv, dv) - Fraction(nu, du)

    truth = enumerate_pvalue(a.tolist(), b.tolist(), delta)
    assert_bounds(ask((a, b)), truth)
    with enumerating_up_to(0), pytest.raises(BudgetExceededError):
        ask((a, b * [10**5, 1] + np.arange(12)[:, None] ** 5))


def test_p_below_the_smallest_double() -> None:
    n = 1200  # b is right everywhere: only the observed data and their mirror are as extreme
    p = ask((np.tile([[0, 3], [0, 2]], (n // 2, 1)), np.tile([[2, 2], [1, 2]], (n // 2, 1))))
    assert p.value == 0.0
    assert_bounds(p, Fraction(2, 2**n))


@pytest.mark.parametrize("seed", range(8))
def test_nearly_all_items_won(seed: int) -> None:
    """The last points of the distribution, where a tilt overshoots."""
    rng = np.random.default_rng(seed)
    den = rng.integers(1, 4, (2, 17))
    won = den[1] - (rng.random(17) < 0.1)
    sides = (
        np.stack([1 * (rng.random(17) >= 0.9), den[0]], axis=1),
        np.stack([won, den[1]], axis=1),
    )
    with enumerating_up_to(0):
        p = ask(sides)
    assert p.how == "lattice transform of the joint law"
    assert_bounds(p, all_swaps(sides, "two-sided"), error=1e-6)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.integers(20, 400), st.floats(-0.2, 0.2))
def test_algebra(seed: int, n: int, better: float) -> None:
    a, b = taggers(n, seed, better)
    p = ask((a, b))
    assert 0.0 < p.value <= 1.0
    order = np.random.default_rng(seed).permutation(n)
    shear = np.array([[1, 0], [2, 1]])  # adds 2 to both ratios
    for same in ((b, a), (a[order], b[order]), (a * [3, 7], b * [3, 7]), (a @ shear, b @ shear)):
        assert ask(same).log == pytest.approx(p.log, rel=1e-11, abs=1e-11)
    greater, less = ask((a, b), "greater"), ask((a, b), "less")
    assert greater.high + less.high >= 1.0  # the truths add up to one and the mass at delta
    assert ask((a, a)).value == 1.0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_nothing_to_compare(alternative: str) -> None:
    nothing, one = np.zeros((30, 2), dtype=np.int64), np.ones((30, 2), dtype=np.int64)
    for sides in ((nothing[:0], one[:0]), (nothing, one * [1, 0]), (one, one)):
        assert_bounds(ask(sides, alternative), Fraction(1), error=1e-12)


def test_the_lattice_is_divided_out_and_decorrelated() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(-2, 3, (2, 300))
    stay = np.stack([6 * x, 600 * x + 2 * y, 7 * x], axis=1)
    law = SwapLaw.of(stay, np.zeros_like(stay))
    assert law.basis.shape == (3, 2)
    assert np.abs(law.steps).max() == 2  # x and y themselves, up to sign
    assert law.counts.sum() == np.count_nonzero(stay.any(axis=1))
    observed = law.origin + law.basis @ law.observed
    assert observed.tolist() == stay.sum(axis=0).tolist()


# Any function of any sums.


def f1_difference(tp_u: Any, in_u: Any, tp_v: Any, in_v: Any) -> Any:
    """Equation 16 of Zmigrod et al. (2022)."""
    return tp_u / (tp_u + in_u / 2) - tp_v / (tp_v + in_v / 2)


STATISTICS: list[Callable[..., Any]] = [
    lambda x, y, z: x + 2 * y - z,
    lambda x, y, z: abs(x * y) - z * z,
    max,  # no arrays
    lambda x, y, z: (x > y) * 1,
]


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.tuples(*[st.integers(-2, 3)] * 6), min_size=1, max_size=5),
    st.sampled_from(STATISTICS),
    st.sampled_from([0, 16]),
    st.data(),
)
def test_any_function_of_three_sums(
    rows: Any, h: Callable[..., Any], enumerated: int, data: st.DataObject
) -> None:
    counts = [data.draw(st.integers(1, 2)) for _ in rows]
    stay, swap = np.array(rows)[:, :3], np.array(rows)[:, 3:]
    with enumerating_up_to(enumerated):
        p = grid.test(stay, swap, h, counts=counts)
    each_stay, each_swap = (np.repeat(side, counts, axis=0) for side in (stay, swap))
    assert_bounds(p, swap_pvalue(each_stay, each_swap, h))


@pytest.mark.parametrize(("n", "better"), [(12, 0.2), (60, 0.1), (200, 0.35)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_papers_four_sums_are_f1(n: int, better: float, alternative: str) -> None:
    """True positives and incorrect ones, where F1's numerator is 2 tp and its denominator d."""
    a, b = taggers(n, n, better)
    v, u = (np.stack([side[:, 0] // 2, side[:, 1] - side[:, 0]], axis=1) for side in (a, b))
    h = f1_difference if alternative == "greater" else lambda *s: abs(f1_difference(*s))
    p = grid.test(np.hstack([u, v]), np.hstack([v, u]), h)
    assert_bounds(p, all_swaps((a, b), alternative))


def test_three_live_dimensions() -> None:
    stay, swap = np.random.default_rng(11).integers(0, 2, (2, 40, 3))
    h = lambda x, y, z: x * x + y * z  # noqa: E731
    assert_bounds(grid.test(stay, swap, h), swap_pvalue(stay, swap, h))


def test_tiny_p_of_a_function_without_gradient() -> None:
    stay = np.tile([[1, 0], [1, 1], [0, 1]], (40, 1))

    def h(x: Any, y: Any) -> Any:
        return np.floor(np.minimum(x, y) / 4)

    truth = swap_pvalue(stay, -stay, lambda x, y: Fraction(min(x, y) // 4))
    assert truth < 1e-30
    assert_bounds(grid.test(stay, -stay, h), truth)


def test_points_without_a_value_are_extreme() -> None:
    stay, swap = np.tile([[0, 1]], (20, 1)), np.tile([[1, 0]], (20, 1))
    # Undefined at (20, 0), the mirror image of the observed sums: 0 / 0, in arrays and in Python.
    for h in (lambda x, y: 0 * x / y - x, lambda x, y: 0 * min(x, 9) / y - x):
        assert_bounds(grid.test(stay, swap, h), Fraction(2, 2**20))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: ratio_pvalue([1], [1], [0], [1], alternative="bigger"), "alternative"),
    (lambda: ratio_pvalue([0.5], [1], [0], [1]), "integers"),
    (lambda: ratio_pvalue([math.nan], [1], [0], [1]), "integers"),
    (lambda: ratio_pvalue([1], [1], [0, 0], [1, 1]), "1 and 2 items"),
    (lambda: grid.test([[1, 2]], [[1, 2, 3]], max), "must agree"),
    (lambda: grid.test([[1]], [[2]], lambda x: math.nan), "NaN"),
]


@pytest.mark.parametrize(("ask", "message"), REFUSED)
def test_wrong_input(ask: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()


def test_what_costs_too_much() -> None:
    table = np.random.default_rng(0).integers(0, 10**6, (4, 40))
    with pytest.raises(BudgetExceededError, match=r"points in its window; the budget is 4,194,304"):
        ratio_pvalue(*table)
    with pytest.raises(BudgetExceededError, match=r"2\*\*52"):
        ratio_pvalue([2**52], [1], [0], [1])
