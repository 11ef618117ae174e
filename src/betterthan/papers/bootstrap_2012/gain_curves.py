"""Figures 2 to 8: gain against confidence, natural and synthetic systems."""

from dataclasses import replace

import numpy as np
from scipy.stats import norm, spearmanr

from betterthan.design.gains import GainStudy, thresholds
from betterthan.design.system_groups import DIFFERENT, SAME, Groups, by_class
from betterthan.design.thresholds_by import SizeStudy
from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.bilingual import (
    COMBINATION,
    aligners,
    translation_competition,
    translators,
)
from betterthan.papers.bootstrap_2012.monolingual import (
    parsers,
    parsing_competition,
    tagging_competition,
)
from betterthan.papers.bootstrap_2012.summarisers import METRIC, summarisation_competition
from betterthan.papers.bootstrap_2012.systems import Collected, sizes_of
from betterthan.papers.bootstrap_2012.taggers import available
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.results.sheet import Table

AT_FIVE_PERCENT = float(norm.isf(0.05))
USABLE = (0.0005, 0.4)
"""P-values from which the gain that would have been significant can be told."""


def published_study(
    runner: Runner, collected: Collected, metric: str, label: str = "", groups: Groups | None = None
) -> GainStudy:
    """Test all pairs as published: the shift bootstrap, one set of resamples for all."""
    return thresholds(
        collected.scores,
        metric=metric,
        groups=collected.groups if groups is None else groups,
        test="bootstrap(method=sample)",
        resamples=sizes_of(runner).resamples,
        label=label,
        rng=runner.seed,
    )


def needed(found: GainStudy, *groups: str) -> Floats:
    """Gain, in points, that would have been just significant, of every pair that tells it.

    A gain with p-value p lies ``z(p)`` standard errors above zero; the just significant one lies
    1.645 of them.
    """
    low, high = USABLE
    pairs = [g for g in found.gains if low < g.pvalue < high and (not groups or g.group in groups)]
    z = norm.isf([g.pvalue for g in pairs])
    return np.asarray(100 * AT_FIVE_PERCENT * np.array([g.gain for g in pairs]) / z)


def middle(values: Floats) -> float:
    """Return the median."""
    return float(np.median(values))


def rises(found: GainStudy) -> Claim:
    """Check that larger gains have higher confidences."""
    told = [(g.gain, g.confidence) for g in found.gains if g.pvalue > USABLE[0]]
    rank = float(spearmanr(*zip(*told, strict=True)).statistic)
    return Claim(
        "Larger gains correspond to higher confidences.",
        rank > 0.7,
        f"Rank correlation {rank:.2f} over the {len(told):,} pairs with p above {USABLE[0]:g}.",
    )


def alike_sooner(found: GainStudy, text: str, alike: str = SAME, others: str = DIFFERENT) -> Claim:
    """Check that similar systems need smaller gains."""
    first, second = middle(needed(found, alike)), middle(needed(found, others))
    rule = [f"{_threshold(found, name)} ({name})" for name in (alike, others)]
    return Claim(
        text,
        first < second,
        f"Median gain that would be just significant, over all pairs that tell it: {first:.2f} "
        f"points ({alike}) against {second:.2f} ({others}). By the paper's rule, the 95th "
        f"percentile of the few pairs in the band: {' against '.join(rule)}.",
    )


def by_the_rule(found: GainStudy) -> tuple[str, ...]:
    """Say so where the paper's own rule does not give the lower threshold to similar systems."""
    same, different = found.threshold(SAME), found.threshold(DIFFERENT)
    if same.value is None or different.value is None or same.value < different.value:
        return ()
    return (
        "By the paper's rule the threshold of the same model is not the lower one here: the band "
        f"holds {same.in_band} and {different.in_band} pairs, and pairs of one model that were "
        "trained on much different sizes are not alike.",
    )


def _threshold(found: GainStudy, group: str) -> str:
    t = found.threshold(group)
    return "none" if t.value is None else f"{100 * t.value:.2f}"


def ours(*studies: GainStudy) -> Table:
    """Table of the thresholds found here."""
    rows = []
    for found in studies:
        for t in found.thresholds:
            name = " · ".join(filter(None, (found.label, t.group)))
            value = "–" if t.value is None else f"{100 * t.value:.2f}"
            ends = (
                "–" if t.low is None or t.high is None else f"{100 * t.low:.2f}–{100 * t.high:.2f}"
            )
            within = needed(found) if t.group not in _groups(found) else needed(found, t.group)
            typical = f"{middle(within):.2f}" if within.size else "–"
            rows.append((name, f"{t.pairs:,}", str(t.in_band), value, ends, typical))
    return Table.of(
        ("in this language", "pairs", "in the band", "threshold", "95 %", "median needed"),
        rows,
        left=("in this language",),
        caption=f"Thresholds of {studies[0].metric} in points, on {studies[0].n:,} items.",
    )


