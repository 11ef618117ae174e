"""The fit: against choix and evalica, against the plain likelihood, and where it must not exist."""

from collections.abc import Sequence
from typing import Any

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from betterthan.data.scores import Scores
from betterthan.errors import BetterthanError, DataError, UsageError
from betterthan.ranking import Judgments, rating
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking.connectivity import why_separated
from betterthan.ranking.methods import TIE_RULES, TieRule
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.prepared import prepare, score_table
from betterthan.ranking.units import Draws
from oracles_ranking import comparisons, loglikelihood, separated

Array = NDArray[np.float64]


def scores_of(values: Sequence[Sequence[float]] | Array, **options: Any) -> Scores:
    block = np.asarray(values, dtype=np.float64)
    return Scores.from_arrays({f"s{k}": block[:, k] for k in range(block.shape[1])}, **options)


def outcomes_from(values: Array, rule: TieRule, **options: Any) -> Outcomes:
    return score_table(scores_of(values, **options)).outcomes(rule)


def random_scores(seed: int, n: int, m: int, levels: int = 4) -> Array:
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, size=(n, m)).astype(np.float64)


@st.composite
def tables(draw: st.DrawFn, holes: bool = False) -> Array:
    m = draw(st.integers(2, 5))
    n = draw(st.integers(1, 12))
    cell = st.sampled_from([0.0, 1.0, 2.0] + ([float("nan")] if holes else []))
    return np.array([[draw(cell) for _ in range(m)] for _ in range(n)])


