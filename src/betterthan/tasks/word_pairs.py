"""Words of two files with the same characters, aligned as the CoNLL 2018 shared task aligns them.

Words that are tokens are paired where they are the same characters. Where either file has
multi-word tokens, whose words have no characters of their own, all words of the span that these
cover are paired by a longest common subsequence of their lower-cased forms (Zeman et al., 2018,
section 4; the steps are those of its scorer, version 1.2).
"""

from collections.abc import Sequence
from typing import NamedTuple

ROOT = -1  # the head of a word that has none


class Word(NamedTuple):
    """A syntactic word.

    ``start`` and ``end`` are the characters of its token, which for ``joined`` words is that of all
    of them; ``head`` is a place among all words of the file, or ROOT.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    relation: str
    start: int
    end: int
    joined: bool


def aligned_words(a: Sequence[Word], b: Sequence[Word]) -> list[tuple[int, int]]:
    """Pairs of places of words, of two files with the same characters."""
    i = j = 0
    pairs: list[tuple[int, int]] = []
    while i < len(a) and j < len(b):
        if a[i].joined or b[j].joined:
            ours, theirs = _span(a, b, i, j)
            i, j = ours.stop, theirs.stop
            forms = ([w.form.lower() for w in words] for words in (a[ours], b[theirs]))
            pairs += [(ours.start + g, theirs.start + s) for g, s in _common(*forms)]
        elif (a[i].start, a[i].end) == (b[j].start, b[j].end):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif a[i].start <= b[j].start:
            i += 1
        else:
            j += 1
    return pairs


def _span(a: Sequence[Word], b: Sequence[Word], i: int, j: int) -> tuple[slice, slice]:
    """Words of both files in the span of overlapping multi-word tokens that begins here.

    A word of the other file that starts before the first of them is not one of these.
    """
    if a[i].joined:
        end = a[i].end
        j += not b[j].joined and b[j].start < a[i].start
    else:
        end = b[j].end
        i += a[i].start < b[j].start
    first, second = i, j
    while not (_beyond(a, i, end) and _beyond(b, j, end)):
        if i < len(a) and (j >= len(b) or a[i].start <= b[j].start):
            word, i = a[i], i + 1
        else:
            word, j = b[j], j + 1
        if word.joined:
            end = max(end, word.end)
    return slice(first, i), slice(second, j)


def _beyond(words: Sequence[Word], place: int, end: int) -> bool:
    if place >= len(words):
        return True
    word = words[place]
    return word.start >= end if word.joined else word.end > end


def _common(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """A longest common subsequence: pairs of places, from the front.

    >>> _common(["x", "a", "b"], ["a", "c", "b"])
    [(1, 0), (2, 2)]
    """
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of what is left of both
    for g in reversed(range(len(a))):
        for s in reversed(range(len(b))):
            skipped = max(longest[g + 1][s], longest[g][s + 1])
            longest[g][s] = longest[g + 1][s + 1] + 1 if a[g] == b[s] else skipped
    pairs = []
    g = s = 0
    while g < len(a) and s < len(b):
        if a[g] == b[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs
