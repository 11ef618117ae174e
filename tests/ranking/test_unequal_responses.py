"""Means of unequal numbers of responses differ in law, be the systems the same."""

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan import metrics
from betterthan.errors import UsageError
from betterthan.ranking.diagnostics import diagnose
from betterthan.ranking.disagreement import disagreement
from betterthan.ranking.methods import Aggregation
from betterthan.ranking.pairwise import pairwise

COUNTS = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6)


def one_against_five(items: int = 200, seed: int = 1) -> bt.Scores:
    """Two systems, right with one probability: one answers every item once, one five times."""
    right = np.random.default_rng(seed).binomial(1, 0.7, (items, 6))
    return bt.Scores.from_responses({"once": [*right[:, :1]], "five": [*right[:, 1:]]})


@given(COUNTS)
def test_uneven_items_are_counted_as_by_hand(counts: list[list[int]]) -> None:
    """An item counts where two systems that have it have different numbers of responses."""
    counts = [row if any(row) else [1, *row[1:]] for row in counts]
    block = np.full((len(counts), 3, 1, 3), np.nan)
    for i, row in enumerate(counts):
        for k, number in enumerate(row):
            block[i, k, 0, :number] = 1.0
    values = np.where(np.isnan(block).all(axis=-1), np.nan, 1.0)
    scores = bt.Scores(values=values, systems=("a", "b", "c"), responses=block)
    for some in (("a", "b"), ("c", "a"), ("a", "b", "c")):
        at = ["abc".index(name) for name in some]
        by_hand = sum(len({row[k] for k in at} - {0}) > 1 for row in counts)
        assert scores.uneven(some) == by_hand


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "mood"])
def test_tests_item_by_item_are_refused(test: Literal["sign", "wilcoxon", "mood"]) -> None:
    """They would find one of two identical systems better."""
    scores = one_against_five()
    for call in (
        lambda: bt.compare(scores, "once", "five", test=test),
        lambda: pairwise(scores, test=test),
    ):
        with pytest.raises(UsageError, match="200 of 200 items") as caught:
            call()
        assert caught.value.remedies[0].value == "permutation"


def test_only_the_two_systems_compared_must_be_even() -> None:
    """A third system with fewer responses is no hindrance."""
    right = np.random.default_rng(0).integers(0, 2, (40, 5))
    rows = {"a": [*right[:, :2]], "b": [*right[:, 2:4]], "c": [*right[:, 4:]]}
    scores = bt.Scores.from_responses(rows)
    assert bt.compare(scores, "a", "b", test="sign").pvalue > 0.0
    with pytest.raises(UsageError, match="unequal numbers"):
        bt.compare(scores, "a", "c", test="sign")


@pytest.mark.parametrize("method", ["median", "bradley-terry", "elo", "trueskill"])
def test_aggregations_item_by_item_are_refused(method: Aggregation) -> None:
    """Asked for by name, they say what to do instead."""
    for make in (bt.rank, bt.ranking.rating, pairwise):
        with pytest.raises(UsageError, match="200 of 200 items"):
            make(one_against_five(), method=method)


def test_what_else_compares_items_is_refused() -> None:
    """Medians as a metric, and diagnoses of why aggregations disagree."""
    scores = one_against_five()
    for call in (
        lambda: bt.compare(scores, "once", "five", metric=metrics.MEDIAN),
        lambda: bt.rank(scores, metric=metrics.MEDIAN),
    ):
        with pytest.raises(UsageError, match="median would find") as caught:
            call()
        assert caught.value.remedies[0].parameter == "metric"
    for ask in (lambda: diagnose(scores, "once", "five"), lambda: disagreement(scores)):
        with pytest.raises(UsageError, match="200 of 200 items"):
            ask()


def test_a_board_by_means_says_why_it_has_no_ratings() -> None:
    """They count wins."""
    board = bt.rank(one_against_five())
    assert board.ranking.method == "mean"
    assert board.ratings is None
    assert all(row.rank_low == 1 and row.rank_high == 2 for row in board.rows)
    assert "comparable" in " ".join(board.notes)
    assert "no ratings" in " ".join(board.notes)


def test_as_many_responses_of_each_are_ranked_as_ever() -> None:
    """Items may differ in their number of responses; systems on one item may not."""
    rng = np.random.default_rng(3)
    rows = {name: [rng.integers(0, 2, 1 + i % 3) for i in range(30)] for name in "ab"}
    board = bt.rank(bt.Scores.from_responses(rows), method="bradley-terry")
    assert board.ranking.method == "bradley-terry"
    assert board.ratings is not None
    assert not [note for note in board.notes if "unequal" in note]


def test_identical_systems_are_seldom_told_apart() -> None:
    """Of 40 boards of identical systems at 5 %, seven or more with a winner has chance .003."""
    boards = [bt.rank(one_against_five(60, seed), resamples=2) for seed in range(40)]
    assert sum(bool(board.beats.any()) for board in boards) < 7


def test_missing_items_that_count_as_the_worst_are_even() -> None:
    """They have as many responses, all of them the worst, as the others gave to the item."""
    block = np.ones((3, 2, 1, 3))
    block[0, 1] = block[1, :, 0, 2] = np.nan
    block[1, 0] = np.nan
    values = np.array([[[1.0], [np.nan]], [[np.nan], [1.0]], [[1.0], [1.0]]])
    scores = bt.Scores(values=values, systems=("a", "b"), responses=block)
    filled = scores.completed("worst", metrics.ACCURACY).responses
    assert filled is not None
    assert filled[0, 1, 0].tolist() == [0.0, 0.0, 0.0]
    assert filled[1, 0, 0, :2].tolist() == [0.0, 0.0]
    assert np.isnan(filled[1, :, 0, 2]).all()
    assert scores.completed("worst", metrics.ACCURACY).uneven() == 0
