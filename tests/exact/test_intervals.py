"""Intervals that invert the exact tests: of means by all subsets, of medians by Walsh averages."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from betterthan.errors import BadValueError
from betterthan.exact import real, subset_means
from betterthan.exact.lattice import SignedSum
from betterthan.exact.subset_means import shift_interval
from betterthan.exact.walsh import walsh_interval
from betterthan.numeric import Alternative
from oracles import signed_sum_law

alphas = st.sampled_from([0.2, 0.1, 0.05])
SIDES = st.sampled_from(["two-sided", "greater", "less"])


def exact_low(e: list[int], w: list[int], tail: Fraction) -> float:
    """The k-th smallest mean of all subsets but the empty one."""
    chosen = (c for k in range(1, len(e) + 1) for c in combinations(range(len(e)), k))
    means = sorted(Fraction(sum(e[i] for i in c), sum(w[i] for i in c)) for c in chosen)
    rank = math.floor(tail * 2 ** len(e))
    return float(means[rank - 1]) if rank else -math.inf


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=9), alphas)
def test_ends_are_means_of_subsets(units: list[tuple[int, int]], alpha: float) -> None:
    e, w = map(list, zip(*units, strict=True))
    interval = shift_interval(e, weights=w, alpha=alpha)
    tail = Fraction(str(alpha)) / 2
    assert interval.low == pytest.approx(exact_low(e, w, tail), abs=1e-11)
    assert interval.high == pytest.approx(-exact_low([-x for x in e], w, tail), abs=1e-11)
    assert interval.estimate == pytest.approx(sum(e) / sum(w))


@pytest.mark.parametrize("level", [0.05, 1e-3, 1e-10])
@pytest.mark.parametrize("kind", ["joint", "searched"])
def test_every_engine_finds_the_same_ends(
    kind: str, level: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = np.random.default_rng(3).integers(-3, 6, 40) / 1.0
    monkeypatch.setattr(subset_means, "MAX_COSINES", 1 << 24 if kind == "joint" else 0)
    interval = shift_interval(d, alpha=level)
    joint = kind == "joint" and level > 1e-10  # whose tails a plain transform does not hold
    assert interval.engine == ("law of sum and size" if joint else "certified search")
    for x, end in ((d, interval.low), (-d, -interval.high)):
        for shift, rejected in ((end - 1e-9, True), (end + interval.slack + 1e-9, False)):
            p = real.pvalue(x - shift, alternative="greater", tolerance=1e-6)
            assert (p.value <= level / 2) == rejected


@pytest.mark.parametrize("rank", [1, 2, 5, 40])
def test_ends_near_the_last_pattern(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The empty subset counts, which only matters at the far ends."""
    d = np.random.default_rng(rank).integers(-40, 80, 16)
    alpha = 2 * (rank + 0.5) / 2**16
    listed = shift_interval(d, alpha=alpha)
    monkeypatch.setattr(subset_means, "MAX_LISTED", 0)
    joint = shift_interval(d, alpha=alpha)
    assert joint.engine == "law of sum and size"
    assert (joint.low, joint.high) == pytest.approx((listed.low, listed.high), abs=1e-11)


@pytest.mark.parametrize("n", [200, 900])
def test_a_lattice_end_is_where_the_exact_test_turns(n: int) -> None:
    d = np.random.default_rng(n).integers(-1, 2, n)
    interval = shift_interval(d)
    assert interval.engine == "law of sum and size"
    end = Fraction(interval.low).limit_denominator(n)
    steps = d * end.denominator - end.numerator
    law, observed = SignedSum.of(steps), int(steps.sum())
    assert law.tail(observed).value > 0.025
    assert law.tail(observed + 1).value + 2.0**-n <= 0.025  # any smaller shift: ties break away


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans())
@example(9217, False)  # a plateau, on which secants crawl
def test_the_search_encloses_the_listed_end(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    e, w = rng.standard_t(3, 15), rng.integers(1, 5, 15) if weighted else np.ones(15)
    listed = shift_interval(e, weights=w)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_means, "MAX_LISTED", 0)
        searched = shift_interval(e, weights=w)
    slack = searched.slack + 1e-10
    assert searched.low <= listed.low + 1e-10 <= searched.low + 2 * slack
    assert searched.high >= listed.high - 1e-10 >= searched.high - 2 * slack
    assert searched.slack <= 5e-3 * (listed.high - listed.low)


@pytest.mark.parametrize("n", [60, 1000])
def test_real_ends_are_certified(n: int) -> None:
    d = np.random.default_rng(n).normal(size=n) + 0.1
    interval = shift_interval(d, alpha=0.1)
    for x, end in ((d, interval.low), (-d, -interval.high)):
        outside = real.pvalue(x - end, alternative="greater", tolerance=1e-5)
        inside = real.pvalue(x - end - interval.slack, alternative="greater")
        assert outside.value <= 0.05 <= inside.high
    assert interval.slack <= 5e-3 * d.std() / math.sqrt(n)


