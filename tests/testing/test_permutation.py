"""The permutation test: every metric, engine and type of number against enumerated fractions."""

import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.data.pairing import pair_of
from betterthan.errors import BadValueError
from betterthan.exact.probability import Probability
from betterthan.metrics import AER, F1, MEDIAN, PRECISION, RECALL, WER, Metric, fbeta, mean, sums
from betterthan.numeric import Alternative
from betterthan.testing.engines import certified, choose
from betterthan.testing.request import Request
from betterthan.testing.swaps import Shape, Swaps
from oracles import enumerate_pvalue, signed_sum_pvalue

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
alternatives = st.sampled_from(ALTERNATIVES)
Rows = Sequence[Sequence[Sequence[int]]]  # of each unit, its items, their columns


def product_of_sums(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return totals[..., 0] * totals[..., 1]


METRICS = [
    mean(),
    mean("latency", lower_is_better=True),
    *(metric.over_any_numbers() for metric in (F1, fbeta(2), PRECISION, RECALL, AER, WER)),
    sums(("x", "y"), product_of_sums),
    MEDIAN,
]


def fraction_score(metric: Metric, rows: Sequence[Sequence[int]]) -> Fraction:
    """The metric in exact fractions, from its declaration alone."""
    if metric is MEDIAN:
        column = sorted(row[0] for row in rows)
        half = len(column) // 2
        pair = column[half : half + 1] if len(column) % 2 else column[half - 1 : half + 1]
        return Fraction(sum(pair), len(pair))
    totals = [sum(column) for column in zip(*rows, strict=True)]
    if metric.form == "sums":
        return Fraction(totals[0] * totals[1])
    above = sum(c * t for c, t in zip(metric.numerator, totals, strict=True))
    if metric.form == "mean":
        return Fraction(above, len(rows))
    below = sum(c * t for c, t in zip(metric.denominator, totals, strict=True))
    return Fraction(above, below) if below else Fraction(0)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@settings(max_examples=80, deadline=None)
@given(data=st.data(), side=alternatives)
def test_every_metric_equals_enumeration(
    metric: Metric, data: st.DataObject, side: Alternative
) -> None:
    n, clustered = data.draw(st.integers(1, 9)), data.draw(st.booleans())
    k, sign = len(metric.columns), -1 if metric.lower_is_better else 1
    rows = st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n)
    a, b = data.draw(rows), data.draw(rows)
    labels = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    codes = data.draw(labels) if clustered else list(range(n))

    def delta(u: Rows, v: Rows) -> Fraction:
        old, new = (fraction_score(metric, [*itertools.chain(*x)]) for x in (u, v))
        return sign * (new - old)

    first, second = (
        [[x for x, code in zip(side_rows, codes, strict=True) if code == one] for one in set(codes)]
        for side_rows in (a, b)
    )
    result = bt.permutation_test(a, b, metric, side, clusters=codes if clustered else None)
    assert result.kind == "exact"
    assert result.clusters == (len(set(codes)) if clustered else None)
    exact = float(enumerate_pvalue(first, second, delta, side))
    assert result.pvalue == pytest.approx(exact, rel=1e-9)
    assert result.delta == pytest.approx(float(delta(first, second)), abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(
    metric=st.sampled_from(METRICS),
    side=st.sampled_from(ALTERNATIVES),
    n=st.integers(1, 60),
    seed=st.integers(0, 2**32 - 1),
    law=st.sampled_from(
        ["binary", "counts", "huge", "real", "cauchy", "tiny", "constant", "mixed"]
    ),
    clustered=st.booleans(),
)
def test_a_probability_comes_out(
    metric: Metric, side: Alternative, n: int, seed: int, law: str, clustered: bool
) -> None:
    rng = np.random.default_rng(seed)
    shape = (2, n, len(metric.columns))
    draw: Callable[[], Any] = {
        "binary": lambda: rng.integers(0, 2, shape),
        "counts": lambda: rng.poisson(2.0, shape),
        "huge": lambda: rng.integers(0, 10**9, shape),
        "real": lambda: rng.random(shape),
        "cauchy": lambda: np.abs(rng.standard_cauchy(shape)),
        "tiny": lambda: rng.random(shape) * 1e-200,
        "constant": lambda: np.ones(shape) * 0.1,
        "mixed": lambda: rng.integers(0, 3, shape) + (rng.random(shape) < 0.1) * np.pi,
    }[law]
    a, b = draw()
    clusters = rng.integers(0, max(n // 2, 1), n) if clustered else None
    result = bt.permutation_test(a, b, metric, side, clusters=clusters, resamples=200, rng=seed)
    assert 0.0 <= result.pvalue_low <= result.pvalue <= result.pvalue_high <= 1.0
    assert math.isfinite(result.log10_pvalue)
    assert result.log10_pvalue <= 0.0
    assert math.isfinite(result.delta)
    swapped = bt.permutation_test(b, a, metric, side, clusters=clusters, resamples=200, rng=seed)
    if side == "two-sided" and result.kind == "exact":
        assert swapped.pvalue == pytest.approx(result.pvalue, rel=1e-9)


def of_unit(unit: float) -> Callable[[NDArray[np.int64]], Any]:
    return lambda x: x * unit


def with_offset(offset: int, parts: int, dtype: str) -> Callable[[NDArray[np.int64]], Any]:
    """Decimals beside a large number hide their ties from floating point."""
    return lambda x: (offset + x / parts).astype(dtype).astype("f8" if dtype == "f4" else dtype)


def fractions(x: NDArray[np.int64]) -> Any:
    return np.array([Fraction(int(k), 997) for k in x], object)


FORMS: list[Callable[[NDArray[np.int64]], Any]] = [
    *(of_unit(unit) for unit in (1, 0.25, 1 / 3, 0.01, 0.1, 100.0)),
    *(with_offset(*form, "f8") for form in ((0, 1000), (100, 1000), (10_000, 10), (1, 10**5))),
    *(with_offset(*form, "f4") for form in ((0, 10), (0, 1000), (100, 1000), (2, 7))),
    lambda x: (x / 10).astype("f4"),
    fractions,
    lambda x: [Decimal(int(k)) / 10 for k in x],
]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12),
    alternatives,
)
def test_numbers_tie_whatever_form_they_come_in(
    form: Callable[[NDArray[np.int64]], Any], pairs: list[tuple[int, int]], side: Alternative
) -> None:
    a, b = (form(np.array(x)) for x in zip(*pairs, strict=True))
    result = bt.permutation_test(a, b, alternative=side)
    exact = float(signed_sum_pvalue([y - x for x, y in pairs], side))
    assert result.kind == "exact" or form is fractions
    assert result.pvalue == pytest.approx(exact, rel=1e-12)
    assert result.pvalue_low * (1 - 1e-12) <= exact <= result.pvalue_high * (1 + 1e-12)


@pytest.mark.parametrize("unit", [np.pi, 1e-7, 1e-30, 1 / 1024, 1e12, 1 / 3001])
@pytest.mark.parametrize("side", ALTERNATIVES)
def test_the_unit_of_the_scores_does_not_matter(unit: float, side: Alternative) -> None:
    a, b = np.random.default_rng(3).integers(0, 3, (2, 200))
    plain, scaled = (bt.permutation_test(a * x, b * x, alternative=side) for x in (1, unit))
    assert scaled.kind == "exact"
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert scaled.law is not None
    assert plain.law is not None
    assert scaled.law.sd == pytest.approx(plain.law.sd * unit, rel=1e-9)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1, max_size=10),
    alternatives,
)
def test_real_scores_equal_fractions(pairs: list[tuple[float, float]], side: Alternative) -> None:
    # Rounded to 2^-33, differences and their sums are exact in floats, and no tie is a near miss.
    whole = [[round(x * 2**33) for x in column] for column in zip(*pairs, strict=True)]
    exact = signed_sum_pvalue([y - x for x, y in zip(*whole, strict=True)], side)
    a, b = (np.array(x) / 2**33 for x in whole)
    result = bt.permutation_test(a, b, alternative=side)
    assert result.kind in ("exact", "certified")
    assert result.pvalue == pytest.approx(float(exact), rel=1e-9)


