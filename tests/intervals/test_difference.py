"""The interval of a difference: the inversion of the test that gives p, never at odds with it."""

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan import Scores
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.exact.walsh import walsh_interval
from betterthan.intervals.binary import tango
from betterthan.intervals.choice import difference_interval
from betterthan.metrics import BLEU, F1, MEDIAN, Metric, blackbox, mean, ratio, sums
from betterthan.numeric import Alternative
from betterthan.results.interval import Interval
from betterthan.testing.values import as_test
from simulated_nulls import bleu_counts


def interval(
    joint: Joint,
    test: str = "permutation",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    rejected: bool | None = None,
) -> Interval:
    """The interval by itself: without the last word of p, unless it is given."""
    pair, chosen = joint.pair(0, 1), as_test(test)
    return difference_interval(
        pair, alpha=alpha, alternative=alternative, test=chosen, rejected=rejected
    )


def of(a: Any, b: Any, metric: Metric | None = None, clusters: Any = None) -> Joint:
    return joint_of({"a": a, "b": b}, metric or mean(), clusters)


def ends(made: Interval) -> tuple[float, float]:
    return made.low, made.high


# -- one test, one interval ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("holm", [0.05 / 4, 0.05 / 3, 0.05 / 2, 0.05 / 2]),
        ("bonferroni", [0.05 / 4] * 4),
        ("sidak", [1 - 0.95**0.25] * 4),
        ("hochberg", [0.05 / 3] * 4),
        ("bh", [0.05 * 2 / 4] * 4),
        ("by", [0.05 * 2 / 4 / (1 + 1 / 2 + 1 / 3 + 1 / 4)] * 4),
        ("none", [0.05] * 4),
    ],
)
def test_each_interval_has_the_level_of_its_p(correction: str, expected: list[float]) -> None:
    """Two of four reject; by Benjamini and Yekutieli as well, since they do so by far."""
    base = np.zeros(60, dtype=int)
    wins = {"a": 40, "b": 30, "c": 3, "d": 2}
    arrays = {name: (np.arange(60) < k).astype(int) for name, k in wins.items()}
    found = bt.compare_many(Scores.from_arrays({"base": base, **arrays}), correction=correction)
    assert [c.verdict for c in found] == ["better", "better", "can't tell", "can't tell"]
    assert [1 - c.interval.level for c in found] == pytest.approx(expected)
    assert ends(found[2].interval)[0] <= 0.0


def test_the_level_of_max_t_is_between_those_of_one_and_of_all() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=80)
    scores = Scores.from_arrays({"base": base} | {f"s{k}": rng.normal(size=80) for k in range(5)})
    levels = [1 - c.interval.level for c in bt.compare_many(scores, correction="max-t")]
    assert all(0.05 / 5 * 0.8 < level < 0.05 for level in levels)  # they share the baseline


# -- each kind of data ----------------------------------------------------------------------------


def halves(e: Any, w: Any, tail: float) -> tuple[float, float]:
    """Ends from a million random subsets."""
    chosen = np.random.default_rng(1).random((200_000, len(e))) < 0.5
    with np.errstate(invalid="ignore"):
        means = np.sort((chosen @ e) / (chosen @ w))
    means = means[np.isfinite(means)]
    k = int(len(means) * tail)
    return float(means[k]), float(means[-k - 1])


@pytest.mark.parametrize("sizes", ["items", "equal", "unequal"])
def test_means_of_items_and_clusters(sizes: str) -> None:
    rng = np.random.default_rng(4)
    size = {"items": [1] * 40, "equal": [3] * 40, "unequal": rng.integers(1, 9, 40).tolist()}
    codes = np.repeat(np.arange(40), size[sizes])
    a = rng.integers(1, 6, codes.size)
    b = a + rng.integers(-1, 3, 40)[codes] + rng.integers(0, 2, codes.size)
    made = interval(of(a, b, clusters=None if sizes == "items" else codes))
    e, w = np.bincount(codes, b - a), np.bincount(codes)
    assert ends(made) == pytest.approx(halves(e, w, 0.025), abs=0.02)
    assert made.method == "from the same test"


