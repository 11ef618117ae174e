"""Parsers that learn: probabilistic grammars read off a treebank, and CKY in bulk.

The base models differ in what the symbols of the grammar remember: nothing, their parent, the
word of a closed class; or the words are tagged first by a perceptron, and only tags are parsed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.language import CLOSED, BinaryTree, Sentence
from betterthan.papers.bootstrap_2012.taggers import Emissions, perceptron

Parser = Callable[[Sequence[Sequence[str]]], list[BinaryTree | None]]
"""Trees of the words of sentences; None where the grammar has none."""

BATCH = 256
NEVER = -1e30
DOUBT = -8.0
"""Log probability of any other tag than the one that the tagger gave."""


class Treebank:
    """A grammar of the rules of binary trees, with their relative frequencies.

    Parameters
    ----------
    sentences : sequence of Sentence
        The treebank.
    parent : bool
        Whether labels remember their parent (Johnson, 1998).
    split : bool
        Whether tags of closed classes and prepositions are as many as there are words of them
        (Klein & Manning, 2003).
    smoothing, ending
        Of words given tags.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        *,
        parent: bool = False,
        split: bool = False,
        smoothing: float = 0.1,
        ending: int = 2,
    ) -> None:
        self.parent, self.split = parent, split
        rules: Counter[tuple[str, str, str]] = Counter()
        leaves: list[tuple[str, str]] = []
        for sentence in sentences:
            self._read(sentence.tree, "", rules, leaves)
        labels = sorted({lhs for lhs, *_ in rules})
        words = sorted({tag for tag, _ in leaves})
        self.emissions = Emissions(leaves, smoothing, ending, words)
        self.symbols = words + labels
        place = {symbol: at for at, symbol in enumerate(self.symbols)}
        ordered = sorted(rules, key=lambda rule: place[rule[0]])
        self.left, self.right = (np.array([place[r[k]] for r in ordered]) for k in (1, 2))
        lhs = np.array([place[rule[0]] for rule in ordered])
        count = np.array([rules[rule] for rule in ordered], dtype=np.float64)
        self.log = np.log(count / np.bincount(lhs, count, len(self.symbols))[lhs])
        self.starts = np.flatnonzero(np.diff(lhs, prepend=-1))
        self.heads = lhs[self.starts]
        self.ends = [*self.starts[1:].tolist(), len(ordered)]
        self.root = place["S^" if parent else "S"]

    def _read(
        self,
        tree: BinaryTree,
        above: str,
        rules: Counter[tuple[str, str, str]],
        leaves: list[tuple[str, str]],
    ) -> str:
        if len(tree) == 2:
            tag, word = tree
            closed = self.split and (tag in CLOSED or tag == "P")
            name = f"{tag}={word}" if closed else tag
            leaves.append((name, word))
            return name
        name = f"{tree[0]}^{above}" if self.parent else tree[0]
        parts = [self._read(part, tree[0], rules, leaves) for part in tree[1:]]
        rules[name, parts[0], parts[1]] += 1
        return name

    def parse(self, emitted: Floats) -> list[list[tuple[int, int, int]] | None]:
        """Parse sentences of one length, given ``(sentences, words, tags)`` log probabilities.

        Returns nodes (symbol, start, end) from the root in preorder: the best tree of each.
        """
        count, length, tags = emitted.shape
        shape = (length, length + 1, len(self.symbols), count)
        chart = np.full(shape, NEVER, dtype=np.float32)
        rule_of, split_of = np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.int8)
        for at in range(length):
            chart[at, at + 1, :tags] = emitted[:, at].T
        log = self.log.astype(np.float32)[:, None]
        each = np.arange(count)
        for width in range(2, length + 1):
            for start in range(length - width + 1):
                end = start + width
                best = np.full((log.size, count), NEVER, dtype=np.float32)
                split = np.zeros((log.size, count), dtype=np.int8)
                for middle in range(start + 1, end):
                    score = chart[start, middle][self.left]
                    score += chart[middle, end][self.right]
                    np.copyto(split, np.int8(middle), where=score > best)
                    np.maximum(best, score, out=best)
                best += log
                for head, first, last in zip(self.heads, self.starts, self.ends, strict=True):
                    won = best[first:last].argmax(axis=0) + first
                    chart[start, end, head] = best[won, each]
                    rule_of[start, end, head] = won
                    split_of[start, end, head] = split[won, each]
        reached = chart[0, length, self.root] > NEVER / 2
        return [
            self._trace(rule_of[..., k], split_of[..., k], length) if reached[k] else None
            for k in range(count)
        ]

    def _trace(
        self, rule_of: NDArray[np.int16], split_of: NDArray[np.int8], length: int
    ) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        waiting = [(self.root, 0, length)]
        while waiting:
            symbol, start, end = node = waiting.pop()
            found.append(node)
            if end - start > 1:
                at = start, end, symbol
                rule, middle = rule_of[at], int(split_of[at])
                waiting.append((int(self.right[rule]), middle, end))
                waiting.append((int(self.left[rule]), start, middle))
        return found

    def tree(self, nodes: list[tuple[int, int, int]], words: Sequence[str]) -> BinaryTree:
        """Build a tree of nodes in preorder, with the labels of the treebank."""
        following = iter(nodes)

        def build() -> BinaryTree:
            symbol, start, end = next(following)
            name = self.symbols[symbol].partition("^")[0].partition("=")[0]
            return (name, words[start]) if end - start == 1 else (name, build(), build())

        return build()

    def trees(
        self, sentences: Sequence[Sequence[str]], emit: Callable[[Sequence[str]], Floats]
    ) -> list[BinaryTree | None]:
        """Parse sentences of any length."""
        made: list[BinaryTree | None] = [None] * len(sentences)
        by_length: dict[int, list[int]] = defaultdict(list)
        for at, words in enumerate(sentences):
            by_length[len(words)].append(at)
        for places in by_length.values():
            for first in range(0, len(places), BATCH):
                batch = places[first : first + BATCH]
                emitted = np.maximum([emit(sentences[at]) for at in batch], NEVER)
                for at, nodes in zip(batch, self.parse(emitted), strict=True):
                    made[at] = None if nodes is None else self.tree(nodes, sentences[at])
        return made


def generative(sentences: Sequence[Sentence], **options: Any) -> Parser:
    """Parse words by the grammar of the treebank; the options are those of `Treebank`."""
    bank = Treebank(sentences, **options)
    of = bank.emissions.of
    return lambda given: bank.trees(given, lambda words: np.array([of(word) for word in words]))


def pipeline(sentences: Sequence[Sentence]) -> Parser:
    """Tag by a perceptron, then parse the tags."""
    bank = Treebank(sentences, parent=True)
    tag = perceptron(sentences)
    place = {name: at for at, name in enumerate(bank.emissions.tags)}

    def emit(words: Sequence[str]) -> Floats:
        made = np.full((len(words), len(place)), DOUBT)
        for at, name in enumerate(tag(words)):
            made[at, place[name]] = 0.0
        return made

    return lambda given: bank.trees(given, emit)


PARSERS: dict[str, Callable[..., Parser]] = {
    "parent": partial(generative, parent=True),
    "split": partial(generative, split=True),
    "pipeline": pipeline,
}
