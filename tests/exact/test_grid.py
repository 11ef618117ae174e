import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import grid
from betterthan.exact.grid import BudgetExceededError, ratio_pvalue
from betterthan.exact.probability import Probability
from betterthan.exact.swaplaw import SwapLaw
from oracles import enumerate_pvalue

Rows = Sequence[tuple[int, ...]]
ALTERNATIVES = ["two-sided", "greater", "less"]


@contextmanager
def only_the_grid() -> Iterator[None]:
    """Few items would be enumerated: here they take the way of many."""
    few, some = grid.ENUMERATE_UP_TO, grid.ENUMERATE_AT_MOST
    grid.ENUMERATE_UP_TO = grid.ENUMERATE_AT_MOST = 0
    try:
        yield
    finally:
        grid.ENUMERATE_UP_TO, grid.ENUMERATE_AT_MOST = few, some


def ratio(rows: Rows) -> Fraction:
    num, den = sum(row[0] for row in rows), sum(row[1] for row in rows)
    return Fraction(num, den) if den else Fraction(0)


def delta(a: Rows, b: Rows) -> Fraction:
    return ratio(b) - ratio(a)


def columns(a: Rows, b: Rows) -> list[np.ndarray]:
    return [np.array([row[i] for row in side], dtype=np.int64) for side in (a, b) for i in (0, 1)]


def joint_counts(stay: np.ndarray, swap: np.ndarray) -> dict[tuple[int, ...], int]:
    """How many of the 2**n swaps give each vector of sums, in Python integers.

    A dense array of integers convolved with one item after the other: no tilting, no truncation.
    """
    low = np.minimum(stay, swap)
    steps = np.stack([stay - low, swap - low])
    counts = np.ones((1,) * stay.shape[1], dtype=object)
    for here, there in zip(*steps, strict=True):
        shape = np.add(counts.shape, np.maximum(here, there))
        after = np.zeros(shape, dtype=object)
        for move in (here, there):
            after[tuple(slice(m, m + s) for m, s in zip(move, counts.shape, strict=True))] += counts
        counts = after
    start = low.sum(axis=0)
    return {tuple((start + index).tolist()): counts[tuple(index)] for index in np.argwhere(counts)}


def count_pvalue(a: Rows, b: Rows, alternative: str) -> Fraction:
    """P-value of a ratio's difference from the counts of all joint sums."""
    stay, swap = np.array(b), np.array(a)
    num_total, den_total = (int(t) for t in (stay + swap).sum(axis=0))
    observed = delta(a, b)
    hits = 0
    for (num, den), ways in joint_counts(stay, swap).items():
        value = delta([(num_total - num, den_total - den)], [(num, den)])
        extreme = {
            "two-sided": abs(value) >= abs(observed),
            "greater": value >= observed,
            "less": value <= observed,
        }
        hits += ways if extreme[alternative] else 0
    return Fraction(hits, 2 ** len(a))


def log_of(p: Fraction) -> float:
    """Natural logarithm of a fraction that may underflow, to a few units in the last place."""
    shift = p.denominator.bit_length() - p.numerator.bit_length()
    return math.log(p * Fraction(2) ** shift) - shift * math.log(2.0)


def assert_contains(p: Probability, truth: Fraction, error: float = 1e-9) -> None:
    slack = 4e-16 * (1 - p.log)  # of the logarithms compared here
    assert p.log_low - slack <= log_of(truth) <= p.log_high + slack
    assert p.error < error
    assert abs(math.expm1(p.log - log_of(truth))) <= p.error + slack


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


@settings(deadline=None, max_examples=300)
@given(ITEMS, st.sampled_from(ALTERNATIVES), st.booleans())
def test_ratios_match_all_swaps(items: list[Any], alternative: str, on_grid: bool) -> None:
    a, b = [item[0] for item in items], [item[1] for item in items]
    truth = enumerate_pvalue(a, b, delta, alternative)
    if on_grid:
        with only_the_grid():
            p = ratio_pvalue(*columns(a, b), alternative=alternative)
    else:
        p = ratio_pvalue(*columns(a, b), alternative=alternative)
    assert_contains(p, truth)


