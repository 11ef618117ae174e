"""A verdict and its interval never contradict each other: zero is outside exactly if p <= alpha."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.comparison.multiplicity import CORRECTIONS
from betterthan.errors import BetterthanError
from betterthan.metrics import AER, BLEU, F1, MEDIAN, WER, Metric
from betterthan.numeric import Alternative
from betterthan.testing.values import KINDS

METRICS: dict[str, Metric] = {"f1": F1, "wer": WER, "aer": AER, "bleu": BLEU, "median": MEDIAN}
VALUES = [
    "binary",
    "ratings",
    "tied",
    "few differ",
    "cents",
    "normal",
    "skewed",
    "rare",
    "same",
    *METRICS,
]
UNITS = ["items", "items", "clusters", "small clusters", "tasks", "shared clusters"]
OF_MEANS = ("permutation", "t")
"""Tests that weigh what the metric weighs, and so never point the other way."""


def values_of(kind: str, rng: np.random.Generator, n: int, lead: float, systems: int) -> Any:
    """Scores of systems each of which is a little better than the one before."""
    latent = rng.normal(size=(systems, n)) + rng.normal(size=n) * rng.integers(0, 2)
    latent += lead * np.arange(systems)[:, None]
    ratings = np.clip(np.round(latent + 3), 1, 5).astype(int)
    gold = rng.poisson(2.0, n)
    hits = rng.binomial(gold, 1 / (1 + np.exp(-latent)))
    more = rng.poisson(0.5, (systems, n))
    words = np.broadcast_to(gold + 8, hits.shape)
    match = np.stack([words - k - (words - k) * (gold - hits) // (gold + 1) for k in range(4)], 2)
    total = np.stack([words - k for k in range(4)], 2)
    everything: dict[str, Any] = {
        "binary": latent > 0,
        "ratings": ratings,
        "tied": np.where(rng.random(n) < 0.9, 3, ratings),
        "few differ": np.where(rng.random(n) < 0.7, 0, np.sign(latent)),
        "cents": np.round(1 / (1 + np.exp(-latent)), 2),
        "skewed": np.exp(latent),
        "rare": np.where(rng.random((systems, n)) < 0.04, -0.8, 0.02 * np.arange(systems)[:, None]),
        "same": np.ones((systems, n), dtype=int),
        "f1": np.stack([hits, more, gold - hits], axis=2),
        "wer": np.stack([gold - hits + more, words], axis=2),
        "aer": np.stack([hits + more, np.broadcast_to(gold, hits.shape), hits, hits], axis=2),
        "bleu": np.concatenate([words[..., None], words[..., None], match, total], axis=2),
    }
    return everything.get(kind, latent)


def scores_of(
    kind: str, units: str, rng: np.random.Generator, n: int, lead: float, systems: int
) -> bt.Scores:
    """Scores of some kind whose items are independent, in clusters, or of several tasks."""
    values = values_of(kind, rng, n, lead, systems)
    groups = {"task": rng.integers(0, 3, n).tolist()}
    size = {"clusters": max(n // 4, 2), "shared clusters": max(n // 4, 2), "small clusters": n}
    clusters = rng.integers(0, size[units], n).tolist() if units in size else None
    arrays = dict(zip("abcd", values, strict=False))
    columns = METRICS[kind].columns if kind in METRICS else ("score",)
    scores = bt.Scores.from_arrays(arrays, columns=columns, clusters=clusters, groups=groups)
    return scores.with_tasks("task") if units in ("tasks", "shared clusters") else scores


@settings(max_examples=250)
@given(
    kind=st.sampled_from(VALUES),
    units=st.sampled_from(UNITS),
    test=st.sampled_from(["permutation"] * 5 + [*KINDS, "bootstrap(variant=sign)"]),
    correction=st.sampled_from(CORRECTIONS),
    alpha=st.sampled_from([0.2, 0.05, 0.05, 0.01, 1e-3, 1e-6, 1e-10]),
    alternative=st.sampled_from(["two-sided", "two-sided", "greater", "less"]),
    systems=st.integers(2, 4),
    n=st.integers(3, 60),
    lead=st.sampled_from([0.0, 0.4, 1.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_zero_is_outside_exactly_if_there_is_a_verdict(
    kind: str,
    units: str,
    test: str,
    correction: str,
    alpha: float,
    alternative: Alternative,
    systems: int,
    n: int,
    lead: float,
    seed: int,
) -> None:
    scores = scores_of(kind, units, np.random.default_rng(seed), n, lead, systems)
    try:
        comparisons = bt.compare_all(
            scores,
            metric=METRICS.get(kind),
            by=None if scores.tasks else "task",
            test=test,
            correction=correction,
            alpha=alpha,
            alternative=alternative,
            resamples=1000,
        )
    except BetterthanError:
        reject()  # these data do not have this test or correction
    for c in comparisons:
        outside = (c.interval.low > 0.0) - (c.interval.high < 0.0)
        assert c.interval.low <= c.interval.high
        assert c.interval.of
        assert c.interval.method
        assert (c.pvalue_adjusted <= alpha) == (c.verdict != "can't tell" or c.opposed)
        assert c.opposed or outside == {"better": 1, "worse": -1, "can't tell": 0}[c.verdict]
        if c.test.test in OF_MEANS and c.delta != 0.0:
            assert not c.opposed or alternative != "two-sided" or kind == "median"


@pytest.mark.parametrize(
    ("losses", "shown"),
    [(28, "[> 0, > 0]"), (60, "[0, 0]")],
)
def test_ties_in_the_middle_of_the_averages(losses: int, shown: str) -> None:
    """The pseudo-median of mostly ties is 0; p says on which side of it the test is sure."""
    d = np.repeat([1, -1, 0], [76, losses, 480 - 76 - losses])
    found = bt.compare(bt.Scores.from_arrays({"a": 0 * d, "b": d}), test="wilcoxon")
    exact = 1e-12 * found.delta if losses == 28 else 0.0
    assert (found.interval.low, found.interval.high) == pytest.approx((exact, exact), abs=1e-20)
    assert found.interval.method == "Walsh averages; those in the middle are equal"
    assert shown in str(found)
