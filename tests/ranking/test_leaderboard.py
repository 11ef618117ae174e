"""The leaderboard, what is written of it, and the command."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.metrics import mean
from betterthan.ranking import Judgments, leaderboard, score_matrix, tie_sensitivity
from betterthan.ranking.result import AGGREGATIONS


def board_of(**options: Any) -> Any:
    return leaderboard(score_matrix(systems=5, items=150, rng=1).scores, rng=0, **options)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_rows_agree_with_the_analyses_behind_them(method: Any) -> None:
    board = board_of(method=method)
    assert [row.name for row in board.rows] == list(board.ranking.names)
    assert [row.letter for row in board.rows] == list("abcde")
    for k, row in enumerate(board.rows):
        beaten = {r.letter for j, r in enumerate(board.rows) if board.pairs.beats[k, j]}
        assert set(row.beats) == beaten
        assert row.n == 150
        shown = board.ranking if method == "median" else board.averages
        assert row.score == shown.scores[shown.position(row.name)]
        assert row.comparison_low <= board.ranking.scores[k] <= row.comparison_high
    tiers = [row.tier for row in board.rows]
    assert tiers == sorted(tiers)
    if method in ("mean", "median", "bradley-terry"):
        assert board.ratings.method == "bradley-terry"
        ratings = [row.rating for row in board.rows]
        assert np.mean(ratings) == pytest.approx(1000)
    assert all(row.name in str(board) for row in board.rows)
    sequential = method in ("elo", "trueskill")
    assert ("order sd" in board.rendered()) == sequential
    assert all((row.order_spread is not None) == sequential for row in board.rows)


def test_ratings_are_on_the_elo_scale() -> None:
    """400 points are odds of ten to one."""
    scores = Scores.from_arrays({"a": [1.0] * 10 + [0.0], "b": [0.0] * 10 + [1.0]})
    first, second = leaderboard(scores, rng=0).rows
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
    board = leaderboard(judged, rng=0)
    assert board.decided_by == "model"
    assert board.averages is None
    assert board.rows[0].score is None
    by_pairs = leaderboard(judged, test="sign", rng=0)
    assert board.beats.sum() > by_pairs.beats.sum()  # few judgments a pair, many in all
    for style in ("table", "md", "latex", "json", "csv"):
        assert board.rendered(style)
    assert "jointly at about 95 %" in " ".join(board.rendered().split())
    assert sum(row.n for row in board.rows) == 1200


def test_a_generator_moves_on_and_a_seed_does_not() -> None:
    scores = score_matrix(systems=3, items=40, rng=0).scores
    one, two = (leaderboard(scores, rng=3) for _ in range(2))
    np.testing.assert_array_equal(one.ranking.resamples, two.ranking.resamples)
    generator = np.random.default_rng(3)
    three, four = (leaderboard(scores, rng=generator) for _ in range(2))
    assert not np.array_equal(three.ranking.resamples, four.ranking.resamples)


def test_text_says_the_verdict_first_and_how_it_was_made() -> None:
    text = board_of().rendered()
    assert "Sorted by Bradley-Terry; ranks follow from who beats whom and hold jointly at" in text
    assert "95 %; 150 items resampled" in " ".join(text.split())
    assert "sign test, 10 comparisons, Holm, alpha 0.05" in text
    assert "P(best): share of resamples" in text
    alone = Scores.from_arrays({"best": np.arange(1.0, 41), "rest": np.arange(40.0)})
    assert "best is BETTER than every other system" in leaderboard(alone, rng=0).rendered()
    same = Scores.from_arrays({"x": [1, 2, 3], "y": [1, 2, 3]})
    assert "CAN'T TELL x from y (p = 1.0)" in leaderboard(same, rng=0).rendered()


@pytest.mark.parametrize(
    ("column", "head"),
    [("ter", "mean(ter), lower is better"), ("edits_per_hundred_words", "score, lower is better")],
)
def test_the_board_names_its_metric_and_the_direction(column: str, head: str) -> None:
    rows = {"x": [[0.3], [0.2], [0.4]], "y": [[0.6], [0.5], [0.5]]}
    scores = Scores.from_arrays(rows, columns=(column,))
    text = leaderboard(scores, metric=mean(column).lowered(), rng=0).rendered()
    assert f"  {head}  " in text
    assert ("Score: mean(edits_per_hundred_words)." in text) == head.startswith("score")
    assert "95 % CI" in text


def test_json_and_csv_hold_unrounded_numbers() -> None:
    board = board_of(method="mean")
    document = json.loads(board.rendered("json"))
    assert document["schema"] == "betterthan/leaderboard/1"
    assert [r["score"] for r in document["rows"]] == [row.score for row in board.rows]
    assert len(document["pairs"]) == 10
    for pair in document["pairs"]:
        assert pair["pvalue_adjusted"] >= pair["pvalue"]
        assert pair["log10_pvalue_adjusted"] == pytest.approx(np.log10(pair["pvalue_adjusted"]))
    rows = list(csv.DictReader(io.StringIO(board.rendered("csv"))))
    assert [float(r["rating"]) for r in rows] == [row.rating for row in board.rows]
    assert rows[0]["beats"].split() == list(board.rows[0].beats)


def test_latex_marks_the_best_and_who_is_beaten() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3)) + np.array([2.0, 0.0, 0.0])
    scores = Scores.from_arrays({"top_1": values[:, 0], "x": values[:, 1], "y": values[:, 2]})
    text = leaderboard(scores, rng=0).rendered("latex")
    assert rf"top\_1\textsuperscript{{bc}} & \textbf{{{values[:, 0].mean():.2f}}}" in text
    assert r"\toprule" in text
    assert "Holm" in text
    many = {f"s{k}": rng.normal(size=30) for k in range(28)}
    assert "superscript" not in leaderboard(Scores.from_arrays(many), rng=0).rendered("latex")


def test_rates_are_printed_in_points_and_lower_is_said() -> None:
    rng = np.random.default_rng(0)
    right = {"a": rng.integers(0, 2, 80), "b": rng.integers(0, 2, 80)}
    text = leaderboard(Scores.from_arrays(right), "mean", rng=0).rendered()
    assert "Rates in points." in text
    errors = Scores.from_arrays({"a": [1.0, 2, 4], "b": [2.0, 3, 1]}, lower_is_better=True)
    assert "Lower is better." in leaderboard(errors, "mean", rng=0).rendered()


def test_letters_go_on_after_z() -> None:
    rng = np.random.default_rng(0)
    columns = {f"s{k}": rng.normal(size=25) + k for k in range(29)}
    board = leaderboard(Scores.from_arrays(columns), rng=0)
    assert [row.letter for row in board.rows][25:] == ["z", "aa", "ab", "ac"]
    assert "–ac" in board.rendered()  # long runs are spans


def test_disagreement_with_the_mean_is_noted() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    b = a - 0.5
    b[0] += 200
    board = leaderboard(Scores.from_arrays({"a": a, "b": b}), rng=0)
    assert any("puts a above b, the mean b above a" in note for note in board.notes)


def test_means_are_shown_where_no_rating_exists() -> None:
    nan = float("nan")
    scores = Scores.from_arrays(
        {"a": [1, 2, nan, nan], "b": [2, 1, nan, nan], "c": [nan, nan, 1, 2]}, missing="pairwise"
    )
    board = leaderboard(scores, "mean", rng=0)
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
    notes = leaderboard(judged, rng=0).notes
    assert any("(davidson) matters: under drop b passes a" in note for note in notes)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.5, float("nan")]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    ),
    method=st.sampled_from(AGGREGATIONS),
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
        board = leaderboard(scores, method, resamples=20, rng=0)
    except DataError:
        return
    for style in ("table", "md", "latex", "csv"):
        assert "nan" not in board.rendered(style)
    document = json.loads(board.rendered("json"))
    assert len(document["rows"]) == 3
    shares = [row.p_best for row in board.rows if row.p_best is not None]
    assert not shares if board.ranking.units == 1 else sum(shares) == pytest.approx(1)


@pytest.fixture
def command(betterthan: Callable[..., Any]) -> Callable[..., Any]:
    """The command line with ``rank`` in it, whether or not it is registered yet."""
    from betterthan.cli import app, rank

    names = {info.name for info in app.app.registered_commands}
    if "rank" not in names:
        app.app.command("rank")(rank.rank)
    return betterthan


def test_the_command(command: Callable[..., Any], demo_folder: Path) -> None:
    run = command("rank", "qa.csv")
    assert run.code == 0
    assert "atlas is BETTER than every other system" in run.out
    assert run.err.startswith("Read qa.csv")
    again = command("rank", "qa.csv")
    assert again.out == run.out  # the seed is fixed
    for suffix in ("md", "tex", "json", "csv", "txt"):
        done = command("rank", "qa.csv", "--method", "mean", "-o", f"board.{suffix}")
        assert done.code == 0
        assert (demo_folder / f"board.{suffix}").read_text(encoding="utf-8")
    assert command("rank", "qa.csv", "--interval", "sandwich").code == 0
    clustered = command("rank", "qa.csv", "--cluster", "document", "--tasks", "domain")
    assert clustered.code == 0
    assert "clusters resampled" in clustered.out
    assert command("rank", "qa.csv", "--method", "glicko").code == 2
    assert command("rank", "qa.csv", "--tasks", "nope").code == 2


@pytest.mark.parametrize("draw", ["leaderboard", "ranks", "tiers", "matrix", "critical"])
def test_the_command_draws(
    command: Callable[..., Any], demo_folder: Path, draw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run = command("rank", "qa.csv", "--plot", "board.svg", "--draw", draw)
    assert run.code == 0
    assert "<svg" in (demo_folder / "board.svg").read_text(encoding="utf-8")


def test_the_median_board_shows_the_median() -> None:
    """What rows are sorted by is what they show, not a mean that may say the contrary."""
    scores = Scores.from_arrays({"steady": [5.0] * 21, "wild": [4.0] * 20 + [1000.0]})
    board = leaderboard(scores, "median", rng=0)
    assert [(row.name, row.score) for row in board.rows] == [("steady", 5.0), ("wild", 4.0)]
    assert " median " in board.rendered().splitlines()[2]  # below the verdict
    assert any("the mean wild above steady" in note for note in board.notes)


def test_the_median_is_tested_by_what_knows_clusters_and_tasks() -> None:
    """Mood's test knows neither; a permutation of the mean is no test of the median."""
    values = np.random.default_rng(0).normal(size=(40, 2))
    labels = [str(k // 4) for k in range(40)]
    named = {"a": values[:, 0], "b": values[:, 1]}
    clustered = Scores.from_arrays(named, clusters=labels)
    assert leaderboard(clustered, "median", resamples=20, rng=0).decided_by == "sign"
    nested = Scores.from_arrays(named, groups={"task": ["x"] * 30 + ["y"] * 10})
    board = leaderboard(nested, "median", tasks="task", resamples=20, rng=0)
    assert board.decided_by == "sign"
    assert board.pairs.effect[0, 1] == board.ranking.scores[0] - board.ranking.scores[1]
    with pytest.raises(UsageError, match="of the median"):
        leaderboard(nested, "median", tasks="task", test="permutation", resamples=20, rng=0)


def test_noise_of_the_fit_is_no_order() -> None:
    """Two tasks won by one system each weigh the same: in every resample all is equal."""
    scores = Scores.from_arrays(
        {"a": [1.0] * 50 + [0.0] * 10, "b": [0.0] * 50 + [1.0] * 10},
        groups={"task": ["x"] * 50 + ["y"] * 10},
    )
    rows = leaderboard(scores, tasks="task", resamples=100, rng=0).rows
    assert [(row.rank_low, row.rank_high, row.p_best) for row in rows] == [(1, 2, 0.5)] * 2


def test_a_task_without_scores_of_a_system_is_an_error() -> None:
    gaps = [1.0] * 10 + [np.nan] * 5
    scores = Scores.from_arrays(
        {"a": np.arange(15.0), "b": np.arange(15.0) % 4, "c": gaps},
        groups={"task": ["x"] * 10 + ["y"] * 5},
        missing="pairwise",
    )
    with pytest.raises(DataError, match="'c' have no score on any item of some task"):
        leaderboard(scores, "mean", tasks="task", rng=0)


def test_alpha_is_a_level() -> None:
    with pytest.raises(UsageError, match="alpha lies between 0 and 1"):
        board_of(alpha=2.0)


def test_plots_are_refused_before_the_work(betterthan: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("item,a,b\n1,1,0\n2,0,1\n3,1,0\n", encoding="utf-8")
    refused = betterthan("rank", str(path), "--plot", str(tmp_path / "board.xyz"))
    assert refused.code == 2
    assert ".png, .svg, .pdf" in refused.err
    drawn = betterthan("rank", str(path), "--plot", str(tmp_path / "board.SVG"))
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "board.SVG").read_text(encoding="utf-8").startswith("<?xml")
