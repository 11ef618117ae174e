"""Disagreement, its causes, cycles, irrelevant systems, fit: by definition and by construction."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, kurtosis, skew

from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.ranking import (
    Judgments,
    agreement,
    by_size,
    compare_rankings,
    cycles,
    diagnose,
    disagreement,
    goodness_of_fit,
    leave_one_out,
    paired_marginals,
    rating,
    score_matrix,
    tie_sensitivity,
)
from betterthan.ranking.diagnostics import shape
from betterthan.ranking.disagreement import mean_disagreement
from betterthan.ranking.order_agreement import kendall_tau
from betterthan.testing.classic import mood_test, sign_test


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=8))
def test_kendall_tau_is_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(v, dtype=float) for v in zip(*pairs, strict=True))
    expected = float(kendalltau(x, y).statistic)
    ours = kendall_tau(x, y)
    assert ours == pytest.approx(expected, nan_ok=True)


def test_disagreement_counts_reversed_pairs_winners_and_top_three() -> None:
    scores = Scores.from_arrays(
        {"a": [9, 0, 0], "b": [2, 2, 2], "c": [1, 1, 1], "d": [0.5, 0.6, 0.7], "e": [0, 0.1, 8]}
    )
    (found,) = disagreement(scores, ("mean", "bradley-terry"), rng=0)
    mean = {"a": 3, "b": 2, "c": 1, "d": 0.6, "e": 8.1 / 3}
    wins = {  # shares of comparisons won, ties half: the order of Bradley-Terry on complete data
        s: sum(
            (scores.of(s) > scores.of(o)).sum() + 0.5 * (scores.of(s) == scores.of(o)).sum()
            for o in scores.systems
            if o != s
        )
        for s in scores.systems
    }
    reversed_pairs = {
        frozenset(p)
        for p in combinations("abcde", 2)
        if (mean[p[0]] - mean[p[1]]) * (wins[p[0]] - wins[p[1]]) < 0
    }
    assert {frozenset(p) for p in found.reversed_pairs} == reversed_pairs
    assert found.share == len(reversed_pairs) / 10
    assert found.other_winner == 1.0
    assert found.other_top3 == float(
        set(sorted(mean, key=lambda s: -mean[s])[:3])
        != set(sorted(wins, key=lambda s: -wins[s])[:3])
    )
    first, second = found.reversed_pairs[0]
    assert mean[first] > mean[second]
    with pytest.raises(UsageError, match="at least two methods"):
        disagreement(scores, ("mean",))


def test_averages_over_setups_are_shares() -> None:
    setups = [score_matrix(systems=4, items=20, rng=k).scores for k in range(6)]
    single = [disagreement(s, ("mean", "median"), rng=0)[0] for s in setups]
    (row,) = mean_disagreement(single)
    assert row.setups == 6
    assert row.share == pytest.approx(np.mean([d.share for d in single]))
    assert row.other_winner == pytest.approx(np.mean([d.other_winner for d in single]))


def test_smaller_test_sets_disagree_more() -> None:
    scores = score_matrix(systems=6, items=600, rng=0).scores
    found = by_size(scores, (10, 500, 5000), repeats=30, rng=0)
    assert set(found) == {10, 500}  # there are no 5000 items
    assert found[10][0].share > found[500][0].share
    assert found[10][0].setups == 30


def test_drawn_test_sets_do_not_depend_on_the_order_of_the_data() -> None:
    scores = score_matrix(systems=4, items=60, rng=0).scores
    turned = scores.only(np.random.default_rng(1).permutation(60)).select(*scores.systems[::-1])
    one, other = (by_size(some, (10, 30), repeats=4, rng=0) for some in (scores, turned))
    assert one == other


def test_rankings_of_other_systems_cannot_be_compared() -> None:
    one = rating(Scores.from_arrays({"a": [1, 2], "b": [2, 1]}), "mean", resamples=2)
    two = rating(Scores.from_arrays({"a": [1, 2], "c": [2, 1]}), "mean", resamples=2)
    with pytest.raises(UsageError, match="different systems"):
        compare_rankings(one, two)


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.integers(-9, 9), min_size=4, max_size=20))
def test_shape_is_scipys(values: list[int]) -> None:
    x = np.array(values, dtype=float)
    if np.ptp(x) == 0:
        assert np.isnan(shape(x)).all()
        return
    skewness, excess, bimodality = shape(x)
    assert skewness == pytest.approx(skew(x))
    assert excess == pytest.approx(kurtosis(x))
    assert bimodality > 0


def test_outliers_are_named_as_the_cause() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    b = a + 0.3 + 0.1 * rng.normal(size=100)
    a[0] += 100
    found = diagnose(Scores.from_arrays({"a": a, "b": b}), "a", "b")
    assert found.preferred == {"mean": "a", "median": "b", "bradley-terry": "b"}
    assert found.outliers == 1
    assert found.trimmed_difference < 0 < found.mean_difference
    assert "1 outlier decides the mean" in found.reasons[0]
    assert (found.wins, found.losses) == (1, 99)


def test_pairing_is_named_as_the_cause() -> None:
    """Same marginals, other pairing: mean and median stay, who wins changes (Appendix A.1)."""
    kept = diagnose(paired_marginals(items=500, rng=0), "S", "B")
    turned = diagnose(paired_marginals([1, 2, 3, 4, 0], items=500, rng=0), "S", "B")
    assert kept.mean_difference == pytest.approx(turned.mean_difference)
    assert kept.median_difference == pytest.approx(turned.median_difference)
    assert kept.preferred["bradley-terry"] == "S"
    assert turned.preferred["bradley-terry"] == "B"
    assert kept.reasons == ()
    assert "the pairing matters" in turned.reasons[0]
    assert kept.correlation > 0.9 > turned.correlation
    assert kept.variance_ratio < 0.2 < turned.variance_ratio


def test_a_diagnosis_respects_direction_and_holes() -> None:
    nan = float("nan")
    lower = Scores.from_arrays(
        {"a": [1, 1, nan], "b": [2, 2, 0]}, lower_is_better=True, missing="pairwise"
    )
    found = diagnose(lower, "a", "b")
    assert found.n == 2
    assert set(found.preferred.values()) == {"a"}
    none = Scores.from_arrays({"a": [1, nan], "b": [nan, 1]}, missing="pairwise")
    with pytest.raises(DataError, match="no item in common"):
        diagnose(none, "a", "b")
    same = diagnose(Scores.from_arrays({"a": [1, 2], "b": [1, 2]}), "a", "b")
    assert set(same.preferred.values()) == {None}
    assert same.reasons == ()


def test_agreement_of_tests_by_definition() -> None:
    scores = score_matrix(systems=6, items=80, rng=3).scores
    found = agreement(scores, ("mood", "sign"), rng=0)
    values = {s: scores.of(s)[:, 0] for s in scores.systems}
    pairs = list(combinations(scores.systems, 2))
    mood = np.array([mood_test(values[a], values[b]).pvalue <= 0.05 for a, b in pairs])
    sign = np.array([sign_test(values[a], values[b]).pvalue <= 0.05 for a, b in pairs])
    assert found.pairs == 15
    expected = [[mood.mean(), sign[mood].mean()], [mood[sign].mean(), sign.mean()]]
    np.testing.assert_allclose(found.matrix, expected)
    with pytest.raises(UsageError, match="test"):
        agreement(scores, ())


def test_cycles_and_condorcet_winners() -> None:
    round_trip = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]})
    assert cycles(round_trip).condorcet_winner is None
    assert len(cycles(round_trip).triples) == 1
    straight = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 4], "c": [0, 0, 9]})
    assert cycles(straight).triples == ()
    assert cycles(straight).condorcet_winner == "b"


def test_appendix_f() -> None:
    """Peyrard et al. (2021), with the third system that makes their claim true."""
    two = Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1]})
    ranking = rating(two, "bradley-terry", resamples=2, rng=0)
    assert ranking.names == ("B", "A")
    assert ranking.strengths == pytest.approx([2 / 3, 1 / 3])
    three = Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]})
    assert rating(three, "bradley-terry", resamples=2, rng=0).strengths == pytest.approx(
        [1 / 3] * 3
    )
    flips = {(f.without, f.first, f.second) for f in leave_one_out(three)}
    assert flips == {("C", "A", "B"), ("A", "B", "C"), ("B", "C", "A")}
    assert leave_one_out(three, "mean") == ()
    printed = Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 2, 1]})
    assert rating(printed, "bradley-terry", resamples=2, rng=0).strengths != pytest.approx(
        [1 / 3] * 3, abs=0.05
    )
    with pytest.raises(UsageError, match="at least three systems"):
        leave_one_out(two)


def test_leave_one_out_of_judgments_skips_what_falls_apart() -> None:
    judged = Judgments.from_arrays(list("abbaab"), list("bcabcc"), [1, 1, 1, 0, 1, 0])
    bridge = Judgments.from_arrays(list("abab"), list("bcbc"), [1, 1, 0, 0])
    assert isinstance(leave_one_out(judged), tuple)
    assert leave_one_out(bridge) == ()  # without b nothing links a and c


def test_tie_sensitivity_reports_changed_orders() -> None:
    # a ties c where b loses to c: sharing ties lifts a, dropping them does not.
    scores = Scores.from_arrays(
        {
            "a": [1, 1, 1, 1, 2, 0, 0, 2],
            "b": [2, 0, 0, 2, 1, 2, 2, 0],
            "c": [1, 1, 1, 1, 0, 1, 1, 1],
        }
    )
    found = {s.rule: s for s in tie_sensitivity(scores, "davidson")}
    assert set(found) <= {"half-win", "drop"}
    for rule, other in found.items():
        here = rating(scores, "bradley-terry", resamples=2, rng=0)
        there = rating(scores, f"bradley-terry(ties={rule})", resamples=2, rng=0)
        expected = compare_rankings(here, there).reversed_pairs
        assert set(other.reversed_pairs) == set(expected)
        assert other.largest_shift >= 0


def test_bradley_terry_fits_its_own_data_and_not_a_cycle() -> None:
    rng = np.random.default_rng(0)
    strengths = np.array([0.0, 0.5, 1.0, 1.5])
    values = strengths + rng.gumbel(size=(400, 4))  # Gumbel noise makes Bradley-Terry exact
    fits = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)})
    good = goodness_of_fit(fits, resamples=300, rng=0)
    assert good.pvalue > 0.05
    assert len(good.left) == 6
    turn = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]] * 40, dtype=float).T
    rows = np.array([turn[:, k] for k in range(120)])
    cyclic = Scores.from_arrays(dict(zip("abc", rows.T, strict=True)))
    bad = goodness_of_fit(cyclic, resamples=300, rng=0)
    assert bad.pvalue == pytest.approx(1 / 301)
    assert abs(bad.observed[0] - 0.5) == pytest.approx(1 / 6)
    assert bad.expected[0] == pytest.approx(0.5)
    with pytest.raises(UsageError, match="at least three"):
        goodness_of_fit(fits.select("s0", "s1"))
    undefeated = Scores.from_arrays({"a": [3, 3, 3], "b": [1, 2, 1], "c": [2, 1, 2]})
    with pytest.raises(DataError, match="no fit to judge"):
        goodness_of_fit(undefeated)


def test_goodness_of_fit_keeps_its_level() -> None:
    """All comparisons of an item together: a chi-square on them would reject far too often."""
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(60):
        values = np.linspace(0, 1, 4) + rng.gumbel(size=(150, 4))
        scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)})
        rejected += goodness_of_fit(scores, resamples=200, rng=rng).pvalue <= 0.05
    assert rejected <= 9  # 99.9 % bound of the binomial with 60 and 5 %
