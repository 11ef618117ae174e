"""Run any of the paired tests, by its name or its value, on pairs of several systems."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from betterthan.data.pair import Joint, Pair
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.results.tests import TestResult
from betterthan.testing import values
from betterthan.testing.bootstrap import Bootstrapping
from betterthan.testing.of_pairs import discordance, medians, signed_ranks, signs, student
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request
from betterthan.testing.values import PairedTest, as_test

_CLASSIC: dict[str, Callable[..., TestResult]] = {
    "wilcoxon": signed_ranks,
    "sign": signs,
    "mcnemar": discordance,
    "t": student,
    "mood": medians,
}
MEANS = Remedy("compares means", "test", "permutation")
ITEM_BY_ITEM = ("wilcoxon", "sign", "mood")
"""Tests of more than means: identical systems must give every item scores of one law."""


def run_tests(
    joint: Joint,
    places: Sequence[tuple[int, int]],
    test: str | PairedTest = "permutation",
    request: Request | None = None,
) -> list[TestResult]:
    """Test pairs (baseline, candidate) of systems, given by their places in the joint rows.

    Bootstrap tests of several pairs share their resamples. The classic tests compare means, and of
    the request they only need the alternative. Without a request the seed is zero.
    """
    chosen = as_test(test)
    request = request or Request(rng=0)
    _check_responses(joint, places, chosen.name)
    try:
        if isinstance(chosen, values.Bootstrap):
            return Bootstrapping(request, chosen).run(joint, places)
        pairs = [joint.pair(first, second) for first, second in places]
        if isinstance(chosen, values.Permutation):
            return _permuted(pairs, request, chosen.method)
        run = partial(_CLASSIC[chosen.name], **chosen.options)
        return [run(pair, request.alternative) for pair in pairs]
    except UsageError as error:
        if all(remedy.parameter != "method" for remedy in error.remedies):
            raise
        raise _of_test(error, chosen) from error


def _check_responses(joint: Joint, places: Sequence[tuple[int, int]], test: str) -> None:
    """Raise an error where a test of more than means has unequal numbers of responses."""
    source = None if joint.items is None else joint.items.source
    if source is None or not (test in ITEM_BY_ITEM or joint.opaque):
        return
    method, remedy = f"the {test} test", MEANS
    if joint.opaque:
        method, remedy = repr(joint.metric), Remedy("a mean", "metric", Choice("METRIC"))
    for both in places:
        source.check_even(method, remedy, [joint.systems[k] for k in both])


def _of_test(error: UsageError, test: PairedTest) -> UsageError:
    """Say as an option of the test what would be a keyword of its function: the method."""
    remedies = (
        replace(one, parameter="test", value=repr(replace(test, **{"method": one.value})))
        if one.parameter == "method"
        else one
        for one in error.remedies
    )
    return UsageError(error.message, *remedies)


def _permuted(pairs: Sequence[Pair], request: Request, method: str) -> list[TestResult]:
    """Test pairs one by one; an executor does several at a time, unless they share a generator."""
    if request.executor is None or len(pairs) < 2 or isinstance(request.rng, np.random.Generator):
        return [permute(pair, request, method) for pair in pairs]
    alone = replace(request, executor=None, workers=1, progress=None)
    work = partial(permute, request=alone, method=method)
    return list(request.work.jobs(work, [pair.lean() for pair in pairs]))
