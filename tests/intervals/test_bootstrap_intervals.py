"""Bootstrap intervals of scores and differences, against all resamples, plain loops and scipy."""

import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri

import betterthan as bt
from betterthan import metrics
from betterthan.data.pairing import joint_of
from betterthan.errors import UsageError
from betterthan.intervals.bootstrapped import IntervalKind, Method
from betterthan.intervals.quantiles import (
    SampledLaw,
    corrected_tails,
    expanded_tail,
    percentile_ends,
    quantile_error,
)
from betterthan.numeric import Alternative
from betterthan.resampling.draws import bootstrap_counts
from betterthan.testing.ideal_law import NEAR, CertifiedLaw, IdealLaw
from oracles_bootstrap import quantiles, resampled_law

Floats = NDArray[np.float64]


def f1(x: NDArray[Any]) -> float:
    tp, fp, fn = x.sum(axis=0)
    return float(2 * tp / (2 * tp + fp + fn))


# -- all resamples ------------------------------------------------------------------------------


@st.composite
def ratios(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Counts of two systems and the denominator that they share."""
    rows = []
    for _ in range(draw(st.integers(2, 4))):
        total = draw(st.integers(1, 4))
        rows.append((draw(st.integers(0, total)), draw(st.integers(0, total)), total))
    return rows


@given(ratios(), st.sampled_from([0.5, 0.9, 0.95]), st.sampled_from(["percentile", "basic"]))
@settings(max_examples=50, deadline=None)
def test_ideal_intervals_are_quantiles_of_all_resamples(
    rows: list[tuple[int, int, int]], confidence: float, kind: IntervalKind
) -> None:
    a, b = (np.array([(row[k], row[2]) for row in rows]) for k in (0, 1))
    units = [[row] for row in rows]
    tail = (1 - Fraction(str(confidence))) / 2

    def gain(drawn: Any) -> Fraction:
        return Fraction(sum(row[1] - row[0] for row in drawn), sum(row[2] for row in drawn))

    def score(drawn: Any) -> Fraction:
        return Fraction(sum(row[0] for row in drawn), sum(row[2] for row in drawn))

    for second, statistic in ((b, gain), (None, score)):
        low, high = quantiles(resampled_law(units, statistic), tail)
        if kind == "basic":
            low, high = 2 * statistic(rows) - high, 2 * statistic(rows) - low
        made = bt.bootstrap_interval(
            a, second, "token-accuracy", kind=kind, alpha=round(1 - confidence, 9)
        )
        assert made.method == f"ideal {kind} bootstrap"
        assert made.low == pytest.approx(float(low), abs=1e-12)
        assert made.high == pytest.approx(float(high), abs=1e-12)
        assert made.level == pytest.approx(confidence)
        assert made.error == 0.0


@given(ratios(), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=60, deadline=None)
def test_ideal_bca_is_efrons_over_all_resamples(
    rows: list[tuple[int, int, int]], confidence: float
) -> None:
    a, b = (np.array([(row[k], row[2]) for row in rows]) for k in (0, 1))

    def gain(drawn: Any) -> Fraction:
        return Fraction(sum(row[1] - row[0] for row in drawn), sum(row[2] for row in drawn))

    law, estimate = resampled_law([[row] for row in rows], gain), gain(rows)
    left_out = np.array([float(gain(rows[:k] + rows[k + 1 :])) for k in range(len(rows))])
    u, tail = left_out.mean() - left_out, (1 - confidence) / 2
    assume(not 0 < (u**2).sum() < 1e-20)
    a_hat = (u**3).sum() / (6 * (u**2).sum() ** 1.5) if u.any() else 0.0
    below = sum(p if x < estimate else p / 2 for x, p in law.items() if x <= estimate)
    z0 = ndtri(float(below))
    shares = [ndtr(z0 + z / (1 - a_hat * z)) for z in (z0 + ndtri(tail), z0 - ndtri(tail))]
    low = min(x for x in law if sum(p for y, p in law.items() if y <= x) >= shares[0] - 1e-12)
    high = max(x for x in law if sum(p for y, p in law.items() if y >= x) >= 1 - shares[1] - 1e-12)
    made = bt.bootstrap_interval(
        a, b, "token-accuracy", alpha=round(1 - confidence, 9), method="ideal"
    )
    assert (made.method, made.error) == ("ideal BCa bootstrap", 0.0)
    assert (made.low, made.high) == pytest.approx((float(low), float(high)), abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=4),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_ideal_intervals_of_means_in_clusters(
    rows: list[tuple[int, int]], labels: list[int]
) -> None:
    clusters = labels[: len(rows)]
    assume(len(set(clusters)) > 1)
    units = [
        [row for row, label in zip(rows, clusters, strict=True) if label == one]
        for one in sorted(set(clusters))
    ]
    law = resampled_law(units, lambda drawn: Fraction(sum(y - x for x, y in drawn), len(drawn)))
    low, high = quantiles(law, Fraction(1, 20))
    a, b = np.array(rows).T
    made = bt.bootstrap_interval(
        a / 10, b / 10, clusters=clusters, kind="percentile", alpha=0.1, method="ideal"
    )
    assert (made.low, made.high) == pytest.approx((float(low) / 10, float(high) / 10), abs=1e-12)


def test_the_f1_of_one_system_has_an_ideal_interval_and_a_difference_has_none() -> None:
    a, b = np.random.default_rng(0).integers(0, 6, (2, 60, 3))
    ideal = bt.bootstrap_interval(a, metric="f1", kind="percentile")
    assert ideal.method == "ideal percentile bootstrap"
    sampled = bt.bootstrap_interval(
        a, metric="f1", kind="percentile", method="sample", resamples=40_000, rng=1
    )
    assert sampled.method == "percentile bootstrap (40,000 resamples)"
    assert 0 < sampled.error < 0.01
    assert sampled.low == pytest.approx(ideal.low, abs=2 * sampled.error)
    assert sampled.high == pytest.approx(ideal.high, abs=2 * sampled.error)
    assert "ideal" not in bt.bootstrap_interval(a, b, "f1", kind="percentile", rng=0).method


# -- plain loops and scipy ----------------------------------------------------------------------


def textbook_bca(
    drawn: Floats, left_out: Floats, estimate: float, confidence: float
) -> list[float]:
    """Efron (1987) as textbooks print it; order statistics instead of interpolation."""
    z0 = ndtri(((drawn < estimate).mean() + (drawn <= estimate).mean()) / 2)
    u = left_out.mean() - left_out
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    ordered, b, ends = np.sort(drawn), len(drawn), []
    for alpha in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = z0 + ndtri(alpha)
        share = ndtr(z0 + z / (1 - a * z))
        # The lower end's rank is rounded down, the upper one's up: away from the middle.
        rank = math.floor((b + 1) * share) if alpha < 0.5 else math.ceil((b + 1) * share)
        ends.append(float(ordered[rank - 1]))
    return ends


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("single", [False, True])
def test_sampled_intervals_against_plain_loops(clustered: bool, single: bool) -> None:
    rng = np.random.default_rng(3)
    n, seed, resamples = 40, 11, 2000
    a, b = rng.integers(0, 6, (2, n, 3))
    labels = rng.integers(0, 12, n) if clustered else np.arange(n)
    units = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    # Units are drawn in the order of their sums: twice tp over predicted and gold, of either.
    weights = np.array([[2, 0, 0], [2, 1, 1]]).T
    columns = a @ weights if single else np.hstack([a @ weights, b @ weights])
    units.sort(key=lambda unit: (*columns[unit].sum(axis=0), len(unit)))

    def statistic(rows: NDArray[Any]) -> float:
        return f1(a[rows]) if single else f1(b[rows]) - f1(a[rows])

    counts = np.concatenate(list(bootstrap_counts(len(units), resamples, seed)))
    drawn = np.array(
        [
            statistic(
                np.concatenate([u for u, c in zip(units, row, strict=True) for _ in range(c)])
            )
            for row in counts
        ]
    )
    everything = np.arange(n)
    left_out = np.array([statistic(np.setdiff1d(everything, unit)) for unit in units])
    estimate = statistic(everything)
    ordered = np.sort(drawn)
    low, high = ordered[math.floor(2001 * 0.025) - 1], ordered[-math.floor(2001 * 0.025)]
    expected = {
        "percentile": [low, high],
        "basic": [2 * estimate - high, 2 * estimate - low],
        "bca": textbook_bca(drawn, left_out, estimate, 0.95),
    }
    for kind, ends in expected.items():
        made = bt.bootstrap_interval(
            a,
            None if single else b,
            "f1",
            kind=cast(IntervalKind, kind),
            clusters=labels if clustered else None,
            method="sample",
            resamples=resamples,
            workers=2,
            rng=seed,
        )
        assert [made.low, made.high] == pytest.approx(ends, abs=1e-12)
        assert made.method == f"{kind if kind != 'bca' else 'BCa'} bootstrap (2,000 resamples)"


def test_bca_of_a_difference_agrees_with_scipy() -> None:
    a, b = np.random.default_rng(7).exponential([[1.0], [1.3]], size=(2, 50))
    errors = {"a": a, "b": b}
    made = bt.bootstrap_interval(errors["a"], errors["b"], method="sample", resamples=40_000, rng=2)
    peer = stats.bootstrap(
        (a, b),
        lambda x, y, axis: (y - x).mean(axis=axis),
        paired=True,
        n_resamples=40_000,
        method="BCa",
        rng=5,
    ).confidence_interval
    assert made.low == pytest.approx(peer.low, abs=2 * made.error)
    assert made.high == pytest.approx(peer.high, abs=2 * made.error)


# -- degenerate data, sides and errors ----------------------------------------------------------


@pytest.mark.parametrize("kind", ["bca", "percentile", "basic"])
def test_degenerate_data_have_defined_intervals(kind: IntervalKind) -> None:
    # BCa in other tools is NaN for identical systems.
    x = np.random.default_rng(0).normal(size=20)
    methods: tuple[Method, ...] = ("auto", "sample")
    for method in methods:
        same = bt.bootstrap_interval(x, x, kind=kind, method=method, rng=0)
        assert (same.low, same.high, same.error) == (0.0, 0.0, 0.0)
        always = bt.bootstrap_interval([1] * 9, [3] * 9, kind=kind, method=method, rng=0)
        assert (always.low, always.high) == (2.0, 2.0)
        nothing = bt.bootstrap_interval(
            np.zeros((5, 2)), metric="wer", kind=kind, method=method, rng=0
        )
        assert (nothing.low, nothing.high) == (0.0, 0.0)
    for metric in ("mean", "median"):
        alone = bt.bootstrap_interval([1.5], [2.5], metric, kind=kind)
        assert (alone.low, alone.high, alone.method) == (
            -math.inf,
            math.inf,
            "unbounded: one unit",
        )


def test_empty_denominators_in_some_resamples_count_as_zero() -> None:
    a = np.array([[1, 2], [0, 0], [0, 0]])
    made = bt.bootstrap_interval(a, metric="token-accuracy", kind="percentile", alpha=0.7, rng=0)
    # 8 of 27 resamples have no token at all and score 0; the others score 1/2.
    assert (made.low, made.high) == (0.5, 0.5)
    wide = bt.bootstrap_interval(a, metric="token-accuracy", kind="percentile", alpha=0.5, rng=0)
    assert (wide.low, wide.high) == (0.0, 0.5)


@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_one_sided_intervals_share_an_end_with_wider_ones(kind: IntervalKind) -> None:
    a, b = np.random.default_rng(1).integers(0, 9, (2, 40))
    both = bt.bootstrap_interval(a, b, kind=kind, alpha=0.1, rng=3)
    for alternative, ends in (("greater", (both.low, math.inf)), ("less", (-math.inf, both.high))):
        side = cast(Alternative, alternative)
        made = bt.bootstrap_interval(a, b, kind=kind, alpha=0.05, alternative=side, rng=3)
        assert (made.low, made.high) == pytest.approx(ends)
        assert made.level == 0.95


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"kind": "magic"}, None),
        ({"method": "smple"}, "sample"),
        ({"method": "ideal", "metric": "median"}, "auto"),
        ({"method": "ideal", "kind": "basic", "metric": "median"}, "auto"),
        ({"alpha": 95}, None),
        ({"resamples": 0}, 1),
        ({"workers": 0}, None),
        ({"alternative": "two_sided"}, "two-sided"),
    ],
)
def test_the_remedy_of_a_bad_question_is_data(options: dict[str, Any], remedy: object) -> None:
    with pytest.raises(UsageError) as caught:
        bt.bootstrap_interval([1, 2, 3], [2, 2, 5], **options)
    found = caught.value.remedy
    assert (found and found.value) == remedy
    assert found is None or found.parameter in options


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("clusters", [None, np.arange(400) // 5])
def test_certified_ends_are_next_to_those_of_the_lattice(
    confidence: float, clusters: NDArray[np.int64] | None
) -> None:
    """Whole numbers have both laws: of the lattice, and as if there were none."""
    a, b = np.random.default_rng(3).integers(0, 10_000, size=(2, 400))
    pair = joint_of({"a": a, "b": b}, metrics.mean(), clusters).pair(0, 1)
    tails = ((1 - confidence) / 2, (1 - confidence) / 3)
    low, high = IdealLaw.of(pair).between(*tails)
    law = CertifiedLaw.of(pair, 1e-3)
    wide = 2 * NEAR * law.standard_error + 1 / 400
    made = law.between(*tails)
    assert low - wide <= made[0] <= low
    assert high <= made[1] <= high + wide


@pytest.mark.parametrize("alone", [True, False])
def test_ends_of_real_scores_without_a_resample(alone: bool) -> None:
    rng = np.random.default_rng(4)
    a = rng.exponential(size=300)
    b = None if alone else a + rng.normal(0.1, 0.5, size=300)
    kinds: dict[IntervalKind, str] = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
    for kind, name in kinds.items():
        sure = bt.bootstrap_interval(a, b, kind=kind)
        drawn = bt.bootstrap_interval(a, b, kind=kind, method="sample", resamples=100_000, rng=1)
        assert sure.method == f"ideal {name} bootstrap"
        assert 0 < sure.error < drawn.error
        assert sure.low == pytest.approx(drawn.low, abs=2 * drawn.error)
        assert sure.high == pytest.approx(drawn.high, abs=2 * drawn.error)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_end_beyond_which_no_resample_lies_is_looked_for_all_the_same(sign: float) -> None:
    """One outlier: a normal law would end the interval below the least that a resample can be."""
    rng = np.random.default_rng(8)
    gains = sign * np.append(rng.uniform(0.5, 1.0, 39), 40.0 * math.pi)
    drawn = rng.choice(gains, size=(200_000, 40)).mean(axis=1)
    expected = np.percentile(drawn, [2.5, 97.5])
    found = bt.bootstrap_interval(np.zeros(40), gains, kind="percentile", rng=0)
    near = 0.02 * gains.std() / math.sqrt(40)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=near)


# -- ends from replicates --------------------------------------------------------------------------

finite = st.floats(-1e6, 1e6)
tails = st.sampled_from([0.25, 0.05, 0.025, 0.005])


@given(st.lists(finite, min_size=1, max_size=60), tails)
@settings(max_examples=100, deadline=None)
def test_percentile_ends_are_order_statistics_and_change_sign_with_the_data(
    values: list[float], tail: float
) -> None:
    law, mirror = (SampledLaw(np.sort(sign * np.array(values)), 0.0) for sign in (1, -1))
    low, high = law.between(tail, tail)
    k = max(1, math.floor(Fraction(len(values) + 1) * Fraction(str(tail))))
    ordered = sorted(values)
    assert (low, high) == (ordered[k - 1], ordered[-k])
    assert mirror.between(tail, tail) == (-high, -low)
    columns = np.array([values, [-v for v in values]]).T
    lows, highs = percentile_ends(columns, tail)
    assert (lows.tolist(), highs.tolist()) == ([low, -high], [high, -low])


def test_bca_without_bias_or_skewness_is_the_percentile_interval() -> None:
    for left_out in ([1.0, 2.0, 3.0], [2.0, 2.0]):
        values = np.array(left_out)
        tails = corrected_tails(0.5, values, np.ones(values.size), 0.05)
        assert tails == pytest.approx((0.05, 0.05))


@pytest.mark.parametrize(
    ("left_out", "below", "why"),
    [
        ([0.0, 1.0], 1.0, "outside its replicates"),
        ([0.0, 1.0], 0.0, "outside its replicates"),
        ([0.0, math.nan], 0.5, "undefined"),
        ([-1.0] + [0.0] * 999, 0.999995, "too large"),
    ],
)
def test_bca_where_it_does_not_exist(left_out: list[float], below: float, why: str) -> None:
    tails = corrected_tails(below, np.array(left_out), np.ones(len(left_out)), 0.025)
    assert isinstance(tails, str)
    assert why in tails


@given(st.integers(400, 900), st.sampled_from([0.025, 0.5, 0.9]))
@settings(max_examples=40)
def test_the_error_of_a_quantile_is_half_its_99_percent_interval(b: int, q: float) -> None:
    """At most half the error at either end, and one rank further in would be too much."""
    law = stats.binom(b, q)
    low = max(k for k in range(b) if law.cdf(k - 1) <= 0.005)  # fewer than k lie below
    high = min(k for k in range(1, b + 2) if law.sf(k - 1) <= 0.005)
    expected = (high - low) / 2 if low >= 1 and high <= b else math.inf
    assert quantile_error(np.arange(1.0, b + 1), q, 1.0 - q) == expected


@pytest.mark.parametrize(("units", "strata"), [(8, 1), (20, 1), (12, 3)])
def test_the_expanded_level_makes_a_normal_interval_as_wide_as_students(
    units: int, strata: int
) -> None:
    """Resamples within strata of one size have (units - strata) / units of the variance."""
    tail = expanded_tail(0.05, units, strata)
    resampled = math.sqrt((units - strata) / units) * stats.norm.isf(tail)
    assert resampled == pytest.approx(stats.t.ppf(0.95, units - strata))


def test_nothing_is_expanded_without_degrees_of_freedom() -> None:
    assert expanded_tail(0.05, 3, 3) == 0.05
