"""ROUGE-1, ROUGE-2 and ROUGE-L of one text against another (Lin, 2004).

Words are runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5 and rouge-score; with
``stem``, words longer than three letters are stemmed by Porter's rules.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from betterthan.tasks.sources import optional

_WORD = re.compile("[a-z0-9]+")


class Overlap(NamedTuple):
    """Units in common, and how many either text has."""

    common: int
    system: int
    reference: int

    @property
    def parts(self) -> dict[str, float]:
        """Precision ``p``, recall ``r`` and F1 ``f``; also F1 as rouge-score rounds it."""
        p = self.common / self.system if self.system else 0.0
        r = self.common / self.reference if self.reference else 0.0
        f = 2 * self.common / (self.system + self.reference or 1)
        return {"p": p, "r": r, "f": f, "rounded": 2 * p * r / (p + r or 1)}


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


def overlap(kind: str, system: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Units in common of two lists of words: n-grams (``rouge1``, ``rouge2``) or a subsequence."""
    if kind == "rougel":
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 (heavy)

        common = LCSseq.similarity(system, reference)
        return Overlap(common, len(system), len(reference))
    n = int(kind[-1])
    ours, theirs = (
        Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (system, reference)
    )
    return Overlap((ours & theirs).total(), ours.total(), theirs.total())


def best_parts(
    kind: str, system: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Precision, recall and F1 with the reference of the highest F1; of several, the first.

    Between references of the same F1 its rounding decides, as in rouge-score.
    """
    parts = [overlap(kind, system, reference).parts for reference in references]
    return max(parts, key=lambda part: part["rounded"])
