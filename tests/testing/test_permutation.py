"""The front end: every engine against plain enumeration in exact fractions."""

import itertools
import math
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
from betterthan.errors import AlignmentError, BadValueError, UsageError
from betterthan.metrics import (
    mean,
    parse,
    sums,
)
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.engines import certified, choose
from betterthan.testing.request import Request
from betterthan.testing.swaps import Shape, Swaps
from oracles import signed_sum_pvalue

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
alternatives = st.sampled_from(ALTERNATIVES)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1), alternatives)
def test_integer_means_equal_fractions(
    pairs: list[tuple[int, int]], alternative: Alternative
) -> None:
    a, b = (list(side) for side in zip(*pairs, strict=True))
    exact = signed_sum_pvalue([y - x for x, y in pairs], alternative)
    result = bt.permutation_test(a, b, alternative=alternative)
    assert result.kind == "exact"
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-10)
    assert result.pvalue_low * (1 - 1e-15) <= exact <= result.pvalue_high * (1 + 1e-15)
    assert math.isclose(result.delta, sum(y - x for x, y in pairs) / len(pairs), abs_tol=1e-15)


@pytest.mark.parametrize("unit", [0.25, 1 / 3, 0.01, 0.1, 100.0])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1), alternatives)
def test_lattices_in_disguise_are_exact(
    unit: float, pairs: list[tuple[int, int]], alternative: Alternative
) -> None:
    a, b = (np.array(side) * unit for side in zip(*pairs, strict=True))
    exact = signed_sum_pvalue([y - x for x, y in pairs], alternative)
    result = bt.permutation_test(a, b, alternative=alternative)
    assert result.kind == "exact"
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-10)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-10, 10), st.floats(-10, 10)),
        min_size=1,
        max_size=10,
    ),
    alternatives,
)
def test_real_scores_equal_fractions(
    pairs: list[tuple[float, float]], alternative: Alternative
) -> None:
    # Rounded to 2^-33, differences and their sums are exact in floats, and no tie is a near miss.
    a, b = ([round(x * 2**33) / 2**33 for x in side] for side in zip(*pairs, strict=True))
    exact = signed_sum_pvalue(
        [round(y * 2**33) - round(x * 2**33) for x, y in zip(a, b, strict=True)], alternative
    )
    result = bt.permutation_test(a, b, alternative=alternative)
    assert result.kind in ("exact", "certified")
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-9)


OFFSETS = [(0, 10), (0, 1000), (100, 1000), (10_000, 10), (1, 10**5), (0, 3), (2, 7)]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12),
    st.sampled_from(OFFSETS),
    st.sampled_from(["f4", "f8", "f4 as f8"]),
    alternatives,
)
def test_decimals_tie_whatever_type_they_come_in(
    pairs: list[tuple[int, int]], form: tuple[int, int], dtype: str, alternative: Alternative
) -> None:
    """Single precision and offsets hide the ties of decimals from floating point."""
    offset, k = form
    if "f4" in dtype and (offset + 12 / k) * k >= 10**6:
        return
    a, b = (np.array([offset + x / k for x in side]) for side in zip(*pairs, strict=True))
    if "f4" in dtype:
        a, b = a.astype("f4"), b.astype("f4")
    if dtype == "f4 as f8":
        a, b = a.astype("f8"), b.astype("f8")
    result = bt.permutation_test(a, b, alternative=alternative)
    exact = signed_sum_pvalue([y - x for x, y in pairs], alternative)
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-12)
    assert result.pvalue_low * (1 - 1e-12) <= float(exact) <= result.pvalue_high * (1 + 1e-12)
    assert result.kind == "exact"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([1, 10**3, 10**6, 10**12]), st.integers(-3, 3)),
        min_size=1,
        max_size=9,
    ),
    st.sampled_from(["auto", "monte-carlo"]),
)
def test_large_and_small_differences_side_by_side(
    steps: list[tuple[int, int]], method: str
) -> None:
    """An outlier makes no ties of the others, in exact and in sampled p-values."""
    d = [size * sign for size, sign in steps]
    exact = float(signed_sum_pvalue(d))
    result = bt.permutation_test(np.zeros(len(d)), np.array(d) / 10**6, method=method, rng=0)
    if method == "auto":
        assert math.isclose(result.pvalue, exact, rel_tol=1e-9)
    # The bounds of a sampled p hold in 99 of 100 cases: allow for the one.
    slack = 0.0 if method == "auto" else 0.01
    assert (
        result.pvalue_low * (1 - 1e-9) - slack <= exact <= result.pvalue_high * (1 + 1e-9) + slack
    )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.fractions(-3, 3, max_denominator=5000), st.fractions(-3, 3)),
        min_size=1,
        max_size=7,
    ),
    alternatives,
)
def test_fractions_are_taken_exactly(
    pairs: list[tuple[Fraction, Fraction]], alternative: Alternative
) -> None:
    pairs = [(x, Fraction(y).limit_denominator(997)) for x, y in pairs]
    a, b = zip(*pairs, strict=True)
    scale = math.lcm(*(x.denominator for both in pairs for x in both))
    if 6 * scale * len(pairs) > 2**52:
        return
    exact = signed_sum_pvalue([int((y - x) * scale) for x, y in pairs], alternative)
    result = bt.permutation_test(np.array(a, object), np.array(b, object), alternative=alternative)
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-12)
    if result.fraction is not None:
        assert result.fraction == exact


