"""Tests against a margin: exact unconditional p-values and bounds, and their validity."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import betainc

from betterthan.data.pairing import pair_of
from betterthan.intervals import unconditional
from betterthan.intervals.binary import tango, tango_score
from betterthan.intervals.bounded import BoundedRatio, bounded_ratio
from betterthan.intervals.gaffke import MOST_DISTINCT, gaffke_pvalue
from betterthan.intervals.margins import margin_tests
from betterthan.intervals.unconditional import BETA, unconditional_bound, unconditional_pvalue
from betterthan.metrics import F1, Metric, mean
from betterthan.metrics.named import ERROR_RATE, RECALL, WER

Floats = NDArray[np.float64]


def outcomes(n: int) -> Iterator[tuple[int, int]]:
    return ((w, lost) for w in range(n + 1) for lost in range(n + 1 - w))


def trinomial(n: int, win: Fraction, loss: Fraction) -> dict[tuple[int, int], Fraction]:
    """Law of (wins, losses), in true fractions."""
    tie = 1 - win - loss
    return {
        (w, lost): math.comb(n, w)
        * math.comb(n - w, lost)
        * win**w
        * loss**lost
        * tie ** (n - w - lost)
        for w, lost in outcomes(n)
    }


def z_of(w: int, lost: int, n: int, delta: float) -> float:
    """Tango's score by maximising the restricted likelihood on a fine grid, as it is defined."""
    q = np.linspace(max(-delta, 0.0) + 1e-12, 1.0 - 1e-12, 200_001)  # P(loss), win = q + delta
    win = q + delta
    inside = (win > 0) & (q + win < 1)
    q, win = q[inside], win[inside]
    log = w * np.log(win) + lost * np.log(q) + (n - w - lost) * np.log1p(-q - win)
    best = q[int(np.argmax(log))]
    return (w - lost - n * delta) / math.sqrt(n * (2 * best + delta - delta**2))


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.data(), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_score_is_that_of_the_restricted_likelihood(
    n: int, data: st.DataObject, margin: float
) -> None:
    w = data.draw(st.integers(1, n - 1))
    lost = data.draw(st.integers(0, n - w))
    if w + lost == n:
        return  # the maximum is at the edge of the grid
    found = float(tango_score(w, lost, n, -margin))
    assert found == pytest.approx(z_of(w, lost, n, -margin), rel=1e-3, abs=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 9), st.data(), st.sampled_from([0.0, 0.1, 0.25, -0.1]))
def test_the_pvalue_is_the_maximum_over_the_nuisance(
    n: int, data: st.DataObject, margin: float
) -> None:
    w = data.draw(st.integers(0, n))
    lost = data.draw(st.integers(0, n - w))
    least, pvalue = unconditional_pvalue(w, lost, n, -margin)

    def z(x: int, y: int) -> float:
        return float(tango_score(x, y, n, -margin))

    region = [(x, y) for x, y in outcomes(n) if z(x, y) >= z(w, lost) - 1e-7]
    # The shares of disagreement that Clopper and Pearson do not exclude, by scipy.
    ends = stats.binomtest(w + lost, n).proportion_ci(1 - BETA, method="exact")
    low, high = (max(float(end), abs(margin)) for end in ends)
    tolerated = Fraction(margin)
    worst = Fraction(0)
    for k in range(151):
        share = min(
            Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(k, 150), Fraction(1)
        )
        share = max(share, abs(tolerated))
        law = trinomial(n, (share - tolerated) / 2, (share + tolerated) / 2)
        worst = max(worst, sum((law[at] for at in region), Fraction(0)))
    # The certified bracket may exceed the maximum by its tolerance, the grid miss it by a little.
    most = math.sin(min(math.asin(math.sqrt(min(float(worst), 1.0))) + 1e-3, math.pi / 2)) ** 2
    certain = 1e-3 * (worst > 0.99)  # p-values next to one are not told apart
    assert float(worst) <= pvalue <= most + 3 * BETA + certain
    assert least <= pvalue


