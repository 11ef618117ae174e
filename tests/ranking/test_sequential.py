"""Elo and TrueSkill: game by game the same as independent implementations on the same order."""

import evalica
import numpy as np
import polars as pl
import pytest
import trueskill as reference  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.ranking import Judgments, rating
from betterthan.ranking.elo import elo_ratings
from betterthan.ranking.games import round_robin
from betterthan.ranking.methods import Aggregation
from betterthan.ranking.prepared import battle_table, score_table
from betterthan.ranking.tables import Prepared, ScoreTable
from betterthan.ranking.trueskill import trueskill_ratings
from betterthan.resampling.draws import orders, resampled_orders
from oracles_ranking import Comparison
from oracles_ranking import elo as slow_elo


def table(seed: int, n: int = 40, m: int = 5, holes: float = 0.0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(n, m)) + np.linspace(0, 1, m))
    values[rng.uniform(size=values.shape) < holes] = np.nan
    names = {f"s{k}": values[:, k] for k in range(m)}
    return score_table(Scores.from_arrays(names, missing="pairwise"))


def as_played(data: Prepared, order: NDArray[np.int64], row: int = 0) -> list[Comparison]:
    """The games of one of some orders, one by one."""
    return [
        (int(i), int(j), float(o))
        for games in data.games(order, np.random.default_rng(0))
        for i, j, o, played in zip(
            games.left[row], games.right[row], games.outcome[row], games.played[row], strict=True
        )
        if played
    ]


@given(m=st.integers(2, 12))
def test_a_round_robin_meets_everybody_once_and_nobody_twice_a_round(m: int) -> None:
    rounds = round_robin(m)
    met = [(int(a), int(b)) for left, right in rounds for a, b in zip(left, right, strict=True)]
    assert sorted(met) == [(i, j) for i in range(m) for j in range(i + 1, m)]
    for left, right in rounds:
        players = [*left.tolist(), *right.tolist()]
        assert len(set(players)) == len(players)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), m=st.integers(2, 6), holes=st.sampled_from([0.0, 0.3]))
def test_elo_is_the_rule_applied_game_by_game(seed: int, m: int, holes: float) -> None:
    data = table(seed, 15, m, holes)
    order = next(orders(len(data.values), 3, seed))
    ratings = elo_ratings(data.games(order, np.random.default_rng(0)), 3, m, k=20)
    for k in range(3):
        np.testing.assert_allclose(ratings[k], slow_elo(m, as_played(data, order, k)), atol=1e-9)


def test_elo_equals_evalica() -> None:
    data = table(0)
    order = next(orders(len(data.values), 1, 0))
    played = as_played(data, order)
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    theirs = evalica.elo(
        [i for i, _, _ in played],
        [j for _, j, _ in played],
        [winner[o] for _, _, o in played],
        k=20.0,
    ).scores.sort_index()
    ours = elo_ratings(data.games(order, np.random.default_rng(0)), 1, 5)[0]
    np.testing.assert_allclose(ours, theirs.to_numpy(), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_trueskill_equals_the_reference_implementation(seed: int) -> None:
    data = table(seed, 30, 4, holes=0.1)
    order = next(orders(len(data.values), 1, seed))
    environment = reference.TrueSkill(backend="scipy")  # its own erfc has seven digits only
    ratings = [environment.create_rating() for _ in range(4)]
    for i, j, outcome in as_played(data, order):
        if outcome == 0.0:
            ratings[j], ratings[i] = reference.rate_1vs1(ratings[j], ratings[i], env=environment)
        else:
            ratings[i], ratings[j] = reference.rate_1vs1(
                ratings[i], ratings[j], drawn=outcome == 0.5, env=environment
            )
    mu, sigma = trueskill_ratings(data.games(order, np.random.default_rng(0)), 1, 4)
    np.testing.assert_allclose(mu[0], [r.mu for r in ratings], atol=1e-8)
    np.testing.assert_allclose(sigma[0], [r.sigma for r in ratings], atol=1e-8)


def test_trueskill_survives_endless_upsets() -> None:
    """A thousand wins, then a draw and a loss: the corrections live below the smallest double."""
    judged = Judgments.from_arrays(["a"] * 3002, ["b"] * 3002, ["left"] * 3000 + ["tie", "right"])
    table = battle_table(judged).one_by_one()
    assert table.sequence is not None
    games = table.games(table.sequence[None], np.random.default_rng(0))
    mu, sigma = trueskill_ratings(games, 1, 2)
    assert np.isfinite(mu).all()
    assert (sigma > 0).all()
    assert mu[0, 0] > mu[0, 1]


def test_orders_depend_on_the_seed_and_their_number_alone() -> None:
    few, many = next(orders(7, 2, 5)), next(orders(7, 6, 5))
    np.testing.assert_array_equal(few, many[:2])
    assert sorted(many[3]) == list(range(7))


def test_a_resampled_order_draws_whole_clusters() -> None:
    scores = Scores.from_arrays({"a": np.arange(6.0), "b": np.ones(6)}, clusters=list("xxyzzz"))
    ready = score_table(scores)
    for order in next(resampled_orders(ready.unit_of, ready.units.groups, 50, 0)):
        rows = order[order >= 0].tolist()
        while rows:
            size = {0: 2, 2: 1, 3: 3}[rows[0]]
            assert rows[:size] == list(range(rows[0], rows[0] + size))
            rows = rows[size:]


def test_ratings_average_orders_and_show_their_spread() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(60, 4)) + np.linspace(0, 0.4, 4)
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)})
    made = rating(scores, "elo(repeats=50)", resamples=50, rng=0)
    again = rating(scores, "elo(repeats=50)", resamples=50, rng=1)
    assert made.order_spread is not None
    assert (made.order_spread > 5).all()
    # The average of 50 orders moves by a seventh of the spread of one.
    at = [again.position(name) for name in made.names]
    assert np.abs(made.scores - again.scores[at]).max() < made.order_spread.max()
    assert "random orders" in made.notes[-1]
    assert made.scores.mean() == pytest.approx(1000)
    skill = rating(scores, "trueskill(repeats=20)", resamples=20, rng=0)
    assert skill.sigma is not None
    assert (skill.sigma < 25 / 3).all()


def test_elo_options_are_checked() -> None:
    scores = Scores.from_arrays({"a": [1, 2], "b": [2, 1]})
    with pytest.raises(UsageError, match="repeats"):
        rating(scores, "elo(repeats=1)")


@pytest.mark.parametrize("method", ["elo", "trueskill", "bradley-terry"])
def test_groups_that_never_met_have_no_common_scale(method: Aggregation) -> None:
    rows = [("x", "y", "x")] * 50 + [("x", "y", "y")] * 10
    rows += [("u", "v", "u")] * 50 + [("u", "v", "v")] * 10
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    with pytest.raises(DataError, match="2 groups"):
        rating(bt.read(frame), method)
