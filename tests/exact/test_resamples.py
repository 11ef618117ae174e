"""The ideal bootstrap against all resamples, in exact fractions and big integers."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.exact import ideal
from betterthan.exact.drawn_reals import TiltedDraws, tail_of_real_draws
from betterthan.exact.extremal import WantedPrecision, bracket, plan
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError
from oracles import assert_bounds
from oracles_bootstrap import drawn_sums

GOAL = WantedPrecision(1e-3, None)


def two_columns(patch: pytest.MonkeyPatch) -> None:
    """Ratios would be events of one sum where that is short: here they keep their two columns."""
    patch.setattr(ideal, "SUM_LATTICE", 0)


@given(
    st.lists(
        st.tuples(st.integers(-4, 4), st.integers(0, 4), st.integers(1, 2)), min_size=1, max_size=4
    ).filter(lambda rows: sum(row[-1] for row in rows) <= 5),
    st.integers(1, 7),
    st.integers(-10, 10),
    st.fractions(-2, 2, max_denominator=12),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=250, deadline=None)
def test_tails_of_sums_and_ratios(
    rows: list[tuple[int, int, int]],
    step: int,
    shift: int,
    r: Fraction,
    strict: bool,
    apart: bool,
) -> None:
    """Both tails of a sum at an attained value, and of a ratio at any; rows may repeat."""
    d, w, counts = map(list, zip(*rows, strict=True))
    d = [step * x + shift for x in d]
    law, n = drawn_sums(list(zip(d, w, strict=True)), counts), sum(counts)

    def chance(event: Callable[[Fraction, Fraction], bool]) -> Fraction:
        return sum((mass for sums, mass in law.items() if event(*sums)), Fraction(0))

    s = sorted(top for top, _ in law)[len(law) // 3]
    by_sum = ResampledRatio.of(d, counts=counts)
    assert_bounds(by_sum.tail(s / n), chance(lambda top, _: top >= s))
    assert_bounds(by_sum.lower(s / n, strict=strict), chance(lambda x, _: x <= s - strict))
    with pytest.MonkeyPatch.context() as patch:
        if apart:
            two_columns(patch)
        sut = ResampledRatio.of(d, w, counts)
        r *= step
        above = chance(lambda x, y: x - r * y > 0 if strict else x - r * y >= 0)
        assert_bounds(sut.tail(r, strict=strict), above)
        assert_bounds(sut.lower(r, strict=not strict), 1 - above)
    assert_bounds(sut.undefined, chance(lambda _, bottom: bottom == 0))


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 4)), min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from([0.5, 0.9, 0.95]) | st.fractions(0, 1).map(float).filter(lambda q: 0 < q < 1),
)
@settings(max_examples=120, deadline=None)
def test_quantiles_and_intervals(items: list[tuple[int, int]], alike: bool, q: float) -> None:
    """A quantile reaches its probability; an interval has half the error at or beyond each end."""
    d, w = zip(*[(x, 2 if alike else y) for x, y in items], strict=True)
    law: dict[Fraction, Fraction] = {}
    for (top, bottom), mass in drawn_sums(list(zip(d, w, strict=True)), [1] * len(d)).items():
        law[top / bottom] = law.get(top / bottom, Fraction(0)) + mass

    def lowest(share: Fraction) -> Fraction:
        return min(x for x in law if sum(p for y, p in law.items() if y <= x) >= share)

    sut, exact = ResampledRatio.of(d, w), Fraction(str(q))
    assert sut.quantile(q) == lowest(Fraction(q))
    if alike and q in (0.5, 0.9, 0.95):
        tail = (1 - exact) / 2
        high = max(x for x in law if sum(p for y, p in law.items() if y >= x) >= tail)
        assert sut.interval(q) == (lowest(tail), high)


def convolved(values: Sequence[int]) -> dict[int, int]:
    """Numerators (over ``n**n``) of the distribution of the resampled sum.

    Its generating polynomial is packed into one Python integer (Kronecker substitution).
    """
    n, low = len(values), min(values)
    size = math.ceil(n * math.log2(n) / 8) + 1  # bytes that hold n**n, the sum of all coefficients
    packed = sum(1 << 8 * size * (v - low) for v in values) ** n
    terms = n * (max(values) - low) + 1
    data = packed.to_bytes(terms * size, "little")
    coefficients = (int.from_bytes(data[size * i : size * (i + 1)], "little") for i in range(terms))
    return {n * low + i: c for i, c in enumerate(coefficients) if c}


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).choice([-3, -1, 0, 0, 1], 120).tolist(),
        np.random.default_rng(3).choice([-3, -1, 0, 0, 1, 1, 7], 120).tolist(),
        [1] * 30 + [0] * 350 + [-1] * 20,  # down to below the smallest double
        [0] * 39 + [1000],  # an outlier
        [2] * 20 + [0] * 19 + [1],  # a lattice in all but one item
        [*range(39), 700],
    ],
)
def test_tails_of_all_sizes_against_big_integers(values: list[int]) -> None:
    law, n = convolved(values), len(values)
    sut = ResampledRatio.of(values)
    places = sorted(law)
    for s in {*places[:: max(1, len(law) // 40)], sum(values) + 1, places[-2], places[-1]}:
        exact = Fraction(sum(mass for t, mass in law.items() if t >= s), n**n)
        assert_bounds(sut.event(1, 0, s), exact, error=1e-11 if n == 120 else 1e-10, near=1e-11)


def test_tiny_tail_of_a_ratio_against_big_integers() -> None:
    """Both routes, one column and two, give the tail of a ratio whose lattice is not tiny."""
    rng, n = np.random.default_rng(5), 60
    w = rng.integers(1, 9, n)
    d = rng.binomial(w, 0.3) - rng.binomial(w, 0.2)
    for r in (Fraction(1, 7), Fraction(2, 5), Fraction(9, 10)):
        law = convolved((r.denominator * d - r.numerator * w).tolist())
        for strict in (False, True):
            exact = Fraction(sum(m for s, m in law.items() if s >= int(strict)), n**n)
            assert_bounds(ResampledRatio.of(d, w).tail(r, strict=strict), exact)
            with pytest.MonkeyPatch.context() as patch:
                two_columns(patch)
                assert_bounds(ResampledRatio.of(d, w).tail(r, strict=strict), exact)


def binomial_log_tail(hits: int, n: int, p: Fraction) -> float:
    """Log of ``P(Binomial(n, p) >= hits)`` in forty digits, by the ratios of its terms."""
    with mpmath.workdps(40):
        share = mpmath.mpf(p.numerator) / p.denominator
        term = total = mpmath.mpf(1)
        for k in range(hits, n):
            term *= (n - k) * share / ((k + 1) * (1 - share))
            total += term
            if term < total * mpmath.mpf(10) ** -30:
                break
        first = mpmath.loggamma(n + 1) - mpmath.loggamma(hits + 1) - mpmath.loggamma(n - hits + 1)
        first += hits * mpmath.log(share) + (n - hits) * mpmath.log1p(-share)
        return float(first + mpmath.log(total))


@pytest.mark.parametrize(
    ("n", "ones", "hits", "ratio"),
    [
        *((1_000_000, 100_000, hits, False) for hits in (100_001, 100_100, 120_000)),
        *((4000, 1000, hits, True) for hits in (1001, 1100, 1400)),
    ],
)
def test_two_atoms_have_a_binomial_distribution(n: int, ones: int, hits: int, ratio: bool) -> None:
    """Zeros and ones; or a ratio of (0, 2) or (1, 5), which depends on how many are the second."""
    exact = binomial_log_tail(hits, n, Fraction(ones, n))
    with pytest.MonkeyPatch.context() as patch:
        two_columns(patch)
        counts = [n - ones, ones]
        law = ResampledRatio.of([0, 1], [2, 5] if ratio else None, counts)
        p = law.tail(Fraction(hits, 2 * n + 3 * hits if ratio else n))
    assert p.log_low <= exact <= p.log_high
    assert p.error < 1e-9


def test_degenerate_data() -> None:
    constant = ResampledRatio.of([3, 3, 3])
    assert constant.quantile(0.025) == constant.quantile(0.975) == 3
    rare = ResampledRatio.of([0] * 69 + [1])  # all draws must be the one item
    assert_bounds(rare.tail(Fraction(1)), Fraction(1, 70**70))
    assert_bounds(rare.lower(Fraction(0)), Fraction(69**70, 70**70))
    zero = ResampledRatio.of([0, 0], [0, 0])
    assert zero.undefined.value == zero.tail(Fraction(1, 2)).value == 1.0
    assert zero.tail(Fraction(1, 2), strict=True).value == 0.0
    assert ResampledRatio.of([1, 2, 4], [2, 4, 8]).quantile(0.3) == Fraction(1, 2)


wide = np.random.default_rng(0).integers(-(10**9), 10**9, 1000)
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: ResampledRatio.of(wide).event(1, 0, 10**9), "cells in its histogram; the budget is"),
    (lambda: ResampledRatio.of([2**59, 0, 1]), r"2\*\*60"),
    (lambda: ResampledRatio.of([0.5, 1.0]), "integers, got float64"),
    (lambda: ResampledRatio.of(np.zeros(0, dtype=np.int64)), "at least one item"),
    (lambda: ResampledRatio.of([1, 2], [1, -1]), "w must not be negative"),
    (lambda: ResampledRatio.of([1, 2], [1]), "2 and 1"),
    (lambda: ResampledRatio.of([1, 2]).interval(95), "confidence must be"),
    (lambda: ResampledRatio.of([1, 2]).quantile(1.0), "probability must be"),
    (lambda: ResampledRatio.of([0, 0], [0, 0]).quantile(0.5), "every denominator is zero"),
]


@pytest.mark.parametrize(("ask", "message"), REFUSED)
def test_wrong_input_and_what_costs_too_much(ask: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()


def test_order_is_irrelevant_and_reflection_exchanges_the_tails() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(-20, 30, 500)
    law, mirrored = ResampledRatio.of(values), ResampledRatio.of(-values)
    for shift in (-900, 0, 900):
        mean = Fraction(int(values.sum()) + shift, 500)
        assert law.tail(mean) == ResampledRatio.of(rng.permutation(values)).tail(mean)
        assert law.tail(mean).value == pytest.approx(mirrored.lower(-mean).value, rel=1e-12)
        above = law.tail(mean, strict=True).value
        assert above + law.lower(mean).value == pytest.approx(1.0, rel=1e-14)


# Real numbers: certified brackets.

VALUES = st.lists(
    st.tuples(st.floats(-100.0, 100.0).filter(lambda x: abs(x) > 1e-3), st.integers(1, 3)),
    min_size=2,
    max_size=4,
    unique_by=lambda pair: pair[0],
)


def real_law(pairs: list[tuple[float, int]]) -> tuple[Any, Any, dict[Fraction, Fraction]]:
    values, counts = zip(*pairs, strict=True)
    law = drawn_sums([(x,) for x in values], counts)
    return np.array(values), np.array(counts), {total: mass for (total,), mass in law.items()}


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from([1e-1, 1e-3]))
def test_the_bracket_contains_all_resamples(
    pairs: list[tuple[float, int]], tolerance: float
) -> None:
    """As asked for, by Chernoff's bound, and by any number of frequencies however small."""
    z, times, law = real_law(pairs)
    assume(all(abs(total) > 1e-8 for total in law))
    truth = sum((mass for total, mass in law.items() if total >= 0), Fraction(0))
    try:
        p = tail_of_real_draws(z, times, WantedPrecision(tolerance, None), 1e-9)
    except BudgetExceededError:
        assume(z.max() > 0)
    else:
        assert_bounds(p, truth, error=tolerance, near=tolerance)
    if z.max() > 0 and float(times @ z) <= 0:
        drawn = TiltedDraws.at(z, times)
        assert_bounds(drawn.chernoff(1e-10), truth, error=math.inf, near=math.inf)
        assume(drawn.sd > 1e-6)
        period, alias, _ = plan(drawn, 0.1)
        for frequencies in (2, 17, 300):
            coarse = bracket(drawn, period, alias, frequencies, doubt=1e-10, tolerance=0.1)
            assert coarse is not None
            assert_bounds(coarse, truth, error=math.inf, near=math.inf)


