"""Figures 9 to 11, section 4.2 and Table 1: what the test corpus does."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from betterthan.design.calibrations import Bin, calibration
from betterthan.design.thresholds_by import SizeStudy, thresholds_by_domain, thresholds_by_size
from betterthan.papers.bootstrap_2012.gain_curves import translation
from betterthan.papers.bootstrap_2012.studies import (
    BINS,
    F1,
    classifiers,
    curves,
    falls,
    just_significant,
    median,
    printed,
    published_test,
    sizes_of,
    table_of,
)
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.papers.trained_classifiers import (
    OTHER,
)
from betterthan.results.sheet import Table


def by_size(
    name: str,
    title: str,
    remark: str,
    study: SizeStudy,
    *claims: Claim,
) -> Exhibit:
    """Return an exhibit of studies by size: their pairs, and their thresholds."""
    panels = (
        Panel(study, "gains", "Macro-F1, by test size"),
        Panel(study, "decay", "Threshold by test size"),
    )
    return Exhibit(
        name,
        title,
        tuple(printed(name)),
        (*falls(study), *claims),
        (Picture(f"{name}: {title}.", panels),),
        (remark,),
        (table_of(*study.studies),),
    )


def figure_9(runner: Runner) -> Exhibit:
    """Natural systems on initial segments."""
    collection, _ = translation(runner)
    scores = collection.f1()
    sizes = [scores.n // k for k in (8, 4, 2, 1)]
    study = thresholds_by_size(scores, sizes, metric=F1, **published_test(runner))
    remark = f"{collection.source}. The paper prints no numbers."
    return by_size("Figure 9", "translation, varying test size", remark, study)


def figure_10(runner: Runner) -> Exhibit:
    """Synthetic systems on initial segments of the other domain."""
    collection = classifiers(runner).items(OTHER)
    scores = collection.f1()
    sizes = [100, scores.n // 4, scores.n]
    study = thresholds_by_size(scores, sizes, metric=F1, **published_test(runner))
    gains = study.studies[-1].gains
    low = min((g.gain for g in gains if g.pvalue < 0.05), default=math.inf)
    high = max((g.gain for g in gains if g.pvalue >= 0.05), default=0.0)
    exponent = math.log(3.00 / 0.22) / math.log(24_000 / 100)
    return by_size(
        "Figure 10",
        "parsing, varying test size",
        f"{collection.source}; in Brown's place are {scores.n:,} items of the other domain.",
        study,
        Claim(
            "Even on the entire corpus there is a small range where the outcome is not "
            "determined by the gain.",
            low < high,
            f"Between {100 * low:.2f} and {100 * high:.2f} points, on {scores.n:,} items.",
        ),
        Claim(
            "The published thresholds follow the square root.",
            abs(exponent - 0.5) < 0.05,
            f"From 3.00 at 100 to 0.22 at 24,000 sentences the exponent is {-exponent:.2f}.",
        ),
    )


def figure_11(runner: Runner) -> Exhibit:
    """Synthetic systems at one size, on several domains."""
    collection = classifiers(runner)
    study = thresholds_by_domain(collection.f1(), "section", metric=F1, **published_test(runner))
    typical = {part.label: median(just_significant(part)) for part in study.studies}
    ratio = max(typical.values()) / min(typical.values())
    return curves(
        "Figure 11",
        "parsing, varying domain at one size",
        f"{collection.source}; the first {study.studies[0].n:,} items of three sections and of "
        "the other domain (1,600 in the paper, which prints no numbers).",
        (
            Claim(
                "For a fixed test size, the domain has only a small effect.",
                ratio < 1.5,
                f"The gain that is just significant differs by a factor of {ratio:.2f} at most "
                f"({', '.join(f'{k} {v:.2f}' for k, v in typical.items())} points); a corpus 16 "
                "times as large changes it by about 4.",
            ),
        ),
        *study.studies,
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


def pooled(bins: Sequence[Bin]) -> Bin:
    """Add up the tests of bins."""
    tests, agreeing = sum(b.tests for b in bins), sum(b.agreeing for b in bins)
    return replace(bins[0], tests=tests, agreeing=agreeing)


def percent(counts: Bin) -> str:
    """Write the share that agrees."""
    return "–" if counts.share is None else f"{100 * counts.share:.0f} %"


def section_42(runner: Runner) -> Exhibit:
    """How often p near .05 names the better system, on test sets drawn from a population."""
    sizes, collection = sizes_of(runner), classifiers(runner).items(OTHER)
    scores, options = collection.f1(), published_test(runner) | {"metric": F1}
    options["resamples"] = min(options["resamples"] // 2, 5_000)  # there are many tests
    sets = [
        calibration(
            scores,
            sizes=sizes.drawn,
            test_sets=1,
            **{**options, "rng": np.random.default_rng([runner.seed, 42, number])},
        )
        for number in range(sizes.test_sets)
    ]
    near = [drawn.near["population"] for drawn in sets]
    total = pooled(near)
    share, error = ratio_with_error([(b.agreeing, b.tests) for b in near])
    columns = zip(*(drawn.bins["population"] for drawn in sets), strict=True)
    shown = replace(
        sets[0], test_sets=len(sets), bins={"population": tuple(pooled(bins) for bins in columns)}
    )
    ours = {"share that names the better system, %": (100 * share, 100 * error)}
    return Exhibit(
        "Section 4.2",
        "calibration within one population",
        tuple(printed("Section 4.2", ours)),
        (
            Claim(
                "Significance is reasonably well calibrated on test sets drawn from the "
                "population.",
                share - 2 * error > 0.8,
                f"{total.agreeing} of {total.tests} tests near .05 named the better system: "
                f"{100 * share:.1f} % ± {100 * error:.1f} (869 of 942 in the paper, 92 %).",
            ),
        ),
        (
            Picture(
                "Share of tests that name the better system, by p-value.",
                (Panel(shown, "calibration", "Test sets drawn from the population"),),
            ),
        ),
        (
            f"{collection.source}; {sizes.test_sets} test sets of {sizes.drawn:,} items, drawn "
            f"from {scores.n:,} of the other domain. Our error is over test sets, the paper's as "
            "if its tests were independent; both are too small, as the systems are the same.",
        ),
    )


def table_1(runner: Runner) -> Exhibit:
    """p-values on one section against who is better on others and on another domain."""
    collection = classifiers(runner)
    study = calibration(
        collection.f1(),
        by="section=23",
        bins=BINS,
        metric=F1,
        **published_test(runner),
    )
    columns = {"section 22": "22", "section 24": "24", "Brown": OTHER}
    ranges = [f"p {low:g}–{high:g}" for low, high in pairwise(BINS)]
    bins = {name: [*study.bins[label], study.near[label]] for name, label in columns.items()}
    rows, ours = [], {}
    for number, interval in enumerate([*ranges, "p .04–.06"]):
        cells = {name: counts[number] for name, counts in bins.items()}
        tests = cells["section 22"].tests
        rows.append((interval, str(tests), *map(percent, cells.values())))
        for name, b in cells.items():
            unit = "" if interval == "p .04–.06" else ", %"
            if b.share is not None:
                likely = (b.agreeing + 1) / (b.tests + 2)
                error = 100 * math.sqrt(likely * (1 - likely) / b.tests)
                ours[f"{interval}, {name}{unit}"] = 100 * b.share, error
    wide = {name: pooled(counts[1:-1]) for name, counts in bins.items()}
    surest, brown, near = bins["Brown"][0], wide["Brown"], bins["Brown"][-1]
    listed = ", ".join(f"{name} {percent(counts)}" for name, counts in wide.items())
    low, high = near.interval
    return Exhibit(
        "Table 1",
        "calibration across sections and domains",
        tuple(printed("Table 1", ours)),
        (
            Claim(
                "Reliability degrades as the domain is switched.",
                brown.agreeing / max(brown.tests, 1)
                < min(wide[name].agreeing / max(wide[name].tests, 1) for name in list(wide)[:2]),
                f"Same winner as on section 23, where p lies between .00125 and .08: {listed}.",
            ),
            Claim(
                "A p-value below .00125 is required to reasonably predict performance on the "
                "other domain.",
                surest.agreeing * brown.tests > brown.agreeing * surest.tests,
                f"Same winner in the other domain (Brown): {percent(surest)} below .00125, "
                f"{percent(brown)} between that and .08.",
            ),
            Claim(
                "A p-value near .05 provides no information about the other domain (48 %).",
                low <= 0.5,
                f"Same winner in the other domain: {near.agreeing} of {near.tests} pairs, "
                f"{100 * low:.0f} to {100 * high:.0f} % as if pairs were independent.",
            ),
        ),
        (
            Picture(
                "Share of pairs with the same winner as on section 23.",
                (Panel(study, "calibration", "p on section 23, winners elsewhere"),),
            ),
        ),
        (
            f"{collection.source}. The other domain stands for Brown; how far it differs is our "
            "choice. The table shows that winners change with the domain, not how much they do "
            "in English. Errors are as if pairs were independent, and too small.",
        ),
        (
            Table.of(
                ("p on section 23", "pairs", *columns),
                rows,
                left=("p on section 23",),
                caption="Pairs whose winner on section 23 wins there, too.",
            ),
        ),
    )
