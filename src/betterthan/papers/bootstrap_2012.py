"""An Empirical Investigation of Statistical Significance in NLP: all its figures and its table.

The corpora and systems of the paper cannot be bundled. What it claims is checked on classifiers of
scikit-learn's digits, trained on resampled training sets, and on simulated labs
(:mod:`betterthan.papers.trained_classifiers`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.stats import norm, spearmanr

from betterthan.data.scores import Scores
from betterthan.design.calibrations import Bin, calibration
from betterthan.design.gains import GainStudy, thresholds
from betterthan.design.published import PUBLISHED_THRESHOLDS
from betterthan.design.system_groups import DIFFERENT, SAME, Groups, by_class
from betterthan.design.thresholds_by import SizeStudy, thresholds_by_domain, thresholds_by_size
from betterthan.numeric import Floats
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Cell, Claim, printed_rows
from betterthan.papers.runner import Runner
from betterthan.papers.trained_classifiers import (
    COMBINATION,
    OTHER,
    TRAINING,
    Collection,
    competition,
    resampled_classifiers,
)
from betterthan.results.sheet import Table
from betterthan.testing.values import Bootstrap

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

    The file beside this module lists them; its reason says why there is none, or why it differs.
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


# -- exhibits -------------------------------------------------------------------------------------


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


SIMILAR = "Systems of one group achieve higher confidences at lower metric gains."
DISTINCT = "Comparisons of the same model type achieve significance at smaller gains."


def with_t(data: Scores, groups: Groups, **options: Any) -> tuple[GainStudy, GainStudy]:
    """Study all pairs by the bootstrap as published, and by the t test."""
    study = thresholds(data, groups=groups, **options)
    return study, thresholds(data, groups=groups, **{**options, "test": "t"})


def figure_2(runner: Runner) -> Exhibit:
    """Natural systems, few large test items."""
    lengths = np.random.default_rng([runner.seed, 48]).integers(15, 36, 48)
    documents = np.repeat(range(48), lengths).astype(str).tolist()
    collection, options = competition(58, 24, documents, runner.seed), published_test(runner)
    study, by_t = with_t(collection.shares(), collection.groups, **options)
    whole = thresholds(
        collection.documents(), groups=collection.groups, label="drawn whole", **options
    )
    value = study.threshold().value
    beyond = [g.pvalue < 0.05 for g in study.gains if value is not None and g.gain >= value]
    return curves(
        "Figure 2",
        "natural comparisons in summarisation",
        f"{collection.source} on 48 documents, by the mean share of right answers, in the place "
        "of 48 document collections of TAC 2008; and by all answers, documents drawn whole.",
        (
            rises(study),
            smaller(study, SIMILAR),
            rises(whole, "(Ours) So they do where documents of 0/1 scores are drawn whole."),
            smaller(whole, f"(Ours, documents) {SIMILAR}"),
            Claim(
                "A test would probably be significant where the gain is the threshold or more.",
                bool(beyond) and float(np.mean(beyond)) > 0.9,
                f"{sum(beyond)} of {len(beyond)} pairs with such a gain have p < .05.",
            ),
            similar_t(study, by_t),
        ),
        study,
        whole,
        by_t=by_t,
    )


def dependencies(runner: Runner) -> Collection:
    """Simulate the competition of Figure 3."""
    return competition(21, 16, [""] * 690, runner.seed)


def figure_3(runner: Runner) -> Exhibit:
    """Natural systems, accuracy."""
    collection = dependencies(runner)
    study, by_t = with_t(collection.accuracy(), collection.groups, **published_test(runner))
    return curves(
        "Figure 3",
        "natural comparisons in dependency parsing",
        f"{collection.source} on 690 items, as many as CoNLL 2007 has Chinese sentences. The "
        "paper prints no numbers.",
        (rises(study), smaller(study, SIMILAR), similar_t(study, by_t)),
        study,
        by_t=by_t,
    )


def translation(runner: Runner) -> tuple[Collection, Groups]:
    """Simulate the competition of Figure 4, and group its pairs into three classes."""
    collection = competition(18, 11, [""] * sizes_of(runner).segments, runner.seed, combinations=13)
    special = {name: group for name, group in collection.groups.items() if group == COMBINATION}
    return collection, by_class(collection.groups, special)


def figure_4(runner: Runner) -> Exhibit:
    """Natural systems and combinations of them: three classes."""
    collection, groups = translation(runner)
    study = thresholds(collection.f1(), metric=F1, groups=groups, **published_test(runner))
    text = "Comparisons between system combinations form a curve of their own, at lower gains."
    return curves(
        "Figure 4",
        "natural comparisons in translation, three classes",
        f"{collection.source}, on {study.n:,} items as at WMT 2010. Pairs of a combination and "
        "another system are left out, as in the paper, which prints no numbers.",
        (rises(study), smaller(study, SIMILAR), smaller(study, text, COMBINATION)),
        study,
    )


def synthetic(study: GainStudy, *claims: Claim) -> list[Claim]:
    """Check what holds of all systems on resampled training sets, and further claims."""
    return [rises(study), smaller(study, DISTINCT), lower_threshold(study), *claims]


def figure_5(runner: Runner) -> Exhibit:
    """Synthetic systems over natural ones, accuracy."""
    collection, labs = classifiers(runner).items(first=690), dependencies(runner)
    options = published_test(runner)
    study, by_t = with_t(collection.accuracy(), collection.groups, label="resampled", **options)
    natural = thresholds(labs.accuracy(), groups=labs.groups, label="labs", **options)
    return curves(
        "Figure 5",
        "synthetic and natural comparisons in dependency parsing",
        f"{collection.source}, by accuracy; and the simulated labs of Figure 3.",
        synthetic(study, overlay(natural, study), similar_t(study, by_t)),
        study,
        natural,
        by_t=by_t,
    )


def figure_6(runner: Runner) -> Exhibit:
    """Synthetic systems of two models over natural ones, a metric that is not a mean."""
    collection = classifiers(runner).of_groups("logistic", "naive Bayes").items(first=900)
    labs, groups = translation(runner)
    options = published_test(runner) | {"metric": F1}
    study = thresholds(collection.f1(), groups=collection.groups, label="resampled", **options)
    natural = thresholds(labs.items(first=900).f1(), groups=groups, label="labs", **options)
    return curves(
        "Figure 6",
        "synthetic and natural comparisons in translation",
        f"Two of three models of {collection.source}, by macro-F1; and the simulated labs of "
        "Figure 4.",
        synthetic(study, overlay(natural, study)),
        study,
        natural,
    )


def figure_7(runner: Runner) -> Exhibit:
    """Synthetic systems, an error rate on 100 items, two of three models related."""
    models = ("naive Bayes", "neighbours", "stacked")
    collection = trained(models, (TRAINING // 3,), sizes_of(runner).related, 0, runner.seed)
    collection, larger = collection.items(first=100), classifiers(runner).items(first=690)
    model, options = collection.groups, published_test(runner)

    def curve(first: str, second: str) -> str:
        both = {model[first], model[second]}
        return SAME if len(both) == 1 else "unrelated" if "neighbours" in both else "related"

    data = collection.alignment_error()
    study = thresholds(data, metric="aer", groups=model, **options)
    split = thresholds(data, metric="aer", groups=curve, **options)
    needed = [just_significant(x) for x in (study, thresholds(larger.accuracy(), **options))]
    spread = [np.subtract(*np.percentile(x, [75, 25])) / median(x) for x in needed]
    text = (
        "Different models form two curves; the upper one is of those models of which one uses "
        "the posteriors of the other."
    )
    wider = Claim(
        "The spread of this plot is larger than that of previous ones.",
        bool(spread[0] > spread[1]),
        "Range of the middle half of gains that are just significant, as a share of their "
        f"median: {spread[0]:.2f} here, {spread[1]:.2f} in Figure 5.",
    )
    return curves(
        "Figure 7",
        "synthetic comparisons in word alignment",
        f"{collection.source}, by the alignment error rate where odd digits are links, on 100 "
        "items; stacked and naive Bayes are related.",
        synthetic(study, smaller(split, text, "related", "unrelated"), wider),
        split,
    )


def figure_8(runner: Runner) -> Exhibit:
    """Synthetic systems, macro-F1 on one section."""
    collection = classifiers(runner).items("23")
    options = published_test(runner) | {"metric": F1, "groups": collection.groups}
    study = thresholds(collection.f1(), **options)
    return curves(
        "Figure 8",
        "synthetic comparisons in constituency parsing",
        f"{collection.source}, by macro-F1 on {study.n} items of section 23.",
        synthetic(study),
        study,
    )


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


EXHIBITS: dict[str, Callable[[Runner], Exhibit]] = {
    "Section 3.2.1": section_321,
    "Figure 1": figure_1,
    "Figure 2": figure_2,
    "Figure 3": figure_3,
    "Figure 4": figure_4,
    "Figure 5": figure_5,
    "Figure 6": figure_6,
    "Figure 7": figure_7,
    "Figure 8": figure_8,
    "Figure 9": figure_9,
    "Figure 10": figure_10,
    "Figure 11": figure_11,
    "Section 4.2": section_42,
    "Table 1": table_1,
    "Thresholds": listed_thresholds,
}
UNAVAILABLE = {
    "the summaries of TAC 2008 (Figure 2)": "for participants, from NIST. With a file of ROUGE "
    "scores, a column per system: `betterthan study gains rouge.csv --groups labs.csv`",
    "the CoNLL 2007 systems (Figures 3 and 5)": "the treebank is licensed. With outputs: "
    "`betterthan study gains --metric uas --ref gold.conllu outputs/*.conllu --groups labs.csv`",
    "the WMT 2010 systems (Figures 4, 6 and 9)": "not bundled, from statmt.org. With outputs: "
    "`betterthan study gains --metric bleu --ref ref.txt outputs/*.txt --groups labs.csv` (system "
    "combinations have a class in a third column), `--sizes 254,508,1017,2034` for Figure 9",
    "the Hansard alignments (Figure 7)": "from the 2003 workshop on parallel texts. With links: "
    "`betterthan study gains --metric aer --ref gold.naacl outputs/*.naacl --groups models.csv`",
    "the WSJ and Brown corpora (Figures 8, 10, 11, section 4.2, Table 1)": "licensed (LDC99T42). "
    "`betterthan study training train.mrg --sizes 38000,19000,9000 --copies 10 -o sets` writes the "
    "training sets; with the trees of your parsers: `betterthan study gains --metric f1 --ref "
    "23.mrg outputs/*.mrg --groups models.csv`, `betterthan study calibration --metric f1 --ref "
    "brown.mrg outputs/*.mrg --sizes 1600`, and for Table 1 scores of all sections in one table: "
    "`betterthan study calibration scores.csv --by section=23`",
}
