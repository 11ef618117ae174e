"""Every test and interval answers scores of every kind, or says why not: no warning, and no NaN."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import BetterthanError

TESTS = ("permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood")
FEW: dict[str, Any] = {"resamples": 200, "rng": 0}


class Sample(NamedTuple):
    a: Any
    b: Any
    clusters: Any = None


def right_or_wrong(n: int, differ: float, seed: int = 1) -> Sample:
    rng = np.random.default_rng(seed)
    a = rng.random(n) < 0.7
    b = np.where(rng.random(n) < differ, ~a, a)
    return Sample(a.astype(int), b.astype(int))


SAMPLES = {
    "one item": Sample([0.3], [0.9]),
    "one item, the same": Sample([1], [1]),
    "two items": Sample([1, 0], [0, 0]),
    "two items of one gain": Sample([1.5, 0.5], [2.5, 1.5]),
    "identical": Sample([3, 1, 2, 2, 5, 4], [3, 1, 2, 2, 5, 4]),
    "constant": Sample([2.5] * 8, [2.5] * 8),
    "constants apart": Sample([1] * 8, [0] * 8),
    "one differs": Sample([0] * 30, [0] * 29 + [1]),
    "huge": Sample([1e99, -1e99, 3e99, 2e99], [2e99, 1e99, -3e99, 1e99]),
    "tiny": Sample([1e-300, 2e-300, 3e-300, 1e-300], [2e-300, 2e-300, 1e-300, 4e-300]),
    "below the smallest normal float": Sample([5e-324, 0, 1e-323, 0], [0, 5e-324, 5e-324, 2e-323]),
    "tiny on top of large": Sample([1e15, 1e15 + 1, 1e15, 1e15], [1e15, 1e15, 1e15 + 2, 1e15]),
    "huge and tiny": Sample([1e99, 1e-200, 0.0, 1.0], [1e-200, 1e99, 1.0, 0.0]),
    "whole numbers up to 2**53": Sample([2**53, 0, 5, 1], [0, 2**53, 5, 2]),
    "clusters of one": Sample([1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 1, 1], range(6)),
    "one cluster": Sample([0.5, 0.25, 1.5], [1.5, 0.25, 0.5], [7, 7, 7]),
    "two clusters, one of one item": Sample([1, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]),
    "clusters without a difference": Sample([1, 2, 3, 4], [2, 1, 4, 3], [0, 0, 1, 1]),
    "300,000 of 0/1": right_or_wrong(300_000, 0.1),
    "a million of 0/1 that all differ": right_or_wrong(1_000_000, 1.0),
}


def answers(sample: Sample) -> None:
    """Ask everything of a sample: answers have no NaN, and a refusal is one of ours."""
    a, b, clusters = np.asarray(sample.a), np.asarray(sample.b), sample.clusters
    clusters = None if clusters is None else list(clusters)
    scores = bt.Scores.from_arrays({"a": a, "b": b}, clusters=clusters)
    small: dict[str, Any] = {} if len(a) > 1000 else FEW
    calls: list[Any] = [
        *(lambda t=t: bt.compare(scores, "a", "b", test=t, **small) for t in TESTS),
        *(
            lambda o=o: bt.compare(scores, "a", "b", alternative=o, alpha=1e-10)
            for o in ("greater", "less")
        ),
        *(
            lambda k=k: bt.bootstrap_interval(a, b, kind=k, clusters=clusters, **small)
            for k in ("bca", "percentile", "basic")
        ),
        *(
            lambda v=v: bt.bootstrap_test(a, b, variant=v, clusters=clusters, **small)
            for v in ("shift", "sign")
        ),
        *(lambda v=v: bt.mcnemar(a, b, variant=v, clusters=clusters) for v in ("mid-p", "chi2")),
        *(lambda z=z: bt.wilcoxon(a, b, zeros=z, clusters=clusters) for z in ("pratt", "zsplit")),
        lambda: bt.mood_test(a, b, variant="chi2"),
        lambda: (
            bt.permutation_test(a, b, method="monte-carlo", clusters=clusters, **FEW)
            if len(a) <= 1000
            else None
        ),
        lambda: bt.score(scores, **small),
        lambda: bt.gate(scores, "a", "b", margin=0.01),
    ]
    for call in calls:
        try:
            result = call()
        except BetterthanError:
            continue
        for name in ("pvalue", "pvalue_low", "pvalue_high", "low", "high", "delta"):
            value = getattr(result, name, 0.0)
            assert value is None or not math.isnan(value), (name, result)
        assert "nan" not in str(result).lower()


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
def test_awkward_scores_have_answers_without_warnings(sample: Sample) -> None:
    answers(sample)


SCORE = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1]),
    st.floats(-1e100, 1e100),
    st.floats(-1e-300, 1e-300),
)


@settings(max_examples=20)
@given(st.lists(st.tuples(SCORE, SCORE, st.integers(0, 3)), min_size=1, max_size=6), st.booleans())
def test_any_floats_have_answers_without_warnings(
    rows: list[tuple[float, float, int]], clustered: bool
) -> None:
    a, b, clusters = (list(column) for column in zip(*rows, strict=True))
    answers(Sample(a, b, clusters if clustered else None))
