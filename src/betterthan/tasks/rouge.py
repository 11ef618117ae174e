"""ROUGE-1, ROUGE-2 and ROUGE-L of one text against another (Lin, 2004).

Words are runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5 and rouge-score; with
``stem``, words longer than three letters are stemmed by Porter's rules.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from betterthan.tasks.sources import optional

_WORD = re.compile("[a-z0-9]+")


def words(text: str) -> list[str]:
    """Split a text into the words that ROUGE counts.

    >>> words("The cats' naïve games!")
    ['the', 'cats', 'na', 've', 'games']
    """
    return _WORD.findall(text.lower())


def stems(text: str) -> list[str]:
    """Split a text into stemmed words."""
    stem = _stemmer()
    return [stem(word) if len(word) > 3 else word for word in words(text)]


@cache
def _stemmer() -> Callable[[str], str]:
    return cache(optional("nltk.stem.porter").PorterStemmer().stem)


def overlap(kind: str, system: Sequence[str], reference: Sequence[str]) -> tuple[int, int, int]:
    """Units that two lists of words have in common, and how many either has.

    They are n-grams (``rouge1``, ``rouge2``), or words of a longest common subsequence.
    """
    if kind == "rougel":
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 (heavy)

        return LCSseq.similarity(system, reference), len(system), len(reference)
    n = int(kind[-1])
    ours, theirs = (
        Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (system, reference)
    )
    return (ours & theirs).total(), ours.total(), theirs.total()


def parts(kind: str, system: Sequence[str], reference: Sequence[str]) -> dict[str, float]:
    """Precision ``p``, recall ``r`` and F1 ``f``; also F1 as rouge-score rounds it."""
    common, ours, theirs = overlap(kind, system, reference)
    p, r, f = common / (ours or 1), common / (theirs or 1), 2 * common / (ours + theirs or 1)
    return {"p": p, "r": r, "f": f, "rounded": 2 * p * r / (p + r or 1)}


def best_parts(
    kind: str, system: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Precision, recall and F1 with the reference of the highest F1; of several, the first.

    Between references of the same F1 its rounding decides, as in rouge-score.
    """
    each = [parts(kind, system, reference) for reference in references]
    return max(each, key=lambda part: part["rounded"])