METHODS = ("auto", "monte-carlo")
dust = st.tuples(st.integers(-99, 99), st.sampled_from([-8, -3, 0, 6]))


@given(
    st.lists(dust, min_size=1, max_size=7), alternatives, st.sampled_from(["auto", "monte-carlo"])
)
@settings(deadline=None, max_examples=120)
def test_items_many_orders_of_magnitude_apart(
    drawn: list[tuple[int, int]], side: Alternative, method: str
) -> None:
    """No swap is a tie because its items are too small to be noticed beside the others."""
    least = -8 if method == "auto" else -3  # doubles notice no less beside a million
    d = [Fraction(digits) * Fraction(10) ** max(power, least) for digits, power in drawn]
    truth = float(signed_sum_pvalue([int(x * 10**8) for x in d], side))
    b = [float(x) for x in d]
    result = bt.permutation_test(np.zeros(len(d)), b, "mean", side, method, rng=0)
    slack = 0.0 if method == "auto" else 0.01  # sampled bounds hold in 99 of 100 cases
    assert result.pvalue_low * (1 - 1e-12) - slack <= truth
    assert truth <= result.pvalue_high * (1 + 1e-12) + slack
    if method == "auto":
        assert result.pvalue == pytest.approx(truth, rel=1e-12)


def test_what_rounding_hides_is_said() -> None:
    """Of real numbers in single precision it is not known whether two sums tie."""
    rng = np.random.default_rng(0)
    a = rng.random(8).astype("f4")
    d = np.array([0.1, 0.2, -0.3, 0.4, 0.1, -0.2, 0.3, 0.25])
    b = (a.astype(float) + d).astype("f4")
    result = bt.permutation_test(a, b)
    exact = float(signed_sum_pvalue([round(100 * x) for x in d.tolist()]))
    assert result.pvalue_low <= exact <= result.pvalue_high
    assert result.pvalue >= exact * (1 - 1e-9)
    if result.pvalue_high > result.pvalue_low * (1 + 1e-6):
        assert result.kind == "certified"
        assert any("rounding" in note for note in result.notes)


