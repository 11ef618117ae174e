"""Paired tests by their names: the one place that knows which name means which test."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from betterthan.data.pair import Joint, Pair
from betterthan.errors import UsageError
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.bootstrap import Bootstrap
from betterthan.testing.classic import discordance, medians, signed_ranks, signs, student
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request

TestName = Literal["permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood"]
CLASSIC: dict[str, Callable[[Pair, Alternative], TestResult]] = {
    "wilcoxon": signed_ranks,
    "sign": signs,
    "mcnemar": discordance,
    "t": student,
    "mood": medians,
}
TESTS: tuple[TestName, ...] = (
    "permutation",
    "bootstrap",
    "wilcoxon",
    "sign",
    "mcnemar",
    "t",
    "mood",
)


def run_tests(
    joint: Joint,
    places: Sequence[tuple[int, int]],
    test: str = "permutation",
    request: Request | None = None,
) -> list[TestResult]:
    """Test pairs (baseline, candidate) of systems, given by their places in the joint rows.

    Bootstrap tests of several pairs share their resamples. The classic tests compare means, and of
    the request they only need the alternative. Without a request the seed is zero.
    """
    if test not in TESTS:
        raise UsageError(f"test is one of {', '.join(TESTS)}, not {test!r}")
    asked = request or Request(rng=0)
    if test == "bootstrap":
        return Bootstrap(asked).test(joint, places)
    if asked.variant != "shift" or asked.recentre or asked.strict:
        raise UsageError(
            f"variant, recentre and strict are options of the bootstrap, not of {test}: take "
            "test='bootstrap'"
        )
    pairs = [joint.pair(first, second) for first, second in places]
    if test == "permutation":
        return _permuted(pairs, asked)
    if joint.metric.form != "mean":
        raise UsageError(f"the {test} test compares means, not {joint.metric!r}")
    return [CLASSIC[test](pair, asked.alternative) for pair in pairs]


def _permuted(pairs: Sequence[Pair], asked: Request) -> list[TestResult]:
    """Test pairs one by one; an executor does several at a time, unless they share a generator."""
    if asked.executor is None or len(pairs) < 2 or isinstance(asked.rng, np.random.Generator):
        return [permute(pair, asked) for pair in pairs]
    alone = replace(asked, executor=None, workers=1, progress=None)
    made = dict(asked.work.jobs(partial(_permute, alone), [pair.lean() for pair in pairs]))
    return [made[k] for k in range(len(pairs))]


def _permute(asked: Request, pair: Pair) -> TestResult:
    return permute(pair, asked)