def test_decimals_are_numbers() -> None:
    a: Any = [Decimal("0.1"), Decimal("0.7")]
    b: Any = [Decimal("0.3"), Decimal("0.9")]
    bad: Any = [Decimal("NaN"), Decimal(1)]
    assert bt.permutation_test(a, b).fraction == Fraction(1, 2)
    with pytest.raises(BadValueError):
        bt.permutation_test(bad, b)


def test_what_rounding_hides_is_said() -> None:
    """Of real numbers in single precision it is not known whether two sums tie."""
    rng = np.random.default_rng(0)
    a = rng.random(8).astype("f4")
    d = np.array([0.1, 0.2, -0.3, 0.4, 0.1, -0.2, 0.3, 0.25])
    b = (a.astype(float) + d).astype("f4")
    found = bt.permutation_test(a, b)
    exact = float(signed_sum_pvalue([round(100 * x) for x in d.tolist()]))
    assert found.pvalue_low <= exact <= found.pvalue_high
    assert found.pvalue >= exact * (1 - 1e-9)
    if found.pvalue_high > found.pvalue_low * (1 + 1e-6):
        assert found.kind == "certified"
        assert any("rounding" in note for note in found.notes)


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


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sampling_depends_on_the_seed_alone(alternative: Alternative) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 300))

    def run(seed: int) -> TestResult:
        return bt.permutation_test(
            a, b, "mean", alternative, "monte-carlo", resamples=5000, rng=seed
        )

    first, again = run(7), run(7)
    assert first == again
    assert first.pvalue != run(8).pvalue
    assert (first.pvalue * 5001) == pytest.approx(round(first.pvalue * 5001))


def test_sampling_stops_only_where_the_answer_is_clear() -> None:
    rng = np.random.default_rng(6)
    a = rng.random(200)
    b = a + rng.normal(0.02, 0.15, 200)
    result = bt.permutation_test(a, b, method="monte-carlo", rng=0)
    exact = bt.permutation_test(a, b)
    assert result.resamples in [20_000 * 2**k for k in range(7)]
    assert not result.pvalue_low <= 0.05 <= result.pvalue_high or result.resamples == 1_280_000
    assert result.pvalue_low <= exact.pvalue <= result.pvalue_high


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


@pytest.mark.parametrize("metric", ["mean", "accuracy", "median", "f1", "wer", "aer"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems(metric: str, alternative: Alternative) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, size=(50, len(parse(metric).columns)))
    result = bt.permutation_test(a, a, parse(metric).over_any_numbers(), alternative)
    assert (result.pvalue, result.delta) == (1.0, 0.0)
    assert "the systems agree" in result.reason


def test_swapping_the_systems_swaps_the_sides() -> None:
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 3, size=(2, 80, 3))
    for metric in ("f1", "precision", "recall"):
        k = len(parse(metric).columns)
        forth = bt.permutation_test(a[:, :k], b[:, :k], metric, "greater")
        back = bt.permutation_test(b[:, :k], a[:, :k], metric, "less")
        assert forth.pvalue == pytest.approx(back.pvalue, rel=1e-9)
        assert forth.delta == pytest.approx(-back.delta)


