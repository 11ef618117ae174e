"""A verdict and its interval never contradict each other: zero is outside exactly if p <= alpha."""

from typing import Any, Literal

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


# -- the direction of the test and of the metric ---------------------------------------------------

MANY_SMALL_WINS = bt.Scores.from_arrays({"base": [50] * 240, "new": [51] * 160 + [45] * 80})
Named = Literal["sign", "wilcoxon", "mood", "t", "permutation"]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("test", ["sign", "mood"])
def test_many_small_wins_outweighed_by_few_losses_are_no_verdict(
    test: Any, alternative: Any
) -> None:
    found = bt.compare(MANY_SMALL_WINS, "base", "new", test=test, alternative=alternative)
    assert found.pvalue < 1e-6
    assert found.delta == -5 / 3 + 2 / 3
    assert found.verdict == "can't tell"
    assert f"the {test} test favours new, the mean does not" in str(found)
    assert "Of new the test is sure, but in the other direction" in found.rendered("latex")
    assert "point different ways" in str(found)


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_a_test_of_the_mean_calls_it_worse(test: Any) -> None:
    assert bt.compare(MANY_SMALL_WINS, "base", "new", test=test).verdict == "worse"


@pytest.mark.parametrize(
    ("method", "test", "best"),
    [
        ("mean", "sign", None),
        ("mean", "mood", None),
        ("mean", "permutation", "base"),
        ("bradley-terry", "sign", None),
        ("bradley-terry", "t", "base"),
        ("bradley-terry", "permutation", "base"),
        ("median", "mood", None),
        ("median", "t", "base"),
    ],
)
def test_boards_name_nobody_whom_their_test_does_not(
    method: Any, test: Any, best: str | None
) -> None:
    board = bt.rank(MANY_SMALL_WINS, method=method, test=test, resamples=20)
    assert [row.system for row in board.rows if row.rank_high == 1] == ([best] if best else [])
    assert any("neither beats the other" in note for note in board.notes) == (best is None)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=25),
    st.sampled_from(["sign", "wilcoxon", "mood", "t", "permutation"]),
    st.sampled_from([0.05, 0.2, 0.4]),
)
@settings(deadline=None, max_examples=80)
def test_a_verdict_has_the_metric_and_the_one_sided_test_behind_it(
    drawn: list[tuple[int, int]], test: Named, alpha: float
) -> None:
    a, b = np.array(drawn).T
    scores = bt.Scores.from_arrays({"a": a, "b": b})
    found = bt.compare(scores, "a", "b", test=test, alpha=alpha)
    sides: tuple[tuple[str, Any, int], ...] = (("better", "greater", 1), ("worse", "less", -1))
    for verdict, side, sign in sides:
        one = bt.compare(scores, "a", "b", test=test, alternative=side, alpha=alpha)
        if found.verdict == verdict:
            assert sign * found.delta > 0
            assert one.pvalue <= alpha
        if found.pvalue <= alpha and one.pvalue > 0.5:
            assert found.verdict != verdict
