"""rank(): boards, alone and by part."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.data.scores import Scores
from betterthan.errors import DataError, Remedy, UsageError, remedy_of
from betterthan.metrics import mean
from betterthan.ranking import Judgments, rank, score_matrix, tie_sensitivity
from betterthan.ranking.methods import KINDS
from betterthan.results.protocol import UnknownNameError


def board_of(**options: Any) -> Any:
    return rank(score_matrix(systems=5, items=150, rng=1).scores, rng=0, **options)


@pytest.mark.parametrize("method", KINDS)
def test_rows_agree_with_the_analyses_behind_them(method: Any) -> None:
    board = board_of(method=method)
    assert [row.system for row in board.rows] == list(board.ranking.names)
    for k, row in enumerate(board.rows):
        beaten = {r.system for j, r in enumerate(board.rows) if board.pairs.beats[k, j]}
        assert set(row.beats) == beaten
        assert row.n == 150
        shown = board.ranking if method == "median" else board.averages
        assert row.score == shown.scores[shown.position(row.system)]
        assert row.comparison_low <= board.ranking.scores[k] <= row.comparison_high
    tiers = [row.tier for row in board.rows]
    assert tiers == sorted(tiers)
    if method in ("mean", "median", "bradley-terry"):
        assert board.ratings.method == "bradley-terry"
        ratings = [row.rating for row in board.rows]
        assert np.mean(ratings) == pytest.approx(1000)
    assert all(row.system in str(board) for row in board.rows)
    sequential = method in ("elo", "trueskill")
    assert ("order sd" in board.rendered()) == sequential
    assert all((row.order_spread is not None) == sequential for row in board.rows)


def test_ratings_are_on_the_elo_scale() -> None:
    """400 points are odds of ten to one."""
    scores = Scores.from_arrays({"a": [1.0] * 10 + [0.0], "b": [0.0] * 10 + [1.0]})
    first, second = rank(scores, method="bradley-terry", rng=0).rows
    assert first.rating is not None
    assert second.rating is not None
    assert first.rating - second.rating == pytest.approx(400)


def test_judgments_are_decided_by_the_model() -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 8, 600)
    right = (left + rng.integers(1, 8, 600)) % 8
    chance = 1 / (1 + np.exp((right - left) * 0.6))
    outcome = (rng.uniform(size=600) < chance).astype(float)
    judged = Judgments.from_arrays(left, right, outcome)
    board = rank(judged, method="bradley-terry", rng=0)
    assert board.decided_by == "model"
    assert board.averages is None
    assert board.rows[0].score is None
    by_pairs = rank(judged, method="bradley-terry", test="sign", rng=0)
    assert board.beats.sum() > by_pairs.beats.sum()  # few judgments a pair, many in all
    for style in ("table", "md", "latex", "json", "csv"):
        assert board.rendered(style)
    assert "jointly at about 95 %" in " ".join(board.rendered().split())
    assert sum(row.n for row in board.rows) == 1200


def test_a_generator_moves_on_and_a_seed_does_not() -> None:
    scores = score_matrix(systems=3, items=40, rng=0).scores
    one, two = (rank(scores, method="bradley-terry", rng=3) for _ in range(2))
    np.testing.assert_array_equal(one.ranking.resamples, two.ranking.resamples)
    generator = np.random.default_rng(3)
    three, four = (rank(scores, method="bradley-terry", rng=generator) for _ in range(2))
    assert not np.array_equal(three.ranking.resamples, four.ranking.resamples)


def test_text_says_the_verdict_first_and_how_it_was_made() -> None:
    text = board_of(method="bradley-terry").rendered()
    assert "Sorted by Bradley-Terry. Beats: " in text
    assert "they hold jointly at 95 %" in text
    assert "sign test, 10 comparisons, Holm, alpha 0.05" in text
    assert "test sets, 150 items resampled." in text
    alone = Scores.from_arrays({"best": np.arange(1.0, 41), "rest": np.arange(40.0)})
    assert (
        "best is BETTER than every other system"
        in rank(alone, method="bradley-terry", rng=0).rendered()
    )
    same = Scores.from_arrays({"x": [1, 2, 3], "y": [1, 2, 3]})
    assert "CAN'T TELL x from y (p = 1.0)" in rank(same, method="bradley-terry", rng=0).rendered()


@pytest.mark.parametrize(
    ("column", "head"),
    [("ter", "mean(ter), lower is better"), ("edits_per_hundred_words", "score, lower is better")],
)
def test_the_board_names_its_metric_and_the_direction(column: str, head: str) -> None:
    rows = {"x": [[0.3], [0.2], [0.4]], "y": [[0.6], [0.5], [0.5]]}
    scores = Scores.from_arrays(rows, columns=(column,))
    text = rank(
        scores, method="bradley-terry", metric=mean(column).directed(lower_is_better=True), rng=0
    ).rendered()
    assert f"  {head}  " in text
    assert ("Score: mean(edits_per_hundred_words)." in text) == head.startswith("score")
    assert "95 % interval" in text


def test_json_and_csv_hold_unrounded_numbers() -> None:
    board = board_of(method="mean")
    document = board.to_dict()
    assert document["schema"] == "betterthan/board/1"
    assert [r["score"] for r in document["rows"]] == [row.score for row in board.rows]
    assert len(document["pairs"]) == 10
    for pair in document["pairs"]:
        assert pair["pvalue_adjusted"] >= pair["pvalue"]
        assert pair["log10_pvalue_adjusted"] == pytest.approx(np.log10(pair["pvalue_adjusted"]))
    frame = board.to_polars()
    assert frame["rating"].to_list() == [row.rating for row in board.rows]
    assert frame["beats"][0].split("; ") == list(board.rows[0].beats)


def test_latex_marks_the_best_and_who_is_beaten() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3)) + np.array([2.0, 0.0, 0.0])
    scores = Scores.from_arrays({"top_1": values[:, 0], "x": values[:, 1], "y": values[:, 2]})
    text = rank(scores, method="bradley-terry", rng=0).rendered("latex")
    assert rf"a & 1 & top\_1\textsuperscript{{bc}} & {values[:, 0].mean():.2f} & \textbf{{" in text
    assert r"\toprule" in text
    assert "Holm" in text
    many = {f"s{k}": rng.normal(size=30) for k in range(28)}
    assert "superscript" not in rank(
        Scores.from_arrays(many), method="bradley-terry", rng=0
    ).rendered("latex")


def test_rates_are_printed_in_points_and_lower_is_said() -> None:
    rng = np.random.default_rng(0)
    right = {"a": rng.integers(0, 2, 80), "b": rng.integers(0, 2, 80)}
    text = rank(Scores.from_arrays(right), method="mean", rng=0).rendered()
    assert "Rates in points." in text
    errors = Scores.from_arrays({"a": [1.0, 2, 4], "b": [2.0, 3, 1]}, lower_is_better=True)
    assert "Lower is better." in rank(errors, method="mean", rng=0).rendered()


def test_disagreement_with_the_mean_is_noted() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    b = a - 0.5
    b[0] += 200
    board = rank(Scores.from_arrays({"a": a, "b": b}), method="bradley-terry", rng=0)
    assert any("puts a above b, the mean b above a" in note for note in board.notes)


def test_means_are_shown_where_no_rating_exists() -> None:
    nan = float("nan")
    scores = Scores.from_arrays(
        {"a": [1, 2, nan, nan], "b": [2, 1, nan, nan], "c": [nan, nan, 1, 2]}, missing="pairwise"
    )
    board = rank(scores, method="mean", rng=0)
    assert any(note.startswith("no ratings") for note in board.notes)
    assert board.rows[0].rating is None
    for style in ("table", "md", "latex", "json", "csv"):
        assert board.rendered(style)


def test_a_choice_of_tie_rule_that_matters_is_noted() -> None:
    """A wins 6 of 10 against c; b 7 of 10 that were decided, and ties 90 more."""
    outcome = [1] * 6 + [0] * 4 + [1] * 7 + [0] * 3 + [0.5] * 90
    judged = Judgments.from_arrays(["a"] * 10 + ["b"] * 100, ["c"] * 110, outcome)
    changed = {s.rule: s.reversed_pairs for s in tie_sensitivity(judged)}
    assert changed["half-win"] == ()
    assert changed["drop"] == (("a", "b"),)
    notes = rank(judged, method="bradley-terry", rng=0).notes
    assert any("(davidson) matters: under drop b passes a" in note for note in notes)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.5, float("nan")]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    ),
    method=st.sampled_from(list(KINDS)),
    clustered=st.booleans(),
    lower=st.booleans(),
)
def test_whatever_the_data_there_is_a_table_or_a_clear_error(
    rows: list[list[float]], method: Any, clustered: bool, lower: bool
) -> None:
    values = np.array(rows)
    scores = Scores.from_arrays(
        {f"s{k}": values[:, k] for k in range(3)},
        missing="pairwise",
        lower_is_better=lower,
        clusters=[k // 2 for k in range(len(rows))] if clustered and method != "median" else None,
    )
    try:
        board = rank(scores, method=method, resamples=20, rng=0)
    except DataError:
        return
    for style in ("table", "md", "latex", "csv"):
        assert "nan" not in board.rendered(style)
    assert len(board.to_dict()["rows"]) == 3
    shares = [row.comes_first for row in board.rows if row.comes_first is not None]
    assert not shares if board.ranking.units == 1 else sum(shares) == pytest.approx(1)


def test_a_board_of_the_demo(demo_folder: Path) -> None:
    board = rank(bt.read("qa.csv"))
    assert board.ranking.method == "mean"
    assert board["atlas"].beats == ("cedar", "birch", "base")
    assert [row.system for row in board] == [row.system for row in board.rows]
    assert repr(rank(bt.read("qa.csv")).rows) == repr(board.rows)  # the seed is fixed
    with pytest.raises(UnknownNameError) as caught:
        board["altas"]
    assert caught.value.remedies[0].value == ["atlas"]
    clustered = bt.read("qa.csv", columns={"cluster": "document", "task": "domain"})
    row = rank(clustered)["atlas"]
    assert (row.n, row.clusters) == (480, 160)
    assert row.interval is not None
    assert (row.interval.level, row.interval.of) == (0.95, "score")


def test_boards_of_parts(demo_folder: Path) -> None:
    scores = bt.read("qa.csv", columns={"label": "domain"})
    made = rank(scores, by="domain", resamples=50)
    assert [part for part, _ in made.boards][:2] == [None, "domain=code"]
    assert made.boards[0][1].signature == rank(scores, resamples=50).signature
    part = dict(scores.parts("domain"))["code"]
    assert made.boards[1][1].signature == rank(part, resamples=50).signature
    assert made.plots == made.boards[0][1].plots


def test_tasks_without_one_scale_have_boards_by_task_only() -> None:
    rng = np.random.default_rng(0)
    stars = {k: np.concatenate([rng.random(20), rng.integers(0, 90, 20)]) for k in "ab"}
    scores = Scores.from_arrays(
        stars, groups={"task": ["x"] * 20 + ["y"] * 20, "half": [0, 1] * 20}
    )
    apart = dataclasses.replace(scores, tasks="task")
    with pytest.raises(UsageError) as caught:
        rank(apart)
    assert Remedy("rank each task by itself", "by", "task") in caught.value.remedies
    made = rank(apart, by="task", resamples=20)
    assert [part for part, _ in made.boards] == ["task=x", "task=y"]
    assert made.plots == ()
    (note,) = made.notes
    assert remedy_of(note) == Remedy("if it is one scale", "metric", "score")
    assert rank(apart, metric="score", resamples=20).ranking.units == 40


def test_orders_that_differ_say_how_to_see_the_other() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    scores = Scores.from_arrays({"a": a, "b": np.where(np.arange(60) == 0, a + 200, a - 0.5)})
    for method, other in (("mean", "bradley-terry"), ("median", "mean")):
        notes = [n for n in rank(scores, method=method, resamples=50).notes if "above" in n]
        assert remedy_of(notes[-1]) == Remedy("", "method", other)


def test_the_median_board_shows_the_median() -> None:
    """What rows are sorted by is what they show, not a mean that may say the contrary."""
    scores = Scores.from_arrays({"steady": [5.0] * 21, "wild": [4.0] * 20 + [1000.0]})
    board = rank(scores, method="median", rng=0)
    assert [(row.system, row.score) for row in board.rows] == [("steady", 5.0), ("wild", 4.0)]
    assert " median " in board.rendered().splitlines()[2]  # below the verdict
    assert any("the mean wild above steady" in note for note in board.notes)


def test_the_median_is_tested_by_what_knows_clusters_and_tasks() -> None:
    """Mood's test knows neither; a permutation of the mean is no test of the median."""
    values = np.random.default_rng(0).normal(size=(40, 2))
    labels = [str(k // 4) for k in range(40)]
    named = {"a": values[:, 0], "b": values[:, 1]}
    clustered = Scores.from_arrays(named, clusters=labels)
    assert rank(clustered, method="median", resamples=20, rng=0).decided_by == "sign"
    nested = Scores.from_arrays(named, groups={"task": ["x"] * 30 + ["y"] * 10})
    board = rank(nested.with_tasks("task"), method="median", resamples=20, rng=0)
    assert board.decided_by == "sign"
    assert board.pairs.effect[0, 1] == board.ranking.scores[0] - board.ranking.scores[1]
    with pytest.raises(UsageError, match="median"):
        rank(nested.with_tasks("task"), method="median", test="permutation", resamples=20, rng=0)


def test_noise_of_the_fit_is_no_order() -> None:
    """Two tasks won by one system each weigh the same: in every resample all is equal."""
    scores = Scores.from_arrays(
        {"a": [1.0] * 50 + [0.0] * 10, "b": [0.0] * 50 + [1.0] * 10},
        groups={"task": ["x"] * 50 + ["y"] * 10},
    )
    rows = rank(scores.with_tasks("task"), method="bradley-terry", resamples=100, rng=0).rows
    assert [(row.rank_low, row.rank_high, row.comes_first) for row in rows] == [(1, 2, 0.5)] * 2


def test_a_task_without_scores_of_a_system_is_an_error() -> None:
    gaps = [1.0] * 10 + [np.nan] * 5
    scores = Scores.from_arrays(
        {"a": np.arange(15.0), "b": np.arange(15.0) % 4, "c": gaps},
        groups={"task": ["x"] * 10 + ["y"] * 5},
        missing="pairwise",
    )
    with pytest.raises(DataError, match="'c' have no score on any item of some task"):
        rank(scores.with_tasks("task"), method="mean", rng=0)
