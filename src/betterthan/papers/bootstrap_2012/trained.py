"""Section 3.2.1: what was trained, how good it is, and how alike systems of one model are."""

from itertools import combinations

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.bilingual import aligners, translators
from betterthan.papers.bootstrap_2012.gain_curves import of_section
from betterthan.papers.bootstrap_2012.monolingual import FICTION, parsers
from betterthan.papers.bootstrap_2012.systems import Collected, sizes_of
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.results.sheet import Table


def section_321(runner: Runner) -> Exhibit:
    """List the systems, and check that base models overlap and that their systems are alike."""
    home, abroad = (of_section(parsers(runner), name) for name in ("23", FICTION))
    rows = [
        *_rows("parser, F1, section 23", home, "f1"),
        *_rows("parser, F1, second domain", abroad, "f1"),
        *_rows("translator, BLEU", translators(runner), "bleu"),
        *_rows("aligner, AER", aligners(runner), "aer"),
    ]
    sizes = sizes_of(runner)
    return Exhibit(
        "Section 3.2.1",
        "training set resampling",
        claims=(_overlap(home), _alike(home)),
        remarks=(
            "The corpora and systems of the paper cannot be bundled. Their place is taken by a "
            "made-up language (`betterthan.papers.bootstrap_2012`): sentences of 3 to 16 words "
            "from a grammar with agreement, nouns that double as verbs, plurals that look like "
            "third persons, and phrases that attach to nouns or verbs; a second domain with words "
            "and attachments of its own (fiction, for Brown); sections that drift a little; and a "
            "translation into another order of words, with senses and agreement.",
            "Its learners are real: probabilistic grammars read off the trees (labels that know "
            "their `parent`; tags `split` by word; a `pipeline` of a perceptron tagger and a "
            "grammar), taggers, IBM Model 1 and its kin, and translation by `phrases` or by "
            f"`words`. Parsers are trained on {sizes.train:,}, {sizes.train // 2:,} and "
            f"{sizes.train // 4:,} sentences drawn with replacement (38K, 19K and 9K in the "
            f"paper), translators on {sizes.parallel:,}, a quarter and a sixteenth of that.",
        ),
        tables=(
            Table.of(
                ("systems", "model", "trained on", "systems made", "mean", "lowest", "highest"),
                rows,
                left=("systems", "model"),
                caption="Scores in points.",
            ),
        ),
    )


def _scores(scores: Scores, metric: str) -> dict[str, float]:
    joint = scores.joint(metric=scores.measured(metric))
    return {name: 100 * joint.score(at) for at, name in enumerate(joint.systems)}


def _rows(what: str, collected: Collected, metric: str) -> list[tuple[str, ...]]:
    by_kind: dict[tuple[str, str], list[float]] = {}
    for name, score in _scores(collected.scores, metric).items():
        model, *size = name.split("/")
        kind = model, f"{int(size[0]):,}" if len(size) > 1 else "–"
        by_kind.setdefault(kind, []).append(score)
    return [
        (what, *kind, str(len(x)), f"{np.mean(x):.1f}", f"{min(x):.1f}", f"{max(x):.1f}")
        for kind, x in by_kind.items()
    ]


def _overlap(collected: Collected) -> Claim:
    by_model: dict[str, list[float]] = {}
    for name, score in _scores(collected.scores, "f1").items():
        by_model.setdefault(collected.groups[name], []).append(score)
    apart = [
        (a, b)
        for a, b in combinations(by_model, 2)
        if max(by_model[a]) < min(by_model[b]) or max(by_model[b]) < min(by_model[a])
    ]
    ranges = ", ".join(f"{k} {min(x):.1f} to {max(x):.1f}" for k, x in by_model.items())
    return Claim(
        "The score ranges of all the base models overlap.", not apart, f"F1 of parsers: {ranges}."
    )


def _alike(collected: Collected) -> Claim:
    """Correlate the brackets that systems miss, sentence by sentence."""
    scores = collected.scores
    columns = [scores.columns.index(name) for name in ("gold", "tp")]
    gold, right = (scores.values[:, :, at] for at in columns)
    correlation: Floats = np.asarray(np.corrcoef((gold - right).T))
    models = np.array([collected.groups[name] for name in scores.systems])
    first, second = np.triu_indices(models.size, 1)
    same = models[first] == models[second]
    within, across = (float(correlation[first, second][at].mean()) for at in (same, ~same))
    return Claim(
        "Systems originating from the same base model are highly correlated.",
        within > across,
        f"Brackets missed, sentence by sentence: mean correlation {within:.2f} within a base "
        f"model, {across:.2f} between different ones.",
    )
