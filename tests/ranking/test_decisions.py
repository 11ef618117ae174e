"""Ranks, tiers and who beats whom agree, and nothing is said that is not known."""

from typing import Any

import numpy as np
import pytest

from betterthan.comparison.multiplicity import Correction
from betterthan.data.scores import Scores
from betterthan.ranking import Judgments, rank, rating, score_matrix
from betterthan.ranking.methods import KINDS


@pytest.mark.parametrize("method", KINDS)
@pytest.mark.parametrize("test", [None, "model"])
def test_ranks_tiers_and_beats_agree(method: Any, test: Any) -> None:
    board = rank(score_matrix(systems=6, items=60, rng=2).scores, method=method, test=test, rng=0)
    for row in board.rows:
        above = [r for r in board.rows if row.system in r.beats]
        assert row.rank_low == 1 + len(above)
        assert row.rank_high == len(board.rows) - len(row.beats)
        for other in board.rows:
            if row.tier < other.tier:
                assert other.system in row.beats
                assert row.rank_high < other.rank_low
        assert all(row.system not in board[name].beats for name in row.beats)
    np.testing.assert_array_equal(board.ranking.sets.separated, board.beats)


def test_one_item_has_an_unbounded_interval_and_no_p_best() -> None:
    board = rank(Scores.from_arrays({"a": [3.0], "b": [1.0], "c": [2.0]}), method="mean", rng=0)
    for row in board.rows:
        assert (row.rank_low, row.rank_high, row.tier, row.beats) == (1, 3, 1, ())
        assert row.comes_first is None
        assert row.interval is not None
        assert (row.interval.low, row.interval.high) == (-np.inf, np.inf)
        assert row.rating_low is None
        assert row.comparison_low is None
    assert any("nothing can be said about uncertainty" in note for note in board.notes)
    for style in ("table", "md", "latex", "json", "csv"):
        assert "nan" not in board.rendered(style)


def test_a_chain_of_total_wins_has_no_interval() -> None:
    chain = Scores.from_arrays({"a": [3.0] * 4, "b": [2.0] * 4, "c": [1.0] * 4})
    board = rank(chain, method="bradley-terry", rng=0)
    assert all(row.rating_low is None and row.rating is not None for row in board.rows)
    assert any("no interval for 'a', 'b', 'c'" in note for note in board.notes)
    assert [(row.rank_low, row.rank_high) for row in board.rows] == [(1, 3)] * 3


def chain_of_wins(times: int) -> Judgments:
    """A beats b, b beats c, c beats d; nobody else met."""
    return Judgments.from_arrays(["a", "b", "c"] * times, ["b", "c", "d"] * times, [1] * 3 * times)


def test_systems_that_never_met_are_not_decided_through_total_wins() -> None:
    board = rank(chain_of_wins(5), method="bradley-terry", rng=0)
    assert not board.beats.any()
    many = rank(chain_of_wins(30), method="bradley-terry", rng=0)
    assert many.rows[0].beats == ("b",)
    assert "BETTER than every other" not in many.rendered()


def test_a_system_that_never_met_another_is_not_simply_better_than_it() -> None:
    """Finite strengths decide through others, and the sentence says so."""
    n = 60
    judged = Judgments.from_arrays(
        ["a"] * n + ["b"] * n, ["b"] * n + ["c"] * n, ([1.0] * 55 + [0.0] * 5) * 2
    )
    board = rank(judged, method="bradley-terry", rng=0)
    assert board.rows[0].beats == ("b", "c")
    assert "if one scale fits: it never met c" in " ".join(board.rendered().split())


def test_few_units_are_decided_by_their_own_judgments() -> None:
    rng = np.random.default_rng(0)
    pairs = [(i, j, p) for p in range(14) for i in range(3) for j in range(i + 1, 3)]
    left, right, items = (np.array(x) for x in zip(*pairs, strict=True))
    outcome = (rng.uniform(size=len(left)) < 0.9).astype(float)
    judged = Judgments.from_arrays(left, right, outcome, items=items)
    np.testing.assert_array_equal(
        rank(judged, method="bradley-terry", rng=0).beats,
        rank(judged, method="bradley-terry", test="sign", rng=0).beats,
    )


def test_significant_cycles_and_wins_against_the_order_are_flagged() -> None:
    judged = Judgments.from_arrays(list("abc") * 60, list("bca") * 60, [1.0] * 180)
    notes = rank(judged, method="bradley-terry", test="sign", rng=0).notes
    assert any("form a cycle: a beats b beats c beats a" in note for note in notes)
    assert any("although bradley-terry puts" in note for note in notes)
    calm = rank(score_matrix(systems=4, items=50, rng=0).scores, method="bradley-terry", rng=0)
    assert not any("cycle" in note or "although" in note for note in calm.notes)


def test_only_a_joint_correction_claims_to_hold_jointly() -> None:
    scores = score_matrix(systems=4, items=50, rng=0).scores
    cases: tuple[tuple[Correction, str], ...] = (
        ("holm", "hold jointly at 95 %"),
        ("bh", "do not hold jointly"),
    )
    for correction, said in cases:
        board = rank(scores, method="bradley-terry", correction=correction, rng=0)
        assert said in " ".join(board.rendered().split())


def test_rating_and_rank_decide_at_one_level() -> None:
    scores = score_matrix(systems=6, items=60, rng=2).scores
    for alpha in (0.2, 0.01):
        made, board = rating(scores, alpha=alpha, rng=0), rank(scores, alpha=alpha, rng=0)
        assert made.level == board.ranking.level == 1 - alpha
        np.testing.assert_array_equal(made.sets.separated, board.beats)


@pytest.mark.parametrize(("items", "decided"), [(10, False), (11, True)])
def test_too_few_items_to_decide_anything_are_said(items: int, decided: bool) -> None:
    """Ten systems are 45 pairs: a total win decides from 1 + log2(45 / 0.05) items on."""
    columns = {f"s{k}": np.full(items, float(k)) + np.arange(items) / 100 for k in range(10)}
    for method in ("mean", "bradley-terry"):
        board = rank(Scores.from_arrays(columns), method=method, resamples=20, rng=0)
        assert bool(board.beats.any()) is decided
        assert any("at least 11 are needed" in note for note in board.notes) is not decided