def corpus(n: int, rng: np.random.Generator, better: float = 0.3) -> tuple[Rows, Rows]:
    """Sentences of two taggers as rows of F1's numerator and denominator."""
    gold = rng.poisson(1.6, n)
    systems = []
    for skill in (0.6, 0.6 + better):
        tp = rng.binomial(gold, skill)
        pred = tp + rng.binomial(gold - tp + 1, 0.2)
        systems.append([(int(2 * t), int(p + g)) for t, p, g in zip(tp, pred, gold, strict=True)])
    return systems[0], systems[1]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "better"), [(40, 0.0), (60, 0.1), (60, -0.1)])
def test_f1_matches_integer_counts(n: int, better: float, alternative: str) -> None:
    a, b = corpus(n, np.random.default_rng(n), better)
    p = ratio_pvalue(*columns(a, b), alternative=alternative)
    assert_contains(p, count_pvalue(a, b, alternative), error=1e-11)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_long_items_with_as_many_differences(alternative: str) -> None:
    rng = np.random.default_rng(17)
    a, b = ([(int(x), int(y)) for x, y in rng.integers((0, 1), (7, 13), (30, 2))] for _ in "ab")
    p = ratio_pvalue(*columns(a, b), alternative=alternative)
    assert_contains(p, count_pvalue(a, b, alternative), error=1e-11)


@pytest.mark.parametrize("better", [0.32, 0.36, 0.39])
def test_tiny_p_keeps_its_digits(better: float) -> None:
    a, b = corpus(220, np.random.default_rng(5), better)
    truth = count_pvalue(a, b, "two-sided")
    assert truth < 1e-8
    assert_contains(ratio_pvalue(*columns(a, b)), truth, error=1e-10)