@settings(max_examples=30, deadline=None)
@given(VALUES, st.floats(2.0, 30.0))
@example([(0.5, 1), (-8.0, 3), (-83.0, 1)], 19.0)  # a mass of 1e-17 is not nothing
def test_what_the_shifts_add_is_bounded(pairs: list[tuple[float, int]], periods: float) -> None:
    z, times, law = real_law(pairs)
    assume(z.max() > 0 and float(times @ z) <= 0)
    drawn = TiltedDraws.at(z, times)
    assume(drawn.sd > 1e-3 * np.abs(z).max())
    period, added = periods * drawn.sd, 0.0
    for total, mass in law.items():
        tilted = float(mass) * math.exp(drawn.lam * float(total) - drawn.exponent)
        shifts = (float(total) + j * period for j in range(-60, 61) if j)
        added += tilted * sum(math.exp(-drawn.lam * x) for x in shifts if x >= 0)
    assert added <= drawn.aliasing()(period) * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["normal", "far outliers", "two clumps", "nearly a lattice"])
@pytest.mark.parametrize("n", [60, 3000])
def test_dead_frequencies_are_dead(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    z = {
        "normal": rng.normal(size=n),
        "far outliers": rng.standard_t(1.5, size=n),
        "two clumps": rng.choice([-1.0, 1.0], n) + 1e-6 * rng.normal(size=n),
        "nearly a lattice": rng.integers(-3, 4, n) + 1e-4 * rng.normal(size=n),
    }[kind]
    z -= z.mean() + 1.5 * z.std() / math.sqrt(n)
    drawn = TiltedDraws.at(z, np.ones(n, dtype=np.int64))
    period, frequencies, cut = 12.0 * drawn.sd, 3000, 18.0
    alive = drawn.alive(period, frequencies, cut)
    assert (np.diff(alive) > 0).all()
    dead = np.setdiff1d(np.arange(1, frequencies), alive)
    assert dead.size > 100
    for some in np.array_split(dead, 50):
        phi = np.exp(2j * np.pi / period * np.outer(some, z)) @ drawn.mass
        assert (n * np.log(np.abs(phi)) <= -cut * (1 - 1e-9)).all()


@pytest.mark.parametrize("scale", [1e-290, 1.0, 1e290])
@pytest.mark.parametrize("gap", [-0.7, 0.4, 2.5, 7.0])
def test_integers_have_the_distribution_on_their_lattice(scale: float, gap: float) -> None:
    """Half way between two sums there is no tie, and the two engines have nothing in common."""
    n = 400
    d = np.random.default_rng(n).poisson(30.0, n) - 30
    s = math.floor(d.sum() + gap * d.std() * math.sqrt(n))
    exact = ResampledRatio.of(d).tail(Fraction(s, n))
    z, ones = d - (s - 0.5) / n, np.ones(n, dtype=np.int64)
    p = tail_of_real_draws(scale * z, ones, GOAL, scale * 1e-9)
    assert p.low <= exact.high
    assert exact.low <= p.high
    assert p.error < 1e-3


def test_the_ends_of_the_distribution() -> None:
    ones, forty = np.ones(3, dtype=np.int64), np.ones(40, dtype=np.int64)
    assert tail_of_real_draws(np.array([-3.0, -1.0, -0.1]), ones, GOAL, 1e-9).value == 0.0
    assert tail_of_real_draws(np.array([3.0, 1.0, 0.1]), ones, GOAL, 1e-9).value == 1.0
    with pytest.raises(BudgetExceededError, match="rounding"):
        tail_of_real_draws(np.array([-3.0, -1.0, 0.0]), ones, GOAL, 1e-9)
    tied = np.random.default_rng(0).integers(-2, 3, 40).astype(float)
    with pytest.raises(BudgetExceededError, match="between"):
        tail_of_real_draws(tied - tied.mean(), forty, GOAL, 1e-9)


@pytest.mark.parametrize(("often", "n"), [(25, 26), (41, 43), (1, 40), (999_999, 1_000_000)])
def test_the_last_resample_is_bounded_to_the_last_bit(often: int, n: int) -> None:
    """``P(all draws are the largest)`` is the whole tail where the other value is far below."""
    z, counts = np.array([-n, 1.0]), np.array([n - often, often])
    low = TiltedDraws.at(z, counts).chernoff(0.0).log_low
    with localcontext(prec=60):
        truth = n * (Decimal(often) / n).ln()
        assert 1 - Decimal("1e-14") < truth / Decimal(low) <= 1


@pytest.mark.parametrize("variant", ["shift", "sign"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_resamples_approach_the_certified_p(variant: str, alternative: str) -> None:
    """99 % intervals of 20,000 resamples hold the p-value that none of them gave."""
    rng = np.random.default_rng(8)
    a = rng.exponential(size=400)
    b = a + rng.normal(0.05, 0.5, size=400)
    pair = np.stack([a, np.ones(400)], axis=1), np.stack([b, np.ones(400)], axis=1)
    share = bt.metrics.ratio({"x": 1}, {"w": 1})  # with one denominator for both
    asks: list[Any] = [partial(bt.bootstrap_test, a, b), partial(bt.bootstrap_test, *pair, share)]
    for ask in asks:
        for clusters in (None, rng.integers(0, 60, size=400)):
            how: dict[str, Any] = {"variant": variant, "alternative": alternative}
            sure = ask(clusters=clusters, **how)
            drawn = ask(clusters=clusters, method="sample", rng=3, **how)
            assert (sure.kind, drawn.kind) == ("certified", "sampled")
            assert drawn.pvalue_low <= sure.pvalue <= drawn.pvalue_high
            assert sure.pvalue_low <= sure.pvalue <= sure.pvalue_high <= sure.pvalue_low * 1.0011
