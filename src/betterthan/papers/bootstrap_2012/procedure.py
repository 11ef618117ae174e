"""Figure 1 and the thresholds: the procedure, ways to count, and what the paper found with it."""

from typing import Any

import numpy as np

from betterthan.design.gains import thresholds
from betterthan.design.published import PUBLISHED_THRESHOLDS
from betterthan.papers.bootstrap_2012.gain_curves import of_section
from betterthan.papers.bootstrap_2012.monolingual import parsers
from betterthan.papers.bootstrap_2012.systems import sizes_of
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.results.sheet import Table
from betterthan.testing.values import Bootstrap

WAYS: dict[str, dict[str, Any]] = {
    "ties count, (1+s)/(1+b)": {},
    "as printed: >, s/b": {"strict": True},
    "sign (footnote 2)": {"variant": "sign"},
    "recentred (footnote 3)": {"recentre": True},
}
UNCERTAIN = (0.01, 0.2)
"""P-values where the ways to count are compared."""


def figure_1(runner: Runner) -> Exhibit:
    """Count in four ways on the same pairs and resamples."""
    scores = of_section(parsers(runner), "23").scores
    found = {
        name: thresholds(
            scores,
            metric="f1",
            test=Bootstrap(method="sample", **way),
            resamples=sizes_of(runner).resamples,
            rng=runner.seed,
        )
        for name, way in WAYS.items()
    }
    p = {name: np.array([g.pvalue for g in one.gains]) for name, one in found.items()}
    first, strict, sign, moved = p.values()
    near = (UNCERTAIN[0] <= first) & (first <= UNCERTAIN[1])
    rows = []
    for name, one in found.items():
        value = one.threshold().value
        rows.append(
            (
                name,
                "–" if value is None else f"{100 * value:.2f}",
                f"{one.threshold().in_band}",
                f"{np.median(np.abs(p[name] - first)[near]):.4f}",
                f"{np.abs(p[name] - first)[near].max():.4f}",
            )
        )
    drawn = sizes_of(runner).resamples
    noise = float(np.sqrt(0.05 * 0.95 / drawn))
    return Exhibit(
        "Figure 1",
        "the bootstrap procedure, and ways to count",
        claims=(
            Claim(
                "Counting `>` and dividing s by b, as printed, is the same rule but for ties.",
                bool((np.abs(strict - first)[near] < 5 / drawn + 1e-3).all()),
                f"Over {near.sum():,} pairs with p from .01 to .2, p differs by "
                f"{np.abs(strict - first)[near].max():.4f} at most: F1 on {scores.n:,} sentences "
                "has hardly any ties.",
            ),
            Claim(
                "Counting changes of sign is equivalent if the law is symmetric around the gain "
                "(footnote 2).",
                float(np.median(np.abs(sign - first)[near])) < 0.01,
                f"p then differs by {np.median(np.abs(sign - first)[near]):.4f} in the middle and "
                f"{np.abs(sign - first)[near].max():.4f} at most; the sampling error of p = .05 is "
                f"{noise:.4f} here.",
            ),
            Claim(
                "The mean bootstrap gain is the test gain, nearly (footnote 3).",
                float(np.median(np.abs(moved - first)[near])) < 0.01,
                f"Recentring changes p by {np.median(np.abs(moved - first)[near]):.4f} in the "
                "middle.",
            ),
        ),
        remarks=(
            f"All pairs of the parsers of Figure 8, b = {drawn:,} (10^6 in the paper). In Python "
            "`bt.bootstrap_test(a, b, strict=True)`; on the command line "
            "`--test 'bootstrap(strict=yes)'`, `variant=sign` or `recentre=yes` likewise.",
        ),
        tables=(
            Table.of(
                ("counted", "threshold", "in the band", "median change of p", "largest"),
                rows,
                left=("counted",),
                caption="Four ways to count on the same pairs, F1 in points.",
            ),
        ),
    )


def listed_thresholds(runner: Runner) -> Exhibit:
    """List the published thresholds side by side."""
    by_metric: dict[str, dict[str, float]] = {}
    for t in PUBLISHED_THRESHOLDS:
        by_metric.setdefault(t.metric, {}).setdefault(t.similarity, t.value)
    both = {k: v for k, v in by_metric.items() if {"same", "different"} <= set(v)}
    rows = [
        (
            t.metric,
            t.similarity,
            f"{t.value:.2f}",
            t.test_set,
            f"{t.n:,}",
            f"{t.value * t.n**0.5:.0f}",
        )
        for t in PUBLISHED_THRESHOLDS
    ]
    return Exhibit(
        "Thresholds",
        "the gains that were usually significant",
        claims=(
            Claim(
                "In every task, systems of the same model type have the lower threshold.",
                all(v["same"] < v["different"] for v in both.values()),
                ", ".join(f"{k} {v['same']:g} < {v['different']:g}" for k, v in both.items()) + ".",
            ),
        ),
        remarks=("As printed in the paper; `betterthan study published` lists and rescales them.",),
        tables=(
            Table.of(
                ("metric", "systems", "published", "test set", "items", "× root of items"),
                rows,
                left=("metric", "systems", "test set"),
                caption="Published thresholds, points.",
            ),
        ),
    )
