"""Judgments counted in place are those that are read, whatever the engine."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from reading_ways import counted

import betterthan as bt
from betterthan.data.frames.writing import encode
from betterthan.errors import FormatError, UsageError
from engines import ENGINES, spark_frame

rng = np.random.default_rng(0)
ROWS = 300
LEFT = rng.integers(0, 4, ROWS)
BATTLES = pl.DataFrame(
    {
        "question_id": rng.integers(0, 60, ROWS),
        "conversation_id": [f"c{k}" for k in range(ROWS)],
        "model_a": [f"m{k}" for k in LEFT],
        "model_b": [f"m{k}" for k in (LEFT + rng.integers(1, 4, ROWS)) % 4],
        "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)", ""], ROWS).tolist(),
        "topic": [f"t{k}" for k in rng.integers(0, 30, ROWS)],
    }
)
PAIR = ["model_a", "model_b", "winner"]
CASES: dict[str, tuple[list[str], dict[str, str], str]] = {
    "items": (["question_id", *PAIR], {}, "items:"),
    "distinct": (["conversation_id", *PAIR], {}, "judgments:"),
    "none": (PAIR, {}, "judgments:"),
    "clusters": (BATTLES.columns, {"cluster": "topic"}, "clusters:"),
    "two columns": (["question_id", "topic", *PAIR], {"item": "question_id+topic"}, "items:"),
}


def facts(judgments: Any) -> tuple[Any, ...]:
    board = bt.rank(judgments, resamples=50)
    return board.signature, board.rows, judgments.n, judgments.notes


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB 2, by Ibis
@pytest.mark.parametrize(
    ("engine", "case"),
    [
        *((engine, "items") for engine in ENGINES),
        *product(["polars", "duckdb"], [*CASES][1:]),
        pytest.param("spark", "items", marks=pytest.mark.spark),
    ],
)
def test_every_engine_counts_what_is_read(tmp_path: Path, engine: str, case: str) -> None:
    columns, options, units = CASES[case]
    frame = BATTLES.select(columns)
    path = tmp_path / "battles.csv"
    frame.write_csv(path)
    read = bt.read(path, columns=options)
    source = spark_frame(frame) if engine == "spark" else ENGINES[engine](frame)
    made = bt.read(source, items=False, columns=options)
    assert facts(made) == facts(read)
    assert units in facts(made)[0]
    met = frame.filter(pl.col("winner") != "").select("model_a", "model_b").unique().sort(pl.all())
    assert made.systems == tuple(dict.fromkeys(name for row in met.rows() for name in row))
    assert "counted in place" in made.source
    assert any("without a judgment left out" in note for note in made.notes)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_files_in_parts_are_counted_together(tmp_path: Path, suffix: str) -> None:
    frame = BATTLES.drop("topic", "conversation_id")
    for k in range(3):
        data = encode(frame[100 * k : 100 * k + 100], f".{suffix}")
        (tmp_path / f"part-{k}.{suffix}").write_bytes(data)
    files = sorted(tmp_path.iterdir())
    read, pattern = bt.read(*files), str(tmp_path / "*")
    assert (
        facts(bt.read(pattern, items=False)) == facts(bt.read(*files, items=False)) == facts(read)
    )


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_other_layouts_are_counted(tmp_path: Path, engine: str) -> None:
    preferred = {
        "instruction": [f"i{k % 40}" for k in range(120)],
        "generator_1": ["base"] * 120,
        "generator_2": [f"m{k % 3}" for k in range(120)],
        "preference": rng.choice([1.0, 1.5, 2.0, 1.75], 120),
    }
    games = rng.choice(["model_1", "model_2", "tie"], (2, 90))
    both = {
        "question_id": [k // 3 for k in range(90)],
        "turn": [1 + k % 2 for k in range(90)],
        "model_1": [f"m{k % 3}" for k in range(90)],
        "model_2": [f"m{(k + 1) % 3}" for k in range(90)],
        "g1_winner": games[0],
        "g2_winner": games[1],
    }
    for columns in (preferred, both):
        frame = pl.DataFrame(columns)
        frame.write_csv(tmp_path / "judged.csv")
        made = bt.read(ENGINES[engine](frame), items=False)
        assert facts(made) == facts(bt.read(tmp_path / "judged.csv"))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("columns", [PAIR, ["question_id", *PAIR]])
def test_what_was_counted_can_be_counted_again(engine: str, columns: list[str]) -> None:
    known = BATTLES.filter(pl.col("winner") != "")
    once: Any = bt.read(known.lazy().select(columns), items=False)
    tally = pl.DataFrame(once.counted())
    again = bt.read(ENGINES[engine](pl.concat([tally, tally])), items=False)
    assert again.n == 2 * once.n
    assert facts(bt.read(ENGINES[engine](tally), items=False)) == facts(once)


def test_whole_number_ids_of_parquet_are_read(tmp_path: Path) -> None:
    for name in ("battles.parquet", "battles.csv"):
        (tmp_path / name).write_bytes(encode(BATTLES, Path(name).suffix))
    read = [facts(bt.read(tmp_path / f"battles.{s}")) for s in ("parquet", "csv")]
    assert read[0] == read[1]


def test_what_cannot_be_counted_says_so(tmp_path: Path) -> None:
    def refused(said: str, source: Any, kind: type[Exception] = FormatError, **more: Any) -> None:
        with pytest.raises(kind, match=said):
            bt.read(*([] if source is None else [source]), items=False, **more)

    frame = BATTLES.lazy()
    refused("nothing to read", None, UsageError)
    refused("rows as battles", frame.drop("winner"))
    refused("nobody judged anything", frame.head(0))
    refused("nobody judged anything", frame.with_columns(winner=pl.lit("")))
    refused("grouped: row 1: cannot tell from 'she'", frame.with_columns(winner=pl.lit("she")))
    refused("has no column 'prompt'", frame, UsageError, columns="item=prompt")
    refused("has no column 'prompt'", frame, UsageError, columns="cluster=prompt")
    blank = frame.with_columns(question_id=pl.when(pl.col("topic") > "t1").then("question_id"))
    refused("have no question_id: fill it in", blank)
    for count in (0, 1.5):
        refused("whole numbers of at least 1", frame.select(PAIR).with_columns(count=pl.lit(count)))
    runs = tmp_path / "runs.csv"
    runs.write_text("item,a,b\nq1,1,0\nq2,1,1\n", encoding="utf-8")
    BATTLES.write_csv(battles := tmp_path / "battles.csv")
    with pytest.raises(FormatError, match="holds no judgments"):
        bt.read(battles, runs, items=False)
    with pytest.raises(FormatError, match="holds judgments"):
        bt.read(runs, battles, items=False)


@pytest.mark.parametrize(
    ("suffix", "line", "said"),
    [
        ("csv", "a,b", "line 4 has 2 fields where line 1 has 3"),
        ("csv", "# checked by hand", "line 4 has 1 field where line 1 has 3"),
        ("jsonl", '{"model_a": "a", "model_b": "b"}', "row 3 names no two systems and a winner"),
        ("jsonl", '{"model_a": "a", "winner": "tie"}', "row 3 names no two systems and a winner"),
    ],
)
def test_a_line_that_lacks_a_field_is_no_blank_one(
    tmp_path: Path, suffix: str, line: str, said: str
) -> None:
    battles = pl.DataFrame({"model_a": ["a"] * 3, "model_b": ["b"] * 3, "winner": ["b", "tie", ""]})
    text = battles.write_csv() if suffix == "csv" else battles.write_ndjson()
    path = tmp_path / f"battles.{suffix}"
    path.write_text(text, encoding="utf-8")
    first, second, *rest = text.splitlines()
    assert bt.read(path, items=False).notes == ("1 row without a judgment left out",)
    lines = [first, second, *rest[: suffix == "csv"], line, *rest[suffix == "csv" :]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        bt.read(path, items=False)


def test_names_are_as_they_are_written(tmp_path: Path) -> None:
    """3.1 and 3.10 are two versions, and 2.0 is not 2."""
    file = tmp_path / "battles.csv"
    rows = [f"{name},2.0,model_{'ab'[k % 2]}" for k, name in enumerate(["3.1", "3.10", "4"] * 4)]
    file.write_text("\n".join(["model_a,model_b,winner", *rows]))
    found = bt.read(file, items=False)
    assert sorted(found.systems) == ["2.0", "3.1", "3.10", "4"]
    assert facts(found)[0] == facts(bt.read(file))[0]


@pytest.mark.parametrize("count", ["", "0", "1.5", "1e30", "9999999999999999999"])
def test_counts_are_whole_numbers(tmp_path: Path, count: str) -> None:
    file = tmp_path / "battles.csv"
    file.write_text(f"model_a,model_b,winner,count\na,b,model_a,{count}\na,b,model_b,2\n")
    with pytest.raises(FormatError, match="count"):
        bt.read(file, items=False)


def test_a_damaged_file_among_others_is_the_one_that_is_named(tmp_path: Path) -> None:
    frame = pl.DataFrame({"model_a": ["x"] * 9, "model_b": ["y"] * 9, "winner": ["model_a"] * 9})
    for k in range(3):
        frame.write_parquet(tmp_path / f"{k}.parquet")
    cut = (tmp_path / "1.parquet").read_bytes()[:-20]
    (tmp_path / "1.parquet").write_bytes(cut)
    for reader in (bt.read, counted):
        with pytest.raises(FormatError, match=r"1\.parquet is a damaged Parquet file"):
            reader(tmp_path / "*.parquet")


LYING = Path(__file__).parents[1] / "fuzz/found/battles_parquet/statistics-that-lie/b.parquet"


def blank_battles(folder: Path, suffix: str, blank: str | None) -> Path:
    """Judgments, some of which say no question."""
    rows = [f"q{k}" if k % 3 else blank for k in range(12)]
    frame = BATTLES[:12].with_columns(
        question_id=pl.Series(rows, dtype=pl.String), winner=pl.lit("tie")
    )
    path = folder / f"blank.{suffix}"
    path.write_bytes(encode(frame, f".{suffix}"))
    return path


@pytest.mark.parametrize("seen", [bt.read, counted])
@pytest.mark.parametrize("option", [{}, {"item": "question_id"}, {"cluster": "question_id"}])
@pytest.mark.parametrize("blank", [None, "", "  "])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_blank_items_are_refused_however_they_are_seen(
    tmp_path: Path,
    seen: Callable[..., bt.Judgments],
    option: dict[str, str],
    blank: str | None,
    suffix: str,
) -> None:
    path = blank_battles(tmp_path, suffix, blank)
    with pytest.raises(FormatError, match=r"4 (judgments|rows) have no question_id"):
        seen(path, columns=option)


@pytest.mark.parametrize("seen", [bt.read, counted])
def test_statistics_of_parquet_are_not_believed(seen: Callable[..., bt.Judgments]) -> None:
    lazy = pl.scan_parquet(LYING)
    blank = pl.col("question_id").is_null()
    assert lazy.collect().filter(blank).height == 8
    assert lazy.filter(blank).collect().height == 0  # as the file says
    with pytest.raises(FormatError, match=r"8 (judgments|rows) have no question_id"):
        seen(LYING)


def test_items_that_only_some_files_have_are_refused(tmp_path: Path) -> None:
    files = [tmp_path / "with.csv", tmp_path / "without.csv"]
    for path, columns in zip(files, (["question_id", *PAIR], PAIR), strict=True):
        BATTLES.select(columns).write_csv(path)
    with pytest.raises(FormatError, match=r"with.csv says what was judged, and .*without.csv does"):
        bt.read(*files)


def test_records_without_the_item_that_others_have_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    record = '{{{}"model_a": "a", "model_b": "b", "winner": "tie"}}\n'
    path.write_text("".join(record.format('"id": 1, ' * (k < 3)) for k in range(5)))
    with pytest.raises(FormatError, match="2 judgments have no item"):
        bt.read(path)
