"""The classic tests against enumeration, SciPy, statsmodels, published numbers and mpmath."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from betterthan import mcnemar, mood_test, sign_test, t_test, wilcoxon
from betterthan.errors import Remedy, remedy_of
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Alternative
from betterthan.testing.ranks import pseudo_median
from betterthan.testing.tails import median_table_pvalue, t_pvalue
from oracles import enumerate_pvalue, signed_sum_pvalue

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
ZEROS = ("wilcox", "pratt", "zsplit")
scores = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)
sides = st.sampled_from(SIDES)


def columns(rows: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in rows], [b for _, b in rows]


def table(wins: int, losses: int, ties: int = 0) -> tuple[list[int], list[int]]:
    return [0] * wins + [1] * losses + [0] * ties, [1] * wins + [0] * losses + [0] * ties


@given(rows=scores, alternative=sides)
@settings(deadline=None, max_examples=60)
def test_sign_test_by_enumeration(rows: list[tuple[int, int]], alternative: Alternative) -> None:
    a, b = columns(rows)

    def balance(u: Sequence[int], v: Sequence[int]) -> Fraction:
        return Fraction(sum((y > x) - (y < x) for x, y in zip(u, v, strict=True)))

    result = sign_test(a, b, alternative=alternative)
    assert result.pvalue == float(enumerate_pvalue(a, b, balance, alternative))
    assert result.statistic == sum(y > x for x, y in rows)


@given(wins=st.integers(0, 40), losses=st.integers(0, 40), continuity=st.booleans())
@settings(deadline=None, max_examples=80)
def test_mcnemar_against_statsmodels(wins: int, losses: int, continuity: bool) -> None:
    (a, b), counts = table(wins, losses, 3), [[0, wins], [losses, 3]]
    if wins == losses:  # statsmodels corrects a difference of zero away from zero
        return
    assert mcnemar(a, b).pvalue == pytest.approx(statsmodels_mcnemar(counts).pvalue, rel=1e-12)
    expected = statsmodels_mcnemar(counts, exact=False, correction=continuity)
    result = mcnemar(a, b, variant="chi2", continuity=continuity)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    z = (wins - losses - continuity) / math.sqrt(wins + losses)
    better = mcnemar(a, b, variant="chi2", continuity=continuity, alternative="greater")
    assert better.pvalue == pytest.approx(stats.norm.sf(z), rel=1e-12)


@given(wins=st.integers(0, 12), losses=st.integers(0, 12), alternative=sides)
@settings(deadline=None, max_examples=100)
def test_mid_p_in_fractions(wins: int, losses: int, alternative: Alternative) -> None:
    n = wins + losses
    if n == 0:
        return
    mass = {k: Fraction(math.comb(n, k), 2**n) for k in range(n + 1)}
    position: dict[str, Callable[[int], int]] = {
        "two-sided": lambda k: abs(2 * k - n),
        "greater": lambda k: k,
        "less": lambda k: -k,
    }
    at = position[alternative]
    beyond = sum(m for k, m in mass.items() if at(k) > at(wins))
    level = sum(m for k, m in mass.items() if at(k) == at(wins))
    result = mcnemar(*table(wins, losses), variant="mid-p", alternative=alternative)
    assert result.fraction == beyond + level / 2


def test_mid_p_beyond_fractions() -> None:
    """2 P(X <= k) - P(X = k), far out in the tail, by mpmath."""
    wins, losses = 30_400, 29_600
    with mpmath.workdps(40):
        n, k = wins + losses, losses
        law = [mpmath.binomial(n, j) / mpmath.mpf(2) ** n for j in range(k - 2500, k + 1)]
        expected = 2 * mpmath.fsum(law) - law[-1]
    result = mcnemar(*table(wins, losses), variant="mid-p")
    assert result.pvalue == pytest.approx(float(expected), rel=1e-10)


# R package contingencytables (tests of chapter 8), complete response before and after consolidation
# therapy (Cavo et al., 2012): 59, 6 / 16, 80.
@pytest.mark.parametrize(
    ("options", "published"),
    [
        ({"variant": "exact"}, 0.052479),
        ({"variant": "mid-p"}, 0.034690),
        ({"variant": "chi2", "continuity": False}, 0.033006),
        ({"variant": "chi2"}, 0.055009),
    ],
)
def test_mcnemar_published(options: dict[str, Any], published: float) -> None:
    assert round(mcnemar(*table(16, 6, 139), **options).pvalue, 6) == published


# --- Wilcoxon ---------------------------------------------------------------------------------


def rank_balance(zeros: str) -> Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction]:
    """W+ minus W-, as in the textbook: rank the sizes, share ranks among ties, add them up."""

    def statistic(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
        d = [y - x for x, y in zip(u, v, strict=True)]
        ranked = [x for x in d if x != 0 or zeros != "wilcox"]
        plus, minus = Fraction(0), Fraction(0)
        for x in ranked:
            below = sum(abs(y) < abs(x) for y in ranked)
            level = sum(abs(y) == abs(x) for y in ranked)
            rank = below + Fraction(level + 1, 2)
            if x > 0 or (x == 0 and zeros == "zsplit"):
                plus += rank if x else rank / 2
            if x < 0 or (x == 0 and zeros == "zsplit"):
                minus += rank if x else rank / 2
        return plus - minus

    return statistic


@pytest.mark.parametrize("zeros", ZEROS)
@given(rows=scores, alternative=sides)
@settings(deadline=None, max_examples=60)
def test_wilcoxon_by_enumeration(
    zeros: str, rows: list[tuple[int, int]], alternative: Alternative
) -> None:
    a, b = columns(rows)
    u, v = [Fraction(x) for x in a], [Fraction(x) for x in b]
    expected = enumerate_pvalue(u, v, rank_balance(zeros), alternative)
    result = wilcoxon(a, b, zeros=zeros, alternative=alternative)  # type: ignore[arg-type]
    assert result.pvalue == float(expected)
    # The same data in tenths and thirds, with all their float noise.
    for unit in (0.1, 1 / 3):
        noisy = wilcoxon(
            [7.7 + x * unit for x in a],
            [7.7 + x * unit for x in b],
            zeros=zeros,  # type: ignore[arg-type]
            alternative=alternative,
        )
        assert noisy.pvalue == result.pvalue
        assert noisy.statistic == result.statistic


@pytest.mark.parametrize("zeros", ZEROS)
@given(rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20))
@settings(deadline=None, max_examples=40)
def test_rank_sums_against_scipy(zeros: Any, rows: list[tuple[int, int]]) -> None:
    a, b = columns(rows)
    if a != b:  # scipy divides by zero
        options = {"alternative": "greater", "method": "asymptotic"}
        expected = stats.wilcoxon(b, a, zero_method=zeros, **options).statistic
        assert wilcoxon(a, b, zeros=zeros).statistic == expected


def test_wilcoxon_published() -> None:
    """The R package exactRankTests, wilcox.exact, as printed on the R-help list."""
    # Bortz, Lienert & Boehnke, quoted by S. Grosse, 25 August 2006: V = 13, p-value = 0.1367.
    x1 = [9, 14, 8, 11, 14, 10, 8, 14, 12, 14, 13, 9, 15, 12, 9]
    x2 = [13, 15, 9, 12, 16, 10, 8, 13, 12, 16, 9, 10, 16, 12, 9]
    result = wilcoxon(x2, x1)
    assert (result.statistic, round(result.pvalue, 4)) == (13.0, 0.1367)
    # D. Steele, 9 February 2010, against a median of 119: V = 65.5, p-value = 0.771.
    x = [136, 103, 91, 122, 96, 145, 140, 138, 126, 120, 99, 125, 91, 142, 119, 137]
    result = wilcoxon([119] * 16, x)
    assert (result.statistic, round(result.pvalue, 3)) == (65.5, 0.771)


def test_wilcoxon_of_many_items() -> None:
    """Against the exact count of subsets of the ranks 1..n, by dynamic programming."""
    n = 200
    rng = np.random.default_rng(2)
    d = rng.normal(0.5, 1, n)
    ways = [1]
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        for k, count in enumerate(ways):
            longer[k + rank] += count
        ways = longer
    plus = int(stats.rankdata(np.abs(d))[d > 0].sum())
    expected = Fraction(sum(ways[plus:]), 2**n)
    result = wilcoxon(np.zeros(n), d, alternative="greater")
    assert result.statistic == plus
    assert result.pvalue == pytest.approx(float(expected), rel=1e-10)


def test_a_lattice_too_fine_is_bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    a, b = rng.normal(0, 1, 400), rng.normal(0.2, 1, 400)
    exact = wilcoxon(a, b)

    def refuse(*_: object) -> None:
        raise BudgetExceededError("too fine")

    monkeypatch.setattr(SignedSum, "pvalue", refuse)
    bracket = wilcoxon(a, b)
    assert bracket.kind == "certified"
    assert bracket.pvalue_low <= exact.pvalue <= bracket.pvalue_high
    assert bracket.pvalue_high / bracket.pvalue_low < 1.01


@given(
    st.lists(
        st.integers(-9, 9) | st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=1, max_size=12
    )
)
@settings(deadline=None, max_examples=60)
def test_pseudo_median(values: list[float]) -> None:
    pairs = itertools.combinations_with_replacement(values, 2)
    expected = np.median([(x + y) / 2 for x, y in pairs])
    assert pseudo_median(np.array(values), np.ones(len(values), dtype=int)) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("kind", ["real", "tied", "gap"])
def test_pseudo_median_of_many(kind: str) -> None:
    rng = np.random.default_rng(4)
    for n in (1500, 1501, 1502, 1503):
        values = rng.standard_t(2, n)
        if kind == "tied":  # half of all pairs have the same sum
            values[: 3 * n // 4] = 0.125
        if kind == "gap":  # 492 * 493 = 696 * 697 / 2: half of all pairs lie below, half beyond
            values = np.concatenate((rng.random(492), 1000 + rng.random(204)))
        i, j = np.triu_indices(values.size)
        expected = np.median((values[i] + values[j]) / 2)
        counts = np.ones(values.size, dtype=int)
        assert pseudo_median(values, counts) == pytest.approx(expected, rel=1e-14)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12
    ),
    alternative=sides,
)
@settings(deadline=None, max_examples=40)
def test_ranks_of_a_cluster_change_sides_as_one(
    rows: list[tuple[int, int, int]], alternative: Alternative
) -> None:
    a, b, labels = (np.array(x) for x in zip(*rows, strict=True))
    d = b - a
    weights = np.sign(d)
    if d.any():
        weights[d != 0] *= (2 * stats.rankdata(np.abs(d[d != 0]))).astype(int)
    sums = [int(weights[labels == c].sum()) for c in np.unique(labels)]
    result = wilcoxon(a, b, clusters=labels, alternative=alternative)
    assert result.pvalue == float(signed_sum_pvalue(sums, alternative))


# --- Student's t ------------------------------------------------------------------------------


@given(
    rows=st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30),
    alternative=sides,
    unit=st.sampled_from([1, 0.01]),
)
@settings(deadline=None, max_examples=100)
def test_t_against_scipy(
    rows: list[tuple[int, int]], alternative: Alternative, unit: float
) -> None:
    if len({b - a for a, b in rows}) == 1:
        return
    a, b = (np.array(x) * unit for x in columns(rows))
    expected = stats.ttest_rel(b, a, alternative=alternative)
    result = t_test(a, b, alternative=alternative)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-8)
    assert result.kind == "asymptotic"


@pytest.mark.parametrize("alternative", SIDES)
def test_clustered_t_against_statsmodels(alternative: Alternative) -> None:
    rng = np.random.default_rng(11)
    clusters = rng.permutation(np.repeat(np.arange(24), 5))  # of one size: CR1 is CR2
    a = rng.normal(0, 1, 120)
    b = a + rng.normal(0.2, 1, 120) + rng.normal(0, 0.5, 24)[clusters]
    fit = sm.OLS(b - a, np.ones(120)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    result = t_test(a, b, clusters=clusters, alternative=alternative)
    assert result.statistic == pytest.approx(fit.tvalues[0], rel=1e-10)
    two_sided = float(fit.pvalues[0])
    expected = {"two-sided": two_sided, "greater": two_sided / 2, "less": 1 - two_sided / 2}
    assert fit.tvalues[0] > 0
    assert result.pvalue == pytest.approx(expected[alternative], rel=1e-9)


def test_residuals_of_large_clusters_weigh_more() -> None:
    """CR2 (Bell & McCaffrey, 2002), by plain loops."""
    rng = np.random.default_rng(12)
    labels = np.repeat(np.arange(9), [1, 1, 2, 3, 5, 8, 13, 21, 34])
    d = rng.normal(0.3, 1, labels.size) + rng.normal(0, 0.5, 9)[labels]
    rest = d - d.mean()
    shares = [(labels == c).mean() for c in range(9)]
    squares = sum(rest[labels == c].sum() ** 2 / (1 - s) for c, s in enumerate(shares))
    expected = d.mean() / (math.sqrt(squares) / d.size)
    result = t_test(np.zeros(d.size), d, clusters=labels)
    assert result.statistic == pytest.approx(expected, rel=1e-12)


def test_t_without_spread() -> None:
    """It is worth as many equal signs, with float noise or without, and one cluster is none."""
    for n in (2, 30):
        result = t_test(np.arange(n), np.arange(n) + 3)
        assert (result.statistic, result.kind) == (None, "exact")
        assert "no spread" in result.notes[0]
    assert t_test([0, 0, 0], [1, 2, 4], clusters=["x", "x", "x"]).pvalue == 1.0
    assert t_test([0.3, 0.0], [0.0, 0.1 + 0.2], clusters=[1, 1], alternative="less").pvalue == 1.0


@pytest.mark.parametrize("freedom", [1, 2, 5, 30, 999, 100_000])
@pytest.mark.parametrize("t", [1e-9, 0.5, 3.0, 37.0, 40.0, 1e3, 1e9])
def test_t_tail_against_mpmath(freedom: int, t: float) -> None:
    with mpmath.workdps(60):
        x = mpmath.mpf(freedom) / (freedom + mpmath.mpf(t) ** 2)
        p = mpmath.betainc(mpmath.mpf(freedom) / 2, 0.5, 0, x, regularized=True)
        expected = float(mpmath.log10(p))
        upper = float(p / 2)
    assert t_pvalue(t, freedom, "two-sided").log10 == pytest.approx(expected, rel=1e-11, abs=1e-13)
    assert t_pvalue(-t, freedom, "less").value == pytest.approx(upper, rel=1e-10)
    assert t_pvalue(-t, freedom, "greater").value == pytest.approx(1 - upper, rel=1e-12)


# --- Mood's median test -----------------------------------------------------------------------


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30),
    continuity=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_mood_against_scipy(rows: list[tuple[int, int]], continuity: bool) -> None:
    a, b = columns(rows)
    result = mood_test(a, b, variant="chi2", continuity=continuity)
    assert remedy_of(result.notes[0]) == Remedy("uses the pairing", "test", "sign")
    if max(a + b) == np.median(a + b):
        assert result.pvalue == 1.0  # nothing above the median: scipy raises an error
        return
    expected = stats.median_test(b, a, correction=continuity)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-15)
    exact = mood_test(a, b)
    assert exact.statistic == expected.table[0][0]
    assert exact.pvalue == pytest.approx(stats.fisher_exact(expected.table).pvalue, rel=1e-9)
    assert exact.delta == np.median(b) - np.median(a)


@given(n=st.integers(1, 60), data=st.data(), alternative=sides)
@settings(deadline=None, max_examples=100)
def test_median_table_in_fractions(n: int, data: st.DataObject, alternative: Alternative) -> None:
    above = data.draw(st.integers(0, 2 * n))
    lowest, highest = max(0, above - n), min(above, n)
    count = data.draw(st.integers(lowest, highest))
    law = {
        2 * k - above: Fraction(
            math.comb(above, k) * math.comb(2 * n - above, n - k), math.comb(2 * n, n)
        )
        for k in range(lowest, highest + 1)
    }
    excess = 2 * count - above
    extreme: dict[str, Callable[[int], bool]] = {
        "two-sided": lambda e: abs(e) >= abs(excess),
        "greater": lambda e: e >= excess,
        "less": lambda e: e <= excess,
    }
    expected = sum(mass for e, mass in law.items() if extreme[alternative](e))
    result = median_table_pvalue(n, above, excess, alternative)
    assert result.value == pytest.approx(float(expected), rel=1e-12)
    assert result.low <= expected * Fraction(1 + 2**-50)
    assert expected <= result.high * (1 + 2**-50)


def test_mood_sees_medians_not_noise() -> None:
    """0.1 + 0.2 is not above a median of 0.3."""
    assert mood_test([0.3] * 5, [0.1 + 0.2] * 5).pvalue == 1.0
    assert mood_test([0.3] * 3, [0.1 + 0.2, 0.1 + 0.2, 0.9]).statistic == 1.0
