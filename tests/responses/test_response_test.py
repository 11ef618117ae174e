"""One call to a p-value: options and degenerate data."""

from typing import Any

import numpy as np
import pytest

from betterthan import responses
from betterthan.errors import DataError, UsageError
from betterthan.responses import (
    RESPONSE_METRICS,
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
        {"test": "sharp", "sampling": "bootstrap_items/all"},
        {"metric": "bleu"},
        {"metric": abs},
        {"metric": "wins(spearman)"},
        {"sampling": "some"},
    ]
    for wrong in cases:
        with pytest.raises(UsageError):
            p_value(GOLD, A, B, **wrong)


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
