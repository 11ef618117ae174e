"""Paired tests by their names: the one place that knows which name means which test."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

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


class NamedTest(NamedTuple):
    """A test: what it is called and whose it is, and its idea in plain words.

    The idea says ``{units}`` where clusters of items, if there are any, count instead of items.
    """

    title: str
    citation: str
    idea: str


NAMED: dict[str, NamedTest] = {
    "permutation": NamedTest(
        "paired permutation test",
        "Zmigrod et al., 2022",
        "if the two systems were the same, it would not matter whose result is whose. So their "
        "results are swapped on some {units} and not on others, and p is the share of all such "
        "swaps that make a difference at least as large as the one you saw",
    ),
    "bootstrap": NamedTest(
        "paired bootstrap test",
        "Berg-Kirkpatrick et al., 2012",
        "new test sets are drawn from your {units}, some of them twice, some not at all. p is the "
        "share of such sets in which the difference moves by as much as the one you saw",
    ),
    "wilcoxon": NamedTest(
        "Wilcoxon signed-rank test",
        "Wilcoxon, 1945",
        "the differences on items are ranked by size, and p is the share of all ways to give "
        "them signs that favour one system as much as yours do. How large a difference is "
        "counts only through its rank",
    ),
    "sign": NamedTest(
        "sign test",
        "",
        "only who wins an item counts, not by how much. p is how often a fair coin would favour "
        "one side as much",
    ),
    "mcnemar": NamedTest(
        "McNemar test",
        "McNemar, 1947",
        "only the items that one system gets right and the other wrong count. p is how often a "
        "fair coin would split them as unevenly",
    ),
    "t": NamedTest(
        "paired t-test",
        "",
        "the mean difference is divided by its standard error and compared with Student's t "
        "distribution. It is a formula that is right with many {units}",
    ),
    "mood": NamedTest(
        "median test",
        "Mood, 1950",
        "scores above and below the common median are counted for both systems. It compares "
        "medians and does not pair the items",
    ),
}
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
    chosen, asked = as_test(test), request or Request(rng=0)
    _check_responses(joint, places, chosen.name)
    try:
        if isinstance(chosen, values.Bootstrap):
            return Bootstrapping(asked, **chosen.options).test(joint, places)
        pairs = [joint.pair(first, second) for first, second in places]
        if isinstance(chosen, values.Permutation):
            return _permuted(pairs, asked, chosen.method)
        if joint.metric.form != "mean":
            raise UsageError(
                f"the {chosen.name} test compares means, not {joint.metric!r}",
                Remedy("compares any metric", "test", "permutation"),
            )
        run = partial(_CLASSIC[chosen.name], **chosen.options)
        return [run(pair, asked.alternative) for pair in pairs]
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


def _permuted(pairs: Sequence[Pair], asked: Request, method: str) -> list[TestResult]:
    """Test pairs one by one; an executor does several at a time, unless they share a generator."""
    if asked.executor is None or len(pairs) < 2 or isinstance(asked.rng, np.random.Generator):
        return [permute(pair, asked, method) for pair in pairs]
    alone = replace(asked, executor=None, workers=1, progress=None)
    work = partial(permute, request=alone, method=method)
    return list(asked.work.jobs(work, [pair.lean() for pair in pairs]))
