"""Metrics of responses."""

import numpy as np
import pytest

from betterthan import responses
from betterthan.errors import BadValueError, DataError
from betterthan.responses import (
    RESPONSE_METRICS,
    item_metric,
    p_value,
    wins,
)
from betterthan.responses.response_metrics import as_response_metric
from betterthan.responses.trio import trio

UNPAIRED = [name for name in RESPONSE_METRICS if not RESPONSE_METRICS[name].paired]


GOLD = [[0.2, 0.4, 0.1], [0.9], [0.5, 0.6]]


A = [[0.8], [0.1, 0.2], [0.9]]


B = [[0.3, 0.3], [0.8], [0.4, 0.6, 0.5, 0.7]]


def test_direction_is_towards_better() -> None:
    gold = np.linspace(0.1, 0.9, 8)[:, None] + np.array([[-0.05, 0.0, 0.06]])
    close, far = gold + 0.01, gold[::-1] + 0.2
    for name in (*RESPONSE_METRICS, "wins(emd_mean)"):
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


@pytest.mark.parametrize(
    "test",
    ["calibrated", "sharp", "published", "published(sampling=all_items/sample(1))"],
)
def test_a_metric_without_a_value_is_an_error_and_no_evidence(test: str) -> None:
    made = responses.simulate(30, 3, rng=0)
    never = responses.item_metric(
        lambda x, y: np.nan * (x - y)[..., 0], lower_is_better=True, name="never"
    )
    whole = responses.whole_metric(lambda x, y: float("nan"), lower_is_better=True, name="never")
    for metric in (never, whole):
        with pytest.raises(BadValueError, match="NaN"):
            responses.p_value(*made.trio, metric, test, rng=0)


def test_a_metric_that_some_draws_leave_without_a_value_is_an_error() -> None:
    made = responses.simulate(30, 3, rng=0)
    picky = responses.whole_metric(
        lambda x, y: np.nan if len(np.unique(x)) < x.size else float(np.abs(x - y).mean()),
        lower_is_better=True,
        name="picky",
    )
    with pytest.raises(BadValueError, match="test sets"):
        responses.p_value(*made.trio, picky, test="published", resamples=20, rng=0)


def test_metric_names() -> None:
    assert as_response_metric("EMD-mean") is RESPONSE_METRICS["emd_mean"]
    assert repr(as_response_metric("wins_vectorized(mse)")) == "wins_vectorized(mse)"
    assert trio([1], [2], [3]).pool().values.tolist() == [[2.0, 3.0]]
