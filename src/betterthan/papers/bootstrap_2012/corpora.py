"""Figures 9 to 11, section 4.2 and Table 1: what the test corpus does."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from betterthan.design.calibrations import Bin, calibration
from betterthan.design.thresholds_by import SizeStudy, thresholds_by_domain, thresholds_by_size
from betterthan.papers.bootstrap_2012.bilingual import translators
from betterthan.papers.bootstrap_2012.gain_curves import middle, needed, not_here, of_section, ours
from betterthan.papers.bootstrap_2012.monolingual import FICTION, parsers
from betterthan.papers.bootstrap_2012.systems import sizes_of
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.results.sheet import Table

BINS = (0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)
TABLE_1 = (
    ("97", "95", "73"),
    ("92", "92", "60"),
    ("92", "85", "56"),
    ("88", "92", "54"),
    ("87", "78", "51"),
    ("83", "74", "48"),
)
"""Per cent of pairs whose winner on section 23 wins on section 22, on section 24 and on Brown."""

AGREED, NEAR = 869, 942
"""Tests near .05 that named the better system, and all of them (section 4.2)."""

LICENSED = "the WSJ and Brown corpora are licensed"
MOST = 5_000
"""Resamples of a test on a drawn test set: there are many of them."""

STEP = 0.16
"""How far an exponent may be from -1/2 over a few sizes of one test set."""


def _asked(runner: Runner) -> dict[str, Any]:
    return {
        "test": "bootstrap(method=sample)",
        "resamples": sizes_of(runner).resamples,
        "rng": runner.seed,
    }


def falls(found: SizeStudy) -> tuple[Claim, Claim]:
    """Check that the gain needed falls with the root of the size, and so does its spread."""
    n = [one.n for one in found.studies]
    values = [needed(one) for one in found.studies]
    typical = [middle(x) for x in values]
    spread = [float(np.subtract(*np.percentile(x, [75, 25]))) for x in values]
    slope = float(np.polyfit(np.log(n), np.log(typical), 1)[0])
    listed = ", ".join(f"{x:.2f} at {size:,}" for size, x in zip(n, typical, strict=True))
    return (
        Claim(
            "The larger the corpus, the lower the threshold; gains vary less by the square root "
            "of its size.",
            typical == sorted(typical, reverse=True) and abs(slope + 0.5) < STEP,
            f"Median gain that is just significant, in points: {listed}; exponent {slope:.2f}.",
        ),
        Claim(
            "The larger the corpus, the smaller the spread of the plot.",
            spread[-1] < spread[0],
            f"Range of the middle half: {spread[0]:.2f} points at {n[0]:,}, {spread[-1]:.2f} at "
            f"{n[-1]:,}.",
        ),
    )


def _by_size(caption: str, title: str, found: SizeStudy) -> Picture:
    return Picture(
        caption, (Panel(found, "gains", title), Panel(found, "decay", "Threshold by test size"))
    )


def figure_9(runner: Runner) -> Exhibit:
    """Translation on initial segments."""
    scores = translators(runner).scores
    sizes = [scores.n // 2**k for k in (3, 2, 1, 0)]
    found = thresholds_by_size(scores, sizes, metric="bleu", **_asked(runner))
    return Exhibit(
        "Figure 9",
        "translation, varying test size",
        claims=falls(found),
        pictures=(_by_size("Translators on initial segments.", "Translation", found),),
        remarks=("The paper prints no numbers.",),
        tables=(ours(*found.studies),),
    )


def figure_10(runner: Runner) -> Exhibit:
    """Parsing on initial segments of the other domain."""
    scores = of_section(parsers(runner), FICTION).scores
    first = min(100, scores.n // 4)
    sizes = [first, *(scores.n // 4**k for k in (2, 1, 0) if scores.n // 4**k >= 2 * first)]
    found = thresholds_by_size(scores, sizes, metric="f1", **_asked(runner))
    whole = found.studies[-1]
    significant = [g.gain for g in whole.gains if g.pvalue < 0.05]
    others = [g.gain for g in whole.gains if g.pvalue >= 0.05]
    low, high = min(significant, default=math.inf), max(others, default=0.0)
    published = math.log(3.00 / 0.22) / math.log(24_000 / 100)
    return Exhibit(
        "Figure 10",
        "parsing, varying test size",
        (
            not_here("threshold on Brown, 24K sentences, F1", "0.22", LICENSED),
            not_here("threshold on its first 100 sentences, F1", "3.00", LICENSED),
        ),
        (
            *falls(found),
            Claim(
                "Even on the entire corpus there is a small range where the outcome is not "
                "determined by the gain.",
                low < high,
                f"Between {100 * low:.2f} and {100 * high:.2f} points, on {whole.n:,} sentences.",
            ),
            Claim(
                "The published thresholds follow the square root.",
                abs(published - 0.5) < 0.05,
                f"From 3.00 at 100 to 0.22 at 24,000 sentences the exponent is {-published:.2f}.",
            ),
        ),
        (_by_size("Parsers on initial segments.", "Constituents, fiction", found),),
        (f"Brown's place is taken by {scores.n:,} sentences of the second domain.",),
        (ours(*found.studies),),
    )


def figure_11(runner: Runner) -> Exhibit:
    """Parsing at one size, on several corpora."""
    scores = parsers(runner).scores
    size = sizes_of(runner).section
    found = thresholds_by_domain(scores, "section", sizes=size, metric="f1", **_asked(runner))
    typical = {one.label: middle(needed(one)) for one in found.studies}
    ratio = max(typical.values()) / min(typical.values())
    return Exhibit(
        "Figure 11",
        "parsing, varying domain at one size",
        claims=(
            Claim(
                "For a fixed test size, the domain has only a small effect.",
                ratio < 1.5,
                f"The gain that is just significant differs by a factor of {ratio:.2f} at most "
                f"({', '.join(f'{k} {v:.2f}' for k, v in typical.items())} points); a corpus 16 "
                "times as large changes it by about 4.",
            ),
        ),
        pictures=(
            Picture(
                f"The first {size:,} sentences of each corpus.",
                (Panel(found, "gains", "Constituents, by corpus"),),
            ),
        ),
        remarks=(
            f"The first {size:,} sentences of three sections and of the second domain (1,600 in "
            "the paper, which prints no numbers).",
        ),
        tables=(ours(*found.studies),),
    )


def section_42(runner: Runner) -> Exhibit:
    """How often p near .05 names the better system, on test sets drawn from a population."""
    sizes = sizes_of(runner)
    scores = of_section(parsers(runner), FICTION).scores
    drawn = [
        calibration(
            scores,
            sizes=sizes.drawn,
            test_sets=1,
            metric="f1",
            test="bootstrap(method=sample)",
            resamples=min(sizes.resamples, MOST),
            rng=np.random.default_rng([runner.seed, 42, at]),
        )
        for at in range(sizes.test_sets)
    ]
    near = [one.near["population"] for one in drawn]
    tests, right = sum(b.tests for b in near), sum(b.agreeing for b in near)
    share, error = ratio_with_error([(b.agreeing, b.tests) for b in near])
    theirs = AGREED / NEAR
    together = zip(*(one.bins["population"] for one in drawn), strict=True)
    picture = replace(
        drawn[0],
        test_sets=sizes.test_sets,
        bins={"population": tuple(_together(bins) for bins in together)},
    )
    return Exhibit(
        "Section 4.2",
        "calibration within one population",
        (
            not_here("tests with p between .04 and .06", str(NEAR), LICENSED),
            not_here("of these, in agreement with the population", str(AGREED), LICENSED),
            Cell(
                "share that names the better system, %",
                "92",
                100 * share,
                100 * error,
                100 * math.sqrt(theirs * (1 - theirs) / NEAR),
                reason="another population: the share depends on how large true differences are, "
                "95 % if all were equally likely and less where many pairs truly differ by little",
            ),
        ),
        (
            Claim(
                "Significance is reasonably well calibrated on test sets drawn from the "
                "population.",
                share - 2 * error > 0.8,
                f"{right} of {tests} tests near .05 named the better system: {100 * share:.1f} % "
                f"± {100 * error:.1f} (869 of 942 in the paper, 92 %).",
            ),
        ),
        (
            Picture(
                "Share of tests that name the better system, by p-value.",
                (Panel(picture, "calibration", "Test sets drawn from the population"),),
            ),
        ),
        (
            f"{sizes.test_sets} test sets of {sizes.drawn:,} sentences, drawn from {scores.n:,} of "
            "the second domain; all pairs of parsers. Our error is over test sets, the paper's as "
            "if its tests were independent; both are too small, as the systems are the same.",
        ),
    )


def ratio_with_error(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Ratio of sums, and its standard error over the parts (Cochran, 1977, section 6.4).

    >>> ratio_with_error([(1, 2), (1, 2)])
    (0.5, 0.0)
    """
    top, bottom = np.array(counts, dtype=np.float64).T
    ratio = float(top.sum() / bottom.sum())
    residual = top - ratio * bottom
    parts = len(counts)
    return ratio, float(np.sqrt((residual**2).sum() * parts / (parts - 1)) / bottom.sum())


