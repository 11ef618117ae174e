"""The ten rules of the interval beside p, each against a twin that lists, enumerates or is known.

The twins of single formulas (Tango, Walsh, subset means) are tested where these are.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan import Scores
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of, pair_of
from betterthan.exact.subset_means import shift_interval
from betterthan.exact.walsh import walsh_interval
from betterthan.intervals.binary import tango
from betterthan.intervals.choice import Draws, difference_interval
from betterthan.intervals.ends import Ends
from betterthan.intervals.jackknife import standard_error
from betterthan.metrics import BLEU, F1, MEDIAN, Metric, blackbox, mean, ratio, sums
from betterthan.numeric import Alternative
from betterthan.results.interval import Interval
from betterthan.testing.values import as_test
from simulated_nulls import bleu_counts

SIDES = ("two-sided", "greater", "less")
UNDEFINED = sums(("x",), lambda s: np.where(s[..., 0] > 1, s[..., 0], np.nan))


def of(a: Any, b: Any, metric: Metric | None = None, clusters: Any = None) -> Joint:
    return joint_of({"a": a, "b": b}, metric or mean(), clusters)


def interval(
    joint: Joint,
    test: str = "permutation",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Interval:
    """The interval by itself: without the last word of p."""
    return difference_interval(
        joint.pair(0, 1), alpha=alpha, alternative=alternative, test=as_test(test)
    )


def ends(made: Interval | Ends) -> tuple[float, float]:
    return made.low, made.high


# -- 1. the level that p was compared with ---------------------------------------------------------


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
    assert [c.own_alpha for c in found] == pytest.approx(expected, rel=1e-15)
    for c, k in zip(found, wins.values(), strict=True):
        own = tango(k, 0, 60, alpha=c.own_alpha)
        assert ends(c.interval) == ends(own)


def test_the_level_of_max_t_is_that_of_its_critical_value() -> None:
    rng = np.random.default_rng(0)
    gains = rng.integers(-4, 6, (12, 3))
    systems = {f"s{k}": x for k, x in enumerate(gains.T)}
    found = bt.compare_many(Scores.from_arrays({"base": gains[:, 0] * 0} | systems),
                            correction="max-t")  # fmt: skip
    signs = np.array(list(product((1, -1), repeat=12)))
    drawn = np.abs(signs @ gains) / np.sqrt(np.square(gains).sum(axis=0))
    critical = np.quantile(drawn.max(axis=1), 0.95, method="inverted_cdf")
    expected = (drawn >= critical - 1e-9).mean(axis=0)
    assert [c.own_alpha for c in found] == pytest.approx(expected.tolist(), abs=0.006)


# -- 2. means: the k-th smallest and largest of all subsets ----------------------------------------


def of_subsets(
    gains: list[Fraction], weights: list[Fraction], tail: Fraction
) -> tuple[float, float]:
    """All 2^u - 1 subsets of the units, listed."""
    chosen = [c for c in product((0, 1), repeat=len(gains)) if any(c)]
    ratios = sorted(
        sum(x for x, take in zip(gains, c, strict=True) if take)
        / sum(w for w, take in zip(weights, c, strict=True) if take)
        for c in chosen
    )
    k = math.floor(2 ** len(gains) * tail)
    return (float(ratios[k - 1]), float(ratios[-k])) if k else (-math.inf, math.inf)


@settings(max_examples=100)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 1), st.integers(-3, 6)),
        min_size=14,
        max_size=30,
    ),
    units=st.sampled_from(["items", "clusters", "tasks", "shared clusters"]),
    alpha=st.sampled_from(["0.2", "0.05", "0.02", "0.001"]),
    alternative=st.sampled_from(SIDES),
)
def test_means_are_those_of_all_subsets(
    rows: list[tuple[int, int, int]], units: str, alpha: str, alternative: Alternative
) -> None:
    rows = rows if "clusters" in units else rows[:9]
    clusters, tasks, gains = (list(column) for column in zip(*rows, strict=True))
    by_task = units in ("tasks", "shared clusters") and len(set(tasks)) == 2
    labels = clusters if "clusters" in units else range(len(rows))
    share = [Fraction(1, 2 * tasks.count(t)) if by_task else Fraction(1) for t in tasks]
    names = sorted(set(labels))
    e, w = [Fraction(0)] * len(names), [Fraction(0)] * len(names)
    for label, part, gain in zip(labels, share, gains, strict=True):
        e[names.index(label)] += part * gain
        w[names.index(label)] += part
    differing = sum(x != 0 for x in e)
    assume(2.0 ** ((alternative == "two-sided") - differing) <= float(alpha))  # else rule 5
    assume(len({x / y for x, y in zip(e, w, strict=True)}) > 1)
    scores = Scores.from_arrays(
        {"a": [10] * len(rows), "b": [10 + gain for gain in gains]},
        clusters=list(labels) if "clusters" in units else None,
        groups={"task": tasks},
    )
    found = bt.compare_many(
        scores.with_tasks("task") if by_task else scores,
        alpha=float(alpha),
        alternative=alternative,
    )[0]
    low, high = of_subsets(e, w, Fraction(alpha) / (1 + (alternative == "two-sided")))
    expected = -math.inf if alternative == "less" else low
    assert found.interval.low == pytest.approx(expected, rel=1e-9, abs=1e-9)
    expected = math.inf if alternative == "greater" else high
    assert found.interval.high == pytest.approx(expected, rel=1e-9, abs=1e-9)
    reached = math.isfinite(low)
    assert found.interval.method.startswith("from the same test" if reached else "unbounded: ")


def test_a_ratio_with_one_denominator_is_a_weighted_mean() -> None:
    rng = np.random.default_rng(2)
    words = rng.integers(1, 30, 9)
    a, b = (rng.binomial(words, p) for p in (0.5, 0.8))
    uas = ratio({"right": 1}, {"words": 1}, percent=True)
    made = interval(of(np.stack([a, words], axis=1), np.stack([b, words], axis=1), uas))
    e, w = ([Fraction(int(x)) for x in column] for column in (b - a, words))
    assert ends(made) == pytest.approx(of_subsets(e, w, Fraction(1, 40)), abs=1e-9)


# -- 3. other metrics: random halves of the units --------------------------------------------------


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
    number = "2,000" if metric.form == "blackbox" and metric is not MEDIAN else "10,000"
    noun = "clusters" if clustered else "items"
    assert made.method == f"from the metric on {number} random halves of the {noun}"
    if metric is F1:  # an order statistic of what is drawn
        joint = of(a, b, metric, codes if clustered else None)
        drawn = Draws([joint]).deltas(joint.pair(0, 1), 10_000)
        assert ends(made) == (drawn[249], drawn[-250])


def jackknife(a: Any, b: Any, metric: Metric) -> tuple[float, float]:
    """Delta and its standard error, leaving out one item after the other."""
    n = len(a)
    left = [metric.score(np.delete(b, k, 0)) - metric.score(np.delete(a, k, 0)) for k in range(n)]
    squares = sum((x - np.mean(left)) ** 2 for x in left)
    return metric.score(b) - metric.score(a), math.sqrt((n - 1) / n * squares)


def test_high_levels_have_the_jackknife_or_the_extremes() -> None:
    rng = np.random.default_rng(0)
    a, b = (x.astype(float) for x in of_counts(rng, 60))
    joint = of(a, b, F1)
    assert "20,000 random" in interval(joint, alpha=0.002).method
    high = interval(joint, alpha=1e-4)
    delta, error = jackknife(a, b, F1)
    half = stats.t.isf(0.5e-4, 59) * error
    assert high.method == "jackknife t"
    assert ends(high) == pytest.approx((delta - half, delta + half), rel=1e-9)
    joint = of(rng.normal(size=60), rng.normal(size=60), MEDIAN)
    extreme = interval(joint, alpha=1e-4)
    assert extreme.method.endswith("whose extremes are the ends")
    drawn = Draws([joint]).deltas(joint.pair(0, 1), 20_000)
    assert ends(extreme) == (drawn.min(), drawn.max())
    few = np.array([[1]] + [[0]] * 40), np.array([[1]] + [[2]] * 40)
    assert ends(interval(of(*few, UNDEFINED), alpha=1e-4)) == (-math.inf, math.inf)


@pytest.mark.parametrize("power", [-900, 0, 300])
def test_the_jackknife_of_scores_of_any_size(power: int) -> None:
    a, b = (x[:, :1].astype(float) + 1 for x in of_counts(np.random.default_rng(1), 12))
    total = sums(("x",), lambda s: s[..., 0])
    found = standard_error(pair_of(np.ldexp(a, power), np.ldexp(b, power), total))
    assert found is not None
    assert math.ldexp(found, -power) == pytest.approx(jackknife(a, b, total)[1], rel=1e-9)


def test_where_the_jackknife_says_nothing() -> None:
    assert standard_error(pair_of([[1], [1]], [[2], [1]], UNDEFINED)) is None
    assert standard_error(pair_of([[1, 2, 3]], [[3, 1, 1]], F1)) is None
    assert standard_error(pair_of([1.5, 2], [3, 1], MEDIAN)) is None


# -- 4. right or wrong: Tango's --------------------------------------------------------------------


@pytest.mark.parametrize("wins", [0, 2, 9, 24])
@pytest.mark.parametrize("alternative", SIDES)
def test_right_or_wrong(wins: int, alternative: Alternative) -> None:
    a, b = np.zeros(30, dtype=int), (np.arange(30) < wins).astype(int)
    expected = tango(wins, 0, 30, alternative=alternative)
    for test in ("permutation", "mcnemar", "mcnemar(variant=mid-p)", "sign"):
        assert ends(interval(of(a, b), test, 0.05, alternative)) == ends(expected)
    one_each = interval(of(a, b, clusters=np.arange(30)), "permutation", 0.05, alternative)
    assert ends(one_each) == ends(expected)


@pytest.mark.parametrize("test", ["permutation", "mcnemar", "sign"])
def test_clusters_of_two_items_are_shifted(test: str) -> None:
    a, b = np.random.default_rng(0).integers(0, 2, (2, 40))
    pairs, fewer = np.arange(40) // 2, np.arange(40) // 2 + (np.arange(40) == 39)  # 20, 21
    scale = 3 if test == "sign" else 1
    made = interval(of(scale * a, scale * b, clusters=pairs), test)
    inverted = shift_interval(np.bincount(pairs, b - a) / 2)
    assert ends(made) == pytest.approx((inverted.low, inverted.high))
    assert made.method == "from the same test"
    made = interval(of(scale * a, scale * b, clusters=fewer), test)
    assert ends(made) == ends(tango(int((b > a).sum()), int((b < a).sum()), 40))


# -- 5. too little seen ----------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from([0, 0, 0, 0, 1, -1]), min_size=8, max_size=30).filter(
        lambda d: sum(map(abs, d)) < 6
    ),
    st.sampled_from([1, 3]),
)
def test_few_differing_units_are_padded_by_the_scale(d: list[int], size: int) -> None:
    """The hull of the inversion and Student's t of the differences with two more."""
    a = np.array([1, 5] + [3] * (len(d) - 2))
    codes = None if size == 1 else np.arange(len(d) * size) // size
    made = interval(of(np.repeat(a, size), np.repeat(a + d, size), clusters=codes))
    span = max(a.max(), (a + d).max()) - min(a.min(), (a + d).min())
    t = stats.ttest_1samp(np.append(d, [span, -span]), 0.0).confidence_interval(0.95)
    inner = walk(d)
    assert ends(made) == pytest.approx((min(inner[0], t.low), max(inner[1], t.high)), abs=1e-9)
    noun = "item" if size == 1 else "cluster"
    assert f"widened: only {sum(map(abs, d))} {noun}" in made.method


