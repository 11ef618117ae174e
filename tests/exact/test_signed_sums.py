"""Every engine of the permutation test of a sum against exact fractions: p, bounds and name."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import counting, grid, meet, published, rational, real
from betterthan.exact.enumeration import enumeration_pvalue
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.rational import Ratio
from betterthan.exact.tilt import Tilt, exact_dot, upper_tail
from betterthan.numeric import Alternative, Ints
from oracles import assert_bounds, signed_sum_law, signed_sum_pvalue, subsets_at_least

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
SIDES: dict[str, Callable[[Any], Any]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}
alternatives = st.sampled_from(ALTERNATIVES)


def fourier_sum(steps: Ints, counts: Ints, t: int) -> Probability:
    """P(T >= t) by the route of many items, however few there are."""
    total = exact_dot(steps, counts)
    return upper_tail(Tilt.at(steps, counts, excess=2 * t - total, total=total), total, t)


def by_fourier_sums(rows: Ints, counts: Ints, alternative: Alternative) -> Probability:
    """The p-value from the tail that the Fourier sum gives beyond the middle."""
    law, s = SignedSum.of(rows, counts), int(counts @ rows)
    s = {"two-sided": abs(s), "greater": s, "less": -s}[alternative]
    t = (law.reach + s // law.unit) // 2  # exact: the observed sum is one of the law's
    far = max(t, law.reach - t + 1)
    if not law.reach < 2 * far < 2 * law.reach:  # where it is not used
        return law.pvalue(int(counts @ rows), alternative)
    tail = fourier_sum(law.steps, law.counts, far)
    p = tail if far == t else tail.complement()
    return p.doubled() if alternative == "two-sided" else p


def published_by(convolve: Any) -> Callable[[Ints, Ints, Alternative], Probability]:
    def pvalue(rows: Ints, counts: Ints, alternative: Alternative) -> Probability:
        d = np.repeat(rows, counts)
        return Probability.of(
            published.exact_test(d, -d, SIDES[alternative], convolve=convolve), 1e-10
        )

    return pvalue


def by_joint_distribution(rows: Ints, counts: Ints, alternative: Alternative) -> Probability:
    column = rows[:, None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "ENUMERATE_UP_TO", 0)
        patch.setattr(grid, "ENUMERATE_AT_MOST", 0)
        return grid.test(column, -column, SIDES[alternative], counts=counts)


def by_enumeration(rows: Ints, counts: Ints, alternative: Alternative) -> Probability:
    d, side = np.repeat(rows, counts)[:, None], SIDES[alternative]
    p = enumeration_pvalue(d, -d, lambda s: side(s[:, 0]) >= side(d.sum()))
    return Ratio.of_fraction(p)


def of_reals(engine: Any, unit: float) -> Callable[[Ints, Ints, Alternative], Probability]:
    """Multiples of a unit that is not a double are ties up to rounding, and must count as ties."""

    def pvalue(rows: Ints, counts: Ints, alternative: Alternative) -> Probability:
        p: Probability = engine(rows * unit, counts=counts, alternative=alternative)
        return p

    return pvalue


ENGINES: dict[str, Callable[[Ints, Ints, Alternative], Probability]] = {
    "cheapest": lambda d, c, side: SignedSum.of(d, c).pvalue(int(c @ d), side),
    "huge unit": lambda d, c, side: SignedSum.of(d * 10**9, c).pvalue(10**9 * int(c @ d), side),
    "fractions": lambda d, c, side: Ratio.of_fraction(
        rational.signed_sum_pvalue(d, counts=c, alternative=side)
    ),
    "Fourier sum": by_fourier_sums,
    "joint distribution": by_joint_distribution,
    "enumeration": by_enumeration,
    "published dp": published_by("dp"),
    "published fft": published_by("fft"),
    **{f"meet {unit}": of_reals(meet.pvalue, unit) for unit in (1.0, 0.1, 1 / 3, 1e-300, 1e300)},
    **{f"bracket {unit}": of_reals(real.pvalue, unit) for unit in (1.0, 0.1, 1 / 3)},
}


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-30, 30), st.integers(1, 3)), max_size=6).filter(
        lambda units: sum(count for _, count in units) <= 13
    ),
    alternatives,
)
def test_every_engine_gives_the_exact_fraction(
    engine: str, units: list[tuple[int, int]], alternative: Alternative
) -> None:
    """Rows with counts, which may repeat; zeros; all three alternatives."""
    rows = np.array([d for d, _ in units], dtype=np.int64)
    counts = np.array([count for _, count in units], dtype=np.int64)
    truth = signed_sum_pvalue(np.repeat(rows, counts).tolist(), alternative)
    p = ENGINES[engine](rows, counts, alternative)
    assert_bounds(p, truth)
    assert p.low * (1 - 1e-15) <= truth <= p.high * (1 + 1e-15)
    if isinstance(p, Ratio):
        assert p.value == float(truth)


LARGE: dict[str, Callable[[Ints, Alternative], Probability]] = {
    "lattice": lambda d, side: SignedSum.of(d).pvalue(int(d.sum()), side),
    "bracket": lambda d, side: real.pvalue(np.asarray(d * 2**0.5), alternative=side, tolerance=0.1),
    "joint distribution": lambda d, side: by_joint_distribution(
        d, np.ones(d.size, dtype=np.int64), side
    ),
}


@pytest.mark.parametrize("engine", LARGE)
@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=60, max_size=150), st.integers(1, 10**3))
def test_algebra_of_many_items(engine: str, items: list[int], factor: int) -> None:
    """Mirror images, any order and any unit; and no two alternatives both reject."""
    d, ask = np.array(items, dtype=np.int64), LARGE[engine]
    p = ask(d, "two-sided")
    for same in (ask(-d[::-1], "two-sided"), ask(factor * d, "two-sided")):
        assert same.log_low <= p.log_high + 1e-12
        assert p.log_low <= same.log_high + 1e-12
        assert same.log == pytest.approx(p.log, rel=1e-11, abs=1e-11 + p.error)
    greater, less = ask(d, "greater"), ask(d, "less")
    assert ask(-d, "less").log == pytest.approx(greater.log, abs=1e-11 + greater.error)
    assert greater.high + less.high >= 1.0  # 1 and the mass of the observed sum
    assert ask(0 * d, "two-sided").value == 1.0


@pytest.mark.parametrize(
    ("ask", "how", "kind"),
    [
        (lambda: SignedSum.of(np.arange(1, 20)).pvalue(40), "whole-number counts", Ratio),
        (lambda: SignedSum.of(np.arange(1, 3000)).pvalue(9), "lattice transform", Probability),
        (lambda: grid.ratio_pvalue([0], [1], [1], [2]), "enumeration of all swaps", Ratio),
        (lambda: real.pvalue(np.sqrt(np.arange(1.0, 21.0))), "meet in the middle", Probability),
        (lambda: real.pvalue(np.sin(np.arange(300.0))), "Graham-Vaaler bracket", Probability),
    ],
)  # fmt: skip
def test_what_was_done_is_named(ask: Callable[[], Probability], how: str, kind: type) -> None:
    p = ask()
    assert p.how == how
    assert type(p) is kind


# Published numbers.


def test_darwins_plants() -> None:
    """Fisher (1935), The Design of Experiments, section 21: 1726 of 32768 arrangements."""
    eighths = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48])
    for engine in ("cheapest", "fractions", "Fourier sum", "meet 0.1", "bracket 0.1"):
        p = ENGINES[engine](eighths, np.ones(15, dtype=np.int64), "two-sided")
        assert p.value == pytest.approx(1726 / 32768, rel=1e-12)


@pytest.mark.parametrize("convolve", ["dp", "fft"])
def test_the_published_algorithms(convolve: Any) -> None:
    """Straight wins, of which the authors' program loses all below 1e-8; and any function."""
    wins = np.ones(30, dtype=np.int64)
    assert published.exact_test(wins, -wins, np.abs, convolve=convolve) == pytest.approx(2.0**-29)
    assert published.exact_test([], [], np.abs, convolve=convolve) == 1.0
    assert published.exact_test([3, 1], [3, 1], np.abs, convolve=convolve) == 1.0
    stay, swap = np.random.default_rng(6).integers(-3, 5, (2, 9, 2))
    h = lambda x, y: x * x - 3 * y  # noqa: E731
    p = published.exact_test(stay, swap, h, convolve=convolve)
    assert p == pytest.approx(grid.test(stay, swap, h).value, abs=1e-12)
    sampled = published.monte_carlo(stay, swap, h, 40_000, rng=1)
    assert abs(sampled - p) <= 5.0 * math.sqrt(p * (1.0 - p) / 40_000)  # five sigma
    assert published.monte_carlo([], [], np.abs, 10, rng=0) == 1.0


