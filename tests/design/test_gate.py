"""The gate: its rule, its margins, its exit codes."""

import json
import math
import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Check, Plan, gate
from betterthan.design.checks import Goal
from betterthan.errors import Note, Remedy, UsageError, remedy_of
from betterthan.intervals.bounded import BOUNDS
from betterthan.metrics import BLEU


def accuracies(wins: int, losses: int, n: int) -> bt.Scores:
    """Two systems with so many discordant items."""
    base = np.array([0] * wins + [1] * losses + [1] * (n - wins - losses))
    new = np.array([1] * wins + [0] * losses + [1] * (n - wins - losses))
    return bt.Scores.from_arrays({"base": base, "new": new})


@pytest.mark.parametrize(
    ("wins", "losses", "ruling", "code"),
    [
        (5, 5, "PASS", 0),
        (60, 5, "PASS", 0),
        (0, 0, "PASS", 0),
        (5, 40, "REGRESSION", 1),
        (20, 28, "CAN'T TELL", 3),
    ],
)
def test_the_rule(wins: int, losses: int, ruling: str, code: int) -> None:
    result = gate(accuracies(wins, losses, 400), margin=0.03)
    (check,) = result.checks
    assert (result.ruling, result.exit_code) == (ruling, code)
    assert (check.items_needed is None) == (ruling == "PASS")
    assert (check.interval.low > -0.03) == (ruling == "PASS")
    if ruling != "PASS":
        assert (check.interval.high < 0) == (ruling == "REGRESSION")
    assert (check.pvalue <= 0.05) == (ruling == "PASS")
    assert check.interval.level == pytest.approx(0.9)
    assert check.delta == pytest.approx((wins - losses) / 400)


def test_a_small_loss_within_the_margin_passes_and_is_said() -> None:
    result = gate(accuracies(0, 20, 4000), margin=0.02)
    assert result.ruling == "PASS"
    assert "worse, but shown to be so by less" in result.checks[0].notes[0]


def test_worse_within_the_margin_is_said_of_what_the_adjusted_p_shows() -> None:
    """34 losses, 20 wins: the first of two parts is worse (p = .04), but not among two."""
    base = np.ones(4000, dtype=int)
    new = base.copy()
    base[:20], new[20:54] = 0, 0
    base[2000:2020], new[2020:2040] = 0, 0
    parts = np.repeat(["one", "two"], 2000).tolist()
    scores = bt.Scores.from_arrays({"base": base, "new": new}, groups={"part": parts})
    for correction, said in (("none", True), ("bonferroni", False), ("holm", False)):
        result = gate(scores, margin=0.03, by="part", correction=correction)
        check = result.checks[0]
        assert check.ruling == "PASS"
        shown = check.pvalue_regression_adjusted <= 0.05
        assert any("the candidate is worse" in note for note in check.notes) == shown == said


@pytest.mark.parametrize(
    ("goal", "wins", "losses", "ruling"),
    [
        ("superior", 80, 10, "PASS"),
        ("superior", 20, 15, "CAN'T TELL"),
        ("superior", 5, 40, "REGRESSION"),
        ("equivalent", 3, 3, "PASS"),
        ("equivalent", 80, 10, "CAN'T TELL"),
        ("equivalent", 5, 40, "REGRESSION"),
        ("non-inferior", 80, 10, "PASS"),
    ],
)
def test_goals(goal: Goal, wins: int, losses: int, ruling: str) -> None:
    result = gate(accuracies(wins, losses, 400), margin=0.03, goal=goal)
    assert result.ruling == ruling
    if goal == "equivalent" and ruling == "PASS":
        low, high = result.checks[0].interval.low, result.checks[0].interval.high
        assert -0.03 < low < high < 0.03


def test_direction_is_respected() -> None:
    base = np.tile([1.0, 2.0, 3.0, 4.0], 50)
    slower = bt.Scores.from_arrays(
        {"base": base, "new": base + np.tile([0.4, 0.6], 100)}, lower_is_better=True
    )
    assert gate(slower, margin=0.1, bounds=(0, 5)).ruling == "REGRESSION"
    assert gate(slower, "new", "base", margin=0.1, bounds=(0, 5)).ruling == "PASS"
    assert gate(slower, margin=0.7, bounds=(0, 5)).ruling == "PASS"


