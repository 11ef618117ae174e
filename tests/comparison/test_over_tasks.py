"""Several tasks: the mean over them against fractions and enumeration, and what has no mean."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.comparison.comparing import compare_all, compare_many
from betterthan.comparison.effect import detectable_effect
from betterthan.comparison.over_tasks import on_one_scale
from betterthan.data.macro import Macro
from betterthan.data.pairing import pair_of
from betterthan.data.scores import Scores
from betterthan.errors import Choice, Remedy, UsageError, remedy_of
from betterthan.intervals.binary import tango
from betterthan.intervals.choice import difference_interval
from betterthan.metrics import F1, blackbox, mean
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request

Task = list[tuple[int, int]]
TASKS = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


def made(tasks: list[Task], units: list[np.ndarray] | None = None) -> Macro:
    pairs = [pair_of([a for a, _ in task], [b for _, b in task], mean()) for task in tasks]
    return Macro.of(pairs, units)


def by_fractions(gains: list[Fraction], side: str) -> Fraction:
    """Chance of a sum of gains with random signs as extreme as theirs, all signs tried."""
    below = lcm(*(gain.denominator for gain in gains))
    whole = np.array([int(gain * below) for gain in gains])
    sums = np.array(list(product((1, -1), repeat=len(gains)))) @ whole
    turn = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[side]
    return Fraction(int(np.sum(turn(sums) >= turn(whole.sum()))), len(sums))


@settings(deadline=None, max_examples=60)
@given(TASKS, st.sampled_from(["two-sided", "greater", "less"]))
def test_the_mean_over_tasks_is_swapped_exactly(tasks: list[Task], side: str) -> None:
    gains = [Fraction(b - a, len(tasks) * len(task)) for task in tasks for a, b in task]
    macro = made(tasks)
    assert macro.delta == pytest.approx(float(sum(gains)), abs=1e-15)
    found = permute(macro, Request(alternative=side, rng=0))  # type: ignore[arg-type]
    p = float(by_fractions(gains, side))
    assert found.kind == "exact"
    assert found.pvalue_low - 1e-12 <= p <= found.pvalue_high + 1e-12
    assert found.pvalue == pytest.approx(p, rel=1e-9)


@settings(deadline=None, max_examples=60)
@given(TASKS, st.randoms(use_true_random=False))
def test_units_that_lie_in_several_tasks_are_swapped_as_one(
    tasks: list[Task], random: object
) -> None:
    codes = [[random.randrange(3) for _ in task] for task in tasks]  # type: ignore[attr-defined]
    names = sorted({code for task in codes for code in task})
    units = [np.array([names.index(code) for code in task]) for task in codes]
    sums = [Fraction(0)] * len(names)
    for task, of in zip(tasks, units, strict=True):
        for (a, b), unit in zip(task, of.tolist(), strict=True):
            sums[unit] += Fraction(b - a, len(tasks) * len(task))
    macro = made(tasks, units)
    assert macro.units == len(names)
    assert permute(macro, Request(rng=0)).pvalue == pytest.approx(
        float(by_fractions(sums, "two-sided"))
    )


def test_weights_too_fine_for_integers_are_certified_and_right() -> None:
    rng = np.random.default_rng(3)
    sizes = (89, 97, 101, 103, 107, 109, 113, 127, 131, 137)  # primes: their product is the unit
    tasks = [rng.integers(0, 2, (n, 2)) for n in sizes]
    macro = Macro.of([pair_of(t[:, 0], t[:, 1], mean()) for t in tasks])
    assert macro.gains is not None
    assert not macro.gains.whole
    found = permute(macro, Request(rng=0))
    assert found.kind == "certified"
    weighted = np.concatenate([(t[:, 1] - t[:, 0]) / (len(sizes) * len(t)) for t in tasks])
    assert macro.delta == pytest.approx(weighted.sum())
    signs = rng.choice([-1.0, 1.0], (20_000, len(weighted)))
    share = np.mean(np.abs(signs @ weighted) >= abs(weighted.sum()) - 1e-12)
    assert abs(found.pvalue - share) < 4 * np.sqrt(share * (1 - share) / 20_000)


def test_a_mean_over_tasks_of_f1_is_sampled() -> None:
    rng = np.random.default_rng(0)
    blocks = [(rng.integers(0, 3, (n, 3)), rng.integers(0, 3, (n, 3))) for n in (3, 4)]
    macro = Macro.of([pair_of(a, b, F1) for a, b in blocks])

    def f1(rows: np.ndarray) -> float:
        tp, fp, fn = rows.sum(axis=0)
        return float(2 * tp / (2 * tp + fp + fn)) if tp + fp + fn else 0.0

    def delta(signs: tuple[int, ...]) -> float:
        swap, total, at = np.array(signs) < 0, 0.0, 0
        for a, b in blocks:
            s = swap[at : at + len(a), None]
            total += f1(np.where(s, a, b)) - f1(np.where(s, b, a))
            at += len(a)
        return total / 2

    observed = delta((1,) * 7)
    assert macro.delta == pytest.approx(observed)
    hits = [abs(delta(signs)) >= abs(observed) - 1e-12 for signs in product((1, -1), repeat=7)]
    found = permute(macro, Request(rng=0))
    assert found.kind == "sampled"
    assert found.pvalue_low <= np.mean(hits) <= found.pvalue_high
    with pytest.raises(UsageError, match="needs one task, or a mean"):
        permute(macro, Request(rng=0), "enumeration")


def test_the_interval_is_made_of_the_tasks_own() -> None:
    tasks: list[Task] = [[(0, 1)] * 9 + [(1, 0)] * 3 + [(1, 1)] * 20, [(0, 1)] * 2 + [(0, 0)] * 8]
    found = difference_interval(made(tasks))
    one, two = tango(9, 3, 32), tango(2, 0, 10)
    delta = (6 / 32 + 2 / 10) / 2
    below = np.hypot(6 / 32 - one.low, 0.2 - two.low) / 2  # Zou & Donner (2008), eq. 2
    above = np.hypot(one.high - 6 / 32, two.high - 0.2) / 2
    assert (found.low, found.high) == pytest.approx((delta - below, delta + above))
    units = [np.arange(32), np.arange(10)]
    shared = difference_interval(made(tasks, units))
    assert shared.low < found.low < found.high < shared.high


def test_what_tasks_of_right_or_wrong_could_have_shown() -> None:
    """(z.975 + z.8) times the root of the mean share of items that differ, task by task."""
    small, large = [(0, 1)] * 9 + [(1, 0)] * 3 + [(1, 1)] * 20, [(0, 1)] * 6 + [(1, 0)] * 4
    macro = made([small, large + [(0, 0)] * 90])
    assert macro.is_binary
    assert not made([small, [(0, 2)]]).is_binary
    error = np.sqrt(12 / 32 / 32 + 10 / 100 / 100) / 2
    effect = detectable_effect(macro, alpha=0.05, alternative="two-sided")
    assert effect == pytest.approx((1.96 + 0.8416) * error, rel=0.03)  # a t of 131 degrees


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(10, 10, 10), (20,) * 4, (8, 50, 200), (20,) * 10, (100,) * 57])
@pytest.mark.parametrize("law", [(0.15, 0.15), (0.05, 0.05), (0.3, 0.1)])
def test_the_interval_over_tasks_covers(sizes: tuple[int, ...], law: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    rest = 1.0 - sum(law)
    hits, runs = 0, 400
    for _ in range(runs):
        counts = [rng.multinomial(n, [*law, rest]) for n in sizes]
        macro = made([[(0, 1)] * w + [(1, 0)] * x + [(1, 1)] * t for w, x, t in counts])
        found = difference_interval(macro)
        hits += found.low <= law[0] - law[1] <= found.high
    assert hits / runs > 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)


def scores_of(
    tasks: Mapping[str, tuple[Sequence[float], Sequence[float]]], **options: object
) -> Scores:
    labels = [task for task, (a, _) in tasks.items() for _ in a]
    base = [x for a, _ in tasks.values() for x in a]
    new = [x for _, b in tasks.values() for x in b]
    return Scores.from_arrays({"base": base, "new": new}, groups={"task": labels}, **options)  # type: ignore[arg-type]


def test_every_task_has_a_verdict_and_their_mean_has_one() -> None:
    data = scores_of({"x": ([0] * 8 + [1] * 8, [1] * 16), "y": ([1, 1, 1, 0], [1, 1, 0, 1])})
    found = compare_many(data.with_tasks("task"))
    assert [(c.subset, c.n, c.delta) for c in found] == [
        (None, 20, 0.25),
        ("task=x", 16, 0.5),
        ("task=y", 4, 0.0),
    ]
    assert [c.correction for c in found] == ["none", "holm", "holm"]
    assert found[1].pvalue_adjusted == 2 * found[1].pvalue == 2 * 2 / 2**8
    assert found[0].metric == "mean over 2 tasks of mean"
    assert (found[0].wins, found[0].losses) == (9, 1)
    assert bt.compare(data.with_tasks("task")).delta == 0.25
    assert bt.compare(data).delta == 0.4  # no tasks: items weigh the same
    for style in ("table", "md", "latex", "csv", "json", "html"):
        assert "task=x" in found.rendered(style)
    assert "by task: BETTER in x" in str(found)


def test_pairs_of_several_systems_are_one_family() -> None:
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(0, 2, 30) for name in "abc"}
    data = Scores.from_arrays(arrays, groups={"task": ["x"] * 10 + ["y"] * 20})
    found = compare_all(data.with_tasks("task"))
    assert [c.subset for c in found] == [None] * 3 + ["task=x"] * 3 + ["task=y"] * 3
    assert {c.correction for c in found} == {"holm"}
    with pytest.raises(UsageError, match="max-T"):
        compare_all(data.with_tasks("task"), correction="max-t")


def test_tasks_on_several_scales_are_counted() -> None:
    tasks = {f"t{k}": ([0.0] * 6, [1.0] * 6) for k in range(5)}
    tasks["big"] = ([10.0] * 6, [20.0] * 6)
    data = replace(scores_of(tasks), tasks="task")  # as a log names them
    found = compare_many(data)
    whole = found[0]
    assert (whole.metric, whole.n, whole.wins, whole.losses) == ("tasks ahead", 6, 6, 0)
    assert whole.pvalue == 2 / 2**6  # a sign test of six tasks
    (note,) = (note for note in found.notes if "goes from 10 to 20" in note)
    assert remedy_of(note) == Remedy("if it is one scale", "metric", "score")
    with pytest.raises(UsageError, match="compare_many"):
        bt.compare(data)
    named = compare_many(data, metric=["mean"])  # the user says that it is one scale
    assert named[0].delta == pytest.approx((5 * 1 + 10) / 6)
    declared = scores_of(tasks).with_tasks("task")
    assert compare_many(declared)[0].delta == bt.compare(declared).delta == named[0].delta


def test_what_scores_no_single_item_is_counted() -> None:
    def worst(values: np.ndarray) -> float:
        return float(values.min())

    rng = np.random.default_rng(0)
    arrays = {name: rng.random(12) for name in ("base", "new")}
    labels = {"task": ["x", "y", "z"] * 4}
    scores = Scores.from_arrays(arrays, groups=labels)
    found = compare_many(scores.with_tasks("task"), metric=[blackbox(worst)], resamples=200)
    assert [c.subset for c in found] == [None, "task=x", "task=y", "task=z"]
    assert found[0].metric == "tasks ahead"
    for task, of_task in zip("xyz", list(found)[1:], strict=True):
        own = np.array(labels["task"]) == task
        assert of_task.delta == arrays["new"][own].min() - arrays["base"][own].min()
    assert any("scores no single item. Counted instead" in note for note in found.notes)


def test_other_tests_have_no_mean_over_tasks() -> None:
    data = scores_of({"x": ([0, 0, 1], [1, 1, 1]), "y": ([0, 1, 1], [1, 1, 1])})
    found = compare_many(data.with_tasks("task"), test="sign")
    assert [c.subset for c in found] == ["task=x", "task=y"]
    (note,) = (note for note in found.notes if "no mean over tasks" in note)
    assert remedy_of(note) == Remedy("tests the mean over tasks", "test", "permutation")


def test_clusters_in_several_tasks_are_one_unit() -> None:
    data = scores_of(
        {"x": ([0, 0, 1], [1, 1, 1]), "y": ([0, 1, 1], [1, 1, 1])},
        clusters=["p", "q", "q", "p", "r", "r"],
    )
    found = compare_many(data.with_tasks("task"))
    assert found[0].clusters == 3
    assert found[0].pvalue == 0.5  # p gains 2/3, q gains 1/3, r nothing: two units differ
    assert any("as one" in note for note in found.notes)


def test_ratios_of_clusters_in_several_tasks_have_no_mean() -> None:
    """Swapped apart, two halves of one document would count as two."""
    counts = np.random.default_rng(0).integers(1, 9, size=(2, 12, 3)).astype(float)
    made = Scores.from_arrays(
        {"a": counts[0], "b": counts[1]},
        columns=("tp", "fp", "fn"),
        clusters=[f"d{k % 6}" for k in range(12)],
        groups={"task": ["one"] * 6 + ["two"] * 6},
    )
    found = compare_many(made.with_tasks("task"), "a", metric=["f1"])
    assert [c.subset for c in found.comparisons] == ["task=one", "task=two"]
    assert any(note.startswith("no mean over tasks of f1") for note in found.notes)


def test_clusters_of_one_item_are_items() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 60))
    tasks = Scores.from_arrays(
        {"a": a, "b": b},
        clusters=[f"d{k}" for k in range(60)],
        groups={"task": ["one"] * 20 + ["two"] * 40},
    ).with_tasks("task")
    clustered, alone = (compare_many(x, "a")[0] for x in (tasks, replace(tasks, clusters=None)))
    assert (clustered.pvalue, clustered.delta) == (alone.pvalue, alone.delta)
    assert clustered.interval.low == pytest.approx(alone.interval.low)


def test_a_ranking_over_tasks_needs_one_scale() -> None:
    """The remedy by the metric is for one metric: naming it says that it is one scale."""
    tasks = {"x": ([0.0] * 6, [1.0] * 6), "big": ([10.0] * 6, [20.0] * 6)}
    data = replace(scores_of(tasks), tasks="task")
    with pytest.raises(UsageError, match="no ranking over all tasks") as caught:
        on_one_scale(data, None)
    named = [(remedy.parameter, remedy.value) for remedy in caught.value.remedies]
    assert named == [("metric", "score"), ("by", "task"), ("where", {"task": Choice("TASK")})]
    assert on_one_scale(data, "score") is data
    assert on_one_scale(scores_of(tasks).with_tasks("task"), None).tasks == "task"
