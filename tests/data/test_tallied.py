"""A tally says what its items say: the same verdict, p-value, interval and signature."""

import pickle
from copy import deepcopy
from typing import Any

import pytest

import betterthan as bt
from betterthan.errors import UsageError
from made_up_scores import facts, scores_of

CASES = [
    ("binary", False, None),
    ("binary", True, None),
    ("counts", False, "f1"),
    ("counts", True, "f1"),
    ("counts", True, "mean(tp)"),
    ("quarters", False, None),
    ("quarters", True, None),
    ("decimals", True, None),
    ("mixed", False, None),
    ("real", False, None),
    ("real", True, None),
]


@pytest.mark.parametrize(("kind", "clustered", "metric"), CASES)
def test_a_tally_says_what_its_items_say(kind: str, clustered: bool, metric: str | None) -> None:
    scores = scores_of(kind, clustered=clustered)
    made = bt.tally(scores, metric, by="domain")
    asked: dict[str, Any] = {"metric": [metric] if metric else None, "by": "domain"}
    assert facts(bt.compare_many(made, "base", **asked)) == facts(
        bt.compare_many(scores, "base", **asked)
    )
    one, other = (
        facts(bt.compare_many(x.select("base", "third"), metric=asked["metric"]))
        for x in (made, scores)
    )
    assert one == other


@pytest.mark.parametrize("test", ["bootstrap", "wilcoxon", "sign", "t", "mcnemar"])
@pytest.mark.parametrize("clustered", [False, True])
def test_every_test_takes_a_tally(test: Any, clustered: bool) -> None:
    scores = scores_of("binary", clustered=clustered, systems=2)
    expected = facts(bt.compare_many(scores, "base", test=test))
    assert facts(bt.compare_many(bt.tally(scores), "base", test=test)) == expected


@pytest.mark.parametrize("clustered", [False, True])
def test_gate_and_power_take_a_tally(clustered: bool) -> None:
    scores = scores_of("binary", clustered=clustered)
    made = bt.tally(scores, by="domain")
    for by in (None, "domain"):
        one, other = (bt.gate(x, "base", "new", margin=0.05, by=by) for x in (scores, made))
        assert one == other
    a, b = (
        bt.power(bt.design.Pilot(x, "base", "new"), items=200, effect=0.1) for x in (scores, made)
    )
    assert (a.power, a.signature) == (b.power, b.signature)


def test_what_needs_items_says_so() -> None:
    scores = scores_of("binary")
    made = bt.tally(scores, by="domain")
    for call in (
        lambda: bt.compare(made, "base", "new", metric="median"),
        lambda: bt.score(made),
        lambda: bt.compare_many(made, "base", correction="max-t"),
        lambda: bt.tally(scores, ["median"]),
        made.to_polars,
    ):
        with pytest.raises(UsageError, match="single items"):
            call()
    with pytest.raises(UsageError, match="no label column 'language'"):
        bt.compare_many(made, "base", by="language")
    with pytest.raises(UsageError, match="no system 'old'"):
        bt.compare(made, "old", "new")
    with pytest.raises(UsageError, match="several responses"):
        bt.tally(bt.Scores.from_responses({"a": [[1, 0]], "b": [[1, 1]]}))


def test_a_tally_is_copied_and_sent() -> None:
    made = bt.tally(bt.Scores.from_arrays({"a": [0, 1, 1, 2], "b": [1, 1, 3, 2]}))
    for other in (deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert bt.compare(other).to_dict() == bt.compare(made).to_dict()


def test_a_tally_of_a_tally_is_the_same() -> None:
    made = bt.tally(scores_of("counts", clustered=True))
    again = bt.tally(made, "f1")
    assert (again.n, again.metric) == (made.n, "f1")
    assert bt.compare(again, "base", "new") == bt.compare(made, "base", "new", metric="f1")
    assert repr(made).startswith(f"<Scores: {made.n} items x 3 systems x 3 columns, ")


def test_a_plan_with_clusters_needs_them_in_a_tally() -> None:
    plan = bt.design.Plan((bt.design.Check("mean", 5),), cluster="document")
    with pytest.raises(UsageError) as caught:
        plan.gate(bt.tally(scores_of("binary")), "base", "new")
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == {"cluster": "document"}
