"""The paired tests of other tools beside ours, on cases whose exact p-value is known.

Every tool is called as its documentation shows, with its defaults and a seed where it takes one.
Those that are not installed give an error: ``pip install mlxtend ranx deepsig`` for all of them.
"""

import contextlib
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib import import_module
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

import betterthan as bt
from bench.runner import Benchmark, Case, Work

Scores = NDArray[np.float64]
Test = Callable[[Scores, Scores], float]


def zeros_and_ones(wins: int, losses: int, items: int) -> tuple[Scores, Scores]:
    """Two systems, right and wrong by turns on the items on which they agree."""
    a: Scores = (np.arange(items) % 2).astype(np.float64)
    b: Scores = a.copy()
    a[:wins], b[:wins] = 0, 1
    a[wins : wins + losses], b[wins : wins + losses] = 1, 0
    return a, b


def exact(wins: int, losses: int) -> Fraction:
    """The two-sided p-value: the share of all ways to swap that are as extreme."""
    n, most = wins + losses, max(wins, losses)
    return min(Fraction(1), 2 * Fraction(sum(comb(n, k) for k in range(most, n + 1)), 2**n))


def by_scipy(a: Scores, b: Scores) -> float:
    """Swaps of scipy."""
    stats = import_module("scipy.stats")

    def difference(x: Scores, y: Scores, axis: int) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    result = stats.permutation_test(
        (b, a), difference, permutation_type="samples", vectorized=True, rng=0
    )
    return float(result.pvalue)


def by_wilcoxon(a: Scores, b: Scores) -> float:
    """Signed ranks, which weigh the items differently."""
    return float(import_module("scipy.stats").wilcoxon(b, a).pvalue)


def by_statsmodels(a: Scores, b: Scores) -> float:
    """McNemar's exact test."""
    tables = import_module("statsmodels.stats.contingency_tables")
    table = [[np.sum((a == x) & (b == y)) for y in (0, 1)] for x in (0, 1)]
    return float(tables.mcnemar(table, exact=True).pvalue)


def by_mlxtend(a: Scores, b: Scores) -> float:
    """Swaps of mlxtend."""
    test = import_module("mlxtend.evaluate").permutation_test
    return float(test(b, a, method="approximate", paired=True, seed=0))


def by_ranx(a: Scores, b: Scores) -> float:
    """Fisher's randomisation test of ranx."""
    home = import_module("ranx.statistical_tests.fisher_randomization_test")
    return float(home.fisher_randomization_test(a, b)[0])


def by_deepsig(a: Scores, b: Scores) -> float:
    """Swaps of deepsig."""
    return float(import_module("deepsig").permutation_test(b, a, seed=0))


def by_sacrebleu(a: Scores, b: Scores) -> float:
    """Approximate randomisation of BLEU, of lines that are right or wrong."""
    bleu = import_module("sacrebleu.metrics.bleu").BLEU
    paired = import_module("sacrebleu.significance").PairedTest
    gold = "the cat sat on the mat today"
    lines = [[gold if right else "a dog ran off and hid there" for right in x] for x in (a, b)]
    named = [("base", lines[0]), ("new", lines[1])]
    result = paired(named, {"bleu": bleu(references=[[gold] * len(a)])}, None, test_type="ar")
    return float(result()[1]["BLEU"][1].p_value)


TOOLS: dict[str, Test] = {
    "scipy permutation_test": by_scipy,
    "scipy wilcoxon": by_wilcoxon,
    "statsmodels mcnemar(exact=True)": by_statsmodels,
    "mlxtend permutation_test": by_mlxtend,
    "ranx fisher": by_ranx,
    "deepsig permutation_test": by_deepsig,
    "sacrebleu --paired-ar": by_sacrebleu,
}


def case(items: int, *, wins: int, losses: int) -> Case:
    """All tools on one data set; those that are not installed give an error."""
    a, b = zeros_and_ones(wins, losses, items)
    small = zeros_and_ones(6, 0, 6)
    for tool in TOOLS.values():
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            tool(*small)  # imports and compilation are not counted
    others: dict[str, Work] = {name: partial(tool, a, b) for name, tool in TOOLS.items()}
    known = {"exact": lambda: float(exact(wins, losses))}
    return Case(lambda: bt.permutation_test(a, b).pvalue, known | others)


BENCHMARKS = tuple(
    Benchmark("peers", name, (items,), partial(case, wins=wins, losses=losses))
    for name, wins, losses, items in (
        ("identical", 0, 0, 200),
        ("6 wins", 6, 0, 6),
        ("25 wins, 11 losses", 25, 11, 200),
        ("60 wins", 60, 0, 200),
        ("300 wins, 250 losses", 300, 250, 10_000),
    )
)
