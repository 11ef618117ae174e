"""The front end: every engine against plain enumeration in exact fractions."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.engines import choose
from betterthan.errors import AlignmentError, BadValueError, UsageError
from betterthan.metrics import AER, F1, MEDIAN, PRECISION, RECALL, WER, Metric, fbeta, parse, sums
from betterthan.results import Alternative, TestResult
from betterthan.swaps import Shape
from oracles import enumerate_pvalue, signed_sum_pvalue

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
alternatives = st.sampled_from(ALTERNATIVES)
Counts = Sequence[Sequence[int]]


def paired(low: int, high: int, columns: int, max_size: int = 9) -> st.SearchStrategy[list[Counts]]:
    row = st.lists(st.integers(low, high), min_size=columns, max_size=columns)
    return st.lists(st.tuples(row, row), min_size=1, max_size=max_size).map(
        lambda pairs: [[list(x) for x in side] for side in zip(*pairs, strict=True)]
    )


def ratio_delta(metric: Metric) -> Callable[[Counts, Counts], Fraction]:
    """Difference of two ratios in fractions, with 0/0 = 0, towards better."""

    def score(rows: Counts) -> Fraction:
        above = sum(c * x for row in rows for c, x in zip(metric.numerator, row, strict=True))
        below = sum(c * x for row in rows for c, x in zip(metric.denominator, row, strict=True))
        return Fraction(above, below) if below else Fraction(0)

    return lambda a, b: (score(b) - score(a)) * (-1 if metric.lower_is_better else 1)


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


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from("uvwxyz")),
        min_size=1,
        max_size=30,
    ),
    alternatives,
)
def test_clusters_are_swapped_as_one(
    rows: list[tuple[int, int, str]], alternative: Alternative
) -> None:
    a, b, labels = (list(side) for side in zip(*rows, strict=True))
    gains: dict[str, int] = {}
    for x, y, label in rows:
        gains[label] = gains.get(label, 0) + y - x
    exact = signed_sum_pvalue(list(gains.values()), alternative)
    result = bt.permutation_test(a, b, alternative=alternative, clusters=labels)
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-10)
    assert result.clusters == len(gains)


@pytest.mark.parametrize("metric", [F1, PRECISION, RECALL, fbeta(2), fbeta(0.5), AER, WER])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), alternative=alternatives)
def test_ratios_equal_enumeration(
    metric: Metric, data: st.DataObject, alternative: Alternative
) -> None:
    a, b = data.draw(paired(0, 4, len(metric.columns)))
    exact = enumerate_pvalue(a, b, ratio_delta(metric), alternative)
    result = bt.permutation_test(a, b, metric=metric, alternative=alternative)
    assert result.kind == "exact"
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-10)
    assert math.isclose(result.delta, ratio_delta(metric)(a, b), abs_tol=1e-12)


def geometric_mean(sums_: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.abs(sums_[..., 0] * sums_[..., 1]))


@settings(max_examples=80, deadline=None)
@given(paired(0, 4, 2), alternatives)
def test_any_function_of_sums_equals_enumeration(
    data: list[Counts], alternative: Alternative
) -> None:
    a, b = data
    metric = sums(("x", "y"), geometric_mean)

    def delta(u: Counts, v: Counts) -> Fraction:
        # Squares of the two scores are integers; comparing differences of roots needs care, so
        # score them in 50 digits and round to 40: equal values stay equal, others far apart.
        import mpmath

        with mpmath.workdps(50):
            roots = [
                mpmath.sqrt(sum(r[0] for r in rows) * sum(r[1] for r in rows)) for rows in (u, v)
            ]
            return Fraction(mpmath.nstr(roots[1] - roots[0], 40, min_fixed=-1, max_fixed=1))

    result = bt.permutation_test(a, b, metric=metric, alternative=alternative)
    assert math.isclose(result.pvalue, enumerate_pvalue(a, b, delta, alternative), rel_tol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9), alternatives
)
def test_black_boxes_are_enumerated(pairs: list[tuple[int, int]], alternative: Alternative) -> None:
    a, b = (list(side) for side in zip(*pairs, strict=True))

    def delta(u: Sequence[int], v: Sequence[int]) -> Fraction:
        medians = []
        for x in (sorted(u), sorted(v)):
            half = len(x) // 2
            medians.append(
                Fraction(x[half] if len(x) % 2 else x[half - 1] + x[half], 2 - len(x) % 2)
            )
        return medians[1] - medians[0]

    result = bt.permutation_test(a, b, metric=MEDIAN, alternative=alternative)
    assert result.fraction == enumerate_pvalue(a, b, delta, alternative)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-10, 10, width=32), st.floats(-10, 10, width=32)),
        min_size=1,
        max_size=10,
    ),
    alternatives,
)
def test_real_scores_equal_fractions(
    pairs: list[tuple[float, float]], alternative: Alternative
) -> None:
    # Rounded to 2^-20, differences and their sums are exact in floats, and no tie is a near miss.
    a, b = ([round(x * 2**20) / 2**20 for x in side] for side in zip(*pairs, strict=True))
    exact = signed_sum_pvalue(
        [round(y * 2**20) - round(x * 2**20) for x, y in zip(a, b, strict=True)], alternative
    )
    result = bt.permutation_test(a, b, alternative=alternative)
    assert result.kind in ("exact", "certified")
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-9)


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
        (Shape("mean", True, 1, True, 40, steps=40, cost=2**40), "meet"),
        (Shape("mean", True, 1, True, 400, steps=400, cost=2**40), "certified"),
        (Shape("mean", True, 1, False, 44), "meet"),
        (Shape("ratio", True, 1, False, 45), "certified"),
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
    result = bt.permutation_test(a, a, metric, alternative)
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
        (([1, 2], [1, 2, 3]), AlignmentError, "2 items and b has 3"),
        (([1.0, np.nan], [1.0, 2.0]), BadValueError, "positions '1'"),
        (([], []), ValueError, "no items"),
        ((["x"], ["y"]), BadValueError, "a"),
        (([1, 2], [2, 1], "f1"), UsageError, "reads 3"),
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
