"""Bracketed trees: PARSEVAL by the conventions of evalb (Sekine & Collins, 1997).

Files have one tree per line, or trees over several lines; where a parser fails, write a flat tree
such as ``(S (X the) (X words))``. By evalb's usual parameters
(``COLLINS.prm``) the label TOP, traces and punctuation are deleted, function tags are cut off
(``NP-SBJ`` is ``NP``) and ADVP counts as PRT.

| metric                            | columns of a sentence      | live | test  |
|-----------------------------------|----------------------------|------|-------|
| ``f1``, ``precision``, ``recall`` | ``tp``, ``pred``, ``gold`` | 2    | exact |
| ``token-accuracy`` (tags)         | ``correct``, ``total``     | 1    | exact |
| ``exact-match``                   | ``exact_match``            | 1    | exact |

The gold's tags say which words are punctuation, in both trees: where a parser tags them otherwise,
evalb leaves the sentence out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from betterthan.errors import Where, how_many
from betterthan.tasks.sources import Scored, Source, check_words, columns_of, fault, only, parsed

METRICS = ("f1", "precision", "recall", "token-accuracy", "exact-match")
COLUMNS = ("tp", "pred", "gold", "correct", "total", "exact_match")
TRACE = "-NONE-"
DELETED = frozenset(["TOP", TRACE, ",", ":", "``", "''", "."])
SAME = {"PRT": "ADVP"}
_PART = re.compile(
    r"\(\s*(?P<tag>[^\s()]+)\s+(?P<word>[^\s()]+)\s*\)"  # a word with its tag
    r"|(?P<open>\()\s*(?P<label>[^\s()]*)|(?P<close>\))|(?P<other>[^\s()]+)"
)


class Tree(NamedTuple):
    """Words with their tags, and brackets ``(label, first word, word after the last)``."""

    place: Where
    words: list[str]
    tags: list[str]
    brackets: list[tuple[str, int, int]]


def recognise(text: str) -> bool:
    """Tell text that opens with a bracket."""
    return text.lstrip().startswith("(")


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each tree."""
    truth, answers = parsed(systems, only(golds), "tree", trees)
    rows = [[counts(*pair) for pair in zip(each, truth, strict=True)] for each in answers]
    return Scored(columns=columns_of(COLUMNS, rows))


def counts(system: Tree, gold: Tree) -> tuple[int, int, int, int, int, int]:
    """Matching, predicted and true brackets; right and all tags; whether the trees are the same."""
    check_words(system, gold)
    words = [tag not in DELETED for tag in gold.tags]
    ours, theirs = (_labelled(tree, words) for tree in (system, gold))
    match, predicted, true = (ours & theirs).total(), ours.total(), theirs.total()
    triples = zip(system.tags, gold.tags, words, strict=True)
    right = [SAME.get(a, a) == SAME.get(b, b) for a, b, word in triples if word]
    return match, predicted, true, sum(right), len(right), int(match == predicted == true)


def trees(source: Source) -> Iterator[Tree]:
    """Trees of a file, each on as many lines as balance its brackets.

    >>> [tree.words for tree in trees(Source("x", "(S (NP (N dogs)) (VP (V bark)))"))]
    [['dogs', 'bark']]
    """
    text, first, depth = "", 0, 0
    for number, line in enumerate(source.lines, start=1):
        first = first if text.strip() else number
        text += f"{line}\n"
        depth += line.count("(") - line.count(")")
        if depth <= 0 and text.strip():
            yield _tree(source.at(first), text)
            text, depth = "", 0
    if text.strip():
        raise fault(source.at(first), f"{how_many(depth, 'bracket', 'are')} left open")


def _tree(place: Where, text: str) -> Tree:
    """Read the brackets of one tree; traces are left out with their positions."""
    tree = Tree(place, [], [], [])
    opened: list[tuple[str, int]] = []
    for part in _PART.finditer(text):
        if part["other"] or (part["close"] and not opened):
            raise fault(place, f"{part[0]!r} is not expected: write words as in (NN dog)")
        if part["open"]:
            opened.append((part["label"], len(tree.words)))
        elif part["close"]:
            tree.brackets.append((*opened.pop(), len(tree.words)))
        elif part["tag"] != TRACE:
            tree.words.append(part["word"])
            tree.tags.append(part["tag"])
    if not tree.words:
        raise fault(place, "the tree has no words")
    return tree


def _labelled(tree: Tree, words: Sequence[bool]) -> Counter[tuple[str, int, int]]:
    """Brackets around at least one word that is not deleted, by evalb's labels and positions."""
    place = [0, *accumulate(words)]
    brackets: Counter[tuple[str, int, int]] = Counter()
    for whole, start, end in tree.brackets:
        label = re.split("[-=]", whole, maxsplit=1)[0]
        if place[start] < place[end] and label not in DELETED:
            brackets[SAME.get(label, label), place[start], place[end]] += 1
    return brackets