@pytest.mark.parametrize("n", [1, 2, 7, 15])
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.2, 0.7])
def test_the_score_orders_outcomes_as_the_proof_needs(n: int, margin: float) -> None:
    # Hsueh, Liu & Chen (2001): a further win, or a loss less, is never weaker evidence.
    table = {at: float(tango_score(*at, n, -margin)) for at in outcomes(n)}
    for (w, lost), z in table.items():
        for better in ((w + 1, lost), (w, lost - 1), (w + 1, lost - 1)):
            if better in table:
                assert table[better] >= z - 1e-9


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 120), st.data(), st.sampled_from([0.05, 0.01]))
def test_bounds_invert_the_test(n: int, data: st.DataObject, alpha: float) -> None:
    w = data.draw(st.integers(0, n))
    lost = data.draw(st.integers(0, n - w))
    bound = unconditional_bound(w, lost, n, alpha)
    assert bound <= (w - lost) / n
    if bound > -0.999:
        assert unconditional_pvalue(w, lost, n, bound)[0] <= alpha * 1.02
    inside = bound + 0.03 * ((w - lost) / n - bound) + 1e-6
    if inside < (w - lost) / n:
        assert unconditional_pvalue(w, lost, n, inside)[1] > alpha * 0.85


def test_shares_are_summed_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate of a hundred parts has two hundred bounds: one share at a time took 20 seconds."""
    calls: list[int] = []

    def counted(a: Floats, b: Floats, x: Floats) -> Floats:
        calls.append(np.size(x))
        return np.asarray(betainc(a, b, x))

    monkeypatch.setattr(unconditional, "betainc", counted)
    unconditional_bound(3, 4, 50, 0.05)
    assert len(calls) < 200


def test_memory_changes_no_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = unconditional_pvalue(5, 9, 60, -0.1)
    unconditional_pvalue.cache_clear()
    monkeypatch.setattr(unconditional, "AT_ONCE", 1)
    assert unconditional_pvalue(5, 9, 60, -0.1) == pytest.approx(whole, rel=1e-12)


def test_the_exact_test_is_close_to_the_score_test_with_many_discordant_items() -> None:
    for w, lost, n in ((40, 45, 1000), (240, 165, 1319), (300, 320, 2000)):
        exact = unconditional_pvalue(w, lost, n, -0.02)[1]
        asymptotic = float(stats.norm.sf(tango_score(w, lost, n, -0.02)))
        assert exact == pytest.approx(asymptotic, rel=0.05, abs=3e-6)
        bound = unconditional_bound(w, lost, n, 0.05)
        assert bound == pytest.approx(
            tango(w, lost, n, alpha=0.05, alternative="greater").low, abs=3e-4
        )


def test_identical_systems() -> None:
    assert unconditional_pvalue(0, 0, 50, -0.0)[1] == 1.0
    # No discordant item: the outcome itself has chance (1 - margin)^n where P(loss) = margin.
    assert 0.95**200 <= unconditional_pvalue(0, 0, 200, -0.05)[1] < 1e-3
    assert unconditional_pvalue(0, 0, 20, -0.05)[1] >= 0.95**20


def test_shifted_means_use_the_permutation_test() -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(0.1, 1.0, size=60)
    forward, backward = margin_tests(pair_of(np.zeros(60), d, mean()), assume="shift")
    assert forward.above(-0.2) == pytest.approx(
        stats.ttest_1samp(d, -0.2, alternative="greater").pvalue, abs=0.01
    )
    assert backward.above(0.0) == pytest.approx(1 - forward.above(0.0), abs=1e-2)
    low, high = forward.lower(0.05, -0.2), -backward.lower(0.05, 0.0)
    expected = stats.t.interval(0.9, 59, d.mean(), stats.sem(d))
    assert (low, high) == pytest.approx(expected, abs=0.02)


def test_clusters_use_the_robust_t() -> None:
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(30), 4)[:-3]
    d = np.repeat(rng.normal(0.0, 1.0, size=30), 4)[:-3]
    made = pair_of(np.zeros(117), d, mean(), clusters)
    forward, _ = margin_tests(made, assume="large-sample")
    assert forward.method == "cluster-robust t"
    loose, _ = margin_tests(pair_of(np.zeros(117), d, mean()), assume="large-sample")
    assert forward.lower(0.05, -1.0) < loose.lower(0.05, -1.0)


def test_resampled_metrics_have_bounds_that_agree_with_their_pvalues() -> None:
    rng = np.random.default_rng(7)
    base = rng.integers(0, 4, size=(120, 3))
    new = base + rng.integers(0, 2, size=(120, 3)) * np.array([1, 0, 0])
    forward, backward = margin_tests(pair_of(base, new, F1), assume="large-sample")
    for test, border in ((forward, -0.01), (forward, 0.02), (backward, 0.0), (forward, 0.06)):
        for alpha in (0.01, 0.05, 0.2):
            assert (test.lower(alpha, border) > border) == (test.above(border) <= alpha)
    assert forward.above(0.0) < 0.05
    assert backward.above(0.0) > 0.95


def test_one_unit_shows_nothing() -> None:
    forward, _ = margin_tests(pair_of([[1, 0, 0]], [[1, 1, 1]], F1))
    assert forward.above(-0.5) == 1.0
    assert forward.lower(0.05, -0.5) == -math.inf


# -- bounded values --------------------------------------------------------------------------------


def bounded(totals: Floats, sizes: Floats) -> BoundedRatio:
    """Units whose differences have these sums, of scores between 0 and 1."""
    b = np.column_stack((np.maximum(totals, 0.0), sizes))
    a = np.column_stack((np.maximum(-totals, 0.0), sizes))
    return BoundedRatio(a, b, np.ones(sizes.size), (0.0, 1.0), (0.0, 1.0))


def bounded_pvalue(totals: Floats, sizes: Floats, x: float) -> float:
    return bounded(totals, sizes).above(x)


def bounded_bound(totals: Floats, sizes: Floats, alpha: float) -> float:
    return bounded(totals, sizes).lower(alpha)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.data(), st.floats(0.005, 0.6))
def test_gaffke_of_losses_alone_is_clopper_and_pearson(
    n: int, data: st.DataObject, margin: float
) -> None:
    lost = data.draw(st.integers(0, min(n, 12)))
    d, ones = np.zeros(n), np.ones(n)
    d[:lost] = -1.0
    if lost < n * margin:
        expected = stats.binom.cdf(lost, n, margin)
        assert bounded_pvalue(d, ones, -margin) == pytest.approx(expected, rel=1e-6)
    if lost < n:
        limit = stats.beta.ppf(0.95, lost + 1, n - lost)
        assert bounded_bound(d, ones, 0.05) == pytest.approx(-limit, abs=1e-7)


@settings(max_examples=80, deadline=None)
@given(st.sets(st.integers(-19, 20), min_size=1, max_size=7), st.integers(-19, 19))
def test_gaffke_is_the_law_of_weighted_exponentials(twentieths: set[int], x: int) -> None:
    """P(sum of w E > 0) = sum over positive w_i of prod_j w_i / (w_i - w_j), if all differ."""
    w = [Fraction(t - x, 20) for t in sorted(twentieths)] + [Fraction(-20 - x, 20)]
    above = sum(
        (math.prod((a / (a - b) for b in w if b != a), start=Fraction(1)) for a in w if a > 0),
        start=Fraction(0),
    )
    d = np.array(sorted(twentieths)) / 20
    found = bounded_pvalue(d, np.ones(d.size), x / 20)
    assert found == pytest.approx(float(1 - above), rel=1e-9, abs=1e-300)


def test_a_large_unit_counts_as_its_items_together() -> None:
    sizes = np.array([1.0, 4.0, 2.0])
    # No difference in three units: not above zero if 4 (1 - m) E0 >= m (E1 + 4 E2 + 2 E3).
    m = 0.3
    expected = 1.0
    for size in sizes:  # E0 exceeds each scaled term in turn: it has no memory
        expected *= 1.0 / (1.0 + m * size / (4 * (1 - m)))
    assert bounded_pvalue(np.zeros(3), sizes, -m) == pytest.approx(expected, rel=1e-9)


def test_clusters_without_a_difference_do_not_show_that_there_is_none() -> None:
    same = np.repeat([1.0, 0.0], [35, 15])
    clusters = np.repeat(np.arange(10), 5)
    forward, backward = margin_tests(pair_of(same, same, mean(), clusters))
    assert forward.above(-0.01) == pytest.approx(0.99**10)
    assert forward.lower(0.05, -0.01) == pytest.approx(-(1 - 0.05**0.1), abs=1e-7)
    assert backward.above(0.0) > 0.5


def test_half_a_point_somewhere_does_not_make_zeros_and_ones_surer() -> None:
    base = np.ones(50)
    new = base.copy()
    new[3] = 0.0
    exact, _ = margin_tests(pair_of(base, new, mean()))
    base[0] = new[0] = 0.5
    other, _ = margin_tests(pair_of(base, new, mean()))
    assert exact.above(-0.05) > 0.2
    assert other.above(-0.05) > 0.2
    assert other.lower(0.05, -0.05) < -0.05


@pytest.mark.parametrize("clustered", [False, True])
def test_rare_losses_at_the_boundary_pass_no_more_often_than_alpha(clustered: bool) -> None:
    """Few units lose, each at the margin's rate: the law of their number is binomial."""
    units, margin = (20, 0.1) if clustered else (50, 0.05)
    wrong = 0.0
    for lost in range(units + 1):
        new = np.ones(units)
        new[:lost] = 0.0
        base = np.ones(units)
        if clustered:
            made = pair_of(base.repeat(5), new.repeat(5), mean(), np.arange(units).repeat(5))
        else:
            base[-1] = 0.5
            new[-1] = min(new[-1], 0.5)
            made = pair_of(base, new, mean())
        if margin_tests(made)[0].above(-margin) <= 0.05:
            wrong += stats.binom.pmf(lost, units, margin)
    assert wrong <= 0.05


