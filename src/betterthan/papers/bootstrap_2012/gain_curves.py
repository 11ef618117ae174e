"""Figures 2 to 8: gain against confidence, of natural and of synthetic systems."""

from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.design.gains import GainStudy, thresholds
from betterthan.design.system_groups import SAME, Groups, by_class
from betterthan.papers.bootstrap_2012.studies import (
    F1,
    classifiers,
    curves,
    just_significant,
    lower_threshold,
    median,
    overlay,
    published_test,
    rises,
    similar_t,
    sizes_of,
    smaller,
    trained,
)
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.papers.trained_classifiers import (
    COMBINATION,
    TRAINING,
    Collection,
    competition,
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
