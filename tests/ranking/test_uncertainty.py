"""Rank sets, shares, tiers and comparison intervals, by their definitions."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.numeric import Bools
from betterthan.ranking import rank, rating
from betterthan.ranking.uncertainty import (
    RankSets,
    comparison_interval,
    critical_value,
    difference_errors,
    quasi_errors,
    share_in_top,
    tiers,
)


@settings(max_examples=50, deadline=None)
@given(
    draws=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6),
    k=st.integers(1, 3),
)
def test_shares_are_those_of_random_tie_breaking(draws: list[list[int]], k: int) -> None:
    """Average over all orders of systems: in each, equal systems are ranked as listed."""
    expected = np.zeros(3)
    orders = list(permutations(range(3)))
    for row in draws:
        for order in orders:
            best = sorted(order, key=lambda s: -row[s])[:k]
            expected[best] += 1 / (len(draws) * len(orders))
    np.testing.assert_allclose(share_in_top(np.array(draws, dtype=float), k), expected)


def test_top_k_is_checked() -> None:
    with pytest.raises(UsageError, match="from 1 to 2"):
        share_in_top(np.zeros((2, 2)), 3)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), min_size=12, max_size=12))
def test_rank_sets_by_their_definition(flags: list[bool]) -> None:
    beats = np.zeros((4, 4), dtype=bool)
    for (i, j), flag in zip(permutations(range(4), 2), flags, strict=True):
        beats[i, j] = flag and not beats[j, i]
    paths = {both: leads(beats, *both) for both in permutations(range(4), 2)}
    above = [(i, j) for (i, j), found in paths.items() if found and not paths[j, i]]
    orders = [o for o in permutations(range(4)) if all(o.index(i) < o.index(j) for i, j in above)]
    sets = RankSets.of(beats, 2.0, np.zeros((4, 4)))
    for k in range(4):
        ranks = [order.index(k) + 1 for order in orders]  # of every order that the wins allow
        assert (sets.low[k], sets.high[k]) == (min(ranks), max(ranks))
    tier = tiers(beats, np.array([4.0, 3.0, 2.0, 1.0]))
    for i, j in permutations(range(4), 2):
        if tier[i] < tier[j]:
            assert beats[i, j]
        if beats[i, j] and not paths[j, i]:  # on no circle
            assert sets.low[i] < sets.low[j]
            assert sets.high[i] < sets.high[j]
            assert tier[i] <= tier[j]


def leads(beats: Bools, first: int, last: int) -> bool:
    """Whether wins lead from one to the other: some way through the others exists."""
    others = [k for k in range(len(beats)) if k not in (first, last)]
    ways = (w for r in range(len(others) + 1) for w in permutations(others, r))
    return any(all(beats[i, j] for i, j in zip((first, *w), (*w, last), strict=True)) for w in ways)


def test_the_critical_value_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    scores = np.array([1.0, 0.9, 0.2, 0.0])
    draws = scores + rng.normal(size=(3000, 4)) * [0.05, 0.1, 0.05, 0.3]
    pairs = list(combinations(range(4), 2))
    errors = {p: (draws[:, p[0]] - draws[:, p[1]]).std(ddof=1) for p in pairs}
    largest = np.max(
        [
            np.abs(draws[:, i] - draws[:, j] - scores[i] + scores[j]) / errors[i, j]
            for i, j in pairs
        ],
        axis=0,
    )
    bootstrap = np.sort(largest)[-math.floor(3001 * 0.1)]  # the order statistic with 10 % above
    square = difference_errors(draws)
    student = t.ppf(1 - 0.1 / 12, 9999)
    many, few = (critical_value(scores, draws, square, 0.9, units) for units in (10_000, 6))
    assert many == pytest.approx(max(bootstrap, student), rel=1e-12)
    assert few == pytest.approx(t.ppf(1 - 0.1 / 12, 5), rel=1e-9)
    assert few > many
    assert critical_value(scores, draws, square, 0.9, 1) == math.inf


def test_tiers_need_all_above_to_beat_all_below() -> None:
    scores = np.array([4.0, 3.0, 2.0, 1.0])
    beats = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert tiers(beats, scores).tolist() == [1, 2, 3, 4]
    beats[1, 2] = False
    assert tiers(beats, scores).tolist() == [1, 2, 2, 3]
    beats[0, 3] = False
    assert tiers(beats, scores).tolist() == [1, 1, 1, 1]
    assert tiers(np.zeros((4, 4), dtype=bool), scores).tolist() == [1, 1, 1, 1]
    shuffled = np.array([1.0, 4.0, 3.0])
    ahead = shuffled[:, None] > shuffled
    assert tiers(ahead, shuffled).tolist() == [3, 1, 2]


def test_quasi_errors_recover_independent_errors() -> None:
    """Where systems vary independently, quasi errors are their own errors."""
    own = np.array([0.1, 0.2, 0.05, 0.3, 0.1])
    differences = np.sqrt(own[:, None] ** 2 + own**2)
    np.fill_diagonal(differences, 0)
    np.testing.assert_allclose(quasi_errors(differences), own, atol=1e-12)
    np.testing.assert_allclose(quasi_errors(differences[:2, :2]), [np.hypot(0.1, 0.2) / 2**0.5] * 2)


def test_comparison_intervals_overlap_as_the_pair_says() -> None:
    """With equal errors the reading is exact."""
    errors = np.full((4, 4), 0.1 * np.sqrt(2))
    np.fill_diagonal(errors, 0)
    scores = np.array([1.0, 0.9, 0.5, 0.45])
    low, high = comparison_interval(scores, errors, 2.0)
    for i, j in combinations(range(4), 2):
        apart = abs(scores[i] - scores[j]) > 2.0 * errors[i, j]
        assert apart == (low[i] > high[j] or low[j] > high[i])


def test_difference_errors_use_the_covariance() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(size=(500, 1))
    draws = common + 0.1 * rng.normal(size=(500, 3))
    expected = (draws[:, 0] - draws[:, 1]).std(ddof=1)
    assert difference_errors(draws)[0, 1] == pytest.approx(expected)


def test_shared_items_make_differences_sharper_than_scores() -> None:
    rng = np.random.default_rng(0)
    hard = 3 * rng.normal(size=200)
    scores = Scores.from_arrays({"a": hard + 0.5 + 0.1 * rng.normal(size=200), "b": hard})
    made = rating(scores, "mean", rng=0)
    assert made.low[0] < made.high[1]  # intervals of the scores overlap widely
    assert made.rank_high.tolist() == [1, 2]  # and the order is certain all the same
    row = rank(scores, method="mean", rng=0).rows
    assert row[0].comparison_low is not None
    assert row[1].comparison_high is not None
    assert row[0].comparison_low > row[1].comparison_high
