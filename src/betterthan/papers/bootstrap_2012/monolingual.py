"""Parsers on resampled training sets, and competitions in parsing and tagging."""

from functools import cache
from typing import Any

import numpy as np

from betterthan.design.training import training_sets
from betterthan.papers.bootstrap_2012.language import (
    BinaryTree,
    Grammar,
    Sentence,
    brackets_of,
    draw_sentences,
    heads_of,
)
from betterthan.papers.bootstrap_2012.parsers import PARSERS, generative
from betterthan.papers.bootstrap_2012.systems import (
    Collected,
    entries,
    examples,
    packed_counts,
    sizes_of,
    unpacked_counts,
)
from betterthan.papers.bootstrap_2012.taggers import TAGGERS, available
from betterthan.papers.runner import Runner

PARSING_COLUMNS = ("tp", "pred", "gold", "head_correct", "words")
FICTION = "fiction"
SECTIONS = ("22", "23", "24", FICTION)


@cache
def treebank(seed: int, train: int) -> list[Sentence]:
    """Training sentences of the first domain."""
    return draw_sentences(Grammar("newswire"), train, np.random.default_rng([seed, 1]))


@cache
def section(seed: int, name: str, count: int) -> list[Sentence]:
    """First sentences of a test section, or of the other domain."""
    grammar = Grammar(FICTION) if name == FICTION else Grammar("newswire", drift=int(name))
    return draw_sentences(grammar, count, np.random.default_rng([seed, 2, SECTIONS.index(name)]))


def parsed(
    seed: np.random.SeedSequence, *, language: int, train: int, model: str, at: int, **size: Any
) -> str:
    """Train a parser on the resampled training set of that number, and score its trees."""
    bank = treebank(language, train)
    drawn = list(training_sets(train, copies=size["copies"], rng=language))[at]
    parser = PARSERS[model]([bank[k] for k in drawn.places])
    sentences = [s for name in SECTIONS for s in section(language, name, size["counts"][name])]
    trees = parser([s.words for s in sentences])
    return packed_counts([tree_counts(tree, s) for tree, s in zip(trees, sentences, strict=True)])


def tree_counts(tree: BinaryTree | None, sentence: Sentence) -> tuple[int, ...]:
    """Brackets right, guessed and true; words with the right head, and all words."""
    gold, heads = set(brackets_of(sentence.tree)), heads_of(sentence.tree)
    found = set() if tree is None else set(brackets_of(tree))
    guessed = range(-1, len(heads) - 1) if tree is None else heads_of(tree)
    right = sum(a == b for a, b in zip(heads, guessed, strict=True))
    return len(gold & found), len(found), len(gold), right, len(heads)


@cache
def parsers(runner: Runner) -> Collected:
    """Base models by resampled training sets, on three sections and another domain."""
    sizes = sizes_of(runner)
    counts = dict.fromkeys(SECTIONS[:3], sizes.section) | {FICTION: sizes.fiction}
    names = [drawn.name for drawn in training_sets(sizes.train, copies=sizes.sets)]
    jobs: list[dict[str, Any]] = [
        {
            "language": runner.seed,
            "train": sizes.train,
            "model": model,
            "at": at,
            "copies": sizes.sets,
            "counts": counts,
        }
        for at in range(len(names))
        for model in PARSERS
    ]
    found = runner.map("2012 parsers", parsed, jobs)
    called = [f"{job['model']}/{names[job['at']]}" for job in jobs]
    packed = dict(zip(called, found, strict=True))
    labels = [name for name, count in counts.items() for _ in range(count)]
    return Collected.of_models(packed, PARSING_COLUMNS, groups={"section": labels})


PARSER_KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "parent": {"parent": True},
    "split": {"split": True},
    "both": {"parent": True, "split": True},
}


def competing_parser(
    seed: np.random.SeedSequence, language: int, train: int, count: int, entry: dict[str, Any]
) -> str:
    """Train an entry of the competition in parsing."""
    bank = treebank(language, train)
    options = {k: entry[k] for k in ("smoothing", "ending")}
    learn = generative(
        [bank[k] for k in examples(entry, train)], **PARSER_KINDS[entry["kind"]], **options
    )
    sentences = section(language, "23", count)
    trees = learn([s.words for s in sentences])
    return packed_counts([tree_counts(tree, s) for tree, s in zip(trees, sentences, strict=True)])


@cache
def parsing_competition(runner: Runner) -> Collected:
    """Twenty-one parsers of sixteen groups."""
    sizes = sizes_of(runner)
    teams = entries(runner.seed + 1, 21, 16, list(PARSER_KINDS), sizes.train)
    jobs: list[dict[str, Any]] = [
        {"language": runner.seed, "train": sizes.train, "count": sizes.competing, "entry": entry}
        for entry in teams
    ]
    found = runner.map("2012 parsing competition", competing_parser, jobs)
    counts = [unpacked_counts(text, len(PARSING_COLUMNS)) for text in found]
    return Collected.of_teams(teams, counts, columns=PARSING_COLUMNS)


DOCUMENTS, SENTENCES = 48, 20


@cache
def documents(seed: int) -> list[list[Sentence]]:
    """Documents of the tagging competition; each has drifted on its own."""
    generator = np.random.default_rng([seed, 4])
    return [
        draw_sentences(Grammar("newswire", drift=100 + at), SENTENCES, generator)
        for at in range(DOCUMENTS)
    ]


def competing_tagger(
    seed: np.random.SeedSequence, language: int, train: int, entry: dict[str, Any]
) -> str:
    """Train an entry of the competition in tagging."""
    bank = treebank(language, train)
    name, ending = entry["kind"], entry["ending"]
    further = {
        "most frequent": {"smoothing": entry["smoothing"]},
        "hidden Markov": {"smoothing": entry["smoothing"]},
        "perceptron": {"rounds": 2 + entry["number"]},
        "logistic": {"strength": 10 * entry["smoothing"]},
    }[name]
    tag = TAGGERS[name]([bank[k] for k in examples(entry, train)], ending=ending, **further)
    rows = [
        (sum(a == b for a, b in zip(tag(s.words), s.tags, strict=True)), len(s.words))
        for document in documents(language)
        for s in document
    ]
    return packed_counts(rows)


@cache
def tagging_competition(runner: Runner) -> Collected:
    """Fifty-eight taggers of twenty-four groups on 48 documents."""
    kinds = [name for name in TAGGERS if available(name)]
    train = sizes_of(runner).train
    teams = entries(runner.seed, 58, 24, kinds, train)
    jobs = [{"language": runner.seed, "train": train, "entry": entry} for entry in teams]
    found = runner.map("2012 tagging competition", competing_tagger, jobs)
    counts = [unpacked_counts(text, 2) for text in found]
    clusters = np.repeat(np.arange(DOCUMENTS), SENTENCES).tolist()
    return Collected.of_teams(teams, counts, columns=("correct", "total"), clusters=clusters)
