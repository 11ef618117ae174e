"""Translators and aligners on resampled training sets, and a competition in translation."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.design.training import training_sets
from betterthan.metrics import BLEU
from betterthan.papers.bootstrap_2012.aligners import (
    Lexical,
    diagonal,
    link_counts,
    model_1,
    supervised,
)
from betterthan.papers.bootstrap_2012.language import Grammar
from betterthan.papers.bootstrap_2012.systems import (
    Collected,
    entries,
    examples,
    packed_counts,
    sizes_of,
)
from betterthan.papers.bootstrap_2012.translation import SentencePair, draw_pairs
from betterthan.papers.bootstrap_2012.translators import TRANSLATORS, bleu_counts, combined
from betterthan.papers.runner import Runner

ALIGNING_COLUMNS = ("links", "sure", "sure_hits", "possible_hits")
ALIGNED = 100
"""Sentence pairs of the test set of alignment, as in the paper."""


@cache
def parallel(seed: int, count: int, test: bool = False) -> list[SentencePair]:
    """Parallel text: for training, or of a section that has drifted."""
    grammar = Grammar("newswire", drift=31 if test else None)
    return draw_pairs(grammar, count, np.random.default_rng([seed, 5, test]))


def translated(
    seed: np.random.SeedSequence,
    *,
    language: int,
    train: int,
    count: int,
    model: str,
    at: int,
    sizes: Sequence[int],
    copies: Sequence[int],
) -> str:
    """Train a translator on the resampled training set of that number, and score it."""
    text = parallel(language, train)
    drawn = list(training_sets(train, sizes=sizes, copies=copies, rng=language))[at]
    translate = TRANSLATORS[model]([text[k] for k in drawn.places])
    test = parallel(language, count, test=True)
    return packed_counts([bleu_counts(translate(pair.source), pair.target) for pair in test])


@cache
def translators(runner: Runner) -> Collected:
    """Two translators by resampled training sets of three sizes, each four times the next."""
    sizes = sizes_of(runner)
    train = sizes.parallel
    steps, copies = [train, train // 4, train // 16], sizes.parallel_sets
    names = [d.name for d in training_sets(train, sizes=steps, copies=copies)]
    jobs: list[dict[str, Any]] = [
        {
            "language": runner.seed,
            "train": train,
            "count": sizes.translated,
            "model": model,
            "at": at,
            "sizes": steps,
            "copies": copies,
        }
        for at in range(len(names))
        for model in TRANSLATORS
    ]
    found = runner.map("2012 translators", translated, jobs)
    called = [f"{job['model']}/{names[job['at']]}" for job in jobs]
    return Collected.of_models(dict(zip(called, found, strict=True)), BLEU.columns)


TRANSLATOR_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "phrases": ("phrases", {}),
    "words": ("words", {}),
    "short phrases": ("phrases", {"longest": 2}),
    "words, less fluent": ("words", {"trust": 0.4, "choices": 2}),
}


def competing_translator(
    seed: np.random.SeedSequence, language: int, train: int, count: int, entry: dict[str, Any]
) -> list[str]:
    """Train an entry of the competition in translation; return what it puts out."""
    text = parallel(language, train)
    model, options = TRANSLATOR_KINDS[entry["kind"]]
    tension = 3.0 + 20 * entry["smoothing"]
    learn = [text[k] for k in examples(entry, train)]
    translate = TRANSLATORS[model](learn, tension=tension, **options)
    return [" ".join(translate(p.source)) for p in parallel(language, count, test=True)]


COMBINATION = "combination"


@cache
def translation_competition(runner: Runner) -> Collected:
    """Eighteen translators of eleven groups, and thirteen combinations of them."""
    sizes = sizes_of(runner)
    teams = entries(runner.seed + 2, 18, 11, list(TRANSLATOR_KINDS), sizes.parallel)
    base = {"language": runner.seed, "train": sizes.parallel, "count": sizes.translated}
    jobs = [{**base, "entry": entry} for entry in teams]
    found = runner.map("2012 translation competition", competing_translator, jobs)
    test = parallel(runner.seed, sizes.translated, test=True)
    outputs = [[tuple(line.split()) for line in lines] for lines in found]
    made = {entry["name"]: lines for entry, lines in zip(teams, outputs, strict=True)}
    groups = {entry["name"]: entry["group"] for entry in teams}
    generator = np.random.default_rng([runner.seed, 7])
    for number in range(13):
        weights = generator.gamma(2.0, size=len(teams)).tolist()
        name = f"{COMBINATION} {number + 1}"
        made[name] = [combined(list(lines), weights) for lines in zip(*outputs, strict=True)]
        groups[name] = name
    arrays = {
        name: [bleu_counts(words, pair.target) for words, pair in zip(lines, test, strict=True)]
        for name, lines in made.items()
    }
    return Collected(Scores.from_arrays(arrays, columns=BLEU.columns), groups)


GOLD = 337
"""Pairs with gold links that the supervised aligner learns from, as in the paper."""


def align_corpus(
    seed: np.random.SeedSequence, *, language: int, model: str, at: int, train: int, copies: int
) -> str:
    """Train an aligner on the resampled training set of that number, and score its links."""
    gold = parallel(language, GOLD + ALIGNED, test=True)
    supervising = model == "supervised"
    text = gold[:GOLD] if supervising else parallel(language, train)
    size = [len(text)]
    drawn = list(training_sets(len(text), sizes=size, copies=copies, rng=language))[at]
    learn = [text[k] for k in drawn.places]
    if supervising:
        links = supervised(learn, Lexical(parallel(language, train), tension=4.0))
    else:
        links = {"model 1": model_1, "diagonal": diagonal}[model](learn)
    return packed_counts([link_counts(links(pair), pair) for pair in gold[GOLD:]])


ALIGNERS = {"model 1": 1600, "diagonal": 240, "supervised": 100}
"""Sentence pairs that each aligner learns words from: such that their error rates overlap."""


@cache
def aligners(runner: Runner) -> Collected:
    """Three aligners by resampled training sets of one size, on 100 sentence pairs."""
    copies = sizes_of(runner).aligners
    jobs: list[dict[str, Any]] = [
        {"language": runner.seed, "model": model, "at": at, "train": train, "copies": copies}
        for model, train in ALIGNERS.items()
        for at in range(copies)
    ]
    found = runner.map("2012 aligners", align_corpus, jobs)
    called = [f"{job['model']}/{job['at'] + 1}" for job in jobs]
    return Collected.of_models(dict(zip(called, found, strict=True)), ALIGNING_COLUMNS)
