r"""Certified tail of a sum of real differences with random signs.

The paired permutation test of real-valued scores asks for ``P(S >= t)``, ``S`` a sum of ``+-d_n``
with fair signs. There is no lattice to transform on, yet the characteristic function is a product
of cosines and dies fast. The tail is bracketed from both sides:

1. *Tilt* (Esscher 1932). With ``K(lam) = sum log cosh(lam d_n)`` and the law tilted by ``lam``,
   ``P(S >= t) = exp(K(lam) - lam t) A``, ``A = E_lam[f(S - t)]``, ``f(x) = exp(-lam x) 1[x >= 0]``.
   The tilted law sits at ``t``, so the bracket keeps its relative width however small p is.
2. *Bracket*. Graham & Vaaler (1981) give the best majorant and minorant of ``f`` with Fourier
   transform inside ``[-delta, delta]``; their relative gap is about ``lam / delta``.
3. *Periodise*. Sums over shifts by ``L`` of these functions have expectations that are finite sums
   over the frequencies ``2 pi k / L``, ``|k| < Q = delta L`` (Poisson). The majorant is
   non-negative, so its sum is an upper bound for any ``L``; the lower bound pays for the shifts
   with the sub-Gaussian tail of the tilted law (Kearns & Saul 1998).
4. *Drop* the frequencies where the product is surely negligible, which is nearly all of them:
   a matrix product in single precision over a few items proves it for tens of thousands at once.

Rounding is allowed for in the threshold, the exponent, the phases and the products.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
from betterthan.exact.extremal import WantedPrecision, plan, refine
from betterthan.exact.meet import MAX_ITEMS, TailQuestion, cost, share_of_subsets
from betterthan.exact.probability import BRACKET, LOG2, Probability
from betterthan.exact.signed_reals import SUMMATION, TiltedSigns, dot
from betterthan.numeric import Alternative, Floats, Ints

FEW_ITEMS = 32  # so many free signs are counted outright,
FEW_PATTERNS = 20 * LOG2  # as are so many patterns in the tail (the logarithm of their number)
MAX_FREQUENCIES = 1 << 24  # effort limit: frequencies examined in one pass,
FREQUENCY = 700  # and nanoseconds that each of them takes


def pvalue(
    differences: Floats,
    *,
    counts: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    tolerance: float = 1e-3,
    alpha: float | None = None,
    error: float = 0.0,
    whole: bool = False,
) -> Probability:
    """Certified p-value of the paired permutation test of a sum of real differences.

    Sums that are equal up to the rounding of their terms are ties.

    Parameters
    ----------
    differences : array of float64
        Finite differences, one per item (or cluster).
    counts : array_like of int, optional
        How many items have each difference; one by default. Differences may repeat.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: large sums speak against the null.
    tolerance : float
        Requested relative width of the bracket.
    alpha : float, optional
        Refine further until the bracket lies on one side of this level.
    error : float
        How far a sum of differences may be from that of the numbers meant: the bracket covers what
        this leaves open.
    whole : bool
        Whether the differences are integers, whose sums are equal or at least one apart.

    Returns
    -------
    Probability
        Its bounds are rigorous. They are wider than requested only when the effort limit was met,
        most often because the observed sum itself has sizeable probability (a lattice in disguise).

    Examples
    --------
    >>> import numpy as np
    >>> p = pvalue(np.sqrt(np.arange(1.0, 101.0)) * np.tile([1, 1, -1, 1], 25))
    >>> p.low <= p.value <= p.high, p.error < 1e-3
    (True, True)
    """
    if not tolerance > 0.0:
        raise UsageError(f"tolerance must be positive, got {tolerance!r}")
    question = TailQuestion.about(differences, counts, alternative, error=error, whole=whole)
    if question is None:
        return Probability.of(1.0).by(BRACKET)
    goal = WantedPrecision(tolerance, alpha)
    if question.form != "tail":
        goal = goal.complement() if question.form == "complement" else goal.scaled(0.5)
    beyond = tail(question.sizes, question.copies, question.threshold, goal, question.doubt)
    return question.answer(beyond)


def tail(
    sizes: Floats, copies: Ints, threshold: float, goal: WantedPrecision, doubt: float = 0.0
) -> Probability:
    """Bracket ``P(S >= threshold)`` and ``P(S > threshold)``, S the signed sum of ``sizes``.

    ``sizes`` are positive, of magnitude one, and have ``copies``; ``threshold`` is positive and
    known to ``+-doubt``, besides the rounding of the sum of all sizes.
    """
    total = dot(copies, sizes)
    doubt += SUMMATION * total
    slack = (total - threshold) / 2.0
    if slack < -doubt:
        return Probability.of(0.0).by(BRACKET)
    can_flip = sizes <= slack + doubt
    free, times = sizes[can_flip], copies[can_flip]
    items = int(times.sum())
    fixed = int(copies.sum()) - items  # items whose sign cannot be negative
    surely = -fixed * LOG2
    scaled = goal.scaled(2.0 ** min(fixed, 1000))
    rest = dot(times, free) - 2.0 * slack  # what the free items have to reach

    def by_counting() -> Probability:
        return share_of_subsets(np.repeat(free, times), slack, doubt).scaled(surely)

    if items <= FEW_ITEMS:
        return by_counting()
    if slack <= doubt:  # dust below the rounding of the large items
        return Probability(-LOG2, -math.inf, 0.0, how=BRACKET).scaled(surely)
    if rest < 0.0:
        beyond = tail(free, times, -rest, scaled.complement(), doubt)
        return beyond.complement().scaled(surely)
    law = TiltedSigns.at(free, times, slack)
    if law.log_patterns > FEW_PATTERNS:
        countable = items <= MAX_ITEMS
        limit = min(cost(items) // FREQUENCY, MAX_FREQUENCIES) if countable else MAX_FREQUENCIES
        _, _, frequencies = plan(law, scaled.tolerance)
        if not (countable and frequencies > limit):  # else counting is cheaper
            p = refine(law, scaled, doubt=2.0 * doubt, limit=limit)
            if scaled.met_by(p) or not countable:
                return p.scaled(surely)
    return by_counting()
