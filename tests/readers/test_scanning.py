"""A scan says what the items say, whatever the engine, and refuses what reading refuses."""

import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from reading_ways import advice, counted

import betterthan as bt
from betterthan.data.frames.writing import encode
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    BetterthanError,
    FormatError,
    MissingScoresError,
    TooLargeError,
    UsageError,
)
from betterthan.readers import scan_queries
from betterthan.readers.tables import text_ends
from betterthan.readers.tables.parquet import quiet
from engines import ENGINES, spark_frame
from made_up_scores import facts, scores_of

CHOSEN = ("base", "new", "third")


def wide_of(scores: bt.Scores) -> pl.DataFrame:
    """A table with a column per system, its rows mixed."""
    cluster = {} if scores.clusters is None else {"cluster": scores.clusters}
    columns = {name: scores.values[:, k, 0] for k, name in enumerate(scores.systems)}
    labels = {"id": range(scores.n), **cluster, "domain": scores.groups["domain"]}
    return pl.DataFrame(labels | columns).sample(fraction=1.0, shuffle=True, seed=5)


def test_a_scan_says_nothing_of_the_order_that_it_does_not_look_at(tmp_path: Path) -> None:
    rows = [f"q{i},{name},{(i + k) % 2}" for i in range(9) for k, name in enumerate("ABC")]
    (tmp_path / "long.csv").write_text("\n".join(["item,system,score", *rows]))
    tally = bt.read(tmp_path / "long.csv", items=False)
    with pytest.raises(UsageError, match="rows were only counted have no order"):
        bt.compare_many(tally)
    assert bt.compare_many(tally, baseline="B").comparisons[0].baseline == "B"
    assert bt.compare_many(bt.read(tmp_path / "long.csv")).comparisons[0].baseline == "A"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB 2, by Ibis
