"""The first line says how many items are used, and of how many."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from conftest import Run

Command = Callable[..., Run]

# Of 60 items in 20 documents every other one lacks a score of `new`, and 45 one of `third`;
# no item of the last ten documents has any of `new`.
WIDE = pl.DataFrame(
    {
        "item": [f"q{k}" for k in range(60)],
        "document": [f"d{k // 3}" for k in range(60)],
        "base": [int(k % 3 > 0) for k in range(60)],
        "new": [int(k % 5 > 0) if k % 2 == 0 and k < 30 else None for k in range(60)],
        "third": [int(k % 7 > 0) if k % 4 == 0 else None for k in range(60)],
    }
)
LONG = WIDE.unpivot(index=["item", "document"], variable_name="system", value_name="score")
PAIR = ["--baseline", "base", "--candidate", "new"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    WIDE.write_csv("wide.csv")
    WIDE.drop("third").write_csv("two.csv")
    LONG.drop_nulls().write_csv("long.csv")
    for name in ("base", "new"):
        rows = LONG.drop_nulls().filter(system=name).rows(named=True)
        logs = (
            {"doc_id": k, "doc_hash": row["item"], "target": "", "filter": "none"}
            | {"metrics": ["acc"], "acc": row["score"], "doc": {}, "arguments": [], "resps": []}
            for row in rows
            for k in [int(row["item"][1:])]
        )
        Path(name).mkdir()
        log = Path(name, "samples_qa_2024-01-01T00-00-00.000000.jsonl")
        log.write_text("".join(json.dumps(line) + "\n" for line in logs))


@pytest.mark.parametrize(
    "words",
    [
        ["gate", "wide.csv", "--margin", "20", *PAIR],
        ["gate", "two.csv", "--margin", "20"],
        ["gate", "long.csv", "--margin", "20", *PAIR],
        ["gate", "base", "new", "--margin", "20"],
        ["compare", "two.csv"],
        ["estimate", "two.csv"],
    ],
    ids=" ".join,
)
def test_the_items_that_are_used(betterthan: Command, words: list[str]) -> None:
    run = betterthan(*words, "--missing", "drop")
    (said,) = re.findall(r"([\d/]+) items paired", run.err)
    assert said == "15/60"
    assert "|n:15|" in run.out
    assert "45 of 60 items dropped" in run.out


def test_and_their_clusters(betterthan: Command) -> None:
    given = ["wide.csv", "--cluster", "document", "--missing", "drop"]
    run = betterthan("gate", *given, "--margin", "20", *PAIR)
    assert "· cluster=document (10) ·" in run.err  # those of the first thirty items
    assert "|c:10|" in run.out


def test_none_is_dropped_without_being_asked(betterthan: Command) -> None:
    assert "60 items paired by id" in betterthan("estimate", "wide.csv", "-s", "base").err
    assert betterthan("gate", "two.csv", "--margin", "20").code == 4
