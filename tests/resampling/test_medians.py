"""Medians by a window are medians of everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from betterthan.data.pair import joint_of
from betterthan.metrics import MEDIAN, blackbox
from betterthan.resampling import medians
from betterthan.resampling.medians import SwappedMedians, Window, bootstrap_medians
from betterthan.resampling.replicas import Replicas
from betterthan.testing.permutation import permutation_test

NUMBERS = st.sampled_from([0.0, 0.1, 0.3, 1.0, -2.5, 7.0])
VALUES = st.integers(1, 60).flatmap(lambda n: arrays(float, n, elements=NUMBERS))


def middle(scores: NDArray[np.float64]) -> float:
    return float(np.median(scores))


@pytest.mark.parametrize("reach", [7.0, 0.2])  # with a small one the median is often elsewhere
@settings(max_examples=60, deadline=None)
@given(values=VALUES, seed=st.integers(0, 1000))
def test_bootstrap_medians(reach: float, values: NDArray[np.float64], seed: int) -> None:
    rng, n = np.random.default_rng(seed), len(values)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=20).astype(np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(medians, "REACH", reach)
        window = Window.around_middle(values, n)
    expected = [np.median(np.repeat(values, row)) for row in counts]
    assert bootstrap_medians(values, window, counts).tolist() == expected


@pytest.mark.parametrize("reach", [7.0, 0.2])
@settings(max_examples=60, deadline=None)
@given(a=VALUES, seed=st.integers(0, 1000))
def test_medians_of_swapped_items(reach: float, a: NDArray[np.float64], seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = np.where(rng.random(len(a)) < 0.5, a, rng.choice([0.0, 0.2, 3.0], len(a)))
    units = np.flatnonzero(a != b)
    swapped = rng.random((20, len(units))) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(medians, "REACH", reach)
        quick = SwappedMedians.of(a, b, units)
    expected = []
    for row in swapped:
        pattern = np.zeros(len(a), dtype=bool)
        pattern[units] = row
        expected.append(np.median(np.where(pattern, a, b)) - np.median(np.where(pattern, b, a)))
    assert quick.gains(np.where(swapped, -1.0, 1.0)).tolist() == expected


def test_the_median_is_a_black_box_like_any_other() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 301)).round(2)
    slow, quick = blackbox(middle), MEDIAN
    tests = [permutation_test(a, b, metric, rng=1, resamples=2000) for metric in (slow, quick)]
    assert tests[0].pvalue == tests[1].pvalue
    drawn = [
        np.concatenate(list(Replicas.of(joint_of({"a": a, "b": b}, metric)).blocks(300, 1)))
        for metric in (slow, quick)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
