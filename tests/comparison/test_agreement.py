"""Interval and p-value: an interval excludes zero only if the test rejects, or it is said."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan import Scores
from betterthan.data.pairing import pair_of
from betterthan.intervals.choice import difference_interval
from betterthan.metrics import F1, Metric, mean, ratio
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request

ALPHA = 0.05
seeds = st.integers(0, 2**32 - 1)
SHIFTED = {
    "ratings": lambda rng, n: rng.integers(1, 6, (2, n)),
    "sparse": lambda rng, n: 3 + rng.choice([-1, 0, 0, 0, 0, 1], (2, n)),
    "real": lambda rng, n: rng.normal(size=(2, n)),
    "skewed": lambda rng, n: rng.exponential(size=(2, n)),
}


@pytest.mark.parametrize("kind", SHIFTED)
@given(seed=seeds, n=st.integers(2, 24), lead=st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_inverted_tests_exclude_zero_only_when_they_reject(
    kind: str, seed: int, n: int, lead: int
) -> None:
    """By construction: the interval holds all shifts that the test does not reject."""
    rng = np.random.default_rng(seed)
    a, b = SHIFTED[kind](rng, n)
    made = pair_of(a, b + lead * (1 if kind in ("ratings", "sparse") else 0.5), mean())
    for alternative in ("two-sided", "greater", "less"):
        found = difference_interval(made, confidence=1.0 - ALPHA, alternative=alternative)
        if found.low > 0.0 or found.high < 0.0:
            p = permute(made, Request(alternative=alternative, alpha=ALPHA))
            assert p.pvalue_low <= ALPHA


def zero_one(rng: np.random.Generator, n: int, lead: float) -> object:
    return (rng.random((2, n)) < np.array([[0.4], [0.4 + lead]])).astype(np.int64)


def counts(rng: np.random.Generator, n: int, lead: float) -> object:
    gold = rng.integers(0, 5, n)
    found = [rng.binomial(gold, 0.5 + k * lead) for k in (0, 1)]
    return [np.column_stack((tp, rng.integers(0, 2, n), gold - tp)) for tp in found]


@pytest.mark.parametrize(
    ("draw", "metric"),
    [
        (zero_one, mean()),
        (counts, F1),
        (counts, ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}, lower_is_better=False)),
    ],
)
@pytest.mark.parametrize("clustered", [False, True])
@given(seed=seeds, n=st.integers(4, 30), lead=st.sampled_from([0.0, 0.2, 0.45]))
@settings(max_examples=15, deadline=None)
def test_other_intervals_say_when_they_disagree(
    draw: object, metric: Metric, clustered: bool, seed: int, n: int, lead: float
) -> None:
    rng = np.random.default_rng(seed)
    a, b = draw(rng, n, lead)  # type: ignore[operator]
    clusters = rng.integers(0, max(n // 2, 2), n).tolist() if clustered else None
    scores = Scores.from_arrays({"a": a, "b": b}, columns=metric.columns, clusters=clusters)
    made = bt.compare(scores, metric=metric, alpha=ALPHA)
    excludes = made.interval.low > 0.0 or made.interval.high < 0.0
    disagree = excludes != (made.pvalue <= ALPHA and made.delta != 0.0)
    nothing = math.isinf(made.interval.low) and math.isinf(made.interval.high)
    said = "the items are too few for an interval" if nothing else "border case"
    assert disagree == any(note.startswith(said) for note in made.notes)


def test_an_interval_that_says_nothing_is_no_border_case() -> None:
    """Student's t believes five items; their sign flips give no interval at this level."""
    scores = Scores.from_arrays({"a": [0.0] * 5, "b": [10.0, 11.0, 9.0, 10.5, 9.5]})
    made = bt.compare(scores, test="t")
    assert (made.interval.low, made.interval.high) == (-math.inf, math.inf)
    assert made.verdict == "better"
    (note,) = made.notes
    assert note.startswith("the items are too few for an interval (permutation inversion")
    (line,) = made.sheet().headlines
    assert line.endswith("(too few items for an interval: p decides)")


def test_tango_and_mcnemar_are_known_to_disagree() -> None:
    scores = Scores.from_arrays({"a": [0] * 5 + [1] * 25, "b": [1] * 30})
    made = bt.compare(scores)
    assert made.pvalue == 0.0625
    assert made.interval.low > 0.0
    assert made.notes == (
        "border case: the interval (Tango score) excludes zero though p is above 0.05; they come "
        "from different methods, and the verdict follows the p-value",
    )


def test_an_interval_that_allows_for_rare_losses_says_so() -> None:
    a = np.linspace(0.6, 0.9, 40)
    made = bt.compare(Scores.from_arrays({"a": a, "b": a + np.tile([0.01, 0.02], 20)}))
    assert made.verdict == "better"
    assert made.interval.low < 0.0
    assert any("too rare to have come up" in note for note in made.notes)
