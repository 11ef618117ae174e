"""ROUGE-1, ROUGE-2 and ROUGE-L of one text against another (Lin, 2004).

Words are runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5 and rouge-score; with
``stem``, words longer than three letters are stemmed by Porter's rules.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from betterthan.tasks.sources import optional

_WORD = re.compile("[a-z0-9]+")


class Overlap(NamedTuple):
    """Units in common, and how many either text has."""

    common: int
    system: int
    reference: int

    @property
    def precision(self) -> float:
        """Fraction of the system's units that the reference has."""
        return self.common / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Fraction of the reference's units that the system has."""
        return self.common / self.reference if self.reference else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both, rounded as rouge-score rounds it: that decides between ties."""
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r > 0 else 0.0


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
        common = LCSseq.similarity(system, reference)
        return Overlap(common, len(system), len(reference))
    n = int(kind[-1])
    ours, theirs = (
        Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (system, reference)
    )
    return Overlap((ours & theirs).total(), ours.total(), theirs.total())


def best_overlap(kind: str, system: Sequence[str], references: Sequence[Sequence[str]]) -> Overlap:
    """Overlap with the reference of the highest F1; of several such, the first."""
    return max((overlap(kind, system, r) for r in references), key=lambda found: found.f1)
