"""Words of two files with the same characters, aligned as the CoNLL 2018 shared task aligns them.

Words that are tokens are paired where they are the same characters. Where either file has
multi-word tokens, whose words have no characters of their own, all words of the span that these
cover are paired by a longest common subsequence of their lower-cased forms (Zeman et al., 2018,
section 4; the steps are those of its scorer, version 1.2).
"""

from collections.abc import Sequence

import numpy as np

from betterthan.errors import FormatError
from betterthan.tasks.ud_text import UdText, Word

LARGEST_SPAN = 1 << 24  # cells of a table of common subsequences


def aligned_words(gold: UdText, system: UdText) -> list[tuple[int, int]]:
    """Pairs of places of words, of the gold and of a system with the same characters."""
    a, b = gold.words, system.words
    i = j = 0
    pairs: list[tuple[int, int]] = []
    while i < len(a) and j < len(b):
        if a[i].joined or b[j].joined:
            ours, theirs = _span(a, b, i, j)
            i, j = ours.stop, theirs.stop
            if (i - ours.start) * (j - theirs.start) > LARGEST_SPAN:
                raise FormatError(
                    f"{system.source.name}: multi-word tokens of it and of {gold.source.name} "
                    f"overlap over {i - ours.start:,} words: check how the text is tokenized"
                )
            found = _common(*([w.form.lower() for w in x] for x in (a[ours], b[theirs])))
            pairs += [(ours.start + g, theirs.start + s) for g, s in found]
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

    A word of the other file that starts before the first of them is none of these.
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


def _beyond(words: Sequence[Word], at: int, end: int) -> bool:
    if at >= len(words):
        return True
    return words[at].start >= end if words[at].joined else words[at].end > end


def _common(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """A longest common subsequence: pairs of places, found from the front.

    >>> _common(["x", "a", "b"], ["a", "c", "b"])
    [(1, 0), (2, 2)]
    """
    if a == b:
        return [(k, k) for k in range(len(a))]
    codes = {form: k for k, form in enumerate({*a, *b})}
    right = np.array([codes[form] for form in b])
    best = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)  # of what is left of both
    for g in range(len(a) - 1, -1, -1):
        below = best[g + 1]
        reached = np.where(right == codes[a[g]], below[1:] + 1, below[:-1])
        best[g, :-1] = np.maximum.accumulate(reached[::-1])[::-1]
    pairs = []
    g = s = 0
    while g < len(a) and s < len(b):
        if a[g] == b[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif best[g, s] == best[g + 1, s]:
            g += 1
        else:
            s += 1
    return pairs
