"""Ragged, single, constant, missing, negative responses: defined results or clear errors."""

from typing import Any

import numpy as np
import pytest

from betterthan import responses
from betterthan.data import Scores
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.responses import METRICS, SAMPLINGS, from_scores, item_metric, p_value, wins
from betterthan.responses.data import as_responses, trio
from betterthan.responses.metrics import resolve

UNPAIRED = [name for name in METRICS if not METRICS[name].paired]
GOLD = [[0.2, 0.4, 0.1], [0.9], [0.5, 0.6]]
A = [[0.8], [0.1, 0.2], [0.9]]
B = [[0.3, 0.3], [0.8], [0.4, 0.6, 0.5, 0.7]]
TESTS: list[dict[str, Any]] = [
    {"test": "calibrated"},
    {"test": "sharp", "resamples": 50},
    *({"sampling": name, "resamples": 50} for name in (*SAMPLINGS, "bootstrap_items/split")),
]


@pytest.mark.parametrize("how", TESTS)
@pytest.mark.parametrize("metric", UNPAIRED)
def test_ragged_responses(metric: str, how: dict[str, Any]) -> None:
    found = p_value(GOLD, A, B, metric, rng=0, **how)
    assert 0 < found.pvalue <= 1
    assert np.isfinite(found.delta)
    # NaN is the same as not there.
    gold, a, b = (as_responses(x, "x").values for x in (GOLD, A, B))
    assert p_value(gold, a, b, metric, rng=0, **how).pvalue == found.pvalue


@pytest.mark.parametrize("how", TESTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("gold", "a", "b"),
    [
        ([0.1, 0.2, 0.9], [0.5, 0.1, 0.3], [0.1, 0.3, 0.8]),  # one response an item
        (np.zeros((3, 2)), np.zeros((3, 2)), np.ones((3, 2))),  # constant
        ([[-3.0, -2.0], [-1.0, 0.0]], [[5.0, 1.0], [2.0, -2.0]], [[-3.0, -3.0], [-1.0, -0.5]]),
        ([[1.0]], [[2.0]], [[3.0]]),  # one item
    ],
)
def test_degenerate_data_have_defined_results(
    metric: str, how: dict[str, Any], gold: Any, a: Any, b: Any
) -> None:
    found = p_value(gold, a, b, metric, rng=0, **how)
    assert 0 < found.pvalue <= 1
    assert found.pvalue_low <= found.pvalue <= found.pvalue_high
    assert np.isfinite(found.delta)


def test_direction_is_towards_better() -> None:
    gold = np.linspace(0.1, 0.9, 8)[:, None] + np.array([[-0.05, 0.0, 0.06]])
    close, far = gold + 0.01, gold[::-1] + 0.2
    for name in (*METRICS, "wins(emd_mean)"):
        better, worse = p_value(gold, far, close, name), p_value(gold, close, far, name)
        assert better.delta > 0 > worse.delta
        assert better.delta == -worse.delta
    own = item_metric(lambda x, g: -np.abs(x.mean(-1) - g.mean(-1)), lower_is_better=False)
    assert p_value(gold, far, close, own).pvalue == p_value(gold, far, close, "mae").pvalue
    assert wins(own).name == "wins(<lambda>)"


@pytest.mark.parametrize("name", ["cosine", "wins_vectorized"])
def test_paired_metrics_need_as_many_responses(name: str) -> None:
    with pytest.raises(DataError, match=r"number of responses \(items 1, 2, 3\)"):
        p_value(GOLD, A, B, name)


def test_more_raters_than_expected_for_one_item() -> None:
    gold = [[0.2, 0.4], [0.9, 0.8], [0.5, 0.6, 0.5, 0.4, 0.6, 0.9, 0.1]]
    assert as_responses(gold, "gold").counts.tolist() == [2, 2, 7]
    assert p_value(gold, A, B, sampling="all_items/sample(k)", resamples=50, rng=0).pvalue > 0