def test_few_clusters_are_said_aloud() -> None:
    a, b = [0] * 12, [1] * 12
    result = bt.permutation_test(a, b, clusters=[1, 2, 3] * 4)
    assert result.pvalue == 0.25
    assert "only 3 clusters" in result.notes[0]
    assert "0.25" in result.notes[0]


def test_direction_of_better() -> None:
    # Five words an utterance; the second recogniser makes fewer errors each time.
    a = [[3, 5], [2, 5], [4, 5], [2, 5], [3, 5], [1, 5]]
    b = [[1, 5], [1, 5], [2, 5], [1, 5], [1, 5], [0, 5]]
    result = bt.permutation_test(a, b, "wer", "greater")
    assert result.delta == pytest.approx(0.3)
    assert result.pvalue == 2**-6


def test_result_prints_claim_uncertainty_method_and_why() -> None:
    text = str(bt.permutation_test([0] * 6, [1] * 6))
    for part in ("the systems differ", "p = 0.031", "exact", "McNemar", "betterthan:0.1|perm-"):
        assert part in text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], [1, 2, 3]), AlignmentError, "number of items"),
        (([1.0, np.nan], [1.0, 2.0]), BadValueError, "positions '1'"),
        (([], []), ValueError, "no items"),
        ((["x"], ["y"]), BadValueError, "a"),
        (([1, 2], [2, 1], "f1"), UsageError, "column"),
        (([1, 2], [2, 1], "f2"), UsageError, "unknown metric 'f2'"),
        (([1, 2], [2, 1], "mean", "bigger"), UsageError, "alternative"),
        (([1, 2], [2, 1], "mean", "less", "magic"), UsageError, "method"),
        (([0.5**0.5, 1.0], [0.1, 1.0], "mean", "less", "lattice"), UsageError, "whole-number"),
    ],
)
def test_bad_input_is_explained(arguments: tuple[Any, ...], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        bt.permutation_test(*arguments)


def test_whole_differences_of_real_scores_are_exact() -> None:
    rng = np.random.default_rng(12)
    a = rng.random(300)
    steps = rng.integers(-2, 4, 300)
    result = bt.permutation_test(a, a + 0.25 * steps)
    assert result.kind == "exact"
    assert result.pvalue == pytest.approx(bt.permutation_test([0] * 300, steps).pvalue, rel=1e-10)
    sampled = bt.permutation_test(a, a + 0.25 * steps, method="monte-carlo", rng=0)
    assert sampled.pvalue_low <= result.pvalue <= sampled.pvalue_high


@pytest.mark.parametrize("unit", [np.pi, 1e-7, 1e-30, 1 / 1024, 1e12, 1 / 3001])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_unit_of_the_scores_is_irrelevant(unit: float, alternative: Alternative) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, (2, 200))
    plain = bt.permutation_test(a, b, alternative=alternative)
    scaled = bt.permutation_test(a * unit, b * unit, alternative=alternative)
    assert scaled.kind == "exact"
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert scaled.law is not None
    assert plain.law is not None
    assert scaled.law.sd == pytest.approx(plain.law.sd * unit, rel=1e-9)


def test_real_scores_that_differ_by_equal_steps_are_exact() -> None:
    rng = np.random.default_rng(4)
    a, d = rng.random(100), rng.integers(-1, 2, 100)
    result = bt.permutation_test(a, a + 0.1 * d)
    assert result.kind == "exact"
    assert result.pvalue == pytest.approx(
        bt.permutation_test(np.zeros_like(d), d).pvalue, rel=1e-12
    )


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
    quotient: NDArray[np.float64] = total[..., 0] / total[..., 1]
    return np.where(total[..., 1] == 0, np.nan, quotient)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", ["auto", "enumeration", "dp", "fft", "monte-carlo"])
