"""The pairs of systems that a design or a study looks at."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import UsageError
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request

STUDY_RESAMPLES = 20_000
"""Resamples where a study draws them: one number, so that all pairs share them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTest(Request):
    """How all pairs of a study are tested, one-sided, in favour of the one that did better."""

    test: str = "bootstrap"
    alternative: Alternative = "greater"
    rng: Rng = 0

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if self.resamples is None and self.test == "bootstrap":
            object.__setattr__(self, "resamples", STUDY_RESAMPLES)

    @property
    def spelled(self) -> str:
        """The test's name with what is not by default."""
        parts = (self.test, self.variant * (self.variant != "shift"))
        further = ("recentred" * self.recentre, "strict" * self.strict)
        return "-".join(filter(None, (*parts, *further)))


class PairGain(NamedTuple):
    """Places of two systems, the better one second, its gain and the one-sided test of that."""

    baseline: int
    candidate: int
    gain: float
    result: TestResult


def two_systems(
    scores: Scores | Tallied,
    baseline: str | None,
    candidate: str | None,
    what: str,
    *,
    whatever_rows: bool = False,
) -> tuple[str, str]:
    """Names of baseline and candidate: the first system and the first of the others by default."""
    named = [candidate] if candidate else ()
    first = scores.baseline(baseline, named, whatever_rows=whatever_rows)
    others = [name for name in scores.systems if name != first]
    if candidate is None and not others:
        raise UsageError(
            f"{what} needs two systems, and there is only one system, {first!r}: give the results "
            "of a second one"
        )
    if candidate is None and scores.shuffled and len(others) > 1:
        listed = " or ".join(f'candidate="{name}"' for name in sorted(others)[:5])
        raise UsageError(
            f"{what} is about two systems: say which to compare with {first!r}, {listed}"
        )
    second = candidate or others[0]
    if first == second:
        raise UsageError(f"{what} cannot compare {first!r} with itself: name two systems")
    return first, second


def signed_scores(joint: Joint) -> list[float]:
    """Score of every system, higher where it is better."""
    return [joint.metric.sign * joint.score(k) for k in range(len(joint.systems))]


def gains_of_pairs(
    joint: Joint, asked: StudyTest, wanted: Callable[[int, int], bool] | None = None
) -> list[PairGain]:
    """Test every pair of systems, or those ``wanted``, in favour of the one that did better."""
    score = signed_scores(joint)
    pairs = [
        (i, j) if score[j] >= score[i] else (j, i)
        for i, j in combinations(range(len(score)), 2)
        if wanted is None or wanted(i, j)
    ]
    results = run_tests(joint, pairs, asked.test, asked) if pairs else []
    return [
        PairGain(i, j, score[j] - score[i], result)
        for (i, j), result in zip(pairs, results, strict=True)
    ]
