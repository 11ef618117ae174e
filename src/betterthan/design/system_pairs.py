"""The pairs of systems that a design or a study looks at."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from betterthan.checks import check_keywords, is_number
from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.errors import Remedy, UsageError, quote
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request
from betterthan.testing.values import Bootstrap, PairedTest, as_test

STUDY_RESAMPLES = 20_000
"""Resamples where a study draws them: one number, so that all pairs share them."""
BAND = (0.04, 0.06)
"""P-values that are just significant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTest(Request):
    """How all pairs of a study are tested, one-sided, in favour of the one that did better."""

    test: PairedTest = field(default_factory=Bootstrap)
    alternative: Alternative = "greater"
    rng: Rng = 0

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if self.resamples is None and isinstance(self.test, Bootstrap):
            object.__setattr__(self, "resamples", STUDY_RESAMPLES)

    @classmethod
    def of(cls, test: str | PairedTest, rng: Rng, sampling: Sampling) -> "StudyTest":
        """Take the options of a study's call."""
        check_keywords(sampling, Sampling)
        return cls(test=as_test(test), rng=rng, **sampling)


def check_pairs(scores: Scores) -> None:
    """Check that there are two systems, whose pairs a study tests."""
    if len(scores.systems) < 2:
        raise UsageError(
            f"a study tests pairs of systems, and there is only one, {scores.systems[0]!r}",
            Remedy("its score, with an interval", command="score"),
        )


def check_band(band: tuple[float, float]) -> None:
    """Check that p-values that count as just significant are two, in ascending order."""
    pair = isinstance(band, tuple | list) and len(band) == 2 and all(map(is_number, band))
    if not (pair and 0.0 <= band[0] < band[1] <= 1.0):
        raise UsageError(
            f"band must be two ascending p-values between 0 and 1, got {quote(band)}",
            Remedy("as published", "band", BAND),
        )


class PairGain(NamedTuple):
    """Places of two systems, the better one second, its gain and the one-sided test of that."""

    baseline: int
    candidate: int
    gain: float
    result: TestResult


def two_systems(
    scores: Scores,
    baseline: str | None,
    candidate: str | None,
    what: str,
    *,
    whatever_rows: bool = False,
) -> tuple[str, str]:
    """Names of baseline and candidate: the first system and the first of the others by default.

    Those of a gate have to be the same ``whatever_rows`` come first: there is no default of three.
    """
    first = scores.baseline(baseline, [candidate] if candidate else (), whatever_rows=whatever_rows)
    others = [name for name in scores.systems if name != first]
    if candidate is None and not others:
        raise UsageError(
            f"{what} needs two systems, and there is only one, {first!r}",
            Remedy("its score, with an interval", command="score"),
        )
    if candidate is None and (scores.order == "none" or whatever_rows) and len(others) > 1:
        named = others if whatever_rows else sorted(others)
        raise UsageError(
            f"{what} compares two systems, and there are {len(others)} to compare with {first!r}",
            *(Remedy("", "candidate", name) for name in named[:5]),
        )
    second = candidate or others[0]
    if first == second:
        raise UsageError(
            f"{what} cannot compare {first!r} with itself",
            *(Remedy("", "candidate", name) for name in others[:5]),
        )
    return first, second


def signed_scores(joint: Joint) -> list[float]:
    """Score of every system, higher where it is better."""
    return [joint.metric.sign * joint.score(k) for k in range(len(joint.systems))]


def gains_of_pairs(
    joint: Joint, study: StudyTest, wanted: Callable[[int, int], bool] | None = None
) -> list[PairGain]:
    """Test every pair of systems, or those ``wanted``, in favour of the one that did better."""
    score = signed_scores(joint)
    pairs = [
        (i, j) if score[j] >= score[i] else (j, i)
        for i, j in combinations(range(len(score)), 2)
        if wanted is None or wanted(i, j)
    ]
    results = run_tests(joint, pairs, study.test, study) if pairs else []
    return [
        PairGain(i, j, score[j] - score[i], result)
        for (i, j), result in zip(pairs, results, strict=True)
    ]