def walk(d: list[int]) -> tuple[float, float]:
    """Ends of the inversion, from the counts of all subsets by sum and size."""
    law: dict[tuple[int, int], int] = {(0, 0): 1}
    for x in d:
        grown = dict(law)
        for (total, size), count in law.items():
            key = total + x, size + 1
            grown[key] = grown.get(key, 0) + count
        law = grown
    del law[0, 0]
    means = sorted((Fraction(total, size), count) for (total, size), count in law.items())
    k = 2 ** len(d) // 40
    if not k:
        return -math.inf, math.inf

    def ranked(parts: list[tuple[Fraction, int]]) -> float:
        left = k
        return float(next(x for x, count in parts if (left := left - count) <= 0))

    return ranked(means), ranked(means[::-1])


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


def test_what_a_rate_can_be_clips_what_is_unbounded() -> None:
    few = [[1, 0, 2]] * 9, [[2, 0, 1]] + [[1, 0, 2]] * 4 + [[1, 1, 2]] * 4
    assert ends(interval(of([[1, 0, 2]], [[2, 1, 1]], F1))) == (-1.0, 1.0)
    assert ends(interval(of(*few, F1), "permutation", 0.05, "greater")) != (-math.inf, math.inf)
    five = interval(of(np.zeros(5), [1.0, 2.0, 3.0, 4.0, 5.0]))
    assert ends(five) == (-math.inf, math.inf)
    assert five.method == "unbounded: 5 items cannot reach this level"


