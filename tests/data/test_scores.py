"""Scores: construction, immutability, missing cells, selections."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan import metrics
from betterthan.data.arrays import as_floats
from betterthan.data.labels import as_labels
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.metrics import ACCURACY, ERROR_RATE, Metric, mean

TWO = {"base": [0, 1, 1], "new": [1, 1, 0]}


def test_arrays_are_stacked_in_order_and_named() -> None:
    scores = Scores.from_arrays(TWO)
    assert scores.values.shape == (3, 2, 1)
    assert scores.systems == ("base", "new")
    assert scores.columns == ("score",)
    assert scores.paired_by == "position"
    assert scores.of("new")[:, 0].tolist() == [1, 1, 0]


def test_scores_cannot_be_changed() -> None:
    mine = np.array([0.0, 1.0])
    scores = Scores.from_arrays({"a": mine, "b": mine})
    with pytest.raises(ValueError, match=r"read-only"):
        scores.values[0] = 5
    mine[0] = 7  # the caller's own array stays the caller's
    assert scores.values[0, 0, 0] == 0
    with pytest.raises(TypeError):
        scores.groups["x"] = scores.items  # type: ignore[index]


def test_pickle_keeps_everything() -> None:
    scores = Scores.from_arrays(
        TWO, items=["x", "y", "z"], clusters=[1, 1, 2], groups={"g": ["u", "v", "u"]}
    )
    again = pickle.loads(pickle.dumps(scores))
    assert again.systems == scores.systems
    assert again.items.tolist() == ["x", "y", "z"]
    assert again.clusters.tolist() == ["1", "1", "2"]
    assert again.groups["g"].tolist() == ["u", "v", "u"]
    np.testing.assert_array_equal(again.values, scores.values)


def test_only_and_select_take_everything_along() -> None:
    scores = Scores.from_responses(
        {"a": [[1], [2, 3], [4]], "b": [[5], [6], [7, 8]]}, items=[1, 2.0, "3"], clusters="xxy"
    )
    part = scores.select("b").only(np.array([False, True, True]))
    assert part.systems == ("b",)
    assert part.items is not None
    assert part.items.tolist() == ["2", "3"]
    assert part.clusters is not None
    assert part.clusters.tolist() == ["x", "y"]
    assert part.values[:, 0, 0].tolist() == [6, 7.5]
    assert part.responses is not None
    assert part.responses.shape == (2, 1, 1, 2)


def test_columns_come_in_the_order_asked_for() -> None:
    scores = Scores.from_arrays({"a": [[1, 2, 3]]}, columns=("tp", "fp", "fn"))
    assert scores.of("a", ("fn", "tp")).tolist() == [[3, 1]]


@pytest.mark.parametrize(
    ("arrays", "options", "error", "says"),
    [
        ({}, {}, DataError, "no systems"),
        ({"a": [], "b": []}, {}, DataError, "no items"),
        ({"a": [1, 2], "b": [1]}, {}, AlignmentError, "'a' has 2, 'b' has 1"),
        ({"a": [[1, 2]]}, {}, UsageError, "columns="),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, {}, DataError, "same columns"),
        ({"a": ["x", "y"]}, {}, BadValueError, "system 'a'"),
        ({"a": [[1], [1, 2]]}, {}, BadValueError, "not a rectangular array"),
        ({"a": [1, np.inf]}, {}, BadValueError, "'a' has infinite scores for 1 of 2 .*'row 2'"),
        ({"a": [1, np.nan]}, {}, AlignmentError, "'a' has no score for 1 of 2 "),
        ({"a": [1, None]}, {"items": ["p", "q"]}, AlignmentError, "'q'"),
        ({"a": [1, 2]}, {"items": ["p", "p"]}, AlignmentError, "names must be unique"),
        ({"a": [1, 2]}, {"items": ["p"]}, DataError, "1 item ids for 2 items"),
        ({"a": [1, 2]}, {"clusters": ["p"]}, DataError, "clusters has 1 labels for 2 items"),
        ({"a": [1, 2]}, {"missing": "ignore"}, UsageError, "missing must be one of"),
    ],
)
def test_bad_arrays_are_explained(
    arrays: dict[str, Any],
    options: dict[str, Any],
    error: type[Exception],
    says: str,
) -> None:
    with pytest.raises(error, match=says):
        Scores.from_arrays(arrays, **options)


def test_missing_items_as_the_user_chose() -> None:
    arrays: dict[str, Any] = {"a": [0, 1, np.nan, 1], "b": [1, 1, 0, 0]}
    dropped = Scores.from_arrays(arrays, missing="drop", items="wxyz")
    assert dropped.items is not None
    assert dropped.items.tolist() == ["w", "x", "z"]
    assert dropped.notes == ("1 of 4 items dropped: a system has no score there",)
    worst = Scores.from_arrays(arrays, missing="worst", metric=mean())
    assert worst.of("a")[:, 0].tolist() == [0, 1, 0, 1]
    lower = Scores.from_arrays(arrays, missing="worst", metric=mean(lower_is_better=True))
    assert lower.of("a")[2, 0] == 1
    holes = Scores.from_arrays(arrays, missing="pairwise")
    assert np.isnan(holes.values).sum() == 1


def test_worst_needs_a_worst_value() -> None:
    cases: list[tuple[Any, Metric | None]] = [
        ([0.5, np.nan], ACCURACY),
        ([0, np.nan], ERROR_RATE),
        ([0, None], None),
    ]
    for values, metric in cases:
        with pytest.raises(UsageError, match=r"missing=.drop"):
            Scores.from_arrays({"a": values}, missing="worst", metric=metric)


def test_worst_fills_the_responses_too() -> None:
    holes = Scores.from_arrays({"a": [0, np.nan], "b": [1, 1]}, missing="pairwise")
    deep = np.stack([holes.values, holes.values], axis=-1)
    scores = Scores(values=holes.values, systems=holes.systems, responses=deep)
    done = scores.completed("worst", mean())
    assert done.responses is not None
    assert done.responses[1, 0, 0, 0] == 0
    np.testing.assert_array_equal(np.nanmean(done.responses, axis=-1), done.values)


def test_nothing_left_after_dropping() -> None:
    with pytest.raises(AlignmentError, match=r"nothing is left"):
        Scores.from_arrays({"a": [np.nan, 1], "b": [1, np.nan]}, missing="drop")


def test_unknown_system_and_label_are_named() -> None:
    scores = Scores.from_arrays(TWO, groups={"domain": "xyx"})
    with pytest.raises(UsageError, match=r"no system 'old'; there are 'base', 'new'"):
        scores.select("old")
    with pytest.raises(UsageError, match=r"no label column 'doc'; there are 'domain'"):
        scores.clustered_by("doc")
    clustered = scores.clustered_by("domain").clusters
    assert clustered is not None
    assert clustered.tolist() == ["x", "y", "x"]
    assert scores.clustered_by(None) is scores


def test_labels_spell_whole_floats_as_integers() -> None:
    assert as_labels([1, 1.0, "1", 1.5, True]).tolist() == ["1", "1", "1", "1.5", "True"]
    assert as_labels(np.array([3.0, 4.0])).tolist() == ["3", "4"]


def test_truth_values_and_blanks_are_numbers() -> None:
    assert as_floats([True, False], "a").tolist() == [1.0, 0.0]
    assert np.isnan(as_floats(np.array([1, None]), "a")[1])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(-50, 50), min_size=1, max_size=5), min_size=1, max_size=8))
def test_item_means_of_ragged_responses(rows: list[list[int]]) -> None:
    scores = Scores.from_responses({"a": rows})
    for row, value in zip(rows, scores.values[:, 0, 0].tolist(), strict=True):
        assert value == pytest.approx(float(Fraction(sum(row), len(row))), rel=1e-15, abs=1e-15)
    if scores.responses is not None:
        assert [int((~np.isnan(r)).sum()) for r in scores.responses[:, 0, 0]] == list(
            map(len, rows)
        )


def test_no_responses_at_all() -> None:
    with pytest.raises(DataError, match=r"no responses"):
        Scores.from_responses({"a": [[]]})
    with pytest.raises(AlignmentError, match=r"'a' has no score for 1 of 2"):
        Scores.from_responses({"a": [[1], []], "b": [[1], [2]]})


def test_rates_are_those_of_the_metric_or_of_zeros_and_ones_in_its_column() -> None:
    half = np.array([[1.0, 0.5, np.nan], [0.0, 2.0, 3.0]])
    scores = Scores.from_arrays(
        {"a": half, "b": half}, columns=("correct", "points", "late"), missing="pairwise"
    )
    assert scores.is_rate(metrics.mean("correct"))
    assert not scores.is_rate(metrics.mean("points"))
    assert scores.is_rate(metrics.mean("points", percent=True))
    assert not scores.is_rate(metrics.ratio({"correct": 1}, {"points": 1}))
    assert not scores.is_rate(metrics.blackbox(np.median, ("correct",)))


def test_labels_that_end_in_a_nul_are_told_apart() -> None:
    part = ["p", "p\0", "p\0", "q"]
    scores = Scores.from_arrays({"a": [1, 0, 0, 1], "b": [0, 1, 1, 1]}, groups={"part": part})
    assert {label: found.n for label, found in scores.parts("part")} == {"p": 1, "p\0": 2, "q": 1}
