"""Scores: immutable blocks, missing cells, responses, parts and tasks."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan import metrics
from betterthan.data.labels import MOST_PARTS, are, as_labels, rows_by_label
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, DataError, UsageError
from betterthan.metrics import ACCURACY, ERROR_RATE, Metric, mean

TWO = {"base": [0, 1, 1], "new": [1, 1, 0]}
RNG = np.random.default_rng(5)
EASE = RNG.random((30, 1))
BASE, NEW = ((RNG.random((30, 4)) < EASE + gain).astype(int) for gain in (0.0, 0.1))


def test_arrays_are_stacked_in_order_and_named() -> None:
    scores = Scores.from_arrays(TWO)
    assert (scores.systems, scores.columns, scores.paired_by) == (
        ("base", "new"),
        ("score",),
        "position",
    )
    assert scores.of("new")[:, 0].tolist() == [1, 1, 0]
    assert repr(scores) == "<Scores: 3 items x 2 systems>"
    columns = Scores.from_arrays({"a": [[1, 2, 3]]}, columns=("tp", "fp", "fn"))
    assert columns.of("a", ("fn", "tp")).tolist() == [[3, 1]]
    again = bt.read(Scores.from_arrays(TWO, items="xyz").to_polars())
    assert again.values.tolist() == scores.values.tolist()


def test_pickle_and_selections_keep_everything() -> None:
    scores = Scores.from_responses(
        {"a": [[1], [2, 3], [4]], "b": [[5], [6], [7, 8]]},
        items=[1, 2.0, "3"],
        clusters="xxy",
        groups={"g": ["u", "v", "u"]},
    )
    for whole in (scores, pickle.loads(pickle.dumps(scores))):
        part: Any = whole.select("b").only(np.array([False, True, True]))
        assert part.systems == ("b",)
        assert part.items.tolist() == ["2", "3"]
        assert part.clusters.tolist() == ["x", "y"]
        assert part.groups["g"].tolist() == ["v", "u"]
        assert part.values[:, 0, 0].tolist() == [6, 7.5]
        assert part.responses.shape == (2, 1, 1, 2)


def test_missing_items_as_the_user_chose() -> None:
    arrays: dict[str, Any] = {"a": [0, 1, np.nan, 1], "b": [1, 1, 0, 0]}
    dropped = Scores.from_arrays(arrays, missing="drop", items="wxyz")
    assert dropped.items is not None
    assert dropped.items.tolist() == ["w", "x", "z"]
    assert any("1 of 4 items dropped" in note for note in dropped.notes)
    for metric, worst in ((mean(), 0), (mean(lower_is_better=True), 1)):
        filled = Scores.from_arrays(arrays, missing="worst", metric=metric)
        assert filled.of("a")[:, 0].tolist() == [0, 1, worst, 1]
    assert np.isnan(Scores.from_arrays(arrays, missing="pairwise").values).sum() == 1
    with pytest.raises(AlignmentError) as caught:
        Scores.from_arrays(arrays, items="wxyz")
    assert caught.value.where.items == ("y",)
    with pytest.raises(AlignmentError, match="nothing is left"):
        Scores.from_arrays({"a": [np.nan, 1], "b": [1, np.nan]}, missing="drop")


def test_worst_needs_a_worst_value() -> None:
    cases: list[tuple[Any, Metric | None]] = [
        ([0.5, np.nan], ACCURACY),
        ([0, np.nan], ERROR_RATE),
        ([0, None], None),
    ]
    for values, metric in cases:
        with pytest.raises(UsageError) as caught:
            Scores.from_arrays({"a": values}, missing="worst", metric=metric)
        assert caught.value.remedy is not None
        assert (caught.value.remedy.parameter, caught.value.remedy.value) == ("missing", "drop")


def test_worst_fills_the_responses_too() -> None:
    holes = Scores.from_arrays({"a": [0, np.nan], "b": [1, 1]}, missing="pairwise")
    deep = np.stack([holes.values, holes.values], axis=-1)
    filled = Scores(values=holes.values, systems=holes.systems, responses=deep).completed(
        "worst", mean()
    )
    assert filled.responses is not None
    np.testing.assert_array_equal(np.nanmean(filled.responses, axis=-1), filled.values)


def test_dropped_parts_are_told() -> None:
    scores = Scores.from_arrays(
        {"a": [0, 1, np.nan], "b": [1, 1, 0]}, groups={"domain": "xxy"}, missing="drop"
    )
    with pytest.raises(AlignmentError, match="'y'"):
        list(scores.parts("domain"))


def test_unknown_names_have_close_remedies() -> None:
    scores = Scores.from_arrays(TWO, groups={"domain": "xyx"})
    with pytest.raises(UsageError) as caught:
        scores.select("nwe")
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == ["new"]
    with pytest.raises(UsageError) as caught:
        scores.labels("domian")
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "domain"


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(-50, 50), min_size=1, max_size=5), min_size=1, max_size=8))
def test_item_means_of_ragged_responses(rows: list[list[int]]) -> None:
    scores = Scores.from_responses({"a": rows})
    for row, value in zip(rows, scores.values[:, 0, 0].tolist(), strict=True):
        assert value == pytest.approx(float(Fraction(sum(row), len(row))), rel=1e-15, abs=1e-15)
    assert scores.responses is not None
    present = (~np.isnan(scores.responses[:, 0, 0])).sum(axis=-1)
    assert present.tolist() == list(map(len, rows))


def test_items_without_responses() -> None:
    for rows, error in (
        ({"a": [[]]}, DataError),
        ({"a": [[1], []], "b": [[1], [2]]}, AlignmentError),
    ):
        with pytest.raises(error):
            Scores.from_responses(rows)
    assert Scores.from_responses({"a": [[1, 2], [3]], "b": [[2, 2], [2, 4]]}).uneven() == 1


@pytest.mark.parametrize("times", [1, 2, 4])
def test_a_rate_is_one_however_often_items_are_repeated(times: int) -> None:
    scores = Scores.from_responses(
        {"base": BASE[:, :times], "new": NEW[:, :times]}, column="correct"
    )
    result = bt.compare(scores, "base", "new")
    assert result.percent
    assert scores.is_rate(scores.measured())
    assert result.delta == pytest.approx(NEW[:, :times].mean() - BASE[:, :times].mean())
    assert bt.gate(scores, "base", "new", margin=0.02).checks[0].margin == 0.02
    assert scores.pair("base", "new").is_binary == (times == 1)


def test_means_that_are_not_rates() -> None:
    quarters: dict[str, Any] = {"base": BASE.mean(axis=1), "new": NEW.mean(axis=1)}
    assert not Scores.from_arrays(quarters).pair("base", "new").rate
    mixed = Scores.from_responses({"a": [[1, 0], [1]], "b": [[1], [0, 1, 1]], "c": [[2, 1], [0]]})
    assert mixed.pair("a", "b").rate  # ragged, and a third system does not matter
    assert not mixed.pair("a", "c").rate
    half = np.array([[1.0, 0.5], [0.0, 2.0]])
    scores = Scores.from_arrays({"a": half, "b": half}, columns=("correct", "points"))
    assert scores.is_rate(metrics.mean("correct"))
    assert not scores.is_rate(metrics.mean("points"))
    assert scores.is_rate(metrics.mean("points", percent=True))
    assert not scores.is_rate(metrics.blackbox(np.median, ("correct",)))


@given(st.lists(st.sampled_from(["a", "b", "b\0", "", "10", "9", "é"]), min_size=1))
def test_rows_of_every_label(names: list[str]) -> None:
    labels = as_labels(names)
    parts = [(label, rows.tolist()) for label, rows in rows_by_label(labels)]
    assert parts == [(x, np.flatnonzero(are(labels, x)).tolist()) for x in sorted(set(names))]


def test_tasks_have_their_own_metrics() -> None:
    values = np.array([[[1, np.nan]] * 2, [[0, np.nan]] * 2, [[np.nan, 3]] * 2])
    groups = {"task": as_labels(["qa", "qa", "mt"])}
    scores = Scores(values=values, systems=("a", "b"), columns=("em", "bleu"), groups=groups)
    scores = scores.with_tasks("task")
    parts = scores.completed("error").by_task()
    assert {name: (part.columns, part.n) for name, part in parts.items()} == {
        "mt": (("bleu",), 1),
        "qa": (("em",), 2),
    }
    with pytest.raises(UsageError, match="not measured on 'mt'"):
        scores.joint(metric="mean(em)")
    assert scores.measured_by(mean("em")).n == 2


def test_ids_taken_for_tasks_are_rejected() -> None:
    n = MOST_PARTS + 1
    groups = {"task": [str(k % n) for k in range(2 * n)]}
    scores = Scores.from_arrays({"a": [1, 0] * n, "b": [0, 1] * n}, groups=groups)
    for use in (scores.with_tasks("task").by_task, lambda: bt.compare_many(scores, by="task")):
        with pytest.raises(UsageError, match="5,001"):
            use()