def test_all_missing_items_are_named() -> None:
    with pytest.raises(AlignmentError, match="a has no response to items 2, 4"):
        p_value([1, 2, 3, 4], [[1.0], [np.nan], [3.0], []], [1, 2, 3, 4])
    with pytest.raises(BadValueError, match="b is infinite at item 1"):
        p_value([1, 2], [1, 2], [[np.inf], [1.0]])
    with pytest.raises(AlignmentError, match="gold has 2 items, a has 2 and b has 3"):
        p_value([1, 2], [1, 2], [1, 2, 3])
    with pytest.raises(BadValueError, match="must be numbers"):
        p_value([["x"], ["y"]], [1, 2], [1, 2])
    with pytest.raises(DataError, match="no responses at all"):
        p_value([], [], [])
    with pytest.raises(DataError, match="dimensions"):
        p_value(np.zeros((2, 2, 2)), [1, 2], [1, 2])


def test_options_are_checked() -> None:
    cases: list[dict[str, Any]] = [
        {"test": "bayes"},
        {"alternative": "both"},
        {"resamples": 0},
        {"test": "sharp", "sampling": "bootstrap_items/all"},
        {"metric": "bleu"},
        {"metric": abs},
        {"metric": "wins(spearman)"},
        {"sampling": "some"},
    ]
    for wrong in cases:
        with pytest.raises(UsageError):
            p_value(GOLD, A, B, **wrong)


@pytest.mark.parametrize(
    "how", [{}, {"test": "sharp"}, {"test": "published"}, {"sampling": "all_items/sample(1)"}]
)
def test_a_metric_without_a_value_is_an_error_and_no_evidence(how: dict[str, Any]) -> None:
    made = responses.simulate(30, 3, rng=0)
    never = responses.item_metric(
        lambda x, y: np.nan * (x - y)[..., 0], lower_is_better=True, name="never"
    )
    whole = responses.whole_metric(lambda x, y: float("nan"), lower_is_better=True, name="never")
    for metric in (never, whole):
        with pytest.raises(BadValueError, match="NaN"):
            responses.p_value(*made.trio, metric, rng=0, **how)


def test_a_metric_that_some_draws_leave_without_a_value_is_an_error() -> None:
    made = responses.simulate(30, 3, rng=0)
    picky = responses.whole_metric(
        lambda x, y: np.nan if len(np.unique(x)) < x.size else float(np.abs(x - y).mean()),
        lower_is_better=True,
        name="picky",
    )
    with pytest.raises(BadValueError, match="test sets"):
        responses.p_value(*made.trio, picky, test="published", resamples=20, rng=0)


def test_studies_and_budgets_check_their_options() -> None:
    here = responses.Population()
    with pytest.raises(UsageError, match="fit together"):
        responses.study(items=20, metrics=[])
    with pytest.raises(UsageError, match="worker"):
        responses.study(items=20, workers=0)
    with pytest.raises(UsageError, match="at least one item"):
        responses.true_p(here, items=0)
    with pytest.raises(UsageError, match="alpha"):
        responses.split_budget(here, 100, alpha=2.0)
    with pytest.raises(UsageError, match="below 1"):
        responses.split_budget(here, 100, responses=[0])
    with pytest.raises(DataError, match="single value"):
        responses.p_value(3, 4, 5)


def test_from_scores_and_from_a_long_table() -> None:
    rows = [
        {"item": f"q{i}", "system": system, "rater": j, "score": value}
        for system, block in (("gold", GOLD), ("x", A), ("y", B))
        for i, values in enumerate(block)
        for j, value in enumerate(values)
    ]
    import polars as pl

    scores = Scores.from_frame(
        pl.DataFrame(rows), item="item", system="system", score="score", response="rater"
    )
    assert scores.systems == ("gold", "x", "y")
    long = p_value(*from_scores(scores, "gold", "x", "y"), "mae")
    assert long.pvalue == p_value(GOLD, A, B, "mae").pvalue
    plain = Scores.from_arrays({"gold": [1, 2], "x": [1, 3], "y": [2, 2]})
    assert from_scores(plain, "gold", "x", "y").a.counts.tolist() == [1, 1]
    with pytest.raises(UsageError, match="no system 'z'"):
        from_scores(plain, "gold", "x", "z")


def test_metric_names() -> None:
    assert resolve("EMD-mean") is METRICS["emd_mean"]
    assert repr(resolve("wins_vectorized(mse)")) == "wins_vectorized(mse)"
    assert trio([1], [2], [3]).pool().values.tolist() == [[2.0, 3.0]]