def test_without_bounds_nothing_passes_and_the_remedy_is_said() -> None:
    rng = np.random.default_rng(1)
    base = rng.lognormal(size=200)
    scores = bt.Scores.from_arrays({"base": base, "new": base * 0.9}, lower_is_better=True)
    result = gate(scores, margin=0.5)
    (check,) = result.checks
    assert (result.ruling, check.pvalue, check.interval.low) == ("CAN'T TELL", 1.0, -np.inf)
    (note,) = (note for note in check.notes if isinstance(note, Note))
    assert note.beside_verdict
    assert note.remedy == BOUNDS
    assert gate(scores, margin=0.5, goal="equivalent").ruling == "CAN'T TELL"
    assert gate(scores, "new", "base", margin=0.01).ruling == "REGRESSION"  # by exchanging them
    for assume in ("shift", "large-sample"):
        result = gate(scores, margin=0.5, assume=assume)
        assert (result.ruling, result.checks[0].kind) == ("PASS", "assumed")
        assert "gate-assumed" in result.signature
        assert any("assumed:" in note for note in result.checks[0].notes)
    assert gate(scores, margin=3, bounds=(0, 100)).ruling == "PASS"
    assert gate(scores, margin=0.5, bounds=(0, 100)).ruling == "CAN'T TELL"  # 100 is far away


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"bounds": (1, 4)}, "bounds"),
        ({"bounds": (5, 1)}, None),
        ({"bounds": (1, 5), "assume": "shift"}, None),
        ({"assume": "luck"}, None),
    ],
)
def test_bounds_must_hold_and_make_sense(options: dict[str, Any], remedy: str | None) -> None:
    ratings = bt.Scores.from_arrays({"a": [1, 2, 5, 4], "b": [2, 2, 5, 4]})
    with pytest.raises(UsageError) as caught:
        gate(ratings, margin=0.5, **options)
    if remedy:
        assert caught.value.remedy is not None
        assert caught.value.remedy.parameter == remedy


def test_a_shift_is_one_of_means() -> None:
    counts = bt.Scores.from_arrays({"a": [[1, 2]], "b": [[1, 2]]}, columns=("tp", "fp"))
    with pytest.raises(UsageError, match="means"):
        gate(counts, metric="precision", margin=0.01, assume="shift")


def test_the_p_beside_a_regression_is_that_of_the_regression() -> None:
    result = gate(accuracies(5, 40, 400), margin=0.03)
    (check,) = result.checks
    assert check.pvalue > 0.5
    assert check.pvalue_regression_adjusted < 1e-4
    line = next(x for x in result.rendered("table").splitlines() if "REGRESSION" in x)
    assert "REGRESSION" in line
    assert "e-" in line.partition("  p <= ")[2]


def test_margins_are_as_measured_and_those_of_plans_as_printed() -> None:
    scores = accuracies(30, 25, 1000)
    assert gate(scores, margin=0.02).checks[0].margin == 0.02
    assert Plan((Check(None, 2),)).gate(scores).checks == gate(scores, margin=0.02).checks
    real = bt.Scores.from_arrays({"a": np.linspace(0, 9, 50), "b": np.linspace(0.1, 9.2, 50)})
    for result in (gate(real, margin=0.5), Plan((Check(None, 0.5),)).gate(real)):
        assert result.checks[0].margin == 0.5


def test_all_metrics_must_pass_and_any_regression_stops() -> None:
    rng = np.random.default_rng(0)
    quick = rng.random((300, 2)) < 0.8
    same, worse = quick.copy(), quick.copy()
    worse[:40, 1] = False
    for candidate, ruling in ((same, "PASS"), (worse, "REGRESSION")):
        scores = bt.Scores.from_arrays({"base": quick, "new": candidate}, columns=("a", "b"))
        result = gate(scores, metric=["mean(a)", "mean(b)"], margin=0.03)
        assert result.ruling == ruling
        assert result.correction == "holm"
    assert [c.ruling for c in result.checks] == ["PASS", "REGRESSION"]
    alone = gate(scores, metric="mean(b)", margin=0.03).checks[0]
    assert result.checks[1].pvalue_regression_adjusted == 2 * alone.pvalue_regression


