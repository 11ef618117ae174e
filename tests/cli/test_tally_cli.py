"""``betterthan tally``, and what reads its files."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from conftest import Run

Command = Callable[..., Run]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    half = [0, 1, 1, 0, 1, 1, 0, 1] * 8
    pl.DataFrame(
        {
            "id": [f"q{k}" for k in range(64)],
            "base": half,
            "new": [1 - x if k % 5 == 0 else x for k, x in enumerate(half)],
            "document": [k // 3 for k in range(64)],
            "domain": ["law" if k < 30 else "news" for k in range(64)],
        }
    ).write_csv("runs.csv")
    return tmp_path


def test_a_published_tally_gives_the_same_answers(betterthan: Command, runs: Path) -> None:
    assert betterthan("tally", "runs.csv", "--cluster", "document", "-o", "t.parquet").code == 0
    assert not any(b"q1" in path.read_bytes() for path in [runs / "t.parquet"])
    for words in (
        ["compare", "--format", "csv"],
        ["gate", "--margin", "3", "--format", "csv"],
        ["power", "--mde", "9", "--format", "csv"],
    ):
        items = betterthan(words[0], "runs.csv", "--cluster", "document", *words[1:])
        tally = betterthan(words[0], "t.parquet", *words[1:])
        assert (items.code, items.out) == (tally.code, tally.out)


def test_a_tally_goes_through_a_pipe(betterthan: Command, runs: Path) -> None:
    printed = betterthan("tally", "runs.csv", "--by", "domain")
    (runs / "t.csv").write_text(printed.out, encoding="utf-8")
    asked = ["--by", "domain", "--format", "csv"]
    assert (
        betterthan("compare", "t.csv", *asked).out == betterthan("compare", "runs.csv", *asked).out
    )


def test_options_for_items_are_refused(betterthan: Command, runs: Path) -> None:
    betterthan("tally", "runs.csv", "-o", "t.json")
    assert "--cluster is for items" in betterthan("compare", "t.json", "--cluster", "document").err
    assert "tally them again, --by domain" in betterthan("compare", "t.json", "--by", "domain").err
    assert "needs the single items" in betterthan("study", "aa", "t.json").err
    assert "--metric and --by are for items" in betterthan("tally", "t.json", "--by", "domain").err
    assert "not .xlsx" in betterthan("tally", "runs.csv", "-o", "t.xlsx").err


def test_tables_are_scanned(betterthan: Command, runs: Path) -> None:
    asked = ["--cluster", "document", "--by", "domain", "--format", "csv"]
    items = betterthan("compare", "runs.csv", *asked)
    scanned = betterthan("compare", "runs.csv", "--scan", *asked)
    assert (scanned.code, scanned.out) == (items.code, items.out)
    assert "grouped and counted in place" in scanned.err
    betterthan("tally", "runs.csv", "--scan", *asked[:4], "-o", "t.csv")
    assert betterthan("compare", "t.csv", *asked[2:]).out == items.out
    for words in (["gate", "--margin", "3"], ["power", "--mde", "9"]):
        told = [*words[1:], "--cluster", "document", "--format", "csv"]
        found = betterthan(words[0], "runs.csv", "--scan", *told)
        assert found.out == betterthan(words[0], "runs.csv", *told).out
    named = betterthan("compare", "runs.csv", "--scan", "--systems", "base,new", "--format", "csv")
    assert named.code == 0
    assert "standard input cannot be scanned" in betterthan("compare", "-", "--scan").err
    refused = betterthan("compare", "runs.csv", "--scan", "--missing", "drop")
    assert "--missing is for items that are read" in refused.err
    lost = betterthan("compare", "runs.csv", "--scan", "--baseline", "old")
    assert "no system 'old'" in lost.err
