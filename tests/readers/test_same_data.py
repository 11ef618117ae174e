"""The same data in many clothes: one p-value, one verdict, one signature."""

import bz2
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import zstandard
from reading_ways import advised

import betterthan as bt
from betterthan.errors import UsageError
from made_up_scores import scores_of

SCORES = scores_of("decimals", systems=2).select("base", "new")
IDS = [str(k) for k in range(101, 101 + SCORES.n)]
WIDE = pl.DataFrame({"item": IDS, **{s: SCORES.of(s)[:, 0] for s in ("base", "new")}})
LONG = WIDE.unpivot(["base", "new"], index="item", variable_name="system", value_name="score")
TURNED = WIDE.drop("item").transpose(
    include_header=True, header_name="model", column_names=[f"q{x}" for x in IDS]
)
CSV = WIDE.write_csv().encode()
ROWS = WIDE.to_dicts()
BUFFER = io.BytesIO()
WIDE.write_parquet(BUFFER)
WAYS: dict[str, tuple[str, bytes | str, dict[str, Any]]] = {
    "tabs": ("t.tsv", WIDE.write_csv(separator="\t"), {}),
    "semicolons": ("t.csv", WIDE.write_csv(separator=";"), {}),
    "decimal commas": (
        "t.csv",
        WIDE.write_csv(separator=";", decimal_comma=True),
        {"input_format": "csv(decimal=comma)"},
    ),
    "records": ("t.json", json.dumps(ROWS), {}),
    "columns": ("t.json", json.dumps(WIDE.to_dict(as_series=False)), {}),
    "gzip": ("t.csv.gz", gzip.compress(CSV), {}),
    "bzip2": ("t.csv.bz2", bz2.compress(CSV), {}),
    "xz": ("t.csv.xz", lzma.compress(CSV), {}),
    "zstd": ("t.csv.zst", zstandard.compress(CSV), {}),
    "Parquet, called otherwise": ("t", BUFFER.getvalue(), {}),
    "bars": ("t.csv", WIDE.write_csv(separator="|"), {}),
    "runs of blanks": ("t.txt", CSV.replace(b",", b"   "), {}),
    "blanks, then tabs": ("t.txt", CSV.replace(b",", b" ", 2).replace(b",", b"\t"), {}),
    "CR": ("t.csv", WIDE.write_csv(line_terminator="\r"), {}),
    "blank lines above": ("t.csv", b"\n\n" + CSV, {}),
    "blank cells below": ("t.csv", CSV + b",,\n,,\n", {}),
    "columns by row": ("t.json", WIDE.to_pandas().to_json(), {}),
    "records by id": ("t.json", json.dumps({x.pop("item"): x for x in WIDE.to_dicts()}), {}),
    "records in an object": ("t.json", json.dumps({"version": 2, "results": ROWS}), {}),
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