def table_1(runner: Runner) -> Exhibit:
    """p-values on one section against who is better on others and on another domain."""
    scores = parsers(runner).scores
    bins = (0.0, *BINS)
    asked = _asked(runner)
    found = calibration(scores, by="section=23", bins=bins, metric="f1", **asked)
    order = ("22", "24", FICTION)
    rows = []
    for at, (low, high) in enumerate(pairwise(bins)):
        shown = [found.bins[name][at] for name in order]
        shares = [f"{100 * b.agreeing / b.tests:.0f} %" if b.tests else "–" for b in shown]
        rows.append((f"{low:g}–{high:g}", f"{shown[0].tests}", *shares))
    near = [found.near[name] for name in order]
    rows.append(
        (
            "0.04–0.06",
            f"{near[0].tests}",
            *(f"{100 * b.agreeing / b.tests:.0f} %" if b.tests else "–" for b in near),
        )
    )
    pooled = {name: _pooled(found.bins[name][1:]) for name in order}
    surest, least = _pooled(found.bins[FICTION][:1]), _pooled(found.bins[FICTION][1:])
    where = ("section 22", "section 24", "Brown")
    cells = [
        not_here(f"p {low:g}–{high:g}, {name}, %", value, LICENSED)
        for (low, high), printed in zip(pairwise(BINS), TABLE_1, strict=True)
        for name, value in zip(where, printed, strict=True)
    ]
    cells += [
        not_here(f"p .04–.06, {name}", value, LICENSED)
        for name, value in zip(("pairs", *where), ("58", "83", "71", "48"), strict=True)
    ]
    listed = ", ".join(f"{name} {100 * x:.0f} %" for name, x in pooled.items())
    return Exhibit(
        "Table 1",
        "calibration across sections and domains",
        tuple(cells),
        (
            Claim(
                "Reliability degrades as the domain is switched.",
                pooled[FICTION] < min(pooled["22"], pooled["24"]),
                f"Same winner as on section 23, where p lies between .00125 and .08: {listed}.",
            ),
            Claim(
                "A p-value below .00125 is required to reasonably predict performance on the "
                "other domain.",
                surest > least,
                f"Same winner on the second domain: {100 * surest:.0f} % below .00125, "
                f"{100 * least:.0f} % between that and .08.",
            ),
        ),
        (
            Picture(
                "Share of pairs with the same winner as on section 23.",
                (Panel(found, "calibration", "p on section 23, winners elsewhere"),),
            ),
        ),
        (
            "Sections 22, 23 and 24 drift from the training domain; the second domain is another. "
            "How far it differs is our own making: with domains that shared more of their words "
            "and attachments, 87 to 92 % of the winners remained, nearly as many as between "
            "sections. The table shows that winners change with the domain, not how much they do "
            "in English.",
        ),
        (
            Table.of(
                ("p on section 23", "pairs", "section 22", "section 24", "second domain"),
                rows,
                left=("p on section 23",),
                caption="In this language: pairs whose winner on section 23 wins there too.",
            ),
        ),
    )


def _together(bins: Sequence[Bin]) -> Bin:
    tests, agreeing = sum(b.tests for b in bins), sum(b.agreeing for b in bins)
    return replace(bins[0], tests=tests, agreeing=agreeing)


def _pooled(bins: Sequence[Bin]) -> float:
    tests = sum(b.tests for b in bins)
    return sum(b.agreeing for b in bins) / tests if tests else math.nan