@pytest.mark.parametrize("seed", range(5))
def test_equals_choix(seed: int) -> None:
    values = random_scores(seed, 40, 6)
    outcomes = outcomes_from(values, "drop")
    won = outcomes.matrix(outcomes.wins, outcomes.losses)
    fitted, _ = bt.fit(outcomes)
    theirs = choix.ilsr_pairwise_dense(won, tol=1e-13, max_iter=1000)
    np.testing.assert_allclose(fitted.theta, theirs - theirs.mean(), atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_equals_evalica_with_ties_as_half_wins(seed: int) -> None:
    played = comparisons(random_scores(seed, 40, 6).tolist())
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    theirs = evalica.bradley_terry(
        [f"s{i}" for i, _, _ in played],
        [f"s{j}" for _, j, _ in played],
        [winner[o] for _, _, o in played],
        tolerance=1e-15,
        limit=100_000,
    ).scores
    ours = rating(
        scores_of(random_scores(seed, 40, 6)), "bradley-terry(ties=half-win)", resamples=2, rng=0
    )
    logs = np.log(theirs.loc[list(ours.names)].to_numpy())
    np.testing.assert_allclose(ours.scores, logs - logs.mean(), atol=1e-8)
    assert ours.strengths is not None
    np.testing.assert_allclose(ours.strengths, np.exp(logs) / np.exp(logs).sum(), atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(values=tables(holes=True), rule=st.sampled_from(TIE_RULES))
def test_no_point_near_the_fit_is_likelier(values: Array, rule: TieRule) -> None:
    try:
        outcomes = outcomes_from(values, rule, missing="pairwise")
        fitted, _ = bt.fit(outcomes)
    except DataError:
        assume(False)
    assume(not outcomes.undecided)
    assert bool(fitted.converged)
    assert abs(fitted.theta.sum()) < 1e-9
    played = comparisons(values.tolist())
    modelled = rule == "davidson" and bool(outcomes.ties.any())
    oracle_rule = rule if modelled or rule in ("half-win", "drop") else "half-win"
    top = loglikelihood(oracle_rule, fitted.theta.tolist(), float(fitted.tie), played)
    if modelled or rule != "davidson":
        value = outcomes.likelihood.value(fitted.theta, fitted.tie, outcomes.total())
        assert top == pytest.approx(float(value), abs=1e-8)

    def minus(point: Array) -> float:
        tie = float(point[-1]) if modelled else float(fitted.tie)
        return -loglikelihood(oracle_rule, point[: values.shape[1]].tolist(), tie, played)

    start = np.append(fitted.theta, fitted.tie) if modelled else fitted.theta
    for k in range(len(start)):
        for step in (1e-4, -1e-4):
            moved = start.copy()
            moved[k] += step
            assert minus(moved) >= -top - 1e-10
    found = minimize(minus, start + 0.05, method="Nelder-Mead", options={"maxiter": 400})
    assert found.fun >= -top - 1e-9


@settings(max_examples=150, deadline=None)
@given(values=tables(), rule=st.sampled_from(["half-win", "drop"]))
def test_existence_is_fords_condition(values: Array, rule: TieRule) -> None:
    m = values.shape[1]
    try:
        outcomes = outcomes_from(values, rule)
    except DataError:
        return
    try:
        says = why_separated(outcomes) is not None
    except DataError:  # not even connected
        says = True
    assert says == separated(m, comparisons(values.tolist()), drop_ties=rule == "drop")


@settings(max_examples=150, deadline=None)
@given(values=tables())
def test_existence_with_modelled_ties_is_a_linear_programme(values: Array) -> None:
    """No direction of (strengths, tie parameter) along which the likelihood never falls."""
    outcomes = outcomes_from(values, "davidson")
    assume(outcomes.ties.any() and not outcomes.undecided)
    m = values.shape[1]
    rows = []
    # In units of u: wins need u_i - u_j >= e (and so >= -e), ties e >= |u_i - u_j|.
    for i, j, outcome in comparisons(values.tolist()):
        gap = np.zeros(m + 1)
        gap[i], gap[j] = 1.0, -1.0
        threshold = np.append(np.zeros(m), 1.0)
        if outcome == 0.5:
            rows += [gap - threshold, -gap - threshold]
        else:
            toward = gap if outcome == 1.0 else -gap
            rows += [threshold - toward, -toward]
    inequalities = np.array(rows)
    # Some inequality strict: the likelihood then rises along the direction.
    best = linprog(
        inequalities.sum(axis=0),
        A_ub=inequalities,
        b_ub=np.zeros(len(inequalities)),
        bounds=[(-1, 1)] * (m + 1),
    )
    assert (why_separated(outcomes) is not None) == (best.fun < -1e-9)


@settings(max_examples=40, deadline=None)
@given(values=tables(holes=True), rule=st.sampled_from(TIE_RULES), seed=st.integers(0, 99))
def test_weights_times_table_counts_the_resampled_items(
    values: Array, rule: TieRule, seed: int
) -> None:
    """A resampled sum is the sum of the data with its items written out."""
    try:
        outcomes = outcomes_from(values, rule, missing="pairwise")
    except DataError:
        assume(False)
    kept = values[~np.isnan(values).all(axis=1)]
    weights = np.random.default_rng(seed).integers(0, 4, size=len(kept))
    sums = outcomes.sums(weights.astype(np.float64))
    lead = np.zeros(values.shape[1])
    ties = played = 0.0
    for i, j, outcome in comparisons(np.repeat(kept, weights, axis=0).tolist()):
        if rule == "drop" and outcome == 0.5:
            continue
        lead[i] += outcome - 0.5
        lead[j] -= outcome - 0.5
        ties += outcome == 0.5
        played += 1
    np.testing.assert_allclose(sums.lead, lead)
    assert sums.tied.sum() == ties
    complete = sums.played.shape[-1] == 1 and len(outcomes.likelihood.left) > 1
    assert sums.played.sum() * (len(outcomes.likelihood.left) if complete else 1) == played


@pytest.mark.parametrize("rule", TIE_RULES)
def test_a_batch_of_refits_is_one_fit_after_the_other(rule: TieRule) -> None:
    values = random_scores(1, 60, 5)
    outcomes = outcomes_from(values, rule)
    fitted, _ = bt.fit(outcomes)
    weights = next(outcomes.units.resampled(np.asarray, Draws(8, 0)))
    batch, ghosts = bt.fit_resamples(outcomes, weights, fitted)
    assert ghosts.size == 0
    for row, theta in zip(weights, batch.theta, strict=True):
        written_out = np.repeat(values, row.astype(int), axis=0)
        alone, _ = bt.fit(outcomes_from(written_out, rule))
        np.testing.assert_allclose(theta, alone.theta, atol=1e-9)


def test_mm_reaches_the_same_strengths_by_the_papers_rule() -> None:
    outcomes = outcomes_from(random_scores(3, 50, 6), "half-win")
    newton, _ = bt.fit(outcomes)
    mm = bt.mm_fit(outcomes)
    assert bool(mm.converged)
    assert mm.iterations > 5
    np.testing.assert_allclose(mm.theta, newton.theta, atol=1e-7)
    np.testing.assert_allclose(bt.mm_fit(outcomes, tolerance=1e-15).theta, newton.theta, atol=1e-12)
    stopped = bt.mm_fit(outcomes, limit=3)
    assert not stopped.converged
    assert stopped.iterations == 3


def test_two_systems_have_the_closed_form() -> None:
    """Strengths are in the ratio of the wins (Peyrard et al., 2021, section 2.2)."""
    wins, losses = 7, 3
    values = np.array([[1.0, 0.0]] * wins + [[0.0, 1.0]] * losses + [[1.0, 1.0]] * 5)
    for rule, odds in (("drop", 7 / 3), ("davidson", 7 / 3), ("half-win", 9.5 / 5.5)):
        made = rating(scores_of(values), f"bradley-terry(ties={rule})", resamples=2, rng=0)
        assert made.scores[0] - made.scores[1] == pytest.approx(np.log(odds), abs=1e-10)
    davidson = rating(scores_of(values), "bradley-terry", resamples=2, rng=0)
    # Davidson's model is saturated here: ties 5 of 15 = nu sqrt(s1 s2) / total.
    assert davidson.tie_parameter == pytest.approx(5 / np.sqrt(21), abs=1e-9)


def test_a_ghost_has_the_closed_form_for_two() -> None:
    made = rating(scores_of([[1.0, 0.0]] * 9), "bradley-terry(ties=half-win)", resamples=2, rng=0)
    assert made.scores[0] - made.scores[1] == pytest.approx(np.log(9.5 / 0.5), abs=1e-8)
    assert any("won every comparison" in note for note in made.notes)


@pytest.mark.parametrize("rule", TIE_RULES)
def test_sandwich_is_the_textbook_formula(rule: TieRule) -> None:
    """Scores of single items by numerical differentiation of the plain likelihood."""
    values = random_scores(2, 25, 3)
    outcomes = outcomes_from(values, rule)
    fitted, _ = bt.fit(outcomes)
    modelled = rule == "davidson"
    point = np.append(fitted.theta, fitted.tie) if modelled else fitted.theta

    def gradient(rows: Array, at: Array) -> Array:
        def value(x: Array) -> float:
            tie = float(x[3]) if modelled else 0.0
            return loglikelihood(rule, x[:3].tolist(), tie, comparisons(rows.tolist()))

        steps = 1e-5 * np.eye(len(at))
        return np.array([(value(at + s) - value(at - s)) / 2e-5 for s in steps])

    scores = np.array([gradient(values[k : k + 1], point) for k in range(len(values))])
    steps = 1e-4 * np.eye(len(point))
    bread = -np.array(
        [(gradient(values, point + s) - gradient(values, point - s)) / 2e-4 for s in steps]
    )
    inverse = np.linalg.pinv(bread, rcond=1e-6)
    expected = inverse @ (scores.T @ scores) @ inverse * 25 / 24
    np.testing.assert_allclose(
        bt.sandwich(outcomes, fitted), expected[:3, :3], rtol=1e-3, atol=1e-7
    )


def test_judgments_and_scores_of_the_same_comparisons_agree() -> None:
    values = random_scores(5, 20, 4)
    left, right, outcome, item = [], [], [], []
    for k, row in enumerate(values):
        for i, j, o in comparisons([row.tolist()]):
            swap = (i + j + k) % 2  # sides must not matter
            left.append(f"s{j if swap else i}")
            right.append(f"s{i if swap else j}")
            outcome.append(1 - o if swap else o)
            item.append(k)
    judged = Judgments.from_arrays(left, right, outcome, items=item)
    for rule in TIE_RULES:
        a, b = (prepare(data).outcomes(rule) for data in (scores_of(values), judged))
        one, other = (bt.fit(outcomes)[0] for outcomes in (a, b))
        assert a.systems == b.systems
        np.testing.assert_allclose(one.theta, other.theta, atol=1e-9)
        np.testing.assert_allclose(bt.sandwich(a, one), bt.sandwich(b, other), atol=1e-9)


def test_single_judgments_are_grouped_by_kind() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    keep = left != right
    outcome = rng.choice([0.0, 0.5, 1.0], size=500)
    one = Judgments.from_arrays(left[keep], right[keep], outcome[keep])
    each = Judgments.from_arrays(
        left[keep], right[keep], outcome[keep], items=np.arange(int(keep.sum()))
    )
    grouped, apart = prepare(one).outcomes("davidson"), prepare(each).outcomes("davidson")
    assert grouped.units.count == apart.units.count == keep.sum()
    assert len(grouped.units.multiplicity) == 18  # 6 pairs, 3 outcomes
    np.testing.assert_allclose(grouped.total().lead, apart.total().lead)
    spread = [
        rating(d, "bradley-terry", resamples=4000, rng=0).resamples.std(axis=0) for d in (one, each)
    ]
    np.testing.assert_allclose(spread[0], spread[1], rtol=0.06)


def test_options_are_checked() -> None:
    scores = scores_of(random_scores(0, 30, 3))
    for option in ("ties=split", "solver=sgd", "separation=prior"):
        with pytest.raises(UsageError, match=option.split("=")[0]):
            rating(scores, f"bradley-terry({option})")
    undefeated = scores_of([[1.0, 0.0]] * 5)
    for data, options, remedy in (
        (scores, "solver=mm", "bradley-terry(ties=half-win,solver=mm)"),
        (undefeated, "ties=half-win,interval=sandwich", "bradley-terry(ties=half-win)"),
        (undefeated, "ties=half-win,solver=mm", "bradley-terry(ties=half-win)"),
        (undefeated, "separation=error", "bradley-terry"),
    ):
        with pytest.raises(BetterthanError) as caught:
            rating(data, f"bradley-terry({options})")
        assert caught.value.remedies[0].value == remedy
        rating(data, remedy, resamples=2)
