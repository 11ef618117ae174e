"""How far other systems and items would move a threshold, against slow twins."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t

import betterthan as bt
from betterthan.design import thresholds
from betterthan.design.system_pairs import StudyTest
from betterthan.design.threshold_intervals import (
    HALVES,
    halves,
    threshold_interval,
    weighted_percentiles,
)
from betterthan.metrics import F1, blackbox, mean
from betterthan.testing.values import as_test

PAIRS = [(0, 1), (0, 2), (1, 2)]
Q70 = blackbox(lambda rows: float(np.quantile(rows, 0.7)), ("score",), spelling="q70")


def some(rng: np.random.Generator, n: int, clusters: Any = None) -> bt.Scores:
    """Three systems; every value occurs once, so that a half can be told from its scores."""
    values = np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, 3)) + [0.0, 0.2, 0.5], 6)
    computed = {f"s{k}": values[:, k] for k in range(3)}
    return bt.Scores.from_arrays(computed, clusters=clusters)


def parts(scores: bt.Scores, monkeypatch: pytest.MonkeyPatch) -> list[bt.Scores]:
    """What was taken for halves, in their order."""
    seen, only = [], bt.Scores.only

    def spied(self: bt.Scores, items: Any) -> bt.Scores:
        seen.append(only(self, items))
        return seen[-1]

    monkeypatch.setattr(bt.Scores, "only", spied)
    return seen


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_halves_are_tested_as_asked(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = some(np.random.default_rng(1), 41)
    seen = parts(scores, monkeypatch)
    computed = halves(
        scores, ("s0", "s1", "s2"), mean("score"), PAIRS, StudyTest(test=as_test(test))
    )
    assert len(computed) == len(seen) == HALVES
    run = {"t": bt.t_test, "wilcoxon": bt.wilcoxon, "sign": bt.sign_test}[test]
    for (gains, pvalues), half in zip(computed, seen, strict=True):
        for at, (i, j) in enumerate(PAIRS):
            a, b = (half.of(f"s{k}")[:, 0] for k in (i, j))
            assert gains[at] == pytest.approx(abs(b.mean() - a.mean()))
            worse, better = sorted((a, b), key=np.mean)
            expected = run(worse, better, alternative="greater").pvalue
            assert pvalues[at] == pytest.approx(expected, rel=1e-9)
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert (first.n, second.n) == (20, 21)
        both = np.concatenate((first.of("s0"), second.of("s0")))[:, 0]
        assert np.array_equal(np.sort(both), np.sort(scores.of("s0")[:, 0]))
    assert len({half.of("s0").sum() for half in seen}) == HALVES


def test_clusters_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    names = np.repeat([f"d{k}" for k in range(24)], 3)
    scores = some(np.random.default_rng(2), 72, names.tolist())
    seen = parts(scores, monkeypatch)
    computed = halves(scores, ("s0", "s1", "s2"), mean("score"), PAIRS, StudyTest())
    assert len(computed) == HALVES
    for half, (gains, pvalues) in zip(seen, computed, strict=True):
        assert half.clusters is not None
        _, counts = np.unique(half.clusters.astype(str), return_counts=True)
        assert counts.tolist() == [3] * 12
        a, b = (half.of(s)[:, 0].reshape(-1) for s in ("s0", "s2"))
        sums = {c: float((b - a)[half.clusters == c].mean()) for c in half.clusters}
        means = np.array(list(sums.values()))
        t = abs(means.mean()) / (means.std(ddof=1) / math.sqrt(12))
        assert gains[1] == pytest.approx(abs(means.mean()))
        assert pvalues[1] == pytest.approx(student_t.sf(t, 11), rel=1e-9)


def test_ratios_have_the_error_of_the_jackknife(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    computed = {f"s{k}": rng.integers(0, 4, size=(30, 3)) for k in range(3)}
    scores = bt.Scores.from_arrays(computed, columns=("tp", "fp", "fn"))
    seen = parts(scores, monkeypatch)
    result = halves(scores, ("s0", "s1", "s2"), F1, PAIRS, StudyTest())

    def f1(rows: Any) -> float:
        tp, fp, fn = rows.sum(axis=0)
        return float(2 * tp / (2 * tp + fp + fn))

    a, b = seen[0].of("s0"), seen[0].of("s1")
    left = np.array([f1(np.delete(b, k, 0)) - f1(np.delete(a, k, 0)) for k in range(15)])
    error = math.sqrt(14 / 15 * np.square(left - left.mean()).sum())
    gains, pvalues = result[0]
    assert gains[0] == pytest.approx(abs(f1(b) - f1(a)))
    assert pvalues[0] == pytest.approx(student_t.sf(gains[0] / error, 14), rel=1e-9)


def test_a_black_box_has_the_error_of_resamples() -> None:
    scores = some(np.random.default_rng(4), 400)
    asked = StudyTest(resamples=10_000)
    boxed = halves(scores, ("s0", "s1", "s2"), Q70, PAIRS, asked)
    opaque = blackbox(lambda rows: float(np.mean(rows)), ("score",), spelling="average")
    means = halves(scores, ("s0", "s1", "s2"), opaque, PAIRS, asked)
    plain = halves(scores, ("s0", "s1", "s2"), mean("score"), PAIRS, asked)
    for (gains, pvalues), (same, exact) in zip(means, plain, strict=True):
        assert gains == pytest.approx(same)
        ratio = student_t.isf(pvalues, 199) / student_t.isf(exact, 199)
        assert (np.abs(ratio - 1.0) < 0.35).all()  # an error of 100 resamples errs by 7 %
    assert len(boxed) == HALVES


def test_no_halves_of_few_items_nor_of_what_is_undefined() -> None:
    scores = some(np.random.default_rng(5), 19)
    assert halves(scores, ("s0", "s1", "s2"), mean("score"), PAIRS, StudyTest()) == ()
    picky = blackbox(
        lambda rows: float(np.mean(rows)) if len(rows) > 25 else math.nan, ("score",), spelling="p"
    )
    scores = some(np.random.default_rng(5), 40)
    computed = halves(scores, ("s0", "s1", "s2"), picky, PAIRS, StudyTest(resamples=100))
    assert all((pvalues == 1.0).all() for _, pvalues in computed)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 4)), min_size=1, max_size=12),
    st.sampled_from([5.0, 50.0, 95.0]),
)
def test_weighted_percentiles_by_repetition(pairs: list[tuple[int, int]], q: float) -> None:
    gains, weights = np.array(pairs, dtype=float).T
    result = weighted_percentiles(gains, weights[None], q)
    repeated = np.repeat(gains, weights.astype(int))
    if not repeated.size:
        assert not result.size
        return
    assert result.tolist() == [np.percentile(repeated, q, method="inverted_cdf")]


def test_the_interval_adds_both_variances() -> None:
    rng = np.random.default_rng(6)
    gains = rng.uniform(1.0, 2.0, 8)
    weights = rng.integers(0, 3, size=(1000, 8)).astype(float)
    of_halves = [rng.uniform(1.0, 2.0, 6) for _ in range(HALVES)]
    result = threshold_interval(gains, weights, of_halves, 95.0)
    assert result is not None
    systems = np.log(
        [
            np.percentile(np.repeat(gains, w.astype(int)), 95, method="inverted_cdf")
            for w in weights
            if w.any()
        ]
    )
    items = np.log([np.percentile(x, 95) for x in of_halves])
    error = math.sqrt(systems.var(ddof=1) + items.var(ddof=1))
    value = np.percentile(gains, 95)
    reach = student_t.ppf(0.975, 7) * error  # eight pairs are fewer than twenty halves
    assert result == pytest.approx((value * math.exp(-reach), value * math.exp(reach)))


def test_no_interval_where_too_little_is_known() -> None:
    gains, weights = np.linspace(1.0, 2.0, 6), np.ones((1000, 6))
    of_halves = [np.array([1.0, 1.5])] * HALVES
    assert threshold_interval(gains, weights, of_halves, 95.0) is not None
    assert threshold_interval(gains[:4], weights[:, :4], of_halves, 95.0) is None
    assert threshold_interval(gains, weights, of_halves[:10], 95.0) is None
    assert threshold_interval(gains, weights, [], 95.0) is None
    assert threshold_interval(gains, np.zeros((1000, 6)), of_halves, 95.0) is None
    assert threshold_interval(0.0 * gains, weights, of_halves, 95.0) is None


def test_studies_say_what_their_intervals_allow_for() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(120, 1)) + rng.normal(size=(120, 14))
    scores = bt.Scores.from_arrays({f"s{k}": values[:, k] > 0 for k in range(14)})
    study = thresholds(scores, band=(0.01, 0.2), test="t")
    (result,) = study.thresholds
    assert result.low is not None
    assert result.high is not None
    assert result.value is not None
    assert result.low < result.value < result.high
    assert any("other systems and other items" in note for note in study.notes)
    lone = thresholds(scores.select("s0", "s1"), band=(0.0, 1.0), test="t")
    assert lone.thresholds[0].low is None
    assert "only 1 pair is just significant" in lone.notes[0]
    assert "has no interval" in lone.notes[0]
    few = thresholds(scores.only(np.arange(18)), band=(0.01, 0.3), test="t")
    assert few.thresholds[0].in_band >= 5
    assert few.thresholds[0].low is None
    assert any("too few systems or items to say" in note for note in few.notes)
