"""One verdict, p-value and signature, or one error, from files, pipes, arrays, frames, engines."""

import os
import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    BetterthanError,
    FormatError,
    MissingScoresError,
    UsageError,
)
from betterthan.readers import counting, lazy_sources
from betterthan.tables.unclear import UnclearTable
from engines import ENGINES, spark_frame
from made_up_scores import facts, scores_of

CHOSEN = ("base", "new", "third")
WRITERS = {"parquet": "write_parquet", "csv": "write_csv", "jsonl": "write_ndjson"}
FILES = tuple(WRITERS)
WAYS = [*FILES, "pipe", *ENGINES, pytest.param("spark", marks=pytest.mark.spark)]
IN_PLACE = "counted in place"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB 2, by Ibis


def source_of(frame: pl.DataFrame, way: str, folder: Path, name: str = "t") -> Any:
    """The frame as a file, in a pipe that can be read once, in another library, or in an engine."""
    if way == "pipe":
        pipe = folder / f"{name}.csv"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        Thread(target=pipe.write_text, args=[frame.write_csv()], daemon=True).start()
        return pipe
    if way in FILES:
        path = folder / f"{name}.{way}"
        getattr(frame, WRITERS[way])(path)
        return path
    return spark_frame(frame) if way == "spark" else ENGINES[way](frame)


def wide_of(scores: bt.Scores) -> pl.DataFrame:
    """A table with a column per system, or per system and count, its rows mixed."""
    cluster = {} if scores.clusters is None else {"cluster": scores.clusters}
    several = len(scores.columns) > 1
    columns = {
        f"{system}_{column}" if several else system: scores.values[:, k, j]
        for k, system in enumerate(scores.systems)
        for j, column in enumerate(scores.columns)
    }
    labels = {"id": range(scores.n), **cluster, "domain": scores.groups["domain"]}
    return pl.DataFrame(labels | columns).sample(fraction=1.0, shuffle=True, seed=5)


def long_of(scores: bt.Scores) -> pl.DataFrame:
    return scores.to_polars().sample(fraction=1.0, shuffle=True, seed=6)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", [wide_of, long_of])
@pytest.mark.parametrize(
    ("kind", "clustered"),
    [("binary", False), ("decimals", True), ("real", False), ("counts", False)],
)
def test_the_same_facts(
    way: str,
    table: Callable[[bt.Scores], pl.DataFrame],
    kind: str,
    clustered: bool,
    tmp_path: Path,
) -> None:
    scores = scores_of(kind, clustered=clustered)
    metric = "f1" if kind == "counts" else None
    expected = facts(bt.compare_many(scores.select(*CHOSEN), by="domain", metric=metric))
    columns = {"label": "domain"} | ({"cluster": "cluster"} if clustered else {})
    for items in (False, True):
        data = bt.read(source_of(table(scores), way, tmp_path), columns=columns, items=items)
        assert (IN_PLACE in data.source) is not (items or way == "pipe")
        found = bt.compare_many(data.select(*CHOSEN), by="domain", metric=metric)
        assert facts(found) == expected
    assert (data.order == "none") is (table is long_of)


