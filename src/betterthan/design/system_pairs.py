"""The pairs of systems that a design or a study looks at."""

from itertools import combinations
from typing import NamedTuple

from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.resampling.generator import Rng
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request

STUDY_RESAMPLES = 20_000
"""Resamples where a study draws them: one number, so that all pairs share them."""


class PairGain(NamedTuple):
    """Places of two systems, the better one second, its gain and the one-sided test of that."""

    baseline: int
    candidate: int
    gain: float
    result: TestResult


def two_systems(
    scores: Scores, baseline: str | None, candidate: str | None, what: str
) -> tuple[str, str]:
    """Names of baseline and candidate: the first system and the first of the others by default."""
    first = baseline or scores.systems[0]
    others = [name for name in scores.systems if name != first]
    if candidate is None and not others:
        raise UsageError(
            f"{what} needs two systems, and there is only one system, {first!r}: give the results "
            "of a second one"
        )
    second = candidate or others[0]
    if first == second:
        raise UsageError(f"{what} cannot compare {first!r} with itself: name two systems")
    return first, second


def signed_scores(joint: Joint) -> list[float]:
    """Score of every system, higher where it is better."""
    return [joint.metric.sign * joint.score(k) for k in range(len(joint.systems))]


def gains_of_pairs(joint: Joint, test: str, resamples: int | None, rng: Rng) -> list[PairGain]:
    """Test every pair of systems one-sided, in favour of the one that did better."""
    score = signed_scores(joint)
    pairs = [
        (i, j) if score[j] >= score[i] else (j, i) for i, j in combinations(range(len(score)), 2)
    ]
    drawn = resamples or (STUDY_RESAMPLES if test == "bootstrap" else None)
    request = Request(alternative="greater", resamples=drawn, rng=rng)
    results = run_tests(joint, pairs, test, request)
    return [
        PairGain(i, j, score[j] - score[i], result)
        for (i, j), result in zip(pairs, results, strict=True)
    ]