def _groups(found: GainStudy) -> set[str]:
    return {g.group for g in found.gains}


def not_here(name: str, published: str, why: str) -> Cell:
    """Return a published number that has none beside it."""
    return Cell(name, published, None, reason=why)


def thresholds_not_here(metric: str, same: str, different: str, why: str) -> tuple[Cell, Cell]:
    """Return the published thresholds of like and of unlike systems, on data that are not here."""
    return (
        not_here(f"threshold, same model, {metric}", same, why),
        not_here(f"threshold, different models, {metric}", different, why),
    )


def study_picture(caption: str, found: GainStudy | SizeStudy, title: str) -> Picture:
    """Return the picture of a study."""
    return Picture(caption, (Panel(found, "gains", title),))


SIMILAR = "Systems of one group achieve higher confidences at lower metric gains."


def of_section(collected: Collected, name: str, first: int | None = None) -> Collected:
    """Keep a section, or the first sentences of it."""
    places = np.flatnonzero(collected.scores.labels("section") == name)[:first]
    return replace(collected, scores=collected.scores.only(places))


def figure_2(runner: Runner) -> Exhibit:
    """Natural systems, few large test items."""
    found = published_study(runner, summarisation_competition(runner), METRIC)
    tagging = published_study(runner, tagging_competition(runner), "token-accuracy", "taggers")
    without = "" if available("logistic") else " (scikit-learn is not installed: no logistic ones)"
    why = "the TAC 2008 systems' summaries are given to participants only"
    return Exhibit(
        "Figure 2",
        "natural comparisons in summarisation",
        (not_here("threshold, ROUGE", "1.10", why), not_here("pairs in the band", "47", why)),
        (
            rises(found),
            alike_sooner(found, SIMILAR),
            replace(
                rises(tagging), text="(Ours) So they do in tagging, where documents are drawn."
            ),
            alike_sooner(tagging, f"(Ours, tagging) {SIMILAR}"),
        ),
        (
            Picture(
                "58 summarisers of 24 teams on 48 collections, and as many taggers on 48 "
                "documents.",
                (
                    Panel(found, "gains", "Summarisation, 58 systems"),
                    Panel(tagging, "gains", "Tagging, 58 systems"),
                ),
            ),
        ),
        (
            "In the place of 58 summarisers on 48 document collections: 58 summarisers of 24 teams "
            "on 48 collections of news in the made-up language, by ROUGE-2 (recall) with one "
            "summary each; they choose sentences by frequent words, pairs of words not yet told, "
            "likeness or place, of the documents that a team reads. Beside them 58 taggers of 24 "
            f"teams{without} on 48 documents, which are drawn whole.",
        ),
        (ours(found), ours(tagging)),
    )


def figure_3(runner: Runner) -> Exhibit:
    """Natural systems, dependencies."""
    found = published_study(runner, parsing_competition(runner), "uas")
    return Exhibit(
        "Figure 3",
        "natural comparisons in dependency parsing",
        claims=(rises(found), alike_sooner(found, SIMILAR)),
        pictures=(study_picture("21 parsers of 16 teams.", found, "Dependencies, 21 systems"),),
        remarks=(
            "In the place of the 21 systems of CoNLL 2007 on 690 Chinese sentences: 21 parsers of "
            f"16 teams on {found.n} sentences; dependencies are read off their trees. The paper "
            "prints no numbers.",
        ),
        tables=(ours(found),),
    )


def _with_combinations(collected: Collected) -> Groups:
    special = {n: COMBINATION for n in collected.scores.systems if n.startswith(COMBINATION)}
    return by_class(collected.groups, special)


def figure_4(runner: Runner) -> Exhibit:
    """Natural systems and combinations of them: three classes."""
    collected = translation_competition(runner)
    found = published_study(runner, collected, "bleu", groups=_with_combinations(collected))
    return Exhibit(
        "Figure 4",
        "natural comparisons in translation, three classes",
        claims=(
            rises(found),
            alike_sooner(found, SIMILAR),
            alike_sooner(
                found,
                "Comparisons between system combinations form a curve of their own, at lower "
                "gains.",
                COMBINATION,
            ),
        ),
        pictures=(
            study_picture(
                "18 translators of 11 teams and 13 combinations of them.",
                found,
                "Translation, 31 systems",
            ),
        ),
        remarks=(
            f"31 systems on {found.n:,} sentences, as at WMT 2010 on 2,034. Pairs of a combination "
            "and another system are left out, as in the paper, which prints no numbers.",
        ),
        tables=(ours(found),),
    )


def overlay(natural: GainStudy, synthetic: GainStudy) -> Claim:
    """Check that natural and synthetic systems of different origin have about the same curve."""
    ratio = middle(needed(natural, DIFFERENT)) / middle(needed(synthetic, DIFFERENT))
    return Claim(
        "The synthetic approach reasonably models natural comparisons.",
        0.6 < ratio < 1.67,
        f"The gain that is just significant is {ratio:.2f} times as large between natural systems "
        "of different teams as between synthetic ones of different models (medians).",
    )


