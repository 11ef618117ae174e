"""The order in which systems, items and judgments come changes no number of a board."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.data.scores import Scores
from betterthan.errors import DataError
from betterthan.ranking import Judgments, compare_rankings, disagreement, rank, rating
from betterthan.ranking.methods import KINDS

METHODS = st.sampled_from(list(KINDS))


def printed(data: Any, method: Any, **options: Any) -> dict[str, Any]:
    document = rank(data, method=method, resamples=20, **options).to_dict()
    return {key: document[key] for key in ("rows", "pairs", "notes", "signature")}


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0]), min_size=4, max_size=4),
        min_size=2,
        max_size=9,
    ),
    method=METHODS,
    layout=st.sampled_from(["plain", "clusters", "tasks"]),
    seed=st.integers(0, 99),
)
def test_systems_and_items_may_come_in_any_order(
    rows: list[list[float]], method: Any, layout: str, seed: int
) -> None:
    values, rng = np.array(rows), np.random.default_rng(seed)
    n = len(values)
    group = np.array([f"g{k // 2}" for k in range(n)], dtype=object)
    tasks = layout == "tasks" and method in ("mean", "bradley-terry")

    def board(systems: Any, items: Any) -> Any:
        scores = Scores.from_arrays(
            {f"s{k}": values[items, k] for k in systems},
            clusters=group[items].tolist() if layout == "clusters" else None,
            groups={"task": group[items].tolist()},
        )
        try:
            return printed(scores.with_tasks("task") if tasks else scores, method)
        except DataError as error:
            return str(error)

    assert board(range(4), np.arange(n)) == board(rng.permutation(4), rng.permutation(n))


@settings(max_examples=30, deadline=None)
@given(
    battles=st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=3,
        max_size=25,
    ),
    method=st.sampled_from(["bradley-terry", "elo", "trueskill"]),
    named=st.booleans(),
    seed=st.integers(0, 99),
)
def test_judgments_may_come_in_any_order_and_on_either_side(
    battles: list[tuple[int, int, float]], method: Any, named: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    left = np.array([i for i, _, _ in battles])
    right = np.array([(i + d) % 4 for i, d, _ in battles])
    outcome = np.array([o for _, _, o in battles])

    def board(order: Any, swap: Any) -> Any:
        one, other = np.where(swap, right, left)[order], np.where(swap, left, right)[order]
        judged = Judgments.from_arrays(
            one, other, np.where(swap, 1 - outcome, outcome)[order],
            items=(order // 2).tolist() if named else None,
        )  # fmt: skip
        try:
            return printed(judged, method)
        except DataError as error:
            return str(error)

    n = len(battles)
    shuffled = board(rng.permutation(n), rng.uniform(size=n) < 0.5)
    assert board(np.arange(n), np.zeros(n, dtype=bool)) == shuffled


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4),
    seed=st.integers(0, 99),
)
def test_disagreement_does_not_depend_on_the_order_of_systems(
    rows: list[list[int]], seed: int
) -> None:
    values, order = np.array(rows, dtype=float), np.random.default_rng(seed).permutation(4)
    one, other = (
        disagreement(Scores.from_arrays({f"s{k}": values[:, k] for k in some}))
        for some in (range(4), order)
    )
    assert str(one) == str(other)  # NaN is equal to itself


def test_tied_winners_are_another_winner_only_if_none_is_shared() -> None:
    level = rating(Scores.from_arrays({"a": [1, 2], "b": [2, 1], "c": [0, 0]}), "mean")
    b_wins = rating(Scores.from_arrays({"a": [1, 1], "b": [2, 2], "c": [0, 0]}), "mean")
    c_wins = rating(Scores.from_arrays({"a": [1, 1], "b": [0, 0], "c": [2, 2]}), "mean")
    assert compare_rankings(level, b_wins).other_winner == 0
    assert compare_rankings(level, c_wins).other_winner == 1
    assert compare_rankings(level, c_wins).other_top3 == 0


def test_elo_can_be_played_in_the_order_of_the_data() -> None:
    """Ten wins and ten losses: who won last is ahead."""
    early = Judgments.from_arrays(["a"] * 20, ["b"] * 20, [1.0] * 10 + [0.0] * 10)
    late = Judgments.from_arrays(["a"] * 20, ["b"] * 20, [0.0] * 10 + [1.0] * 10)
    options: Any = {"method": "elo(order=file)", "resamples": 20, "rng": 0}
    assert rating(early, **options).names[0] == "b"
    assert rating(late, **options).names[0] == "a"
    points = 1000.0
    for won in [1.0] * 10 + [0.0] * 10:  # the rule itself
        points += 20 * (won - 1 / (1 + 10 ** ((2000 - 2 * points) / 400)))
    made = rating(early, **options)
    assert made.scores[made.position("a")] == pytest.approx(points, abs=1e-9)
    assert any("in the order of the data" in note for note in made.notes)
    one, other = (rating(data, **options) for data in (early, late))
    np.testing.assert_array_equal(one.scores, other.scores)


def test_games_on_one_item_have_no_favourite_order() -> None:
    """Equal systems that beat each other in a circle on every item: no rating stands out."""
    values = np.tile([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]], (40, 1))
    scores = Scores.from_arrays(dict(zip("abc", values.T, strict=True)))
    made = rating(scores, "elo(repeats=400)", resamples=2, rng=0)
    assert made.order_spread is not None
    assert np.abs(made.scores - 1000).max() < 4 * made.order_spread.max() / 20