@pytest.mark.parametrize(
    ("options", "parameter", "value"),
    [
        ({"margin": 100.0}, None, None),
        ({"margin": math.nan}, None, None),
        ({"margin": 0.02, "alpha": 0.6}, None, None),
        ({"margin": 0.02, "correction": "bh"}, None, None),
        ({"margin": 0.02, "candidate": "nobody"}, None, None),
        ({"margin": 0.02, "metric": ["accuracy", "accuracy"]}, None, None),
        ({"margin": 0.02, "metric": []}, None, None),
        ({}, "margin", "X"),
        ({"margin": -0.02}, "margin", "0.02"),
        ({"margin": 0.0}, "margin", "X"),
        ({"margin": 2}, "margin", 0.02),
        ({"margin": 0.02, "correction": "hol"}, "correction", "holm"),
        ({"margin": 0.02, "goal": "equal"}, "goal", "equivalent"),
        ({"margin": 0.02, "candidate": "base"}, "candidate", "new"),
    ],
)
def test_bad_gates_are_errors(
    options: dict[str, Any], parameter: str | None, value: object
) -> None:
    with pytest.raises(UsageError) as caught:
        gate(accuracies(3, 4, 50), **options)
    if parameter:
        assert caught.value.remedy is not None
        assert (caught.value.remedy.parameter, caught.value.remedy.value) == (parameter, value)


def test_a_margin_in_the_wrong_unit_is_caught() -> None:
    scores = bt.Scores.from_arrays({"a": [0.1, 0.5, 0.9], "b": [0.2, 0.5, 0.8]})
    with pytest.raises(UsageError) as caught:
        gate(scores, margin=2)
    assert caught.value.remedies[0].value == pytest.approx(0.016)
    with pytest.raises(UsageError) as caught:
        Plan((Check(None, 0.02),)).gate(accuracies(3, 4, 50))
    assert caught.value.remedies[0].value == "2"


def test_agreement_almost_everywhere_is_no_proof_for_other_metrics() -> None:
    same = np.tile([3, 1, 1], (8, 1))
    scores = bt.Scores.from_arrays({"base": same, "new": same}, columns=("tp", "fp", "fn"))
    assert gate(scores, metric="f1", margin=0.01).ruling == "CAN'T TELL"
    result = gate(scores, metric="f1", margin=0.01, assume="large-sample").checks[0]
    assert any("0 of 8 units differ" in note for note in result.notes)
    assert not any(
        "differ" in note for note in gate(accuracies(0, 0, 50), margin=0.02).checks[0].notes
    )


def test_a_gate_needs_two_systems() -> None:
    with pytest.raises(UsageError) as caught:
        gate(bt.Scores.from_arrays({"base": [0, 1]}), margin=0.02)
    assert caught.value.remedies[0].command == "score"


def test_the_candidate_of_several_is_named() -> None:
    scores = bt.Scores.from_arrays({name: [0, 1, 1] for name in ("a", "b", "c")})
    with pytest.raises(UsageError) as caught:
        gate(scores, margin=0.02)
    assert [r.value for r in caught.value.remedies] == ["b", "c"]
    assert {r.parameter for r in caught.value.remedies} == {"candidate"}


def test_junit_of_names_that_xml_cannot_hold() -> None:
    scores = bt.Scores.from_arrays({"a\x01b": [0, 1], "n&<>w": [1, 1]})
    root = ET.fromstring(gate(scores, margin=0.05, goal="superior").rendered("junit"))
    case = root.find(".//testcase")
    assert case is not None
    assert case.get("classname") == "n&<>w against a\\x01b"
    assert case.get("name") == "mean: a gain beyond 5 points"


