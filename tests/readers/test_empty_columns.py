"""Columns without a single value: no scores and no systems, unless somebody names them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from reading_ways import counted

import betterthan as bt
from betterthan.errors import BetterthanError, DataError, FormatError, MissingScoresError
from betterthan.readers.table_files import LOOKED_AT
from betterthan.readers.sources import read

N = 12
IDS = [f"q{k}" for k in range(N)]
BASE = [((3 * k) % 7) / 8 for k in range(N)]
NEW = [((5 * k) % 7) / 8 for k in range(N)]
NOTHING = [None] * N

Write = Callable[[pl.DataFrame, Path], Any]
WRITERS: dict[str, Write] = {
    "csv": pl.DataFrame.write_csv,
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
}
KINDS = pytest.mark.parametrize("kind", WRITERS)


def written(path: Path, columns: dict[str, list[Any]]) -> Path:
    WRITERS[path.suffix[1:]](pl.DataFrame({"id": IDS, **columns}), path)
    return path


@KINDS
@pytest.mark.parametrize("name", ["error", "notes", "accuracy"])
@pytest.mark.parametrize("second", ["empty", "lacking", "a text"])
def test_files_of_one_system(tmp_path: Path, kind: str, name: str, second: str) -> None:
    texts: list[str | None] = [*["timeout"], *[None] * (N - 1)]
    every: dict[str, dict[str, list[Any]]] = {
        "empty": {name: NOTHING},
        "lacking": {},
        "a text": {name: texts},
    }
    more = every[second]
    files = [
        written(tmp_path / f"base.{kind}", {"score": BASE, name: NOTHING}),
        written(tmp_path / f"new.{kind}", {"score": NEW, **more}),
    ]
    scores = read(*files)
    assert scores.columns == ("score",)
    assert scores.values[:, :, 0].T.tolist() == [BASE, NEW]
    if second != "a text":
        assert f"not compared: {name}" in scores.source
    assert bt.compare(bt.read(*files, items=False)).pvalue == bt.compare(scores).pvalue
    assert f"not compared: {name}" in bt.read(*files, items=False).source
    for named in ({"columns": {"score": name}}, {"metric": f"mean({name})"}):
        with pytest.raises(BetterthanError, match=rf"no score|'{name}'"):
            read(*files, **named)


@KINDS
def test_long_tables(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"long.{kind}"
    data = {"id": IDS * 2, "system": ["base"] * N + ["new"] * N, "score": BASE + NEW}
    WRITERS[kind](pl.DataFrame({**data, "notes": NOTHING * 2}), path)
    assert read(path).values[:, :, 0].T.tolist() == [BASE, NEW]
    assert "not compared: notes" in read(path).source
    assert "not compared: notes" in bt.read(path, items=False, systems="base,new").source


@KINDS
def test_a_column_that_may_be_a_system_is_left_out_aloud(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / f"wide.{kind}", {"base": BASE, "third": NOTHING, "new": NEW})
    for scores in (read(path), bt.read(path, items=False)):
        assert scores.systems == ("base", "new")
        assert "not compared: third" in scores.source
        assert any("'third' is empty" in note for note in bt.compare(scores).notes)
    with pytest.raises(MissingScoresError, match="'third' has no score for 12 of 12"):
        read(path, systems="base,third")


@KINDS
def test_nothing_takes_the_place_of_an_empty_system(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / f"wide.{kind}", {"base": BASE, "new": NOTHING})
    for reader in (read, counted):
        with pytest.raises(FormatError, match="'new' is empty, and only 'base' is left"):
            reader(path)
    both = written(tmp_path / f"both.{kind}", {"base": NOTHING, "new": NOTHING})
    with pytest.raises(MissingScoresError, match=r"'base' has no score.*'new' has no score"):
        read(both)


@pytest.mark.parametrize("empty", [None, float("nan"), pd.NA])
def test_frames(empty: object) -> None:
    frame = pd.DataFrame({"id": IDS, "base": BASE, "new": NEW, "notes": [empty] * N})
    scores = bt.Scores.from_frame(frame)
    assert scores.systems == ("base", "new")
    assert "not compared: notes" in scores.source
    assert any("'notes' is empty" in note for note in scores.notes)


def test_nothing_takes_the_place_of_empty_scores(tmp_path: Path) -> None:
    tables: list[dict[str, list[Any]]] = [
        {"score": NOTHING, "other": NEW},
        {"tp": BASE, "fp": NEW, "fn": NOTHING},
    ]
    for others in tables:
        files = [written(tmp_path / f"{name}.csv", others) for name in ("a", "b")]
        with pytest.raises(MissingScoresError, match="'a' has no score for 12 of 12"):
            read(*files)


def test_all_infinite_is_not_empty(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    written(path, {"base": BASE, "new": NEW, "odd": [None, *[float("inf")] * (N - 1)]})
    with pytest.raises(DataError, match="odd"):
        read(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_is_filled_after_the_first_rows_is_not_overlooked(tmp_path: Path, kind: str) -> None:
    n = LOOKED_AT + 5
    rows = [{"id": f"q{k}", "a": k % 2, "b": k % 3 % 2, "c": None} for k in range(n)]
    rows[-1]["c"] = 1
    path = tmp_path / f"late.{kind}"
    if kind == "csv":
        pl.DataFrame(rows, infer_schema_length=None).write_csv(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FormatError, match="late"):
        bt.read(path, items=False)


def test_scores_of_another_file_are_not_overlooked(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "a.csv", {"score": BASE, "error": NOTHING}),
        written(tmp_path / "b.csv", {"score": NEW, "error": BASE}),
    ]
    for reader in (read, counted):
        with pytest.raises(FormatError, match="error"):
            reader(*files)
