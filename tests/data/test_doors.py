"""What Python users hand in: the same result, or the same error, from every kind of container."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import betterthan as bt
from betterthan.data.arrays import cluster_codes
from betterthan.data.labels import given_labels
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    DataError,
    MissingScoresError,
    UsageError,
)
from betterthan.metrics import ACCURACY, F1, TOKEN_ACCURACY, mean
from betterthan.responses import p_value, trio

FROM = bt.Scores.from_arrays
BASE, NEW = [0, 0, 0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 1, 1, 1, 0]
LABELS = [f"q{k}" for k in range(8)]
CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda x: np.array(x, dtype=object),
    "masked": np.ma.masked_array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "frame": lambda x: pd.DataFrame({"score": x}),
    "polars frame": lambda x: pl.DataFrame({"score": x}),
    "table": lambda x: pa.table({"score": x}),
    "stream": iter,
}
TESTS: dict[str, Callable[..., Any]] = {
    "permutation": bt.permutation_test,
    "bootstrap": lambda a, b: bt.bootstrap_test(a, b, rng=1),
    "wilcoxon": bt.wilcoxon,
    "sign": bt.sign_test,
    "mcnemar": bt.mcnemar,
    "t": bt.t_test,
    "mood": bt.mood_test,
    "scores": lambda a, b: bt.compare(FROM({"a": a, "b": b})),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_containers_are_the_same_data(container: Any, test: Any) -> None:
    expected = test(BASE, NEW)
    result = test(container(BASE), container(NEW))
    assert (result.pvalue, result.signature) == (expected.pvalue, expected.signature)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array])
@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([0.5] * 7 + [float("nan")], (BadValueError, MissingScoresError)),
        ([0.5] * 7 + [float("inf")], BadValueError),
        ([0.5] * 7 + [1e308], BadValueError),
        (["x"] * 8, BadValueError),
        ([0.5] * 7, AlignmentError),
        ([2**53 + 5] * 8, BadValueError),
        ([], (AlignmentError, DataError)),
    ],
    ids=["nan", "inf", "huge", "text", "shorter", "beyond 2^53", "empty"],
)
def test_faults_at_every_door(kind: Any, values: list[Any], error: Any) -> None:
    for test in TESTS.values():
        with pytest.raises(error):
            test(BASE, kind(values))


def test_missing_cells_end_in_a_remedy() -> None:
    cells: list[Any] = [
        [1, None],
        [1, pd.NA],
        pd.Series([1, None], dtype="Int64"),
        pl.Series([1, None]),
        pa.array([1, None]),
        np.ma.masked_equal([1, -9], -9),
    ]
    for column in cells:
        with pytest.raises(MissingScoresError) as caught:
            FROM({"a": column, "b": [1, 1]}, metric=mean())
        remedies = {remedy.value: remedy.parameter for remedy in caught.value.remedies}
        assert remedies == {"drop": "missing", "worst": "missing"}
        dropped = FROM({"a": column, "b": [1, 1]}, missing="drop")
        assert dropped.values.tolist() == [[[1], [1]]]
    ratings = np.ma.masked_equal([[1, 2], [3, -9]], -9)
    assert trio(ratings, [1, 2], [1, 2]).gold.counts.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("metric", "a", "what"),
    [
        (ACCURACY, [[1], [5]], "correct"),
        (ACCURACY, [[1], [0.5]], "correct"),
        (ACCURACY, [[1], [-1]], "correct"),
        (F1, [[1, 0, 1], [1, -1, 0]], "fp"),
        (F1, [[1, 0, 1], [2.5, 1, 0]], "tp"),
        (TOKEN_ACCURACY, [[3, 3], [4, 3]], "correct"),
    ],
    ids=repr,
)
def test_columns_hold_what_their_metric_says(metric: Any, a: Any, what: str) -> None:
    """The remedy is a metric over any numbers, and with it there is a result."""
    b = np.ones_like(a, dtype=int)
    scores = FROM({"a": a, "b": b}, columns=metric.columns, items=["s1", "s2"])
    for use in (
        lambda metric: bt.permutation_test(a, b, metric),
        lambda metric: bt.compare(scores, metric=metric),
        lambda metric: bt.compare(bt.tally(scores), metric=metric),
    ):
        with pytest.raises(BadValueError, match=what) as caught:
            use(metric)
        assert caught.value.remedy is not None
        assert caught.value.remedy.parameter == "metric"
        assert use(caught.value.remedy.value).n == 2
    with pytest.raises(BadValueError, match="s2"):
        bt.compare(scores, metric=metric)


def test_means_of_responses_need_not_be_whole() -> None:
    scores = bt.Scores.from_responses(
        {"a": [[1, 0], [1, 1]], "b": [[1, 1], [0, 1]]}, column="correct"
    )
    assert bt.compare(scores, metric="accuracy").n == 2


def test_what_is_declared_is_not_questioned() -> None:
    """Shares next to percentages, other digits, marks, costs by name: arrays are what they are."""
    x = np.random.default_rng(0).random(30)
    for other in (100 * x, x.round(3), np.where(x < 0.2, -99, x), x.astype(np.float16)):
        assert bt.permutation_test(other, x).n == 30
        assert bt.compare(FROM({"recall_f1": other, "len": x})).n == 30


@pytest.mark.parametrize(
    ("arrays", "options", "error", "word"),
    [
        ({}, {}, DataError, "no systems"),
        ({"a": [], "b": []}, {}, DataError, "no items"),
        ({"a": [1, 2], "b": [1]}, {}, AlignmentError, "'b' has"),
        ({"a": [[1, 2]]}, {}, UsageError, "columns="),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, {}, UsageError, "column"),
        ({"a": [[1], [1, 2]]}, {}, BadValueError, "array"),
        ({"a": np.float64(3), "b": [1, 2]}, {}, DataError, "shape"),
        ({"a": {0, 1}}, {}, BadValueError, "set"),
        (pd.DataFrame({"a": [0]}), {}, UsageError, "bt.read"),
        ([[0, 1], [1, 1]], {}, UsageError, "by name"),
        ({"a": [1, np.inf]}, {}, BadValueError, "row 2"),
        ({"a": [1, None]}, {"items": ["p", "q"]}, MissingScoresError, "'q'"),
        ({"a": [1, 2]}, {"items": ["p", "p"]}, AlignmentError, "unique"),
        ({"a": [1, 2]}, {"items": ["p"]}, DataError, "items has 1 labels"),
        ({"a": [1, 2]}, {"items": ["p", " "]}, AlignmentError, "'1'"),
        ({"a": [1, 2]}, {"items": [None, "p"]}, AlignmentError, "'0'"),
        ({"a": [1, 2]}, {"clusters": ["p"]}, DataError, "1 labels"),
        ({"a": [1, 2]}, {"clusters": 3}, UsageError, "int"),
        ({"a": [1, 2]}, {"clusters": {0: 1}}, UsageError, "dict"),
        ({"a": [1, 2]}, {"clusters": [[1], [2]]}, BadValueError, "label"),
        ({"a": [1, 2]}, {"groups": [1]}, UsageError, "by name"),
        ({"a": [1, 2]}, {"missing": "ignore"}, UsageError, "missing must be one of"),
        ({"a": [1, 2]}, {"metric": "f1"}, UsageError, "Metric"),
        ({"a": [1, 2]}, {"lower_is_better": "false"}, UsageError, "lower_is_better"),
    ],
)
def test_faults_of_scores(arrays: Any, options: Any, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        FROM(arrays, **options)


ODD = 2**53 + 5  # no double


@pytest.mark.parametrize(
    "values",
    [
        [ODD, 1],
        [ODD, 0.5],
        [ODD, None],
        np.array([ODD, 1], dtype=np.uint64),
        [Fraction(ODD * 2 + 1, 2), 1],
        [Decimal(ODD), 1],
        pl.Series([ODD, None]),
        pa.array([ODD, None]),
        pd.Series([ODD, None], dtype="Int64"),
        (x for x in [ODD, 0.5]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_integers_are_not_rounded(values: Any) -> None:
    with pytest.raises(BadValueError, match="beyond 2"):
        FROM({"a": values, "b": [1, 1]}, missing="pairwise")


def test_sums_that_overflow_are_errors() -> None:
    many = np.full(2**12, 2**52)
    for a in (many, np.array([2**64 - 1], np.uint64), [-(2**63)]):
        with pytest.raises(BadValueError, match="too large to sum"):
            bt.permutation_test(a, a)


# Labels and index


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_the_index_of_pandas_pairs(test: Callable[..., Any]) -> None:
    a, b = pd.Series(BASE, index=LABELS), pd.Series(NEW, index=LABELS)
    order = [3, 7, 0, 2, 6, 1, 5, 4]
    assert test(a, b.iloc[order]).pvalue == test(BASE, NEW).pvalue
    assert test(a, NEW).pvalue == test(BASE, NEW).pvalue  # a list has no index
    with pytest.raises(AlignmentError, match=r"a\w* lacks 'x2', 'x5'; b\w* lacks 'q2', 'q5'"):
        test(a, b.rename({"q2": "x2", "q5": "x5"}))
    with pytest.raises(AlignmentError, match="lacks 'q0'"):
        test(a, b.iloc[1:])
    for other in (pd.Series(NEW, index=["q0", *LABELS[:-1]]), b.set_axis(range(8))):
        with pytest.raises(AlignmentError):
            test(a, other)


def test_labels_are_paired_by_index() -> None:
    a, b = pd.Series(BASE, index=LABELS), pd.Series(NEW, index=LABELS)
    documents = pd.Series(list("aabbccdd"), index=LABELS)
    expected = bt.permutation_test(BASE, NEW, clusters=documents.tolist())
    result = bt.permutation_test(a, b[::-1], clusters=documents[::-1])
    assert result.signature == expected.signature
    scores = FROM({"x\ud800": a, "b": b[::-1]}, groups={"half": documents[::-1]})
    assert scores.systems == (r"x\ud800", "b")  # half a character is escaped
    assert [*(scores.items or ())] == LABELS
    assert scores.groups["half"].tolist() == documents.tolist()


def test_a_range_names_items_unless_it_counts_from_zero() -> None:
    frame = pd.DataFrame({"base": [*BASE, *BASE], "new": [*NEW, *NEW]})
    with pytest.raises(AlignmentError, match="'8', '9'"):
        bt.permutation_test(frame.base[:8], frame.new[8:])
    assert FROM({"a": frame.base, "b": frame.new}).items is None
    index = pd.MultiIndex.from_product([["d1", "d2"], [1, 2, 3, 4]])
    a, b = pd.Series(BASE, index=index), pd.Series(NEW, index=index)
    assert bt.mcnemar(a, b.iloc[::-1]).pvalue == bt.mcnemar(BASE, NEW).pvalue


def test_columns_of_frames_are_taken_by_name() -> None:
    gold = {"tp": [1, 2, 0, 3], "fp": [1, 0, 2, 1], "fn": [0, 1, 1, 0]}
    other = {"tp": [2, 2, 1, 3], "fp": [0, 1, 1, 1], "fn": [0, 1, 0, 0]}
    order = ["fn", "tp", "fp"]
    plain = [np.array([*x.values()]).T for x in (gold, other)]
    expected = bt.permutation_test(plain[0], plain[1], F1)
    for library in (pd.DataFrame, pl.DataFrame, pa.table, pa.RecordBatch.from_pydict):
        a, b = library(gold), library({name: other[name] for name in order})
        assert bt.permutation_test(a, b, F1).signature == expected.signature
    with pytest.raises(UsageError, match="b has no column 'fn'"):
        bt.permutation_test(pd.DataFrame(gold), pd.DataFrame(other)[["tp", "fp"]], F1)


@pytest.mark.parametrize(
    "container",
    [
        pd.DataFrame,
        lambda x: pd.Series(x.tolist()),
        lambda x: pl.Series(x.tolist()),
        lambda x: pa.table({"r1": x[:, 0], "r2": x[:, 1]}),
        lambda x: (row for row in x.tolist()),
        np.ma.masked_array,
    ],
)
def test_responses_are_rows_whatever_holds_them(container: Any) -> None:
    gold = np.array([[3, 4], [1, 1], [5, 4], [2, 3]])
    old, new = gold[::-1], gold + np.array([0, 1])
    expected = p_value(gold, old, new)
    assert p_value(*map(container, (gold, old, new))).signature == expected.signature
    scores = bt.Scores.from_responses({"a": container(old), "b": container(new)})
    np.testing.assert_array_equal(scores.values[:, :, 0], np.c_[old.mean(1), new.mean(1)])


def test_labels_are_the_same_in_any_type() -> None:
    same = ([3, 1, 3], [3.0, 1.0, 3.0], ["3", "1", "3"], pd.Series([3, 1, 3]), pa.array([3, 1, 3]))
    for labels in same:
        assert given_labels(labels, "clusters").tolist() == ["3", "1", "3"]
        assert cluster_codes(labels, 3)[0].tolist() in ([0, 1, 0], [1, 0, 1])
    for numbers in ([7, 7, 3], [7_000, 7_000, -3], np.array([9, 9, 8], np.uint8)):
        assert cluster_codes(numbers, 3)[1] == 2
    small = np.array([-128, 127, *range(98)], dtype=np.int8)
    assert cluster_codes(small, 100)[1] == len(set(small.tolist()))
    assert cluster_codes([2**53 + i for i in range(7)] + [0.5], 8)[1] == 8


@pytest.mark.parametrize("blank", [None, float("nan"), pd.NA, pd.NaT, "", "  "])
def test_blank_labels(blank: Any) -> None:
    labels = [blank] * 4 + list("abcd")
    for use in (
        lambda: FROM({"a": BASE}, clusters=labels),
        lambda: FROM({"a": BASE}, items=pd.Series(labels)),
        lambda: bt.permutation_test(BASE, NEW, clusters=labels),
        lambda: bt.Judgments.from_arrays("aaaabbbb", "bbbbaaaa", [1] * 8, items=labels),
    ):
        with pytest.raises(AlignmentError, match="no label at positions '0', '1'"):
            use()
    groups: Any = {1: labels}
    assert [x.strip() for x in FROM({"a": BASE}, groups=groups).groups["1"][:4]] == [""] * 4


def test_scores_do_not_follow_the_arrays() -> None:
    values = np.array([0.1 + 0.2, 1.0])
    scores = FROM({"a": values, "b": values})
    values[0] = 7
    assert scores.values[0].ravel().tolist() == [0.1 + 0.2] * 2
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0] = 5