def test_p_below_the_smallest_double() -> None:
    n = 1200  # b is right everywhere: only the observed data and their mirror are as extreme
    a, b = [(0, 3), (0, 2)] * (n // 2), [(2, 2), (1, 2)] * (n // 2)
    p = ratio_pvalue(*columns(a, b))
    assert p.value == 0.0
    assert p.log == pytest.approx((1 - n) * math.log(2.0), rel=1e-13)
    assert_contains(p, Fraction(2, 2**n))


def test_p_of_1e_minus_50_for_precision() -> None:
    rng = np.random.default_rng(8)
    a = [
        (int(t), 1 + int(e))
        for t, e in zip(rng.integers(0, 2, 250), rng.integers(0, 2, 250), strict=True)
    ]
    b = [(1, 1) if rng.random() < 0.95 else row for row in a]
    truth = count_pvalue(a, b, "two-sided")
    assert truth < 1e-30
    assert_contains(ratio_pvalue(*columns(a, b)), truth, error=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_one_live_dimension_in_two_columns(alternative: str) -> None:
    rng = np.random.default_rng(2)
    moves = rng.integers(-3, 5, 40)
    a = [
        (int(x), int(y))
        for x, y in zip(rng.integers(3, 9, 40), rng.integers(9, 20, 40), strict=True)
    ]
    b = [(num + int(m), den + 2 * int(m)) for (num, den), m in zip(a, moves, strict=True)]
    law = SwapLaw.of(np.array(b), np.array(a))
    assert law.basis.T.tolist() in ([[1, 2]], [[-1, -2]])
    p = ratio_pvalue(*columns(a, b), alternative=alternative)
    assert_contains(p, count_pvalue(a, b, alternative), error=1e-11)


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


def test_huge_counts_tie_exactly() -> None:
    big = 10**9 + 7  # cross products near 1e20
    a = [(big - 1, 3 * big), (1, big)] + [(0, 3)] * 18
    b = [(big, 3 * big - 1), (0, big + 1)] + [(3, 3)] * 18
    with pytest.raises(BudgetExceededError), only_the_grid():
        ratio_pvalue(*columns([(i * big, big) for i in range(30)], [(i, i * i) for i in range(30)]))
    assert_contains(ratio_pvalue(*columns(a, b)), count_free(a, b))


def count_free(a: Rows, b: Rows) -> Fraction:
    """P-value by sums of the groups of equal items: binomial weights, exact deltas."""
    groups: dict[tuple[Any, Any], int] = {}
    for pair in zip(a, b, strict=True):
        groups[pair] = groups.get(pair, 0) + 1
    states: dict[tuple[int, int], int] = {(0, 0): 1}
    for (x, y), size in groups.items():
        after: dict[tuple[int, int], int] = {}
        for (num, den), ways in states.items():
            for k in range(size + 1):
                key = (num + k * x[0] + (size - k) * y[0], den + k * x[1] + (size - k) * y[1])
                after[key] = after.get(key, 0) + ways * math.comb(size, k)
        states = after
    total = [sum(row[i] for row in [*a, *b]) for i in (0, 1)]
    observed = abs(delta(a, b))
    hits = sum(
        ways
        for (num, den), ways in states.items()
        if abs(delta([(total[0] - num, total[1] - den)], [(num, den)])) >= observed
    )
    return Fraction(hits, 2 ** len(a))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(20, 400), st.floats(-0.2, 0.2))
def test_algebra(seed: int, n: int, better: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = corpus(n, rng, better)
    num_a, den_a, num_b, den_b = columns(a, b)
    p = ratio_pvalue(num_a, den_a, num_b, den_b)
    assert 0.0 < p.value <= 1.0
    order = rng.permutation(n)
    for same in (
        ratio_pvalue(num_b, den_b, num_a, den_a),
        ratio_pvalue(num_a[order], den_a[order], num_b[order], den_b[order]),
        ratio_pvalue(3 * num_a, 7 * den_a, 3 * num_b, 7 * den_b),
        ratio_pvalue(num_a + 2 * den_a, den_a, num_b + 2 * den_b, den_b),  # delta is the same
    ):
        assert same.log == pytest.approx(p.log, rel=1e-11, abs=1e-11)
    greater = ratio_pvalue(num_a, den_a, num_b, den_b, alternative="greater")
    less = ratio_pvalue(num_a, den_a, num_b, den_b, alternative="less")
    assert greater.high + less.high >= 1.0  # the truths add up to one and the mass at delta
    assert ratio_pvalue(num_a, den_a, num_a, den_a).value == 1.0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_nothing_to_compare(alternative: str) -> None:
    zero, one = np.zeros(30, dtype=np.int64), np.ones(30, dtype=np.int64)
    assert ratio_pvalue([], [], [], [], alternative=alternative).value == 1.0
    no_denominator = ratio_pvalue(zero, zero, one, zero, alternative=alternative)
    assert_contains(no_denominator, Fraction(1), error=1e-12)
    assert ratio_pvalue(one, one, one, one, alternative=alternative).value == 1.0


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="alternative"):
        ratio_pvalue([1], [1], [0], [1], alternative="bigger")
    with pytest.raises(ValueError, match="integers"):
        ratio_pvalue([0.5], [1], [0], [1])
    with pytest.raises(ValueError, match="integers"):
        ratio_pvalue([math.nan], [1], [0], [1])
    with pytest.raises(ValueError, match="1 and 2 items"):
        ratio_pvalue([1], [1], [0, 0], [1, 1])
    with pytest.raises(ValueError, match="must agree"):
        grid.test([[1, 2]], [[1, 2, 3]], max)
    with pytest.raises(ValueError, match="NaN"):
        grid.test([[1]], [[2]], lambda x: math.nan)


def test_a_budget_is_kept_and_its_reason_told() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 10**6, (4, 40))
    with pytest.raises(BudgetExceededError, match=r"points in its window; the budget is 4,194,304"):
        ratio_pvalue(*table)
    with pytest.raises(BudgetExceededError, match=r"2\*\*52"):
        ratio_pvalue([2**52], [1], [0], [1])


# Any function of any sums.


def f1_difference(tp_u: Any, in_u: Any, tp_v: Any, in_v: Any) -> Any:
    """Equation 16 of Zmigrod et al. (2022)."""
    return tp_u / (tp_u + in_u / 2) - tp_v / (tp_v + in_v / 2)


def paper_f1(n: int, rng: np.random.Generator, better: float) -> tuple[Any, Any, Rows, Rows]:
    gold = rng.poisson(1.6, n)
    systems = []
    for skill in (0.6 + better, 0.6):
        tp = rng.binomial(gold, skill)
        systems.append(np.stack([tp, gold - tp + rng.binomial(gold - tp + 1, 0.2)], axis=1))
    u, v = systems
    b, a = ([(2 * tp, 2 * tp + wrong) for tp, wrong in side.tolist()] for side in systems)
    return np.hstack([u, v]), np.hstack([v, u]), a, b