def test_swaps_at_which_a_metric_is_undefined_count_as_extreme(
    method: str, alternative: Alternative
) -> None:
    a = np.array([[1, 0], [2, 1], [0, 0], [1, 0], [2, 0]])
    b = np.array([[2, 1], [2, 0], [1, 0], [1, 0], [0, 0]])

    def orient(x: Fraction) -> Fraction:
        return {"two-sided": abs(x), "greater": x, "less": -x}[alternative]

    def delta(swapped: tuple[bool, ...]) -> Fraction | None:
        rows = np.array(swapped)[:, None]
        x, y = (np.where(rows, u, v).sum(axis=0).tolist() for u, v in ((b, a), (a, b)))
        if x[1] == 0 or y[1] == 0:
            return None
        return Fraction(y[0], y[1]) - Fraction(x[0], x[1])

    observed = delta((False,) * 5)
    assert observed is not None
    law = [delta(s) for s in itertools.product((False, True), repeat=5)]
    truth = sum(d is None or orient(d) >= orient(observed) for d in law) / len(law)
    metric = sums(("x", "y"), _quotient)
    result = bt.permutation_test(a, b, metric, alternative=alternative, method=method, rng=0)
    assert result.pvalue_low * (1 - 1e-12) <= truth <= result.pvalue_high * (1 + 1e-12)


def test_a_metric_that_is_undefined_on_the_data_is_an_error() -> None:
    metric = sums(("x", "y"), lambda total: np.full(total.shape[:-1], np.nan), spelling="hole")
    with pytest.raises(BadValueError, match="hole of these data is NaN"):
        bt.permutation_test([[1, 0], [2, 0]], [[1, 1], [2, 2]], metric)


def test_the_signature_names_a_numpy_seed() -> None:
    result = bt.permutation_test([1, 2], [2, 5], method="monte-carlo", rng=np.int64(3))  # type: ignore[arg-type]
    assert "|seed:3|" in result.signature


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_tolerance_is_positive(tolerance: float) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        bt.permutation_test([0.1], [0.2], tolerance=tolerance)


def test_ties_of_huge_whole_numbers_are_not_lost_to_rounding() -> None:
    top = 2**53
    a = np.array([0, 7, top - 3, 11, top - 9, 5])
    b = np.array([top - 1, top - 5, 4, top - 6, 2, top - 8])
    exact = bt.permutation_test(a, b).pvalue
    for method in ("enumeration", "meet"):
        assert bt.permutation_test(a, b, method=method).pvalue >= exact - 1e-12


dust = st.tuples(st.integers(-99, 99), st.sampled_from([-8, -3, 0, 6]))


@given(st.lists(dust, min_size=1, max_size=7), st.sampled_from(["two-sided", "greater", "less"]))
@settings(deadline=None, max_examples=60)
def test_items_many_orders_of_magnitude_apart(
    drawn: list[tuple[int, int]], alternative: Alternative
) -> None:
    """No swap is a tie because its items are too small to be noticed beside the others."""
    d = [Fraction(digits) * Fraction(10) ** power for digits, power in drawn]
    truth = signed_sum_pvalue([int(x * 10**8) for x in d], alternative)
    found = bt.permutation_test(np.zeros(len(d)), [float(x) for x in d], alternative=alternative)
    assert found.pvalue_low * (1 - 1e-12) <= truth <= found.pvalue_high * (1 + 1e-12)
    assert found.pvalue == pytest.approx(float(truth), rel=1e-12)


def test_so_few_items_that_nothing_can_be_shown_are_told() -> None:
    """Of n items all swaps are 2^n, so five cannot reach 0.05 on two sides, and six can."""
    note = "only 5 items: no p-value below 0.0625 is possible, whatever the data"
    assert bt.permutation_test(np.zeros(5), np.arange(5) + 1.0).notes == (note,)
    assert bt.permutation_test(np.zeros(5), np.arange(5) + 1.0, alternative="greater").notes == ()
    assert bt.permutation_test(np.zeros(6), np.arange(6) + 1.0).notes == ()
    tables = [bt.Scores.from_arrays({"a": [0.0] * n, "b": [1.0] * n}) for n in (5, 7, 8)]
    few, more, enough = (bt.compare(table, "a", "b").mde for table in tables)
    assert few is None
    assert more is None  # 2.80 / sqrt(7), which differences of 1 cannot reach on average
    assert enough == pytest.approx(2.8015852 / math.sqrt(8))
