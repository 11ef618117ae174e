"""Costs and errors are not compared until somebody says which way is better."""

import pickle
from collections.abc import Callable

import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.metrics import WER, mean, parse, resolve
from betterthan.metrics.costs import is_cost

LONG = pl.DataFrame(
    {
        "id": [f"q{k}" for k in range(8)] * 2,
        "system": ["base"] * 8 + ["cheap"] * 8,
        "score": [1, 0, 1, 1, 0, 1, 1, 0] * 2,
        "cost": [5.0] * 8 + [2.0] * 8,
    }
)


@pytest.mark.parametrize(
    "column",
    "cost total_cost Cost latency latencyMs latency_ms errors error_rate loss val_loss TER wer cer "
    "perplexity word_perplexity tokens total_tokens outputTokens seconds total_time "
    "time toxicity".split(),
)
def test_costs(column: str) -> None:
    assert is_cost(column)


def test_no_costs() -> None:
    names = "score correct tokens_correct accuracy time_saved closs winter timely f1 tp acc value"
    assert [name for name in [*names.split(), "error_reduction", "length"] if is_cost(name)] == []


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
    assert repr(stated.lowered()) == "mean(cost, lower_is_better)"
    assert repr(stated.lowered().raised()) == repr(stated)
    assert resolve("mean(higher_is_better)", ("cost",)).stated


def test_systems_may_be_called_anything() -> None:
    wide = {"loss": [0, 1, 0, 1, 1, 0], "latency": [1, 1, 1, 1, 1, 1]}
    assert bt.compare(bt.Scores.from_arrays(wide), "loss", "latency").delta == 0.5
    assert bt.permutation_test(wide["loss"], wide["latency"]).delta == 0.5


def test_arrays_are_asked_as_well() -> None:
    with pytest.raises(UsageError, match="'latency'"):
        bt.permutation_test([1, 2], [2, 3], metric="mean(latency)")
    assert bt.permutation_test([1, 2], [2, 3], "mean(latency, higher_is_better)").delta == 1.0
    assert bt.permutation_test([1, 2], [2, 3], mean("latency", lower_is_better=True)).delta == -1.0


@pytest.mark.parametrize(
    "made", [bt.Scores.from_arrays, lambda blocks: bt.read(pl.DataFrame(blocks))]
)
def test_names_of_systems_may_say_that_less_is_better(made: Callable[..., bt.Scores]) -> None:
    values = {"old_loss": [0.3, 0.4, 0.5], "new_loss": [0.2, 0.4, 0.1]}
    scores = made(values)
    for asked in (bt.compare, bt.rank, lambda scores: bt.gate(scores, margin=0.1)):
        with pytest.raises(UsageError, match=r"less of '(old|new)_loss' is usually better"):
            asked(scores)
    better = bt.compare(scores, metric="mean(lower_is_better)")
    assert (better.delta > 0) == (sum(values["new_loss"]) < sum(values["old_loss"]))
    one_of_them = {"old": values["old_loss"], "time-llm": values["new_loss"]}
    assert bt.compare(made(one_of_them)).delta < 0