def test_the_guard_stays_where_differences_are_many() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(0.01, 0.1, size=MOST_DISTINCT + 5001)
    ones = np.ones(values.size)
    whole = gaffke_pvalue(values[:MOST_DISTINCT], ones[:MOST_DISTINCT], -1.0)
    assert 0.0 < whole < 1e-3
    # Neighbours replaced by the lowest of them: never smaller, and hardly larger.
    order = np.sort(values)
    down = gaffke_pvalue(values - 0.01, ones, -1.0)
    true = stats.norm.sf(math.sqrt(values.size) * (values - 0.01).mean() / values.std())
    assert true * 0.9 < down < 0.95
    assert gaffke_pvalue(order, ones, -1.0) == gaffke_pvalue(values, ones, -1.0)


def test_f1_with_shared_denominators_is_a_mean_over_them() -> None:
    rng = np.random.default_rng(9)
    gold = rng.integers(1, 5, size=80)
    hits = [rng.binomial(gold, p) for p in (0.9, 0.8)]
    a, b = (np.column_stack((tp, gold - tp)) for tp in hits)
    forward, _ = margin_tests(pair_of(a, b, RECALL))
    g = (hits[1] - hits[0]) + 0.3 * gold
    assert forward.above(-0.3) == pytest.approx(gaffke_pvalue(g, np.ones(80), -0.7 * gold.max()))


