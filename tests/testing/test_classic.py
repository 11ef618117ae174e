import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from betterthan.errors import AlignmentError, BadValueError, Remedy, UsageError, remedy_of
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.classic import mcnemar, mood_test, sign_test, t_test, wilcoxon
from betterthan.testing.permutation import permutation_test
from betterthan.testing.ranks import doubled_midranks, pseudo_median
from betterthan.testing.tails import median_table_pvalue, t_pvalue
from oracles import enumerate_pvalue, signed_sum_pvalue

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
ZEROS = ("wilcox", "pratt", "zsplit")
Test = Callable[..., TestResult]
EXACT: list[Test] = [sign_test, wilcoxon]
PAIRED: list[Test] = [t_test, *EXACT]
BINARY: list[Test] = [
    *PAIRED,
    mcnemar,
    lambda a, b, **k: mcnemar(a, b, variant="mid-p", **k),
    lambda a, b, **k: mcnemar(a, b, variant="chi2", **k),
    mood_test,
    lambda a, b, **k: mood_test(a, b, variant="chi2", **k),
]

scores = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)
bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)
sides = st.sampled_from(SIDES)


def columns(rows: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in rows], [b for _, b in rows]


def table(wins: int, losses: int, ties: int = 0) -> tuple[list[int], list[int]]:
    return [0] * wins + [1] * losses + [0] * ties, [1] * wins + [0] * losses + [0] * ties


# --- what all tests share ---------------------------------------------------------------------


@pytest.mark.parametrize("test", BINARY)
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_identical_systems(test: Test, alternative: Alternative, n: int) -> None:
    for values in (np.arange(n) % 2, np.ones(n), np.zeros(n, bool)):
        result = test(values, values, alternative=alternative)
        assert result.pvalue == 1.0
        assert result.log10_pvalue == 0.0
        assert str(result.delta) == "0.0"


@pytest.mark.parametrize("test", BINARY)
@given(rows=bits)
@settings(deadline=None, max_examples=40)
def test_swapping_the_systems(test: Test, rows: list[tuple[int, int]]) -> None:
    a, b = columns(rows)
    for alternative, other in (("two-sided", "two-sided"), ("greater", "less")):
        here, there = test(a, b, alternative=alternative), test(b, a, alternative=other)
        assert here.pvalue == pytest.approx(there.pvalue, rel=1e-12)
        assert here.delta == pytest.approx(-there.delta, abs=1e-15)
        flipped = test(b, a, alternative=alternative, lower_is_better=True)
        assert flipped.pvalue == pytest.approx(here.pvalue, rel=1e-12)
        assert flipped.delta == pytest.approx(here.delta, abs=1e-15)
        assert 0 < here.pvalue_low <= here.pvalue <= here.pvalue_high <= 1


@pytest.mark.parametrize("test", PAIRED)
@given(rows=scores, order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_item_order_is_irrelevant(test: Test, rows: list[tuple[int, int]], order: object) -> None:
    shuffled = list(rows)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert test(*columns(rows)).pvalue == pytest.approx(test(*columns(shuffled)).pvalue, rel=1e-12)


def test_result_tells_its_story() -> None:
    result = wilcoxon([0, 0, 0, 0, 0, 0], [3, 1, 1, 2, -1, 0], zeros="pratt", alternative="greater")
    assert "4 wins, 1 losses, 1 ties" in str(result)
    assert result.signature.startswith(
        "betterthan:0.1|wilcoxon:pratt|m:pseudo-median|n:6|1s>|data:"
    )
    assert result.kind == "exact"
    assert result.test == "wilcoxon"
    assert wilcoxon([0], [1], lower_is_better=True).metric == "pseudo-median(lower_is_better)"


@pytest.mark.parametrize("test", BINARY)
def test_bad_input(test: Test) -> None:
    with pytest.raises(AlignmentError):
        test([1, 0], [1])
    with pytest.raises(BadValueError):
        test([1.0, math.nan], [1.0, 0.0])
    with pytest.raises(UsageError, match="alternative"):
        test([1, 0], [1, 0], alternative="both")


def test_bad_options() -> None:
    with pytest.raises(UsageError, match="zeros"):
        wilcoxon([1], [0], zeros="split")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="variant"):
        mcnemar([1], [0], variant="midp")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="variant"):
        mood_test([1], [0], variant="mid-p")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="clusters"):
        mcnemar([1], [0], variant="mid-p", clusters=[1])
    with pytest.raises(BadValueError, match="0/1"):
        mcnemar([1, 2], [0, 1])


