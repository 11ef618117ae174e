"""The paired tests of other tools beside ours, on cases whose exact p-value is known.

Every tool is called as its documentation shows, with its defaults and a seed where it takes one.
Those that are not installed are left out: ``pip install mlxtend ranx deepsig`` for all of them.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

import betterthan as bt

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


CASES = {
    "identical, 200 items": (0, 0, 200),
    "6 wins of 6": (6, 0, 6),
    "25 wins, 11 losses of 200": (25, 11, 200),
    "60 wins of 200": (60, 0, 200),
    "300 wins, 250 losses of 10,000": (300, 250, 10_000),
}


def by_scipy(a: Scores, b: Scores) -> float:
    stats = import_module("scipy.stats")

    def difference(x: Scores, y: Scores, axis: int) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    found = stats.permutation_test(
        (b, a), difference, permutation_type="samples", vectorized=True, rng=0
    )
    return float(found.pvalue)


def by_wilcoxon(a: Scores, b: Scores) -> float:
    return float(import_module("scipy.stats").wilcoxon(b, a).pvalue)


def by_statsmodels(a: Scores, b: Scores) -> float:
    tables = import_module("statsmodels.stats.contingency_tables")
    table = [[np.sum((a == x) & (b == y)) for y in (0, 1)] for x in (0, 1)]
    return float(tables.mcnemar(table, exact=True).pvalue)


def by_mlxtend(a: Scores, b: Scores) -> float:
    test = import_module("mlxtend.evaluate").permutation_test
    return float(test(b, a, method="approximate", paired=True, seed=0))


def by_ranx(a: Scores, b: Scores) -> float:
    home = import_module("ranx.statistical_tests.fisher_randomization_test")
    return float(home.fisher_randomization_test(a, b)[0])


def by_deepsig(a: Scores, b: Scores) -> float:
    return float(import_module("deepsig").permutation_test(b, a, seed=0))


def by_sacrebleu(a: Scores, b: Scores) -> float:
    """Approximate randomisation of BLEU, of lines that are right or wrong."""
    bleu = import_module("sacrebleu.metrics.bleu").BLEU
    paired = import_module("sacrebleu.significance").PairedTest
    gold = "the cat sat on the mat today"
    lines = [[gold if right else "a dog ran off and hid there" for right in x] for x in (a, b)]
    named = [("base", lines[0]), ("new", lines[1])]
    made = paired(named, {"bleu": bleu(references=[[gold] * len(a)])}, None, test_type="ar")
    return float(made()[1]["BLEU"][1].p_value)


TOOLS: dict[str, tuple[str, Test]] = {
    "betterthan.permutation_test": ("betterthan", lambda a, b: bt.permutation_test(a, b).pvalue),
    "scipy.stats.permutation_test": ("scipy", by_scipy),
    "scipy.stats.wilcoxon": ("scipy", by_wilcoxon),
    "statsmodels mcnemar(exact=True)": ("statsmodels", by_statsmodels),
    "mlxtend permutation_test": ("mlxtend", by_mlxtend),
    "ranx fisher": ("ranx", by_ranx),
    "deepsig permutation_test": ("deepsig", by_deepsig),
    "sacrebleu --paired-ar": ("sacrebleu", by_sacrebleu),
}


def answer(test: Test, a: Scores, b: Scores) -> tuple[str, float]:
    """The p-value as a word, and the processor seconds it took."""
    start = time.process_time()
    try:
        with np.errstate(all="ignore"):
            shown = f"{test(a, b):.2g}"
    except Exception as error:
        shown = type(error).__name__
    return shown, time.process_time() - start


def run() -> None:
    print("| tool | " + " | ".join(CASES) + " | seconds, last |")
    print("|---|" + "---:|" * (len(CASES) + 1))
    known = (f"*{float(exact(wins, losses)):.3g}*" for wins, losses, _ in CASES.values())
    print(f"| *exact* | {' | '.join(known)} | |")
    absent = []
    for name, (package, test) in TOOLS.items():
        try:
            import_module(package)
        except ImportError:
            absent.append(name)
            continue
        answer(test, *zeros_and_ones(6, 0, 6))  # imports and compilation are not counted
        found = [answer(test, *zeros_and_ones(*case)) for case in CASES.values()]
        shown = " | ".join(p for p, _ in found)
        print(f"| {name} ({version(package)}) | {shown} | {found[-1][1]:.3g} |")
    if absent:
        print(f"\nNot installed: {', '.join(absent)}.")
