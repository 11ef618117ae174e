"""Judgments as Python users hand them in: who is who, and who won."""

from pathlib import Path
from typing import Any, cast

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import betterthan as bt
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.ranking import rating

FROM = bt.Judgments.from_arrays
ROWS = list[tuple[object, object, object]]


def _from_arrays(rows: ROWS, folder: Path) -> bt.Judgments:
    del folder
    left, right, won = (list(column) for column in zip(*rows, strict=True))
    return FROM(left, right, won)


def _from_csv(rows: ROWS, folder: Path) -> bt.Judgments:
    path = folder / "battles.csv"
    lines = (",".join(map(str, row)) for row in rows)
    path.write_text("\n".join(["model_a,model_b,winner", *lines]) + "\n")
    return cast("bt.Judgments", bt.read(path))


DOORS = [_from_arrays, _from_csv]


def _wins(judged: bt.Judgments) -> dict[str, float]:
    """Points of each system, counted one by one."""
    points = dict.fromkeys(judged.systems, 0.0)
    times = [1] * len(judged.outcome) if judged.counts is None else judged.counts.tolist()
    for left, right, won, k in zip(judged.left, judged.right, judged.outcome, times, strict=True):
        points[judged.systems[left]] += k * won
        points[judged.systems[right]] += k * (1 - won)
    return points


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "rows",
    [
        [(0, 1, 1), (1, 0, 1)],
        [(2, 1, 2), (1, 2, 1)],
        [("B", "A", "a"), ("A", "B", "b")],
        [("b", "a", "a"), ("a", "b", "a"), ("a", "b", "tie")],
        [("right", "left", "left")],
        [("gpt", "x", "x"), ("gpt", "x", "model_a")],  # names beside codes, or codes of two kinds
    ],
)
def test_a_name_that_is_a_code_for_the_other(door: Any, rows: ROWS, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="may be the winner's name"):
        door(rows, tmp_path)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("rows", "points"),
    [
        # Some winner is no code, so that all are names.
        ([("b", "a", "a"), ("a", "c", "c"), ("c", "b", "tie")], {"a": 1, "b": 0.5, "c": 1.5}),
        ([("2", "1", "2"), ("1", "3", "3")], {"1": 0, "2": 1, "3": 1}),
        # Some winner is no name, so that all are codes.
        ([("B", "A", "a"), ("A", "C", "b")], {"A": 0, "B": 1, "C": 1}),
        ([("2", "1", "2"), ("1", "3", "1"), ("1", "3", "2")], {"1": 2, "2": 0, "3": 1}),
        # Name and code say the same.
        ([("a", "b", "a"), ("a", "b", "b"), ("1", "2", "1")], {"a": 1, "b": 1, "1": 1, "2": 0}),
        ([("right", "left", "right"), ("left", "gpt", "gpt")], {"right": 1, "left": 0, "gpt": 1}),
        # No draw without a judgment, but for a system of that name.
        ([("none", "gpt", "none"), ("gpt", "none", "gpt")], {"none": 1, "gpt": 1}),
    ],
)
def test_what_all_winners_have_in_common_settles_doubts(
    door: Any, rows: ROWS, points: dict[str, float], tmp_path: Path
) -> None:
    assert _wins(door(rows, tmp_path)) == points


def test_numbers_may_be_names() -> None:
    assert FROM([3, 4], [4.0, 3.0], [3, 3]).outcome.tolist() == [1, 0]
    assert FROM([1, 0], [0, 1], [1, 0.5]).outcome.tolist() == [1, 0.5]
    assert FROM("xyz", "yzx", pd.Series([1, 0, 1], dtype="Int64")).outcome.tolist() == [1, 0, 1]
    with pytest.raises(BadValueError, match="'1' may be the winner's name"):
        FROM([1, 0], [0, 1], [1, 1])
    with pytest.raises(BadValueError, match="outcome must be 1"):
        FROM(["x"], ["y"], [2])


def test_series_are_paired_by_index() -> None:
    left, right = pd.Series(["x", "y"]), pd.Series(["z", "y"], index=[1, 0])
    judged = FROM(left, right, pd.Series([0, 1], index=[1, 0]), items=pd.Series([7, 8])[::-1])
    names = [
        (judged.systems[a], judged.systems[b])
        for a, b in zip(judged.left, judged.right, strict=True)
    ]
    assert names == [("x", "y"), ("y", "z")]
    assert judged.outcome.tolist() == [1, 0]
    assert judged.items is not None
    assert judged.items.tolist() == ["7", "8"]
    with pytest.raises(AlignmentError, match="the indexes of left and right differ"):
        FROM(left, pd.Series(["y", "z"], index=[5, 6]), [1, 1])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_every_frame_is_the_same_battles(library: Any) -> None:
    battles = {"model_a": [1, 2, 3], "model_b": [2, 3, 1], "winner": ["model_a"] * 3}
    judged = bt.read(library({**battles, "count": [3, 1, 1]}))
    assert isinstance(judged, bt.Judgments)
    assert (judged.systems, judged.n) == (("1", "2", "3"), 5)
    pair = judged.select("2", "1")
    assert [pair.left.item(), pair.right.item(), pair.outcome.item(), pair.n] == [1, 0, 1, 3]


def test_what_is_wrong_is_named() -> None:
    faults: list[tuple[type[Exception], str, Any]] = [
        (AlignmentError, "left has no label", lambda: FROM(["x", None], ["y", "z"], [1, 1])),
        (AlignmentError, "left has no label", lambda: FROM(["x", " "], ["y", "z"], [1, 1])),
        (AlignmentError, "items has no label", lambda: FROM("xy", "yx", [1, 1], items=["q", None])),
        (BadValueError, "outcome must be", lambda: FROM("x", "y", [0.7])),
        (BadValueError, "who won", lambda: FROM("x", "y", ["z"])),
        (DataError, "itself", lambda: FROM("x", "x", [1])),
        (DataError, "one entry per judgment", lambda: FROM("x", "yz", [1])),
        (DataError, "no judgments", lambda: FROM([], [], [])),
        (BadValueError, "whole numbers", lambda: FROM("x", "y", [1], counts=[0])),
        (UsageError, "no system 'q'", lambda: FROM("x", "y", [1]).select("x", "q")),
    ]
    for error, word, use in faults:
        with pytest.raises(error, match=word):
            use()
    judged: Any = FROM(["x"], ["y"], [1], judges=[None])
    assert judged.judges.tolist() == [""]
    with pytest.raises(ValueError, match="read-only"):
        judged.outcome[0] = 0
    assert "1 of 2 systems" in repr(judged)
    with pytest.raises(BadValueError, match="row 2: cannot tell who won from 'maybe'"):
        FROM("aa", "bb", ["left", "maybe"])


def test_what_is_resampled() -> None:
    """Single judgments, which earns a note; else items, or clusters."""
    columns = {"model_a": list("aba"), "model_b": list("bcc"), "winner": ["left", "tie", "right"]}
    for more, declared, unit, number in (
        ({}, {}, "judgments", 3),
        ({"question": [1, 1, 2]}, {}, "items", 2),
        ({"question": [1, 1, 2], "judge": list("xyx")}, {"cluster": "judge"}, "clusters", 2),
    ):
        board = rating(bt.read(pl.DataFrame(columns | more), columns=declared), "bradley-terry")
        assert (board.unit_name, board.units) == (unit, number)
        assert any("taken for independent" in note for note in board.notes) == (not more)