def test_clusters_that_lie_in_several_tasks() -> None:
    rng = np.random.default_rng(3)
    tasks, codes = np.repeat([0, 1], [20, 60]), rng.integers(0, 14, 80)
    a, b = rng.integers(1, 6, (2, 80))
    labels = {"task": tasks.tolist()}
    arrays = {"a": a, "b": b}
    scores = Scores.from_arrays(arrays, groups=labels, clusters=codes.tolist()).with_tasks("task")
    whole = bt.compare_many(scores)[0]
    share = 1 / (2 * np.array([20, 60])[tasks])
    e, w = np.bincount(codes, (b - a) * share), np.bincount(codes, share)
    assert whole.delta == pytest.approx(e.sum() / w.sum())
    assert ends(whole.interval) == pytest.approx(halves(e, w, 0.025), abs=0.03)


def test_a_ratio_with_one_denominator_is_a_weighted_mean() -> None:
    rng = np.random.default_rng(2)
    words = rng.integers(1, 30, 12)
    a, b = (np.stack([rng.binomial(words, p), words], axis=1) for p in (0.6, 0.7))
    uas = ratio({"right": 1}, {"words": 1}, percent=True)
    made = interval(of(a, b, uas))
    assert ends(made) == pytest.approx(halves(b[:, 0] - a[:, 0], words, 0.025), abs=0.003)


@pytest.mark.parametrize("wins", [0, 2, 9, 24])
def test_right_or_wrong(wins: int) -> None:
    a, b = np.zeros(30, dtype=int), (np.arange(30) < wins).astype(int)
    expected = tango(wins, 0, 30)
    for test in ("permutation", "mcnemar", "sign"):
        made = interval(of(a, b), test)
        assert ends(made) == (expected.low, expected.high)
    one_each = interval(of(a, b, clusters=np.arange(30)))
    assert ends(one_each) == (expected.low, expected.high)
    settled = interval(of(a, b), rejected=wins > 5)
    assert (settled.low > 0.0) == (wins > 5)


