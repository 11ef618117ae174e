"""Adjusted verdicts: max-T from shared swaps, simultaneous intervals, all pairs."""

from itertools import product

import numpy as np
import pytest

import betterthan as bt
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.exact.inversion import shift_interval


def exact_max_t(gains: "np.typing.NDArray[np.float64]") -> list[float]:
    """Westfall and Young's step-down p-values over all 2^n shared sign patterns."""
    norms = np.sqrt((gains**2).sum(axis=0))
    patterns = np.array(list(product((1, -1), repeat=len(gains))))
    draws = np.abs(patterns @ gains) / norms
    observed = np.abs(gains.sum(axis=0)) / norms
    order = np.argsort(-observed)
    adjusted, worst = [0.0] * len(order), 0.0
    for step, k in enumerate(order):
        share = (draws[:, order[step:]].max(axis=1) >= observed[k] - 1e-12).mean()
        worst = max(worst, float(share))
        adjusted[k] = worst
    return adjusted


def test_max_t_equals_enumeration_within_sampling_error() -> None:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 5, 12)
    systems = {f"s{k}": base + rng.integers(-1, 3, 12) for k in range(4)}
    scores = Scores.from_arrays({"base": base, **systems})
    found = bt.compare_many(scores, correction="max-t", rng=1)
    gains = np.stack([x - base for x in systems.values()], axis=1).astype(float)
    exact = exact_max_t(gains)
    error = 4 * np.sqrt(0.25 / 20_000)
    assert [c.pvalue_adjusted for c in found] == pytest.approx(exact, abs=error)
    holm = bt.compare_many(scores)
    assert all(
        m.pvalue_adjusted <= h.pvalue_adjusted + error for m, h in zip(found, holm, strict=True)
    )


def test_max_t_refuses_what_has_no_shared_swaps() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.0, size=(3, 30, 3))
    scores = Scores.from_arrays(dict(zip("abc", counts, strict=True)), columns=("tp", "fp", "fn"))
    with pytest.raises(UsageError, match="max-T compares means"):
        bt.compare_many(scores, metrics=["f1"], correction="max-t")


def test_all_pairs() -> None:
    rng = np.random.default_rng(2)
    scores = Scores.from_arrays({name: rng.integers(0, 2, 50) for name in "abcd"})
    found = bt.compare_all(scores)
    assert [(c.baseline, c.candidate) for c in found] == [
        ("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"),
    ]  # fmt: skip
    assert found[0].interval.confidence == pytest.approx(1 - 0.05 / 6)
    alone = bt.compare(scores, "b", "d")
    assert found[4].pvalue == alone.pvalue
    with pytest.raises(UsageError, match="only one system"):
        bt.compare_all(scores.select("a"))


def test_an_interval_by_inversion_cannot_contradict_its_test() -> None:
    rng = np.random.default_rng(3)
    for shift in np.linspace(0, 0.4, 25):
        a = rng.normal(size=40)
        scores = Scores.from_arrays({"a": a, "b": a + rng.normal(shift, 1, 40)})
        found = bt.compare(scores)
        assert "inversion" in found.interval.method
        excludes = found.interval.low > 0 or found.interval.high < 0
        assert not excludes or found.pvalue <= 0.05
        assert found.pair is not None
        assert found.pair.gains is not None
        inverted = shift_interval(found.pair.gains.per_unit)
        assert (inverted.low > 0 or inverted.high < 0) == (found.pvalue <= 0.05)


def test_the_same_question_gets_the_same_answer() -> None:
    rng = np.random.default_rng(4)
    counts = rng.poisson(1.0, size=(2, 40, 3)) + rng.random((2, 40, 3))  # real: sampled
    scores = Scores.from_arrays({"a": counts[0], "b": counts[1]}, columns=("tp", "fp", "fn"))
    first, second = (bt.compare(scores, metric="f1") for _ in range(2))
    assert first.kind == "sampled"
    assert (first.pvalue, first.interval) == (second.pvalue, second.interval)
    other = bt.compare(scores, metric="f1", rng=7)
    assert other.pvalue != first.pvalue


def test_max_t_ties_in_single_precision() -> None:
    tenths = np.random.default_rng(2).integers(0, 6, (12, 4))
    single = (tenths / 10).astype(np.float32)
    found = [
        bt.compare_many(Scores.from_arrays(dict(zip("abcd", x.T, strict=True))), correction="max-t")
        for x in (tenths, single)
    ]
    assert [c.pvalue_adjusted for c in found[0]] == [c.pvalue_adjusted for c in found[1]]


def test_max_t_does_not_depend_on_the_order_of_the_systems() -> None:
    columns = dict(zip("abcd", np.random.default_rng(3).random((4, 30)), strict=True))
    turned = dict(reversed(columns.items()))
    found = [
        {
            frozenset((c.baseline, c.candidate)): c.pvalue_adjusted
            for c in bt.compare_all(Scores.from_arrays(x), correction="max-t")
        }
        for x in (columns, turned)
    ]
    assert found[0] == found[1]


def test_max_t_counts_ties_with_no_difference() -> None:
    base = np.zeros(8, dtype=int)
    systems = {"x": [3, -3, 3, -3, 3, -3, 0, 0], "y": [1, -1, 5, -5, 7, -7, 0, 0]}
    found = bt.compare_many(
        Scores.from_arrays({"base": base, **systems}), correction="max-t", alternative="greater"
    )
    error = 4 * np.sqrt(0.25 / 20_000)
    assert all(c.pvalue_adjusted >= c.pvalue - error for c in found)
