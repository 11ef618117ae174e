"""Ratings decide what they can: thin systems, unequal judges and Elo's start decide nothing."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.ranking import Judgments, prepare, rank
from betterthan.ranking.aggregate import aggregate

Battle = tuple[str, str, float]


def judged(battles: list[Battle], **more: Any) -> Judgments:
    left, right, outcome = zip(*battles, strict=True)
    return Judgments.from_arrays(left, right, outcome, **more)


def incumbents(times: int = 25) -> list[Battle]:
    """Four systems that won as often as they lost against each other."""
    return [
        (a, b, won)
        for a, b in itertools.combinations(["s0", "s1", "s2", "s3"], 2)
        for won in (0.0, 1.0)
        for _ in range(times)
    ]


def newcomer(wins: int, losses: int) -> list[Battle]:
    outcomes = [1.0] * wins + [0.0] * losses
    return [("new", f"s{k % 4}", won) for k, won in enumerate(outcomes)]


def test_seven_wins_of_eight_beat_nobody() -> None:
    """The exact sign test of 7:1 has p = .07 before any adjustment."""
    board = rank(judged(incumbents() + newcomer(7, 1)), method="bradley-terry", rng=0)
    assert not board.beats.any()
    assert board.model is not None
    at = board.ranking.names.index("new")
    assert not board.model.rated[at].any()
    assert any("take 15 judgments, and on fewer are new (8)" in note for note in board.notes)
    assert "Student's law (4 by sign test), 10 comparisons" in " ".join(board.rendered().split())


def test_enough_battles_are_decided_by_ratings() -> None:
    """Against four equals 36 of 40 are clear (p < 1e-6), ten against each are not (.02)."""
    battles = judged(incumbents() + newcomer(36, 4))
    board = rank(battles, method="bradley-terry", rng=0)
    assert board.rows[0].system == "new"
    assert board.rows[0].beats == ("s0", "s1", "s2", "s3")
    assert not rank(battles, method="bradley-terry", test="sign", rng=0).beats.any()


def test_json_and_beats_tell_the_same() -> None:
    for battles in (
        incumbents() + newcomer(7, 1),
        incumbents() + newcomer(36, 4),
        incumbents() + newcomer(36, 4) + [("last", "s0", 0.0)] * 20,
    ):
        board = rank(judged(battles), method="bradley-terry", rng=0)
        document = board.to_dict()
        assert document["decided_by"] == "model"
        rows = document["rows"]
        beats = {(r["system"], name) for r in rows for name in (r["beats"] or "").split("; ")}
        m = len(rows)
        assert len(document["pairs"]) == m * (m - 1) // 2
        for pair in document["pairs"]:
            both = pair["first"], pair["second"]
            decided = pair["decided_pvalue_adjusted"] <= document["alpha"]
            assert decided == (both in beats or both[::-1] in beats)
            if pair["decided_by"] == "sign":
                assert pair["decided_pvalue"] == (1.0 if pair["pvalue"] is None else pair["pvalue"])


def test_errors_are_no_smaller_than_those_of_the_likelihood() -> None:
    """A log-odds of 19:1 has the error sqrt(1/19 + 1/1), and n / (n - 1) for the sample."""
    made = aggregate(judged([("a", "b", 1.0)] * 19 + [("b", "a", 1.0)]), "bradley-terry", rng=0)
    assert any("a ghost" in note for note in made.notes)
    assert made.sets.errors is not None
    expected = math.sqrt((1 / 19 + 1) * 20 / 19)
    assert made.sets.errors[0, 1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", ["elo", "trueskill"])
def test_the_start_of_sequential_ratings_decides_nothing(method: Any) -> None:
    """New and old win 90 % against the same systems, one of them in few games."""
    others = [("s1", "s2"), ("s1", "s3"), ("s2", "s3")]
    battles = [(*pair, won) for pair in others for won in (0.0, 1.0) for _ in range(30)]
    battles += [("old", f"s{1 + k % 3}", float(k % 10 > 0)) for k in range(300)]
    battles += [("new", f"s{1 + k % 3}", float(k % 10 > 0)) for k in range(30)]
    data = judged(battles)
    board = rank(data, method=method, resamples=50, rng=0)
    names = board.ranking.names
    old, new = names.index("old"), names.index("new")
    if method == "elo":
        assert board.ranking.scores[old] - board.ranking.scores[new] > 100.0
    assert not board.beats[old, new]
    rated = rank(data, method="bradley-terry", rng=0)
    at = [rated.ranking.names.index(name) for name in names]
    np.testing.assert_array_equal(board.beats, rated.beats[np.ix_(at, at)])
    assert any("decided by Bradley-Terry's ratings" in note for note in board.notes)


def test_who_lost_everything_does_not_change_what_ratings_say_of_the_rest() -> None:
    """Their strength is finite through a ghost alone: the rest is rated without them."""
    battles = incumbents() + newcomer(36, 4)
    alone = rank(judged(battles), method="bradley-terry", rng=0).model
    board = rank(
        judged([*battles, *[("x", f"s{k}", 0.0) for k in range(4)]]), method="bradley-terry", rng=0
    )
    assert alone is not None
    assert board.model is not None
    names = board.ranking.names
    of = rank(judged(battles), method="bradley-terry", rng=0).ranking.names
    at = [names.index(name) for name in of]
    np.testing.assert_array_equal(board.model.pvalue[np.ix_(at, at)], alone.pvalue)
    assert not board.model.rated[names.index("x")].any()


def test_one_judge_who_made_most_battles_is_one_unit() -> None:
    battles: list[Battle] = [("a", "b", 1.0)] * 200
    judges = ["busy"] * 200
    for k in range(40):
        battles += [("a", "b", float(k % 4 > 0))] * 5
        judges += [f"judge {k}"] * 5
    board = rank(judged(battles, clusters=judges), method="bradley-terry", rng=0)
    assert board.model is not None
    assert not board.model.rated.any()
    assert board.model.pvalue[0, 1] == board.pairs.pvalue[0, 1]
    assert "Beats: sign test, 1 comparison" in " ".join(board.rendered().split())
    assert any("15 clusters of equal size, and on fewer are a (3.9" in n for n in board.notes)


BATTLES = st.tuples(
    st.integers(0, 5),
    st.sampled_from("abcd"),
    st.sampled_from("efgh"),
    st.sampled_from([0.0, 0.5, 1.0]),
)


@given(st.lists(BATTLES, min_size=3), st.sampled_from(["davidson", "drop"]))
def test_units_of_equal_size_are_counted_as_kish_does(drawn: list[Any], rule: Any) -> None:
    units, left, right, outcome = zip(*drawn, strict=True)
    for clusters in (None, units):
        table = prepare(Judgments.from_arrays(left, right, outcome, clusters=clusters))
        for system, found in zip(table.systems, table.effective_units(rule), strict=True):
            sizes = Counter(
                k if clusters is None else unit
                for k, (unit, a, b, won) in enumerate(drawn)
                if system in (a, b) and not (rule == "drop" and won == 0.5)
            )
            squares = sum(n * n for n in sizes.values())
            assert found == pytest.approx(sum(sizes.values()) ** 2 / max(squares, 1))


def thin(rng: np.random.Generator) -> Judgments:
    """Four equal systems in 300 battles, four newcomers in eight each."""
    one = rng.integers(0, 4, 300)
    left = np.concatenate([one, np.repeat(np.arange(4, 8), 8)])
    right = np.concatenate([(one + rng.integers(1, 4, 300)) % 4, rng.integers(0, 4, 32)])
    return Judgments.from_arrays(left, right, rng.integers(0, 2, 332).astype(float))


def unequal(rng: np.random.Generator) -> Judgments:
    """Four systems that are equal on average, 60 judges with tastes and very different zeal."""
    zeal = np.maximum(1, np.exp(rng.normal(np.log(8), 1.5, 60)).round()).astype(int)
    judge, taste = np.repeat(np.arange(60), zeal), rng.normal(size=(60, 4))
    left = rng.integers(0, 4, len(judge))
    right = (left + rng.integers(1, 4, len(judge))) % 4
    chance = 1 / (1 + np.exp(taste[judge, right] - taste[judge, left]))
    outcome = (rng.uniform(size=len(judge)) < chance).astype(float)
    return Judgments.from_arrays(left, right, outcome, clusters=judge)


@pytest.mark.slow
@pytest.mark.parametrize("make", [thin, unequal])
def test_equal_systems_are_rarely_told_apart(make: Any) -> None:
    """5 % and three standard errors of 200 boards; 27 % and 15 % by bootstrap errors alone."""
    boards = (
        rank(make(np.random.default_rng(k)), method="bradley-terry", rng=0) for k in range(200)
    )
    assert sum(bool(board.beats.any()) for board in boards) / 200 <= 0.05 + 3 * 0.0154


@pytest.mark.parametrize("method", ["elo", "bradley-terry"])
def test_no_verdict_goes_against_the_ratings_that_are_shown(method: Any) -> None:
    battles = [("a", "b", "a" if i % 10 < 9 else "b") for i in range(200)]
    battles += [("b", "c", "b" if i % 10 < 9 else "c") for i in range(200)]
    battles += [("n", "a", "n")] * 8 + [("n", "c", "c")] * 6
    board = rank(
        Judgments.from_arrays(*map(list, zip(*battles, strict=True))), method=method, resamples=200
    )
    assert "CAN'T TELL a from n" in str(board)
    assert "n is ahead of a by their own comparisons, and behind it by its rating" in str(board)
