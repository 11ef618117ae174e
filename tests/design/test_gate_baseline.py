"""Who the baseline of a gate is must not depend on how the rows of a table are sorted."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from conftest import Run

Command = Callable[..., Run]

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
ASKED = "say which is the baseline, --baseline base or --baseline new"


@pytest.fixture(params=["up", "down"])
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.chdir(tmp_path)
    SORTED[request.param].write_csv("runs.csv")
    return tmp_path


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("how", [[], ["--scan"], ["--missing", "drop"]])
def test_a_long_table_is_asked_for_its_baseline(betterthan: Command, how: list[str]) -> None:
    run = betterthan("gate", "runs.csv", "--margin", "2", *how)
    assert run.code == 2
    assert ASKED in run.err
    assert not run.out
    for told in (
        ["--baseline", "base"],
        ["--candidate", "new"],
        ["--systems", "base,new"],
        ["--baseline", "base", "--systems", "new"],  # as compare takes it
    ):
        run = betterthan("gate", "runs.csv", "--margin", "2", *how, *told)
        assert run.code == 1, told


def test_so_is_a_tally_of_it(betterthan: Command, runs: Path) -> None:
    for name in ("t.csv", "t.json", "t.parquet"):
        assert betterthan("tally", "runs.csv", "-o", name).code == 0
        run = betterthan("gate", name, "--margin", "2")
        assert run.code == 2
        assert ASKED in run.err
        assert betterthan("gate", name, "--margin", "2", "--baseline", "base").code == 1
    facts = json.loads((runs / "t.json").read_text())
    del facts["by_rows"]  # written by an earlier version, which did not say it
    (runs / "old.json").write_text(json.dumps(facts))
    assert betterthan("gate", "old.json", "--margin", "2").code == 2


def test_the_plan_may_name_it(betterthan: Command, runs: Path) -> None:
    plan = runs / "betterthan.toml"
    plan.write_text("[gate]\nmargin = 2\n")
    assert ASKED in betterthan("gate", "runs.csv").err
    plan.write_text('[gate]\nmargin = 2\nbaseline = "base"\n')
    assert betterthan("gate", "runs.csv").code == 1


@pytest.mark.parametrize("order", SORTED)
def test_in_python(order: str) -> None:
    frame = SORTED[order]
    for data in (frame, bt.read(frame), bt.Tallied.of(bt.read(frame)), bt.scan(frame.lazy())):
        with pytest.raises(UsageError, match=r'baseline="base" or baseline="new"'):
            bt.gate(data, margin=2)
        assert bt.gate(data, "base", margin=2).ruling == "REGRESSION"
    assert bt.gate(bt.read(frame).select("base", "new"), margin=2).ruling == "REGRESSION"


def test_what_was_given_in_an_order_keeps_it(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("base", "new"):
        own = LONG.filter(pl.col("system") == name)
        own.write_csv(f"long-{name}.csv")
        own.drop("system").write_csv(f"{name}.csv")
    wide = LONG.pivot("system", index="item", values="score")
    wide.write_csv("wide.csv")
    wide.select("item", "new", "base").write_csv("turned.csv")
    wide.select("base", "new").write_csv("counts.csv", include_header=False)
    for given, code in {
        "base.csv new.csv": 1,
        "new.csv base.csv": 0,
        "long-base.csv long-new.csv": 1,
        "long-new.csv long-base.csv": 0,
        "wide.csv": 1,
        "turned.csv": 0,
        "counts.csv": 1,
    }.items():
        assert betterthan("gate", *given.split(), "--margin", "2").code == code, given


@pytest.mark.parametrize("given", ["results", "results/*.jsonl"])
def test_names_of_files_make_no_baseline(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    for name in ("base", "new"):
        own = LONG.filter(pl.col("system") == name)
        own.drop("system").write_ndjson(f"results/{name}.jsonl")
    run = betterthan("gate", given, "--margin", "2")
    assert run.code == 2
    assert ASKED in run.err
    assert betterthan("gate", given, "--margin", "2", "--baseline", "base").code == 1
    assert betterthan("gate", given, "--margin", "2", "--baseline", "new").code == 0
    assert betterthan("gate", given, "--margin", "2", "--systems", "base,new").code == 1
    assert betterthan("gate", "results/new.jsonl", "results/base.jsonl", "--margin", "2").code == 0


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.json"])
@pytest.mark.parametrize("turned", [False, True])
def test_keys_of_records_make_no_baseline(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, turned: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = LONG.pivot("system", index="item", values="score").to_dicts()
    rows[0] = dict(reversed(rows[0].items()))  # one record has its keys in another order
    rows = rows[::-1] if turned else rows
    lines = "\n".join(map(json.dumps, rows))
    Path(name).write_text(lines if name.endswith("l") else json.dumps(rows))
    for how in ([], ["--scan"])[: 1 + name.endswith("l")]:
        run = betterthan("gate", name, "--margin", "2", *how)
        assert run.code == 2
        assert ASKED in run.err
        for told in (["--baseline", "base"], ["--candidate", "new"], ["--systems", "base,new"]):
            assert betterthan("gate", name, "--margin", "2", *how, *told).code == 1


def test_a_row_per_system_is_sorted_as_well(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    items = [f"q{k}" for k in range(40)]
    scores = {"base": ["1"] * 40, "new": ["0"] * 20 + ["1"] * 20}
    for order in (["base", "new"], ["new", "base"]):
        lines = [",".join(["system", *items]), *(",".join([s, *scores[s]]) for s in order)]
        Path("runs.csv").write_text("\n".join(lines))
        words = ["gate", "runs.csv", "--input-format", "transposed", "--margin", "2"]
        run = betterthan(*words)
        assert run.code == 2
        assert ASKED in run.err
        assert betterthan(*words, "--baseline", "base").code == 1
        assert betterthan(*words, "--systems", "base,new").code == 1


def test_so_are_the_systems_of_one_log(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{s} {x}" for s, x in LONG.select("system", "score").rows()]
    for order in (rows, [*rows[40:], *rows[:40]]):
        Path("metric.seg.score").write_text("\n".join(order))
        run = betterthan("gate", "metric.seg.score", "--margin", "2")
        assert run.code == 2
        assert ASKED in run.err
        assert (
            betterthan("gate", "metric.seg.score", "--margin", "2", "--baseline", "base").code == 1
        )


def test_compare_takes_the_first(
    betterthan: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for order, verdict in {"up": "WORSE", "down": "BETTER"}.items():
        SORTED[order].write_csv("runs.csv")
        run = betterthan("compare", "runs.csv")
        assert run.code == 0
        assert verdict in run.out
