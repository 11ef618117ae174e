"""Data are prepared once, and every rating is fitted once."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.ranking import (
    Judgments,
    bradley_terry,
    outcome_tables,
    pairwise,
    prepare,
    rank,
    rating,
    tie_sensitivity,
)
from betterthan.ranking import prepared as prepared_module
from betterthan.ranking import structure as structure_module
from betterthan.ranking import tables as tables_module
from betterthan.ranking.methods import TIE_RULES, TieRule
from betterthan.ranking.structure import other_tie_rules


def some_scores(seed: int = 0, n: int = 40, m: int = 4, **options: Any) -> Scores:
    values = np.random.default_rng(seed).integers(0, 4, size=(n, m)).astype(np.float64)
    return Scores.from_arrays({f"s{k}": values[:, k] for k in range(m)}, **options)


@pytest.mark.parametrize("method", ["bradley-terry", "mean", "median"])
def test_a_leaderboard_prepares_once_and_fits_each_tie_rule_once(
    method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(module: Any, name: str, what: str) -> None:
        whole = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            calls[what] += 1
            return whole(*args, **options)

        monkeypatch.setattr(module, name, call)

    counted(prepared_module, "score_table", "tables")
    counted(tables_module, "outcomes_of_scores", "countings")
    counted(structure_module, "under", "other rules")
    counted(bradley_terry, "fit", "fits")
    counted(bradley_terry, "fit_resamples", "blocks of refits")
    rank(some_scores(clusters=np.repeat(np.arange(20), 2).tolist()), method=method)
    assert calls == {
        "tables": 1,
        "countings": 1,
        "fits": 2,  # the board's own, and of the rule that does not go by points
        "other rules": 1,
        "blocks of refits": 1,
    }


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), m=st.integers(3, 6), task=st.booleans())
def test_points_order_systems_that_all_met_equally_often(seed: int, m: int, task: bool) -> None:
    """Half-wins and Davidson's ties order systems by wins and half of the ties."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, size=(10, m)).astype(np.float64)
    names = [f"s{k}" for k in range(m)]
    options: dict[str, Any] = {"groups": {"task": ["x"] * 3 + ["y"] * 7}} if task else {}
    scores = Scores.from_arrays(dict(zip(names, values.T, strict=True)), **options)
    ready = prepare(scores.with_tasks("task") if task else scores)
    weight = np.repeat([5 / 3, 5 / 7], [3, 7]) if task else np.ones(10)
    won = np.sign(values[:, :, None] - values[:, None, :]).sum(axis=2)
    points = (weight @ won).round(9)
    for rule in ("davidson", "half-win"):
        outcomes = ready.outcomes(rule)
        theta = bradley_terry.fit(outcomes, separation="ghost")[0].theta
        for i, j in combinations(range(m), 2):
            assert (theta[i] - theta[j]) * (points[i] - points[j]) >= -1e-8
        every = other_tie_rules(outcomes, theta)
        some = other_tie_rules(outcomes, theta, order_only=True)
        if len(some) < len(every):
            assert {s.rule for s in every} - {s.rule for s in some} < {"davidson", "half-win"}
        kept = [s for s in every if s.reversed_pairs]
        assert [s for s in some if s.reversed_pairs] == kept


def test_prepared_data_rank_as_the_data_themselves() -> None:
    scores = some_scores(groups={"task": ["x"] * 10 + ["y"] * 30}).with_tasks("task")
    ready = prepare(scores)
    for method in ("bradley-terry", "mean"):
        ours, theirs = (rating(data, method, resamples=20) for data in (ready, scores))
        assert ours.signature == theirs.signature
        np.testing.assert_array_equal(ours.resamples, theirs.resamples)
    np.testing.assert_array_equal(pairwise(ready).pvalue, pairwise(scores).pvalue)
    with pytest.raises(UsageError, match="metric"):
        rating(ready, "bradley-terry", metric="mean")
    with pytest.raises(UsageError, match="metric"):
        prepare(Judgments.from_arrays(["a"], ["b"], [1]), metric="mean")
    with pytest.raises(DataError) as caught:
        prepare(scores.select("s0"))
    assert caught.value.remedies[0].command == "score"


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 999),
    first=st.sampled_from(TIE_RULES),
    second=st.sampled_from(TIE_RULES),
    holes=st.booleans(),
)
def test_another_tie_rule_needs_the_counts_alone(
    seed: int, first: TieRule, second: TieRule, holes: bool
) -> None:
    """Fits of the counts agree with fits of the table counted anew under the rule."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, size=(12, 4)).astype(np.float64)
    if holes:
        values[rng.uniform(size=values.shape) < 0.2] = np.nan
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)}, missing="pairwise")
    try:
        anew = prepare(scores).outcomes(second)
        fitted, reason = bradley_terry.fit(anew, separation="ghost")
        counts = prepare(scores).outcomes(first)
    except DataError:
        assume(False)
    again, why = bradley_terry.fit(outcome_tables.under(counts, second), separation="ghost")
    assert why == reason
    np.testing.assert_allclose(again.theta, fitted.theta, atol=1e-9)
    np.testing.assert_allclose(again.tie, fitted.tie, atol=1e-9)


def test_tie_sensitivity_from_ratings_is_that_from_scratch() -> None:
    scores = some_scores(3)
    ready = prepare(scores)
    made = rating(ready, "bradley-terry(ties=half-win)", resamples=2)
    strengths = made.scores[[made.position(name) for name in scores.systems]]
    shared = other_tie_rules(ready.outcomes("half-win"), strengths)
    for ours, theirs in zip(shared, tie_sensitivity(scores, "half-win"), strict=True):
        assert (ours.rule, ours.reversed_pairs) == (theirs.rule, theirs.reversed_pairs)
        assert ours.largest_shift == pytest.approx(theirs.largest_shift, rel=1e-9)


def test_without_ties_no_tie_rule_changes_anything() -> None:
    values = np.random.default_rng(0).normal(size=(40, 4))
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)})
    assert {s.largest_shift for s in tie_sensitivity(scores)} == {0.0}
    one, *others = (
        rating(scores, f"bradley-terry(ties={rule})", resamples=2).scores for rule in TIE_RULES
    )
    for other in others:
        np.testing.assert_allclose(other, one, atol=1e-9)


def test_adjusted_p_values_keep_their_logarithm() -> None:
    """Three thousand wins of three thousand: p is below the smallest double."""
    scores = Scores.from_arrays({"a": np.zeros(3000), "b": np.ones(3000), "c": np.full(3000, 2)})
    pairs = pairwise(scores)
    assert pairs.adjusted[0, 1] == 0.0
    # Two-sided sign test: 2^(1 - 3000), times three by Holm.
    expected = -2999 * np.log10(2) + np.log10(3)
    assert pairs.log10_adjusted[0, 1] == pytest.approx(expected, rel=1e-12)
    assert np.isnan(np.diagonal(pairs.log10_adjusted)).all()
