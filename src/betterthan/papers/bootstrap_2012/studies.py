"""Studies of gain against confidence as published, and what every exhibit says of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import norm, spearmanr

from betterthan.design.gains import GainStudy
from betterthan.design.system_groups import DIFFERENT, SAME
from betterthan.design.thresholds_by import SizeStudy
from betterthan.numeric import Floats
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Cell, Claim, printed_rows
from betterthan.papers.runner import Runner
from betterthan.papers.trained_classifiers import (
    TRAINING,
    Collection,
    resampled_classifiers,
)
from betterthan.results.sheet import Table

AT_FIVE_PERCENT = float(norm.isf(0.05))
TELLING = (0.0005, 0.4)
"""P-values from which the gain that would have been significant can be computed."""
UNCERTAIN = (0.01, 0.2)
"""P-values where ways to count are compared."""
F1 = "macro-f1"
BINS = (0.0, 0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What differs between a quick and a full run.

    Attributes
    ----------
    copies, related
        Resampled training sets of each size, and of the related models of Figure 7.
    others
        Noisy copies of the 900 test items, the other domain.
    segments
        Items of the competition in translation.
    resamples
        Of the bootstrap.
    drawn, test_sets
        Items of a test set drawn from the other domain, and the number of such test sets.
    """

    copies: int = 10
    related: int = 20
    others: int = 4
    segments: int = 2034
    resamples: int = 20_000
    drawn: int = 1600
    test_sets: int = 40


FULL = Sizes()
QUICK = Sizes(copies=6, related=12, others=2, resamples=3000, drawn=450, test_sets=10)


def sizes_of(runner: Runner) -> Sizes:
    """Return the sizes of a run."""
    return QUICK if runner.quick else FULL


trained = cache(resampled_classifiers)
"""Classifiers, trained once for all exhibits of a run."""


