"""Paired tests by their names: the one place that knows which name means which test."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np

from betterthan.data.pair import Joint, Pair
from betterthan.errors import UsageError
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.bootstrap import Bootstrap
from betterthan.testing.of_pairs import discordance, medians, signed_ranks, signs, student
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request

TestName = Literal["permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood"]


class NamedTest(NamedTuple):
    """A test: what it is called and whose it is, its idea in plain words, and what runs a pair.

    The idea says ``{units}`` where clusters of items, if there are any, count instead of items.

    The permutation test and the bootstrap, which know engines and share resamples, run themselves.
    """

    title: str
    citation: str
    idea: str
    run: Callable[[Pair, Alternative], TestResult] | None = None


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
        signed_ranks,
    ),
    "sign": NamedTest(
        "sign test",
        "",
        "only who wins an item counts, not by how much. p is how often a fair coin would favour "
        "one side as much",
        signs,
    ),
    "mcnemar": NamedTest(
        "McNemar test",
        "McNemar, 1947",
        "only the items that one system gets right and the other wrong count. p is how often a "
        "fair coin would split them as unevenly",
        discordance,
    ),
    "t": NamedTest(
        "paired t-test",
        "",
        "the mean difference is divided by its standard error and compared with Student's t "
        "distribution. It is a formula that is right with many {units}",
        student,
    ),
    "mood": NamedTest(
        "median test",
        "Mood, 1950",
        "scores above and below the common median are counted for both systems. It compares "
        "medians and does not pair the items",
        medians,
    ),
}
TESTS = get_args(TestName)
ITEM_BY_ITEM = ("wilcoxon", "sign", "mood")
"""Tests of more than means: identical systems must give every item scores of one law."""


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
    source = None if joint.items is None else joint.items.source
    if source is not None and (test in ITEM_BY_ITEM or joint.opaque):
        method, remedy = f"the {test} test", 'Compare means (test="permutation")'
        if joint.opaque:
            method, remedy = repr(joint.metric), "Choose a metric that is a mean"
        for both in places:
            source.refuse_uneven(method, remedy, [joint.systems[k] for k in both])
    if test == "bootstrap":
        return Bootstrap(asked).test(joint, places)
    if asked.variant != "shift" or asked.recentre or asked.strict:
        raise UsageError(
            f"variant, recentre and strict are options of the bootstrap, not of {test}: take "
            "test='bootstrap'"
        )
    pairs = [joint.pair(first, second) for first, second in places]
    run = NAMED[test].run
    if run is None:
        return _permuted(pairs, asked)
    if joint.metric.form != "mean":
        raise UsageError(f"the {test} test compares means, not {joint.metric!r}")
    return [run(pair, asked.alternative) for pair in pairs]


def _permuted(pairs: Sequence[Pair], asked: Request) -> list[TestResult]:
    """Test pairs one by one; an executor does several at a time, unless they share a generator."""
    if asked.executor is None or len(pairs) < 2 or isinstance(asked.rng, np.random.Generator):
        return [permute(pair, asked) for pair in pairs]
    alone = replace(asked, executor=None, workers=1, progress=None)
    made = dict(asked.work.jobs(partial(permute, request=alone), [pair.lean() for pair in pairs]))
    return [made[k] for k in range(len(pairs))]
