"""Gain against confidence: thresholds, of several sizes and domains too."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.design import (
    thresholds,
    thresholds_by_domain,
    thresholds_by_size,
)
from betterthan.design.gains import MeasuredGain, _thresholds
from betterthan.design.system_groups import ALL_PAIRS, DIFFERENT, SAME
from betterthan.errors import UsageError
from simulated_labs import labs


def test_pairs_are_ordered_by_gain_and_tested_as_published() -> None:
    scores, lab = labs(n=200, count=3, each=2)
    study = thresholds(scores, groups=lab)
    assert len(study.gains) == 15
    for pair in study.gains:
        a, b = scores.of(pair.baseline), scores.of(pair.candidate)
        assert pair.gain == pytest.approx(b.mean() - a.mean())
        assert pair.gain >= 0
        expected = bt.bootstrap_test(a[:, 0], b[:, 0], variant="shift", alternative="greater")
        assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert pair.confidence == 1 - pair.pvalue
        assert pair.group == (SAME if lab[pair.baseline] == lab[pair.candidate] else DIFFERENT)


def test_pairs_are_tested_in_the_way_asked_for() -> None:
    scores, _ = labs(n=120, count=2, each=2)
    ways: list[dict[str, Any]] = [
        {"variant": "sign"},
        {"strict": True},
        {"variant": "sign", "strict": True},
    ]
    for way in ways:
        study = thresholds(scores, test=bt.tests.Bootstrap(**way))
        for pair in study.gains:
            a, b = (scores.of(system)[:, 0] for system in (pair.baseline, pair.candidate))
            expected = bt.bootstrap_test(a, b, alternative="greater", **way)
            assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    drawn = thresholds(scores, test="bootstrap(method=sample)", resamples=2000)
    assert drawn.kind == "sampled"
    ideal = thresholds(scores)
    for one, other in zip(drawn.gains, ideal.gains, strict=True):
        assert abs(one.pvalue - other.pvalue) < 0.06
    moved = thresholds(scores, test="bootstrap(recentre=yes)", resamples=2000)
    assert moved.test == "bootstrap(recentre=yes)"
    assert moved.test in moved.signature


def test_other_tests_are_one_sided_too() -> None:
    scores, _ = labs(n=120, count=2, each=2)
    tests: dict[str, Callable[..., bt.TestResult]] = {
        "permutation": bt.permutation_test,
        "t": bt.t_test,
        "wilcoxon": bt.wilcoxon,
        "sign": bt.sign_test,
        "mcnemar": bt.mcnemar,
    }
    for name, test in tests.items():
        for pair in thresholds(scores, test=name).gains:
            a, b = (scores.of(system)[:, 0] for system in (pair.baseline, pair.candidate))
            assert pair.pvalue == test(a, b, alternative="greater").pvalue


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 0.2)), min_size=1, max_size=40))
def test_the_threshold_is_the_percentile_in_the_band(points: list[tuple[float, float]]) -> None:
    gains = [
        MeasuredGain(f"a{k}", f"b{k}", gain, p, ALL_PAIRS) for k, (gain, p) in enumerate(points)
    ]
    names = [name for g in gains for name in (g.baseline, g.candidate)]
    (result,) = _thresholds(gains, names, (0.04, 0.06), 95.0, rng=0)
    inside = sorted(gain for gain, p in points if 0.04 <= p <= 0.06)
    assert (result.in_band, result.pairs) == (len(inside), len(points))
    if not inside:
        assert result.value is None
        return
    # Linear interpolation between order statistics, by hand.
    position = 0.95 * (len(inside) - 1)
    below = math.floor(position)
    above = min(below + 1, len(inside) - 1)
    expected = inside[below] + (position - below) * (inside[above] - inside[below])
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert (result.low, result.high) == (None, None)  # without halves of the items


def test_groups_may_be_a_function_and_every_system_needs_a_label() -> None:
    scores, lab = labs(n=100, count=2, each=2)
    study = thresholds(scores, groups=lambda a, b: f"{min(a, b)[:4]}x")
    assert {t.group for t in study.thresholds} == {ALL_PAIRS, "lab0x", "lab1x"}
    del lab["lab0-0"]
    with pytest.raises(UsageError, match="'lab0-0'"):
        thresholds(scores, groups=lab)
    with pytest.raises(UsageError, match="'x'"):
        study.threshold("x")


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"band": (0.6, 0.4)}, "band"),
        ({"percentile": 0.0}, "percentile"),
        ({"test": "bootstap"}, "test"),
    ],
)
def test_bad_studies_have_remedies(options: dict[str, Any], parameter: str) -> None:
    scores, _ = labs(n=50, count=2, each=1)
    with pytest.raises(UsageError) as caught:
        thresholds(scores, **options)
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == parameter
    assert thresholds(scores, **{parameter: caught.value.remedy.value}).gains  # type: ignore[arg-type]


def test_a_study_needs_two_systems() -> None:
    with pytest.raises(UsageError) as caught:
        thresholds(bt.Scores.from_arrays({"a": [1, 0]}))
    assert caught.value.remedy is not None
    assert caught.value.remedy.command == "score"


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
    sizes = np.array([200, 400, 800, 1600])
    result = np.array(values, dtype=np.float64)
    x, y = (np.log(z) - np.log(z).mean() for z in (sizes, result))
    assert overall.exponent == pytest.approx((x @ y) / (x @ x), rel=1e-9)  # least squares
    assert -0.62 < (overall.exponent or 0.0) < -0.38
    assert overall.at(1600) == pytest.approx((result * np.sqrt(sizes)).mean() / 40, rel=1e-12)
    assert any("holds for this test set" in note for note in study.studies[0].notes)
    random = thresholds_by_size(scores, [400], groups=lab, how="subsample", rng=1)
    assert random.studies[0].gains[0].pvalue != study.studies[1].gains[0].pvalue
    for size, nearest in ((1, 2), (10_000, 1600)):
        with pytest.raises(UsageError) as caught:
            thresholds_by_size(scores, [size])
        assert caught.value.remedies[0].value == nearest
    with pytest.raises(UsageError):
        thresholds_by_size(scores, [100], how="suffix")  # type: ignore[arg-type]


def test_domains_are_compared_at_one_size() -> None:
    scores, _ = labs(n=300, count=3, each=3)
    labelled = bt.Scores.from_arrays(
        {name: scores.of(name)[:, 0] for name in scores.systems},
        groups={"domain": ["news"] * 120 + ["law"] * 180},
    )
    computed = thresholds_by_domain(labelled, "domain")
    assert [(s.label, s.n) for s in computed.studies] == [("domain=law", 120), ("domain=news", 120)]
    several = thresholds_by_domain(labelled, "domain", sizes=[50, 100])
    assert [s.label for s in several.studies][:2] == [
        "domain=law, 50 items",
        "domain=law, 100 items",
    ]
    with pytest.raises(UsageError) as caught:
        thresholds_by_domain(labelled, "domain", sizes=150)
    assert caught.value.remedies[0].value == 120