def test_one_sided_and_mirror() -> None:
    d = np.random.default_rng(1).normal(size=50)
    both = shift_interval(d, alpha=0.1)
    below = shift_interval(d, alternative="greater")
    above = shift_interval(-d, alternative="less")
    assert below.low == both.low == -above.high
    assert below.high == math.inf == -above.low


def test_too_few_items_and_constants() -> None:
    assert shift_interval([1.5, 2.0, 3.5, 1.0, 7.0]).low == -math.inf  # 2 / 32 > 0.05
    assert math.isfinite(shift_interval([1.5, 2.0, 3.5, 1.0, 7.0, 2.0]).low)
    constant = shift_interval(np.full(40, math.sqrt(2)))
    assert constant.low <= math.sqrt(2) <= constant.high
    assert constant.high - constant.low < 1e-9
    assert shift_interval(np.zeros(30)).low == 0.0
    with pytest.raises(ValueError, match="alpha must be"):
        shift_interval([1.0], alpha=95)
    with pytest.raises(ValueError, match="weights must"):
        shift_interval([1.0, 2.0], weights=[1.0, 0.0])


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_differences_must_be_finite(bad: float) -> None:
    for interval in (shift_interval, walsh_interval):
        with pytest.raises(BadValueError, match="NaN or infinite at positions '7'"):
            interval([1, 2, 3, 4, 5, 6, 7, bad])
        with pytest.raises(BadValueError, match="at least one difference"):
            interval([])


@pytest.mark.parametrize("power", [-1000, -664, 332])
def test_the_search_does_not_depend_on_the_scale(power: int) -> None:
    d = np.random.default_rng(4).normal(0.4, 1.0, 40)
    plain, scaled = shift_interval(d), shift_interval(np.ldexp(d, power))
    assert plain.engine == scaled.engine == "certified search"
    found = [math.ldexp(x, -power) for x in (scaled.low, scaled.high, scaled.slack)]
    assert found == [plain.low, plain.high, plain.slack]


# Walsh averages.


def listed_averages(d: list[int], tail: Fraction) -> tuple[float, float]:
    """Order statistics of the sorted Walsh averages at the exact critical rank."""
    n = len(d)
    averages = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
    law = signed_sum_law(list(range(1, n + 1)))
    below = [sum(q for s, q in law.items() if s <= 2 * k - len(averages)) for k in range(n * n)]
    k = sum(p <= tail for p in below)
    return (averages[k - 1], averages[-k]) if k else (-math.inf, math.inf)


@settings(max_examples=100)
@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=10), st.sampled_from([0.2, 0.1, 0.05, 1e-3])
)
def test_ends_are_averages_of_two_items(d: list[int], alpha: float) -> None:
    interval = walsh_interval(d, alpha=alpha)
    assert (interval.low, interval.high) == listed_averages(d, Fraction(str(alpha)) / 2)
    averages = [(x + y) / 2 for i, x in enumerate(d) for y in d[i:]]
    assert interval.estimate == np.median(averages)


def test_depression_scores() -> None:
    """Hollander & Wolfe (1999), examples 3.3, 3.4: estimate -.46, 96 % limits -.786 and -.010."""
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    interval = walsh_interval(np.array(second) - first, alpha=0.04)
    assert interval.estimate == pytest.approx(-0.46)
    assert (interval.low, interval.high) == pytest.approx((-0.786, -0.010))


def test_many_items_are_counted() -> None:
    d = np.random.default_rng(2).normal(size=600)
    i, j = np.triu_indices(d.size)
    averages = np.sort(d[i] + d[j]) / 2
    interval = walsh_interval(d)
    for end in (interval.low, interval.high):
        assert np.abs(averages - end).min() < 1e-15
    assert interval.estimate == pytest.approx(np.median(averages), abs=1e-15)
    assert walsh_interval(d, alternative="greater", alpha=0.025).low == interval.low
    assert walsh_interval(d, alternative="greater").high == math.inf
    ratings, counts = np.arange(-4.0, 5.0), np.arange(1, 10) * 10**3  # 45,000 items
    many = walsh_interval(ratings, counts=counts)
    assert many.low == many.high == many.estimate


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=8),
    SIDES,
    st.sampled_from([1.0, 0.1, 2**0.5]),
)
def test_rows_with_counts(
    tally: list[tuple[int, int]], alternative: Alternative, unit: float
) -> None:
    rows, counts = np.array(tally)[:, 0] * unit, np.array(tally)[:, 1]
    for interval in (shift_interval, walsh_interval):
        tallied = interval(rows, counts=counts, alpha=0.1, alternative=alternative)
        twin = interval(np.repeat(rows, counts), alpha=0.1, alternative=alternative)
        assert tallied.engine == twin.engine
        slack = 1e-11 * (1 + np.abs(rows).sum()) + tallied.slack + twin.slack
        for end, other in ((tallied.low, twin.low), (tallied.high, twin.high)):
            assert end == pytest.approx(other, abs=slack)
    with pytest.raises(ValueError, match="counts must"):
        shift_interval([1, 2], counts=[1, 0])
