"""One call to a p-value: options and degenerate data."""

from typing import Any

import numpy as np
import pytest

from betterthan import responses
from betterthan.errors import DataError, UsageError
from betterthan.responses import (
    RESPONSE_METRICS,
    Calibrated,
    p_value,
)
from made_up_responses import GOLD, TESTS, A, B


@pytest.mark.parametrize("how", TESTS)
@pytest.mark.parametrize("metric", RESPONSE_METRICS)
@pytest.mark.parametrize(
    ("gold", "a", "b"),
    [
        ([0.1, 0.2, 0.9], [0.5, 0.1, 0.3], [0.1, 0.3, 0.8]),  # one response per item
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


def test_options_are_checked() -> None:
    cases: list[dict[str, Any]] = [
        {"test": "bayes"},
        {"alternative": "both"},
        {"resamples": 0},
        {"test": "sharp(sampling=bootstrap_items/all)"},
        {"metric": "bleu"},
        {"metric": abs},
        {"metric": "wins(spearman)"},
        {"test": "published(sampling=some)"},
    ]
    for wrong in cases:
        with pytest.raises(UsageError):
            p_value(GOLD, A, B, **wrong)


def test_studies_and_budgets_check_their_options() -> None:
    here = responses.Population()
    with pytest.raises(UsageError, match="metric must name"):
        responses.study(items=20, metric=[])
    with pytest.raises(UsageError, match="worker"):
        responses.study(items=20, workers=0)
    with pytest.raises(UsageError, match="at least one item"):
        responses.true_p(here, items=0)
    with pytest.raises(UsageError, match="alpha"):
        responses.split_budget(here, 100, alpha=2.0)
    with pytest.raises(UsageError, match="below 1"):
        responses.split_budget(here, 100, responses=[0])
    with pytest.raises(DataError, match="items x responses"):
        responses.p_value(3, 4, 5)


@pytest.mark.parametrize("how", TESTS)
@pytest.mark.parametrize("metric", RESPONSE_METRICS)
def test_the_order_of_items_says_nothing(metric: str, how: dict[str, Any]) -> None:
    """The same p to the last bit, and the same data hash, whatever order the rows came in."""
    made = responses.simulate(15, 3, eps_a=0.4, rng=2)
    few: dict[str, Any] = {"resamples": 60, "rng": 3, **how}
    found = p_value(made.gold, made.a, made.b, metric, **few)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(15)
        gold, a, b = (x[order] for x in (made.gold, made.a, made.b))
        assert p_value(gold, a, b, metric, **few) == found


def test_clusters_and_drawn_responses_go_along_with_their_items() -> None:
    rng = np.random.default_rng(0)
    gold, b = rng.normal(size=(2, 30, 3))
    a = [row[: 1 + k % 3].tolist() for k, row in enumerate(rng.normal(size=(30, 3)))]
    labels = np.array([f"c{k // 4}" for k in range(30)])
    order = rng.permutation(30)
    evened = p_value(gold, a, b, rng=1, test=Calibrated(even=True))
    assert (
        p_value(gold[order], [a[k] for k in order], b[order], rng=1, test=Calibrated(even=True))
        == evened
    )
    clustered = p_value(gold, b, gold[::-1], clusters=labels)
    again = p_value(gold[order], b[order], gold[::-1][order], clusters=labels[order])
    assert again == clustered
    with pytest.raises(DataError, match="29"):
        p_value(gold, b, gold[::-1], clusters=labels[1:])


def test_functions_given_meet_items_where_they_were() -> None:
    weights = np.arange(6.0)
    weighted = responses.item_metric(
        lambda x, g: weights * np.abs(x.mean(axis=-1) - g.mean(axis=-1)), lower_is_better=True
    )
    gold = np.array([3.0, 1, 5, 2, 4, 0])
    a, b = gold + 1, gold + np.array([0, 0, 0, 0, 0, 2])
    found = p_value(gold, a, b, weighted)
    assert found.delta == pytest.approx((weights.sum() - 10) / 6)