@pytest.mark.parametrize("engine", [*ENGINES, pytest.param("spark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize(
    ("kind", "clustered"), [("binary", False), ("decimals", True), ("real", False)]
)
def test_every_engine_says_what_the_items_say(
    engine: str, layout: str, kind: str, clustered: bool
) -> None:
    scores = scores_of(kind, clustered=clustered)
    frame = wide_of(scores) if layout == "wide" else scores.to_polars().reverse()
    source = spark_frame(frame) if engine == "spark" else ENGINES[engine](frame)
    made = bt.read(
        source,
        columns={"cluster": "cluster" if clustered else None, "label": "domain"},
        items=False,
    )
    expected = facts(bt.compare_many(scores.select(*CHOSEN), by="domain"))
    found = bt.compare_many(made.select(*CHOSEN), by="domain")
    assert facts(found) == expected


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_counts_of_f1_are_scanned(engine: str) -> None:
    scores = scores_of("counts", clustered=True)
    frame = ENGINES[engine](scores.to_polars())
    made = bt.read(
        frame, columns={"cluster": "cluster"}, items=False, systems="base,new", metric="f1"
    )
    expected = bt.compare(scores, "base", "new", metric="f1")
    found = bt.compare(made)
    assert found.signature == expected.signature
    assert (found.pvalue, found.interval) == (expected.pvalue, expected.interval)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_files_in_parts_are_one_table(tmp_path: Path, suffix: str) -> None:
    scores = scores_of("decimals", clustered=True, systems=2)
    frame = wide_of(scores)
    for k in range(4):
        data = encode(frame[k * 20 : k * 20 + 20], f".{suffix}")
        (tmp_path / f"part-{k}.{suffix}").write_bytes(data)
    expected = bt.compare(scores, "base", "new").signature
    pattern = str(tmp_path / f"*.{suffix}")
    assert (
        bt.compare(
            bt.read(pattern, columns={"cluster": "cluster"}, items=False), "base", "new"
        ).signature
        == expected
    )
    several = [tmp_path / f"part-{k}.{suffix}" for k in (2, 0, 3, 1)]  # as a shell expands it
    assert (
        bt.compare(
            bt.read(*several, columns={"cluster": "cluster"}, items=False), "base", "new"
        ).signature
        == expected
    )


def test_one_table_per_system(tmp_path: Path) -> None:
    scores = scores_of("binary", systems=2)
    for k, name in enumerate(scores.systems):
        table = pl.DataFrame({"id": range(scores.n), "correct": scores.values[:, k, 0]})
        (tmp_path / name).mkdir()
        for part in (0, 1):
            piece = table[part * 40 : part * 40 + 40].reverse()
            piece.write_parquet(tmp_path / name / f"{part}.parquet")
    made = bt.read(*(str(tmp_path / name / "*.parquet") for name in ("base", "new")), items=False)
    assert made.systems == ("base", "new")
    assert made.columns == ("correct",)
    found, expected = bt.compare(made), bt.compare(scores, "base", "new")
    assert (found.pvalue, found.delta) == (expected.pvalue, expected.delta)


def broken(layout: str, what: str) -> pl.DataFrame:
    scores = scores_of("real", clustered=False, systems=2)
    frame = wide_of(scores).sort("id") if layout == "wide" else scores.to_polars()
    first, column = frame.columns[0], "new" if layout == "wide" else "score"
    at = pl.col(first).cast(pl.String) == "7"
    if what == "twice":
        return pl.concat([frame, frame.filter(at)])
    if what == "lacking" and layout == "long":
        return frame.filter(~(at & (pl.col("system") == "new")))
    value = {"lacking": None, "nan": np.nan, "infinite": np.inf}[what]
    if layout == "long":
        at &= pl.col("system") == "new"
    return frame.with_columns(pl.when(at).then(pl.lit(value)).otherwise(column).alias(column))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize(
    ("layout", "what", "error", "said"),
    [
        (layout, what, error, said)
        for layout, (what, error, said) in product(
            ("wide", "long"),
            [
                ("twice", AlignmentError, r"more than once \('7'\)"),
                ("lacking", MissingScoresError, r"'new' has no score for 1 item \('7'\)"),
                ("nan", MissingScoresError, r"'new' has no score for 1 item \('7'\)"),
                ("infinite", BadValueError, "'new' has infinite scores"),
            ],
        )
    ],
)
def test_unsound_rows_are_refused(
    engine: str, layout: str, what: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        bt.read(ENGINES[engine](broken(layout, what)), items=False)


@pytest.mark.parametrize("marks", [0, scan_queries.MARKS])
def test_ids_in_no_order_are_checked(monkeypatch: pytest.MonkeyPatch, marks: int) -> None:
    monkeypatch.setattr(scan_queries, "AT_ONCE", 7)
    monkeypatch.setattr(scan_queries, "MARKS", marks)
    frame = wide_of(scores_of("binary", systems=2)).with_columns(pl.col("id") - 9)
    assert bt.read(frame.lazy(), items=False).n == len(frame)
    with pytest.raises(AlignmentError, match=r"more than once \('11'\)"):
        bt.read(pl.concat([frame, frame.filter(pl.col("id") == 11)]).lazy(), items=False)
    with pytest.raises(AlignmentError, match="1 row has no item"):
        bt.read(frame.with_columns(pl.when(pl.col("id") != 11).then("id")).lazy(), items=False)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_long_tables_are_put_together_in_parts(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = scores_of(kind)
    whole = bt.read(scores.to_polars().lazy(), columns={"label": "domain"}, items=False)
    monkeypatch.setattr(scan_queries, "AT_ONCE", 7)
    made = bt.read(scores.to_polars().reverse().lazy(), columns={"label": "domain"}, items=False)
    expected, found = (bt.compare_many(data.select(*CHOSEN), by="domain") for data in (whole, made))
    assert facts(found) == facts(expected)
    with pytest.raises(MissingScoresError, match=r"no score for 3 items \('1', '2', '3'\)"):
        bt.read(scores.to_polars()[3:].lazy(), items=False)


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Int64])
def test_ids_at_the_ends_of_their_type_are_told_apart(kind: Any) -> None:
    low, high = pl.select(kind.min().alias("low"), kind.max().alias("high")).row(0)
    places = [low + 3, high, low, high - 1, *([0] if low else [])]
    frame = pl.DataFrame({"id": pl.Series(places, dtype=kind)}).with_columns(a=0, b=1)
    assert bt.read(frame.lazy(), items=False).n == len(places)
    with pytest.raises(AlignmentError, match=f"more than once .'{high}'"):
        bt.read(pl.concat([frame, frame[1:2]]).lazy(), items=False)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_tables_without_ids_are_scanned(engine: str) -> None:
    frame = pl.DataFrame({"base": [0, 1, 1, 0], "new": [True, True, False, True]})
    made = counted(ENGINES[engine](frame))
    assert made.rows.items.rows.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert made.rows.items.counts.tolist() == [2, 1, 1]


def test_what_is_not_scanned_says_so(tmp_path: Path) -> None:
    scores = scores_of("real", clustered=True)
    with pytest.raises(UsageError, match="order in which they are added"):
        bt.read(wide_of(scores).lazy(), columns={"cluster": "cluster"}, items=False)
    with pytest.raises(UsageError, match="none of them is the first"):
        bt.compare_many(bt.read(scores_of("binary").to_polars().lazy(), items=False))
    with pytest.raises(UsageError, match="sources must be"):
        bt.read([1, 2], items=False)
    text = wide_of(scores).with_columns(pl.col("new").cast(pl.String) + "%").lazy()
    with pytest.raises(FormatError, match="only numbers can be counted"):
        bt.read(text, items=False, systems="base,new")
    (tmp_path / "runs.json").write_text("{}")
    with pytest.raises(FormatError, match="only Parquet, CSV"):
        bt.read(tmp_path / "runs.json", items=False)
    (tmp_path / "runs.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(FormatError, match="damaged Parquet file"):
        bt.read(tmp_path / "runs.parquet", items=False)
    late = "id,base,new\n" + "".join(f"{k},0,1\n" for k in range(10_050)) + "x,0,oops\n"
    (tmp_path / "runs.csv").write_text(late)
    with pytest.raises(FormatError, match=r"runs\.csv cannot be counted"):
        bt.read(tmp_path / "runs.csv", items=False)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("blank", [None, ""])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_blank_ids_are_refused(engine: str, blank: str | None, layout: str) -> None:
    scores = scores_of("binary", systems=2)
    frame = wide_of(scores) if layout == "wide" else scores.to_polars()
    name = frame.columns[0]
    text = pl.col(name).cast(pl.String)
    frame = frame.with_columns(pl.when(text == "7").then(pl.lit(blank)).otherwise(text).alias(name))
    with pytest.raises(AlignmentError, match=r"ha(ve|s) no item"):
        bt.read(ENGINES[engine](frame), items=False)


def test_items_of_two_clusters_are_refused() -> None:
    long = scores_of("binary", clustered=True).to_polars()
    at = (pl.col("item") == "7") & (pl.col("system") == "new")
    mixed = long.with_columns(pl.when(at).then(pl.lit("z")).otherwise("cluster").alias("cluster"))
    with pytest.raises(AlignmentError, match=r"more than one cluster \('7'\)"):
        bt.read(mixed.lazy(), columns={"cluster": "cluster"}, items=False)


def test_a_column_that_looks_like_clusters_earns_a_warning() -> None:
    frame = pl.DataFrame({"id": range(6), "document": [1, 1, 2, 2, 3, 3], "a": [0, 1] * 3})
    frame = frame.with_columns(b=1 - pl.col("a"))
    noted = bt.compare_many(bt.read(frame.lazy(), items=False)).notes
    assert advice(noted) == [("columns", {"cluster": "document"})]
    assert bt.read(frame.lazy(), columns={"cluster": "document"}, items=False).notes == ()
    assert bt.read(frame.with_columns(document=pl.col("id")).lazy(), items=False).notes == ()


def test_what_a_panic_says_is_not_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.parquet"
    pl.DataFrame(
        {"item": [f"q{k}" for k in range(30)]} | {name: [0.5, 1.0, 0.0] * 10 for name in "ab"}
    ).write_parquet(path)
    good = path.read_bytes()
    refused = 0
    for at in range(4, len(good) - 4, 5):
        bad = bytearray(good)
        bad[at] ^= 0xFF
        path.write_bytes(bad)
        try:
            bt.read(path, items=False)
        except BetterthanError:
            refused += 1
    assert refused > 20
    assert capfd.readouterr().err == ""


def test_what_others_say_during_a_scan_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet():
        os.write(2, b"said meanwhile")
    assert capfd.readouterr().err == "said meanwhile"


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("item,base,base,new", "line 1 names 'base' more than once: rename them"),
        ('item,"base", base,new', "line 1 names 'base' more than once"),
        ("item,base,,new", "line 1 gives column 3 no name"),
        ("1,0,1,1", "line 1 holds numbers and no names"),
    ],
)
def test_names_that_a_file_has_twice_or_not_at_all_are_refused(
    tmp_path: Path, suffix: str, names: str, said: str
) -> None:
    sep = {"csv": ",", "tsv": "\t"}[suffix]
    for k, line in enumerate(("item,base,other,new", names)):
        text = f"{line}\nq{k},0,1,1\n".replace(",", sep)
        (tmp_path / f"{k}.{suffix}").write_text(text)
    with pytest.raises(FormatError, match=f"1.{suffix}: {said}"):
        bt.read(tmp_path / f"*.{suffix}", items=False)


def test_a_file_that_is_cut_off_within_a_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_text("item,base,new\nq1,0,1\nq2,1,1\nq3,1")
    with pytest.raises(FormatError, match="the last line has 2 fields where line 1 has 3"):
        bt.read(path, items=False)
    path.write_text("item,base,new\nq1,0,1\nq2,1,1\nq3,1,0")
    assert counted(path).rows.items.units == 3


def test_a_judgment_column_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text("model_a,model_b,winner,winner\nx,y,model_a,model_b\n")
    with pytest.raises(FormatError, match="line 1 names 'winner' more than once"):
        bt.read(path, items=False)


@pytest.mark.parametrize("name", ["holes.csv", "holes.jsonl"])
def test_text_without_lines_is_refused_before_it_fills_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FormatError, match="NUL bytes"):
        bt.read(path, items=False)
    with pytest.raises(TooLargeError) as error:  # and scanning is no way out
        bt.read(path, limits=bt.Limits(memory="1K"))
    assert "counted" not in str(error.value)
    assert "more than 1 KiB of memory" in str(error.value)


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_ends, "HEAD", 1 << 10)
    monkeypatch.setattr(text_ends, "LONGEST", 1 << 20)
    path = tmp_path / "line.csv"
    path.write_text("item,base,new\n".replace("\n", ",x" * (1 << 20)))
    with pytest.raises(FormatError, match="no line end in its first 1 MiB"):
        bt.read(path, items=False)


