"""A second made-up language into which the first is translated, with gold alignments.

Adjectives follow their nouns and agree with them, verbs of subordinate clauses come last,
determiners agree with the gender of nouns, compounds take a particle, and words have senses.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from betterthan.papers.bootstrap_2012.language import BinaryTree, Grammar, Sentence

PARTICLE = "zu"
SENSES = (0.62, 0.26, 0.12)


class SentencePair(NamedTuple):
    """A sentence and its translation; ``sure`` links are part of the ``possible`` ones."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


Piece = tuple[str, int, bool]
"""A word of the translation, the place of the word it translates, and whether that is sure."""


def translate(sentence: Sentence, generator: np.random.Generator) -> SentencePair:
    """Translate a sentence by its tree; senses are drawn."""
    count = iter(range(len(sentence.words)))
    pieces = list(_translated(sentence.tree, count, generator, False))
    links = [(i, j, sure) for j, (_, i, sure) in enumerate(pieces)]
    return SentencePair(
        sentence.words,
        tuple(word for word, *_ in pieces),
        frozenset((i, j) for i, j, sure in links if sure),
        frozenset((i, j) for i, j, _ in links),
    )


def draw_pairs(grammar: Grammar, count: int, generator: np.random.Generator) -> list[SentencePair]:
    """Draw so many sentences and translate them."""
    return [translate(grammar.sentence(generator), generator) for _ in range(count)]


def _translated(
    tree: BinaryTree, count: Iterator[int], generator: np.random.Generator, last: bool
) -> list[Piece]:
    """Pieces of a part; ``last`` says that its verb comes last."""
    if len(tree) == 2:
        return [(_word(tree[0], tree[1], generator), next(count), True)]
    label, left, right = tree
    last = last or label in ("RC", "SB")
    first = _translated(left, count, generator, last)
    second = _translated(right, count, generator, last)
    if label == "NB":
        noun = _head(right)
        if left[0] == "J" and noun[0] == "NS":
            first = [(f"{word}e", i, sure) for word, i, sure in first]
        if left[0] == "N":
            first = [(PARTICLE, first[0][1], False), *first]
        return second + first
    if label == "NP" and left[0] == "D":
        gender = sum(map(ord, _head(right)[1][:2])) % 2
        first = [(f"{word}{'am'[gender]}", i, sure) for word, i, sure in first]
    if label == "VP" and last and left[0] in ("V", "VZ", "M", "VP"):
        return second + first
    return first + second


def _head(tree: BinaryTree) -> tuple[str, str]:
    """Tag and word of the noun at the end of a nominal."""
    while len(tree) == 3:
        tree = tree[2]
    return tree


def _word(tag: str, word: str, generator: np.random.Generator) -> str:
    stem = word[:-1] if tag in ("NS", "VZ") else word
    senses = _senses(stem, tag in ("V", "VZ"))
    at = 0 if len(senses) == 1 else int(np.searchsorted(np.cumsum(SENSES), generator.random()))
    ending = {"NS": "i", "V": "o", "VZ": "ot"}.get(tag, "")
    return senses[min(at, len(senses) - 1)] + ending


@cache
def _senses(stem: str, verb: bool) -> tuple[str, ...]:
    """Translations of a stem: up to three, and other ones of a verb than of the noun."""
    generator = np.random.default_rng([*map(ord, stem), verb])
    count = 1 if len(stem) < 5 else int(generator.integers(1, 4))
    return tuple(
        "".join(
            "ptkshmlr"[generator.integers(8)] + "aeiou"[generator.integers(5)]
            for _ in range(max(1, len(stem) // 3))
        )
        for _ in range(count)
    )
