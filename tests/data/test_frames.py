"""Scores from data frames: layouts, roles, pairing, and every complaint."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.data.frames.foreign import from_list
from betterthan.data.scores import Scores
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    BadValueError,
    BetterthanError,
    DataError,
    FormatError,
    Remedy,
    UsageError,
    remedy_of,
)
from betterthan.metrics import F1

WIDE: dict[str, list[Any]] = {"id": ["q1", "q2", "q3"], "base": [0, 1, 1], "new": [1, 1, 0]}
LONG: dict[str, list[Any]] = {
    "item": ["q1", "q2", "q1", "q2"],
    "system": ["base", "base", "new", "new"],
    "score": [0.5, 1.0, 0.25, 0.75],
}


def items_of(scores: Scores) -> list[str]:
    assert scores.items is not None
    return [str(item) for item in scores.items]


def clusters_of(scores: Scores) -> list[str]:
    assert scores.clusters is not None
    return [str(cluster) for cluster in scores.clusters]


def named(caught: pytest.ExceptionInfo[BetterthanError]) -> list[tuple[object, object]]:
    """The options that an error advises."""
    return [(remedy.parameter, remedy.value) for remedy in caught.value.remedies]


def frame(columns: dict[str, list[Any]]) -> pl.DataFrame:
    return pl.DataFrame(columns, strict=False)


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_wide_from_every_kind_of_frame(kind: Any) -> None:
    scores = bt.read(kind(WIDE))
    assert scores.systems == ("base", "new")
    assert items_of(scores) == ["q1", "q2", "q3"]
    assert scores.values[:, :, 0].tolist() == [[0, 1], [1, 1], [1, 0]]
    assert scores.source == "wide table · item=id · systems base, new · 3 items paired by id"


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_long_from_every_kind_of_frame(kind: Any) -> None:
    scores = bt.read(kind(LONG))
    assert scores.systems == ("base", "new")
    assert scores.values[:, :, 0].tolist() == [[0.5, 0.25], [1.0, 0.75]]
    assert scores.source == (
        "long table · item=item · system=system · score score · systems base, new · "
        "2 items paired by id"
    )


def test_lazy_frames_and_named_indexes() -> None:
    assert bt.read(pl.LazyFrame(WIDE)).systems == ("base", "new")
    indexed = pd.DataFrame(WIDE).set_index("id")
    assert items_of(bt.read(indexed)) == ["q1", "q2", "q3"]


def test_lazy_frames_are_read_as_what_they_compute() -> None:
    wide = pl.DataFrame(WIDE).with_columns(pl.col("base").cast(pl.Int128))
    eager, lazy = bt.read(wide), bt.read(wide.lazy(), items=True)
    assert lazy.values.tolist() == eager.values.tolist()
    with pytest.raises(DataError, match=r"lazy frame cannot be computed \(.*nope"):
        bt.compare(pl.LazyFrame(WIDE).select("nope"))


def test_pandas_blanks_of_every_spelling() -> None:
    table = pd.DataFrame({"id": [1, 2, 3], "a": [0, None, 1], "b": [True, False, pd.NA]})
    scores = bt.read(table, missing="pairwise")
    np.testing.assert_array_equal(scores.values[:, :, 0], [[0, 1], [np.nan, 0], [1, np.nan]])


def test_rows_in_any_order_pair_by_id() -> None:
    rows = frame(LONG)
    for seed in range(5):
        shuffled = bt.read(rows.sample(fraction=1, shuffle=True, seed=seed))
        got = {
            (item, system): value
            for item, row in zip(items_of(shuffled), shuffled.values[:, :, 0], strict=True)
            for system, value in zip(shuffled.systems, row.tolist(), strict=True)
        }
        want = zip(zip(LONG["item"], LONG["system"], strict=True), LONG["score"], strict=True)
        assert got == dict(want)


@pytest.mark.parametrize("name", ["Item", "ID", "doc_id", "example", "qid", "Seg ID", "session_id"])
def test_item_aliases(name: str) -> None:
    scores = bt.read(frame({name: [3, 1, 2], "a": [1, 2, 3], "b": [4, 5, 6]}))
    assert items_of(scores) == ["3", "1", "2"]
    assert f"item={name}" in scores.source


def test_without_ids_items_pair_by_position() -> None:
    scores = bt.read(frame({"M0": [0.1, 0.2], "M1": [0.3, 0.4]}))
    assert scores.items is None
    assert scores.source == "wide table · systems M0, M1 · 2 items paired by position"


def test_whole_floats_are_the_same_ids_as_integers() -> None:
    assert items_of(bt.read(frame({"id": [1.0, 2.0], "a": [0, 1]}))) == ["1", "2"]
    assert items_of(bt.read(frame({"id": ["1.0", "2.0"], "a": [0, 1]}))) == ["1", "2"]
    assert items_of(bt.read(frame({"id": ["1.0", "x"], "a": [0, 1]}))) == ["1.0", "x"]
    assert items_of(bt.read(frame({"id": ["007", "7"], "a": [0, 1]}))) == ["007", "7"]


def test_long_table_of_counts_has_several_columns() -> None:
    scores = bt.read(
        frame(
            {
                "id": [1, 2, 1, 2],
                "model": ["a", "a", "b", "b"],
                "tp": [1, 2, 3, 4],
                "fp": [0, 1, 0, 1],
                "fn": [5, 6, 7, 8],
            }
        )
    )
    assert scores.columns == ("tp", "fp", "fn")
    assert scores.of("b", ("fn", "tp")).tolist() == [[7, 3], [8, 4]]


def metric_table() -> pl.DataFrame:
    return frame(
        {
            "item": [1, 1, 2, 2] * 2,
            "system": ["a"] * 4 + ["b"] * 4,
            "metric": ["em", "rouge"] * 4,
            "value": [1, 0.5, 0, 0.25, 1, 0.75, 1, None],
        }
    )


def test_metrics_of_a_long_table_become_columns() -> None:
    scores = bt.read(metric_table(), missing="pairwise")
    assert scores.columns == ("em", "rouge")
    assert scores.of("a").tolist() == [[1, 0.5], [0, 0.25]]
    assert scores.of("b", ("em",)).tolist() == [[1], [1]]


def test_the_metric_asked_for_is_all_that_must_be_there() -> None:
    scores = bt.read(metric_table(), metric="em")
    assert scores.columns == ("em",)
    with pytest.raises(AlignmentError, match=r"'b' has no score for 1 of 2 items .'2'."):
        bt.read(metric_table(), metric="rouge")
    with pytest.raises(UsageError, match=r"bleu"):
        bt.read(metric_table(), metric="mean(bleu)")


def test_wide_table_of_several_metrics() -> None:
    scores = bt.read(
        frame(
            {"item": [1, 1, 2, 2], "metric": ["x", "y"] * 2, "A": [1, 2, 3, 4], "B": [5, 6, 7, 8]}
        )
    )
    assert scores.systems == ("A", "B")
    assert scores.columns == ("x", "y")
    assert scores.of("B").tolist() == [[5, 6], [7, 8]]


def test_a_metric_narrows_the_columns() -> None:
    table = frame({"id": [1], "system": ["a"], "tp": [1], "fp": [2], "fn": [3], "latency": [None]})
    scores = bt.read(table, metric=F1)
    assert scores.columns == ("tp", "fp", "fn")


def test_responses_are_kept_and_averaged() -> None:
    table: dict[str, list[Any]] = {
        "item": ["x", "x", "y", "x", "y", "y"],
        "system": ["a", "a", "a", "b", "b", "b"],
        "seed": [10, 9, 1, 1, 2, 1],
        "score": [1.0, 0.0, 1.0, 0.5, 1.0, 0.0],
    }
    with pytest.raises(AlignmentError, match="system 'a' has 1 to 2 rows") as caught:
        bt.read(frame(table))
    assert named(caught) == [("columns", {"response": "seed"})]
    rated = bt.read(frame({"rater" if k == "seed" else k: v for k, v in table.items()}))
    assert "response=rater (1–2 an item)" in rated.source
    scores = bt.read(frame(table), columns={"response": "seed"})
    assert scores.values[:, :, 0].tolist() == [[0.5, 0.5], [1.0, 0.5]]
    assert scores.responses is not None
    np.testing.assert_array_equal(
        scores.responses[:, :, 0],
        [[[0.0, 1.0], [0.5, np.nan]], [[1.0, np.nan], [0.0, 1.0]]],  # in the order of the seeds
    )
    assert "response=seed (1–2 an item)" in scores.source


def test_wide_table_with_repeats() -> None:
    scores = bt.read(
        frame({"id": [1, 1, 2, 2], "seed": [0, 1, 0, 1], "A": [0, 1, 1, 1], "B": [1, 1, 0, 0]})
    )
    assert scores.values[:, :, 0].tolist() == [[0.5, 1], [1, 0]]
    assert "response=seed (2 an item)" in scores.source


def test_blank_responses_are_never_left_out_silently() -> None:
    table = frame(
        {"id": [1, 1, 2, 2], "seed": [0, 1, 0, 1], "A": [0, None, 1, 1], "B": [1, 1, 0, 0]}
    )
    with pytest.raises(AlignmentError, match=r"system 'A' has blank responses for 1 item .'1'"):
        bt.read(table)
    dropped = bt.read(table, missing="drop")
    assert dropped.of("A")[:, 0].tolist() == [0, 1]
    assert dropped.notes == ("1 blank responses left out of their items' means",)
    up = bt.read(table.with_columns(A=1 - pl.col("A")), missing="worst")
    assert up.of("A")[0, 0] == 0.5
    low = bt.read(table, missing="worst", lower_is_better=True)
    assert low.of("A")[0, 0] == 0.5


def test_text_columns_label_the_items() -> None:
    scores = bt.read(frame({**WIDE, "domain": ["x", "y", None], "topic_id": [7, 7, 8]}))
    assert scores.systems == ("base", "new")
    assert {name: labels.tolist() for name, labels in scores.groups.items()} == {
        "domain": ["x", "y", ""],
        "topic_id": ["7", "7", "8"],
    }


def test_columns_that_differ_between_systems_are_no_labels() -> None:
    scores = bt.read(frame({**LONG, "answer": ["yes", "no", "no", "no"]}), missing="drop")
    assert "answer" not in scores.groups
    few = frame({**LONG, "answer": ["yes", "yes", "no", "yes"]})
    table = pl.concat([few, few.with_columns(item=pl.col("item") + "b")])
    assert bt.read(table).notes == (
        "column 'answer' not used as labels: the rows of one item differ",
    )


def test_a_column_called_cluster_is_used_and_said() -> None:
    scores = bt.read(frame({**WIDE, "cluster": ["d1", "d1", "d2"]}))
    assert clusters_of(scores) == ["d1", "d1", "d2"]
    assert "cluster=cluster (2)" in scores.source
    assert scores.notes == ()


def test_a_column_that_looks_like_a_cluster_earns_a_warning() -> None:
    table = frame({**WIDE, "document": [1, 1, 2]})
    scores = bt.read(table)
    assert scores.clusters is None
    assert scores.systems == ("base", "new")
    (note,) = scores.notes
    assert (remedy_of(note) or Remedy()).value == {"cluster": "document"}
    assert clusters_of(bt.read(table, columns={"cluster": "document"})) == ["1", "1", "2"]
    assert bt.read(table, columns={"cluster": "document"}).notes == ()
    assert bt.read(frame({**WIDE, "document": [1, 2, 3]})).notes == ()


def test_clusters_must_agree_and_be_complete() -> None:
    table = frame({**LONG, "doc": ["d1", "d2", "d1", "d9"]})
    with pytest.raises(AlignmentError, match=r"1 item has more than one cluster in 'doc' .'q2'"):
        bt.read(table, columns={"cluster": "doc"})
    with pytest.raises(AlignmentError, match=r"1 item has no cluster in 'doc' .'q3'"):
        bt.read(frame({**WIDE, "doc": ["d1", "d2", None]}), columns={"cluster": "doc"})


def test_several_columns_make_up_an_item() -> None:
    table = frame({"passage": [1, 1, 2], "question": [0, 1, 0], "A": [1, 3, 3], "B": [3, 2, 1]})
    for item in ("passage,question", ("passage", "question")):
        scores = bt.read(table, columns={"item": item})
        assert items_of(scores) == ["1/0", "1/1", "2/0"]
        assert scores.systems == ("A", "B")
        assert (remedy_of(scores.notes[0]) or Remedy()).value == {"cluster": "passage"}
    assert clusters_of(bt.read(table, columns={"item": item, "cluster": "passage"})) == [
        "1",
        "1",
        "2",
    ]


def test_the_user_has_the_last_word() -> None:
    table = frame({"id": [9, 9], "key": ["u", "v"], "who": ["a", "a"], "x": [1, 2], "y": [3, 4]})
    scores = bt.read(table, columns={"item": "key", "system": "WHO", "score": "y"})
    assert items_of(scores) == ["u", "v"]
    assert scores.systems == ("a",)
    assert scores.columns == ("y",)
    assert scores.values[:, 0, 0].tolist() == [3, 4]
    with pytest.raises(UsageError, match="no column 'nope'; it has 'id', 'key'") as caught:
        bt.read(table, columns={"item": "nope"})
    assert named(caught) == [("columns", {"item": COLUMN})]


def test_a_table_of_one_system() -> None:
    scores = bt.read(frame({"id": [1, 2], "tp": [1, 2], "incorrect": [0, 1]}))
    assert scores.systems == ("system",)
    assert scores.columns == ("tp", "incorrect")
    wide = bt.read(frame({"id": [1], "tp": [1], "incorrect": [0]}), input_format="wide")
    assert wide.systems == ("tp", "incorrect")


def test_truth_values_count_as_0_and_1() -> None:
    table = frame({"id": [1, 2], "a": [True, False], "b": ["True", "false"]})
    assert bt.read(table).values[:, :, 0].tolist() == [[1, 1], [0, 0]]


def test_words_for_missing_cells() -> None:
    words = ["None", "NA", "n/a", "", " ", "null", "NaN", "-"]
    table = frame({"id": [*range(10)], "a": [*words, "1", " 2 "], "b": [0] * 10})
    with pytest.raises(AlignmentError, match=r"'a' has no score for 8 of 10 items .'0', '1'"):
        bt.read(table)
    assert bt.read(table, missing="drop").of("a")[:, 0].tolist() == [1, 2]


def test_missing_and_extra_items_are_named() -> None:
    table = frame({"item": [1, 2, 3, 1, 2, 4], "system": [*"aaabbb"], "score": [1, 0, 1, 1, 1, 1]})
    with pytest.raises(AlignmentError, match="system 'a' has no score for 1 of 4 items") as caught:
        bt.read(table)
    assert named(caught) == [("missing", "drop"), ("missing", "worst")]
    kept = bt.read(table, missing="drop")
    assert items_of(kept) == ["1", "2"]
    assert "2/4 items paired by id" in kept.source
    assert kept.notes == ("2 of 4 items dropped: a system has no score there",)
    assert bt.read(table, missing="worst").of("b")[:, 0].tolist() == [1, 1, 0, 1]


def test_duplicates_name_system_items_and_remedy() -> None:
    table = frame({"item": [1, 1, 2, 1, 2, 2], "system": [*"aaabbb"], "score": [1, 0, 1, 1, 1, 1]})
    with pytest.raises(AlignmentError, match="'a' has more than one score for 1 item") as caught:
        bt.read(table)
    assert named(caught) == [("columns", {"response": COLUMN})]
    with pytest.raises(AlignmentError, match=r"the table has more than one score .*'q1'"):
        bt.read(frame({"id": ["q1", "q1"], "a": [1, 2], "b": [1, 2]}))
    with pytest.raises(AlignmentError, match=r"system 'a' has the same seed more than once .*'1'"):
        bt.read(table.with_columns(seed=pl.Series([3, 3, 3, 3, 1, 2])))


def test_no_item_in_common() -> None:
    table = frame({"item": ["q1", "q2", "1", "2"], "system": [*"aabb"], "score": [1, 0, 1, 1]})
    with pytest.raises(AlignmentError, match=r"'a' .'q1', 'q2'. and 'b' .'1', '2'."):
        bt.read(table, missing="drop")


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        (
            {"a": [1.0, *[np.inf] * 8], "b": [1] * 9},
            BadValueError,
            "'a' has infinite scores for 8 of 9",
        ),
        ({"id": [1], "a": [np.inf], "b": [1]}, BadValueError, "'a' has infinite scores.*'1'"),
        (
            {"id": [*"pqrs"], "a": ["1", "x", "0", "?"], "b": [1, 1, 1, 1]},
            BadValueError,
            "column 'a' has 2 cells that are not numbers .'x' in row 2, '.' in row 4",
        ),
        ({"id": ["p", None], "a": [1, 2]}, AlignmentError, "1 row has no item .row 2."),
        ({"id": [], "a": []}, FormatError, "no rows"),
        ({"id": ["p"], "a": ["x"]}, FormatError, "no column of numbers"),
        ({"id": [1], "qid": [1], "a": [1]}, FormatError, "'id', 'qid' could each be the item"),
        (
            {"id": [1], "score": [1], "length": [1]},
            FormatError,
            "are 'score', 'length' systems",
        ),
        ({"id": [1], "run": ["x"], "score": [1]}, FormatError, "does 'run' name the system"),
        (
            {"seed": [1], "a": [1], "b": [1]},
            FormatError,
            "none of 'a', 'b' is known to name the item",
        ),
        ({"system": [*"aab"], "score": [1, 2, 3]}, AlignmentError, "'a' has 2, 'b' has 1"),
        (
            {"item": [1], "metric": ["m"], "system": ["a"], "x": [1], "y": [1]},
            FormatError,
            "'x', 'y' could each be its value",
        ),
        (
            {"id": [1], "worker": [3], "winner": ["left"], "n": [1]},
            FormatError,
            "'winner' looks like a judgment",
        ),
    ],
)
def test_what_cannot_be_understood_is_explained(
    columns: dict[str, list[Any]], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        bt.read(frame(columns))


@pytest.mark.parametrize(
    ("columns", "parameter", "values"),
    [
        ({"id": [1], "qid": [1], "a": [1]}, "columns", [{"item": "id"}, {"item": "qid"}]),
        ({"id": [1], "run": ["x"], "score": [1]}, "columns", [{"system": "run"}]),
        ({"id": [1], "score": [1], "length": [1]}, "systems", [["score", "length"]]),
        ({"system": [*"aab"], "score": [1, 2, 3]}, "columns", [{"item": COLUMN}]),
    ],
)
def test_what_it_may_be_is_a_remedy(
    columns: dict[str, list[Any]], parameter: str, values: list[object]
) -> None:
    with pytest.raises(DataError) as caught:
        bt.read(frame(columns))
    assert named(caught)[: len(values)] == [(parameter, value) for value in values]


def test_layout_that_does_not_fit() -> None:
    with pytest.raises(FormatError) as caught:
        bt.read(frame(WIDE), input_format="long")
    assert named(caught) == [("columns", {"system": COLUMN})]


def test_scores_by_name_leave_other_columns_alone() -> None:
    table = frame({"id": [1, 2], "score": [1, 0], "target": ["7", "x"], "length": [3, 4]})
    scores = bt.read(table, columns={"score": "score"})
    assert scores.columns == ("score",)
    with pytest.raises(BadValueError, match=r"'x' in row 2"):
        bt.read(table, columns={"score": "target"})
    nested = pl.DataFrame({"id": [1], "score": [[1, 2]]})
    with pytest.raises(BadValueError, match=r"'score' holds List"):
        bt.read(nested, columns={"score": "score"})


def test_long_rows_without_ids_pair_by_position_and_say_so() -> None:
    table = frame({"topic": ["p", "q"] * 2, "system": [*"aabb"], "score": [1, 2, 3, 4]})
    scores = bt.read(table)
    assert scores.paired_by == "position"
    assert scores.values[:, :, 0].tolist() == [[1, 3], [2, 4]]
    assert "'topic'" in scores.notes[0]
    assert (remedy_of(scores.notes[0]) or Remedy()).value == {"item": COLUMN}


def test_mixed_python_values_become_text_not_null() -> None:
    mixed = from_list("a", [1, "x", None, 2.5, float("nan"), True])
    assert mixed is not None
    assert mixed.to_list() == ["1", "x", None, "2.5", None, "True"]
    assert from_list("a", [[1], None]) is None
    huge = from_list("a", [2**70, 1])
    assert huge is not None
    assert huge.to_list() == [str(2**70), "1"]


cell = st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6))


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_scatter_against_a_dictionary(data: st.DataObject) -> None:
    """Any set of long rows, in any order, against the plainest way of filling a table."""
    names = st.tuples(st.sampled_from("abcde"), st.sampled_from(["s1", "s2", "s3"]))
    keys = data.draw(st.lists(names, min_size=1, max_size=15, unique=True))
    values = data.draw(st.lists(cell, min_size=len(keys), max_size=len(keys)))
    rows = dict(zip(keys, values, strict=True))
    table = pl.DataFrame(
        {
            "item": [item for item, _ in rows],
            "system": [system for _, system in rows],
            "score": pl.Series(list(rows.values()), dtype=pl.Float64, strict=False),
        }
    )
    scores = bt.read(table, missing="pairwise")
    assert items_of(scores) == list(dict.fromkeys(item for item, _ in rows))
    appeared = tuple(dict.fromkeys(system for _, system in rows))
    orders = ([s for i, s in rows if i == item] for item in "abcde")
    assert scores.shuffled == any(own != sorted(own, key=appeared.index) for own in orders)
    assert scores.systems == (tuple(sorted(appeared)) if scores.shuffled else appeared)
    for i, item in enumerate(items_of(scores)):
        for k, system in enumerate(scores.systems):
            want = rows.get((item, system))
            got = scores.values[i, k, 0]
            assert np.isnan(got) if want is None else got == want


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_responses_against_a_dictionary(data: st.DataObject) -> None:
    names = st.tuples(st.sampled_from("abc"), st.sampled_from(["s1", "s2"]), st.integers(0, 11))
    keys = data.draw(st.lists(names, min_size=1, max_size=20, unique=True))
    values = data.draw(st.lists(st.integers(-5, 5), min_size=len(keys), max_size=len(keys)))
    rows = dict(zip(keys, values, strict=True))
    table = frame(
        {
            "item": [k[0] for k in rows],
            "system": [k[1] for k in rows],
            "seed": [str(k[2]) for k in rows],
            "score": list(rows.values()),
        }
    )
    if len({k[1] for k in rows}) == 2 and not (
        {k[0] for k in rows if k[1] == "s1"} & {k[0] for k in rows if k[1] == "s2"}
    ):
        return
    scores = bt.read(table, columns={"response": "seed"}, missing="pairwise")
    for i, item in enumerate(items_of(scores)):
        for k, system in enumerate(scores.systems):
            of = [v for (x, s, _), v in sorted(rows.items()) if (x, s) == (item, system)]
            if scores.responses is not None:
                there = scores.responses[i, k, 0]
                assert there[~np.isnan(there)].tolist() == of
            got = scores.values[i, k, 0]
            assert got == pytest.approx(sum(of) / len(of)) if of else np.isnan(got)


def test_any_number_of_columns_makes_up_an_item() -> None:
    names = [f"part{k}" for k in range(12)]
    columns: dict[str, list[object]] = {name: [1, 1] for name in names[:-1]}
    table = frame({**columns, names[-1]: ["x", "y"], "a": [0, 1], "b": [1, 1]})
    items = items_of(bt.read(table, columns={"item": names}))
    assert items == ["/".join(["1"] * 11 + [end]) for end in "xy"]


def test_the_gold_answers_never_become_the_baseline() -> None:
    frame = pl.DataFrame(
        {"q": ["a", "b", "c", "d"], "gold": [3, 0, 2, 1], "x": [1, 0, 1, 1], "y": [0, 0, 1, 0]}
    )
    with pytest.raises(FormatError) as caught:
        bt.read(frame, columns={"item": "q"})
    assert ("systems", ["x", "y"]) in named(caught)
    with pytest.raises(FormatError, match="'gold' is named like what describes the items"):
        bt.read(frame, columns={"item": "q"}, input_format="wide")
    assert bt.read(frame, columns={"item": "q"}, systems=["x", "y"]).systems == ("x", "y")


def test_columns_that_pandas_numbered_are_called_by_their_numbers() -> None:
    named = pd.DataFrame({"0": [1, 0] * 5, "1": [1] * 10})
    numbered = named.rename(columns=int)
    assert bt.compare(numbered).signature == bt.compare(named).signature
    assert bt.read(numbered, systems=[1, 0]).systems == ("1", "0")  # type: ignore[list-item]
    with pytest.raises(UsageError, match="must be strings"):
        bt.compare(numbered, 0, 1)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=r"columns of one name \('1'\): rename them"):
        bt.compare(numbered.rename(columns={0: "1"}))


def test_columns_of_several_levels_are_refused() -> None:
    frame = pd.DataFrame({("x", "a"): [1, 0] * 5, ("x", "b"): [1] * 10})
    with pytest.raises(FormatError, match="columns of several levels"):
        bt.compare(frame)


def test_numbers_beyond_doubles_are_refused() -> None:
    with pytest.raises(BadValueError, match="a holds a number"):
        bt.permutation_test([10**400] * 10, [0] * 10)


@pytest.mark.parametrize(
    "dressed", ["{} s", "\u2212{}", "${}", "{}*", "tensor({})", "={}", "{} points"]
)
def test_decimals_with_something_beside_them_are_no_label(dressed: str) -> None:
    numbers = [0.1, 0.75, 0.4, 0.3]
    table = frame({"id": [*"pqrs"], "a": [dressed.format(x) for x in numbers], "b": numbers})
    with pytest.raises(FormatError, match="'a' holds decimals with something beside them"):
        bt.read(table.with_columns(c=pl.col("b") * 0.9))
    told = bt.read(table.with_columns(c=pl.col("b") * 0.9), columns={"label": "a"})
    assert told.systems == ("b", "c")


@pytest.mark.parametrize(
    ("label", "name", "refused"),
    [
        (["Yes", "No", "No", "Yes"], "base", True),
        (["Yes", "No", "No", "Yes"], "hard", False),
        (["1.5B", "7B", "7B", "1.5B"], "size", False),
        (["an answer", "No", "Yes", "4.5"], "base", False),
        (["\u00a73.1", "(3.2)", "(3.1)", "\u00a73.2"], "rule", False),
        (["v1.2", "v1.3", "gpt-3.5", "1.2.3"], "version", False),
    ],
)
def test_labels_are_labels_but_for_a_baseline(label: list[str], name: str, refused: bool) -> None:
    table = frame({"id": [*"pqrs"], name: label, "b": [0.1, 0.7, 0.4, 0.3], "c": [0, 0.2, 0.4, 1]})
    if refused:
        with pytest.raises(FormatError, match=r"'base' holds no numbers .'Yes'.") as caught:
            bt.read(table)
        assert named(caught) == [("columns", {"label": "base"})]
    else:
        assert bt.read(table).systems == ("b", "c")