def classifiers(runner: Runner) -> Collection:
    """Return classifiers of three base models on training sets of three sizes."""
    sizes, halves = sizes_of(runner), tuple(TRAINING // k for k in (1, 2, 4))
    models = ("logistic", "naive Bayes", "neighbours")
    return trained(models, halves, sizes.copies, sizes.others, runner.seed)


def published_test(runner: Runner) -> dict[str, Any]:
    """Options of a study as published: the shift bootstrap, one set of resamples for all pairs."""
    return {
        "test": "bootstrap(method=sample)",
        "resamples": sizes_of(runner).resamples,
        "rng": runner.seed,
    }


def just_significant(study: GainStudy, group: str | None = None) -> Floats:
    """Return the gain, in points, that would have been just significant, of every telling pair.

    A gain with p-value p lies ``z(p)`` standard errors above zero; the just significant one lies
    1.645 of them.
    """
    low, high = TELLING
    pairs = [g for g in study.gains if low < g.pvalue < high and group in (None, g.group)]
    z = norm.isf([g.pvalue for g in pairs])
    return np.asarray(100 * AT_FIVE_PERCENT * np.array([g.gain for g in pairs]) / z)


def median(values: Floats) -> float:
    """Return the median; NaN where there are no values."""
    return float(np.median(values)) if len(values) else math.nan


def points(value: float | None) -> str:
    """Write a threshold in points."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.2f}"


def printed(exhibit: str, ours: Mapping[str, tuple[float, float]] | None = None) -> list[Cell]:
    """Return the printed numbers of an exhibit next to ours, with their errors, if there are any.

    ``bootstrap_2012.csv`` lists them; its reason says why there is none, or why it differs.
    """
    cells = []
    for row in printed_rows("bootstrap_2012"):
        if row["exhibit"] == exhibit:
            value, error = (ours or {}).get(row["cell"], (None, 0.0))
            cells.append(
                Cell(
                    row["cell"],
                    row["printed"],
                    value,
                    error,
                    float(row["error"] or 0),
                    row["reason"],
                )
            )
    return cells


def table_of(*studies: GainStudy, by_t: GainStudy | None = None) -> Table:
    """Return the thresholds of studies; those of the t test are next to the first study's."""
    t_values = {} if by_t is None else {t.group: points(t.value) for t in by_t.thresholds}
    rows = []
    for study in studies:
        groups = {g.group for g in study.gains}
        for t in study.thresholds:
            typical = median(just_significant(study, t.group if t.group in groups else None))
            rows.append(
                (
                    " · ".join(filter(None, (study.label, t.group))),
                    f"{t.pairs:,}",
                    str(t.in_band),
                    points(t.value),
                    "–" if t.low is None else f"{points(t.low)}–{points(t.high)}",
                    points(typical / 100),
                    t_values.get(t.group, "–") if study is studies[0] else "–",
                )
            )
    return Table.of(
        ("pairs of systems", "pairs", "in the band", "threshold", "95 %", "median", "by t test"),
        rows,
        left=("pairs of systems",),
        caption=f"Thresholds of {studies[0].metric} in points on {studies[0].n:,} items. The "
        "median is of gains that would be just significant, over all telling pairs.",
    )


def curves(
    name: str,
    title: str,
    remark: str,
    claims: Sequence[Claim],
    *studies: GainStudy,
    by_t: GainStudy | None = None,
) -> Exhibit:
    """Return an exhibit of gain against confidence: of one study, or of several in one plot."""
    shown = studies[0] if len(studies) == 1 else SizeStudy(studies=studies)
    heading = f"{studies[0].metric} on {studies[0].n:,} items"
    return Exhibit(
        name,
        title,
        tuple(printed(name)),
        tuple(claims),
        (Picture(f"{name}: {title}.", (Panel(shown, "gains", heading),)),),
        (remark,),
        (table_of(*studies, by_t=by_t),),
    )


# -- claims ---------------------------------------------------------------------------------------


def rises(study: GainStudy, text: str = "Larger gains correspond to higher confidences.") -> Claim:
    """Check that larger gains have higher confidences."""
    telling = [(g.gain, g.confidence) for g in study.gains if g.pvalue > TELLING[0]]
    rank = float(spearmanr(*zip(*telling, strict=True)).statistic)
    return Claim(
        text,
        rank > 0.7,
        f"Rank correlation {rank:.2f} over the {len(telling):,} pairs with p above {TELLING[0]:g}.",
    )


def smaller(study: GainStudy, text: str, alike: str = SAME, others: str = DIFFERENT) -> Claim:
    """Check that similar systems need smaller gains, over all telling pairs."""
    first, second = (median(just_significant(study, group)) for group in (alike, others))
    rule = [f"{points(study.threshold(name).value)} ({name})" for name in (alike, others)]
    return Claim(
        text,
        first < second,
        f"Median gain that would be just significant, over all telling pairs: {first:.2f} points "
        f"({alike}) against {second:.2f} ({others}). By the paper's rule, the 95th percentile of "
        f"the few pairs in the band: {' against '.join(rule)}.",
    )


def lower_threshold(study: GainStudy) -> Claim:
    """Check the thresholds of same and different models by the paper's own rule."""
    same, different = study.threshold(SAME), study.threshold(DIFFERENT)
    return Claim(
        "The threshold is lower for systems of the same model type.",
        same.value is not None and different.value is not None and same.value < different.value,
        f"{points(same.value)} against {points(different.value)} points, of {same.in_band} and "
        f"{different.in_band} pairs in the band.",
    )


def overlay(natural: GainStudy, synthetic: GainStudy) -> Claim:
    """Check that natural and synthetic systems of different origin have about the same curve."""
    first, second = (median(just_significant(s, DIFFERENT)) for s in (natural, synthetic))
    ratio = first / second
    return Claim(
        "The synthetic approach reasonably models natural comparisons.",
        0.6 < ratio < 1.67,
        f"The gain that is just significant is {ratio:.2f} times as large between systems of "
        "different simulated labs as between classifiers of different models (medians).",
    )


def similar_t(study: GainStudy, by_t: GainStudy) -> Claim:
    """Check that the t test gives about the same p-values and thresholds."""
    p, p_t = (np.array([g.pvalue for g in x.gains]) for x in (study, by_t))
    near = (UNCERTAIN[0] <= p) & (p <= UNCERTAIN[1])
    change = np.abs(p_t - p)[near]
    values = [x.threshold().value for x in (study, by_t)]
    return Claim(
        "Results of the paired t test would be very similar (section 2.1).",
        float(median(change)) < 0.01,
        f"Over {near.sum():,} pairs with p from .01 to .2, p differs by {median(change):.4f} in "
        f"the middle and {max(change, default=0.0):.4f} at most; the thresholds are "
        f"{points(values[0])} (bootstrap) and {points(values[1])} (t test).",
    )


def falls(study: SizeStudy) -> tuple[Claim, Claim, Claim]:
    """Check that the gain needed falls with the root of the size, and so does its spread."""
    n = [part.n for part in study.studies]
    needed = [just_significant(part) for part in study.studies]
    typical = [median(values) for values in needed]
    spread = [float(np.subtract(*np.percentile(values, [75, 25]))) for values in needed]
    slope = float(np.polyfit(np.log(n), np.log(typical), 1)[0])
    drops = -np.diff(typical) / np.diff(n)
    listed = ", ".join(f"{x:.2f} at {size:,}" for size, x in zip(n, typical, strict=True))
    return (
        Claim(
            "The larger the corpus, the lower the threshold; gains vary less by the square root "
            "of its size.",
            typical == sorted(typical, reverse=True) and abs(slope + 0.5) < 0.16,
            f"Median gain that is just significant, in points: {listed}; exponent {slope:.2f}.",
        ),
        Claim(
            "The larger the corpus, the smaller the spread of the plot.",
            spread[-1] < spread[0],
            f"Range of the middle half: {spread[0]:.2f} points at {n[0]:,}, {spread[-1]:.2f} at "
            f"{n[-1]:,}.",
        ),
        Claim(
            "There are diminishing returns as the test set grows.",
            bool((np.diff(drops) < 0).all()),
            "A further 100 items lower it by "
            f"{', '.join(f'{100 * x:.2f}' for x in drops)} points, from one size to the next.",
        ),
    )