def test_right_or_wrong_over_tasks() -> None:
    """MOVER (Zou & Donner, 2008) of the tasks' own limits."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 90))
    tasks = np.repeat(["x", "y"], [30, 60])
    labels = {"task": tasks.tolist()}
    scores = Scores.from_arrays({"a": a, "b": b}, groups=labels).with_tasks("task")
    whole = bt.compare_many(scores)[0]
    parts = []
    for task in ("x", "y"):
        d = (b - a)[tasks == task]
        made = tango(int((d > 0).sum()), int((d < 0).sum()), d.size)
        parts.append((d.mean() - made.low, made.high - d.mean()))
    below, above = np.linalg.norm(np.array(parts), axis=0) / 2
    expected = whole.delta - below, whole.delta + above
    assert ends(whole.interval) == pytest.approx(expected, abs=1e-12)


def of_counts(rng: np.random.Generator, n: int) -> list[Any]:
    gold = rng.integers(0, 6, n)
    found = [rng.binomial(gold, p) for p in (0.7, 0.8)]
    return [np.stack([tp, rng.integers(0, 2, n), gold - tp], axis=1) for tp in found]


@pytest.mark.parametrize(
    ("draw", "metric"),
    [
        (of_counts, F1),
        (lambda rng, n: bleu_counts(n)(rng), BLEU),
        (lambda rng, n: rng.normal(size=(2, n)).round(1), MEDIAN),
        (lambda rng, n: rng.normal(size=(2, n)), blackbox(lambda x: float(np.quantile(x, 0.7)))),
    ],
)
@pytest.mark.parametrize("clustered", [False, True])
def test_other_metrics_on_random_halves(draw: Any, metric: Metric, clustered: bool) -> None:
    rng = np.random.default_rng(7)
    a, b = (np.asarray(x, dtype=float) for x in draw(rng, 30))
    codes = np.arange(30) // 2 if clustered else np.arange(30)
    made = interval(of(a, b, metric, codes if clustered else None))
    deltas = []
    for chosen in rng.random((3000, codes.max() + 1)) < 0.5:
        rows = chosen[codes]
        x, y = (v.reshape(30, -1)[rows] for v in (a, b))
        deltas.append(metric.score(y) - metric.score(x))
    low, high = np.quantile(deltas, [0.025, 0.975])
    spread = float(np.std(deltas))
    assert ends(made) == pytest.approx((low, high), abs=0.25 * spread)
    assert "random halves of the " + ("clusters" if clustered else "items") in made.method


def test_high_levels_have_the_jackknife_or_the_extremes() -> None:
    rng = np.random.default_rng(0)
    a, b = of_counts(rng, 60)
    joint = of(a, b, F1)
    assert "20,000 random" in interval(joint, alpha=0.002).method
    high = interval(joint, alpha=1e-4)
    assert high.method == "jackknife t"
    assert high.low < interval(joint, alpha=0.002).low
    extreme = interval(of(rng.normal(size=60), rng.normal(size=60), MEDIAN), alpha=1e-4)
    assert extreme.method.endswith("whose extremes are the ends")
    undefined = sums(("x",), lambda s: np.where(s[..., 0] > 1, s[..., 0], np.nan))
    few = np.array([[1]] + [[0]] * 40), np.array([[1]] + [[2]] * 40)
    assert ends(interval(of(*few, undefined), alpha=1e-4)) == (-math.inf, math.inf)


# -- where too little was seen ---------------------------------------------------------------------


@given(
    st.lists(st.sampled_from([0, 0, 0, 0, 1, -1]), min_size=8, max_size=30).filter(
        lambda d: sum(map(abs, d)) < 6
    )
)
def test_few_differing_items_are_padded_by_the_scale(d: list[int]) -> None:
    """The hull of the inversion and Student's t of the differences with two more."""
    a = np.array([1, 5] + [3] * (len(d) - 2))
    made = interval(of(a, a + d))
    span = max(a.max(), (a + d).max()) - min(a.min(), (a + d).min())
    longer = np.append(d, [span, -span])
    t = stats.ttest_1samp(longer, 0.0).confidence_interval(0.95)
    assert made.low <= t.low + 1e-12
    assert made.high >= t.high - 1e-12
    differing = sum(map(abs, d))
    assert f"widened: only {differing} item" in made.method
    assert math.isfinite(made.low)
    assert math.isfinite(made.high)


def test_no_interval_is_a_point() -> None:
    same = of([1, 2, 3, 4] * 5, [1, 2, 3, 4] * 5)
    alike = of([1, 2, 3, 4] * 5, [2, 3, 4, 5] * 5)
    counts = of([[1, 0, 2]] * 9, [[1, 0, 2]] * 9, F1)
    for test in ("permutation", "t", "bootstrap", "bootstrap(variant=sign)", "wilcoxon", "mood"):
        for joint in (same, alike):
            made = interval(joint, test)
            assert made.low < made.high
    for test in ("permutation", "bootstrap"):
        assert -1.0 < interval(counts, test).low < 0.0 < interval(counts, test).high < 1.0
    assert ends(interval(of([3] * 9, [3] * 9))) == (-math.inf, math.inf)


def test_five_items_cannot_reach_the_level() -> None:
    made = interval(of(np.zeros(5), [1.0, 2.0, 3.0, 4.0, 5.0]))
    assert ends(made) == (-math.inf, math.inf)
    assert made.method == "unbounded: 5 items cannot reach this level"


# -- other tests -----------------------------------------------------------------------------------


