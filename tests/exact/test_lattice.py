"""The law of a signed sum against exact fractions."""

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import tilt
from betterthan.exact.lattice import BUDGET, SignedSum
from betterthan.exact.probability import Probability
from betterthan.exact.rational import Ratio
from betterthan.exact.tilt import Tilt, exact_dot, upper_tail
from betterthan.numeric import Ints
from oracles import assert_bounds, log_of, signed_sum_law, subsets_at_least

differences = st.lists(st.integers(-30, 30), max_size=14)


def fourier_sum(steps: Ints, counts: Ints, t: int) -> Probability:
    """P(T >= t) by the route of many items, however few there are."""
    total = exact_dot(steps, counts)
    return upper_tail(Tilt.at(steps, counts, excess=2 * t - total, total=total), total, t)


def heads(steps: list[int], counts: list[int], t: int) -> Fraction:
    """P(T >= t) in fractions."""
    return Fraction(subsets_at_least(steps, counts, t), 2 ** sum(counts))


@pytest.mark.parametrize("scale", [1, 10**3, 10**5])
def test_long_windows_keep_their_phases(scale: int) -> None:
    """Few items on a fine lattice: the window is long, and so are the phases of its weights."""
    d = [3 * scale, 2 * scale - 1, 3 * scale + 2, 1, 3 * scale + 2, 3 * scale]
    steps, counts = np.unique(d, return_counts=True)
    total = sum(d)
    for t in (total - 2 * scale + 1, total // 2 + scale):
        truth = heads(steps.tolist(), counts.tolist(), t)
        assert_bounds(fourier_sum(steps, counts, t), truth, error=1e-10)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=25),
    st.floats(0.0, 1.0, exclude_max=True),
    st.sampled_from([36.0, 12.0, 3.0]),
)
@settings(max_examples=150, deadline=None)
def test_fourier_sum_on_small_laws(d: list[int], where: float, left_out: float) -> None:
    """The route of many items; t up to one below the top, and what is left out is bounded."""
    total = sum(d)
    middle = total // 2 + 1
    t = middle + int(where * (total - middle))
    if not 2 * t > total or t >= total:
        return
    truth = sum((m for v, m in signed_sum_law(d).items() if v >= 2 * t - total), Fraction(0))
    steps, counts = np.unique(np.array(d), return_counts=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tilt, "LEFT_OUT", left_out)
        p = fourier_sum(steps, counts, t)
    coarse = 1e-9 if left_out == 36.0 else math.inf
    assert_bounds(p, truth, error=coarse, near=coarse)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(1, 400), min_size=3, max_size=3),
    st.floats(0.0, 1.0, exclude_max=True),
)
@settings(max_examples=30, deadline=None)
def test_many_items_down_to_tiny_tails(steps: list[int], counts: list[int], where: float) -> None:
    steps, counts = sorted(steps), counts[: len(steps)]
    counts = [c if len(steps) < 3 else min(c, 40) for c in counts]
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    t = total // 2 + 1 + int(where * (total - total // 2 - 1))
    p = SignedSum.of_counts(steps, counts).tail(2 * t - total)
    assert_bounds(p, heads(steps, counts, t))