# -- 6. p has the last word ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "estimate", "rejected", "expected"),
    [
        (0.1, 0.5, 0.3, False, (0.0, 0.5)),
        (-0.5, -0.1, -0.3, False, (-0.5, 0.0)),
        (-0.1, 0.5, 0.3, False, (-0.1, 0.5)),
        (0.0, 0.5, 0.3, False, (0.0, 0.5)),
        (-0.1, 0.5, 0.3, True, (3e-13, 0.5)),
        (0.0, 0.5, 0.3, True, (3e-13, 0.5)),
        (-0.5, 0.0, -0.3, True, (-0.5, -3e-13)),
        (-0.5, 0.1, -0.3, True, (-0.5, -3e-13)),
        (0.1, 0.5, 0.3, True, (0.1, 0.5)),
        (-0.5, -0.1, -0.3, True, (-0.5, -0.1)),
        (0.0, 0.0, 0.3, True, (3e-13, 3e-13)),
        (-0.0, 0.0, -0.3, True, (-3e-13, -3e-13)),
        (-0.1, 0.1, 0.0, True, (-0.1, 0.1)),
    ],
)
def test_an_end_is_moved_to_the_side_of_p(
    low: float, high: float, estimate: float, rejected: bool, expected: tuple[float, float]
) -> None:
    moved = Ends(low, high, "").agreeing(estimate, rejected=rejected)
    assert ends(moved) == pytest.approx(expected, rel=1e-9, abs=0.0)


