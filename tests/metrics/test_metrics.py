"""The metric algebra: spelling, hashing, pickling, and every built-in against its definition."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from betterthan.errors import Remedy, UsageError
from betterthan.metrics import (
    ACCURACY,
    AER,
    ERROR_RATE,
    F1,
    MEDIAN,
    PRECISION,
    RECALL,
    TOKEN_ACCURACY,
    WER,
    Metric,
    blackbox,
    candidates,
    default,
    divide,
    fbeta,
    mean,
    parse,
    ratio,
    resolve,
    sums,
)

BUILT_IN = (ACCURACY, AER, ERROR_RATE, F1, MEDIAN, PRECISION, RECALL, TOKEN_ACCURACY, WER)
Row = tuple[int, ...]


def geometric(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(totals[..., 0] * totals[..., 1])


def span(scores: NDArray[np.float64]) -> float:
    return float(scores.max() - scores.min())


GEOMETRIC = sums(("a", "b"), geometric, spelling=f"{__name__}:GEOMETRIC")


def quotient(above: int | Fraction, below: int | Fraction) -> Fraction:
    return Fraction(0) if below == 0 else Fraction(above) / Fraction(below)


def column(rows: list[Row], k: int) -> int:
    return sum(row[k] for row in rows)


# What each metric is by its textbook definition, over the columns in the order it declares them.
DEFINITIONS: dict[Metric, Callable[[list[Row]], Fraction]] = {
    ACCURACY: lambda rows: Fraction(column(rows, 0), len(rows)),
    TOKEN_ACCURACY: lambda rows: quotient(column(rows, 0), column(rows, 1)),
    PRECISION: lambda rows: quotient(column(rows, 0), column(rows, 0) + column(rows, 1)),
    RECALL: lambda rows: quotient(column(rows, 0), column(rows, 0) + column(rows, 1)),
    WER: lambda rows: quotient(column(rows, 0), column(rows, 1)),
    ERROR_RATE: lambda rows: quotient(column(rows, 0), column(rows, 1)),
}
counts = st.integers(0, 40)


def rows_of(width: int) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*[counts] * width), min_size=1, max_size=12)


def score(metric: Metric, rows: list[Row]) -> float:
    return metric.score(np.array(rows, dtype=np.float64))


@pytest.mark.parametrize("metric", DEFINITIONS, ids=repr)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_built_ins_by_their_definitions(metric: Metric, data: st.DataObject) -> None:
    rows = data.draw(rows_of(len(metric.columns)))
    assert score(metric, rows) == pytest.approx(float(DEFINITIONS[metric](rows)), rel=1e-15)


@settings(deadline=None, max_examples=100)
@given(rows=rows_of(3), beta=st.decimals("0.001", "9", places=3).map(Fraction))
def test_f_beta_is_the_weighted_harmonic_mean(rows: list[Row], beta: Fraction) -> None:
    """F = (1 + b^2) P R / (b^2 P + R), van Rijsbergen (1979), and 0 where P and R are."""
    tp, fp, fn = (column(rows, k) for k in range(3))
    precision, recall = quotient(tp, tp + fp), quotient(tp, tp + fn)
    square = beta * beta
    want = quotient((1 + square) * precision * recall, square * precision + recall)
    assert score(fbeta(float(beta)), rows) == pytest.approx(float(want), rel=1e-14)


@settings(deadline=None, max_examples=60)
@given(rows=rows_of(4))
def test_alignment_error_rate(rows: list[Row]) -> None:
    """AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), Och and Ney (2003); 0 of nothing."""
    names = dict(zip(AER.columns, range(4), strict=True))
    total = {name: column(rows, k) for name, k in names.items()}
    size = total["links"] + total["sure"]
    hits = total["sure_hits"] + total["possible_hits"]
    want = Fraction(0) if size == 0 else 1 - Fraction(hits, size)
    assert score(AER, rows) == pytest.approx(float(want), rel=1e-14, abs=1e-15)


@settings(deadline=None, max_examples=60)
@given(rows=rows_of(1))
def test_median(rows: list[Row]) -> None:
    assert score(MEDIAN, rows) == median(row[0] for row in rows)


@settings(deadline=None, max_examples=60)
@given(beta=st.floats(1e-3, 1e3))
def test_f_beta_prints_as_it_parses(beta: float) -> None:
    assert parse(repr(fbeta(beta))) == fbeta(beta)


def test_the_coefficients_of_f_beta_are_small_integers() -> None:
    assert fbeta(0.1).numerator == (101, 0, 0)
    assert fbeta(0.1).denominator == (101, 100, 1)


def test_worked_by_hand() -> None:
    # tp 3 + 1, fp 1 + 0, fn 0 + 2: P = 4/5, R = 4/6, F1 = 8/11, F2 = 20/29, F0.5 = 5/6.5.
    rows: list[Row] = [(3, 1, 0), (1, 0, 2)]
    assert score(F1, rows) == 8 / 11
    assert score(fbeta(2), rows) == pytest.approx(20 / 29, rel=1e-15)
    assert score(fbeta(0.5), rows) == pytest.approx(10 / 13, rel=1e-15)
    assert score(resolve("f1", ("tp", "incorrect")), [(3, 1), (1, 2)]) == 8 / 11
    assert score(resolve("f1", ("tp", "pred", "gold")), [(3, 4, 3), (1, 1, 3)]) == 8 / 11
    # 6 links, 4 sure, 3 of them found, 5 possible found: AER = 1 - 8/10.
    assert AER.columns == ("links", "sure", "sure_hits", "possible_hits")
    assert score(AER, [(6, 4, 3, 5)]) == pytest.approx(0.2)


def test_nothing_over_nothing_is_zero() -> None:
    zeros = np.zeros((3, 4))
    for metric in (F1, PRECISION, RECALL, WER, ERROR_RATE, AER, TOKEN_ACCURACY, fbeta(2)):
        assert metric.score(zeros[:, : len(metric.columns)]) == 0.0
    np.testing.assert_array_equal(divide(np.array([0.0, 1.0]), np.array([0.0, 0.0])), [0, 0])


def test_directions() -> None:
    assert [m for m in BUILT_IN if m.lower_is_better] == [AER, ERROR_RATE, WER]
    assert F1.sign == 1.0
    assert WER.sign == -1.0
    assert F1.directed(lower_is_better=True).sign == -1.0
    assert WER.directed(lower_is_better=True) is WER


def test_a_ratio_lives_in_two_dimensions() -> None:
    assert F1.project(np.array([[1.0, 2.0, 3.0]])).tolist() == [[2.0, 7.0]]
    assert F1.finish(np.array([[2.0, 7.0], [0.0, 0.0]]), 1).tolist() == [2 / 7, 0]
    assert mean("x").project(np.array([[1.0], [3.0]])).tolist() == [[1.0], [3.0]]


@pytest.mark.parametrize("metric", BUILT_IN, ids=repr)
def test_built_ins_are_values(metric: Metric) -> None:
    for same in (metric, metric.directed(lower_is_better=True)):
        assert parse(repr(same)) == same
        assert pickle.loads(pickle.dumps(same)) == same
        assert hash(pickle.loads(pickle.dumps(same))) == hash(same)
        assert {same: 1}[parse(repr(same))] == 1


names = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True),
    st.text(st.characters(codec="utf-8"), min_size=1),
    st.sampled_from(["lower_is_better", "x, lower_is_better", "a/b", '"', "é", "1", "score)"]),
)
sizes = st.one_of(st.integers(1, 10**7), st.floats(1e-9, 1e9))
coefficients = st.builds(lambda size, sign: size * sign, sizes, st.sampled_from([1, -1]))


@settings(deadline=None, max_examples=150)
@given(column=names, lower=st.booleans())
def test_means_print_as_they_parse(column: str, lower: bool) -> None:
    metric = mean(column, lower_is_better=lower)
    assert parse(repr(metric)) == metric
    assert pickle.loads(pickle.dumps(metric)) == metric


@settings(deadline=None, max_examples=150)
@given(
    above=st.dictionaries(names, coefficients, min_size=1, max_size=4),
    below=st.dictionaries(names, coefficients, min_size=1, max_size=4),
    lower=st.booleans(),
)
def test_ratios_print_as_they_parse(
    above: dict[str, float], below: dict[str, float], lower: bool
) -> None:
    metric = ratio(above, below, lower_is_better=lower)
    assert parse(repr(metric)) == metric
    assert all(isinstance(c, int) for c in (*metric.numerator, *metric.denominator))


@settings(deadline=None, max_examples=60)
@given(
    above=st.dictionaries(st.sampled_from("abc"), st.integers(-99, 99), min_size=1),
    below=st.dictionaries(st.sampled_from("abc"), st.integers(-99, 99), min_size=1),
    data=st.data(),
)
def test_any_ratio_against_fractions(
    above: dict[str, float], below: dict[str, float], data: st.DataObject
) -> None:
    metric = ratio(above, below)
    rows = data.draw(rows_of(len(metric.columns)))
    totals = {name: column(rows, k) for k, name in enumerate(metric.columns)}
    top = sum(Fraction(str(c)) * totals[name] for name, c in above.items())
    bottom = sum(Fraction(str(c)) * totals[name] for name, c in below.items())
    assert score(metric, rows) == pytest.approx(float(quotient(top, bottom)), rel=1e-12)


@pytest.mark.parametrize(
    ("spelling", "same"),
    [
        (" mean ", mean()),
        ("mean( x )", mean("x")),
        ("error_rate", ERROR_RATE),
        ("fbeta(1)", F1),
        ("ratio(2tp / 2tp+fp + fn)", ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1})),
        ("ratio(a + a / b)", ratio({"a": 2}, {"b": 1})),
        ("ratio(-a / 0.5*b)", ratio({"a": -1}, {"b": 0.5})),
    ],
)
def test_ways_of_writing(spelling: str, same: Metric) -> None:
    assert parse(spelling).columns == same.columns
    assert parse(spelling).numerator == same.numerator
    assert parse(spelling).denominator == same.denominator


def test_what_cannot_be_declared() -> None:
    with pytest.raises(UsageError, match="at least one column above"):
        ratio({}, {"a": 1})
    with pytest.raises(UsageError, match="finite numbers, not inf"):
        ratio({"a": float("inf")}, {"b": 1})
    with pytest.raises(UsageError, match="positive number"):
        fbeta(0)
    with pytest.raises(UsageError, match="at least one column"):
        sums((), geometric)


def test_metrics_of_ones_own() -> None:
    assert GEOMETRIC.score(np.array([[1.0, 2.0], [3.0, 2.0]])) == 4.0
    assert GEOMETRIC.finish(np.array([[4.0, 9.0], [1.0, 1.0]]), 2).tolist() == [6, 1]
    assert parse(repr(GEOMETRIC)) == GEOMETRIC
    assert pickle.loads(pickle.dumps(GEOMETRIC)) == GEOMETRIC
    box = blackbox(span)
    assert box.score(np.array([[1.0], [4.0], [2.0]])) == 3.0
    with pytest.raises(UsageError, match="does not decompose"):
        box.finish(np.zeros((1, 1)), 1)
    two = blackbox(span, ("a", "b"))
    assert two.score(np.array([[1.0, 9.0], [4.0, 2.0]])) == 8.0


@pytest.mark.parametrize(
    ("metric", "columns", "used"),
    [
        ("mean", ("score",), ("score",)),
        ("mean", ("value",), ("value",)),
        ("accuracy", ("score",), ("score",)),
        ("median", ("rating",), ("rating",)),
        ("mean(b)", ("a", "b"), ("b",)),
        ("f1", ("fn", "tp", "fp"), ("tp", "fp", "fn")),
        ("f1", ("tp", "pred", "gold"), ("tp", "pred", "gold")),
        ("f1", ("tp", "incorrect"), ("tp", "incorrect")),
        ("precision", ("tp", "pred", "gold"), ("tp", "pred")),
        ("recall", ("tp", "pred", "gold"), ("tp", "gold")),
        ("wer", ("errors", "words", "x"), ("errors", "words")),
    ],
)
def test_metrics_fit_the_columns_at_hand(
    metric: str, columns: tuple[str, ...], used: tuple[str, ...]
) -> None:
    assert resolve(metric, columns).columns == used
    lowered = resolve(parse(metric).directed(lower_is_better=True), columns)
    assert lowered.lower_is_better
    assert lowered.columns == used


def test_metrics_that_do_not_fit_say_what_would() -> None:
    for metric, columns, first in (("f1", ("tp",), "tp"), ("mean(x)", ("tp", "incorrect"), "f1")):
        with pytest.raises(UsageError, match="needs the column") as caught:
            resolve(metric, columns)
        assert caught.value.remedy == Remedy("", "metric", first)
    assert candidates(("tp", "fp", "fn", "correct", "total")) == [
        "token-accuracy", "precision", "recall", "f1",
        "tp", "fp", "fn", "correct", "total",
    ]  # fmt: skip
    for spelling in candidates(("tp", "incorrect", "a b")):
        resolve(spelling, ("tp", "incorrect", "a b"))


def test_the_default_is_the_only_column() -> None:
    assert default(("score",)) == mean()
    assert default(("reward",)) == mean("reward")
    with pytest.raises(UsageError) as caught:
        default(("tp", "incorrect"))
    assert [remedy.value for remedy in caught.value.remedies] == ["f1", "tp", "incorrect"]


def test_a_metric_of_a_function_without_a_name_cannot_be_read_by_its_repr() -> None:
    for made in (sums(("x",), lambda total: total[..., 0]), blackbox(lambda scores: scores.max())):
        assert repr(made) == f"{made.form}(<lambda>)"
        lower = made.directed(lower_is_better=True)
        assert repr(lower) == f"{made.form}(<lambda>, lower_is_better)"
        assert (lower.sign, lower.function) == (-1.0, made.function)
        with pytest.raises(UsageError, match="unknown metric"):
            parse(repr(made))
    assert repr(sums(("x", "y"), largest)) == "sums(largest)"


def largest(total: NDArray[np.float64]) -> NDArray[np.float64]:
    best: NDArray[np.float64] = total.max(axis=-1)
    return best


LARGEST = sums(("x", "y"), largest)


def test_an_imported_metric_is_spelled_by_where_it_is() -> None:
    spelled = f"{__name__}:LARGEST"
    found = parse(spelled)
    assert (repr(found), found.columns) == (spelled, ("x", "y"))
    for same in (found, found.directed(lower_is_better=True)):
        assert parse(repr(same)) == same
    with pytest.raises(UsageError, match="lower_is_better, higher_is_better or nothing"):
        parse(f"{spelled}(higher)")


def test_the_beginning_of_a_name_is_that_name() -> None:
    for begun in ("acc", "acuracy"):
        with pytest.raises(UsageError) as caught:
            parse(begun)
        assert caught.value.remedy == Remedy("", "metric", "accuracy")


@pytest.mark.parametrize("metric", ["bleu", "chrf++"])
@settings(max_examples=60, deadline=None)
@given(counts=st.lists(st.integers(0, 9), min_size=24, max_size=24))
@example(counts=[0] * 5 + [1] * 5 + [0] * 14)  # no words on either side, and yet a match
def test_finish_is_sacrebleus_for_any_counts(metric: str, counts: list[int]) -> None:
    """Swaps and resamples reach sums that no text would, so every branch must agree."""
    oracle = BLEU() if metric == "bleu" else CHRF(word_order=2)
    stats = counts[: len(parse(metric).columns)]
    expected = oracle._compute_score_from_stats(list(stats)).score / 100
    result = parse(metric).finish(np.array([stats, stats], dtype=float), 1)
    assert result == pytest.approx(expected, abs=1e-12)