def test_monte_carlo_counts_ties() -> None:
    d = np.array([1, 1, -1, 2, 0, 1, -2, 1, 3, -1])
    exact = float(signed_sum_pvalue(d.tolist()))
    assert published.monte_carlo(d, -d, np.abs, 100_000, rng=3) == pytest.approx(exact, abs=0.006)


# Counting.


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=5, unique=True),
    st.sampled_from([1, 7, 10**6, 10**25]),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_patterns_by_all_routes(steps: list[int], unit: int, data: st.DataObject) -> None:
    steps = [step * unit for step in sorted(steps)]
    most = data.draw(st.sampled_from([2, 9, 40]))
    counts = data.draw(st.lists(st.integers(1, most), min_size=len(steps), max_size=len(steps)))
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    degree = data.draw(st.integers(0, total))
    expected = subsets_at_least(steps, counts, total - degree)
    assert counting.patterns_at_least(steps, counts, total - degree) == expected
    assert counting._by_halves(steps, counts, degree) == expected
    if unit <= 7:
        assert counting._by_packing(steps, counts, degree) == expected


def test_items_and_not_their_sizes_decide_the_cost_of_counting() -> None:
    d = [3 * 10**30, -(10**30), 10**30 + 1, 5]
    p = rational.signed_sum_pvalue(d, alternative="greater")
    assert p == signed_sum_pvalue(d, "greater")
    assert rational.signed_sum_pvalue([10**9 + j for j in range(40)]) == Fraction(1, 2**39)
    coins = np.array([1] * 700 + [-1] * 500, dtype=np.int8)
    tail = sum(math.comb(1200, j) for j in range(700, 1201))
    assert rational.signed_sum_pvalue(coins) == Fraction(2 * tail, 2**1200)


