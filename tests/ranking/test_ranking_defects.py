"""What others get wrong: each of these happened in a published tool (see each test)."""

import evalica
import numpy as np
import pytest
from scipy.stats import chi2

from betterthan.data.scores import Scores
from betterthan.errors import DataError
from betterthan.ranking import Judgments, pairwise, prepare, rank, rating
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking.elo import elo_ratings
from betterthan.ranking.prepared import battle_table
from betterthan.resampling.draws import orders
from betterthan.testing.classic import sign_test
from oracles_ranking import comparisons


def equal_systems(rng: np.random.Generator, n: int, m: int) -> Scores:
    values = rng.normal(size=(n, 1)) + rng.normal(size=(n, m))
    return Scores.from_arrays({f"s{k}": values[:, k] for k in range(m)})


def test_comparisons_on_one_item_are_not_independent() -> None:
    """Treating all pairs on a shared test set as independent makes errors far too small."""
    rng = np.random.default_rng(1)
    naive = robust = 0
    studies, m = 150, 10
    for _ in range(studies):
        outcomes = prepare(equal_systems(rng, 100, m)).outcomes("half-win")
        fitted, _ = bt.fit(outcomes)
        difference = fitted.theta[0] - fitted.theta[1]
        contrast = np.zeros(m)
        contrast[:2] = 1, -1
        likelihood = outcomes.likelihood
        tally = outcomes.total().take(None)
        slopes = likelihood.slopes(fitted.theta[None], np.zeros(1), tally)
        model = np.linalg.inv(likelihood.hessian(slopes)[0])
        honest = bt.sandwich(outcomes, fitted)
        naive += abs(difference) > 1.96 * np.sqrt(contrast @ model @ contrast)
        robust += abs(difference) > 1.96 * np.sqrt(contrast @ honest @ contrast)
    assert naive / studies > 0.2
    # Exact binomial bounds at 99.9 % for 5 % of 150.
    assert 1 <= robust <= 19


def test_resampling_and_sandwich_agree_with_fifty_systems() -> None:
    scores = equal_systems(np.random.default_rng(0), 300, 50)
    outcomes = prepare(scores).outcomes("half-win")
    fitted, _ = bt.fit(outcomes)
    made = rating(scores, "bradley-terry(ties=half-win)", resamples=1000, rng=0)
    at = [made.position(name) for name in outcomes.systems]
    honest = np.sqrt(np.diag(bt.sandwich(outcomes, fitted)))
    # Variances of 1,000 draws, all fifty within their chi-square bounds at 99.9 %.
    ratio = made.resamples.var(axis=0, ddof=1)[at] / honest**2
    low, high = chi2.ppf([0.00001, 0.99999], 999) / 999
    assert low < ratio.min() < ratio.max() < high
    assert np.mean(ratio) == pytest.approx(1, abs=0.03)
    likelihood = outcomes.likelihood
    slopes = likelihood.slopes(fitted.theta[None], np.zeros(1), outcomes.total().take(None))
    naive = np.sqrt(np.diag(np.linalg.pinv(likelihood.hessian(slopes)[0])))
    assert np.median(honest / naive) > 3  # the errors in use are 4.2 times too small


def test_an_undefeated_system_is_an_error_that_names_it() -> None:
    """evalica gives everyone the same score, arena-rank a rating of 3334 +- 0."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 3))
    values[:, 2] = 10
    scores = Scores.from_arrays({"a": values[:, 0], "b": values[:, 1], "best": values[:, 2]})
    played = comparisons(values.tolist())
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y}
    theirs = evalica.bradley_terry(
        [i for i, _, _ in played], [j for _, j, _ in played], [winner[o] for _, _, o in played]
    ).scores
    assert theirs.nunique() == 1
    with pytest.raises(DataError, match="'best' won every comparison") as caught:
        rating(scores, "bradley-terry(separation=error)")
    assert [r.value for r in caught.value.remedies] == ["bradley-terry", "mean"]
    made = rating(scores, "bradley-terry", rng=0)
    assert made.names[0] == "best"
    assert np.isfinite(made.scores).all()
    assert "convention" in made.notes[-1]
    winless = Scores.from_arrays({"a": values[:, 0], "b": values[:, 1], "worst": -values[:, 2]})
    with pytest.raises(DataError, match="'worst' lost every comparison"):
        rating(winless, "bradley-terry(separation=error)")
    board = rank(scores, method="bradley-terry", rng=0)  # a table comes out, with a note
    assert board.rows[0].system == "best"
    assert board.rows[0].tier == 1
    assert board.rows[1].tier == 2


def test_disconnected_systems_are_not_ranked() -> None:
    judged = Judgments.from_arrays(list("aabcdc"), list("bbadcd"), [1, 0, 1, 1, 0, 0])
    for separation in ("error", "ghost"):
        with pytest.raises(DataError, match="'a', 'b'") as caught:
            rating(judged, f"bradley-terry(separation={separation})")
        assert caught.value.remedies[0].value == ["a", "b"]


def test_an_interval_of_95_percent_is_one() -> None:
    """Pairformance's "95 %" interval runs from the 5th to the 95th percentile."""
    rng = np.random.default_rng(0)
    scores = Scores.from_arrays({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    made = rating(scores, "mean", resamples=4000, rng=0)
    half = (made.high - made.low) / 2
    expected = [1.96 * scores.of(name).std() / 20 for name in made.names]
    assert half == pytest.approx(expected, rel=0.06)  # 5-95 % would be 16 % short


def test_ties_do_not_count_in_the_sign_test() -> None:
    """Pairformance keeps them in n: 5 wins, 5 losses and 90 ties give p = 1e-22."""
    a = np.zeros(100)
    b = np.array([1.0] * 5 + [-1.0] * 5 + [0.0] * 90)
    assert sign_test(a, b).pvalue == 1.0
    pairs = pairwise(Scores.from_arrays({"a": a, "b": b}), test="sign", rng=0)
    assert pairs.pvalue[0, 1] == 1.0
    assert (pairs.wins[0, 1], pairs.ties[0, 1], pairs.losses[0, 1]) == (5, 90, 5)


def test_the_estimate_is_the_estimate() -> None:
    """Pairformance reports the bootstrap mean instead."""
    rng = np.random.default_rng(5)
    values = rng.exponential(size=(30, 2))
    scores = Scores.from_arrays({"a": values[:, 0], "b": values[:, 1]})
    made = rating(scores, "mean", resamples=50, rng=0)
    assert dict(zip(made.names, made.scores, strict=True)) == pytest.approx(
        {"a": values[:, 0].mean(), "b": values[:, 1].mean()}, abs=1e-15
    )
    assert (made.resamples.mean(axis=0) != made.scores).all()


def test_a_system_that_never_wins_or_has_holes_ends() -> None:
    """Pairformance loops for ever on both."""
    values = np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0]] * 10)
    with pytest.raises(DataError, match="'a' lost every comparison"):
        rating(
            Scores.from_arrays(dict(zip("abc", values.T, strict=True))),
            "bradley-terry(ties=drop,solver=mm)",
        )
    values[0, 0] = np.nan
    values[3, 0] = 5.0
    holes = Scores.from_arrays(dict(zip("abc", values.T, strict=True)), missing="pairwise")
    made = rating(holes, "bradley-terry", rng=0)
    assert made.converged
    assert "1 of 60 scores are missing" in made.notes[0]