def test_a_margin_that_may_be_meant_in_points_is_noted() -> None:
    base = np.repeat([1.0, 0.0, 0.5], [60, 39, 1])
    scores = bt.Scores.from_arrays({"base": base, "new": base})
    (note,) = Plan((Check(None, 0.5),)).gate(scores).checks[0].notes
    assert remedy_of(note) == Remedy("0.5 points", "margin", "0.005")
    assert not Plan((Check(None, 0.05),)).gate(scores).checks[0].notes
    assert not gate(scores, margin=0.5).checks[0].notes


def test_p_at_the_floor_of_the_exact_test_is_an_upper_bound() -> None:
    """30 losses and no win have probability 2^-30 given their number: the rest is the floor."""
    regression = gate(accuracies(0, 30, 4000), margin=0.003)
    (check,) = regression.checks
    assert 1e-6 <= check.pvalue_regression <= 3e-6
    assert (check.pvalue_is_bound, check.regression_is_bound) == (False, True)
    assert re.search(r"  p <= [12]\.\de-06  ", regression.sheet().headlines[0])
    *_, p, p_regression, _ = regression.sheet().tables[0].rows[0]
    assert (p, p_regression[:3]) == ("1.0", "<= ")
    passed = gate(accuracies(5, 5, 4000), margin=0.05)
    assert passed.checks[0].pvalue_is_bound
    assert "  p <= 1.0e-06  " in passed.sheet().headlines[0]


def test_p_below_the_least_double_is_an_upper_bound() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=3000)
    scores = bt.Scores.from_arrays({"a": a, "b": a + rng.normal(5.0, 0.1, 3000)})
    result = gate(scores, margin=0.5, assume="large-sample")
    assert bt.compare(scores, test="t").log10_pvalue < -1000
    assert result.checks[0].pvalue_is_bound
    assert "  p <= 2.2e-308  " in result.sheet().headlines[0]
    worse = gate(scores.select("b", "a"), "b", "a", margin=0.5, assume="large-sample")
    assert worse.ruling == "REGRESSION"
    assert worse.checks[0].regression_is_bound
    assert "  p <= 2.2e-308  " in worse.sheet().headlines[0]


def test_other_small_p_are_no_bounds() -> None:
    for losses, text in ((14, "  p = "), (40, "  p <= ")):
        result = gate(accuracies(0, losses, 1000), margin=0.001)
        assert result.ruling == "REGRESSION"
        assert text in result.sheet().headlines[0]
    asymptotic = gate(accuracies(100, 600, 3000), margin=0.02)
    assert asymptotic.checks[0].pvalue_regression < 1e-6
    assert "  p = " in asymptotic.sheet().headlines[0]


def test_a_sampled_p_of_the_regression_is_said_as_the_bound_that_it_is() -> None:
    """No exact law, and the ruling goes by the upper end: 'p =' would be another number."""
    rng = np.random.default_rng(5)
    totals = rng.integers(10, 30, 80)[:, None] - np.arange(4)
    matches = rng.binomial(totals, [0.6, 0.4, 0.3, 0.2])
    lost = np.minimum(rng.integers(0, 4, (80, 4)) * (rng.random((80, 1)) < 0.2), matches)
    base, new = (
        np.column_stack((totals[:, 0], totals[:, 0], kept, totals))
        for kept in (matches, matches - lost)
    )
    scores = bt.Scores.from_arrays({"base": base, "new": new}, columns=BLEU.columns)
    result = gate(scores, metric="bleu", margin=0.01)
    (check,) = result.checks
    computed = bt.permutation_test(base, new, metric=BLEU, alternative="less", rng=0)
    assert computed.kind == "sampled"
    assert computed.pvalue < check.pvalue_regression == computed.pvalue_high
    assert result.ruling == "REGRESSION"
    assert "  p <= " in result.sheet().headlines[0]
    assert result.sheet().tables[0].rows[0][-2].startswith("<= ")
    (row,) = json.loads(result.rendered("json"))["rows"]
    assert (row["pvalue_is_bound"], row["regression_is_bound"]) == (False, True)
    assert "upper end of its 99 %" in row["notes"]
    few = gate(
        bt.Scores.from_arrays({"base": base[:12], "new": new[:12]}, columns=BLEU.columns),
        metric="bleu",
        margin=0.01,
    )
    exact = bt.permutation_test(base[:12], new[:12], metric=BLEU, alternative="less")
    assert exact.kind == "exact"
    assert few.checks[0].pvalue_regression == pytest.approx(exact.pvalue)
    assert not few.checks[0].regression_is_bound