def test_methods_agree_on_integer_data() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 6, size=(2, 40))
    exact = signed_sum_pvalue((b - a).tolist())
    for method in ("lattice", "rational", "meet", "certified", "grid", "dp", "fft"):
        result = bt.permutation_test(a, b, method=method)
        if method != "certified":  # on a lattice the bracket is as wide as the observed atom
            assert result.pvalue == pytest.approx(float(exact), rel=1e-9)
        assert result.pvalue_low <= float(exact) * (1 + 1e-12), method
        assert result.pvalue_high >= float(exact) * (1 - 1e-12), method
    assert bt.permutation_test(a, b, method="rational").fraction == exact
    sampled = bt.permutation_test(a, b, method="monte-carlo", rng=1)
    assert sampled.kind == "sampled"
    assert sampled.resamples is not None
    assert sampled.resamples >= 20_000
    assert sampled.pvalue_low <= exact <= sampled.pvalue_high


def test_methods_agree_on_f1() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, size=(2, 30, 3))
    auto = bt.permutation_test(a, b, "f1")
    assert auto.kind == "exact"
    for method in ("grid", "dp", "fft"):
        assert bt.permutation_test(a, b, "f1", method=method).pvalue == pytest.approx(
            auto.pvalue, rel=1e-9
        )
    sampled = bt.permutation_test(a, b, "f1", method="monte-carlo", rng=0)
    assert sampled.pvalue_low <= auto.pvalue <= sampled.pvalue_high


def test_sampling_depends_on_the_seed_and_stops_where_the_answer_is_clear() -> None:
    a, noise = np.random.default_rng(6).normal([[0.0], [0.02]], 0.15, (2, 200))
    for side in ALTERNATIVES:
        exact = bt.permutation_test(a, a + noise, alternative=side).pvalue
        result, again, other = (
            bt.permutation_test(a, a + noise, "mean", side, "monte-carlo", rng=seed)
            for seed in (7, 7, 8)
        )
        assert result == again
        assert result.pvalue != other.pvalue
        assert result.resamples in [20_000 * 2**k for k in range(7)]
        assert result.resamples is not None
        hits = result.pvalue * (result.resamples + 1)
        assert hits == pytest.approx(round(hits))
        assert result.pvalue_low <= exact <= result.pvalue_high
        assert not result.pvalue_low <= 0.05 <= result.pvalue_high or result.resamples == 1_280_000