@given(st.lists(st.integers(-25, 25), max_size=12), st.integers(-300, 300))
@settings(max_examples=60, deadline=None)
def test_any_observed_value(d: list[int], observed: int) -> None:
    law = signed_sum_law(d)
    greater = sum((m for s, m in law.items() if s >= observed), Fraction(0))
    two_sided = sum((m for s, m in law.items() if abs(s) >= abs(observed)), Fraction(0))
    assert rational.signed_sum_pvalue(d, observed=observed, alternative="greater") == greater
    assert rational.signed_sum_pvalue(d, observed=observed) == two_sided
    assert_bounds(SignedSum.of(np.array(d, dtype=np.int64)).tail(observed), greater)


@given(st.fractions(0, 1))
@settings(max_examples=100, deadline=None)
def test_a_fraction_is_correctly_rounded(x: Fraction) -> None:
    p = Ratio.of_fraction(x)
    assert p.value == p.low == p.high == float(x)
    assert p.error == 0.0
    assert p.complement().value == float(1 - x)
    assert p.doubled().value == float(min(2 * x, Fraction(1)))
    if x:
        assert p.log == pytest.approx(math.log(x), rel=1e-14, abs=1e-15)


# Meeting in the middle.


@pytest.mark.parametrize("n", [30, 44])
def test_many_items_meet_in_the_middle(n: int) -> None:
    steps = np.random.default_rng(n).integers(-50, 60, n)
    p = meet.pvalue(np.asarray(steps * 0.01))
    assert p.value == pytest.approx(float(signed_sum_pvalue(steps.tolist())), rel=1e-13)


