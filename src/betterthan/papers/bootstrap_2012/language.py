"""A language that is made up but not simple: trees, agreement, ambiguity, domains and sections.

Sentences are drawn from a grammar whose symbols carry what the treebank does not show (number, the
class of a verb, which preposition modifies what), so that learners have something to find out and
something to get wrong. Nouns double as verbs, plurals look like third persons, prepositions like
adverbs, and phrases attach to nouns or verbs. A domain has its own words and habits; a section of
it drifts a little.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from betterthan.numeric import Floats

Words = tuple[str, ...]
BinaryTree = tuple[str, str] | tuple[str, "BinaryTree", "BinaryTree"]
"""A tag and its word, or a label and two parts."""

LONGEST, SHORTEST = 16, 3
DEEPER = 0.62
"""By how much rarer a recursion is, a level further down."""

HABITS = {
    "newswire": {
        "pronoun": 0.10,
        "name": 0.30,
        "bare plural": 0.16,
        "plural": 0.35,
        "adjective": 0.30,
        "compound": 0.20,
        "noun phrase + PP": 0.55,
        "relative clause": 0.07,
        "coordinated nouns": 0.10,
        "modal": 0.16,
        "verb phrase + PP": 0.55,
        "adverb": 0.12,
        "fronted": 0.10,
        "coordinated clauses": 0.06,
        "transitive": 0.50,
        "prepositional": 0.18,
        "clausal": 0.14,
    },
    "fiction": {
        "pronoun": 0.34,
        "name": 0.30,
        "bare plural": 0.10,
        "plural": 0.25,
        "adjective": 0.24,
        "compound": 0.06,
        "noun phrase + PP": 0.55,
        "relative clause": 0.12,
        "coordinated nouns": 0.08,
        "modal": 0.14,
        "verb phrase + PP": 0.55,
        "adverb": 0.24,
        "fronted": 0.16,
        "coordinated clauses": 0.16,
        "transitive": 0.42,
        "prepositional": 0.20,
        "clausal": 0.12,
    },
}
STEMS = {"noun": 420, "verb": 260, "adjective": 160, "name": 120, "adverb": 40}
OWN = 0.85
"""How far a domain's words and their habits are its own."""

SHARED = 0.45
"""Verbs that are nouns as well."""

PREPOSITIONS = 14
CLOSED = {
    "D": ("da", "u", "thi", "some", "no"),
    "PRP": ("i", "yo", "she", "it", "we", "they"),
    "M": ("wil", "can", "mus", "shuld"),
    "C": ("tha", "wethr"),
    "W": ("who", "tha"),
    "CC": ("en", "or", "bu"),
}
HEADS = {
    "S": ("VP", "V", "VZ", "S"),
    "NP": ("NP", "NB", "NS", "N", "NNP", "PRP"),
    "NB": ("NB", "NS", "N"),
    "VP": ("VP", "V", "VZ", "M"),
    "PP": ("P",),
    "SB": ("C",),
    "RC": ("W",),
    "CO": ("CC",),
}
"""Which part of a constituent is its head, in order of preference."""