@pytest.mark.parametrize(("n", "better"), [(12, 0.2), (60, 0.1), (150, 0.3), (200, 0.35)])
@pytest.mark.parametrize("two_sided", [True, False])
def test_the_papers_four_sums_are_f1(n: int, better: float, two_sided: bool) -> None:
    stay, swap, a, b = paper_f1(n, np.random.default_rng(n), better)
    h = (lambda *s: abs(f1_difference(*s))) if two_sided else f1_difference
    truth = count_pvalue(a, b, "two-sided" if two_sided else "greater")
    assert_contains(grid.test(stay, swap, h), truth)


def general_pvalue(stay: Any, swap: Any, h: Callable[..., Fraction]) -> Fraction:
    observed = h(*(int(s) for s in np.sum(stay, axis=0)))
    law = joint_counts(np.asarray(stay), np.asarray(swap))
    hits = sum(ways for sums, ways in law.items() if h(*sums) >= observed)
    return Fraction(hits, 2 ** len(stay))


STATISTICS: list[Callable[..., Any]] = [
    lambda x, y, z: x + 2 * y - z,
    lambda x, y, z: abs(x * y) - z * z,
    max,  # no arrays
    lambda x, y, z: (x > y) * 1,
]


@settings(deadline=None, max_examples=120)
@given(
    st.lists(st.tuples(*[st.integers(-2, 3)] * 6), min_size=1, max_size=9),
    st.sampled_from(STATISTICS),
    st.booleans(),
)
def test_any_function_of_three_sums(rows: Rows, h: Callable[..., Any], on_grid: bool) -> None:
    table = np.array(rows)
    stay, swap = table[:, :3], table[:, 3:]
    truth = general_pvalue(stay, swap, h)
    if on_grid:
        with only_the_grid():
            p = grid.test(stay, swap, h)
    else:
        p = grid.test(stay, swap, h)
    assert_contains(p, truth)


def test_three_live_dimensions() -> None:
    rng = np.random.default_rng(11)
    stay, swap = rng.integers(0, 2, (2, 60, 3))

    def h(x: Any, y: Any, z: Any) -> Any:
        return x * x + y * z

    assert_contains(grid.test(stay, swap, h), general_pvalue(stay, swap, h))


def test_tiny_p_of_a_function_without_gradient() -> None:
    stay = np.tile([[1, 0], [1, 1], [0, 1]], (40, 1))

    def h(x: Any, y: Any) -> Any:
        return np.floor(np.minimum(x, y) / 4)

    truth = general_pvalue(stay, -stay, lambda x, y: Fraction(min(x, y) // 4))
    assert truth < 1e-30
    assert_contains(grid.test(stay, -stay, h), truth)


def test_points_without_a_value_are_extreme() -> None:
    stay, swap = np.tile([[0, 1]], (20, 1)), np.tile([[1, 0]], (20, 1))
    # Undefined at (20, 0), the mirror image of the observed sums: 0 / 0, in arrays and in Python.
    for h in (lambda x, y: 0 * x / y - x, lambda x, y: 0 * min(x, 9) / y - x):
        assert_contains(grid.test(stay, swap, h), Fraction(2, 2**20))


@pytest.mark.parametrize("seed", range(12))
def test_nearly_all_items_won(seed: int) -> None:
    """The last points of the law, where a tilt overshoots: by the joint law, against all swaps."""
    rng = np.random.default_rng(seed)
    n = 17
    den = rng.integers(1, 4, (2, n))
    num = np.stack([np.where(rng.random(n) < 0.9, 0, 1), den[1] - (rng.random(n) < 0.1)])
    sides = (num[0], den[0], num[1], den[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "ENUMERATE_UP_TO", 0)
        patch.setattr(grid, "ENUMERATE_AT_MOST", 0)
        transformed = grid.ratio_pvalue(*sides)
        patch.setattr(grid, "ENUMERATE_UP_TO", n)
        listed = grid.ratio_pvalue(*sides)
    assert transformed.how == "lattice transform of the joint law"
    assert listed.how == "enumeration of all swaps"
    assert transformed.low <= listed.value <= transformed.high
    assert transformed.error < 1e-6
