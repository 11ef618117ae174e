"""Nobody is called better against the direction of the test, or of the metric."""

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt

MANY_SMALL_WINS = bt.Scores.from_arrays({"base": [50] * 240, "new": [51] * 160 + [45] * 80})
Named = Literal["sign", "wilcoxon", "mood", "t", "permutation"]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("test", ["sign", "mood"])
def test_many_small_wins_outweighed_by_few_losses_are_no_verdict(
    test: Any, alternative: Any
) -> None:
    found = bt.compare(MANY_SMALL_WINS, "base", "new", test=test, alternative=alternative)
    assert found.pvalue < 1e-6
    assert found.delta == -5 / 3 + 2 / 3
    assert found.verdict == "can't tell"
    assert f"the {test} test favours new, the mean does not" in str(found)
    assert "Of new the test is sure, but in the other direction" in found.rendered("latex")
    assert "point different ways" in str(found)


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_a_test_of_the_mean_calls_it_worse(test: Any) -> None:
    assert bt.compare(MANY_SMALL_WINS, "base", "new", test=test).verdict == "worse"


@pytest.mark.parametrize(
    ("method", "test", "best"),
    [
        ("mean", "sign", None),
        ("mean", "mood", None),
        ("mean", "permutation", "base"),
        ("bradley-terry", "sign", "new"),
        ("bradley-terry", "t", None),
        ("bradley-terry", "permutation", None),
        ("median", "mood", "new"),
        ("median", "t", None),
    ],
)
def test_boards_name_nobody_whom_their_test_does_not(
    method: Any, test: Any, best: str | None
) -> None:
    board = bt.rank(MANY_SMALL_WINS, method=method, test=test, resamples=20)
    assert [row.system for row in board.rows if row.rank_high == 1] == ([best] if best else [])
    assert any("neither beats the other" in note for note in board.notes) == (best is None)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=25),
    st.sampled_from(["sign", "wilcoxon", "mood", "t", "permutation"]),
    st.sampled_from([0.05, 0.2, 0.4]),
)
@settings(deadline=None, max_examples=80)
def test_a_verdict_has_the_metric_and_the_one_sided_test_behind_it(
    drawn: list[tuple[int, int]], test: Named, alpha: float
) -> None:
    a, b = np.array(drawn).T
    scores = bt.Scores.from_arrays({"a": a, "b": b})
    found = bt.compare(scores, "a", "b", test=test, alpha=alpha)
    sides: tuple[tuple[str, Any, int], ...] = (("better", "greater", 1), ("worse", "less", -1))
    for verdict, side, sign in sides:
        one = bt.compare(scores, "a", "b", test=test, alternative=side, alpha=alpha)
        if found.verdict == verdict:
            assert sign * found.delta > 0
            assert one.pvalue <= alpha
        if found.pvalue <= alpha and one.pvalue > 0.5:
            assert found.verdict != verdict