@pytest.mark.parametrize(
    ("goal", "said"),
    [("non-inferior", "safety within 3 points"), ("equivalent", "neither loss nor gain beyond 3")],
)
def test_items_needed_are_the_same_in_words_and_numbers(goal: Goal, said: str) -> None:
    result = gate(accuracies(36, 40, 400), margin=0.03, goal=goal)
    assert result.ruling == "CAN'T TELL"
    needed = result.checks[0].items_needed
    assert needed is not None
    # One-sided: (z(.95) + z(.8 or .9))^2 times the variance of a gain of 1, 0 or -1, per margin^2.
    reach = 1.6449 + (0.8416 if goal == "non-inferior" else 1.2816)
    assert needed == pytest.approx(reach**2 * (76 / 400) / 0.03**2, rel=0.01)
    line = result.sheet().subheads[0]
    assert f"To show {said}" in line
    told = re.search(r"takes about ([\d,]+) items, if the systems are equal", line)
    assert told is not None
    assert 0 <= int(told[1].replace(",", "")) - needed < 10


@pytest.mark.parametrize("where", ["another system", "another part"])
def test_bounds_are_those_of_all_scores_in_the_data(where: str) -> None:
    """Rewards from .4 to .6 are no shares where the same column holds a -8.5."""
    rng = np.random.default_rng(5)
    base = rng.uniform(0.4, 0.6, 200).round(3)
    new, task = (base + rng.normal(0.0, 0.01, 200)).round(3), np.repeat(["chat", "tools"], 100)
    systems, by = {"base": base, "new": new}, None
    if where == "another system":
        systems["other"] = np.r_[-8.5, base[1:]]
    else:
        base[150], by = -8.5, "task"
    scores = bt.Scores.from_arrays(systems, groups={"task": task.tolist()})
    result = bt.gate(scores, "base", "new", margin=0.05, by=by)
    assert result.checks[0].interval.low == -math.inf
    assert result.ruling == "CAN'T TELL"
    declared = bt.gate(scores, "base", "new", margin=0.05, by=by, bounds=(-8.5, 1.0))
    assert declared.checks[0].interval.low > -math.inf
    alone = bt.Scores.from_arrays({"base": base[:100], "new": new[:100]})
    assert bt.gate(alone, "base", "new", margin=0.05).ruling == "PASS"


def test_a_margin_is_compared_with_what_scores_can_be() -> None:
    ratings = bt.Scores.from_arrays({"base": [5, 5, 4, 5, 5], "new": [4, 4, 5, 4, 5]})
    with pytest.raises(UsageError) as caught:
        gate(ratings, margin=1)
    assert [(r.parameter, r.value) for r in caught.value.remedies[:1]] == [("margin", 0.01)]
    assert gate(ratings, margin=1, bounds=(1, 5)).ruling == "CAN'T TELL"
    with pytest.raises(UsageError):
        gate(ratings, margin=4, bounds=(1, 5))


def test_a_pass_of_unequal_clusters_says_what_it_takes_for_granted() -> None:
    clusters = [0, 0, 0, *range(1, 60)]
    scores = bt.Scores.from_arrays({"base": [1] * 62, "new": [1] * 62}, clusters=clusters)
    result = gate(scores, margin=0.3)
    assert result.ruling == "PASS"
    assert any("clusters of 1 to 3 items" in note for note in result.checks[0].notes)
    even = bt.Scores.from_arrays({"base": [1] * 62, "new": [1] * 62}, clusters=[*range(31)] * 2)
    assert not any("clusters of" in note for note in gate(even, margin=0.3).checks[0].notes)
