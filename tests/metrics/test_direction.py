"""Costs and errors are not compared until somebody says which way is better."""

import pickle
from collections.abc import Callable

import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.metrics import MEDIAN, WER, mean, parse, ratio, resolve
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


@pytest.mark.parametrize(
    "metric", ["ratio(cost / score)", "mean(cost)", "cost", ratio({"cost": 1}, {"score": 1})]
)
def test_a_cost_without_a_direction_is_asked_for_one(metric: str) -> None:
    scores = bt.read(LONG)
    for call in (
        lambda: bt.compare(scores, "base", "cheap", metric=metric),
        lambda: bt.compare_many(scores, "base", metric=["score", metric]),
        lambda: bt.rank(scores, metric=metric),
        lambda: bt.gate(scores, "base", metric=metric, margin=0.5),
        lambda: scores.pair("base", "cheap", metric),
    ):
        with pytest.raises(UsageError, match="less of 'cost'") as caught:
            call()
        assert [remedy.parameter for remedy in caught.value.remedies] == ["metric"] * 2


def test_the_remedies_of_the_message_work() -> None:
    scores = bt.read(LONG)
    with pytest.raises(UsageError) as caught:
        bt.compare(scores, "base", "cheap", metric="ratio(cost / score)")
    for remedy, verdict in zip(caught.value.remedies, ("better", "worse"), strict=True):
        metric = str(remedy.value)
        made = bt.compare(scores, "base", "cheap", metric=metric)
        assert (made.verdict, made.metric) == (verdict, metric)


def test_the_data_may_state_the_direction() -> None:
    scores = bt.read(LONG, columns={"score": "cost"}, lower_is_better=True)
    assert bt.compare(scores, "base", "cheap").verdict == "better"
    assert bt.rank(scores)[0].system == "cheap"
    with pytest.raises(UsageError, match="'cost'"):
        bt.compare(bt.read(LONG, columns={"score": "cost"}), "base", "cheap")


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


def test_below_the_line_and_taken_away_costs_are_gains() -> None:
    scores = bt.read(LONG)
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
    with pytest.raises(UsageError, match="'wer'"):
        bt.compare(per_item, "base", "cheap", metric="mean(wer)")
    assert not MEDIAN.stated
    with pytest.raises(UsageError, match="'cost'"):
        bt.compare(LONG.drop("score"), "base", "cheap", metric="median")


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
