"""The interval of the pseudo-median by inverting the exact signed-rank test: Walsh averages.

The ends are order statistics of the Walsh averages ``(d_i + d_j) / 2``, ``i <= j``; their ranks
come from the exact distribution of the signed-rank sum (Hodges & Lehmann 1963). Averages are
counted, not listed.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from betterthan.data.tally import distinct_rows
from betterthan.exact.inputs import counts_of
from betterthan.exact.lattice import SignedSum
from betterthan.exact.search import first_integer
from betterthan.exact.subset_means import ShiftInterval, finite, tail_share
from betterthan.numeric import Alternative, Floats, Ints


def walsh_interval(
    differences: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> ShiftInterval:
    """Confidence interval for the pseudo-median; parameters as in :func:`shift_interval`.

    The interval is closed, and with tied or zero differences its level is at least the stated one:
    order statistics depend continuously on the data, so that a vanishing symmetric jitter, which
    makes the test exact, cannot lose coverage.

    Examples
    --------
    >>> interval = walsh_interval([3, 5, 1, 4, 4, 2, 6], alpha=0.1)
    >>> interval.estimate, 2.0 in interval, 5.1 in interval
    (3.5, True, False)
    """
    rows = finite(differences)
    first, copies = distinct_rows([rows], counts_of(counts, rows.size))
    walsh = _Averages(rows[first], copies)
    rank = _critical_sum(walsh.n, tail_share(alpha, alternative)) + 1
    low = walsh.ranked(rank) if rank > 0 and alternative != "less" else -math.inf
    high = (
        walsh.ranked(walsh.pairs + 1 - rank) if rank > 0 and alternative != "greater" else math.inf
    )
    middle = (walsh.pairs + 1) // 2
    median = (walsh.ranked(middle) + walsh.ranked(walsh.pairs + 1 - middle)) / 2.0
    return ShiftInterval(low, high, 1.0 - alpha, median, 0.0, "Walsh averages")


@dataclass(frozen=True, eq=False)
class _Averages:
    """Averages of all pairs of items, of distinct sorted values and their counts."""

    values: Floats
    counts: Ints

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def pairs(self) -> int:
        return self.n * (self.n + 1) // 2

    def ranked(self, rank: int) -> float:
        """The average of this rank, from below."""
        d = self.values
        low, high = 2.0 * float(d[0]), 2.0 * float(d[-1])
        if self._up_to(low) < rank:
            fine = max(2.0**-51 * max(abs(low), abs(high)), math.ulp(0.0))
            while high - low > fine:  # the sum of this rank is above low and not above high
                middle = low + (high - low) / 2.0
                low, high = (low, middle) if self._up_to(middle) >= rank else (middle, high)
            near = np.searchsorted(d, high - d)[None] + np.array([[-1], [0], [1]])
            sums = d + d[near.clip(0, d.size - 1)]  # which high is up to its rounding
            return float(sums.flat[np.abs(sums - high).argmin()]) / 2.0
        return low / 2.0

    def _up_to(self, most: float) -> int:
        """Number of pairs ``i <= j`` of items with ``d_i + d_j <= most``."""
        below = np.concatenate(([0], np.cumsum(self.counts)))
        ordered = int(
            self.counts @ below[np.searchsorted(self.values, most - self.values, "right")]
        )
        same = int(self.counts[2.0 * self.values <= most].sum())
        return (ordered + same) // 2


def _critical_sum(n: int, share: Fraction) -> int:
    """Largest k with ``P(W <= k) <= share``, W the signed-rank sum of n items; -1 if none has."""
    law, pairs = SignedSum.of(np.arange(1, n + 1)), n * (n + 1) // 2

    def small(k: int) -> bool:  # P(W <= k) = P(S >= pairs - 2 k), S = 2 W - pairs the signed sum
        return k < 0 or law.tail(pairs - 2 * k).log_high <= math.log(share)

    sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    guess = math.floor(pairs / 2 + float(ndtri(float(share))) * sd)
    return first_integer(lambda k: not small(k), max(guess, -1) + 1) - 1
