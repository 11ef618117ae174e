"""ROUGE-1, ROUGE-2 and ROUGE-L of one text against another (Lin, 2004).

Words are runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5 and rouge-score; with
``stem``, words longer than three letters are stemmed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from betterthan.tasks.edits import common_subsequence
from betterthan.tasks.porter import stem as porter

_WORD = re.compile("[a-z0-9]+")


class Overlap(NamedTuple):
    """Units in common, and how many either text has."""

    common: int
    system: int
    reference: int

    @property
    def precision(self) -> float:
        """Share of the system's units that the reference has."""
        return self.common / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the reference's units that the system has."""
        return self.common / self.reference if self.reference else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        units = self.system + self.reference
        return 2 * self.common / units if units else 0.0


def words(text: str, *, stem: bool = False) -> list[str]:
    """Split a text into the words that ROUGE counts.

    >>> words("The cats' naïve games!", stem=True)
    ['the', 'cat', 'na', 've', 'game']
    """
    found = _WORD.findall(text.lower())
    return [porter(word) if len(word) > 3 else word for word in found] if stem else found


def overlap(kind: str, system: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Units in common of two lists of words: n-grams (``rouge1``, ``rouge2``) or a subsequence."""
    if kind == "rougel":
        return Overlap(common_subsequence(system, reference), len(system), len(reference))
    n = int(kind[-1])
    mine, theirs = (
        Counter(zip(*(w[k:] for k in range(n)), strict=False)) for w in (system, reference)
    )
    return Overlap((mine & theirs).total(), mine.total(), theirs.total())


def best_overlap(kind: str, system: Sequence[str], references: Sequence[Sequence[str]]) -> Overlap:
    """Overlap with the reference of the highest F; of several such, the first."""
    return max((overlap(kind, system, reference) for reference in references), key=_rounded_f1)


def _rounded_f1(found: Overlap) -> float:
    """F1 as rouge-score rounds it: that decides between references of the same F1."""
    p, r = found.precision, found.recall
    return 2 * p * r / (p + r) if p + r > 0 else 0.0
