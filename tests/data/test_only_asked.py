"""Only the systems that were asked for count: others decide nothing, whatever they hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError

N = 24
RNG = np.random.default_rng(0)
IDS = [f"q{k}" for k in range(N)]
DOMAIN = ["x", "y"] * (N // 2)
BASE, NEW, OTHER = (RNG.integers(0, 2, N).tolist() for _ in range(3))
TWO = ["base", "new"]
COLUMNS: dict[str, list[Any]] = {
    "missing": [None] * 5 + OTHER[5:],
    "infinite": [float("inf"), *OTHER[1:]],
    "words": ["error", *map(str, OTHER[1:])],
    "percent": [f"{80 + k % 9}%" for k in range(N)],
    "points": [k * 4.0 for k in range(N)],
    "fractions": [k / N for k in range(N)],
}


def same(one: bt.Scores, other: bt.Scores) -> bool:
    """Whether two reads are the same to whoever compares them."""

    def facts(scores: bt.Scores) -> list[Any]:
        return [
            scores.systems,
            scores.columns,
            None if scores.items is None else list(scores.items),
            scores.values.tolist(),
            {name: labels.tolist() for name, labels in scores.groups.items()},
            (scores.lower_is_better, scores.lower, scores.shuffled, scores.by_rows),
            (scores.notes, dict(scores.indivisible)),
            scores.is_rate(scores.measured()),
            bt.compare(scores).signature,
        ]

    return facts(one) == facts(other)


def wide(**more: list[Any]) -> pl.DataFrame:
    columns = {"id": IDS, "domain": DOMAIN, "base": BASE, "new": NEW, **more}
    return pl.DataFrame(columns, strict=False)


def long(**systems: list[Any]) -> pl.DataFrame:
    rows = [
        {"id": name, "domain": domain, "system": system, "score": None if x is None else str(x)}
        for system, values in systems.items()
        for name, domain, x in zip(IDS, DOMAIN, values, strict=True)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("name", ["other", "loss", "aaa"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_other_columns(kind: str, name: str) -> None:
    found = bt.read(wide(**{name: COLUMNS[kind]}), systems=TWO)
    assert same(found, bt.read(wide(), systems=TWO))


@pytest.mark.parametrize("kind", COLUMNS)
def test_other_rows(kind: str) -> None:
    table = long(other=COLUMNS[kind], base=BASE, new=NEW)
    expected = bt.read(long(base=BASE, new=NEW), systems=TWO)
    assert same(bt.read(table, systems=TWO), expected)
    mixed = table.sample(fraction=1.0, shuffle=True, seed=1)
    own = mixed.filter(pl.col("system") != "other")
    assert same(bt.read(mixed, systems=TWO), bt.read(own, systems=TWO))


@pytest.mark.parametrize(
    "rows",
    [
        {"id": "z1", "domain": "x", "system": "other", "score": "1"},  # another item
        {"id": "q1", "domain": "y", "system": "other", "score": "1"},  # an item twice
        {"id": None, "domain": "y", "system": "other", "score": "1"},
        {"id": "q1", "domain": "zz", "system": "other", "score": "1"},  # another label
    ],
)
def test_rows_of_others_that_would_be_errors(rows: dict[str, Any]) -> None:
    table = pl.concat([long(base=BASE, new=NEW), pl.DataFrame(rows, schema=long(base=BASE).schema)])
    assert same(bt.read(table, systems=TWO), bt.read(long(base=BASE, new=NEW), systems=TWO))
    counts = table.with_columns(pl.col("score").cast(pl.Int64))
    expected = bt.read(counts.filter(pl.col("system") != "other").lazy(), systems=TWO)
    found = bt.read(counts.lazy(), systems=TWO)
    assert bt.compare(found).signature == bt.compare(expected).signature


@pytest.mark.parametrize(
    "other",
    [
        {"id": IDS[4:], "score": OTHER[4:]},
        {"id": [f"z{k}" for k in range(N)], "score": OTHER},
        {"id": IDS, "score": COLUMNS["words"]},
        {"id": IDS, "acc": OTHER},
        {"score": OTHER},
        {"id": IDS, "score": OTHER, "length": OTHER},
    ],
)
@pytest.mark.parametrize("items", [True, False])
def test_other_files(other: dict[str, list[Any]], items: bool, tmp_path: Path) -> None:
    tables = {"base": {"id": IDS, "score": BASE}, "new": {"id": IDS, "score": NEW}, "other": other}
    for name, columns in tables.items():
        pl.DataFrame(columns, strict=False).write_csv(tmp_path / f"{name}.csv")
    files = [tmp_path / f"{name}.csv" for name in tables]
    found, expected = (bt.read(*some, systems=TWO, items=items) for some in (files, files[:2]))
    assert bt.compare(found).signature == bt.compare(expected).signature
    assert found.notes == expected.notes


def test_other_logs(tmp_path: Path) -> None:
    for name, values in (("base", BASE), ("new", NEW), ("other", OTHER[5:])):
        log = {
            "status": "success",
            "eval": {"task": "t", "model": name},
            "plan": {},
            "samples": [
                {"id": k, "epoch": 1, "input": f"q{k}", "scores": {"m": {"value": x}}}
                for k, x in enumerate(values)
            ],
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(log), encoding="utf-8")
    files = [tmp_path / f"{name}.json" for name in ("other", "new", "base")]
    assert same(bt.read(*files, systems=TWO), bt.read(*files[1:], systems=TWO))


def test_the_first_that_is_named_is_the_baseline() -> None:
    mixed = long(base=BASE, new=NEW, other=OTHER).sample(fraction=1.0, shuffle=True, seed=1)
    scores = bt.read(mixed)
    with pytest.raises(UsageError, match="first") as caught:
        bt.compare_many(scores)
    assert {remedy.parameter for remedy in caught.value.remedies} == {"baseline"}
    for some in (scores.select("new", "base"), bt.read(mixed, systems=["new", "base"])):
        (found,) = bt.compare_many(some)
        assert (found.baseline, found.candidate) == ("new", "base")
    many = bt.compare_many(scores.select("new", "other", "base"))
    assert [(c.baseline, c.candidate) for c in many] == [("new", "other"), ("new", "base")]
