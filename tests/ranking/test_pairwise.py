"""All pairs: effects by definition, tests by name, and the model told apart from the pair."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from betterthan.comparison.multiplicity import adjust
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.ranking import Judgments, pairwise, rating, win_matrix
from betterthan.ranking.pair_tests import BY_SIGN
from betterthan.ranking.pairwise import MATCHING
from betterthan.testing.classic import mood_test, sign_test, t_test, wilcoxon
from betterthan.testing.permutation import permutation_test


def some_scores(**options: Any) -> Scores:
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(40, 3)) + np.array([0.0, 0.4, 1.0]), 1)
    return Scores.from_arrays({f"s{k}": values[:, k] for k in range(3)}, **options)


@pytest.mark.parametrize(
    ("method", "test", "function"),
    [
        ("mean", None, permutation_test),
        ("mean", "t", t_test),
        ("median", None, mood_test),
        ("median", "sign", sign_test),
        ("bradley-terry", None, sign_test),
        ("bradley-terry", "wilcoxon", wilcoxon),
    ],
)
def test_each_method_has_its_test(method: Any, test: Any, function: Any) -> None:
    scores = some_scores()
    pairs = pairwise(scores, method, test=test, rng=0)
    assert pairs.test == (test or MATCHING[pairs.method][0])
    raw = []
    for i in range(3):
        for j in range(i + 1, 3):
            a, b = scores.of(pairs.names[j])[:, 0], scores.of(pairs.names[i])[:, 0]
            expected = function(a, b)
            assert pairs.pvalue[i, j] == pairs.pvalue[j, i] == expected.pvalue
            assert pairs.results[pairs.names[i], pairs.names[j]].pvalue == expected.pvalue
            effect = {"mean": b.mean() - a.mean(), "median": np.median(b) - np.median(a)}.get(
                method, ((b > a) + 0.5 * (a == b)).mean()
            )
            assert pairs.effect[i, j] == pytest.approx(effect)
            assert pairs.lead[i, j] == pytest.approx(-pairs.lead[j, i])
            assert pairs.wins[i, j] == pairs.losses[j, i] == (b > a).sum()
            raw.append(expected.pvalue)
    upper = np.triu_indices(3, 1)
    np.testing.assert_allclose(pairs.adjusted[upper], adjust(raw), rtol=1e-9)
    assert np.isnan(np.diagonal(pairs.pvalue)).all()
    np.testing.assert_array_equal(pairs.beats[0, 1:], pairs.adjusted[0, 1:] <= 0.05)


def test_the_model_uses_all_pairs_and_the_effect_one() -> None:
    """a beats b directly; through c, whom b beats far more often, b is the stronger one."""
    outcome = (
        [("a", "b", 1)] * 6 + [("a", "b", 0)] * 4
        + [("a", "c", 1)] * 50 + [("a", "c", 0)] * 50
        + [("b", "c", 1)] * 90 + [("b", "c", 0)] * 10
    )  # fmt: skip
    judged = Judgments.from_arrays(*zip(*outcome, strict=True))
    pairs = pairwise(judged, rng=0)
    a, b = pairs.names.index("a"), pairs.names.index("b")
    assert pairs.effect[a, b] == pytest.approx(0.6)
    assert pairs.model is not None
    assert pairs.model[a, b] < 0.5
    assert pairs.model[a, b] + pairs.model[b, a] == pytest.approx(1)


@pytest.mark.parametrize("method", ["bradley-terry", "elo", "trueskill"])
def test_model_probabilities(method: Any) -> None:
    ranking = rating(some_scores(), method, resamples=10, rng=0)
    matrix = win_matrix(ranking)
    assert matrix is not None
    upper = np.triu_indices(3, 1)
    assert (matrix[upper] >= 0.5).all()
    np.testing.assert_allclose(matrix[upper] + matrix.T[upper], 1)
    if method == "bradley-terry":
        assert ranking.strengths is not None
        s = ranking.strengths
        assert matrix[0, 1] == pytest.approx(s[0] / (s[0] + s[1]))  # the paper's Eq. 1
    assert win_matrix(rating(some_scores(), "mean", resamples=2, rng=0)) is None


def test_clusters_change_sides_together() -> None:
    base = some_scores()
    values = np.repeat(base.values[:, :, 0], 2, axis=0)
    labels = np.repeat(np.arange(40), 2).tolist()
    doubled = Scores.from_arrays({f"s{k}": values[:, k] for k in range(3)}, clusters=labels)
    for method in ("bradley-terry", "mean"):
        one, two = pairwise(base, method, rng=0), pairwise(doubled, method, rng=0)
        np.testing.assert_allclose(one.pvalue, two.pvalue, rtol=1e-6)
    with pytest.raises(UsageError, match="Mood's test cannot use clusters"):
        pairwise(doubled, "median", test="mood", rng=0)


def test_several_judges_of_one_item_are_one_unit() -> None:
    """Five judges agreeing on each of four prompts are four units, not twenty."""
    items = np.repeat(np.arange(4), 5)
    judged = Judgments.from_arrays(["a"] * 20, ["b"] * 20, [1] * 20, items=items)
    assert pairwise(judged, rng=0).pvalue[0, 1] == pytest.approx(2 / 16)
    each = Judgments.from_arrays(["a"] * 20, ["b"] * 20, [1] * 20)
    assert pairwise(each, rng=0).pvalue[0, 1] == pytest.approx(2 / 2**20)


@pytest.mark.parametrize("seed", range(4))
def test_sign_tests_of_clusters_have_the_p_values_of_their_results(seed: int) -> None:
    """The board takes p-values by themselves; each result is made when it is asked for."""
    rng = np.random.default_rng(seed)
    values, labels = rng.integers(0, 3, (60, 3)) / 1.0, rng.integers(0, 12, 60).tolist()
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(3)}, clusters=labels)
    left, right = rng.permuted(np.tile(list("abc"), (60, 1)), axis=1)[:, :2].T.tolist()
    judged = Judgments.from_arrays(left, right, rng.integers(0, 3, 60) / 2, items=labels)
    board = pairwise(scores, "bradley-terry", rng=0)
    for pairs in (board, pairwise(judged, rng=0)):
        for (i, name), (j, other) in combinations(enumerate(pairs.names), 2):
            made = pairs.results[name, other]
            assert made.engine == "lattice of cluster sums"
            assert pairs.pvalue[i, j] == made.pvalue
            assert pairs.log10_pvalue[i, j] == made.log10_pvalue
    for i, j in combinations(range(3), 2):
        x, y = (values[:, int(board.names[k][1])] for k in (i, j))
        assert board.pvalue[i, j] == sign_test(y, x, clusters=labels).pvalue


def test_pairs_that_never_met_have_no_p_value() -> None:
    judged = Judgments.from_arrays(list("abab"), list("bcbc"), [1, 1, 0, 0])
    pairs = pairwise(judged, rng=0)
    a, c = pairs.names.index("a"), pairs.names.index("c")
    assert np.isnan(pairs.pvalue[a, c])
    assert np.isnan(pairs.adjusted[a, c])
    assert not pairs.beats[a, c]
    assert pairs.n[a, c] == 0
    assert pairs.model is not None
    assert pairs.model[a, c] == pytest.approx(0.5)


def test_tasks_weigh_the_same_in_tests() -> None:
    scores = some_scores(groups={"task": ["x"] * 30 + ["y"] * 10}).with_tasks("task")
    weights = np.array([40 / 60] * 30 + [2.0] * 10)
    pairs = pairwise(scores, "mean", rng=0)
    a, b = scores.of(pairs.names[2])[:, 0], scores.of(pairs.names[0])[:, 0]
    expected = permutation_test(weights * a, weights * b, rng=0)
    assert pairs.pvalue[0, 2] == expected.pvalue
    sign = pairwise(scores, "bradley-terry", rng=0)
    assert 0 < sign.pvalue[0, 2] <= 1
    with pytest.raises(UsageError) as caught:
        pairwise(scores, "mean", test="t", rng=0)
    assert caught.value.remedy == BY_SIGN


def test_a_metric_that_falls_is_tested_in_its_direction() -> None:
    rng = np.random.default_rng(0)
    blocks = {
        name: np.column_stack([rng.binomial(10, p, 30), np.full(30, 10)])
        for name, p in (("good", 0.1), ("bad", 0.4))
    }
    scores = Scores.from_arrays(blocks, columns=("errors", "words"))
    pairs = pairwise(scores, "mean", metric="wer", rng=0)
    assert pairs.names == ("good", "bad")
    assert pairs.effect[0, 1] > 0.2
    assert pairs.beats[0, 1]
    assert pairs.results["good", "bad"].delta > 0


def test_wrong_tests_are_named() -> None:
    with pytest.raises(UsageError, match="anova"):
        pairwise(some_scores(), test="anova")
    with pytest.raises(UsageError, match="glicko"):
        pairwise(some_scores(), "glicko")
    judged = Judgments.from_arrays(["a", "b"], ["b", "a"], [1, 1])
    with pytest.raises(UsageError) as caught:
        pairwise(judged, test="t")
    assert caught.value.remedy == BY_SIGN


def test_medians_can_be_tested_in_pairs() -> None:
    scores = some_scores()
    pairs = pairwise(scores, "median", test="permutation", rng=0)
    a, b = scores.of(pairs.names[2])[:, 0], scores.of(pairs.names[0])[:, 0]
    expected = permutation_test(a, b, "median", rng=0)
    assert pairs.pvalue[0, 2] == expected.pvalue


def test_systems_without_a_common_item_are_not_tested() -> None:
    nan = float("nan")
    scores = Scores.from_arrays(
        {"a": [1, 2, nan, nan], "b": [2, 1, 2, 1], "c": [nan, nan, 1, 2]}, missing="pairwise"
    )
    pairs = pairwise(scores, rng=0)
    a, c = pairs.names.index("a"), pairs.names.index("c")
    assert np.isnan(pairs.effect[a, c])
    assert ("a", "c") not in pairs.results
    assert ("c", "a") not in pairs.results


def test_direction_given_with_the_data_reaches_the_test() -> None:
    rng = np.random.default_rng(0)
    blocks = {
        name: np.column_stack([rng.binomial(10, p, 30), np.full(30, 10)])
        for name, p in (("good", 0.1), ("bad", 0.4))
    }
    scores = Scores.from_arrays(blocks, columns=("wrong", "total"), lower_is_better=True)
    pairs = pairwise(scores, "mean", metric="ratio(wrong / total)", rng=0)
    assert pairs.names == ("good", "bad")
    assert pairs.results["good", "bad"].delta > 0


def test_real_scores_have_the_upper_end_of_a_coarse_bracket() -> None:
    """Never below the p-value itself, and no more than one per cent above its own lower bound."""
    values = np.random.default_rng(6).normal(size=(200, 4)) + np.array([0.0, 0.1, 0.4, 3.0])
    scores = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)})
    pairs = pairwise(scores, "mean", rng=0)
    for i in range(4):
        for j in range(i + 1, 4):
            a, b = scores.of(pairs.names[j])[:, 0], scores.of(pairs.names[i])[:, 0]
            expected = permutation_test(a, b)
            assert expected.kind == "certified"
            log10 = pairs.results[pairs.names[i], pairs.names[j]].log10_pvalue
            assert 0 <= log10 - np.log10(expected.pvalue_low) <= np.log10(1.0115)
            assert pairs.pvalue[i, j] >= expected.pvalue_low