# --- sign and McNemar -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [6, 30])
def test_straight_wins(n: int) -> None:
    a, b = table(n, 0)
    for test in (sign_test, mcnemar, permutation_test):
        assert test(a, b).pvalue == 2.0 ** (1 - n)
        assert test(a, b, alternative="greater").pvalue == 2.0**-n
    assert wilcoxon(a, np.arange(1, n + 1)).pvalue == 2.0 ** (1 - n)


def test_ties_do_not_count() -> None:
    """5 wins, 5 losses and 90 ties tell nothing; keeping the ties in n gave p = 1e-22 elsewhere."""
    assert sign_test(*table(5, 5, 90)).pvalue == 1.0
    assert sign_test(*table(9, 1, 90)).pvalue == sign_test(*table(9, 1)).pvalue == 22 / 1024


@given(rows=bits, alternative=sides)
@settings(deadline=None, max_examples=100)
def test_one_law_on_binary_data(rows: list[tuple[int, int]], alternative: Alternative) -> None:
    a, b = columns(rows)
    expected = signed_sum_pvalue([y - x for x, y in rows], alternative)
    results = [f(a, b, alternative=alternative) for f in (sign_test, mcnemar, permutation_test)]
    assert {r.pvalue for r in results} == {float(expected)}
    assert len({(r.log10_pvalue, r.pvalue_low, r.pvalue_high) for r in results}) == 1
    assert results[0].delta == pytest.approx(results[-1].delta, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("alternative", SIDES)
def test_one_law_on_large_binary_data(alternative: Alternative) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(50_000) < 0.5, rng.random(50_000) < 0.51
    results = [f(a, b, alternative=alternative) for f in (sign_test, mcnemar, permutation_test)]
    assert len({(r.pvalue, r.log10_pvalue, r.pvalue_low, r.pvalue_high) for r in results}) == 1
    wins, losses = int((~a & b).sum()), int((a & ~b).sum())
    expected = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
    assert results[0].pvalue == pytest.approx(expected, rel=1e-9)


@given(rows=scores, alternative=sides)
@settings(deadline=None, max_examples=60)
def test_sign_test_by_enumeration(rows: list[tuple[int, int]], alternative: Alternative) -> None:
    a, b = columns(rows)

    def balance(u: Sequence[int], v: Sequence[int]) -> Fraction:
        return Fraction(sum((y > x) - (y < x) for x, y in zip(u, v, strict=True)))

    result = sign_test(a, b, alternative=alternative)
    assert result.pvalue == float(enumerate_pvalue(a, b, balance, alternative))
    assert result.statistic == sum(y > x for x, y in rows)


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
def test_mcnemar_published(options: dict[str, object], published: float) -> None:
    a, b = table(16, 6, 139)
    assert round(mcnemar(a, b, **options).pvalue, 6) == published  # type: ignore[arg-type]


@given(wins=st.integers(0, 40), losses=st.integers(0, 40))
@settings(deadline=None, max_examples=60)
def test_mcnemar_against_statsmodels(wins: int, losses: int) -> None:
    a, b = table(wins, losses, 3)
    counts = [[0, wins], [losses, 3]]
    exact = statsmodels_mcnemar(counts, exact=True).pvalue if wins + losses else 1.0
    assert mcnemar(a, b).pvalue == pytest.approx(exact, rel=1e-12)
    for continuity in (False, True):
        if wins != losses:  # statsmodels corrects a difference of zero away from zero
            expected = statsmodels_mcnemar(counts, exact=False, correction=continuity)
            made = mcnemar(a, b, variant="chi2", continuity=continuity)
            assert made.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
            assert made.statistic == pytest.approx(expected.statistic, rel=1e-12)


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
def test_rank_sums_against_scipy(zeros: str, rows: list[tuple[int, int]]) -> None:
    a, b = columns(rows)
    if a == b:  # scipy divides by zero
        return
    expected = stats.wilcoxon(
        b, a, zero_method=zeros, alternative="greater", method="asymptotic"
    ).statistic
    assert wilcoxon(a, b, zeros=zeros).statistic == expected  # type: ignore[arg-type]


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


def test_heavy_ties_where_scipy_goes_wrong() -> None:
    d = [1] * 12 + [2] * 9 + [3] * 5 + [-1] * 4 + [-2]
    ranks = stats.rankdata(np.abs(d))
    expected = float(signed_sum_pvalue((2 * ranks * np.sign(d)).astype(int).tolist()))
    assert wilcoxon([0] * len(d), d).pvalue == pytest.approx(expected, rel=1e-13)
    for method in ("exact", "asymptotic"):
        assert abs(stats.wilcoxon(d, method=method).pvalue / expected - 1) > 0.1


def test_float_noise_breaks_ties_in_scipy_but_not_here() -> None:
    a = np.array([0.9, 0.1, 0.5, 0.2, 0.8, 0.3, 0.6, 0.4])
    b = np.array([1.0, 0.2, 0.4, 0.3, 0.9, 0.2, 0.7, 0.3])
    tenths = wilcoxon(np.rint(10 * a).astype(int), np.rint(10 * b).astype(int))
    assert wilcoxon(a, b).pvalue == tenths.pvalue
    assert wilcoxon(a, b).statistic == tenths.statistic == 5 * 4.5
    assert stats.wilcoxon(b, a, alternative="greater").statistic != 22.5
    single = wilcoxon(a.astype(np.float32), b.astype(np.float32))
    assert single.pvalue == tenths.pvalue


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


def test_midranks_against_scipy() -> None:
    values = np.random.default_rng(0).integers(0, 30, 200)
    expected = (2 * stats.rankdata(values)).astype(int)
    np.testing.assert_array_equal(doubled_midranks(values, np.ones(200, dtype=int)), expected)
    distinct, counts = np.unique(values, return_counts=True)
    grouped = doubled_midranks(distinct, counts)
    np.testing.assert_array_equal(grouped[np.searchsorted(distinct, values)], expected)


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


@pytest.mark.parametrize("n", [1500, 1501, 1502, 1503])
@pytest.mark.parametrize("tied", [False, True])
def test_pseudo_median_of_many(n: int, tied: bool) -> None:
    values = np.random.default_rng(n).standard_t(2, n)
    if tied:  # half of all pairs have the same sum
        values[: 3 * n // 4] = 0.125
    i, j = np.triu_indices(n)
    expected = np.median((values[i] + values[j]) / 2)
    assert pseudo_median(values, np.ones(values.size, dtype=int)) == pytest.approx(
        expected, rel=1e-14
    )


def test_pseudo_median_across_a_gap() -> None:
    """492 * 493 = 696 * 697 / 2: half of all pairs lie within the lower group, half beyond."""
    rng = np.random.default_rng(4)
    values = np.concatenate((rng.random(492), 1000 + rng.random(204)))
    i, j = np.triu_indices(696)
    expected = np.median((values[i] + values[j]) / 2)
    assert pseudo_median(values, np.ones(values.size, dtype=int)) == pytest.approx(
        expected, rel=1e-14
    )


# --- clusters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [sign_test, wilcoxon, mcnemar])
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12
    ),
    alternative=sides,
)
@settings(deadline=None, max_examples=40)
def test_clusters_change_sides_as_one(
    test: Test, rows: list[tuple[int, int, int]], alternative: Alternative
) -> None:
    a, b = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    labels = [r[2] for r in rows]
    if test is mcnemar:
        a, b = a % 2, b % 2
    d = b - a
    weights = np.sign(d)
    if test is wilcoxon and d.any():
        weights[d != 0] *= (2 * stats.rankdata(np.abs(d[d != 0]))).astype(int)
    sums = [int(weights[np.array(labels) == c].sum()) for c in sorted(set(labels))]
    result = test(a, b, clusters=labels, alternative=alternative)
    assert result.pvalue == float(signed_sum_pvalue(sums, alternative))
    assert result.clusters == len(sums)