@pytest.mark.parametrize(
    ("shape", "engine"),
    [
        (Shape("mean", True, 0, True, 0), "none"),
        (Shape("mean", True, 1, True, 7, steps=1), "lattice"),
        (Shape("mean", True, 1, True, 7, steps=3), "lattice"),
        (Shape("mean", True, 1, True, 30, steps=30, cost=2**40), "meet"),
        (Shape("mean", True, 1, True, 40, steps=40, cost=2**40), "certified"),
        (Shape("mean", True, 1, True, 400, steps=400, cost=2**40), "certified"),
        (Shape("mean", True, 1, True, 400, steps=400, cost=2**31), "certified"),
        (Shape("mean", True, 1, True, 400, steps=400, cost=2**29), "lattice"),
        (Shape("mean", True, 1, False, 34), "meet"),
        (Shape("ratio", True, 1, False, 35), "certified"),
        (Shape("ratio", False, 2, True, 4000), "grid"),
        (Shape("ratio", False, 2, False, 16), "enumeration"),
        (Shape("ratio", False, 2, False, 17), "monte-carlo"),
        (Shape("sums", False, 3, True, 100), "grid"),
        (Shape("sums", False, 4, True, 100), "monte-carlo"),
        (Shape("sums", False, 4, True, 10), "enumeration"),
        (Shape("blackbox", False, 1, False, 14), "enumeration"),
        (Shape("blackbox", False, 1, False, 15), "monte-carlo"),
    ],
)
def test_choice_of_engine(shape: Shape, engine: str) -> None:
    chosen, reason = choose(shape)
    assert chosen == engine
    assert reason


def test_a_bracket_that_cannot_be_narrowed_reports_its_upper_end() -> None:
    """The middle of a bracket around alpha would claim a difference that the exact test denies."""
    rng = np.random.default_rng(0)
    tried = 0
    while tried < 3:
        n = int(rng.integers(45, 80))
        d = rng.choice([1, 2], n) * rng.choice([-1, 1], n, p=[0.36, 0.64])
        exact = bt.permutation_test(np.zeros_like(d), d).pvalue
        if not 0.05 < exact < 0.056:
            continue
        tried += 1
        swaps = Swaps.of(pair_of(np.zeros(n), d * np.pi, mean()))
        p = certified(swaps, Request())
        assert p.low <= exact <= p.high * (1 + 1e-12)
        assert p.value >= exact * (1 - 1e-12)


def _quotient(total: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return np.where(total[..., 1] == 0, np.nan, total[..., 0] / total[..., 1])


@pytest.mark.parametrize("side", ALTERNATIVES)
@pytest.mark.parametrize("method", ["auto", "enumeration", "dp", "fft", "monte-carlo"])
def test_swaps_at_which_a_metric_is_undefined_count_as_extreme(
    method: str, side: Alternative
) -> None:
    a, b = [[1, 0], [2, 1], [0, 0], [1, 0], [2, 0]], [[2, 1], [2, 0], [1, 0], [1, 0], [0, 0]]
    extreme = {"two-sided": 9, "greater": 9, "less": -9}[side]

    def delta(u: Sequence[Sequence[int]], v: Sequence[Sequence[int]]) -> Fraction:
        x, y = (np.sum(rows, axis=0).tolist() for rows in (u, v))
        return Fraction(y[0], y[1]) - Fraction(x[0], x[1]) if x[1] and y[1] else Fraction(extreme)

    truth = enumerate_pvalue(a, b, delta, side)
    metric = sums(("x", "y"), _quotient)
    result = bt.permutation_test(a, b, metric, side, method, rng=0)
    assert result.pvalue_low * (1 - 1e-12) <= truth <= result.pvalue_high * (1 + 1e-12)


def test_a_metric_that_is_undefined_on_the_data_is_an_error() -> None:
    metric = sums(("x", "y"), lambda total: np.full(total.shape[:-1], np.nan), spelling="hole")
    with pytest.raises(BadValueError, match="hole of these data is NaN"):
        bt.permutation_test([[1, 0], [2, 0]], [[1, 1], [2, 2]], metric)


def test_ties_of_huge_whole_numbers_are_not_lost_to_rounding() -> None:
    top = 2**53
    a = np.array([0, 7, top - 3, 11, top - 9, 5])
    b = np.array([top - 1, top - 5, 4, top - 6, 2, top - 8])
    exact = bt.permutation_test(a, b).pvalue
    for method in ("enumeration", "meet"):
        assert bt.permutation_test(a, b, method=method).pvalue >= exact - 1e-12


def test_a_bracket_that_straddles_alpha_or_is_wide_gives_its_upper_end() -> None:
    request = Request(tolerance=0.01, alpha=0.05)
    for ends, narrow in (((0.02, 0.0201), True), ((0.0499, 0.0501), False), ((0.2, 0.3), False)):
        low, high = map(math.log, ends)
        p = request.on_one_side(Probability((low + high) / 2, low, high))
        assert p.log == ((low + high) / 2 if narrow else high)
        assert (p.log_low, p.log_high) == (low, high)