class Sentence(NamedTuple):
    """Words with their tags and tree."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    tree: BinaryTree


@dataclass(frozen=True, slots=True)
class WordDraw:
    """Words of one class with their cumulated weights."""

    words: tuple[str, ...]
    reach: tuple[float, ...]

    @classmethod
    def of(cls, words: Sequence[str], weights: Floats) -> "WordDraw":
        """Take weights that need not sum to one."""
        return cls(tuple(words), tuple((np.cumsum(weights) / np.sum(weights)).tolist()))

    def __call__(self, u: float) -> str:
        """Return the word at a uniform number."""
        return self.words[min(bisect(self.reach, u), len(self.words) - 1)]


class Grammar:
    """A domain, or a section of it, from which sentences are drawn.

    Parameters
    ----------
    domain : str
        One of :data:`HABITS`.
    seed : int
        Of the language: its words, and which of them a domain prefers.
    drift : int or None
        Which section: its habits and words drift; None is the domain itself.
    """

    def __init__(self, domain: str, seed: int = 0, drift: int | None = None) -> None:
        self.habits = dict(HABITS[domain])
        words = lexicon(seed)
        taste = np.random.default_rng([seed, sorted(HABITS).index(domain)])
        common = np.random.default_rng([seed, 97])
        moved = None if drift is None else np.random.default_rng([seed, 11, drift])
        self.open: dict[str, WordDraw] = {}
        for name, stems in words.items():
            all_of_it = 1.0 / (2.7 + common.permutation(len(stems)))  # Zipf and Mandelbrot
            weights = OWN / (2.7 + taste.permutation(len(stems))) + (1 - OWN) * all_of_it
            # A part of the words belongs to one domain alone.
            weights[taste.permutation(len(stems))[: len(stems) // 4]] = 0.0
            if moved is not None:
                weights *= np.exp(0.4 * moved.standard_normal(len(stems)))
            self.open[name] = WordDraw.of(stems, weights)
        if moved is not None:
            for habit, p in self.habits.items():
                odds = p / (1 - p) * np.exp(0.12 * moved.standard_normal())
                self.habits[habit] = float(odds / (1 + odds))
        self.closed = {
            tag: WordDraw.of(forms, 1.0 / (1 + np.arange(len(forms))))
            for tag, forms in CLOSED.items()
        }
        # What a preposition modifies, and which verbs take what, is a matter of the domain too.
        loyal = taste.permutation(np.linspace(0.04, 0.96, PREPOSITIONS))
        often = 1.0 / (2.0 + np.arange(PREPOSITIONS)) * np.exp(0.3 * taste.standard_normal())
        forms = prepositions(seed)
        self.of_nouns = WordDraw.of(forms, often * loyal)
        self.of_verbs = WordDraw.of(forms, often * (1 - loyal))
        kinds = np.random.default_rng([seed, 6]).integers(4, size=STEMS["verb"])
        kinds = np.where(taste.random(kinds.size) < OWN, taste.integers(4, size=kinds.size), kinds)
        verbs = words["verb"]
        base = np.diff(self.open["verb"].reach, prepend=0.0)
        self.verbs = {
            kind: WordDraw.of(verbs, base * np.where(kinds == at, 1.0, 0.08) + 1e-12)
            for at, kind in enumerate(("transitive", "prepositional", "clausal", "plain"))
        }

    def sentence(self, generator: np.random.Generator) -> Sentence:
        """Draw a sentence of a length that can be parsed."""
        self._u = generator.random
        while True:
            tree = self._clause(0)
            leaves = list(leaves_of(tree))
            if SHORTEST <= len(leaves) <= LONGEST:
                tags, words = zip(*leaves, strict=True)
                return Sentence(words, tags, tree)

    def _happens(self, habit: str, depth: int = 0) -> bool:
        return bool(self._u() < self.habits[habit] * DEEPER**depth)

    def _word(self, kind: str) -> str:
        return self.open[kind](self._u())

    def _clause(self, depth: int) -> BinaryTree:
        plural = self._happens("plural")
        made: BinaryTree = ("S", self._noun_phrase(depth, plural), self._verb_phrase(depth, plural))
        if self._happens("fronted", depth):
            made = ("S", self._preposition(depth + 1, self.of_verbs), made)
        if self._happens("coordinated clauses", depth):
            joined: BinaryTree = ("CC", self.closed["CC"](self._u()))
            made = ("S", made, ("CO", joined, self._clause(depth + 1)))
        return made

    def _noun_phrase(self, depth: int, plural: bool) -> BinaryTree:
        made: BinaryTree
        if self._happens("pronoun"):
            return ("PRP", self.closed["PRP"](self._u()))
        if self._happens("name"):
            made = ("NNP", self._word("name"))
        else:
            made = self._nominal(plural)
            if not (plural and self._happens("bare plural")):
                made = ("NP", ("D", self.closed["D"](self._u())), made)
        if self._happens("noun phrase + PP", depth):
            made = ("NP", made, self._preposition(depth + 1, self.of_nouns))
        if self._happens("relative clause", depth):
            clause = self._verb_phrase(depth + 1, plural)
            made = ("NP", made, ("RC", ("W", self.closed["W"](self._u())), clause))
        if self._happens("coordinated nouns", depth):
            other = self._noun_phrase(depth + 2, self._happens("plural"))
            made = ("NP", made, ("CO", ("CC", self.closed["CC"](self._u())), other))
        return made

    def _nominal(self, plural: bool) -> BinaryTree:
        stem = self._word("noun")
        made: BinaryTree = ("NS", f"{stem}s") if plural else ("N", stem)
        if self._happens("compound"):
            made = ("NB", ("N", self._word("noun")), made)
        while self._happens("adjective", 0 if made[0] != "NB" else 1):
            made = ("NB", ("J", self._word("adjective")), made)
        return made

    def _preposition(self, depth: int, which: WordDraw) -> BinaryTree:
        return ("PP", ("P", which(self._u())), self._noun_phrase(depth, self._happens("plural")))

    def _verb_phrase(self, depth: int, plural: bool, base: bool = False) -> BinaryTree:
        if not base and self._happens("modal"):
            return (
                "VP",
                ("M", self.closed["M"](self._u())),
                self._verb_phrase(depth, plural, base=True),
            )
        kind, at = "plain", self._u()
        for name in ("transitive", "prepositional", "clausal"):
            at -= self.habits[name]
            if at < 0:
                kind = name
                break
        if kind == "clausal" and self._u() > DEEPER ** (2 * depth):
            kind = "transitive"
        stem = self.verbs[kind](self._u())
        made: BinaryTree = ("V", stem) if plural or base else ("VZ", f"{stem}s")
        if kind == "transitive":
            made = ("VP", made, self._noun_phrase(depth + 1, self._happens("plural")))
        elif kind == "prepositional":
            made = ("VP", made, self._preposition(depth + 1, self.of_verbs))
        elif kind == "clausal":
            clause = self._clause(depth + 1)
            made = ("VP", made, ("SB", ("C", self.closed["C"](self._u())), clause))
        if self._happens("verb phrase + PP", depth):
            made = ("VP", made, self._preposition(depth + 1, self.of_verbs))
        if self._happens("adverb", depth):
            made = ("VP", made, ("R", self._word("adverb")))
        return made


def leaves_of(tree: BinaryTree) -> list[tuple[str, str]]:
    """Tags and words from left to right."""
    if len(tree) == 2:
        return [tree]
    return leaves_of(tree[1]) + leaves_of(tree[2])


def brackets_of(tree: BinaryTree) -> list[tuple[str, int, int]]:
    """Labels and spans of all constituents of two words and more, but for halves of coordinations.

    >>> brackets_of(("S", ("PRP", "i"), ("VP", ("V", "see"), ("PRP", "it"))))
    [('S', 0, 3), ('VP', 1, 3)]
    """
    found: list[tuple[str, int, int]] = []

    def walk(part: BinaryTree, start: int) -> int:
        if len(part) == 2:
            return start + 1
        at = len(found)
        found.append((part[0], start, 0))
        end = walk(part[2], walk(part[1], start))
        found[at] = (part[0], start, end)
        return end

    walk(tree, 0)
    return [bracket for bracket in found if bracket[0] != "CO"]


def heads_of(tree: BinaryTree) -> list[int]:
    """Place of every word's head, -1 for the root, by the head of each constituent.

    >>> heads_of(("S", ("PRP", "i"), ("VP", ("V", "see"), ("PRP", "it"))))
    [1, -1, 1]
    """
    heads = [-1] * len(leaves_of(tree))

    def walk(part: BinaryTree, start: int) -> tuple[int, int]:
        """Return the head and the end of a constituent, and link the other part to the head."""
        if len(part) == 2:
            return start, start + 1
        first, middle = walk(part[1], start)
        second, end = walk(part[2], middle)
        left = _heads_left(part[0], part[1][0], part[2][0])
        head, other = (first, second) if left else (second, first)
        heads[other] = head
        return head, end

    walk(tree, 0)
    return heads


@cache
def _heads_left(label: str, left: str, right: str) -> bool:
    for wanted in HEADS.get(label, ()):
        if wanted in (left, right):
            # A modifier follows a phrase of its own label; of two nouns the last one is the head.
            return left == wanted and (right != wanted or label != "NB")
    return True


@cache
def lexicon(seed: int) -> dict[str, tuple[str, ...]]:
    """Stems of the open classes; some verbs are nouns too."""
    generator = np.random.default_rng([seed, 1])
    taken: set[str] = set()
    made: dict[str, tuple[str, ...]] = {}
    for kind, count in STEMS.items():
        stems: list[str] = []
        if kind == "verb":
            shared = generator.permutation(len(made["noun"]))[: int(SHARED * count)]
            stems += [made["noun"][k] for k in shared]
        while len(stems) < count:
            stem = "".join(_syllable(generator) for _ in range(1 + generator.integers(1, 3)))
            if kind == "adjective" and generator.random() < 0.6:
                stem += "y"
            if kind == "adverb" and generator.random() < 0.7:
                stem += "ly"
            if kind == "name":
                stem = stem.capitalize()
            if stem not in taken:
                taken.add(stem)
                stems.append(stem)
        made[kind] = tuple(stems)
    # Particles: adverbs that are prepositions as well.
    made["adverb"] = (*prepositions(seed)[:6], *made["adverb"][6:])
    return made


@cache
def prepositions(seed: int) -> tuple[str, ...]:
    """The prepositions."""
    generator = np.random.default_rng([seed, 2])
    made: dict[str, None] = {}
    while len(made) < PREPOSITIONS:
        made[f"{'aeiou'[generator.integers(5)]}{'nfrbtv'[generator.integers(6)]}"] = None
    return tuple(made)


def _syllable(generator: np.random.Generator) -> str:
    onset = "bcdfghjklmnprtvwz"[generator.integers(17)]
    return onset + "aeiou"[generator.integers(5)] + ("nrlkt"[generator.integers(5)])


def draw_sentences(grammar: Grammar, count: int, generator: np.random.Generator) -> list[Sentence]:
    """Draw so many sentences."""
    return [grammar.sentence(generator) for _ in range(count)]