def test_few_clusters_are_said_aloud() -> None:
    result = sign_test([0] * 9, [1] * 9, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])
    assert result.pvalue == 0.25
    assert [note.startswith("only 3 clusters: no p-value below 0.25") for note in result.notes] == [
        True
    ]
    result = t_test([0] * 6, [1, 2, 3, 4, 5, 6], clusters=[1, 1, 1, 2, 2, 2])
    assert "few for a cluster-robust t" in result.notes[0]


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


@pytest.mark.parametrize("n", [1, 2, 6, 30])
def test_t_without_spread(n: int) -> None:
    """A constant gain, with float noise or without, is worth as many equal signs and no more."""
    a = np.arange(1, n + 1) / 10
    for x, y in ((a, a + 0.1), (np.arange(n), np.arange(n) + 3)):
        assert t_test(x, y).pvalue == 2.0 ** (1 - n)
        assert t_test(x, y, alternative="greater").pvalue == 2.0**-n
        assert t_test(x, y, alternative="less").pvalue == 1.0
        assert t_test(x, y).statistic is None
        assert t_test(x, y).kind == "exact"
        assert "no spread" in t_test(x, y).notes[0]


def test_t_of_one_cluster() -> None:
    result = t_test([0, 0, 0], [1, 2, 4], clusters=["x", "x", "x"])
    assert result.pvalue == 1.0
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
    made = median_table_pvalue(n, above, excess, alternative)
    assert made.value == pytest.approx(float(expected), rel=1e-12)
    assert made.low <= expected * Fraction(1 + 2**-50)
    assert expected <= made.high * (1 + 2**-50)


