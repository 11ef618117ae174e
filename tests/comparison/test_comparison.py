"""From scores to verdicts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.comparison.effect import detectable_effect
from betterthan.comparison.multiplicity import CORRECTIONS
from betterthan.data.pairing import pair_of
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, BetterthanError, DataError, Remedy, UsageError
from betterthan.metrics import mean
from betterthan.metrics.named import RECALL
from betterthan.testing.values import KINDS


@pytest.fixture
def scores() -> Scores:
    rng = np.random.default_rng(0)
    base = rng.random(200) < 0.5
    better = base | (rng.random(200) < 0.3)
    same = np.where(rng.random(200) < 0.1, ~base, base)
    return Scores.from_arrays(
        {"base": base, "better": better, "same": same},
        groups={"domain": ["x", "y"] * 100, "document": np.repeat(np.arange(50), 4).tolist()},
    )


def test_fields_of_one_comparison(scores: Scores) -> None:
    found = bt.compare(scores, "base", "better")
    base, better = scores.of("base")[:, 0], scores.of("better")[:, 0]
    assert found.verdict == "better"
    assert (found.score_baseline, found.score_candidate) == (base.mean(), better.mean())
    assert found.delta == pytest.approx(better.mean() - base.mean())
    assert (found.wins, found.losses) == (int((better > base).sum()), 0)
    assert found.wins is not None
    assert found.pvalue == 2.0 ** (1 - found.wins)
    assert found.interval.method == "Tango's score interval"
    assert found.interval.low < found.delta < found.interval.high
    assert found.pvalue_adjusted == found.pvalue
    assert found.percent


def test_the_smallest_detectable_effect_is_the_planning_formula(scores: Scores) -> None:
    found = bt.compare(scores, "base", "same")
    d = scores.of("same")[:, 0] - scores.of("base")[:, 0]
    z = 1.959963984540054 + 0.8416212335729143  # normal quantiles of .975 and .8
    assert found.mde == pytest.approx(z * math.sqrt((d**2).sum()) / 200, rel=1e-9)


@pytest.mark.parametrize("n", [6, 7, 9, 20])
def test_the_smallest_detectable_effect_is_that_of_the_test(n: int) -> None:
    """Power of the permutation test, by simulation, at what is said to be detected in 80 %."""
    rng = np.random.default_rng(n)
    d = rng.normal(size=n)
    d = (d - d.mean()) / d.std(ddof=1)
    claims = [
        bt.compare(Scores.from_arrays({"a": np.zeros(n), "b": d + gain}), "a", "b").mde
        for gain in (0.0, 1.0, 10.0)
    ]
    assert claims[0] is not None
    assert claims == pytest.approx([claims[0]] * 3)  # the observed gain does not matter
    draws = rng.normal(claims[0], 1.0, size=(300, n))
    hits = np.mean([bt.permutation_test(np.zeros(n), x).pvalue <= 0.05 for x in draws])
    assert 0.8 - 3 * 0.023 < hits < 0.9 + 3 * 0.023


def test_no_effect_is_detectable_where_no_p_is_small_enough() -> None:
    rng = np.random.default_rng(1)

    def claim(n: int, **options: Any) -> list[float | None]:
        systems = {name: rng.normal(size=n) for name in "abcdefghijk"[: options.pop("systems", 2)]}
        return [c.mde for c in bt.compare_many(Scores.from_arrays(systems), "a", **options)]

    assert claim(5) == [None]
    assert claim(6) != [None]
    assert claim(5, alternative="greater") != [None]
    assert claim(8, systems=11) == [None] * 10  # at a tenth of alpha
    assert None not in claim(9, systems=11)
    assert None not in claim(8, systems=11, correction="none")


def test_no_rate_is_said_to_change_by_more_than_it_can() -> None:
    rng = np.random.default_rng(2)
    gold = rng.integers(1, 4, size=(8, 1))
    found = [rng.integers(0, gold + 1) for _ in range(2)]
    a, b = (np.hstack((tp, gold - tp)) for tp in found)
    pair = pair_of(a, b, RECALL)
    for side in ("two-sided", "greater", "less"):
        effect = detectable_effect(pair, alpha=0.05, alternative=side)
        room = {"greater": 1 - pair.scores[0], "less": pair.scores[0]}
        assert effect is None or effect <= room.get(side, max(room.values()))
    assert detectable_effect(pair, alpha=0.001, alternative="two-sided") is None


def test_ties_count_for_nothing_that_is_detected() -> None:
    rng = np.random.default_rng(3)
    d = np.zeros(40)
    d[:5] = rng.normal(size=5)
    pair = pair_of(np.zeros(40), d, mean())  # five that differ have no p below .0625
    assert detectable_effect(pair, alpha=0.05, alternative="two-sided") is None
    d[:20] = rng.normal(size=20)
    effect = detectable_effect(
        pair_of(np.zeros(40), d, mean()), alpha=0.05, alternative="two-sided"
    )
    assert effect is not None
    # Half of the items are no ties: they have twice the effect.
    live = (d[:20] - d[:20].mean()) + 2 * effect
    draws = [np.where(rng.random(40) < 0.5, 0.0, rng.choice(live, 40)) for _ in range(300)]
    hits = np.mean([bt.permutation_test(np.zeros(40), x).pvalue <= 0.05 for x in draws])
    assert 0.8 - 3 * 0.023 < hits < 0.95


@pytest.mark.parametrize(
    ("correction", "least"),
    [("holm", 10 / 128), ("bonferroni", 10 / 128), ("sidak", 1 - (127 / 128) ** 10)],
)
def test_so_many_comparisons_that_no_adjusted_p_is_small_enough(
    correction: str, least: float
) -> None:
    rng = np.random.default_rng(4)
    systems = {name: rng.random(40) for name in "abcdefghijk"}
    clusters = np.repeat(np.arange(8), 5).tolist()
    found = bt.compare_many(
        Scores.from_arrays(systems, clusters=clusters), "a", correction=correction
    )
    said = [note for c in found for note in c.notes if "no adjusted p-value" in note]
    assert len(said) == 10
    assert f"only 8 clusters in 10 comparisons: no adjusted p-value below {least:.3g}" in said[0]


@pytest.mark.parametrize("correction", ["hochberg", "bh", "none", "max-t"])
def test_adjusted_p_values_that_can_be_as_small_as_others_are_not_spoken_of(
    correction: str,
) -> None:
    rng = np.random.default_rng(5)
    systems = {name: rng.random(8) for name in "abcdefghijk"}
    found = bt.compare_many(Scores.from_arrays(systems), "a", correction=correction)
    assert not any("adjusted p-value" in note for c in found for note in c.notes)


def test_several_systems_are_adjusted_by_holm(scores: Scores) -> None:
    found = bt.compare_many(scores)
    assert [c.candidate for c in found] == ["better", "same"]
    assert found.correction == "holm"
    raw = [c.pvalue for c in found]
    assert found[0].pvalue_adjusted == pytest.approx(2 * raw[0])
    assert found[1].pvalue_adjusted == pytest.approx(max(2 * raw[0], raw[1]))
    assert found[0].interval.level == pytest.approx(0.975)
    alone = bt.compare_many(scores, correction="none")
    assert [c.pvalue_adjusted for c in alone] == raw


def test_one_metric_needs_no_list(scores: Scores) -> None:
    one, listed = (bt.compare_many(scores, metric=m) for m in ("accuracy", ["accuracy"]))
    assert one == listed
    with pytest.raises(TypeError, match="no keyword 'metrics'"):
        bt.compare_many(scores, metrics="accuracy")  # type: ignore[call-arg]


def test_what_is_known_about_the_data_is_said_of_a_single_comparison() -> None:
    frame = pl.DataFrame(
        {"id": range(6), "document": list("aabbcc"), "base": [0] * 6, "new": [1] * 6}
    )
    found = bt.compare(frame, "base", "new")
    assert any("3 values of 'document'" in note for note in found.notes)
    assert "'document'" in str(found)


def test_subsets_are_tested_on_their_own_items(scores: Scores) -> None:
    found = bt.compare_many(scores.select("base", "same"), by="domain")
    assert [c.subset for c in found] == [None, "domain=x", "domain=y"]
    base, same = scores.of("base")[:, 0], scores.of("same")[:, 0]
    assert found[1].pvalue == bt.permutation_test(base[::2], same[::2]).pvalue
    assert found[0].pvalue_adjusted == found[0].pvalue
    assert any("adjusted among themselves" in note for note in found.notes)


def test_clusters_widen_and_are_reported(scores: Scores) -> None:
    found = bt.compare(replace(scores, clusters=scores.labels("document")), "base", "same")
    assert found.clusters == 50
    direct = bt.permutation_test(
        scores.of("base"), scores.of("same"), clusters=scores.groups["document"]
    )
    assert found.pvalue == direct.pvalue
    assert found.interval.method == "from the same test"


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "sign", "mcnemar", "t"])
def test_every_test_gives_the_same_verdict_fields(scores: Scores, test: str) -> None:
    found = bt.compare(scores, "base", "better", test=test)
    assert found.verdict == "better"
    assert found.test.test == test
    same = Scores.from_arrays({"a": [1, 0, 1], "b": [1, 0, 1]})
    identical = bt.compare(same, test=test)
    assert (identical.verdict, identical.pvalue, identical.delta) == ("can't tell", 1.0, 0.0)


def test_lower_is_better_turns_delta_and_verdict() -> None:
    slow, fast = np.arange(20.0) + 5.3, np.arange(20.0) + 3.1
    scores = Scores.from_arrays({"old": slow, "new": fast}, lower_is_better=True)
    found = bt.compare(scores)
    assert found.verdict == "better"
    assert found.delta == pytest.approx(2.2)
    assert found.interval.low > 0
    assert (found.wins, found.losses) == (20, 0)
    assert found.metric == "mean(lower_is_better)"


def test_one_sided_verdicts() -> None:
    scores = Scores.from_arrays({"a": [0] * 8, "b": [1] * 8})
    assert bt.compare(scores, alternative="greater").verdict == "better"
    assert bt.compare(scores, alternative="less").verdict == "can't tell"
    assert bt.compare(scores, "b", "a", alternative="less").verdict == "worse"


@pytest.mark.parametrize(
    ("call", "parameter", "value"),
    [
        (bt.compare, "candidate", "better"),
        (lambda s: bt.compare(s, "base", "base"), None, None),
        (lambda s: bt.compare(s, "base", "sane"), "candidate", "same"),
        (lambda s: bt.compare(s, "bas", "same"), "baseline", "base"),
        (lambda s: s.select("base", "sane"), "systems", ["base", "same"]),
        (lambda s: bt.compare(s, "base", "same", alpha=2), "alpha", 0.02),
        (lambda s: bt.compare(s, "base", "same", test="wilcox"), "test", "wilcoxon"),
        (lambda s: bt.compare_many(s, by="domains"), "by", "domain"),
        (lambda s: bt.compare_many(s, correction="hom"), "correction", "holm"),
    ],
)
def test_the_remedy_of_a_bad_question_is_data(
    scores: Scores, call: Callable[[Scores], object], parameter: str | None, value: object
) -> None:
    with pytest.raises(BetterthanError) as caught:
        call(scores)
    remedy = caught.value.remedy or Remedy()
    assert (remedy.parameter, remedy.value) == (parameter, value)


def test_one_system_has_a_score_and_nothing_to_compare_with(scores: Scores) -> None:
    for function in (bt.compare, bt.compare_many, bt.compare_all):
        with pytest.raises(AlignmentError) as caught:
            function(scores.select("base"))
        assert caught.value.remedy == Remedy("its score, with an interval", command="score")


def test_results_are_said_in_a_line_and_indexed_by_name(scores: Scores) -> None:
    found = bt.compare_many(scores)
    assert repr(found).startswith("<Comparisons: 2, 1 better, 1 can't tell (Holm)>")
    assert repr(found["better"]).startswith("<Comparison: better is BETTER than base, +0.")
    assert found["same"] is found[1]
    assert repr(scores) == "<Scores: 200 items x 3 systems>"
    assert (
        repr(replace(scores, clusters=scores.labels("document")))
        == "<Scores: 200 items x 3 systems, 50 clusters>"
    )
    with pytest.raises(KeyError):
        found["nobody"]


@pytest.mark.parametrize("test", KINDS)
def test_every_test_and_correction_is_printed(scores: Scores, test: str) -> None:
    for correction in CORRECTIONS:
        if correction == "max-t" and test != "permutation":
            continue  # refused
        found = bt.compare_many(scores, "base", test=test, correction=correction)
        assert "compar" in str(found)


def test_one_comparison_is_signed_as_the_run_that_it_is() -> None:
    scores = bt.Scores.from_arrays({"base": [0] * 6 + [1] * 4, "new": [1] * 10})
    one, run = bt.compare(scores, "base", "new"), bt.compare_many(scores, "base")
    assert one.signature == run.signature
    assert "|a:0.05|" in one.signature


def test_the_same_question_gets_the_same_answer() -> None:
    rng = np.random.default_rng(4)
    counts = rng.poisson(1.0, size=(2, 40, 3)) + rng.random((2, 40, 3))  # real: sampled
    scores = Scores.from_arrays({"a": counts[0], "b": counts[1]}, columns=("tp", "fp", "fn"))
    f1 = "ratio(2*tp / 2*tp + fp + fn)"
    first, second = (bt.compare(scores, metric=f1) for _ in range(2))
    assert first.kind == "sampled"
    assert (first.pvalue, first.interval) == (second.pvalue, second.interval)
    other = bt.compare(scores, metric=f1, rng=7)
    assert other.pvalue != first.pvalue


def test_items_are_set_side_by_side_where_both_have_them() -> None:
    gone = math.nan
    arrays = {"a": [1.0, gone, 3.0, 0.3], "b": [gone, 2.0, 1.0, 0.1 + 0.2]}
    scores = Scores.from_arrays(arrays, items=["q1", "q2", "q3", "q4"], missing="pairwise")
    found = bt.item_by_item(scores, "a", "b")
    assert (found.rows.tolist(), found.gains.tolist()) == ([2, 3], [-2.0, 0.0])
    assert (found.changed()[0].tolist(), found.changed()[1].tolist()) == ([0], [])
    apart = Scores.from_arrays({"a": [1.0, gone], "b": [gone, 2.0]}, missing="pairwise")
    with pytest.raises(DataError, match="no item in common"):
        bt.item_by_item(apart, "a", "b")


def test_changed_items_come_by_size_and_then_by_id() -> None:
    gains = [-1, -2, 3, -1, -1, 0, 1, 1]
    names = ["q10", "q1", "q3", "q2", "q9", "q4", "q7", "q6"]
    scores = Scores.from_arrays({"a": [5] * 8, "b": [5 + x for x in gains]}, items=names)
    found = bt.item_by_item(scores, "a", "b")
    worse, better = ([names[k] for k in places] for places in found.changed(3))
    assert (worse, better) == (["q1", "q2", "q9"], ["q3", "q6", "q7"])
    assert [names[k] for k in found.disagreements(2)] == ["q3", "q1", "q6", "q2"]
    lower = bt.item_by_item(replace(scores, lower_is_better=True), "a", "b")
    assert [names[k] for k in lower.changed(1)[0]] == ["q3"]


# -- the bootstrap test, of one pair and of every pair ---------------------------------------------

F1 = ("tp", "fp", "fn")


@pytest.fixture
def counts() -> Scores:
    rng = np.random.default_rng(1)
    values = {f"s{k}": rng.poisson([3 + k / 2, 1, 1], (120, 3)) for k in range(4)}
    groups: dict[str, Sequence[object]] = {
        "document": np.repeat(np.arange(30), 4).tolist(),
        "domain": ["x", "y"] * 60,
    }
    return Scores.from_arrays(values, columns=F1, groups=groups)


def test_one_comparison_is_one_test(counts: Scores) -> None:
    found = bt.compare(counts, "s0", "s1", metric="f1", test="bootstrap", rng=4)
    a, b = (counts.of(name, F1) for name in ("s0", "s1"))
    alone = bt.bootstrap_test(a, b, "f1", rng=4)
    assert (found.pvalue, found.pvalue_low) == (alone.pvalue, alone.pvalue_low)
    assert found.kind == "sampled"
    assert found.test.test == "bootstrap"
    interval = bt.bootstrap_interval(a, b, "f1", kind="basic", rng=4)
    assert (found.interval.low, found.interval.high) == (interval.low, interval.high)
    assert 0 < interval.error < (interval.high - interval.low) / 10


def test_whole_numbers_are_not_sampled() -> None:
    scores = Scores.from_arrays({"a": [0, 0, 1, 1, 0], "b": [1, 1, 1, 0, 1]})
    found = bt.compare(scores, test="bootstrap", alternative="greater")
    assert (found.kind, found.test.resamples) == ("exact", None)
    assert found.pvalue == bt.bootstrap_test([0, 0, 1, 1, 0], [1, 1, 1, 0, 1], "mean", "shift",
                                             "greater").pvalue  # fmt: skip
    sampled = bt.compare(scores, test="bootstrap(method=sample)", resamples=500)
    assert (sampled.kind, sampled.test.resamples) == ("sampled", 500)
    with pytest.raises(UsageError):
        bt.compare(scores, test="bootstrap(method=lattice)")


def test_every_pair_from_one_set_of_resamples(counts: Scores) -> None:
    clustered = replace(counts, clusters=counts.labels("document"))
    found = bt.compare_all(clustered, metric=["f1"], test="bootstrap", resamples=3000, rng=2)
    names = [(f"s{i}", f"s{j}") for i in range(4) for j in range(i + 1, 4)]
    assert [(c.baseline, c.candidate) for c in found] == names
    raw = []
    for c in found:
        alone = bt.bootstrap_test(
            counts.of(c.baseline, F1),
            counts.of(c.candidate, F1),
            "f1",
            clusters=counts.groups["document"],
            resamples=3000,
            rng=2,
        )
        assert c.clusters == 30
        # Other resamples of the same law: the 99 % intervals of p share a part.
        assert max(c.pvalue_low, alone.pvalue_low) <= min(c.pvalue_high, alone.pvalue_high)
        raw.append(c.pvalue)
    smallest = int(np.argmin(raw))
    assert found[smallest].pvalue_adjusted == pytest.approx(min(1.0, 6 * raw[smallest]))
    assert "share one set of resamples" in found[0].reason
    some = bt.compare_all(clustered.select("s3", "s1"), metric=["f1"], test="bootstrap")
    assert [(c.baseline, c.candidate) for c in some] == [("s3", "s1")]
    with pytest.raises(AlignmentError, match="only one system"):
        bt.compare_all(counts.select("s1"), metric=["f1"])


def test_identical_systems_and_few_items() -> None:
    same = Scores.from_arrays({"a": [[1, 0, 2]] * 5, "b": [[1, 0, 2]] * 5}, columns=F1)
    found = bt.compare(same, metric="f1", test="bootstrap")
    assert (found.verdict, found.pvalue) == ("can't tell", 1.0)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)
    one = Scores.from_arrays({"a": [[1, 2, 2]], "b": [[3, 0, 1]]}, columns=F1)
    found = bt.compare(one, metric="f1", test="bootstrap")
    assert (found.verdict, found.pvalue) == ("can't tell", 1.0)
    assert (found.interval.low, found.interval.high) == (-math.inf, math.inf)
    for style in ("table", "json", "csv", "md", "latex"):
        assert bt.compare_all(one, metric=["f1"], test="bootstrap").rendered(style)


def test_black_boxes_get_basic_intervals() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 40))
    scores = Scores.from_arrays({"a": a, "b": b})
    found = bt.compare(scores, metric="median", test="bootstrap", resamples=500)
    assert found.interval.method == "basic bootstrap (10,000 resamples)"
    interval = bt.bootstrap_interval(a, b, "median", kind="basic", rng=0)
    assert found.verdict == "can't tell"
    assert interval.low > 0.0
    assert (found.interval.low, found.interval.high) == (0.0, interval.high)  # p has the last word


def test_values_may_be_any_whole_numbers() -> None:
    """Booleans, integers and whole floats are the same data."""
    base = np.random.default_rng(0).integers(0, 2, 60).astype(bool)
    new = np.roll(base, 7)
    first = bt.compare(Scores.from_arrays({"a": base, "b": new}), test="bootstrap").pvalue
    for kind in (int, float):
        scores = Scores.from_arrays({"a": base.astype(kind), "b": new.astype(kind)})
        assert bt.compare(scores, test="bootstrap").pvalue == first
