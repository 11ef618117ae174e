"""Adjusted verdicts: max-T from shared swaps, simultaneous intervals, all pairs."""

import numpy as np

import betterthan as bt
from betterthan.data.scores import Scores


def test_all_pairs() -> None:
    rng = np.random.default_rng(2)
    scores = Scores.from_arrays({name: rng.integers(0, 2, 50) for name in "abcd"})
    found = bt.compare_all(scores)
    assert [(c.baseline, c.candidate) for c in found] == [
        ("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"),
    ]  # fmt: skip
    assert found[0].interval.level >= 0.95
    alone = bt.compare(scores, "b", "d")
    assert found[4].pvalue == alone.pvalue


def test_the_same_question_gets_the_same_answer() -> None:
    rng = np.random.default_rng(4)
    counts = rng.poisson(1.0, size=(2, 40, 3)) + rng.random((2, 40, 3))  # real: sampled
    scores = Scores.from_arrays({"a": counts[0], "b": counts[1]}, columns=("tp", "fp", "fn"))
    f1 = "ratio(2*tp / 2*tp + fp + fn)"
    first, second = (bt.compare(scores, metric=f1) for _ in range(2))
    assert first.kind == "sampled"
    assert (first.pvalue, first.interval) == (second.pvalue, second.interval)
    other = bt.compare(scores, metric=f1, rng=7)
    assert other.pvalue != first.pvalue
