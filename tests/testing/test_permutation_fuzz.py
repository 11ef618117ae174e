"""Whatever legal data come in, a probability comes out; with few units, the enumerated one."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.metrics import AER, F1, MEDIAN, PRECISION, RECALL, WER, Metric, fbeta, mean, sums
from betterthan.numeric import Alternative

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def product_of_sums(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return totals[..., 0] * totals[..., 1]


METRICS = [
    mean(),
    mean("latency", lower_is_better=True),
    *(metric.over_any_numbers() for metric in (F1, fbeta(2), PRECISION, RECALL, AER, WER)),
    sums(("x", "y"), product_of_sums),
    MEDIAN,
]


def fraction_score(metric: Metric, rows: Sequence[Sequence[int]]) -> Fraction:
    """The metric in exact fractions, from its declaration alone."""
    if metric is MEDIAN:
        column = sorted(row[0] for row in rows)
        half = len(column) // 2
        pair = column[half : half + 1] if len(column) % 2 else column[half - 1 : half + 1]
        return Fraction(sum(pair), len(pair))
    totals = [sum(column) for column in zip(*rows, strict=True)]
    if metric.form == "sums":
        return Fraction(totals[0] * totals[1])
    above = sum(c * t for c, t in zip(metric.numerator, totals, strict=True))
    if metric.form == "mean":
        return Fraction(above, len(rows))
    below = sum(c * t for c, t in zip(metric.denominator, totals, strict=True))
    return Fraction(above, below) if below else Fraction(0)


def enumerated(
    metric: Metric, a: list[list[int]], b: list[list[int]], codes: list[int], side: str
) -> tuple[Fraction, Fraction]:
    """P-value over all swaps of whole clusters, and the difference of the data."""
    sign = -1 if metric.lower_is_better else 1

    def delta(u: list[list[int]], v: list[list[int]]) -> Fraction:
        return sign * (fraction_score(metric, v) - fraction_score(metric, u))

    observed = delta(a, b)
    labels = sorted(set(codes))
    hits = 0
    for pattern in product((False, True), repeat=len(labels)):
        swapped = dict(zip(labels, pattern, strict=True))
        u = [y if swapped[c] else x for x, y, c in zip(a, b, codes, strict=True)]
        v = [x if swapped[c] else y for x, y, c in zip(a, b, codes, strict=True)]
        value = delta(u, v)
        hits += {
            "two-sided": abs(value) >= abs(observed),
            "greater": value >= observed,
            "less": value <= observed,
        }[side]
    return Fraction(hits, 2 ** len(labels)), observed


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@settings(max_examples=80, deadline=None)
@given(data=st.data(), side=st.sampled_from(ALTERNATIVES))
def test_every_metric_equals_enumeration(
    metric: Metric, data: st.DataObject, side: Alternative
) -> None:
    n, clustered = data.draw(st.integers(1, 9)), data.draw(st.booleans())
    k = len(metric.columns)
    rows = st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n)
    a, b = data.draw(rows), data.draw(rows)
    codes = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    codes = codes if clustered else list(range(n))
    result = bt.permutation_test(a, b, metric, side, clusters=codes if clustered else None)
    exact, delta = enumerated(metric, a, b, codes, side)
    assert result.kind == "exact"
    assert result.clusters == (len(set(codes)) if clustered else None)
    assert math.isclose(result.pvalue, float(exact), rel_tol=1e-9)
    assert math.isclose(result.delta, delta, abs_tol=1e-9)


@settings(max_examples=300, deadline=None)
@given(
    metric=st.sampled_from(METRICS),
    side=st.sampled_from(ALTERNATIVES),
    n=st.integers(1, 60),
    seed=st.integers(0, 2**32 - 1),
    law=st.sampled_from(
        ["binary", "counts", "huge", "real", "cauchy", "tiny", "constant", "mixed"]
    ),
    clustered=st.booleans(),
)
def test_a_probability_comes_out(
    metric: Metric, side: Alternative, n: int, seed: int, law: str, clustered: bool
) -> None:
    rng = np.random.default_rng(seed)
    shape = (2, n, len(metric.columns))
    draw: Callable[[], Any] = {
        "binary": lambda: rng.integers(0, 2, shape),
        "counts": lambda: rng.poisson(2.0, shape),
        "huge": lambda: rng.integers(0, 10**9, shape),
        "real": lambda: rng.random(shape),
        "cauchy": lambda: np.abs(rng.standard_cauchy(shape)),
        "tiny": lambda: rng.random(shape) * 1e-200,
        "constant": lambda: np.ones(shape) * 0.1,
        "mixed": lambda: rng.integers(0, 3, shape) + (rng.random(shape) < 0.1) * np.pi,
    }[law]
    a, b = draw()
    clusters = rng.integers(0, max(n // 2, 1), n) if clustered else None
    result = bt.permutation_test(a, b, metric, side, clusters=clusters, resamples=200, rng=seed)
    assert 0.0 <= result.pvalue_low <= result.pvalue <= result.pvalue_high <= 1.0
    assert math.isfinite(result.log10_pvalue)
    assert result.log10_pvalue <= 0.0
    assert math.isfinite(result.delta)
    swapped = bt.permutation_test(b, a, metric, side, clusters=clusters, resamples=200, rng=seed)
    if side == "two-sided" and result.kind == "exact":
        assert swapped.pvalue == pytest.approx(result.pvalue, rel=1e-9)