# -- 7. one-sided, and lower is better -------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "metric"),
    [
        *product(("permutation", "t", "wilcoxon", "mood", "bootstrap"), [mean()]),
        *product(("permutation", "bootstrap"), [F1, MEDIAN]),
    ],
)
def test_all_of_alpha_is_in_one_tail(test: str, metric: Metric) -> None:
    rng = np.random.default_rng(1)
    a, b = of_counts(rng, 30) if metric is F1 else rng.normal(size=(2, 30)).round(2)
    both = interval(of(a, b, metric), test, 0.1)
    lower, upper = (interval(of(a, b, metric), test, 0.05, side) for side in ("greater", "less"))
    assert ends(lower) == pytest.approx((both.low, math.inf), abs=1e-9)
    assert ends(upper) == pytest.approx((-math.inf, both.high), abs=1e-9)


def test_lower_is_better_turns_the_interval() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 25))
    for test in ("permutation", "t", "wilcoxon", "sign", "bootstrap"):
        plain, turned = (
            interval(of(a, b, mean(lower_is_better=lower)), test) for lower in (False, True)
        )
        assert ends(turned) == pytest.approx((-plain.high, -plain.low), rel=1e-12)


# -- 8. other tests have their own -----------------------------------------------------------------


@given(
    d=st.lists(st.integers(-100, 100), min_size=2, max_size=20).filter(lambda d: len(set(d)) > 1),
    alpha=st.sampled_from([0.5, 0.1, 0.01]),
    alternative=st.sampled_from(SIDES),
)
def test_students_interval_is_scipys(d: list[int], alpha: float, alternative: Alternative) -> None:
    x = np.array(d) / 8
    expected = stats.ttest_1samp(x, 0, alternative=alternative).confidence_interval(1 - alpha)
    made = interval(of(np.zeros(len(d)), x), "t", alpha, alternative)
    assert ends(made) == pytest.approx((expected.low, expected.high), rel=1e-9)


