"""Plots: what they show is what the results say, and nothing breaks on odd data."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb

from betterthan.comparison.item_by_item import item_by_item
from betterthan.data.scores import Scores
from betterthan.errors import DataError
from betterthan.plots import items, ranking
from betterthan.plots.palette import LIGHT
from betterthan.ranking import (
    Leaderboard,
    agreement,
    paired_marginals,
    pairwise,
    rank,
    score_matrix,
)


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    return rank(score_matrix(systems=6, items=150, rng=1).scores, method="bradley-terry", rng=0)


def texts(ax: Any) -> list[str]:
    return [" ".join(t.get_text().split()) for t in ax.texts]


@pytest.mark.parametrize("draw", [ranking.rating_intervals, ranking.critical_difference])
def test_boards_show_every_system(draw: Any, board: Leaderboard) -> None:
    ax = draw(board)
    ax.figure.canvas.draw()
    shown = [t.get_text().strip() for t in ax.get_yticklabels()] + [t.strip() for t in texts(ax)]
    assert {row.system for row in board.rows} <= set(shown)


def test_given_axes_are_used(board: Leaderboard) -> None:
    _, ax = plt.subplots()
    for draw in (ranking.rating_intervals, ranking.critical_difference):
        assert draw(board, ax) is ax
    assert ranking.rank_sets(board.ranking, ax) is ax
    assert ranking.pair_matrix(board.pairs, ax) is ax


def test_rank_sets_are_drawn_to_scale(board: Leaderboard) -> None:
    ax = ranking.rank_sets(board.ranking)
    for k, bar in enumerate(ax.patches):
        low, high = board.ranking.rank_low[k], board.ranking.rank_high[k]
        assert bar.get_x() == pytest.approx(low - 0.35)
        assert bar.get_x() + bar.get_width() == pytest.approx(high + 0.35)


def test_bars_join_exactly_the_inseparable(board: Leaderboard) -> None:
    beats = board.beats | board.beats.T
    runs = ranking.inseparable(board)
    for first, last in runs:
        assert not beats[first : last + 1, first : last + 1].any()
        if last + 1 < len(beats):
            assert beats[first : last + 1, last + 1].any()
    joined = {(i, j) for a, b in runs for i in range(a, b + 1) for j in range(i + 1, b + 1)}
    neighbours = {(k, k + 1) for k in range(5) if not beats[k, k + 1]}
    assert neighbours <= joined


def test_the_matrix_says_effects_and_stars(board: Leaderboard) -> None:
    ax = ranking.pair_matrix(board.pairs)
    said = texts(ax)
    assert len(said) == 30
    significant = int((board.pairs.adjusted <= 0.05).sum())
    assert sum(t.endswith("*") for t in said) == significant
    at = {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text().rstrip("*")
        for t in ax.texts
    }
    assert all(int(at[i, j]) + int(at[j, i]) == 100 for i, j in at)
    by_model = ranking.pair_matrix(board.pairs, model=True)
    assert "model probability" in by_model.get_title(loc="left")
    mean = ranking.pair_matrix(
        pairwise(score_matrix(systems=3, items=60, rng=0).scores, "mean", rng=0)
    )
    assert all(t[0] in "+-" for t in texts(mean))


def test_the_matrix_of_a_board_is_grey_where_the_board_cannot_tell(board: Leaderboard) -> None:
    """Undecided cells have no hue, as in the report; decided ones that of who is better."""
    beats = np.zeros_like(board.beats)
    beats[0, 1] = True
    made = replace(board, beats=beats)
    ax = ranking.board_matrix(made)
    names = list(board.ranking.names)
    assert [t.get_text() for t in ax.get_yticklabels()] == names
    image = ax.images[0].get_array()
    grey = np.array(to_rgb(LIGHT["tie"])) * 0.45 + 0.55
    for i in range(len(names)):
        for j in range(len(names)):
            if (i, j) not in ((0, 1), (1, 0)) and i != j:
                assert np.allclose(image[i, j], grey)
    blue, red = image[0, 1], image[1, 0]
    assert blue[2] > blue[0]
    assert red[0] > red[2]
    assert sum(t.get_text().endswith("*") for t in ax.texts) == 2


def test_the_scatter_counts_both_sides() -> None:
    scores = paired_marginals([1, 2, 3, 4, 0], items=200, rng=0)
    ax = items.paired_scatter(item_by_item(scores, "S", "B"))
    above = int((scores.of("B") > scores.of("S")).sum())
    assert f"{above} items" in texts(ax)
    assert f"{200 - above} items" in texts(ax)
    assert ax.get_xlim() == ax.get_ylim()


def test_the_histogram_counts_every_item() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.normal(size=(80, 2)), rng.integers(1, 6, size=(80, 2))):
        scores = Scores.from_arrays({"a": values[:, 0], "b": values[:, 1]})
        ax = items.difference_histogram(item_by_item(scores, "a", "b"))
        heights = [p.get_height() for p in ax.patches]
        assert sum(heights) == 80
        wins = int((values[:, 1] > values[:, 0]).sum())
        assert f"b better: {wins}" in texts(ax)


def test_lower_is_better_turns_the_histogram() -> None:
    scores = Scores.from_arrays({"a": [3.0, 4, 5], "b": [1.0, 2, 3]}, lower_is_better=True)
    assert "b better: 3" in texts(items.difference_histogram(item_by_item(scores, "a", "b")))
    assert "lower is better" in items.paired_scatter(item_by_item(scores, "a", "b")).get_xlabel()
    ax = ranking.rating_intervals(rank(scores, method="mean", rng=0))
    assert "lower is better" in ax.get_xlabel()


def test_agreement_is_written_in_the_cells() -> None:
    found = agreement(score_matrix(systems=4, items=60, rng=0).scores, rng=0)
    said = texts(ranking.agreement_matrix(found))
    assert f"{found.matrix[0, 0]:.2f}" in said


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0], [2.0, 2.0, 2.0]])
def test_identical_systems_can_be_drawn(values: list[float]) -> None:
    scores = Scores.from_arrays({"a": values, "b": values})
    board = rank(scores, method="bradley-terry", rng=0)
    axes = [
        ranking.rating_intervals(board),
        ranking.rank_sets(board.ranking),
        ranking.critical_difference(board),
        ranking.pair_matrix(board.pairs),
        items.paired_scatter(item_by_item(scores, "a", "b")),
        items.difference_histogram(item_by_item(scores, "a", "b")),
    ]
    for ax in axes:
        ax.figure.canvas.draw()
        assert ax.has_data()


def test_pairs_without_common_items_cannot() -> None:
    nan = float("nan")
    scores = Scores.from_arrays({"a": [1, nan], "b": [nan, 1]}, missing="pairwise")
    with pytest.raises(DataError, match="no item in common"):
        items.paired_scatter(item_by_item(scores, "a", "b"))
