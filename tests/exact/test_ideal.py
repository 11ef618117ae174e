"""The ideal bootstrap against the law of all ``n**n`` resamples in exact fractions."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import ideal
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError, Probability

Pair = tuple[int, int]


def all_resamples(items: Sequence[Pair]) -> dict[Pair, Fraction]:
    """Law of the sums over every one of the ``n**n`` resamples."""
    n = len(items)
    sums = Counter(
        (sum(d for d, _ in draw), sum(w for _, w in draw)) for draw in product(items, repeat=n)
    )
    return {s: Fraction(count, n**n) for s, count in sums.items()}


def convolved(values: Sequence[int]) -> dict[int, int]:
    """Numerators (over ``n**n``) of the law of the resampled sum, by a power of a big integer.

    The law's generating polynomial is packed into one Python integer (Kronecker substitution).
    """
    n, low = len(values), min(values)
    size = math.ceil(n * math.log2(n) / 8) + 1  # bytes that hold n**n, the sum of all coefficients
    packed = sum(1 << 8 * size * (v - low) for v in values) ** n
    terms = n * (max(values) - low) + 1
    data = packed.to_bytes(terms * size, "little")
    coefficients = (int.from_bytes(data[size * i : size * (i + 1)], "little") for i in range(terms))
    return {n * low + i: c for i, c in enumerate(coefficients) if c}


def check(p: Probability, exact: Fraction, accuracy: float = 1e-11) -> None:
    """The truth lies within the bounds, and the bounds are tight."""
    if exact == 0:
        assert p.log == p.log_high == -math.inf
        return
    with mpmath.workdps(40):
        near_one = exact > Fraction(1, 2)
        x = 1 - exact if near_one else exact
        x = mpmath.mpf(x.numerator) / x.denominator
        log = mpmath.log1p(-x) if near_one else mpmath.log(x)
        assert p.log_low <= log <= p.log_high
        assert abs(p.log - log) <= accuracy
    assert p.error <= accuracy


small = st.lists(st.integers(-4, 4), min_size=1, max_size=5)
pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=5)


@given(small, st.integers(1, 7), st.integers(-10, 10))
@settings(max_examples=100, deadline=None)
def test_sum_equals_the_law_of_all_resamples(values: list[int], step: int, shift: int) -> None:
    values = [step * v + shift for v in values]
    law = {s: p for (s, _), p in all_resamples([(v, 0) for v in values]).items()}
    sut = ResampledRatio.of(values)
    for s in range(min(law) - 1, max(law) + 2):
        mean = Fraction(s, sut.n)
        check(sut.tail(mean), sum((p for t, p in law.items() if t >= s), Fraction(0)))
        check(sut.lower(mean), sum((p for t, p in law.items() if t <= s), Fraction(0)))


@given(small, st.fractions(0, 1).filter(lambda q: 0 < float(q) < 1))
@settings(max_examples=100, deadline=None)
def test_sum_quantile(values: list[int], q: Fraction) -> None:
    law = {s: p for (s, _), p in all_resamples([(v, 0) for v in values]).items()}
    exact = min(s for s in law if sum(p for t, p in law.items() if t <= s) >= q)
    assert ResampledRatio.of(values).quantile(float(q)) == Fraction(exact, len(values))


@given(small, st.sampled_from([0.5, 0.9, 0.95]))
@settings(max_examples=50, deadline=None)
def test_sum_interval_has_half_the_error_at_or_beyond_each_end(
    values: list[int], confidence: float
) -> None:
    law = {s: p for (s, _), p in all_resamples([(v, 0) for v in values]).items()}
    tail = (1 - Fraction(str(confidence))) / 2
    low = min(s for s in law if sum(p for t, p in law.items() if t <= s) >= tail)
    high = max(s for s in law if sum(p for t, p in law.items() if t >= s) >= tail)
    for w in (1, 2):
        assert ResampledRatio.of(values, np.full(len(values), w)).interval(confidence) == (
            Fraction(low, w * len(values)),
            Fraction(high, w * len(values)),
        )


@given(pairs, st.fractions(-2, 2, max_denominator=12), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_ratio_equals_the_law_of_all_resamples(
    items: list[Pair], r: Fraction, strict: bool, two_columns: bool
) -> None:
    d, w = zip(*items, strict=True)
    exceeds: Callable[[Fraction], bool] = (lambda x: x > 0) if strict else (lambda x: x >= 0)
    law = all_resamples(items)
    exact = sum((p for (a, b), p in law.items() if exceeds(a - r * b)), Fraction(0))
    with pytest.MonkeyPatch.context() as patch:
        if two_columns:
            patch.setattr(ideal, "SUM_LATTICE", 0)
        check(ResampledRatio.of(d, w).tail(r, strict=strict), exact)
    check(
        ResampledRatio.of(d, w).undefined,
        sum((p for (_, b), p in law.items() if b == 0), Fraction(0)),
    )


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 4)), min_size=1, max_size=5),
    st.fractions(0, 1).filter(lambda q: 0 < float(q) < 1),
)
@settings(max_examples=60, deadline=None)
def test_ratio_quantile(items: list[Pair], q: Fraction) -> None:
    law: dict[Fraction, Fraction] = {}
    for (a, b), p in all_resamples(items).items():
        law[Fraction(a, b)] = law.get(Fraction(a, b), Fraction(0)) + p
    exact = min(s for s in law if sum(p for t, p in law.items() if t <= s) >= q)
    assert ResampledRatio.of(*zip(*items, strict=True)).quantile(float(q)) == exact


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tails_of_all_sizes_against_big_integers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 120
    values = rng.choice([-3, -1, 0, 0, 1, 1, 7][: 4 + seed], size=n)
    law = convolved(values.tolist())
    sut = ResampledRatio.of(values)
    running, exact = 0, {}
    for s in sorted(law, reverse=True):
        running += law[s]
        exact[s] = Fraction(running, n**n)
    assert running == n**n
    for s in sorted(law)[:: max(1, len(law) // 60)]:
        check(sut.event(1, 0, s), exact[s])
    assert min(exact.values()) < Fraction(1, 10**30)


def test_a_p_of_1e_30_and_one_below_the_smallest_double() -> None:
    n = 400
    values = [1] * 30 + [0] * 350 + [-1] * 20
    law = convolved(values)
    sut = ResampledRatio.of(values)
    for s, below in ((80, 1e-15), (110, 1e-30), (390, 1e-320)):
        exact = Fraction(sum(mass for t, mass in law.items() if t >= s), n**n)
        assert exact < below
        check(sut.event(1, 0, s), exact)


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


@pytest.mark.parametrize("hits", [100_001, 100_100, 103_500, 120_000])
def test_a_million_zeros_and_ones_against_the_binomial_law(hits: int) -> None:
    n, ones = 1_000_000, 100_000
    p = ResampledRatio.of(np.repeat([0, 1], [n - ones, ones])).tail(Fraction(hits, n))
    exact = binomial_log_tail(hits, n, Fraction(ones, n))
    assert p.log_low <= exact <= p.log_high
    assert p.error < 1e-9


@pytest.mark.parametrize("extra", [1, 100, 400])
def test_a_ratio_of_two_atoms_against_the_binomial_law(extra: int) -> None:
    """With (d, w) either (0, 2) or (1, 5) the ratio depends on how many were the second alone."""
    n, seconds = 4000, 1000
    d, w = np.repeat([0, 1], [n - seconds, seconds]), np.repeat([2, 5], [n - seconds, seconds])
    hits = seconds + extra
    exact = binomial_log_tail(hits, n, Fraction(seconds, n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal, "SUM_LATTICE", 0)
        p = ResampledRatio.of(d, w).tail(Fraction(hits, 2 * n + 3 * hits))
    assert p.log_low <= exact <= p.log_high
    assert p.error < 1e-9


def test_tiny_tail_of_a_ratio_against_big_integers() -> None:
    """Both routes, one column and two, give the tail of a ratio whose lattice is not tiny."""
    rng = np.random.default_rng(5)
    n = 60
    w = rng.integers(1, 9, n)
    d = rng.binomial(w, 0.3) - rng.binomial(w, 0.2)
    for r in (Fraction(1, 7), Fraction(2, 5), Fraction(7, 11), Fraction(9, 10)):
        merged = (r.denominator * d - r.numerator * w).tolist()
        law = convolved(merged)
        for strict in (False, True):
            exact = Fraction(sum(m for s, m in law.items() if s >= int(strict)), n**n)
            check(ResampledRatio.of(d, w).tail(r, strict=strict), exact)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ideal, "SUM_LATTICE", 0)
                check(ResampledRatio.of(d, w).tail(r, strict=strict), exact)


def test_is_the_limit_of_a_million_resamples() -> None:
    rng = np.random.default_rng(11)
    n, b = 50, 1_000_000
    w = rng.integers(1, 60, n)
    d = rng.binomial(w, 0.5) - rng.binomial(w, 0.45)
    r = 2 * Fraction(int(d.sum()), int(w.sum()))
    hits = sums = 0
    for _ in range(20):
        counts = rng.multinomial(n, np.full(n, 1 / n), size=b // 20)
        hits += int((counts @ (r.denominator * d - r.numerator * w) > 0).sum())
        sums += int((counts @ d >= 2 * d.sum()).sum())
    for p, count in (
        (ResampledRatio.of(d, w).tail(r, strict=True).value, hits),
        (ResampledRatio.of(d).event(1, 0, 2 * int(d.sum())).value, sums),
    ):
        assert abs(count / b - p) < 4 * math.sqrt(p * (1 - p) / b)


def test_an_outlier_and_a_lattice_in_all_but_one_item() -> None:
    n = 40
    for values in ([0] * 39 + [1000], [2] * 20 + [0] * 19 + [1], [*range(39), 700]):
        law = convolved(values)
        sut = ResampledRatio.of(values)
        for s in {0, 1, sum(values), sum(values) + 1, 2 * sum(values), max(law) - 1, max(law)}:
            check(sut.event(1, 0, s), Fraction(sum(m for t, m in law.items() if t >= s), n**n))


def test_degenerate_data() -> None:
    constant = ResampledRatio.of([3, 3, 3])
    assert constant.quantile(0.025) == constant.quantile(0.975) == 3
    assert constant.tail(Fraction(3)).value == 1.0
    assert constant.tail(Fraction(3), strict=True).log == -math.inf
    rare = ResampledRatio.of([0] * 69 + [1])  # all draws must be the one item
    check(rare.tail(Fraction(1)), Fraction(1, 70**70))
    check(rare.lower(Fraction(0)), Fraction(69**70, 70**70))
    one = ResampledRatio.of([-2])
    assert one.tail(Fraction(-2)).value == one.lower(Fraction(-2)).value == 1.0
    assert one.tail(Fraction(-1)).value == 0.0
    zero = ResampledRatio.of([0, 0], [0, 0])
    assert zero.undefined.value == 1.0
    assert zero.tail(Fraction(1, 2)).value == 1.0
    assert zero.tail(Fraction(1, 2), strict=True).value == 0.0
    with pytest.raises(ValueError, match="every denominator is zero"):
        zero.quantile(0.5)
    assert ResampledRatio.of([1, 2, 4], [2, 4, 8]).quantile(0.3) == Fraction(1, 2)


def test_what_costs_too_much_or_is_no_integer_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(BudgetExceededError, match="cells in its histogram; the budget is"):
        ResampledRatio.of(rng.integers(-(10**9), 10**9, 1000)).event(1, 0, 10**9)
    with pytest.raises(BudgetExceededError, match=r"2\*\*60"):
        ResampledRatio.of([2**59, 0, 1])
    with pytest.raises(ValueError, match="integers, got float64"):
        ResampledRatio.of([0.5, 1.0])
    with pytest.raises(ValueError, match="at least one item"):
        ResampledRatio.of(np.zeros(0, dtype=np.int64))
    with pytest.raises(ValueError, match="w must not be negative"):
        ResampledRatio.of([1, 2], [1, -1]).tail(Fraction(1, 2))
    with pytest.raises(ValueError, match="2 and 1"):
        ResampledRatio.of([1, 2], [1]).tail(Fraction(1, 2))
    with pytest.raises(ValueError, match="confidence must be"):
        ResampledRatio.of([1, 2]).interval(95)
    with pytest.raises(ValueError, match="probability must be"):
        ResampledRatio.of([1, 2]).quantile(1.0)


def test_the_order_of_items_is_irrelevant_and_reflection_exchanges_the_tails() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(-20, 30, 500)
    law, mirrored = ResampledRatio.of(values), ResampledRatio.of(-values)
    for shift in (-900, 0, 900):
        mean = Fraction(int(values.sum()) + shift, 500)
        assert law.tail(mean) == ResampledRatio.of(rng.permutation(values)).tail(mean)
        assert law.tail(mean).value == pytest.approx(mirrored.lower(-mean).value, rel=1e-12)
        above = law.tail(mean, strict=True).value
        assert above + law.lower(mean).value == pytest.approx(1.0, rel=1e-14)
