"""Resampled scores: the same resamples for all systems, however they are drawn."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from betterthan import metrics
from betterthan.errors import BadValueError
from betterthan.metrics import Metric
from betterthan.pairs import cluster_codes
from betterthan.replicas import Floats, Replicas
from betterthan.resampling import bootstrap_counts

CASES = [
    (metrics.mean(), 1),
    (metrics.WER, 2),
    (metrics.F1, 3),
    (metrics.sums(("x", "y"), lambda s: np.sqrt(s[..., 0] ** 2 + s[..., 1]), spelling="root"), 2),
    (metrics.MEDIAN, 1),
]


def systems(columns: int, n: int = 30) -> list[NDArray[Any]]:
    return list(np.random.default_rng(columns).integers(0, 7, (3, n, columns)))


def drawn_by(replicas: Replicas, resamples: int, **options: Any) -> Floats:
    return np.concatenate(list(replicas.blocks(resamples, 5, **options)))


@pytest.mark.parametrize(("metric", "columns"), CASES, ids=str)
@pytest.mark.parametrize("clustered", [False, True])
def test_scores_are_those_of_the_drawn_items(metric: Metric, columns: int, clustered: bool) -> None:
    values = systems(columns)
    n = len(values[0])
    codes, units = cluster_codes(np.arange(n) // 4 if clustered else np.arange(n), n)
    replicas = Replicas.of(values, metric, codes if clustered else None, units)
    assert replicas.units == units
    scores = drawn_by(replicas, 1100)
    counts = np.concatenate(list(bootstrap_counts(units, 1100, 5)))
    for row, count in zip(scores[::100], counts[::100], strict=True):
        items = np.repeat(np.arange(n), count[codes])
        assert row == pytest.approx([metric.score(x[items]) for x in values], rel=1e-12)
    for unit, row in enumerate(replicas.left_out()):
        rest = codes != unit
        assert row == pytest.approx([metric.score(x[rest]) for x in values], rel=1e-12)
    assert replicas.scores.tolist() == [metric.score(x) for x in values]


@pytest.mark.parametrize(("metric", "columns"), CASES, ids=str)
def test_a_system_is_drawn_the_same_in_any_company(metric: Metric, columns: int) -> None:
    values = systems(columns, 600)
    together = drawn_by(Replicas.of(values, metric, None, 600), 1000)
    alone = drawn_by(Replicas.of(values[1:2], metric, None, 600), 1000, workers=2)
    assert (alone[:, 0] == together[:, 1]).all()
    least = drawn_by(
        Replicas.of(values, metric, None, 600), 1000, then=lambda s: s.min(axis=1), workers=2
    )
    assert (least == together.min(axis=1)).all()


def test_the_scale_is_that_of_the_numbers_behind_a_score() -> None:
    x = np.array([[1e6], [-1e6], [1.0]])
    assert Replicas.of([x], metrics.mean(), None, 3).scale[0] == pytest.approx(2e6 / 3, rel=1e-6)
    assert Replicas.of([x], metrics.MEDIAN, None, 3).scale.tolist() == [1.0]


def test_scores_that_are_no_numbers_are_refused() -> None:
    undefined = metrics.sums(("x",), lambda s: np.where(s[..., 0] > 2, 1.0, np.inf), spelling="odd")
    x = np.array([[0], [3]])
    assert Replicas.of([x], undefined, None, 2).scores.tolist() == [1.0]
    for metric in (undefined, metrics.blackbox(lambda v: np.nan if v[0] > 0 else 1.0)):
        with pytest.raises(BadValueError, match="is NaN or infinite on"):
            drawn_by(Replicas.of([x], metric, None, 2), 100)