PLAIN = (
    wide_of(scores_of("decimals", systems=2))
    .sort("id")
    .with_columns(pl.format("q{}", "id").alias("id"))
)
LONG = PLAIN.unpivot(
    ["new", "base"], index=["id", "domain"], variable_name="system", value_name="score"
)
ROW, LAST = pl.int_range(80), pl.col("id") == "q79"
OPTIONS: dict[str, tuple[pl.DataFrame, dict[str, Any]]] = {
    "systems": (PLAIN.with_columns(year=2000 + ROW % 7), {"systems": "base,new"}),
    "systems of a long table": (LONG, {"systems": ["base", "new"]}),
    "where": (PLAIN, {"where": {"domain": "l*"}}),
    "where of a long table": (LONG, {"where": "domain=law"}),
    "a score": (LONG.with_columns(length=pl.int_range(160)), {"columns": "score=score"}),
    "a cost": (LONG.rename({"score": "loss"}), {}),
    "higher is better": (LONG.rename({"score": "loss"}), {"lower_is_better": False}),
    "lower is better": (PLAIN, {"lower_is_better": True}),
    "two metrics": (LONG.with_columns(wer=1 - pl.col("score")), {"metric": "mean(wer)"}),
    "booleans": (LONG.with_columns(score=pl.col("score") > 0.5), {}),
    "percentages": (LONG.with_columns(score=pl.format("{}%", "score")), {}),
    "an item of two columns": (LONG, {"columns": {"item": "domain+id"}}),
    "a cluster that is not used": (PLAIN.with_columns(document=pl.format("d{}", ROW // 4)), {}),
    "no ids": (PLAIN.select("new", "base"), {}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPTIONS)
def test_options_mean_the_same(name: str, way: str, tmp_path: Path) -> None:
    frame, options = OPTIONS[name]
    results = []
    for source, items in ((frame, True), (source_of(frame, way, tmp_path), False)):
        data = bt.read(source, items=items, **options)
        found = bt.compare(data, "base", "new")
        gone = bt.compare_many(data, "base").notes
        results.append((found.verdict, found.pvalue, found.delta, found.signature, gone))
    assert results[0] == results[1]


def changed(value: Any, column: str = "new", frame: pl.DataFrame = PLAIN) -> pl.DataFrame:
    return frame.with_columns(pl.when(LAST).then(pl.lit(value)).otherwise(column).alias(column))


BOTH, BY_DOMAIN = {"systems": "base,new"}, {"columns": {"cluster": "domain"}}
OTHER = LONG.with_columns(other=pl.col("score") * 2).rename({"score": "one"})
FAULTS: dict[str, tuple[pl.DataFrame, dict[str, Any], type[BetterthanError]]] = {
    "an item twice": (pl.concat([PLAIN, PLAIN[-1:]]), {}, AlignmentError),
    "a row twice": (pl.concat([LONG, LONG[-1:]]), {}, AlignmentError),
    "a blank id": (changed(None, "id"), {}, AlignmentError),
    "an empty id": (changed("", "id", LONG), {}, AlignmentError),
    "a blank system": (changed(None, "system", LONG), {}, AlignmentError),
    "a blank score": (changed(None), {}, MissingScoresError),
    "not a number": (changed(None, "score", LONG), {}, MissingScoresError),
    "a missing row": (LONG[:-1], {}, MissingScoresError),
    "infinite": (changed(float("inf")), {}, BadValueError),
    "beyond 2^53": (PLAIN.with_columns(new=2**53 + ROW, base=ROW % 2), BOTH, BadValueError),
    "text": (changed("oops", frame=PLAIN.cast({"new": pl.String})), BOTH, BadValueError),
    "two clusters": (
        changed("x", "domain", LONG[:-1]).vstack(LONG[-1:]),
        BY_DOMAIN,
        AlignmentError,
    ),
    "a blank cluster": (changed(None, "domain"), BY_DOMAIN, AlignmentError),
    "no such system": (LONG, {"systems": "base,old"}, UsageError),
    "no such column": (LONG, {"columns": {"item": "ids"}}, UsageError),
    "no such value": (LONG, {"where": {"domain": "x"}}, UsageError),
    "no rows": (PLAIN[:0], {}, FormatError),
    "other scales": (PLAIN.with_columns(new=pl.col("new") * 100), {}, BadValueError),
    "two scores": (OTHER, {}, UnclearTable),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FAULTS)
def test_the_same_error(name: str, way: str, tmp_path: Path) -> None:
    frame, options, error = FAULTS[name]
    error = MissingScoresError if (name, way) == ("infinite", "jsonl") else error  # JSON has none
    for items in (True, False):
        with pytest.raises(error):
            bt.read(source_of(frame, way, tmp_path), items=items, **options)


OF_ARRAYS = [x for x, (frame, *_) in FAULTS.items() if "base" in frame.columns and len(frame)]


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_the_same_error_from_arrays(name: str) -> None:
    frame, options, error = FAULTS[name]
    arrays = {x: frame[x].to_list() for x in ("base", "new")}
    clusters = frame["domain"].to_list() if "columns" in options else None
    if name == "other scales":  # a check of tables, and arrays are never questioned
        assert bt.compare(bt.Scores.from_arrays(arrays)).pvalue < 1
        return
    with pytest.raises(error):
        bt.Scores.from_arrays(arrays, items=frame["id"].to_list(), clusters=clusters)


@pytest.mark.parametrize("way", ["parquet", "csv", "duckdb"])
@pytest.mark.parametrize("name", FAULTS)
def test_what_does_not_fit_into_memory_has_errors(
    name: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, options, error = FAULTS[name]
    source = source_of(frame, way, tmp_path)
    monkeypatch.setattr(lazy_sources, "HELD", 1)
    monkeypatch.setattr(counting, "LOOKED_AT", 60)  # what is wrong comes later
    allowed = (error, FormatError, MissingScoresError) if name in ("text", "beyond 2^53") else error
    with pytest.raises(allowed) as caught:
        bt.read(source, items="auto", **options)
    if error in (AlignmentError, MissingScoresError) and " id" not in name and "blank" not in name:
        assert "q79" in caught.value.message


def is_held(source: Any, **options: Any) -> bool:
    """Whether single items are held, and not only counts of distinct rows."""
    scores: Any = bt.read(source, **options)
    return scores.counts is None


def test_what_would_fill_the_memory_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {way: source_of(LONG, way, tmp_path) for way in (*FILES, "polars", "duckdb", "eager")}
    (tmp_path / "t.json").write_text(LONG.write_json())
    held = {way: is_held(source) for way, source in sources.items()}
    assert [way for way, items in held.items() if not items] == ["duckdb"]
    monkeypatch.setattr(lazy_sources, "HELD", 1)
    held = {way: is_held(source) for way, source in sources.items()}
    assert [way for way, items in held.items() if items] == ["eager"]
    assert is_held(tmp_path / "t.csv", missing="drop")
    assert is_held(tmp_path / "t.csv", items=True)
    assert is_held(tmp_path / "t.json")  # which cannot be counted
    made: Any = bt.read(sources["csv"])
    counted: Any = bt.read(f"file://{tmp_path}/t.parquet")  # as in object storage
    assert counted.values.tolist() == made.values.tolist()
    assert counted.counts.tolist() == made.counts.tolist()
    with pytest.raises(UsageError) as error:
        bt.score(counted)
    assert advised(error) == [("items", True)]


@pytest.mark.parametrize("items", [True, False])
@pytest.mark.parametrize("way", FILES)
def test_parts_are_one_table_and_files_are_systems(way: str, items: bool, tmp_path: Path) -> None:
    scores = scores_of("decimals", clustered=True, systems=2)
    expected, frame = bt.compare(scores, "base", "new").signature, wide_of(scores)
    options: dict[str, Any] = {"columns": {"cluster": "cluster"}, "items": items}
    for k, (start, end) in enumerate(pairwise((0, 7, 30, 80))):
        source_of(frame[start:end], way, tmp_path, f"part-{k}")
    several = [tmp_path / f"part-{k}.{way}" for k in (2, 0, 1)]  # as a shell expands it
    for sources in ([str(tmp_path / f"*.{way}")], several):
        assert bt.compare(bt.read(*sources, **options), "base", "new").signature == expected
    for name, rows in (("base", frame), ("new", frame.reverse())):
        for k, part in enumerate((rows[:40], rows[40:])):
            table = part.select("id", "cluster", pl.col(name).alias("score"))
            source_of(table, way, tmp_path, f"{name}-{k}")
    named = [f"{name}={tmp_path}/{name}-*.{way}" for name in ("base", "new")]
    data = bt.read(*named, **options)
    assert data.systems == ("base", "new")
    assert (data.n, bt.compare(data).signature) == (80, expected)
    with pytest.raises(UsageError, match="zz"):
        bt.read(f"zz={several[0]}", items=items)


def _dies_once(part: Any, folder: str) -> Any:
    """Kill the worker that comes first to a certain part, in the midst of the work."""
    mark = Path(folder) / "died"
    if (part["id"] == 7).any() and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_dask_with_two_processes_of_which_one_is_killed(tmp_path: Path, dask_client: Any) -> None:
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    scores = scores_of("decimals", clustered=True, systems=2)
    frame = dask.from_pandas(wide_of(scores).to_pandas(), npartitions=8)
    fragile = frame.map_partitions(_dies_once, str(tmp_path), meta=frame._meta)
    assert len(set(dask_client.run(os.getpid).values())) == 2
    data = bt.read(fragile, columns={"cluster": "cluster"}, systems="base,new")
    assert bt.compare(data).signature == bt.compare(scores, "base", "new").signature
    assert (tmp_path / "died").exists()
