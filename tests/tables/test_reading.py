"""Scores of tables: the same through every entry point, and the same errors."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    BetterthanError,
    FormatError,
    MissingScoresError,
    UsageError,
)

RNG = np.random.default_rng(3)
N = 24
IDS = [f"q{k}" for k in range(N)]
BASE, NEW = RNG.integers(0, 2, (2, N)).tolist()
WIDE = pl.DataFrame({"item": IDS, "base": BASE, "new": NEW})
LONG = WIDE.unpivot(index="item", variable_name="system", value_name="score")


def _written(frame: pl.DataFrame, folder: Path, suffix: str) -> Path:
    path = folder / f"t.{suffix}"
    if suffix == "csv":
        frame.write_csv(path)
    elif suffix == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)
    return path


WAYS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "csv": lambda frame, folder: _written(frame, folder, "csv"),
    "jsonl": lambda frame, folder: _written(frame, folder, "jsonl"),
    "parquet": lambda frame, folder: _written(frame, folder, "parquet"),
    "polars": lambda frame, folder: frame,
    "pandas": lambda frame, folder: pd.DataFrame(frame.to_dict(as_series=False)),
    "pandas, indexed": lambda frame, folder: pd.DataFrame(frame.to_dict(as_series=False)).set_index(
        frame.columns[0]
    ),
    "pyarrow": lambda frame, folder: frame.to_arrow(),
}
TABLES: dict[str, tuple[pl.DataFrame, dict[str, Any]]] = {
    "wide": (WIDE, {}),
    "long": (LONG, {}),
    "long, other names": (
        LONG.rename({"item": "which", "system": "who", "score": "points"}),
        {"columns": {"item": "which", "system": "who", "score": "points"}},
    ),
    "chosen": (WIDE.with_columns(third=pl.lit(1)), {"systems": ["base", "new"]}),
    "some rows": (
        pl.concat(
            [WIDE.with_columns(split=pl.lit("test")), WIDE.with_columns(split=pl.lit("dev"))]
        ),
        {"where": {"split": "te*"}},
    ),
    "labels": (WIDE.with_columns(domain=pl.Series(["a", "b"] * (N // 2))), {}),
    "metrics": (
        pl.concat([LONG.with_columns(metric=pl.lit("acc")), LONG.with_columns(metric=pl.lit("f"))]),
        {"metric": "mean(acc)"},
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_every_entry_point_reads_the_same(table: str, way: str, tmp_path: Path) -> None:
    frame, declared = TABLES[table]
    scores = bt.read(WAYS[way](frame, tmp_path), **declared)
    assert scores.systems == ("base", "new")
    assert list(scores.items or ()) == IDS
    np.testing.assert_array_equal(scores.values[:, :, 0], np.column_stack([BASE, NEW]))
    assert scores.order != "none"


def change(column: str, at: int, value: Any) -> pl.DataFrame:
    cells = WIDE[column].cast(pl.String).to_list()
    cells[at] = value
    return WIDE.with_columns(pl.Series(column, cells))


FAULTS: dict[str, tuple[pl.DataFrame, dict[str, Any], type[BetterthanError], str, str | None]] = {
    "a word": (change("new", 4, "oops"), {}, BadValueError, "oops", "columns"),
    "a blank": (change("new", 4, None), {}, MissingScoresError, "q4", "missing"),
    "infinite": (change("new", 4, "inf"), {}, BadValueError, "infinite", None),
    "beyond 2^53": (
        change("new", 4, str(2**53 + 1)),
        {"systems": ["base", "new"]},
        BadValueError,
        "2^53",
        None,
    ),
    "an id twice": (change("item", 4, "q5"), {}, AlignmentError, "q5", "columns"),
    "a blank id": (change("item", 4, None), {}, AlignmentError, "item", None),
    "two scores of a metric": (
        LONG.with_columns(metric=pl.lit("f1"), other=pl.lit(0.5)),
        {"columns": {"score": "score+other"}},
        FormatError,
        "other",
        "columns",
    ),
    "no rows": (WIDE.head(0), {}, FormatError, "no rows", None),
    "a sum": (
        pl.concat([WIDE, pl.DataFrame({"item": ["all"], "base": [sum(BASE)], "new": [sum(NEW)]})]),
        {},
        FormatError,
        "all",
        None,
    ),
    "another scale": (
        WIDE.select("item", base=pl.Series(RNG.uniform(20, 90, N)), new=pl.Series(RNG.random(N))),
        {},
        BadValueError,
        "shares",
        "systems",
    ),
    "no such system": (WIDE, {"systems": ["base", "nwe"]}, UsageError, "nwe", "systems"),
    "no such column": (WIDE, {"columns": {"label": "x"}}, UsageError, "'x'", "columns"),
    "no such value": (
        WIDE.with_columns(split=pl.lit("test")),
        {"where": {"split": "tset"}},
        UsageError,
        "tset",
        "where",
    ),
    "another data set": (
        LONG.with_columns(
            dataset=pl.when(pl.col("system") == "new").then(pl.lit("dev")).otherwise(pl.lit("test"))
        ),
        {},
        AlignmentError,
        "dataset",
        "columns",
    ),
    "the same texts on other items": (
        LONG.with_columns(url=pl.Series([*IDS, *IDS[1:], IDS[0]])),
        {},
        AlignmentError,
        "url",
        "columns",
    ),
    "questions differ": (
        LONG.with_columns(question=pl.col("item") + pl.col("system").str.slice(0, 1)),
        {},
        AlignmentError,
        "question",
        "columns",
    ),
}


@pytest.mark.parametrize("way", ["csv", "polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_entry_point_finds_the_same_faults(fault: str, way: str, tmp_path: Path) -> None:
    frame, declared, kind, word, parameter = FAULTS[fault]
    with pytest.raises(BetterthanError) as caught:
        bt.read(WAYS[way](frame, tmp_path), **declared)
    assert type(caught.value) is kind
    assert word in caught.value.message
    remedy = caught.value.remedy
    assert parameter == (remedy.parameter if remedy else None)


def test_what_is_declared_is_not_questioned() -> None:
    scaled = WIDE.select(
        "item", a_f1=pl.Series(RNG.random(N)), b_f1=pl.Series(RNG.uniform(9, 99, N))
    )
    assert bt.read(scaled, systems=["a_f1", "b_f1"]).systems == ("a_f1", "b_f1")
    other = LONG.with_columns(question=pl.col("item") + pl.col("system"))
    assert bt.read(other, columns={"item": "item"}).n == N


def test_only_what_was_asked_for_counts() -> None:
    holes = WIDE.with_columns(third=pl.Series([None] * 20 + [1] * 4))
    scores = bt.read(holes, systems=["new", "base"], missing="drop")
    assert (scores.n, scores.systems) == (N, ("new", "base"))


def test_the_line_of_what_was_read_can_be_pasted_back() -> None:
    frame = WIDE.with_columns(
        document=pl.Series([f"d{k // 2}" for k in range(N)]), level=pl.Series([1, 2] * (N // 2))
    )
    scores = bt.read(frame, columns={"cluster": "document"})
    words = shlex.split(scores.source.partition(" · ")[2])
    options: dict[str, Any] = {"columns": words[1], "systems": words[3]}
    again = bt.read(frame, **options)
    assert again.source == scores.source
    np.testing.assert_array_equal(again.values, scores.values)
    np.testing.assert_array_equal(again.clusters, scores.clusters)


@pytest.mark.parametrize("items", [True, False])
def test_the_line_of_what_was_read_says_which_rows(items: bool) -> None:
    frame = WIDE.with_columns(split=pl.Series(["test", "dev"] * (N // 2)))
    scores = bt.read(frame.lazy(), where={"split": "test"}, items=items)
    assert scores.n == N // 2
    assert "--where split=test" in scores.source


@pytest.mark.parametrize("way", ["scores", "judgments", "labels"])
@pytest.mark.parametrize("named", [None, 13, 3])
def test_the_line_of_many_systems_can_be_pasted_back(way: str, named: int | None) -> None:
    systems = [f"s{k}" for k in range(15)]
    frame = pl.DataFrame({"item": IDS, "split": ["a", "b"] * 12} | dict.fromkeys(systems, BASE))
    columns = None
    if way == "labels":
        columns, frame = {"ref": "right"}, frame.cast(pl.String).with_columns(right=pl.col("s0"))
    if way == "judgments":
        games = [
            {"left": x, "right": y, "winner": x, "split": z}
            for k, x in enumerate(systems)
            for y in systems[k + 1 :]
            for z in "ab"
        ]
        frame = pl.DataFrame(games)
    options: dict[str, Any] = {
        "columns": columns,
        "where": {"split": "a"},
        "systems": systems[:named],
    }
    data = bt.read(frame, **(options if named else options | {"systems": None}))
    words = shlex.split(next(x for x in data.source.split(" · ") if x.startswith("--")))
    pasted: dict[str, Any] = {
        option[2:]: text for option, text in zip(words[::2], words[1::2], strict=True)
    }
    assert ("systems" in pasted) == (named is not None or way == "labels")
    again = bt.read(frame, **pasted)
    assert (again.source, again.systems, again.n) == (data.source, data.systems, data.n)


def test_known_costs_are_lower_is_better() -> None:
    assert "--lower-is-better" in bt.read(LONG.rename({"score": "latency"})).source
    declared = bt.read(LONG.rename({"score": "latency"}), lower_is_better=False)
    assert (
        bt.compare(declared).delta == -bt.compare(bt.read(LONG.rename({"score": "latency"}))).delta
    )


def test_repeats_are_averaged_and_need_not_be_as_many() -> None:
    rows = pl.DataFrame(
        {
            "item": ["x", "x", "y", "x", "x", "y", "y"],
            "system": ["a"] * 3 + ["b"] * 4,
            "seed": [1, 2, 1, 1, 2, 1, 2],
            "score": [0, 1, 1, 1, 1, 0, 1],
        }
    )
    scores = bt.read(rows)
    assert scores.values[:, :, 0].tolist() == [[0.5, 1.0], [1.0, 0.5]]
    assert scores.uneven() == 1


REPEATS = pl.DataFrame(
    [{"item": i, "system": s, "seed": k} for i in IDS for s in ("a", "b") for k in range(3)]
)
REPEATS = REPEATS.with_columns(
    tp=pl.Series(RNG.integers(0, 9, len(REPEATS))), fp=pl.int_range(pl.len())
).filter((pl.col("seed") > 0) | (pl.col("tp") > 4))  # not all items have a first repeat


@pytest.mark.parametrize("seed", range(5))
def test_counts_in_one_column_are_those_of_several(seed: int) -> None:
    several = REPEATS.sample(fraction=1, shuffle=True, seed=seed)
    one = several.unpivot(
        index=["item", "system", "seed"], variable_name="metric", value_name="score"
    )
    first, second = (bt.read(x, metric="precision", systems="a,b") for x in (several, one))
    assert first.columns == second.columns
    assert list(first.items or ()) == list(second.items or ())
    np.testing.assert_array_equal(first.responses, second.responses)
    np.testing.assert_array_equal(first.values, second.values)


def test_clusters_of_several_columns_and_of_tasks() -> None:
    frame = WIDE.with_columns(
        task=pl.Series(["s", "t"] * (N // 2)), book=pl.Series([f"b{k // 6}" for k in range(N)])
    )
    scores = bt.read(frame, columns={"cluster": "task+book"})
    assert scores.clusters is not None
    assert len({*map(str, scores.clusters)}) == 8
    tasks = bt.read(frame, columns={"task": "task"})
    assert [*tasks.by_task()] == ["s", "t"]


def test_parts_of_a_joint_id_earn_a_warning() -> None:
    frame = LONG.with_columns(aspect=pl.lit("fluency"))
    frame = pl.concat([frame, frame.with_columns(aspect=pl.lit("adequacy"))])
    with pytest.raises(AlignmentError) as caught:
        bt.read(frame)
    assert caught.value.remedy is not None
    scores = bt.read(frame, columns={"item": "item+aspect"})
    assert scores.n == 2 * N
    assert any("'item'" in note for note in scores.notes)
    clustered = bt.read(frame, columns={"item": "item+aspect", "cluster": "item"})
    assert not clustered.notes
    assert clustered.clusters is not None


def test_counts_of_systems_side_by_side() -> None:
    frame = pl.DataFrame({"id": IDS, "a_tp": BASE, "a_fp": NEW, "b_tp": NEW, "b_fp": BASE})
    scores = bt.read(frame)
    assert (scores.systems, scores.columns) == (("a", "b"), ("tp", "fp"))
    np.testing.assert_array_equal(scores.values[:, 1, 0], NEW)


def test_files_of_one_system_each(tmp_path: Path) -> None:
    for name, scores in (("base", BASE), ("new", NEW)):
        pl.DataFrame({"item": IDS, "acc": scores}).sample(
            fraction=1, shuffle=True, seed=5
        ).write_csv(tmp_path / f"{name}.csv")
    read = bt.read(tmp_path / "base.csv", tmp_path / "new.csv")
    assert read.systems == ("base", "new")
    assert bt.compare(read).pvalue == bt.permutation_test(BASE, NEW).pvalue
    pl.DataFrame({"item": IDS, "loss": NEW}).write_csv(tmp_path / "loss.csv")
    with pytest.raises(FormatError) as caught:
        bt.read(tmp_path / "base.csv", tmp_path / "loss.csv")
    assert caught.value.remedy is not None


def test_a_long_table_without_an_order_of_systems_has_no_first() -> None:
    turned = pl.concat([LONG.filter(pl.col("item") == x).reverse() for x in IDS[:3]])
    mixed = pl.concat([turned, LONG.filter(~pl.col("item").is_in(IDS[:3]))])
    scores = bt.read(mixed)
    assert scores.order == "none"
    with pytest.raises(UsageError):
        bt.compare(scores)


@given(st.permutations(range(N)), st.sampled_from(["wide", "long"]))
def test_the_order_of_rows_changes_nothing(order: list[int], layout: str) -> None:
    frame = WIDE if layout == "wide" else LONG
    rows = [*order, *(k + N for k in order)] if layout == "long" else order
    first, second = bt.compare(bt.read(frame)), bt.compare(bt.read(frame[rows]))
    assert first.pvalue == second.pvalue
    assert first.delta == second.delta
    assert first.signature == second.signature


def test_what_is_not_data_says_what_to_call() -> None:
    judged = bt.read(pl.DataFrame({"left": ["a"], "right": ["b"], "winner": ["a"]}))
    with pytest.raises(UsageError, match="judgments") as caught:
        bt.compare(judged)
    assert caught.value.remedy is not None
    assert caught.value.remedy.command == "rank"
    with pytest.raises(UsageError, match="list") as caught:
        bt.read(["a.csv", "b.csv"])
    assert "from_arrays" in str(caught.value)


@pytest.mark.parametrize("mask", [0, 1, 0xFFFFFFFFFF << 24])
def test_ids_of_one_hash_are_different_items(mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = LONG.sample(fraction=1, shuffle=True, seed=1)
    expected = bt.read(mixed)
    hashes = pl.Series.hash
    masked = pl.Series([mask], dtype=pl.UInt64)
    monkeypatch.setattr(pl.Series, "hash", lambda ids: hashes(ids) & masked)
    read = bt.read(mixed)
    assert read.to_polars().equals(expected.to_polars())