@given(
    d=st.lists(st.integers(-100, 100), min_size=2, max_size=20).filter(lambda d: len(set(d)) > 1),
    alpha=st.sampled_from([0.5, 0.1, 0.01]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_students_interval_is_scipys(d: list[int], alpha: float, alternative: Alternative) -> None:
    x = np.array(d) / 8
    expected = stats.ttest_1samp(x, 0, alternative=alternative).confidence_interval(1 - alpha)
    made = interval(of(np.zeros(len(d)), x), "t", alpha, alternative)
    assert ends(made) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_clustered_t_is_statsmodels_for_clusters_of_one_size() -> None:
    rng = np.random.default_rng(5)
    codes = np.arange(80) // 8
    d = rng.normal(0.3, 1, 80) + rng.normal(0, 1, 10)[codes]
    fit = sm.OLS(d, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    made = interval(of(np.zeros(80), d, clusters=codes), "t")
    assert ends(made) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-10)


def test_clustered_t_by_the_matrices_of_bell_and_mccaffrey() -> None:
    """CR2 and its degrees of freedom as the paper writes them, over all items."""
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(9), [1, 2, 3, 1, 14, 5, 2, 8, 4])
    d = rng.normal(size=40) + rng.normal(size=9)[clusters]
    x = np.ones((40, 1))
    residual_maker = np.eye(40) - x @ x.T / 40
    residuals = residual_maker @ d
    meat, columns = 0.0, []
    for g in range(9):
        own = clusters == g
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        meat += (x[own, 0] @ root @ residuals[own]) ** 2
        columns.append(residual_maker[:, own] @ root @ x[own, 0] / 40)
    error = math.sqrt(meat) / 40
    freedom = []
    for law in (np.eye(40), (clusters[:, None] == clusters).astype(float)):
        B = np.array(columns) @ law @ np.array(columns).T
        freedom.append(np.trace(B) ** 2 / np.trace(B @ B))
    half = stats.t.ppf(0.975, min(freedom)) * error
    made = interval(of(np.zeros(40), d, clusters=clusters), "t")
    assert ends(made) == pytest.approx((d.mean() - half, d.mean() + half), rel=1e-10)
    assert made.method == "cluster-robust t"


def test_each_test_has_its_own_interval() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 6, (2, 60))
    joint = of(a, b)
    walsh = walsh_interval(b - a)
    assert ends(interval(joint, "wilcoxon")) == (walsh.low, walsh.high)
    wins, losses = int((b > a).sum()), int((b < a).sum())
    expected = tango(wins, losses, 60)
    assert ends(interval(joint, "sign")) == (expected.low, expected.high)
    own = bt.bootstrap_interval(a, b, kind="basic")
    assert ends(interval(joint, "bootstrap")) == ends(own)
    own = bt.bootstrap_interval(a, b, kind="percentile")
    assert ends(interval(joint, "bootstrap(variant=sign)")) == ends(own)
    names = {test: interval(joint, test).of for test in ("permutation", "wilcoxon", "sign", "mood")}
    assert names == {
        "permutation": "difference of means",
        "wilcoxon": "pseudo-median of the differences",
        "sign": "wins minus losses per item",
        "mood": "difference of medians",
    }


def test_lower_is_better_turns_the_interval() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 25))
    plain, turned = interval(of(a, b)), interval(of(a, b, mean(lower_is_better=True)))
    assert ends(turned) == pytest.approx((-plain.high, -plain.low), rel=1e-12)
    assert interval(of(a, b), alternative="greater").high == math.inf


# -- how much a verdict hangs on -------------------------------------------------------------------


@given(
    st.lists(st.integers(-3, 6), min_size=6, max_size=14),
    st.booleans(),
    st.sampled_from(["two-sided", "greater"]),
)
def test_turned_is_the_least_number_of_items(
    d: list[int], real: bool, alternative: Alternative
) -> None:
    scale = math.sqrt(2) if real else 1.0
    x = np.array(d) * scale + (np.arange(len(d)) * 1e-3 if real else 0.0)
    found = bt.compare(Scores.from_arrays({"a": 0 * x, "b": x}), alternative=alternative)
    if found.verdict == "can't tell":
        assert found.turned is None
        return
    towards = np.sort(np.sign(found.delta) * x)[::-1]
    for k in range(1, len(x) + 1):
        towards[k - 1] *= -1
        p = bt.permutation_test(0 * towards, towards, alternative=alternative).pvalue
        if towards.sum() <= 0 or p > 0.05:
            break
    assert found.turned == k
