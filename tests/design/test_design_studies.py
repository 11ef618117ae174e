"""Thresholds, calibration, false alarms, training sets drawn anew."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.design import (
    PUBLISHED,
    aa_check,
    against_published,
    published_thresholds,
    resample_training,
    thresholds_by_domain,
    thresholds_by_size,
)
from betterthan.design.calibration import draw_items
from betterthan.design.thresholds import ALL, DIFFERENT, SAME, Gain, _thresholds
from betterthan.errors import BetterthanError, DataError, UsageError


def labs(
    n: int = 600, count: int = 6, each: int = 5, spread: float = 0.08, seed: int = 0
) -> tuple[bt.Scores, dict[str, str]]:
    """Systems of several labs: those of one lab share more of their errors."""
    rng = np.random.default_rng(seed)
    item = 1.2 * rng.normal(size=n)
    arrays, lab = {}, {}
    for at in range(count):
        house = item + rng.normal(size=n)
        for k in range(each):
            name = f"lab{at}-{k}"
            arrays[name] = (house + 0.7 * rng.normal(size=n) + spread * rng.normal() > 0).astype(
                int
            )
            lab[name] = f"lab{at}"
    return bt.Scores.from_arrays(arrays), lab


def test_pairs_are_ordered_by_gain_and_tested_as_published() -> None:
    scores, lab = labs(n=200, count=3, each=2)
    study = bt.thresholds(scores, groups=lab)
    assert len(study.gains) == 15
    for pair in study.gains:
        a, b = scores.of(pair.baseline), scores.of(pair.candidate)
        assert pair.gain == pytest.approx(b.mean() - a.mean())
        assert pair.gain >= 0
        expected = bt.bootstrap_test(a[:, 0], b[:, 0], variant="shift", alternative="greater")
        assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert pair.confidence == 1 - pair.pvalue
        assert pair.group == (SAME if lab[pair.baseline] == lab[pair.candidate] else DIFFERENT)


def test_other_tests_are_one_sided_too() -> None:
    scores, _ = labs(n=120, count=2, each=2)
    for test in ("permutation", "t", "wilcoxon", "sign", "mcnemar"):
        study = bt.thresholds(scores, test=test)
        first = study.gains[0]
        assert first.pvalue <= 0.5 + 0.5 * (first.gain == 0) + 0.2
    first = bt.thresholds(scores, test="permutation").gains[0]
    a, b = (scores.of(name)[:, 0] for name in (first.baseline, first.candidate))
    assert first.pvalue == bt.permutation_test(a, b, alternative="greater").pvalue


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 0.2)), min_size=1, max_size=40))
def test_the_threshold_is_the_percentile_in_the_band(points: list[tuple[float, float]]) -> None:
    gains = [Gain(f"a{k}", f"b{k}", gain, p, ALL) for k, (gain, p) in enumerate(points)]
    names = [name for g in gains for name in (g.baseline, g.candidate)]
    (found,) = _thresholds(gains, names, (0.04, 0.06), 95.0, 0)
    inside = sorted(gain for gain, p in points if 0.04 <= p <= 0.06)
    assert (found.in_band, found.pairs) == (len(inside), len(points))
    if not inside:
        assert found.value is None
        return
    # Linear interpolation between order statistics, by hand.
    position = 0.95 * (len(inside) - 1)
    below = math.floor(position)
    above = min(below + 1, len(inside) - 1)
    expected = inside[below] + (position - below) * (inside[above] - inside[below])
    assert found.value == pytest.approx(expected, abs=1e-12)
    if found.low is not None and found.high is not None:
        assert inside[0] <= found.low <= found.high <= inside[-1]


def test_groups_may_be_a_function_and_every_system_needs_a_label() -> None:
    scores, lab = labs(n=100, count=2, each=2)
    study = bt.thresholds(scores, groups=lambda a, b: f"{min(a, b)[:4]}x")
    assert {t.group for t in study.thresholds} == {ALL, "lab0x", "lab1x"}
    del lab["lab0-0"]
    with pytest.raises(UsageError, match="'lab0-0' has no group"):
        bt.thresholds(scores, groups=lab)
    with pytest.raises(UsageError, match="no group 'x'"):
        study.threshold("x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"band": (0.6, 0.4)}, "band"),
        ({"percentile": 0.0}, "percentile"),
        ({"test": "magic"}, "test is one of"),
    ],
)
def test_bad_studies_are_clear_errors(options: dict[str, object], message: str) -> None:
    scores, _ = labs(n=50, count=2, each=1)
    with pytest.raises(UsageError, match=message):
        bt.thresholds(scores, **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="only one system"):
        bt.thresholds(bt.Scores.from_arrays({"a": [1, 0]}))


def test_alike_systems_need_less_and_larger_sets_too() -> None:
    scores, lab = labs(n=1600, count=8, each=6)
    study = thresholds_by_size(scores, [200, 400, 800, 1600], groups=lab)
    for one in study.studies:
        same, different = one.threshold(SAME).value, one.threshold(DIFFERENT).value
        if same is not None and different is not None:
            assert same < different
    values = [s.threshold().value for s in study.studies]
    assert all(x is not None for x in values)
    assert values == sorted(values, key=lambda x: -(x or 0.0))
    overall = study.decay[0]
    assert overall.exponent == pytest.approx(-0.5, abs=0.12)
    assert overall.at(1600) == pytest.approx(values[-1], rel=0.15)
    assert any("holds for this test set" in note for note in study.studies[0].notes)
    random = thresholds_by_size(scores, [400], groups=lab, how="subsample", rng=1)
    assert random.studies[0].gains[0].pvalue != study.studies[1].gains[0].pvalue
    with pytest.raises(UsageError, match="between 2 and"):
        thresholds_by_size(scores, [1, 10_000])
    with pytest.raises(UsageError, match="prefix or subsample"):
        thresholds_by_size(scores, [100], how="suffix")  # type: ignore[arg-type]


def test_domains_are_compared_at_one_size() -> None:
    scores, _ = labs(n=300, count=3, each=3)
    labelled = bt.Scores.from_arrays(
        {name: scores.of(name)[:, 0] for name in scores.systems},
        groups={"domain": ["news"] * 120 + ["law"] * 180},
    )
    made = thresholds_by_domain(labelled, "domain")
    assert [(s.label, s.n) for s in made] == [("domain=law", 120), ("domain=news", 120)]
    with pytest.raises(UsageError, match="smallest domain"):
        thresholds_by_domain(labelled, "domain", size=150)


# -- published thresholds --------------------------------------------------------------------------


def test_the_papers_thresholds() -> None:
    # Berg-Kirkpatrick, Burkett & Klein (2012), sections 3.1.1 and 3.2.2 to 3.2.5.
    found = {(t.metric, t.similarity): t.value for t in PUBLISHED}
    assert found == {
        ("ROUGE", "any"): 1.10,
        ("UAS", "same"): 1.20,
        ("UAS", "different"): 1.51,
        ("BLEU", "same"): 0.28,
        ("BLEU", "different"): 0.37,
        ("AER", "same"): 0.50,
        ("AER", "different"): 1.12,
        ("F1", "same"): 0.47,
        ("F1", "different"): 0.57,
    }
    ((rouge, rescaled),) = published_thresholds("rouge", items=192)
    assert rouge.n == 48
    assert rescaled == pytest.approx(0.55)
    with pytest.raises(UsageError, match="no threshold is published"):
        published_thresholds("meteor")


def test_a_published_score_against_ones_own() -> None:
    own = bt.Scores.from_arrays({"mine": [1] * 80 + [0] * 20})
    far = against_published(own, 0.6)
    assert far.clear
    assert far.gain == pytest.approx(0.2)
    assert far.exceeds is None
    near = against_published(own, 0.78, threshold=0.05)
    assert (near.clear, near.exceeds) == (False, False)
    errors = bt.Scores.from_arrays({"mine": [1] * 20 + [0] * 80}, lower_is_better=True)
    assert against_published(errors, 0.4).clear
    rng = np.random.default_rng(0)
    counts = bt.Scores.from_arrays(
        {"mine": rng.integers(0, 5, size=(2416, 3))}, columns=("tp", "fp", "fn")
    )
    f1 = against_published(counts, 0.5, metric="f1", similarity="same")
    assert f1.threshold == pytest.approx(0.0047)
    with pytest.raises(UsageError, match="finite"):
        against_published(own, math.nan)
    with pytest.raises(UsageError, match="positive"):
        against_published(own, 0.5, threshold=-1.0)


# -- calibration -----------------------------------------------------------------------------------


def test_calibration_counts_what_it_says() -> None:
    scores, _ = labs(n=800, count=5, each=2, spread=0.15)
    found = bt.calibration(scores, size=200, test_sets=4, rng=3)
    assert found.truth == ("population",)
    total = sum(b.tests for b in found.bins["population"])
    assert 0.8 * 45 * 4 <= total <= 45 * 4
    for one in found.bins["population"]:
        assert 0 <= one.agreeing <= one.tests
        assert one.interval[0] <= (one.share or 0.0) <= one.interval[1] or not one.tests
    # The same count, pair by pair, from the same draws.
    rng = np.random.default_rng(3)
    values = {name: scores.of(name)[:, 0] for name in scores.systems}
    near = right = 0
    for _ in range(4):
        rows = rng.integers(800, size=200)
        for a, b in combinations(values, 2):
            drawn, true = (
                values[b][at].mean() - values[a][at].mean() for at in (rows, slice(None))
            )
            better, worse = (b, a) if drawn > 0 else (a, b)
            p = bt.bootstrap_test(
                values[worse][rows], values[better][rows], alternative="greater"
            ).pvalue
            if 0.04 <= p <= 0.06 and drawn * true != 0:
                near += 1
                right += int(drawn * true > 0)
    assert (found.near["population"].tests, found.near["population"].agreeing) == (near, right)
    assert near > 0


def test_domains_are_held_against_each_other() -> None:
    scores, _ = labs(n=400, count=4, each=3)
    labelled = bt.Scores.from_arrays(
        {name: scores.of(name)[:, 0] for name in scores.systems},
        groups={"domain": ["news"] * 200 + ["law"] * 100 + ["code"] * 100},
    )
    found = bt.calibration(labelled, by="domain", on="news")
    assert found.truth == ("code", "law")
    assert found.size == 200
    with pytest.raises(UsageError, match="on names the domain"):
        bt.calibration(labelled, by="domain", on="mars")
    with pytest.raises(UsageError, match="borders"):
        bt.calibration(labelled, bins=(0.5, 0.1))
    with pytest.raises(UsageError, match="two systems"):
        bt.calibration(bt.Scores.from_arrays({"a": [1, 0]}))
    with pytest.raises(UsageError, match="at least two items"):
        bt.calibration(labelled, size=1)


def test_clusters_are_drawn_whole() -> None:
    scores = bt.Scores.from_arrays({"a": range(9)}, clusters=list("aaabbbbcc"))
    rows, codes = draw_items(scores, 9, np.random.default_rng(0))
    assert codes is not None
    for code in set(codes.tolist()):
        drawn = rows[codes == code].tolist()
        assert drawn in ([0, 1, 2], [3, 4, 5, 6], [7, 8])
    assert codes.max() + 1 == 3


@pytest.mark.slow
def test_calibration_is_near_nominal_at_home_and_decays_abroad() -> None:
    rng = np.random.default_rng(5)
    n, count = 6000, 24
    home = rng.normal(0.0, 0.03, size=count)
    abroad = rng.normal(0.0, 0.03, size=count)  # skills that have nothing to do with those at home
    item = rng.normal(size=2 * n)
    arrays = {}
    for k in range(count):
        skill = np.repeat([home[k], abroad[k]], n)
        arrays[f"s{k}"] = (item + rng.normal(size=2 * n) + skill > 0).astype(int)
    both = bt.Scores.from_arrays(arrays, groups={"domain": ["home"] * n + ["abroad"] * n})
    inside = both.only(np.arange(n))
    found = bt.calibration(inside, size=1600, test_sets=8).near["population"]
    assert found.tests > 50
    assert found.share is not None
    assert 0.8 < found.share <= 1.0  # 92 % in the paper
    away = bt.calibration(both, by="domain", on="home").bins["abroad"]
    agreeing = sum(b.agreeing for b in away if b.high <= 0.08)
    tests = sum(b.tests for b in away if b.high <= 0.08)
    assert agreeing / tests < found.share - 0.1


# -- false alarms ----------------------------------------------------------------------------------


def test_swapped_systems_are_a_null() -> None:
    scores, _ = labs(n=150, count=2, each=1)
    found = aa_check(scores, simulations=300, rng=1)
    assert found.alarms == int((found.pvalues <= 0.05).sum())
    assert found.low <= found.rate <= found.high
    assert found.low < 0.05  # never surely too many
    assert "false alarms" in str(found)
    assert aa_check(scores, simulations=50, rng=1).pvalues.tolist() == found.pvalues[:50].tolist()


def test_clusters_are_swapped_whole() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), 8)
    a = np.repeat(rng.integers(0, 2, size=40), 8)
    b = np.repeat(rng.integers(0, 2, size=40), 8)
    scores = bt.Scores.from_arrays({"a": a, "b": b}, clusters=clusters.tolist())
    right = aa_check(scores, simulations=200, rng=0)
    assert right.low < 0.05


def test_seeds_of_one_system_are_a_null() -> None:
    rng = np.random.default_rng(3)
    rows = [list(rng.normal(size=rng.integers(2, 5))) for _ in range(80)]
    scores = bt.Scores.from_responses({"a": rows})
    found = aa_check(scores, null="seeds", simulations=200, rng=0)
    assert found.low < 0.05
    assert found.null == "seeds"
    with pytest.raises(UsageError, match="several responses"):
        aa_check(bt.Scores.from_arrays({"a": [1, 0], "b": [0, 0]}), null="seeds")
    single = bt.Scores.from_responses({"a": [[1.0, 2.0], [3.0]]})
    with pytest.raises(UsageError, match="fewer than two"):
        aa_check(single, null="seeds")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 2.0}, "alpha"),
        ({"simulations": 0}, "simulation"),
        ({"null": "zero"}, "swap or seeds"),
        ({"test": "magic"}, "test is one of"),
    ],
)
def test_bad_checks_are_clear_errors(options: dict[str, object], message: str) -> None:
    scores = bt.Scores.from_arrays({"a": [1, 0, 1], "b": [0, 0, 1]})
    with pytest.raises(UsageError, match=message):
        aa_check(scores, **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two systems"):
        aa_check(bt.Scores.from_arrays({"a": [1, 0]}))


@pytest.mark.slow
def test_the_published_bootstrap_is_honest_and_the_exact_test_too() -> None:
    scores, _ = labs(n=300, count=2, each=1, seed=4)
    for test in ("permutation", "bootstrap", "t"):
        found = aa_check(scores, test=test, simulations=2000, rng=1)
        assert found.high < 0.075, test
        assert found.low < 0.05, test


# -- training sets ---------------------------------------------------------------------------------


def centroid(examples: Sequence[Any]) -> Callable[[Any], int]:
    """Nearest class mean of a single feature."""
    means = {label: np.mean([x for x, y in examples if y == label] or [label]) for label in (0, 1)}
    return lambda item: int(abs(item[0] - means[1]) < abs(item[0] - means[0]))


def test_training_sets_are_drawn_for_every_model_and_size() -> None:
    rng = np.random.default_rng(0)
    train = [(float(rng.normal(label)), label) for label in rng.integers(0, 2, size=40).tolist()]
    made = resample_training(
        {"centroid": centroid, "ones": lambda examples: lambda item: 1},
        train,
        train[:25],
        lambda guess, item: guess == item[1],
        sizes=(40, 10),
        copies=(2, 3),
    )
    assert made.scores.values.shape == (25, 10, 1)
    assert made.models["ones/10/3"] == "ones"
    assert sorted(set(made.sizes.values())) == [10, 40]
    study = bt.thresholds(made.scores, groups=made.models)
    assert {t.group for t in study.thresholds} == {ALL, SAME, DIFFERENT}
    constant = made.scores.of("ones/40/1")
    assert (constant == made.scores.of("ones/10/2")).all()


def test_failed_trainings_are_errors_or_said() -> None:
    def fails(examples):  # type: ignore[no-untyped-def]
        raise ArithmeticError("diverged")

    options = {"sizes": (2,), "copies": 1}
    models = {"bad": fails, "good": lambda examples: lambda item: item}
    with pytest.raises(DataError, match="'bad/2/1' failed: diverged"):
        resample_training(models, [1, 0], [1, 0], lambda p, x: p, **options)  # type: ignore[arg-type]
    made = resample_training(models, [1, 0], [1, 0], lambda p, x: p, failures=1, **options)  # type: ignore[arg-type]
    assert made.scores.systems == ("good/2/1",)
    assert "1 trainings failed" in made.scores.notes[0]
    with pytest.raises(BetterthanError, match="at least one base model"):
        resample_training({}, [1], [1], lambda p, x: p)
    with pytest.raises(UsageError, match="copies"):
        resample_training(models, [1], [1], lambda p, x: p, copies=0)
