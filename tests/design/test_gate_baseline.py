"""Who the baseline of a gate is must not depend on how the rows of a table are sorted."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import betterthan as bt
from betterthan.design import Check, Plan
from betterthan.errors import UsageError

# The candidate loses 20 of 40 items and wins none: no order of the rows makes that a PASS.
LONG = pl.DataFrame(
    {
        "item": [f"q{k}" for k in range(40)] * 2,
        "system": ["base"] * 40 + ["new"] * 40,
        "score": [1] * 40 + [0] * 20 + [1] * 20,
    }
)
SORTED = {
    "up": LONG.sort("system", maintain_order=True),
    "down": LONG.sort("system", descending=True, maintain_order=True),
    "items, up": LONG.sort("item", "system"),
    "items, down": LONG.sort("item", "system", descending=True),
    "none": LONG.sample(fraction=1.0, shuffle=True, seed=1),
}
ASKED, PASS, LOSS = "baseline base,baseline new", "PASS", "REGRESSION"


def ruling(*files: str, **options: Any) -> str:
    """The ruling on files, or the remedies."""
    try:
        return bt.gate(bt.read(*files, **options), margin=0.02).ruling
    except UsageError as error:
        return ",".join(f"{remedy.parameter} {remedy.value}" for remedy in error.remedies)


@pytest.mark.parametrize("order", SORTED)
def test_rows_make_no_baseline(order: str) -> None:
    frame = SORTED[order]
    for data in (frame, bt.read(frame), bt.tally(bt.read(frame)), bt.read(frame.lazy())):
        with pytest.raises(UsageError) as caught:
            bt.gate(data, margin=0.02)
        assert [(r.parameter, r.value) for r in caught.value.remedies] == [
            ("baseline", "base"),
            ("baseline", "new"),
        ]
        assert bt.gate(data, "base", margin=0.02).ruling == "REGRESSION"
        assert bt.gate(data, candidate="new", margin=0.02).ruling == "REGRESSION"
    assert bt.gate(bt.read(frame).select("base", "new"), margin=0.02).ruling == "REGRESSION"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("order", ["up", "down"])
def test_a_long_table_is_asked_for_its_baseline(order: str) -> None:
    SORTED[order].write_csv("runs.csv")
    how: list[dict[str, Any]] = [{}, {"items": False}, {"missing": "drop"}]
    for options in how[:2]:
        assert ruling("runs.csv", **options) == ASKED
    for options in how:
        assert ruling("runs.csv", **options, systems=["base", "new"]) == LOSS
    plan = Plan((Check(None, 2),), baseline="base")
    assert plan.gate(bt.read("runs.csv")).ruling == LOSS


@pytest.mark.usefixtures("folder")
def test_what_was_given_in_an_order_keeps_it() -> None:
    for name in ("base", "new"):
        own = LONG.filter(pl.col("system") == name)
        own.write_csv(f"long-{name}.csv")
        own.drop("system").write_csv(f"{name}.csv")
    wide = LONG.pivot("system", index="item", values="score")
    wide.write_csv("wide.csv")
    wide.select("item", "new", "base").write_csv("turned.csv")
    wide.select("base", "new").write_csv("counts.csv", include_header=False)
    for files, expected in {
        "base.csv new.csv": LOSS,
        "new.csv base.csv": PASS,
        "long-base.csv long-new.csv": LOSS,
        "long-new.csv long-base.csv": PASS,
        "wide.csv": LOSS,
        "turned.csv": PASS,
        "counts.csv": LOSS,
    }.items():
        assert ruling(*files.split()) == expected, files


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("source", ["results", "results/*.jsonl"])
def test_names_of_files_make_no_baseline(source: str) -> None:
    Path("results").mkdir()
    for name in ("base", "new"):
        own = LONG.filter(pl.col("system") == name)
        own.drop("system").write_ndjson(f"results/{name}.jsonl")
    assert ruling(source) == ASKED
    assert ruling(source, systems=["base", "new"]) == LOSS
    assert ruling("results/new.jsonl", "results/base.jsonl") == PASS


@pytest.mark.usefixtures("folder")
def test_a_row_per_system_is_sorted_as_well() -> None:
    items = [f"q{k}" for k in range(40)]
    scores = {"base": ["1"] * 40, "new": ["0"] * 20 + ["1"] * 20}
    for order in (["base", "new"], ["new", "base"]):
        lines = [",".join(["system", *items]), *(",".join([s, *scores[s]]) for s in order)]
        Path("runs.csv").write_text("\n".join(lines))
        assert ruling("runs.csv", input_format="csv(transposed=yes)") == ASKED


@pytest.mark.usefixtures("folder")
def test_so_are_the_systems_of_one_log() -> None:
    rows = [f"{s} {x}" for s, x in LONG.select("system", "score").rows()]
    for order in (rows, [*rows[40:], *rows[:40]]):
        Path("metric.seg.score").write_text("\n".join(order))
        assert ruling("metric.seg.score") == ASKED
        assert ruling("metric.seg.score", systems=["base", "new"]) == LOSS