def test_f1_bounds_allow_for_every_score_that_the_baseline_may_have() -> None:
    rng = np.random.default_rng(10)
    base = rng.integers(0, 4, size=(60, 3))
    new = base.copy()
    new[::7, 1] += 2
    made = bounded_ratio(pair_of(base, new, F1))
    assert made is not None
    low, high = made.references.min(), made.references.max()
    score = F1.score(base.astype(float))
    assert low < score < high
    # Denser than the grid: nothing lies above what is found.
    (n, d), (m, e) = made.a.T, made.b.T
    for r in np.linspace(low, high, 101):
        g = (m - r * e) - (n - r * d) + 0.1 * e
        least = made.largest * (min(0.1 - r, 0.0) - (1 - r))
        assert gaffke_pvalue(g, made.counts, least) <= made.above(-0.1)
    for alpha in (0.01, 0.05, 0.3):
        test = margin_tests(pair_of(base, new, F1))[0]
        assert (test.lower(alpha, -0.1) > -0.1) == (test.above(-0.1) <= alpha)


@pytest.mark.parametrize(
    ("metric", "known"),
    [(mean(), True), (mean(lower_is_better=True), False), (WER, False), (ERROR_RATE, True)],
)
def test_latencies_below_one_are_not_taken_for_rates(metric: Metric, known: bool) -> None:
    shape = (30, len(metric.columns))
    values = np.full(shape, 0.5) if metric.form == "mean" else np.tile([1, 2], (30, 1))
    made = bounded_ratio(pair_of(values, values, metric))
    assert (made is not None) == known
    assert bounded_ratio(pair_of(values, values, metric), (0.0, 3.0)) is not None


