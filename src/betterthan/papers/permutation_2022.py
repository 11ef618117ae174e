"""Exact Paired-Permutation Testing for Structured Test Statistics: Figures 1 and 2, Appendix B."""

from dataclasses import replace

import numpy as np

from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.permutation_times import table_1, timed_f1, times
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.papers.simulated_taggers import simulate_taggers
from betterthan.testing.permutation import permutation_test


def figure_1(runner: Runner) -> Exhibit:
    """Run time of the published algorithms."""
    samples = {5_000: 0, 10_000: 0, 20_000: 8_000, 40_000: 10_000}
    return times(replace(runner, workers=1), samples=samples, fft=True)


def figure_2(runner: Runner) -> Exhibit:
    """The null law of a difference in correct tags, and its tail."""
    both = simulate_taggers(1_000, 0.985, rng=runner.seed).values[:, :, 0]
    test = permutation_test(both[:, 0], both[:, 1], alternative="less")
    difference = np.rint(both[:, 1] - both[:, 0]).astype(int)
    law = {0: 1.0}
    for step in difference[difference != 0].tolist():
        after: dict[int, float] = {}
        for at, mass in law.items():
            for to in (at + step, at - step):
                after[to] = after.get(to, 0.0) + mass / 2
        law = after
    total = int(difference.sum())
    tail = sum(mass for at, mass in law.items() if at <= total)
    return Exhibit(
        "Figure 2",
        "the null law and the p-value",
        on="two simulated taggers",
        claims=(
            Claim(
                "The p-value is the mass of the null law at and beyond the observed effect.",
                abs(tail - test.pvalue) <= 1e-12,
                f"Summed item by item {tail:.12f}, by the engine {test.pvalue:.12f}.",
            ),
        ),
        pictures=(
            Picture(
                "Null law of the difference of two simulated taggers on 1,000 sentences, and the "
                "tail that is the p-value.",
                (Panel(test),),
            ),
        ),
    )


EXHIBITS = {
    "Table 1": table_1,
    "Figure 1": figure_1,
    "Figure 2": figure_2,
    "Appendix B": timed_f1,
}
UNAVAILABLE: dict[str, str] = {}