def test_only_free_signs_count_towards_the_limit() -> None:
    """Two losses of 0.1 among 998 wins of at least 1: few signs can ever change."""
    d = np.concatenate([[-0.1, -0.1], np.linspace(1.0, 2.0, 998)])
    assert meet.pvalue(d).log == pytest.approx(math.log(8) - 1000 * math.log(2), rel=1e-14)
    with pytest.raises(ValueError, match="44 free signs, not 1000"):
        meet.pvalue(np.tile([1.0, -1.5], 500))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 20), max_size=9), st.integers(0, 60), st.integers(0, 9))
def test_a_doubt_is_covered(sizes: list[int], threshold: int, doubt: int) -> None:
    """Bounds of a tail whose threshold is known to within a doubt, halves being between sums."""
    law, total = signed_sum_law(sizes), sum(sizes)
    t = min(threshold, total) - 0.5
    p = meet.tail(np.array(sizes, dtype=float), t, doubt + 0.25)
    for at in (t - doubt, t + doubt):
        truth = sum((m for s, m in law.items() if s >= at), Fraction(0))
        assert p.low * (1 - 1e-14) <= truth <= p.high * (1 + 1e-14)


# Wrong input.


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: enumeration_pvalue(np.zeros((25, 1)), np.ones((25, 1)), np.isnan), "24 items, not 25"),
    (lambda: published.exact_test([0.5], [1], np.abs), "integers"),
    (lambda: published.exact_test([1, 2], [1], np.abs), "same shape"),
    (lambda: published.exact_test([[[1]]], [[[1]]], np.abs), "shape"),
    (lambda: published.monte_carlo([1], [1], np.abs, 0), "samples"),
    (lambda: rational.signed_sum_pvalue([1], alternative="more"), "alternative"),  # type: ignore[arg-type]
    (lambda: real.pvalue(np.ones(3), tolerance=0.0), "tolerance"),
    *(
        (partial(rational.signed_sum_pvalue, [bad] * 6), "integers")  # type: ignore[list-item]
        for bad in (0.4, math.nan, math.inf, "1", None)
    ),
    *(
        (partial(ask, bad), "counts must")
        for bad in ([1], [1, 0], [1.5, 1.0], [[1, 1]])
        for ask in (
            lambda counts: SignedSum.of([1, 2], counts),
            lambda counts: real.pvalue(np.array([1.0, 2.0]), counts=counts),
            lambda counts: grid.ratio_pvalue([1, 2], [1, 2], [1, 2], [2, 4], counts=counts),
        )
    ),
]


@pytest.mark.parametrize(("ask", "message"), REFUSED)
def test_wrong_input(ask: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()


def test_what_costs_too_much() -> None:
    huge, many = np.array([10**10, 1]), np.full(60_000, 70)
    counted = list(range(901, 1001)) * 200
    toward = partial(rational.signed_sum_pvalue, observed=0, alternative="less")
    for ask, message in (
        (lambda: published.exact_test(huge, -huge, np.abs, convolve="dp"), "20,000,000,003 cells"),
        (lambda: published.exact_test(huge, -huge, np.abs), "20,000,000,003 cells"),
        (lambda: published.exact_test(many, -many, np.abs, convolve="dp"), "takes some"),
        (lambda: toward(counted), "20,000"),
        (lambda: toward(range(1, 1000)), "17 s"),
    ):
        with pytest.raises(BudgetExceededError, match=message):
            ask()
