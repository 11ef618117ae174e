"""Items are paired by id: rows in another order give the same document, to the last byte."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from conftest import Run

Command = Callable[..., Run]

N, SYSTEMS = 48, ["a", "b", "c"]
DRAW = np.random.default_rng(3)
LABELS = {
    "id": [f"q{k}" for k in range(N)],
    "task": ["zulu"] * 9 + ["alpha"] * 16 + ["mike"] * 23,  # sorted by neither name nor size
    "domain": DRAW.choice(["y", "x"], N).tolist(),
    "doc": [f"d{k // 2 * 7 % 31}" for k in range(N)],  # the fifth lies in two tasks
}
SCORES = DRAW.normal(size=(N, 1)) + 0.7 * DRAW.normal(size=(N, 3)) + [0.0, 0.2, 0.4]
COUNTS = {name: DRAW.integers(0, 7, size=(N, 3)) for name in ("tp", "fp", "fn")}


def long(columns: dict[str, Any]) -> pl.DataFrame:
    """A row per system and item."""
    return pl.concat(
        pl.DataFrame(LABELS | {"system": [name] * N} | {c: x[:, k] for c, x in columns.items()})
        for k, name in enumerate(SYSTEMS)
    )


TABLES = {
    "wide": pl.DataFrame(LABELS | dict(zip(SYSTEMS, SCORES.T, strict=True))),
    "long": long({"score": SCORES}),
    "wins": long({"score": (SCORES > 0) * 1}),
    "counts": long(COUNTS),
}
ASKED = [
    "compare wide -b a -s b --test bootstrap --resamples 300",
    "compare wide -b a -s b --metric median",
    "compare wins -b a -s b --items 5",
    "compare wins --all --correction max-t",
    "compare wins --all --by domain",
    "compare counts -b a --metric f1,precision --by domain --cluster doc",
    *(
        f"compare {table} {pairs} --tasks task {clusters}"
        for table in ("wide", "long", "counts --metric f1", "counts --metric f1,recall")
        for pairs in ("-b a", "--all")
        for clusters in ("", "--cluster doc")
    ),
    "estimate wide --by task",
    "estimate counts --metric f1 --cluster doc",
    "gate wide -b a --candidate b --margin 0.3 --assume large-sample --by task",
    "gate long -b a --candidate b --margin 0.3 --assume shift --by task --items 4",
    "gate wins -b a --candidate b --margin 9 --by domain --cluster doc",
    "gate counts -b a --candidate b --metric f1 --margin 9 --assume large-sample --by task",
    "rank long --resamples 50 --tasks task",
    "rank wide --resamples 50 --by domain --cluster doc",
    "rank counts --metric f1 --resamples 50 --method mean --by task",
    "power wins -b a --candidate b --effect 5",
    "study disagreement wide --size 10 --repeats 2",
    "study disagreement long --by domain --method mean,elo",
    "study disagreement counts --metric f1 --cluster doc",
    "study gains wide --metric median",
    "study calibration long --by task --on zulu --resamples 100",
    "study aa wide --simulations 20",
]
SCANNED = [
    asked
    for asked in ASKED
    if asked.startswith(("compare", "gate"))
    and not any(word in asked for word in ("--tasks", "--items", "--cluster", "median", "max-t"))
]


@pytest.fixture
def said(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    """Run a command on its table, with the rows as given or mixed."""
    monkeypatch.chdir(tmp_path)

    def run(asked: str, *, mixed: bool) -> Run:
        words = [f"{word}.csv" if word in TABLES else word for word in asked.split()]
        for name, table in TABLES.items():
            rows = table.sample(fraction=1.0, shuffle=True, seed=4) if mixed else table
            rows.write_csv(f"{name}.csv")
        return betterthan(*words, "--format", "json")

    return run


@pytest.mark.parametrize("asked", [*ASKED, *(f"{asked} --scan" for asked in SCANNED)])
def test_rows_may_come_in_any_order(said: Callable[..., Run], asked: str) -> None:
    given = said(asked, mixed=False)
    assert given.out, given.err
    assert said(asked, mixed=True) == given


@pytest.mark.parametrize("asked", SCANNED)
def test_scans_of_mixed_rows_have_the_signature_of_the_items(
    said: Callable[..., Run], asked: str
) -> None:
    read, scanned = said(asked, mixed=True), said(f"{asked} --scan", mixed=True)
    assert json.loads(scanned.out)["signature"] == json.loads(read.out)["signature"]
