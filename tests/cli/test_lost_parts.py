"""A part of which dropped items leave nothing is refused by name, and never just not listed."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import betterthan as bt
from betterthan.data.overview import overview
from betterthan.errors import AlignmentError
from conftest import Run

Command = Callable[..., Run]

# Of two domains the candidate has no score in the first, and all there are in the second.
WIDE = pl.DataFrame(
    {
        "item": [f"q{k}" for k in range(80)],
        "domain": ["a"] * 20 + ["b"] * 60,
        "base": [int(k % 3 > 0) for k in range(80)],
        "new": [None] * 20 + [1] * 60,
    }
)
LONG = WIDE.unpivot(index=["item", "domain"], variable_name="system", value_name="score")
GATE = ["gate", "--baseline", "base", "--margin", "2", "--by", "domain"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    WIDE.write_csv("wide.csv")
    LONG.drop_nulls().write_csv("long.csv")


@pytest.mark.parametrize("file", ["wide.csv", "long.csv"])
@pytest.mark.parametrize(
    "words",
    [
        GATE,
        ["compare", "--by", "domain"],
        ["compare", "--tasks", "domain"],
        ["rank", "--by", "domain"],
        ["rank", "--tasks", "domain"],
        ["estimate", "--by", "domain"],
        ["tally", "--by", "domain", "-o", "made.csv"],
    ],
    ids=" ".join,
)
def test_what_is_gone_is_named(betterthan: Command, words: list[str], file: str) -> None:
    run = betterthan(*words, file, "--missing", "drop")
    assert run.code == 4
    assert run.out == ""
    assert "no item of domain 'a': 'new' has no score for 20 of 20 items" in run.err
    assert "--missing drop" in run.err


def test_a_part_without_any_score(betterthan: Command) -> None:
    WIDE.with_columns(base=pl.when(pl.col("domain") == "b").then("base")).write_csv("nobody.csv")
    run = betterthan(*GATE, "nobody.csv", "--missing", "drop")
    assert run.code == 4
    assert "domain 'a': 'base' has no score for 20 of 20 items, 'new' has no" in run.err
    run = betterthan("compare", "nobody.csv", "--tasks", "domain")
    assert run.code == 4
    assert "system 'base' has no score for 20 of 80 items" in run.err


def test_a_part_that_each_has_half_of(betterthan: Command) -> None:
    half = pl.int_range(pl.len()) % 2 == 0
    first = pl.col("domain") == "a"
    WIDE.with_columns(
        base=pl.when(~first | half).then("base"), new=pl.when(~first | ~half).then(1)
    ).write_csv("halves.csv")
    run = betterthan(*GATE, "halves.csv", "--missing", "drop")
    assert run.code == 4
    assert "'base' has no score for 10 of 20 items, 'new' has no score for 10" in run.err


def test_one_item_is_enough_to_be_listed(betterthan: Command) -> None:
    WIDE.with_columns(new=pl.when(pl.col("item") == "q0").then(0).otherwise("new")).write_csv(
        "one.csv"
    )
    run = betterthan(*GATE, "one.csv", "--missing", "drop")
    assert run.code == 3
    assert "domain=a" in run.out


@pytest.mark.parametrize("words", [["compare"], ["gate", "--baseline", "base", "--margin", "2"]])
def test_nobody_asked_for_the_parts(betterthan: Command, words: list[str]) -> None:
    assert betterthan(*words, "wide.csv", "--missing", "drop").code == 0


@pytest.mark.parametrize(
    "use",
    [
        lambda scores: bt.gate(scores, "base", margin=2, by="domain"),
        lambda scores: bt.compare_many(scores, "base", by="domain"),
        lambda scores: bt.estimate(scores, by="domain"),
        lambda scores: bt.rank(scores, tasks="domain"),
        lambda scores: scores.with_tasks("domain").by_task(),
        lambda scores: dict(scores.parts("domain")),
    ],
    ids=["gate", "compare", "estimate", "rank", "by_task", "parts"],
)
@pytest.mark.parametrize("tasks", [None, "domain"])
def test_in_python(use: Callable[[bt.Scores], Any], tasks: str | None) -> None:
    scores = bt.read(WIDE, missing="drop", tasks=tasks, label="domain")
    for each in (scores, pickle.loads(pickle.dumps(scores)), scores.select("base", "new")):
        with pytest.raises(AlignmentError, match="no item of domain 'a': 'new' has no score"):
            use(each)


def test_an_overview_is_of_what_there_is() -> None:
    told = overview(bt.read(WIDE, missing="drop", tasks="domain"))
    assert any("domain  metric" in line for line in told)


@pytest.mark.parametrize(
    "words",
    [
        GATE,
        ["compare", "--by", "domain"],
        ["compare", "--tasks", "domain"],
        ["rank", "--by", "domain"],
        ["rank", "--tasks", "domain"],
        ["estimate", "--by", "domain"],
        ["tally", "--by", "domain", "-o", "made.csv"],
        [*GATE, "--scan"],
        ["compare", "--by", "domain", "--scan"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("file", ["blank.csv", "blank.parquet"])
def test_a_blank_is_no_part(betterthan: Command, words: list[str], file: str) -> None:
    blank = WIDE.with_columns(new=1, domain=pl.col("domain").replace("a", ""))
    blank.write_csv("blank.csv", quote_style="never")
    blank.write_parquet("blank.parquet")
    run = betterthan(*words, file)
    assert run.code == 4
    assert "no item" not in run.err
    assert "some items have no label" in run.err or (
        re.search(r"20 (rows|items) have no 'domain' \(", run.err)
    )


@pytest.mark.parametrize("scan", [[], ["--scan"]])
def test_parts_are_counted_before_they_are_looked_at(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch, scan: list[str]
) -> None:
    monkeypatch.setattr("betterthan.data.ids.MOST_PARTS", 39)
    pairs = WIDE.with_columns(new=1, domain=pl.format("g{}", pl.int_range(pl.len()) // 2))
    pairs.write_csv("pairs.csv")
    run = betterthan("compare", "pairs.csv", "--by", "domain", *scan)
    assert run.code == 2
    assert "40 tasks or groups ('g0'" in run.err
    assert "among 80 items" in run.err
    assert betterthan("compare", "pairs.csv", *scan).code == 0


@pytest.mark.parametrize("command", ["compare", "rank", "estimate"])
def test_files_that_disagree_on_the_parts(betterthan: Command, command: str) -> None:
    for name, part in (("base", "b"), ("new", "c")):
        rows = WIDE.select("item", pl.col("domain").replace("b", part), score="base")
        rows.write_csv(f"{name}.csv")
    run = betterthan(command, "base.csv", "new.csv", "--by", "domain")
    assert run.code == 4
    first = "'q20', 'q21', 'q22', 'q23', 'q24' and 55 more"
    assert f"60 items have more than one 'domain' ({first}): files, or rows" in run.err
    assert betterthan("compare", "base.csv", "new.csv").code == 0  # nobody asked for them