# -- validity at the boundary ----------------------------------------------------------------------


def rejection_probability(n: int, margin: float, share: Floats, critical: float) -> Floats:
    """P(score >= critical) on the boundary, by summing the whole trinomial table."""
    w, lost = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = w + lost <= n
    w, lost = w[inside], lost[inside]
    hit = tango_score(w, lost, n, -margin) >= critical
    w, lost = w[hit], lost[hit]
    log = (
        math.lgamma(n + 1)
        - np.array([math.lgamma(k + 1) for k in range(n + 1)])[w]
        - np.array([math.lgamma(k + 1) for k in range(n + 1)])[lost]
        - np.array([math.lgamma(k + 1) for k in range(n + 1)])[n - w - lost]
    )
    found = []
    for q in share:
        win, loss = (q - margin) / 2, (q + margin) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = log + np.where(w > 0, w * np.log(win), 0.0) + lost * np.log(loss)
            terms = terms + np.where(n - w - lost > 0, (n - w - lost) * np.log1p(-q), 0.0)
        found.append(float(np.exp(terms).sum()))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "margin", "most"), [(50, 0.02, 0.5), (200, 0.03, 0.5), (1000, 0.01, 0.03)]
)
def test_type_one_error_at_the_boundary(n: int, margin: float, most: float) -> None:
    """The exact test keeps its level whatever the nuisance; Tango's score test does not."""
    alpha = 0.05
    share = np.unique(
        np.concatenate(
            [np.geomspace(margin, most, 40), margin + np.geomspace(1e-6, most - margin, 40)]
        )
    )
    tango_size = rejection_probability(n, margin, share, float(stats.norm.isf(alpha))).max()
    assert tango_size > alpha
    # What the exact test rejects, outcome by outcome: the first rejection does not fall as the
    # losses rise, so that it is found by going on from the one before.
    loss, win = (share + margin) / 2, (share - margin) / 2
    size = np.zeros(share.size)
    first = 0
    for lost in range(n + 1):
        chance = stats.binom.pmf(lost, n, loss)
        if lost > n * loss.max() and chance.max() < 1e-8:
            break
        while first <= n - lost and (unconditional_pvalue(first, lost, n, -margin)[1] > alpha):
            first += 1
        size += chance * stats.binom.sf(first - 1, n - lost, win / (1 - loss))
    assert size.max() <= alpha + 1e-6
    assert size.max() > 0.5 * alpha  # and it is not merely timid


@pytest.mark.slow
@pytest.mark.parametrize(("n", "margin"), [(50, 0.05), (200, 0.02), (1000, 0.01)])
def test_simulated_type_one_error_with_few_discordant_pairs(n: int, margin: float) -> None:
    rng = np.random.default_rng(n)
    for share in (margin, 2 * margin):
        drawn = rng.multinomial(
            n, [(share - margin) / 2, (share + margin) / 2, 1 - share], size=4000
        )
        outcome, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
        rejected = [
            unconditional_pvalue(int(w), int(lost), n, -margin)[1] <= 0.05 for w, lost in outcome
        ]
        rate = float(times @ np.array(rejected)) / 4000
        assert rate <= 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / 4000)
