"""Which way is better: known costs are lower-is-better, and what is declared decides."""

import pickle

import polars as pl
import pytest

import betterthan as bt
from betterthan.metrics import WER, mean, parse, ratio, resolve
from betterthan.metrics.costs import COSTS, is_cost
from betterthan.metrics.named import LAYOUTS

LONG = pl.DataFrame(
    {
        "id": [f"q{k}" for k in range(8)] * 2,
        "system": ["base"] * 8 + ["cheap"] * 8,
        "score": [1, 0, 1, 1, 0, 1, 1, 0] * 2,
        "cost": [5.0] * 8 + [2.0] * 8,
    }
)


@pytest.mark.parametrize("column", COSTS)
def test_known_costs_are_lower_is_better(column: str) -> None:
    assert is_cost(column.upper())
    assert mean(column).directed().lower_is_better
    assert not ratio({"score": 1}, {column: 1}).directed().lower_is_better
    assert not mean(column, lower_is_better=False).directed().lower_is_better
    assert not is_cost(f"{column}_gain")


def test_columns_called_as_metrics_have_their_direction() -> None:
    """A table of error rates per item is read in the direction of the metric of that name."""
    assert all(is_cost(name) == of[0].lower_is_better for name, of in LAYOUTS.items())


def test_a_missing_cost_counts_as_the_highest() -> None:
    arrays: dict[str, list[float]] = {"base": [1, 0, 0], "new": [0, 1, float("nan")]}
    long = pl.DataFrame({"id": [*"xyz"] * 2, "system": ["base"] * 3 + ["new"] * 3})
    frame = long.with_columns(error=pl.Series([1, 0, 0, 0, 1, None]))
    of_arrays = bt.Scores.from_arrays(
        arrays, columns=["error"], missing="worst", metric=mean("error")
    )
    for scores in (bt.read(frame, missing="worst"), of_arrays):
        assert bt.compare(scores, "base", "new").delta == pytest.approx(-1 / 3)
    raised = bt.read(frame, missing="worst", lower_is_better=False)
    assert bt.compare(raised, "base", "new").delta == 0
    assert raised.source.endswith("--higher-is-better · 3 items, paired by id")


@pytest.mark.parametrize("metric", ["mean(cost)", "ratio(cost / score)"])
def test_less_of_a_known_cost_is_better(metric: str) -> None:
    scores = bt.read(LONG, metric=["mean(score)", metric])
    assert bt.compare(scores, "base", "cheap", metric=metric).delta > 0
    only = LONG.drop("score")
    assert bt.rank(bt.read(only))[0].system == "cheap"
    assert bt.compare(bt.read(only, lower_is_better=False), "base", "cheap").delta < 0


def test_costs_below_the_line_and_taken_away_are_gains() -> None:
    scores = bt.read(LONG, metric="ratio(score / cost)")
    assert bt.compare(scores, "base", "cheap", metric="ratio(score / cost)").verdict == "better"
    frame = LONG.rename({"score": "total", "cost": "errors"})
    made = bt.compare(frame, "base", "cheap", metric="ratio(total - errors / total)")
    assert made.verdict == "better"


def test_known_metrics_know_their_direction() -> None:
    frame = LONG.rename({"score": "words", "cost": "errors"})
    assert bt.compare(frame, "base", "cheap", metric="wer").verdict == "better"
    assert bt.compare(frame, "base", "cheap", metric=WER).verdict == "better"
    per_item = LONG.drop("score").rename({"cost": "wer"})
    assert bt.compare(per_item, "base", "cheap", metric="wer").verdict == "better"


def test_in_python_false_is_a_statement() -> None:
    assert not mean("cost").stated
    stated = mean("cost", lower_is_better=False)
    assert repr(stated) == "mean(cost, higher_is_better)"
    assert parse(repr(stated)) == stated
    assert parse(repr(stated)).stated
    assert pickle.loads(pickle.dumps(stated)).stated
    assert repr(mean("score", lower_is_better=False)) == "mean"
    assert mean("score") == mean("score", lower_is_better=False)
    assert parse("mean(higher_is_better)").stated
    assert repr(stated.directed(lower_is_better=True)) == "mean(cost, lower_is_better)"
    assert repr(stated.directed(lower_is_better=True).directed(lower_is_better=False)) == repr(
        stated
    )
    assert resolve("mean(higher_is_better)", ("cost",)).stated


def test_systems_may_be_called_anything() -> None:
    wide = {"loss": [0, 1, 0, 1, 1, 0], "latency": [1, 1, 1, 1, 1, 1]}
    assert bt.compare(bt.Scores.from_arrays(wide), "loss", "latency").delta == 0.5
    assert bt.permutation_test(wide["loss"], wide["latency"]).delta == 0.5


def test_arrays_have_the_direction_of_tables() -> None:
    for metric in ("mean(latency)", mean("latency", lower_is_better=True)):
        assert bt.permutation_test([1, 2], [2, 3], metric=metric).delta == -1.0
    assert bt.permutation_test([1, 2], [2, 3], "mean(latency, higher_is_better)").delta == 1.0


def test_a_column_per_system_and_measure() -> None:
    values = {"old_loss": [0.3, 0.4, 0.5], "new_loss": [0.2, 0.4, 0.1]}
    scores = bt.read(pl.DataFrame(values))
    assert (scores.systems, scores.columns) == (("old", "new"), ("loss",))
    assert bt.compare(scores).delta > 0
    assert bt.compare(bt.Scores.from_arrays(values)).delta < 0  # arrays are taken as they are