def test_elo_depends_on_order_and_says_so() -> None:
    """The same games shuffled: another winner. We average over orders and show the spread."""
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, 5, 3000), rng.integers(0, 5, 3000)
    keep = left != right
    ahead = (left - right)[keep] * 0.01
    outcome = (rng.uniform(size=int(keep.sum())) < 0.5 + ahead).astype(float)
    judged = Judgments.from_arrays(left[keep], right[keep], outcome)
    order = next(orders(judged.n, 40, 0))
    table = battle_table(judged).one_by_one()
    single = elo_ratings(table.games(order, np.random.default_rng(0)), 40, 5)
    assert len(set(single.argmax(axis=1))) > 1
    made = rating(judged, "elo(repeats=40)", resamples=20, rng=0)
    assert made.order_spread is not None
    assert np.median(np.ptp(single, axis=0)) > 38
    # The same seed plays the same forty orders.
    at = [table.systems.index(name) for name in made.names]
    np.testing.assert_allclose(made.scores, single.mean(axis=0)[at], rtol=1e-12)
    np.testing.assert_allclose(made.order_spread, single.std(axis=0, ddof=1)[at], rtol=1e-9)
    assert any("have another winner" in note for note in made.notes)


def test_bradley_terry_goes_on_until_it_has_converged() -> None:
    """crowd-kit stops after two steps whatever is asked."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 8)) + np.linspace(0, 3, 8)
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(8)})
    made = rating(scores, "bradley-terry(ties=half-win,solver=mm)", resamples=2, rng=0)
    newton = rating(scores, "bradley-terry(ties=half-win)", resamples=2, rng=0)
    assert made.iterations > 20
    assert made.converged
    assert made.scores == pytest.approx(newton.scores, abs=1e-6)


@pytest.mark.parametrize("method", ["mean", "median", "bradley-terry", "elo", "trueskill"])
def test_lower_is_better_crowns_the_lowest(method: str) -> None:
    """Some tools (ranx, autorank) have crowned the worst system of an error metric."""
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(60, 3)) + np.array([0.0, 1.0, 2.0])
    scores = Scores.from_arrays(
        {"low": errors[:, 0], "mid": errors[:, 1], "high": errors[:, 2]}, lower_is_better=True
    )
    made = rating(scores, method, rng=0)
    assert made.names == ("low", "mid", "high")
    assert made.comes_first[0] > 0.9
    assert made.rank_low[0] == 1
    if method in ("mean", "median"):
        assert made.lower_is_better
        assert made.scores[0] < made.scores[2]
    board = rank(scores, method=method, rng=0)
    assert [row.system for row in board.rows] == ["low", "mid", "high"]
    assert board.rows[0].score is not None
    assert board.rows[2].score is not None
    assert board.rows[0].score < board.rows[2].score
    assert board.rows[0].beats == ("mid", "high")
    assert board.pairs.lead[0, 2] > 0


def test_resamples_that_all_leave_a_system_without_items_are_no_crash() -> None:
    values = np.where(np.eye(12) > 0, np.arange(12) % 2, np.nan)  # an item for each system
    values[0, 1] = 1.0
    scores = Scores.from_arrays({f"s{k:02}": x for k, x in enumerate(values.T)}, missing="pairwise")
    ranking = rating(scores, "mean", resamples=20)
    assert "20 of 20 resamples left a system without items and do not count" in ranking.notes
    assert "nothing can be said about uncertainty" in ranking.notes
    for unknown in (ranking.low, ranking.high, ranking.comes_first, ranking.in_top(3)):
        assert np.isnan(unknown).all()
    assert set(ranking.rank_low) == {1}
    assert set(ranking.rank_high) == {12}
