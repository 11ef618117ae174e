"""Bracketed trees: PARSEVAL by the conventions of evalb (Sekine & Collins, 1997).

Files have one tree per line, or trees over several lines. By evalb's usual parameters
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
from dataclasses import dataclass

from betterthan.errors import AlignmentError, FormatError
from betterthan.tasks.sources import Scored, Source, check_not_empty, paired, stack, the_gold

METRICS = ("f1", "precision", "recall", "token-accuracy", "exact-match")
COLUMNS = ("tp", "pred", "gold", "correct", "total", "exact_match")
TRACE = "-NONE-"
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Conventions:
    """What evalb's parameter file says: labels to delete, and those that count as the same."""

    deleted: frozenset[str] = frozenset(["TOP", TRACE, ",", ":", "``", "''", "."])
    same: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    same_words: tuple[tuple[str, str], ...] = ()

    def label(self, label: str) -> str:
        """One label for all that count as the same."""
        return next((a for a, b in self.same if label == b), label)

    def word(self, word: str) -> str:
        """One word for all that count as the same."""
        return next((a for a, b in self.same_words if word == b), word)


COLLINS = Conventions()


@dataclass(frozen=True, slots=True)
class Tree:
    """Words with their tags, and brackets ``(label, first word, word after the last)``."""

    line: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[tuple[str, int, int], ...]


def recognise(text: str) -> bool:
    """Tell text that opens with a bracket."""
    return text.lstrip().startswith("(")


def score(
    systems: Sequence[Source],
    golds: Sequence[Source],
    metrics: Sequence[str],
    conventions: Conventions = COLLINS,
) -> Scored:
    """Columns of each tree."""
    del metrics  # all of them are cheap
    gold = the_gold(golds, "parsing")
    truth = list(trees(gold))
    rows, notes = [], []
    for system, pairs in paired(systems, gold, truth, "tree", trees):
        for mine, theirs in pairs:
            _check_words(system, mine, gold, theirs, conventions)
        rows.append([counts(mine, theirs, conventions) for mine, theirs in pairs])
        odd = sum(
            any((a in conventions.deleted) != (b in conventions.deleted) for a, b in tags)
            for tags in (zip(mine.tags, theirs.tags, strict=True) for mine, theirs in pairs)
        )
        if odd:
            notes.append(
                f"{system.name} tags punctuation otherwise than the gold in {odd:,} sentences, "
                "which evalb would leave out: the gold's tags decide"
            )
    return Scored(columns=stack(rows, COLUMNS), notes=tuple(notes))


def counts(
    system: Tree, gold: Tree, conventions: Conventions = COLLINS
) -> tuple[int, int, int, int, int, int]:
    """Matching, predicted and true brackets; right and all tags; whether the trees are the same."""
    kept = [tag not in conventions.deleted for tag in gold.tags]
    mine, theirs = (_kept_brackets(tree, kept, conventions) for tree in (system, gold))
    match, predicted, true = (mine & theirs).total(), mine.total(), theirs.total()
    tags = [
        conventions.label(a) == conventions.label(b)
        for a, b, keep in zip(system.tags, gold.tags, kept, strict=True)
        if keep
    ]
    return match, predicted, true, sum(tags), len(tags), int(match == predicted == true)


def trees(source: Source) -> Iterator[Tree]:
    """Trees of a file: a line each if every line is balanced, else one after the other.

    >>> [tree.words for tree in trees(Source("x", "(S (NP (N dogs)) (VP (V bark)))"))]
    [('dogs', 'bark')]
    """
    check_not_empty(source)
    if all(line.count("(") == line.count(")") for line in source.lines):
        for number, line in enumerate(source.lines, start=1):
            if not line.strip():
                raise FormatError(
                    f"{source.at(number)} has no tree: write a flat tree, as in "
                    "(S (X the) (X words)), where a parser fails"
                )
            yield _tree(source, [(number, token) for token in _TOKEN.findall(line)])
        return
    tokens: list[tuple[int, str]] = []
    depth = 0
    for number, line in enumerate(source.lines, start=1):
        for token in _TOKEN.findall(line):
            tokens.append((number, token))
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth <= 0:
                yield _tree(source, tokens)
                tokens, depth = [], 0
    if tokens:
        raise FormatError(
            f"{source.at(tokens[0][0])}: the tree that begins here has {depth} open brackets at "
            "the end of the file"
        )


def _tree(source: Source, tokens: Sequence[tuple[int, str]]) -> Tree:
    """Read the brackets of one tree; traces are left out with their positions."""
    words: list[str] = []
    tags: list[str] = []
    found: list[tuple[str, int, int]] = []
    stack: list[tuple[str, int, int]] = []  # label, first word, place in `found`
    k = 0
    while k < len(tokens):
        line, token = tokens[k]
        if token == "(":
            named = k + 1 < len(tokens) and tokens[k + 1][1] not in "()"
            label = tokens[k + 1][1] if named else ""
            k += 2 if named else 1
            if [t in ("(", ")") for _, t in tokens[k : k + 2]] == [False, True] and named:
                if label != TRACE:
                    words.append(tokens[k][1])
                    tags.append(label)
                k += 2
                continue
            stack.append((label, len(words), len(found)))
            found.append((label, 0, 0))
            continue
        if token == ")" and stack:
            label, start, place = stack.pop()
            found[place] = (label, start, len(words))
        elif token == ")":
            raise FormatError(f"{source.at(line)}: a bracket closes that was not opened")
        else:
            raise FormatError(
                f"{source.at(line)}: {token!r} stands where a bracket is expected: write each word "
                "with its tag, as in (NN dog)"
            )
        k += 1
    if stack:
        raise FormatError(f"{source.at(tokens[0][0])}: {len(stack)} brackets are left open")
    if not words:
        raise FormatError(f"{source.at(tokens[0][0])}: the tree has no words")
    return Tree(tokens[0][0], tuple(words), tuple(tags), tuple(found))


def _kept_brackets(
    tree: Tree, kept: Sequence[bool], conventions: Conventions
) -> Counter[tuple[str, int, int]]:
    """Brackets around at least one word that is kept, by evalb's labels and positions."""
    place = [0]
    for keep in kept:
        place.append(place[-1] + keep)
    found: Counter[tuple[str, int, int]] = Counter()
    for label, start, end in tree.brackets:
        short = conventions.label(re.split("[-=]", label, maxsplit=1)[0])
        if place[start] < place[end] and short not in conventions.deleted:
            found[short, place[start], place[end]] += 1
    return found


def _check_words(
    system: Source, mine: Tree, gold: Source, theirs: Tree, conventions: Conventions
) -> None:
    if len(mine.words) != len(theirs.words):
        raise AlignmentError(
            f"{system.at(mine.line)}: the tree has {len(mine.words)} words, and "
            f"{len(theirs.words)} at {gold.at(theirs.line)}: parse the gold's words"
        )
    for a, b in zip(mine.words, theirs.words, strict=True):
        if conventions.word(a) != conventions.word(b):
            raise AlignmentError(
                f"{system.at(mine.line)}: the tree has the word {a!r} where "
                f"{gold.at(theirs.line)} has {b!r}: parse the gold's words"
            )