def by_statsmodels(d: Any, codes: Any) -> tuple[float, float]:
    """Clusters of one size."""
    fit = sm.OLS(d, np.ones(d.size)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    low, high = fit.conf_int()[0].tolist()
    return low, high


def by_matrices(d: Any, clusters: Any) -> tuple[float, float]:
    """CR2 and its degrees of freedom as Bell and McCaffrey write them, over all items."""
    n = d.size
    x = np.ones((n, 1))
    residual_maker = np.eye(n) - x @ x.T / n
    residuals = residual_maker @ d
    meat, columns = 0.0, []
    for g in np.unique(clusters):
        own = clusters == g
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        meat += (x[own, 0] @ root @ residuals[own]) ** 2
        columns.append(residual_maker[:, own] @ root @ x[own, 0] / n)
    freedom = []
    for law in (np.eye(n), (clusters[:, None] == clusters).astype(float)):
        B = np.array(columns) @ law @ np.array(columns).T
        freedom.append(np.trace(B) ** 2 / np.trace(B @ B))
    half = stats.t.ppf(0.975, min(freedom)) * math.sqrt(meat) / n
    return d.mean() - half, d.mean() + half


@pytest.mark.parametrize(
    ("twin", "codes"),
    [
        (by_statsmodels, np.arange(80) // 8),
        (by_matrices, np.arange(80) // 8),
        (by_matrices, np.repeat(np.arange(9), [1, 2, 3, 1, 14, 5, 2, 8, 4])),
    ],
)
def test_clustered_t(twin: Callable[[Any, Any], tuple[float, float]], codes: Any) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(0.3, 1, codes.size) + rng.normal(0, 1, 10)[codes]
    made = interval(of(np.zeros(codes.size), d, clusters=codes), "t")
    assert ends(made) == pytest.approx(twin(d, codes), rel=1e-10)
    assert made.method == "cluster-robust t"


def test_each_test_has_its_own_interval() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 6, (2, 60))
    joint = of(a, b)
    wins, losses = int((b > a).sum()), int((b < a).sum())
    codes = np.repeat(np.arange(20), 3)
    of_clusters = of(a, b, clusters=codes)
    expected: dict[str, Any] = {
        "wilcoxon": walsh_interval(b - a),
        "sign": tango(wins, losses, 60),
        "bootstrap": bt.bootstrap_interval(a, b, kind="basic"),
        "bootstrap(variant=sign)": bt.bootstrap_interval(a, b, kind="percentile"),
    }
    for test, own in expected.items():
        assert ends(interval(joint, test)) == ends(own)
    walsh = walsh_interval(np.bincount(codes, b - a) / 3)
    assert ends(interval(of_clusters, "wilcoxon")) == pytest.approx(ends(walsh))  # type: ignore[arg-type]
    assert ends(interval(joint, "mood")) == ends(interval(of(a, b, MEDIAN)))
    names = {test: interval(joint, test).of for test in ("permutation", "wilcoxon", "sign", "mood")}
    assert names == {
        "permutation": "difference of means",
        "wilcoxon": "pseudo-median of the differences",
        "sign": "wins minus losses per item",
        "mood": "difference of medians",
    }


# -- 10. how many items a verdict hangs on ---------------------------------------------------------


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


def test_the_items_to_turn_are_known_at_levels_that_doubles_next_to_one_cannot_tell() -> None:
    """With k of 95 wins turned, p = P(X >= 95 - k) of 95 fair coins, two-sided."""
    scores = Scores.from_arrays({"a": [0] * 100, "b": [1] * 95 + [0] * 5})
    for alpha in (0.05, 1e-10, 1e-20):
        tails = [2 * sum(math.comb(95, j) for j in range(k + 1)) / 2**95 for k in range(48)]
        expected = next(k for k, p in enumerate(tails) if p > alpha)
        assert bt.compare(scores, "a", "b", alpha=alpha).turned == expected
