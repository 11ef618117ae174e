"""Very small and very large scores: a power of two changes no p-value, no verdict and no digit."""

import math
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.data.pairing import pair_of
from betterthan.intervals.jackknife import standard_error
from betterthan.metrics import sums
from betterthan.numeric import Floats
from betterthan.ranking.diagnostics import shape

RNG = np.random.default_rng(6)
A = RNG.random(30)
B = 0.9 * RNG.random(30) + 0.2
POWERS = [-1000, -664, -530, -480, 330]  # 1e-301, 1e-200, 1e-160, 1e-144, 1e99


@pytest.mark.parametrize("power", POWERS)
def test_a_comparison_does_not_depend_on_it(power: int) -> None:
    def compared(*arrays: Floats) -> Any:
        return bt.compare(bt.Scores.from_arrays(dict(zip("ab", arrays, strict=True))))

    plain, scaled = compared(A, B), compared(*np.ldexp((A, B), power))
    assert (scaled.pvalue, scaled.verdict) == (plain.pvalue, plain.verdict)
    if power < 0:  # scores of at most one are padded as shares
        assert math.ldexp(scaled.interval.low, -power) == plain.interval.low
        assert math.ldexp(scaled.interval.high, -power) == plain.interval.high


@pytest.mark.parametrize("power", POWERS)
def test_a_bca_interval_does_not_depend_on_it(power: int) -> None:
    def ends(a: Floats, b: Floats) -> Floats:
        found = bt.bootstrap_interval(a, b, rng=0, method="sample", resamples=500)
        return np.array((found.low, found.high))

    assert (
        np.ldexp(ends(np.ldexp(A, power), np.ldexp(B, power)), -power).tolist()
        == ends(A, B).tolist()
    )
    assert shape(np.ldexp(A, power)) == shape(A)


@pytest.mark.parametrize("power", POWERS)
def test_a_jackknife_does_not_depend_on_it(power: int) -> None:
    total = sums(("score",), lambda s: s[..., 0])
    plain = standard_error(pair_of(A, B, total))
    scaled = standard_error(pair_of(np.ldexp(A, power), np.ldexp(B, power), total))
    assert plain is not None
    assert scaled is not None
    assert math.ldexp(scaled, -power) == plain


def test_items_that_only_differ_by_the_smallest_numbers() -> None:
    a, b = (np.r_[np.ones(20), np.ldexp(x, -664)] for x in (A, B))
    found = bt.compare(bt.Scores.from_arrays({"a": a, "b": b}))
    assert found.interval is not None
    assert found.interval.low < found.interval.high


@pytest.mark.parametrize("size", [1e-308, 1e100])
def test_a_gate_is_written_and_drawn(size: float) -> None:
    scores = bt.Scores.from_arrays({"a": A * size, "b": A[::-1] * size})
    margin = 0.05 if size > 1.0 else 0.05 * size
    result = bt.gate(scores, margin=margin)
    assert result.to_polars().height == 1
    assert str(result)
    assert bt.compare(scores).plot("scatter") is not None