DISTINCT = "Comparisons of the same model type achieve significance at smaller gains."


def figure_5(runner: Runner) -> Exhibit:
    """Synthetic systems over natural ones, dependencies."""
    collected = parsers(runner)
    part = of_section(collected, "23", sizes_of(runner).competing)
    found = published_study(runner, part, "uas", "resampled")
    natural = published_study(runner, parsing_competition(runner), "uas", "teams")
    why = "the CoNLL 2007 Chinese treebank is licensed"
    cells = thresholds_not_here("UAS", "1.20", "1.51", why)
    return _over_natural("Figure 5", cells, found, natural, _made(collected, "parsers"))


def figure_6(runner: Runner) -> Exhibit:
    """Synthetic systems over natural ones, translation."""
    found = published_study(runner, translators(runner), "bleu", "resampled")
    teams = translation_competition(runner)
    natural = published_study(runner, teams, "bleu", "teams", _with_combinations(teams))
    why = "the outputs of WMT 2010 are not bundled, and its training data are large"
    cells = thresholds_not_here("BLEU", "0.28", "0.37", why)
    remark = _made(translators(runner), "translators")
    return _over_natural("Figure 6", cells, found, natural, remark)


OVERLAID = {
    "Figure 5": ("dependency parsing", "Parsers", "Figure 3", "Dependencies"),
    "Figure 6": ("translation", "Translators", "Figure 4", "Translation"),
}
"""The task, its systems, where the natural ones stand alone, and what the picture is called."""


def _over_natural(
    name: str, cells: tuple[Cell, ...], found: GainStudy, natural: GainStudy, remark: str
) -> Exhibit:
    """Synthetic systems, and natural ones on the same task."""
    task, systems, alone, title = OVERLAID[name]
    caption = f"{systems} on resampled training sets, and those of {alone}."
    both = SizeStudy(studies=(found, natural))
    return Exhibit(
        name,
        f"synthetic and natural comparisons in {task}",
        cells,
        _claims(found, overlay(natural, found)),
        (study_picture(caption, both, f"{title}: resampled, and teams"),),
        (remark, *by_the_rule(found)),
        (ours(found, natural),),
    )


def _claims(found: GainStudy, further: Claim) -> tuple[Claim, ...]:
    return rises(found), alike_sooner(found, DISTINCT), further


def figure_7(runner: Runner) -> Exhibit:
    """Synthetic systems, word alignment on 100 sentence pairs."""
    collected = aligners(runner)
    found = published_study(runner, collected, "aer")
    kind = collected.groups

    def curve(first: str, second: str) -> str:
        both = {kind[first], kind[second]}
        return SAME if len(both) == 1 else "related" if "model 1" not in both else "unrelated"

    split = published_study(runner, collected, "aer", groups=curve)
    why = "the Hansard alignments are not bundled"
    return Exhibit(
        "Figure 7",
        "synthetic comparisons in word alignment",
        thresholds_not_here("AER", "0.50", "1.12", why),
        _claims(
            found,
            alike_sooner(
                split,
                "Different models form two curves; the upper one is of those models of which one "
                "uses the posteriors of the other.",
                "related",
                "unrelated",
            ),
        ),
        (study_picture("Three aligners on 100 sentence pairs.", split, "Word alignment"),),
        (
            f"{_made(collected, 'aligners')} The supervised one (for the ITG aligner) has the "
            "posteriors of the diagonal one (for the joint HMM aligner) among its features: these "
            "two are 'related'. They learn words from 1,600 (model 1), 240 (diagonal) and 100 "
            "(supervised) sentence pairs, so that their error rates overlap.",
        ),
        (ours(found, split),),
    )


def figure_8(runner: Runner) -> Exhibit:
    """Synthetic systems, constituents."""
    collected = parsers(runner)
    found = published_study(runner, of_section(collected, "23"), "f1")
    same, different = found.threshold(SAME).value, found.threshold(DIFFERENT).value
    why = "the WSJ corpus is licensed"
    return Exhibit(
        "Figure 8",
        "synthetic comparisons in constituency parsing",
        thresholds_not_here("F1", "0.47", "0.57", why),
        _claims(
            found,
            Claim(
                "The threshold is lower for systems of the same model type.",
                same is not None and different is not None and same < different,
                "No pair was just significant."
                if same is None or different is None
                else f"{100 * same:.2f} against {100 * different:.2f} points.",
            ),
        ),
        (study_picture("Parsers on resampled training sets.", found, "Constituents, section 23"),),
        (_made(collected, "parsers"),),
        (ours(found),),
    )


def _made(collected: Collected, what: str) -> str:
    models = list(dict.fromkeys(collected.groups.values()))
    return (
        f"{len(collected.groups)} {what}: {', '.join(models)}, each on "
        f"{len(collected.groups) // len(models)} training sets drawn anew."
    )
