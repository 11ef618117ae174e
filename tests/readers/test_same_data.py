"""The same data in many clothes: one p-value, one verdict, one signature; or one refusal."""

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan import Scores
from betterthan.data.frames.writing import encode
from betterthan.data.missing import Missing
from betterthan.errors import BetterthanError, UsageError

N = 40
RNG = np.random.default_rng(3)
BASE = RNG.integers(0, 11, N) / 10
NEW = np.minimum(1.0, BASE + RNG.integers(-1, 3, N) / 10).clip(0)
NEW = np.round(NEW, 1)
IDS = [str(k) for k in range(101, 101 + N)]
WIDE = pl.DataFrame({"item": IDS, "base": BASE, "new": NEW})
LONG = pl.concat(
    WIDE.select("item", pl.lit(name).alias("system"), pl.col(name).alias("score"))
    for name in ("base", "new")
)
NUMBERED = WIDE.with_columns(pl.col("item").cast(pl.Int64))
SHUFFLED = WIDE.sample(fraction=1.0, shuffle=True, seed=1)
LABELLED = WIDE.with_columns(
    level=pl.int_range(N) % 5 + 1, domain=pl.Series(["news", "web"] * (N // 2))
)
TURNED = WIDE.drop("item").transpose(include_header=True, header_name="model", column_names=IDS)

Way = Callable[[Path], Scores]
WAYS: dict[str, Way] = {}


def way(made: Way) -> Way:
    """Add a way to write the data and read them back."""
    WAYS[made.__name__] = made
    return made


def written(path: Path, text: str | bytes) -> str:
    """Name of a file with this content."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def simple(name: str, text: Callable[[], str | bytes], **options: Any) -> None:
    """Add a way that is one file."""

    def made(tmp_path: Path) -> Scores:
        return bt.read(written(tmp_path / name.rsplit(" ", maxsplit=1)[-1], text()), **options)

    WAYS[name] = made


def indexed() -> str:
    """A CSV as pandas writes it, with its index."""
    text: str = WIDE.to_pandas().to_csv()
    return text


simple("wide.csv", WIDE.write_csv)
simple("wide.tsv", lambda: WIDE.write_csv(separator="\t"))
simple("semicolons in wide.csv", lambda: WIDE.write_csv(separator=";"))
simple("long.csv", LONG.write_csv)
simple("wide.jsonl", WIDE.write_ndjson)
simple("long.jsonl", LONG.write_ndjson)
simple("records.json", lambda: json.dumps(WIDE.to_dicts()))
simple("columns.json", lambda: json.dumps(WIDE.to_dict(as_series=False)))
simple("wide.csv.gz", lambda: gzip.compress(WIDE.write_csv().encode()))
simple("with an index in index.csv", indexed)
simple("UTF-16 in wide.csv", lambda: WIDE.write_csv().encode("utf-16"))
simple("CRLF in wide.csv", lambda: WIDE.write_csv(line_terminator="\r\n"))
simple("quoted in wide.csv", lambda: WIDE.write_csv(quote_style="always"))
simple("shuffled rows of wide.csv", SHUFFLED.write_csv)
simple("shuffled columns of wide.csv", WIDE.select("base", "item", "new").write_csv)
simple("shuffled rows of long.csv", LONG.sample(fraction=1.0, shuffle=True, seed=2).write_csv)
simple("numbers as ids of wide.jsonl", NUMBERED.write_ndjson)
simple("ids of another name in wide.csv", WIDE.rename({"item": "sample"}).write_csv)
simple("labels in wide.csv", LABELLED.write_csv, columns={"label": "level"})
simple("systems of wide.csv", LABELLED.write_csv, systems="base,new")
simple("clothes of long.csv", LONG.rename({"item": "qid", "system": "model"}).write_csv)


simple("transposed.csv", TURNED.write_csv, input_format="transposed")
simple(
    "transposed in turned.parquet", lambda: encode(TURNED, ".parquet"), input_format="transposed"
)
simple("wide.csv.bz2", lambda: bz2.compress(WIDE.write_csv().encode()))
simple("wide.csv.xz", lambda: lzma.compress(WIDE.write_csv().encode()))
simple("one epoch in long.csv", LONG.with_columns(epoch=1).write_csv)
simple(
    "epochs that agree in long.csv",
    lambda: pl.concat(LONG.with_columns(epoch=k) for k in (1, 2, 3)).write_csv(),
)


@way
def through_a_pipe(tmp_path: Path) -> Scores:
    del tmp_path
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:
        pipe.write(WIDE.write_csv().encode())
    with open(reading, "rb"):
        return bt.read(f"/dev/fd/{reading}")


@way
def files_without_names(tmp_path: Path) -> Scores:
    for name in ("base", "new"):
        texts = WIDE.select(pl.format("q{}", "item"), name)
        texts.write_csv(tmp_path / f"{name}.csv", include_header=False)
    return bt.read(tmp_path / "base.csv", tmp_path / "new.csv", input_format="csv(header=no)")


@way
def transposed_frame(tmp_path: Path) -> Scores:
    del tmp_path
    frame = pd.DataFrame({"base": BASE, "new": NEW}, index=pd.Index(IDS)).T
    return bt.read(frame, input_format="transposed")


@way
def a_file_per_system(tmp_path: Path) -> Scores:
    for name in ("base", "new"):
        WIDE.select("item", pl.col(name).alias("score")).write_csv(tmp_path / f"{name}.csv")
    return bt.read(tmp_path / "base.csv", tmp_path / "new.csv")


@way
def a_file_per_system_in_another_order(tmp_path: Path) -> Scores:
    WIDE.select("item", pl.col("base").alias("score")).write_csv(tmp_path / "base.csv")
    SHUFFLED.select("item", pl.col("new").alias("score")).write_ndjson(tmp_path / "new.jsonl")
    return bt.read(tmp_path / "base.csv", tmp_path / "new.jsonl")


@way
def ids_as_text_and_as_numbers(tmp_path: Path) -> Scores:
    WIDE.select("item", pl.col("base").alias("score")).write_ndjson(tmp_path / "base.jsonl")
    numbered = NUMBERED.with_columns(pl.col("item").cast(pl.Float64))
    numbered.select("item", pl.col("new").alias("score")).write_parquet(tmp_path / "new.parquet")
    return bt.read(tmp_path / "base.jsonl", tmp_path / "new.parquet")


@way
def long_tables_in_two_files(tmp_path: Path) -> Scores:
    LONG[: N // 2].write_csv(tmp_path / "1.csv")
    LONG[N // 2 :].write_csv(tmp_path / "2.csv")
    return bt.read(tmp_path / "1.csv", tmp_path / "2.csv")


@way
def parquet(tmp_path: Path) -> Scores:
    WIDE.write_parquet(tmp_path / "t.parquet")
    return bt.read(tmp_path / "t.parquet")


@way
def single_precision(tmp_path: Path) -> Scores:
    WIDE.with_columns(pl.col("base", "new").cast(pl.Float32)).write_parquet(tmp_path / "t.pq")
    return bt.read(tmp_path / "t.pq")


@way
def polars_frame(tmp_path: Path) -> Scores:
    del tmp_path
    return bt.read(WIDE)


@way
def pandas_frame(tmp_path: Path) -> Scores:
    del tmp_path
    return bt.read(pd.DataFrame({"item": IDS, "base": BASE, "new": NEW}))


@way
def pandas_index(tmp_path: Path) -> Scores:
    del tmp_path
    index = pd.Index(IDS, name="item")
    return bt.read(pd.DataFrame({"base": BASE, "new": NEW}, index=index))


@way
def pandas_long(tmp_path: Path) -> Scores:
    del tmp_path
    return bt.read(pd.DataFrame(LONG.to_dict(as_series=False)))


@way
def arrays(tmp_path: Path) -> Scores:
    del tmp_path
    return Scores.from_arrays({"base": BASE, "new": NEW}, items=IDS)


@pytest.mark.parametrize("name", WAYS)
def test_the_same_answer(name: str, tmp_path: Path) -> None:
    plain = Scores.from_arrays({"base": BASE, "new": NEW})
    want = bt.compare(plain, "base", "new")
    scores = WAYS[name](tmp_path)
    got = bt.compare(scores, "base", "new")
    assert got.pvalue == want.pvalue
    assert got.verdict == want.verdict
    assert got.delta == want.delta
    assert got.signature == want.signature
    assert scores.paired_by == "id"
    board, wanted = (bt.rank(s, resamples=50) for s in (scores, plain))
    assert board.rows == wanted.rows
    assert board.signature == wanted.signature
    ruled, ruling = (bt.gate(s, "base", "new", margin=0.05, bounds=(0, 1)) for s in (scores, plain))
    assert ruled.checks == ruling.checks
    assert ruled.signature == ruling.signature


@pytest.mark.parametrize("frame", [WIDE, LONG], ids=["wide", "long"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame", "pandas"])
def test_the_same_refusal(frame: pl.DataFrame, kind: str, tmp_path: Path) -> None:
    score = pl.col(frame.columns[-1])
    last = pl.col("item") == IDS[-1]
    lacking = frame.with_columns(pl.when(last).then(None).otherwise(score).name.keep())
    path = tmp_path / f"t.{kind}"
    given: object = lacking
    if kind == "pandas":
        given = pd.DataFrame(lacking.to_dict(as_series=False))
    elif kind != "frame":
        path.write_bytes(encode(lacking, f".{kind}"))
        given = path
    with pytest.raises(BetterthanError, match=rf"no score for 1 of 40 items \('{IDS[-1]}'\)"):
        bt.read(given)


@pytest.mark.parametrize(
    "spelled",
    [lambda k: f" {k}", lambda k: f"{int(k):05}", lambda k: f"{k}.0", lambda k: f"'{k}'"],
)
def test_ids_that_are_written_differently(spelled: Callable[[str], str], tmp_path: Path) -> None:
    others = [spelled(item) for item in IDS[:-1]] + ["x"]  # not all, so that it is no number type
    ours = [*IDS[:-1], "x"]
    for name, ids in (("base", ours), ("new", others)):
        pl.DataFrame({"item": ids, "score": BASE}).write_csv(tmp_path / f"{name}.csv")
    files = tmp_path / "base.csv", tmp_path / "new.csv"
    choices: tuple[Missing, ...] = ("error", "drop", "pairwise")
    for missing in choices:
        with pytest.raises(BetterthanError) as error:
            bt.read(*files, missing=missing)
        assert "'base' and 'new' write the same ids differently: '101' and" in str(error.value)
        assert "write them alike" in str(error.value)


def test_both_files_lack_items(tmp_path: Path) -> None:
    WIDE[1:].select("item", score="base").write_csv(tmp_path / "base.csv")
    WIDE[:-1].select("item", score="new").write_csv(tmp_path / "new.csv")
    with pytest.raises(BetterthanError) as error:
        bt.read(tmp_path / "base.csv", tmp_path / "new.csv")
    said = str(error.value)
    assert "'base' has no score for 1 of 40 items ('101')" in said
    assert "'new' has no score for 1 of 40 items ('140')" in said
    assert ("missing", "drop") in advised(error)
    assert ("missing", "pairwise") not in advised(error)
    with pytest.raises(BetterthanError) as error:
        bt.rank(WIDE.with_columns(pl.when(pl.col("item") != "101").then("base").alias("base")))
    assert ("missing", "pairwise") in advised(error)  # which only rankings take


def test_the_same_texts_in_another_order_are_no_positions(tmp_path: Path) -> None:
    texts = pl.Series("utterance_en", [f"sentence number {item}" for item in IDS])
    WIDE.select(texts, score="base").write_csv(tmp_path / "base.csv")
    WIDE.select(texts, score="new")[::-1].write_csv(tmp_path / "new.csv")
    files = tmp_path / "base.csv", tmp_path / "new.csv"
    with pytest.raises(BetterthanError, match="another order") as error:
        bt.read(*files)
    assert advised(error) == [("columns", {"item": "utterance_en"})]
    assert bt.read(*files, columns={"item": "utterance_en"}).n == N


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["csv", "frame"])
@pytest.mark.parametrize("names", [("base", "new"), ("new", "base")])
def test_the_order_of_rows_makes_no_baseline(
    seed: int, kind: str, names: tuple[str, str], tmp_path: Path
) -> None:
    rows = LONG.with_columns(rater=pl.lit("a")).vstack(LONG.with_columns(rater=pl.lit("b")))
    given: Any = rows.sample(fraction=1.0, shuffle=True, seed=seed)
    if kind == "csv":
        given.write_csv(tmp_path / "t.csv")
        given = tmp_path / "t.csv"
    scores = bt.read(given)
    assert scores.systems == ("base", "new")
    calls: tuple[Callable[[], object], ...] = (
        lambda: bt.compare(scores),
        lambda: bt.compare_many(scores),
        lambda: bt.gate(scores, margin=0.05),
        lambda: bt.design.aa_check(scores, simulations=10),
    )
    for call in calls:
        with pytest.raises(UsageError) as error:
            call()
        assert advised(error) == [("baseline", "base"), ("baseline", "new")]
    first, second = names
    want = bt.compare(Scores.from_arrays({"base": BASE, "new": NEW}), first, second)
    for found in (bt.compare(scores, first), bt.compare(scores, candidate=second)):
        assert (found.delta, found.pvalue) == (want.delta, want.pvalue)
    chosen = bt.compare(bt.read(given, systems=names))  # an order that was said
    assert (chosen.baseline, chosen.delta) == (first, want.delta)


@pytest.mark.parametrize("by", ["blocks", "items", "raters"])
@pytest.mark.parametrize("names", [("base", "new"), ("new", "base")])
def test_an_order_that_all_items_share_was_meant(by: str, names: tuple[str, str]) -> None:
    place = pl.col("system").replace_strict(dict(zip(names, range(2), strict=True)))
    rows = pl.concat(LONG.with_columns(rater=pl.lit(r)) for r in "ab")
    rows = rows.filter((pl.col("item") != "107") | (pl.col("system") == "new"))  # a hole
    order: list[Any] = {
        "blocks": [place, "item"],
        "items": ["item", "rater", place],
        "raters": ["rater", "item", place],
    }[by]
    scores = bt.read(rows.sort(order), missing="drop")
    assert bt.compare(scores).baseline == names[0]


def test_large_whole_numbers_arrive_exactly(tmp_path: Path) -> None:
    values = [2**53 - 1 - 10**6 * (7 * k % N) ** 2 for k in range(N)]
    table = pl.DataFrame({"item": IDS, "base": values, "new": values[::-1]})
    table.write_csv(tmp_path / "t.csv")
    table.write_ndjson(tmp_path / "t.jsonl")
    table.write_parquet(tmp_path / "t.parquet")
    for kind in ("csv", "jsonl", "parquet"):
        scores = bt.read(tmp_path / f"t.{kind}")
        assert [int(x) for x in scores.of("base")[:, 0]] == values
    beyond = table.with_columns(base=pl.col("base") + 2**53)
    for kind, save in (("csv", beyond.write_csv), ("parquet", beyond.write_parquet)):
        save(tmp_path / f"t.{kind}")
        with pytest.raises(
            BetterthanError, match=r"t\.\w+: column 'base' holds 1801.* beyond 2\^53"
        ):
            bt.read(tmp_path / f"t.{kind}")
