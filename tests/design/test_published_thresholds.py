"""Thresholds from the literature."""

import math
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import (
    PUBLISHED_THRESHOLDS,
    against_published,
    published_thresholds,
)
from betterthan.errors import UsageError


def test_the_papers_thresholds() -> None:
    # Berg-Kirkpatrick, Burkett & Klein (2012), sections 3.1.1 and 3.2.2 to 3.2.5.
    result = {(t.metric, t.similarity): t.value for t in PUBLISHED_THRESHOLDS if t.where < "4"}
    assert result == {
        ("ROUGE", "any"): 1.10,
        ("UAS", "same"): 1.20,
        ("UAS", "different"): 1.51,
        ("BLEU", "same"): 0.28,
        ("BLEU", "different"): 0.37,
        ("AER", "same"): 0.50,
        ("AER", "different"): 1.12,
        ("F1", "same"): 0.47,
        ("F1", "different"): 0.57,
    }
    # Section 4.1: the whole Brown corpus, about 24K sentences, and its first 100.
    brown = {t.n: t.value for t in PUBLISHED_THRESHOLDS if t.where == "4.1"}
    assert brown == {24_000: 0.22, 100: 3.00}
    ((rouge, rescaled),) = published_thresholds("rouge", items=192)
    assert rouge.n == 48
    assert rescaled == pytest.approx(0.55)
    with pytest.raises(UsageError, match="meteor"):
        published_thresholds("meteor")


@pytest.mark.parametrize(
    ("spelled", "metric"),
    [("rouge-l", "ROUGE"), ("rougeL(stem)", "ROUGE"), ("rouge2", "ROUGE"), ("Rouge", "ROUGE"),
     ("bleu(lc)", "BLEU"), ("micro-f1", "F1"), ("fbeta(1)", "F1"), ("f1", "F1"), ("uas", "UAS"),
     ("AER", "AER")],
)  # fmt: skip
def test_a_threshold_is_found_under_every_name_of_its_metric(spelled: str, metric: str) -> None:
    assert {t.metric for t, _ in published_thresholds(spelled)} == {metric}


def test_other_f_scores_have_no_published_threshold() -> None:
    with pytest.raises(UsageError):
        published_thresholds("fbeta(0.5)")


def test_a_published_score_against_ones_own() -> None:
    own = bt.Scores.from_arrays({"mine": [1] * 80 + [0] * 20})
    far = against_published(own, 0.6)
    assert far.clear
    assert far.gain == pytest.approx(0.2)
    assert far.exceeds is None
    near = against_published(own, 0.78, threshold=0.05)
    assert (near.clear, near.exceeds) == (False, False)
    errors = bt.Scores.from_arrays({"mine": [1] * 20 + [0] * 80}, lower_is_better=True)
    assert against_published(errors, 0.4).clear
    rng = np.random.default_rng(0)
    counts = bt.Scores.from_arrays(
        {"mine": rng.integers(0, 5, size=(2416, 3))}, columns=("tp", "fp", "fn")
    )
    f1 = against_published(counts, 0.5, metric="f1", similarity="same")
    assert f1.threshold == pytest.approx(0.0047)


def test_bad_comparisons_with_published_scores_are_errors() -> None:
    own = bt.Scores.from_arrays({"mine": [1] * 80 + [0] * 20, "other": [1] * 100})
    with pytest.raises(UsageError) as caught:
        against_published(own, 0.5)
    assert [remedy.value for remedy in caught.value.remedies] == ["mine", "other"]
    with pytest.raises(UsageError) as caught:
        against_published(own, candidate="mine")
    assert caught.value.remedies[0].parameter == "published"
    for wrong in ({"published": math.nan}, {"threshold": -1.0}, {"similarity": "any"}):
        options: dict[str, Any] = {"published": 0.5, "candidate": "mine", **wrong}
        with pytest.raises(UsageError):
            against_published(own, **options)
    assert against_published(own, 0.5, "mine", alpha=0.1).interval.level == 0.9