@pytest.mark.parametrize("call", [counted, bt.read])
def test_no_table_of_a_folder_is_left_out_unseen(tmp_path: Path, call: Any) -> None:
    rows = pl.DataFrame({"item": ["q1", "q2"], "base": [0, 1], "new": [1, 1]})
    rows.write_ndjson(tmp_path / "a.jsonl")
    assert call(tmp_path).systems == ("base", "new")
    rows.write_csv(tmp_path / "b.csv")
    with pytest.raises(FormatError, match=r"several kinds \(.csv, .jsonl\): .*\*\.csv'"):
        call(tmp_path)
    (tmp_path / "b.csv").unlink()
    rows.write_json(tmp_path / "c.json")
    with pytest.raises(FormatError, match=r"several kinds \(.json, .jsonl\)"):
        call(tmp_path)


@pytest.mark.parametrize("call", [counted, bt.read])
def test_no_judgments_of_a_folder_are_left_out_unseen(tmp_path: Path, call: Any) -> None:
    rows = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    rows.write_ndjson(tmp_path / "a.jsonl")
    assert call(tmp_path).n == 1
    rows.write_parquet(tmp_path / "b.parquet")
    with pytest.raises(FormatError, match=r"several kinds \(.jsonl, .parquet\)"):
        call(tmp_path)