@pytest.mark.parametrize("missing", [1, 2, 3, 10, 100, 1000, 9_000, 15_999, 19_900, 19_999])
def test_binomial_tails_below_the_smallest_double(missing: int) -> None:
    """40,000 equal items: p from 1/2 down to 1e-12036, against sums of binomial coefficients."""
    n = 40_000
    terms = accumulate(range(1, missing + 1), lambda term, j: term * (n - j + 1) // j, initial=1)
    hits = sum(terms)
    p = SignedSum.of_counts([1], [n]).tail(n - 2 * missing)
    assert_bounds(p, Fraction(hits, 2**n), error=1e-8)
    assert p.log10 == pytest.approx(log_of(Fraction(hits, 2**n)) / math.log(10.0), rel=1e-14)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_no_difference_at_all(alternative: str) -> None:
    for items in (5, 0):
        law = SignedSum.of(np.zeros(items, dtype=int))
        assert law.pvalue(0, alternative).value == 1.0  # type: ignore[arg-type]
        assert law.tail(1).value == 0.0
        assert (law.n, law.total, law.variance, law.quantile(0.5)) == (0, 0, 0, 0)
        assert law.mass()[1].tolist() == [1.0]


def test_edges_of_the_support() -> None:
    odd = SignedSum.of(np.array([1, 2, 4, 8] * 501))  # its sum cannot be zero
    assert odd.total % 2 == odd.tail(0).value + odd.tail(1).value == odd.pvalue(1).value == 1.0
    law = SignedSum.of(np.array([5, 7, 7, 12] * 40))
    total = law.total
    assert law.tail(-total).value == law.tail(-total - 1).value == 1.0
    assert law.tail(total + 1).log == -math.inf
    assert_bounds(law.tail(total), Fraction(1, 2**160))
    assert_bounds(law.tail(total - 9), Fraction(1, 2**160))
    assert_bounds(law.tail(total - 10), Fraction(1 + 40, 2**160))
    assert_bounds(law.tail(total - 14), Fraction(1 + 40 + 80, 2**160))
    assert_bounds(law.tail(-total + 1), 1 - Fraction(1, 2**160))


def test_one_huge_step_and_many_tiny_ones() -> None:
    """The lattice has 10**15 points; the law of the rest is binomial."""
    n, huge = 3000, 10**15
    law = SignedSum.of_counts([1, huge], [n, 1])
    rest = SignedSum.of_counts([1], [n])
    assert law.cost(huge + 200) < 10**6  # a millisecond
    for s in (0, 2, 200, 900):
        assert law.tail(huge + s).log == pytest.approx(rest.tail(s).log - math.log(2), rel=1e-13)
    assert law.tail(500).value == 0.5
    assert law.tail(huge // 2).value == 0.5
    low = law.tail(2 - huge)
    assert low.value == pytest.approx(0.5 + 0.5 * rest.tail(2).value, rel=1e-13)
    assert low.low <= low.value <= low.high


@pytest.mark.parametrize("t", [500_500, 550_000, 550_002, 750_001, 900_999, 990_002, 998_500])
def test_almost_a_coarser_lattice(t: int) -> None:
    """Live frequencies far from zero, and thresholds in wide gaps between attainable values."""
    truth = heads([1000, 1001], [1000, 1], t)
    assert_bounds(fourier_sum(np.array([1000, 1001]), np.array([1000, 1]), t), truth)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_last_points_of_an_enormous_law(n: int) -> None:
    """All heads, or one tail: 1 + n + 1 patterns. At 10**9 items only the bounds are left."""
    p = fourier_sum(np.array([100, 101]), np.array([n, 1]), 100 * n + 101 - 199)
    truth = math.log(n + 2) - (n + 1) * math.log(2.0)
    assert p.log_low <= truth <= p.log_high
    assert p.log == pytest.approx(truth, rel=1e-7)


def test_huge_differences_do_not_blow_up() -> None:
    rng = np.random.default_rng(1)
    law = SignedSum.of(rng.integers(-(10**15), 10**15, size=1000))
    assert law.cost() > BUDGET
    with pytest.raises(ValueError, match="too fine"):
        law.tail(10**15)
    with pytest.raises(ValueError, match="too fine"):
        law.mass()
    three = np.array([10**15, -(10**15), 3 * 10**15])  # |±1 ±1 ±3| >= 3 in six patterns of eight
    three_law = SignedSum.of(three)
    assert three_law.pvalue(3 * 10**15).value == 0.75
    assert SignedSum.of(np.array([2**63 - 1])).total == 2**63 - 1
    for ask, message in (
        (lambda: SignedSum.of(np.array([-(2**63)])), "within"),
        (lambda: SignedSum.of(np.array([2**63], dtype=np.uint64)), "within"),
        (lambda: SignedSum.of(np.array([0.5, 1.0])), "integers"),
        (lambda: SignedSum.of_counts([2, 1], [1, 1]), "ascend"),
        (lambda: three_law.pvalue(1, "bigger"), "alternative"),  # type: ignore[arg-type]
        (lambda: three_law.quantile(0.0), "q must lie"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


@given(differences)
@settings(max_examples=100, deadline=None)
def test_mass_is_the_law(d: list[int]) -> None:
    law = SignedSum.of(np.array(d, dtype=np.int64))
    truth = signed_sum_law(d)
    values, probabilities = law.mass()
    assert set(truth) <= set(values.tolist())
    assert values.tolist() == list(range(-law.total, law.total + 1, 2 * law.unit))
    for value, p in zip(values.tolist(), probabilities.tolist(), strict=True):
        assert p == pytest.approx(float(truth.get(value, Fraction(0))), abs=1e-14)
    assert law.variance == sum(v * v * m for v, m in truth.items())


def test_mass_in_a_window() -> None:
    rng = np.random.default_rng(5)
    law = SignedSum.of(2 * rng.integers(-12, 13, size=20_000))
    values, probabilities = law.mass()
    assert len(values) < law.total / law.unit / 10
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-13)
    assert float(values**2 @ probabilities) == pytest.approx(law.variance, rel=1e-12)
    s = int(values[3 * len(values) // 5])
    assert probabilities[values >= s].sum() == pytest.approx(law.tail(s).value, rel=1e-11)


@given(differences, st.integers(1, 63))
@settings(max_examples=100, deadline=None)
def test_quantile(d: list[int], numerator: int) -> None:
    q = Fraction(numerator, 64)
    law = signed_sum_law(d)
    values = sorted(law)
    below = accumulate(law[v] for v in values)
    expected = next(v for v, mass in zip(values, below, strict=True) if mass >= q)
    found = SignedSum.of(np.array(d, dtype=np.int64)).quantile(float(q))
    assert sum((m for v, m in law.items() if v <= found), Fraction(0)) >= q
    assert found == expected


def test_few_items_are_counted_however_fine_their_lattice() -> None:
    """64 patterns are cheaper than 28 million terms, and give the fraction."""
    law = SignedSum.of(np.array([3000000, -1999999, 3000002, 1, 3000002, 3000000]))
    assert law.cost(10000006) < 10**6
    p = law.pvalue(10000006, "greater")
    assert isinstance(p, Ratio)
    assert p.fraction == Fraction(3, 64)
    forty = SignedSum.of(np.arange(10**12, 10**12 + 40))
    assert forty.cost(0) < BUDGET
