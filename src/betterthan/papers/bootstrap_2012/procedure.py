"""Section 3.2.1, Figure 1 and the thresholds: the systems, the procedure, and ways to count."""

import math
from itertools import combinations
from typing import Any

import numpy as np

from betterthan.design.gains import thresholds
from betterthan.design.published import PUBLISHED_THRESHOLDS
from betterthan.design.system_groups import DIFFERENT, SAME
from betterthan.papers.bootstrap_2012.studies import (
    F1,
    UNCERTAIN,
    classifiers,
    median,
    points,
    published_test,
)
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.papers.trained_classifiers import (
    OTHER,
)
from betterthan.results.sheet import Table
from betterthan.testing.values import Bootstrap


def section_321(runner: Runner) -> Exhibit:
    """List the systems, and check that base models overlap and that their systems are alike."""
    collection = classifiers(runner)
    models = np.array(list(collection.groups.values()))
    accuracy = {name: collection.items(name).right.mean(axis=0) for name in ("23", OTHER)}
    rows = []
    for section, values in accuracy.items():
        for model in dict.fromkeys(models.tolist()):
            x = 100 * values[models == model]
            numbers = (f"{v:.1f}" for v in (x.mean(), x.min(), x.max()))
            rows.append((section, model, str(x.size), *numbers))
    span = {row[1]: (float(row[4]), float(row[5])) for row in rows if row[0] == "23"}
    ranges = ", ".join(f"{model} {low} to {high}" for model, (low, high) in span.items())
    correlation = np.asarray(np.corrcoef(collection.items("23").right.T))
    first, second = np.triu_indices(models.size, 1)
    same = models[first] == models[second]
    alike, unlike = (float(correlation[first, second][at].mean()) for at in (same, ~same))
    return Exhibit(
        "Section 3.2.1",
        "training set resampling",
        claims=(
            Claim(
                "The score ranges of all the base models overlap.",
                all(max(a[0], b[0]) <= min(a[1], b[1]) for a, b in combinations(span.values(), 2)),
                f"Accuracy on section 23: {ranges}.",
            ),
            Claim(
                "Systems originating from the same base model are highly correlated.",
                alike > unlike,
                f"Right answers, item by item: mean correlation {alike:.2f} within a base model, "
                f"{unlike:.2f} between different ones.",
            ),
        ),
        remarks=(
            f"In the place of parsers and translators: {collection.source}. Sections 22, 23 and "
            "24 are 300 items each by people who wrote none of the training digits; the other "
            "domain (for Brown) has copies of these on grey paper with noise. Accuracy stands "
            "for dependencies, macro-F1 of the ten classes for constituents and BLEU.",
            "Natural comparisons are of simulated labs: a system is right where its skill and "
            "what is drawn for its lab, itself and the item add up to more than zero.",
        ),
        tables=(
            Table.of(
                ("section", "model", "systems", "mean", "lowest", "highest"),
                rows,
                left=("section", "model"),
                caption="Accuracy in points.",
            ),
        ),
    )


WAYS: dict[str, dict[str, Any]] = {
    "ties count, (1+s)/(1+b)": {},
    "as printed: >, s/b": {"strict": True},
    "sign (footnote 2)": {"variant": "sign"},
    "recentred (footnote 3)": {"recentre": True},
}


def figure_1(runner: Runner) -> Exhibit:
    """Count in four ways on the same pairs and resamples."""
    collection = classifiers(runner).items("23")
    options = published_test(runner)
    drawn = options["resamples"]
    studies = {
        name: thresholds(
            collection.f1(),
            metric=F1,
            **{**options, "test": Bootstrap(method="sample", **way)},
        )
        for name, way in WAYS.items()
    }
    p = {name: np.array([g.pvalue for g in study.gains]) for name, study in studies.items()}
    first = p["ties count, (1+s)/(1+b)"]
    near = (UNCERTAIN[0] <= first) & (first <= UNCERTAIN[1])
    change = {name: np.abs(values - first)[near] for name, values in p.items()}
    _, strict, sign, recentred = change.values()
    rows = [
        (
            name,
            points(study.threshold().value),
            f"{study.threshold().in_band}",
            f"{median(change[name]):.4f}",
            f"{max(change[name], default=0.0):.4f}",
        )
        for name, study in studies.items()
    ]
    return Exhibit(
        "Figure 1",
        "the bootstrap procedure, and ways to count",
        claims=(
            Claim(
                "Counting `>` and dividing s by b, as printed, is the same rule but for ties.",
                bool((strict < 5 / drawn + 1e-3).all()),
                f"Over {near.sum():,} pairs with p from .01 to .2, p differs by "
                f"{max(strict, default=0.0):.4f} at most: macro-F1 has hardly any ties.",
            ),
            Claim(
                "Counting changes of sign is equivalent if the law is symmetric around the gain "
                "(footnote 2).",
                median(sign) < 0.01,
                f"p then differs by {median(sign):.4f} in the middle and "
                f"{max(sign, default=0.0):.4f} at most; the sampling error of p = .05 is "
                f"{math.sqrt(0.05 * 0.95 / drawn):.4f} here.",
            ),
            Claim(
                "The mean bootstrap gain is the test gain, nearly (footnote 3).",
                median(recentred) < 0.01,
                f"Recentring changes p by {median(recentred):.4f} in the middle.",
            ),
        ),
        remarks=(
            f"All pairs of {collection.source}, b = {drawn:,} (10^6 in the paper). In Python "
            "`bt.bootstrap_test(a, b, strict=True)`; on the command line "
            "`--test 'bootstrap(strict=yes)'`, `variant=sign` or `recentre=yes` likewise.",
        ),
        tables=(
            Table.of(
                ("counted", "threshold", "in the band", "median change of p", "largest"),
                rows,
                left=("counted",),
                caption="Four ways to count on the same pairs, macro-F1 in points.",
            ),
        ),
    )


def listed_thresholds(runner: Runner) -> Exhibit:
    """List the published thresholds side by side."""
    by_metric: dict[str, dict[str, float]] = {}
    for t in PUBLISHED_THRESHOLDS:
        by_metric.setdefault(t.metric, {}).setdefault(t.similarity, t.value)
    both = {k: v for k, v in by_metric.items() if {SAME, DIFFERENT} <= set(v)}
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
                all(v[SAME] < v[DIFFERENT] for v in both.values()),
                ", ".join(f"{k} {v[SAME]:g} < {v[DIFFERENT]:g}" for k, v in both.items()) + ".",
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
