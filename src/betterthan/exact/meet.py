"""Exact tail of a sum of real differences with random signs, few items: meet in the middle.

With all signs positive the sum is largest; flipping the signs of a subset F lowers it by twice
``sum(F)``. So ``P(S >= t)`` is the share of the ``2**n`` subsets with ``sum(F) <= slack``,
``slack = (sum(sizes) - t) / 2``. Items larger than the slack are in no such subset; the others are
split into two halves, whose ``2**(n/2)`` subset sums are sorted and paired off (Horowitz & Sahni
1974). Memory: five arrays of ``2**(n/2)`` doubles, 170 MB at the limit of 44 free items.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.bandlimited import SUMMATION
from betterthan.exact.probability import LOG2, Probability

Alternative = Literal["two-sided", "greater", "less"]
Floats = NDArray[np.float64]

TIE = 1e-12  # sums closer than this share of sum(|d|) are tied: scores carry rounding noise
MAX_ITEMS = 44


def pvalue(differences: Floats, *, alternative: Alternative = "two-sided") -> Probability:
    """Exact p-value of the paired permutation test of a sum of real differences.

    Sums within ``1e-12 * sum(abs(differences))`` of the observed one count as ties with it.

    Raises
    ------
    ValueError
        If more than 44 signs are free.

    Examples
    --------
    >>> round(pvalue(np.array([0.3, 0.1, 0.2])).value, 12)  # 0.3 ties with 0.1 + 0.2 elsewhere
    0.25
    """
    asked = Question.about(differences, alternative)
    return (
        Probability.of(1.0) if asked is None else asked.answer(tail(asked.sizes, asked.threshold))
    )


@dataclass(frozen=True, slots=True)
class Question:
    """The p-value of real differences as one upper tail of a symmetric law.

    ``sizes`` are the non-zero absolute differences, scaled by a power of two so that no sum
    overflows or goes subnormal; ``threshold > 0`` is on their scale.
    """

    sizes: Floats
    threshold: float
    form: Literal["tail", "doubled", "complement"]

    @classmethod
    def about(cls, differences: Floats, alternative: Alternative) -> "Question | None":
        """Question asked by a test; None when the p-value is one whatever the law."""
        live = differences[differences != 0.0]
        if live.size == 0:
            return None
        _, exponent = math.frexp(float(np.abs(live).max()))
        live = np.ldexp(live, -exponent)
        sizes = np.abs(live)
        observed, tie = float(live.sum()), TIE * float(sizes.sum())
        if alternative == "two-sided":
            return cls(sizes, abs(observed) - tie, "doubled") if abs(observed) > tie else None
        toward = observed if alternative == "greater" else -observed
        if toward > tie:
            return cls(sizes, toward - tie, "tail")
        # P(S >= o - tie) = 1 - P(S > |o| + tie), by symmetry.
        return cls(sizes, tie - toward, "complement")

    def answer(self, tail: Probability) -> Probability:
        """Turn the tail beyond the threshold into the p-value."""
        if self.form == "tail":
            return tail
        return tail.doubled() if self.form == "doubled" else tail.complement()


def tail(sizes: Floats, threshold: float) -> Probability:
    """``P(S >= threshold)`` for ``S`` the sum of ``sizes`` with fair random signs."""
    doubt = SUMMATION * float(sizes.sum())
    free, slack = flippable(sizes, threshold, doubt)
    if free.size > MAX_ITEMS:
        raise ValueError(f"meet in the middle takes {MAX_ITEMS} free signs, not {free.size}")
    return halved(counted(free, slack, doubt), sizes.size - free.size)


def flippable(sizes: Floats, threshold: float, doubt: float) -> tuple[Floats, float]:
    """Items whose sign can be negative while the sum reaches ``threshold``, and the slack."""
    slack = (float(sizes.sum()) - threshold) / 2.0
    return sizes[sizes <= slack + doubt], slack


def counted(sizes: Floats, slack: float, doubt: float) -> Probability:
    """Share of the subsets with a sum of at most ``slack``, which is known to ``+-doubt``."""
    low, high = (
        math.log(count) - sizes.size * LOG2 if count else -math.inf
        for count in count_subsets(sizes, (slack - doubt, slack + doubt))
    )
    blur = 2.0**-50 * (1.0 + sizes.size)  # rounding of the logarithms
    return Probability(min(high, 0.0), low - blur, min(high + blur, 0.0))


def count_subsets(sizes: Floats, limits: tuple[float, ...]) -> list[int]:
    """Count the subsets of ``sizes`` with a sum up to each limit, the empty one included.

    Examples
    --------
    >>> count_subsets(np.array([1.0, 2.0, 3.0]), (3.0, 0.5))  # {}, {1}, {2}, {3}, {1, 2}
    [5, 1]
    """
    left, right = subset_sums(sizes[::2], max(limits)), subset_sums(sizes[1::2], max(limits))
    return [int(np.searchsorted(right, most - left, side="right").sum()) for most in limits]


def halved(p: Probability, times: int) -> Probability:
    """``p / 2**times``, its bounds widened by the rounding of the logarithms."""
    log, low, high = (x - times * LOG2 for x in (p.log, p.log_low, p.log_high))
    blur = 2.0**-50 * (1.0 - high) if high > -math.inf else 0.0
    return Probability(min(log, 0.0), low - blur, min(high + blur, 0.0))


def subset_sums(sizes: Floats, most: float) -> Floats:
    """All subset sums up to ``most``, ascending, one entry a subset."""
    sums = np.zeros(1)
    for size in sizes:
        more = sums + size
        sums = np.concatenate((sums, more[more <= most]))
    sums.sort()
    return sums