def test_median_table_far_out() -> None:
    """All of 2,000 scores above: 1 / C(4000, 2000) each way."""
    made = median_table_pvalue(2000, 2000, 2000, "two-sided")
    expected = math.log10(2) - sum(math.log10((2000 + k) / k) for k in range(1, 2001))
    assert made.log10 == pytest.approx(expected, rel=1e-12)


def test_mood_sees_medians_not_noise() -> None:
    """0.1 + 0.2 is not above a median of 0.3."""
    assert mood_test([0.3] * 5, [0.1 + 0.2] * 5).pvalue == 1.0


@pytest.mark.parametrize("test", [permutation_test, sign_test, wilcoxon])
@pytest.mark.parametrize(("alternative", "least"), [("two-sided", 0.5), ("greater", 0.25)])
def test_the_least_possible_p_of_few_clusters_is_that_of_the_alternative(
    test: Test, alternative: Alternative, least: float
) -> None:
    result = test([0, 1], [1, 2], alternative=alternative, clusters=["x", "y"])
    assert result.pvalue == least
    assert any(f"below {least:g} is possible" in note for note in result.notes)


def test_clusters_of_one_item_change_nothing_in_single_precision() -> None:
    rng = np.random.default_rng(0)
    a, b = ((rng.integers(0, top, 60) / 10).astype(np.float32) for top in (10, 11))
    alone, clustered = wilcoxon(a, b), wilcoxon(a, b, clusters=np.arange(60))
    assert (alone.pvalue, alone.statistic) == (clustered.pvalue, clustered.statistic)