def test_ids_and_systems_of_text_files_are_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [
        f"{q},{s},{(len(q) + len(s)) % 2}" for q in ("007", "7", "8.0") for s in ("3.1", "3.10")
    ]
    path.write_text("\n".join(["item,system,score", *rows]))
    found = bt.read(path, items=False)
    assert found.systems == ("3.1", "3.10")
    assert found.n == 3
    one, other = (bt.compare(data, "3.1", "3.10") for data in (found, bt.read(path)))
    assert (one.signature, one.pvalue) == (other.signature, other.pvalue)


def test_systems_are_called_as_the_user_calls_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for name, rows in (("x", "1,1\n2,0\n"), ("parts/a", "1,0\n"), ("parts/b", "2,1\n")):
        Path(f"{name}.csv").write_text(f"item,score\n{rows}")
    for source, systems in ((("old=x.csv", "new=parts/*.csv"), ("old", "new")),
                            (("x.csv", "parts/*.csv"), ("x", "parts"))):  # fmt: skip
        assert bt.read(*source, items=False).systems == systems
    Path("wide.csv").write_text("item,a,b\n1,1,0\n2,1,1\n")
    for way in (bt.read, counted):
        with pytest.raises(UsageError, match=r"names its systems itself .*'zz'"):
            way("zz=wide.csv")


@pytest.mark.parametrize("metric", ["mean(score)", "score", "mean(latency, lower_is_better)"])
def test_a_metric_tells_scores_from_systems(tmp_path: Path, metric: str) -> None:
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for k, path in enumerate(files):
        rows = [f"q{i},{(3 + k) * i % 7},{(2 + k) * i % 5}" for i in range(12)]
        path.write_text("\n".join(["id,score,latency", *rows]))
    with pytest.raises(FormatError, match="systems, or scores of one system"):
        bt.read(*files, items=False)
    one, other = (
        bt.compare(way(*files, metric=metric), metric=metric) for way in (counted, bt.read)
    )
    assert (one.signature, one.pvalue) == (other.signature, other.pvalue)
