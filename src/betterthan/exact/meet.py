"""Exact tail of a sum of real differences with random signs, few items: meet in the middle.

With all signs positive the sum is largest; flipping the signs of a subset F lowers it by twice
``sum(F)``. So ``P(S >= t)`` is the fraction of the ``2**n`` subsets with ``sum(F) <= slack``,
``slack = (sum(sizes) - t) / 2``. Items larger than the slack are in no such subset; the others are
split into two halves, whose ``2**(n/2)`` subset sums are sorted and paired off (Horowitz & Sahni
1974). Memory: five arrays of ``2**(n/2)`` doubles, 170 MB at the limit of 44 free items.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
from betterthan.exact.inputs import counts_of
from betterthan.exact.probability import LOG2, MEET, Probability
from betterthan.exact.signed_reals import SUMMATION, dot
from betterthan.numeric import Alternative, Floats, Ints

MAX_ITEMS = 44


def pvalue(
    differences: Floats,
    *,
    counts: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    error: float = 0.0,
    whole: bool = False,
) -> Probability:
    """Exact p-value of the paired permutation test of a sum of real differences.

    A difference belongs to one item, or to as many as ``counts`` holds. Sums that are equal up to
    the rounding of their terms are ties; ``whole`` declares that the differences are integers,
    whose sums are equal or at least one apart. ``error`` bounds how far a sum may be from that of
    the intended numbers: the bounds of the answer cover what it leaves open.

    Raises
    ------
    ValueError
        If more than 44 signs are free.

    Examples
    --------
    >>> round(pvalue(np.array([0.3, 0.1, 0.2])).value, 12)  # 0.3 ties with 0.1 + 0.2 elsewhere
    0.25
    """
    question = TailQuestion.about(differences, counts, alternative, error=error, whole=whole)
    if question is None:
        return Probability.of(1.0).by(MEET)
    each = np.repeat(question.sizes, question.copies)
    return question.answer(tail(each, question.threshold, question.doubt))


@dataclass(frozen=True, slots=True)
class TailQuestion:
    """The p-value of real differences as one upper tail of a symmetric law.

    ``sizes`` are the non-zero absolute differences, scaled by a power of two so that no sum
    overflows or goes subnormal, and ``copies`` says how many items have each; ``threshold > 0`` is
    on their scale, and so is the ``doubt`` about it.
    """

    sizes: Floats
    copies: Ints
    threshold: float
    form: Literal["tail", "doubled", "complement", "one"]
    doubt: float

    @classmethod
    def about(
        cls,
        differences: Floats,
        counts: ArrayLike | None,
        alternative: Alternative,
        *,
        error: float = 0.0,
        whole: bool = False,
    ) -> "TailQuestion | None":
        """Question asked by a test; None when the p-value is one in any case."""
        copies = counts_of(counts, differences.size)[differences != 0.0]
        live = differences[differences != 0.0]
        if live.size == 0:
            return None
        _, exponent = math.frexp(float(np.abs(live).max()))
        live = np.ldexp(live, -exponent)
        sizes = np.abs(live)
        observed, total = dot(copies, live), dot(copies, sizes)
        # Equal sums differ by the rounding of their terms at most, sums of integers not at all.
        tie = max(4.0 * SUMMATION * total, math.ldexp(0.5, -exponent) if whole else 0.0)
        doubt = max(math.ldexp(error, -exponent) - tie, 0.0)
        if alternative == "two-sided":
            distance = abs(observed) - tie
            if distance > 0.0:
                return cls(sizes, copies, distance, "doubled", doubt)
            return cls(sizes, copies, doubt, "one", doubt) if doubt > 0.0 else None
        toward = observed if alternative == "greater" else -observed
        if toward > tie:
            return cls(sizes, copies, toward - tie, "tail", doubt)
        # P(S >= o - tie) = 1 - P(S > |o| + tie), by symmetry.
        return cls(sizes, copies, tie - toward, "complement", doubt)

    def answer(self, tail: Probability) -> Probability:
        """Turn the tail beyond the threshold into the p-value."""
        if self.form == "tail" and not self.doubt:
            return tail
        if self.form == "one":  # a tie as it seems; a difference within the doubt at most
            return Probability(0.0, tail.doubled().log_low, 0.0, how=tail.how)
        p = {"tail": lambda: tail, "doubled": tail.doubled, "complement": tail.complement}[
            self.form
        ]()
        # Where the doubt matters the upper end is a valid p-value, and nothing below it is.
        return Probability(p.log_high, p.log_low, p.log_high, how=p.how) if self.doubt else p


def cost(items: int) -> int:
    """Estimate the nanoseconds for so many free signs.

    Two lists of ``2**(items / 2)`` sums are sorted and searched: 80 ns for each sum while they fit
    the cache, 130 at the limit of 44.
    """
    return 50_000 + 120 * ((1 << items // 2) + (1 << items - items // 2))


def tail(sizes: Floats, threshold: float, doubt: float = 0.0) -> Probability:
    """``P(S >= threshold)`` for ``S`` the sum of ``sizes`` with fair random signs.

    The threshold is known to ``+-doubt``, besides the rounding of the sum of all sizes.
    """
    total = float(sizes.sum())
    rounding = SUMMATION * total
    slack = (total - threshold) / 2.0
    free = sizes[sizes <= slack + doubt + rounding]  # a larger item's sign cannot be negative
    if free.size > MAX_ITEMS:
        raise UsageError(f"meet in the middle takes {MAX_ITEMS} free signs, not {free.size}")
    share = share_of_subsets(free, slack, rounding)
    if doubt:  # sums just beyond the threshold may be short of it, others may reach it
        open_low = share_of_subsets(free, slack - 4.0 * rounding, rounding)
        sure = share_of_subsets(free, slack - 4.0 * rounding - doubt / 2.0, rounding)
        ties = max(math.exp(share.log_low) - math.exp(open_low.log_high), 0.0)
        low = math.exp(sure.log_low) + ties
        high = share_of_subsets(free, slack + doubt / 2.0, rounding).log_high
        share = Probability(high, math.log(low) if low else -math.inf, high, how=MEET)
    return share.scaled((free.size - sizes.size) * LOG2)


def share_of_subsets(sizes: Floats, slack: float, doubt: float) -> Probability:
    """Fraction of the subsets with a sum of at most ``slack``, which is known to ``+-doubt``."""
    low, high = (
        math.log(count) - sizes.size * LOG2 if count else -math.inf
        for count in count_subsets(sizes, (slack - doubt, slack + doubt))
    )
    blur = 2.0**-50 * (1.0 + sizes.size)  # rounding of the logarithms
    return Probability(min(high, 0.0), low - blur, min(high + blur, 0.0), how=MEET)


def count_subsets(sizes: Floats, limits: tuple[float, ...]) -> list[int]:
    """Count the subsets of ``sizes`` with a sum up to each limit, the empty one included.

    Examples
    --------
    >>> count_subsets(np.array([1.0, 2.0, 3.0]), (3.0, 0.5))  # {}, {1}, {2}, {3}, {1, 2}
    [5, 1]
    """
    left, right = subset_sums(sizes[::2], max(limits)), subset_sums(sizes[1::2], max(limits))
    return [int(np.searchsorted(right, most - left, side="right").sum()) for most in limits]


def subset_sums(sizes: Floats, most: float) -> Floats:
    """All subset sums up to ``most``, ascending, one entry per subset."""
    sums = np.zeros(1)
    for size in sizes:
        more = sums + size
        sums = np.concatenate((sums, more[more <= most]))
    sums.sort()
    return sums
