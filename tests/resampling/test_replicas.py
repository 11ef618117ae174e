"""Resampled scores: the same resamples for all systems, however they are drawn."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare, ks_2samp

from betterthan import metrics
from betterthan.data.arrays import cluster_codes
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.errors import BadValueError
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.resampling.draws import bootstrap_counts
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import Work

CASES = [
    (metrics.mean(), 1),
    (metrics.WER, 2),
    (metrics.F1, 3),
    (metrics.sums(("x", "y"), lambda s: np.sqrt(s[..., 0] ** 2 + s[..., 1]), spelling="root"), 2),
    (metrics.MEDIAN, 1),
]


def systems(columns: int, n: int = 30) -> list[NDArray[Any]]:
    return list(np.random.default_rng(columns).integers(0, 7, (3, n, columns)))


def joint(values: list[NDArray[Any]], metric: Metric, codes: Any = None) -> Joint:
    return joint_of({f"s{k}": x for k, x in enumerate(values)}, metric, codes)


def drawn_by(replicas: Replicas, resamples: int, **options: Any) -> Floats:
    return np.concatenate(list(replicas.blocks(resamples, 5, **options)))


@pytest.mark.parametrize(("metric", "columns"), CASES, ids=str)
@pytest.mark.parametrize("clustered", [False, True])
def test_scores_are_those_of_the_drawn_items(metric: Metric, columns: int, clustered: bool) -> None:
    values = systems(columns)
    n = len(values[0])
    codes, units = cluster_codes(np.arange(n) // 4 if clustered else np.arange(n), n)
    replicas = Replicas.of(joint(values, metric, codes if clustered else None))
    scores = drawn_by(replicas, 1100)
    counts = np.concatenate(list(bootstrap_counts(units, 1100, 5)))
    # Units are drawn in the order of their sums; those of a black box by size, then by their items.
    keys: list[tuple[Any, ...]] = []
    for unit in range(units):
        rows = codes == unit
        each = [metric.project(x)[rows] for x in values]
        if metric.form == "blackbox":
            held = np.hstack(each).tolist()
            keys.append((len(held), sorted(held)))
        else:
            keys.append(tuple(float(v) for x in each for v in x.sum(axis=0)))
    order = sorted(range(units), key=lambda unit: keys[unit])
    for row, count in zip(scores[::100], counts[::100], strict=True):
        times = np.empty(units, dtype=int)
        times[order] = count
        items = np.repeat(np.arange(n), times[codes])
        assert row == pytest.approx([metric.score(x[items]) for x in values], rel=1e-12)
    left_out, times = replicas.left_out
    assert times.tolist() == [1.0] * units
    for unit, row in zip(order, left_out, strict=True):
        rest = codes != unit
        assert row == pytest.approx([metric.score(x[rest]) for x in values], rel=1e-12)
    assert replicas.scores == pytest.approx([metric.score(x) for x in values], rel=1e-15)


@pytest.mark.parametrize(("metric", "columns"), CASES, ids=str)
@pytest.mark.parametrize("clustered", [False, True])
def test_subsets_have_each_unit_by_a_fair_coin(
    metric: Metric, columns: int, clustered: bool
) -> None:
    """The scores of all subsets of six units, each as often as the others, and none of no unit."""
    n, draws = 18 if clustered else 6, 40_000
    values = systems(columns, n)
    codes = np.arange(n) % 6
    drawn = Replicas.of(joint(values, metric, codes if clustered else None)).subsets(draws, 5)
    every = [np.isin(codes, some) for k in range(1, 7) for some in combinations(range(6), k)]
    expected = Counter(tuple(round(metric.score(x[rows]), 9) for x in values) for rows in every)
    seen = Counter(tuple(row) for row in drawn.round(9).tolist())
    assert set(seen) == set(expected)
    shares = [expected[scores] / 63 * draws for scores in expected]
    assert chisquare([seen[scores] for scores in expected], shares).pvalue > 1e-3


def test_many_equal_units_are_drawn_as_rows_with_the_law_of_single_ones() -> None:
    values = list(np.random.default_rng(3).integers(0, 2, (2, 1000, 1)))
    by_row = Replicas.of(joint(values, metrics.mean()))
    assert by_row.counts is not None
    one_by_one = Replicas(by_row.joint, np.repeat(by_row.columns, by_row.counts, axis=0), None)
    sd = np.sqrt([x.var() / 1000 for x in values])
    for draw in (lambda x: x.subsets(20_000, 1), lambda x: drawn_by(x, 20_000)):
        first, second = draw(by_row), draw(one_by_one)
        for left, right in zip(first.T, second.T, strict=True):
            assert ks_2samp(left, right).pvalue > 1e-3
        # 20,000 draws: five standard errors of a standard deviation and of a covariance.
        for drawn in (first, second):
            assert drawn.std(axis=0) == pytest.approx(sd, rel=5 / np.sqrt(2 * 20_000) + 1e-3)
            expected = np.cov(np.hstack(values).T, bias=True)[0, 1] / 1000
            assert abs(np.cov(drawn.T)[0, 1] - expected) < 5.2 * sd[0] * sd[1] / np.sqrt(20_000)
    left_out, times = by_row.left_out
    assert (times @ left_out) / 1000 == pytest.approx([x.mean() for x in values])
    assert np.unique(left_out, axis=0) == pytest.approx(np.unique(one_by_one.left_out[0], axis=0))


def test_subsets_without_a_score_are_drawn_again() -> None:
    rarely = metrics.sums(("x",), lambda s: np.where(s[..., 0] > 2, 1.0, np.nan), spelling="odd")
    x = np.array([[0], [3], [5]])
    assert (Replicas.of(joint([x], rarely)).subsets(3000, 0) == 1.0).all()
    never = metrics.sums(("x",), lambda s: np.full(s.shape[:-1], np.nan), spelling="never")
    assert np.isnan(Replicas.of(joint([x], never)).subsets(3000, 0)).all()


@pytest.mark.parametrize(("metric", "columns"), CASES, ids=str)
def test_what_is_drawn_depends_on_the_seed_alone(metric: Metric, columns: int) -> None:
    values = systems(columns, 600)
    together = drawn_by(Replicas.of(joint(values, metric)), 1000)
    again = Replicas.of(joint(values, metric))
    told: list[tuple[int, int]] = []
    least = drawn_by(
        again,
        1000,
        then=lambda s: s.min(axis=1),
        work=Work(2),
        progress=lambda *at: told.append(at),
    )
    assert (least == together.min(axis=1)).all()
    assert told[-1] == (1000, 1000)
    subsets = again.subsets(1000, 5)
    assert (again.subsets(1000, 5, Work(2)) == subsets).all()
    shuffled = np.random.default_rng(1).permutation(600)
    other = drawn_by(Replicas.of(joint([x[shuffled] for x in values], metric)), 1000)
    assert (other == together).all()


def test_blocks_come_as_they_are_drawn_and_errors_as_they_are() -> None:
    replicas = Replicas.of(joint([np.arange(10)[:, None]], metrics.mean()))
    stream = replicas.blocks(10**8, 3, work=Work(2))
    assert next(stream).shape == (1024, 1)
    stream.close()  # type: ignore[attr-defined]

    def broken(scores: Floats) -> Floats:
        raise RuntimeError("no metric")

    for workers in (1, 2):
        with pytest.raises(RuntimeError, match="no metric"):
            drawn_by(replicas, 5000, then=broken, work=Work(workers))


def test_the_scale_is_that_of_the_numbers_behind_a_score() -> None:
    x = np.array([[1e6], [-1e6], [1.0]])
    assert Replicas.of(joint([x], metrics.mean())).scale[0] == pytest.approx(2e6 / 3, rel=1e-6)
    assert Replicas.of(joint([x], metrics.MEDIAN)).scale.tolist() == [1.0]


def test_scores_that_are_no_numbers_are_refused() -> None:
    undefined = metrics.sums(("x",), lambda s: np.where(s[..., 0] > 2, 1.0, np.inf), spelling="odd")
    x = np.array([[0], [3]])
    assert Replicas.of(joint([x], undefined)).scores.tolist() == [1.0]
    for metric in (undefined, metrics.blackbox(lambda v: np.nan if v[0] > 0 else 1.0)):
        with pytest.raises(BadValueError, match="is NaN or infinite on"):
            drawn_by(Replicas.of(joint([x], metric)), 100)
