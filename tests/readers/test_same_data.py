"""The same data in many clothes: one p-value, one verdict, one signature."""

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from made_up_scores import scores_of

SCORES = scores_of("decimals", systems=2).select("base", "new")
IDS = [str(k) for k in range(101, 101 + SCORES.n)]
WIDE = pl.DataFrame({"item": IDS, **{s: SCORES.of(s)[:, 0] for s in ("base", "new")}})
LONG = WIDE.unpivot(["base", "new"], index="item", variable_name="system", value_name="score")
TURNED = WIDE.drop("item").transpose(
    include_header=True, header_name="model", column_names=[f"q{x}" for x in IDS]
)
CSV = WIDE.write_csv().encode()
WAYS: dict[str, tuple[str, bytes | str, dict[str, Any]]] = {
    "tabs": ("t.tsv", WIDE.write_csv(separator="\t"), {}),
    "semicolons": ("t.csv", WIDE.write_csv(separator=";"), {}),
    "decimal commas": (
        "t.csv",
        WIDE.write_csv(separator=";", decimal_comma=True),
        {"input_format": "csv(decimal=comma)"},
    ),
    "records": ("t.json", json.dumps(WIDE.to_dicts()), {}),
    "columns": ("t.json", json.dumps(WIDE.to_dict(as_series=False)), {}),
    "gzip": ("t.csv.gz", gzip.compress(CSV), {}),
    "bzip2": ("t.csv.bz2", bz2.compress(CSV), {}),
    "xz": ("t.csv.xz", lzma.compress(CSV), {}),
    "an index": ("t.csv", WIDE.to_pandas().to_csv(), {}),
    "UTF-16": ("t.csv", CSV.decode().encode("utf-16"), {}),
    "a mark in front": ("t.csv", b"\xef\xbb\xbf" + CSV, {}),
    "CRLF": ("t.csv", WIDE.write_csv(line_terminator="\r\n"), {}),
    "blank lines": ("t.csv", CSV.replace(b"\n", b"\n\n"), {}),
    "blanks": ("t.csv", CSV.replace(b",", b", "), {}),
    "quoted": ("t.csv", WIDE.write_csv(quote_style="always"), {}),
    "shuffled columns": ("t.csv", WIDE.select("base", "item", "new").write_csv(), {}),
    "ids that are numbers": (
        "t.jsonl",
        WIDE.with_columns(pl.col("item").cast(pl.Int64)).write_ndjson(),
        {},
    ),
    "other names": ("t.csv", LONG.rename({"item": "Doc ID", "system": "model"}).write_csv(), {}),
    "one epoch": ("t.csv", LONG.with_columns(epoch=1).write_csv(), {}),
    "transposed": ("t.csv", TURNED.write_csv(), {"input_format": "transposed"}),
}


def check(data: Any) -> None:
    found, expected = (bt.compare(x, "base", "new") for x in (data, SCORES))
    assert (found.pvalue, found.verdict, found.delta) == (
        expected.pvalue, expected.verdict, expected.delta)  # fmt: skip
    assert found.signature == expected.signature


@pytest.mark.parametrize("name", WAYS)
def test_the_same_answer(name: str, tmp_path: Path) -> None:
    file, text, options = WAYS[name]
    (tmp_path / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    check(bt.read(tmp_path / file, **options))
    if not options:
        check(bt.read(tmp_path / file, items=False))


def test_the_same_answer_from_several_sources(tmp_path: Path) -> None:
    one = {x: WIDE.select("item", pl.col(x).alias("score")) for x in ("base", "new")}
    one["base"].write_ndjson(tmp_path / "base.jsonl")
    one["new"].with_columns(pl.col("item").cast(pl.Float64)).reverse().write_parquet(
        tmp_path / "new.parquet"
    )
    for k, part in enumerate((LONG[:33], LONG[33:])):
        part.write_csv(tmp_path / f"{k}.csv")
    for items in (True, False):
        check(bt.read(tmp_path / "base.jsonl", tmp_path / "new.parquet", items=items))
        check(bt.read(tmp_path / "0.csv", tmp_path / "1.csv", items=items))
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:
        pipe.write(CSV)
    with open(reading, "rb"):
        check(bt.read(f"/dev/fd/{reading}"))
    index = pd.Index(IDS, name="item")
    check(bt.read(pd.DataFrame({x: WIDE[x].to_list() for x in ("base", "new")}, index=index)))


@pytest.mark.parametrize("items", [True, False])
def test_text_is_as_it_is_written(items: bool, tmp_path: Path) -> None:
    rows = [f"{q},{s},{k % 3}" for k, q in enumerate(("007", "7", "8.0")) for s in ("3.1", "3.10")]
    (tmp_path / "t.csv").write_text("\n".join(["item,system,score", *rows]))
    data = bt.read(tmp_path / "t.csv", items=items)
    assert (sorted(data.systems), data.n) == (["3.1", "3.10"], 3)
    (tmp_path / "t[1].csv").write_bytes(CSV)
    check(bt.read(tmp_path / "t[1].csv", items=items))


@pytest.mark.parametrize("items", [True, False])
@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("t.csv", "item,base,new\nq1,0,1\nq2,1,1\nq3,1", "line 4"),
        ("t.csv", "item,base,new\nq1,0,1\nq2,1,1,0\n", "line 3"),
        ("t.csv", 'item,base,new\nq1,1,0\n"q2,1,1\nq3,0,1\n', "quotation"),
        ("t.csv", "item,base,base\nq1,0,1\nq2,1,1\n", "more than once"),
        ("t.jsonl", '{"item":"x","a":1,"b":0}\n{"item":"y","a":1,"b":\n', "line 2"),
        ("t.parquet", "PAR1 cut", "Parquet"),
    ],
)
def test_files_that_are_not_whole(
    name: str, text: str, word: str, items: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=word):
        bt.read(tmp_path / name, items=items)


@pytest.mark.parametrize("items", [True, False])
def test_the_order_of_rows_is_not_a_baseline(items: bool) -> None:
    data = bt.read(LONG.sample(fraction=1.0, shuffle=True, seed=1), items=items)
    calls: tuple[Callable[[], object], ...] = (
        lambda: bt.compare(data),
        lambda: bt.compare_many(data),
        lambda: bt.gate(data, margin=0.05),
    )
    for call in calls:
        with pytest.raises(UsageError) as error:
            call()
        assert advised(error) == [("baseline", "base"), ("baseline", "new")]
    for order in (["new", "base"], ["base", "new"]):  # an order that was declared
        chosen = bt.read(LONG, systems=order, items=items)
        assert bt.compare(chosen).baseline == order[0]
