"""The null distribution of a sum of integers with random signs, exactly and fast.

Under the null of a paired test each item's difference keeps or changes its sign by a fair coin, so
the statistic is ``S = sum of ±d``. With ``D`` the sum of all ``|d|`` and ``T`` the sum of those
whose coin shows heads, ``S = 2 T - D``. Small ones are counted in integers; large ones go
through the tilted Fourier sum of `betterthan.exact.tilt`. Either way the answer comes with a bound
on its relative error, however small it is.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.tally import distinct_rows
from betterthan.errors import UsageError, quote
from betterthan.exact.counting import NEVER, SOON, packed_work, patterns_at_least, work
from betterthan.exact.inputs import counts_of
from betterthan.exact.probability import COUNTS, LOG2, Probability, check_alternative
from betterthan.exact.rational import Ratio
from betterthan.exact.tilt import (
    BUDGET,
    ELEMENT,
    LEFT_OUT,
    Tilt,
    angle_of,
    check_budget,
    exact_dot,
    upper_tail,
)
from betterthan.numeric import NUMBER, Alternative, Floats, Ints

__all__ = ["BUDGET", "SignedSum"]


MAX_COUNTED = 1024  # most items whose patterns are ever counted
MANY, FEW = 64, 4  # items, and their distinct sizes, where only small sums are counted


Way = tuple[int, Callable[[], Probability]]


@dataclass(frozen=True, slots=True, eq=False)
class SignedSum:
    """The distribution of ``S = sum of ±d`` with fair coins for the signs of integers ``d``.

    Parameters
    ----------
    steps, counts : array of int64
        The distinct ``|d| > 0`` divided by ``unit``, ascending, and how often each occurs.
    unit : int
        Greatest common divisor of the differences: ``S`` is ``unit`` times a sum of ``±steps``.
    n : int
        Number of items with a difference.
    reach : int
        Sum of all steps: the largest value of T.

    Examples
    --------
    >>> law = SignedSum.of(np.array([2, 0, 2, 2, -2, 2, 2, 2]))
    >>> law.unit, law.n, law.variance
    (2, 7, 28)
    >>> law.pvalue(10).value  # six wins, one loss
    0.125
    """

    steps: Ints
    counts: Ints
    unit: int
    n: int
    reach: int
    _ways: dict[int, Way] = field(default_factory=dict, repr=False)
    """What `_way` chose last, for `cost` and then `tail`."""

    @classmethod
    def of(cls, differences: ArrayLike, counts: ArrayLike | None = None) -> Self:
        """Law for one signed difference per row, of one item or ``counts``; zeros do not matter."""
        d = np.asarray(differences)
        if d.dtype.kind not in "iub" and d.size:
            raise UsageError(f"differences must be integers, got {d.dtype}")
        if d.dtype == np.uint64 and d.max(initial=0) > np.iinfo(np.int64).max:
            raise UsageError("differences must lie within ±(2**63 - 1)")
        size = np.abs(d.astype(np.int64, copy=False).ravel())
        # The least int64 is its own absolute value: as an unsigned number it is right again.
        largest = int(size.view(np.uint64).max(initial=0))
        times = None if counts is None else counts_of(counts, size.size)
        if times is None and largest < max(2 * size.size, 2**12):
            tally = np.bincount(size)
            steps = tally[1:].nonzero()[0] + 1
            return cls._reduced(steps, tally[steps])
        if largest > np.iinfo(np.int64).max:
            raise UsageError("differences must lie within ±(2**63 - 1)")
        live = size.nonzero()[0]
        if not live.size:
            return cls._reduced(live, live)
        size = size[live]
        first, copies = distinct_rows([size], None if times is None else times[live])
        return cls._reduced(size[first], copies)

    @classmethod
    def of_counts(cls, steps: ArrayLike, counts: ArrayLike) -> Self:
        """Law for ascending distinct ``steps >= 0`` and the number of items with each."""
        e = np.asarray(steps, dtype=np.int64)
        c = np.asarray(counts, dtype=np.int64)
        if e.shape != c.shape or (np.diff(e, prepend=-1) <= 0).any() or (c <= 0).any():
            raise UsageError("steps must ascend from zero or more, and counts be positive")
        if e.size and e[0] == 0:
            e, c = e[1:], c[1:]
        return cls._reduced(e, c)

    @classmethod
    def _reduced(cls, steps: Ints, counts: Ints) -> Self:
        """Divide ascending positive steps by their greatest common divisor."""
        unit = 1
        if steps.size and steps[0] > 1:
            unit = int(np.gcd.reduce(steps))
            steps = steps // unit
        return cls(steps, counts, unit, int(counts.sum()), exact_dot(steps, counts))

    @property
    def total(self) -> int:
        """Largest value of S: all signs positive."""
        return self.unit * self.reach

    @property
    def variance(self) -> int:
        """Variance of S."""
        pairs = zip(self.steps.tolist(), self.counts.tolist(), strict=True)
        squares: int = sum(e * e * c for e, c in pairs)
        return self.unit * self.unit * squares

    def tail(self, s: int) -> Probability:
        """P(S >= s), with a bound on its relative error.

        Raises
        ------
        BudgetExceededError
            If `cost` at ``s`` is beyond `BUDGET`.
        """
        total, t = self.reach, self._threshold(s)
        if 2 * t > total + 1:
            return self._way(t)[1]()
        if 2 * t == total + 1:  # S is odd and cannot be zero: a half, by symmetry
            return Ratio.of_counts(1, 2)
        return self._way(total - t + 1)[1]().complement()

    def pvalue(self, observed: int, alternative: Alternative = "two-sided") -> Probability:
        """P-value of ``observed``: two-sided means at least as far from zero, either way."""
        if not isinstance(observed, NUMBER):
            raise UsageError(f"the observed sum must be an integer, got {quote(observed)}")
        if alternative == "two-sided":
            return self.tail(abs(observed)).doubled() if observed else Ratio.of_counts(1, 1)
        check_alternative(alternative)
        return self.tail(observed if alternative == "greater" else -observed)

    def cost(self, s: int = 0) -> int:
        """Estimate the nanoseconds ``tail(s)`` takes, by the cheapest of its ways."""
        t = self._threshold(s)
        return self._way(max(t, self.reach - t + 1))[0]

    def mass(self) -> tuple[Ints, Floats]:
        """Values of S and their probabilities, leaving out less than 1e-15 of the mass.

        Probabilities are right to about 1e-15 absolutely; for small ones use `tail`. Like `tail` it
        raises an error for lattices beyond `BUDGET`.
        """
        total = self.reach
        if total == 0:
            return np.zeros(1, dtype=np.int64), np.ones(1)
        spread = math.sqrt(2.0 * LEFT_OUT * self.variance) / self.unit  # Hoeffding (1963)
        low = max(0, math.floor((total - spread) / 2))
        size = total + 1 - 2 * low
        fair = Tilt.fair(self.steps, self.counts, period=size | 1)
        check_budget(max(fair.cost(), ELEMENT * fair.period))
        spectrum = np.zeros(fair.period // 2 + 1, dtype=np.complex128)
        spectrum[0] = 1.0
        for k, log_modulus, angle, _ in fair.live_frequencies():
            turn = angle + angle_of(k, (total - 2 * low) % (2 * fair.period), fair.period)
            spectrum[k] = np.exp(log_modulus) * np.exp(-1j * turn)
        values = self.unit * (2 * np.arange(low, low + size, dtype=np.int64) - total)
        return values, np.maximum(np.fft.irfft(spectrum, fair.period)[:size], 0.0)

    def quantile(self, q: float) -> int:
        """Smallest s with P(S <= s) >= q."""
        if not 0.0 < q <= 1.0:
            raise UsageError(f"q must lie in (0, 1], got {q!r}")

        def reached(s: int) -> bool:
            if q <= 0.5:
                return self.tail(-s).high >= q
            return self.tail(s + self.unit).low <= 1.0 - q

        values = range(-self.total, self.total + 1, 2 * self.unit)
        return values[bisect_left(values, True, key=reached)]

    def _threshold(self, s: int) -> int:
        """The least T with S >= s."""
        try:
            least = -(-int(s) // self.unit)
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"a sum must be an integer, got {quote(s)}") from error
        return -((-self.reach - least) // 2)

    def _way(self, t: int) -> Way:
        """Nanoseconds to P(T >= t) for t above the middle, and the cheapest way there."""
        if t not in self._ways:
            self._ways.clear()
            self._ways[t] = self._cheapest(t)
        return self._ways[t]

    def _cheapest(self, t: int) -> Way:
        steps, counts, n, total = self.steps, self.counts, self.n, self.reach
        if t > total:
            return 0, partial(Ratio.of_counts, 0, 1)
        if total - t < steps.min(initial=1):  # every coin must show heads
            if n <= MAX_COUNTED:
                return 0, partial(Ratio.of_counts, 1, 2**n)
            return 0, partial(Probability.of_log, -n * LOG2, n * 2.0**-52, how=COUNTS)
        if n > MAX_COUNTED:
            counting = NEVER
        elif n > MANY and steps.size > FEW:  # too many subsets to list
            counting = packed_work(n, total - t)
        else:
            counting = work(steps.tolist(), counts.tolist(), t)
        if counting > SOON:
            step, copies = int(steps[-1]), int(counts[-1])
            if steps.size > 1 and copies <= MAX_COUNTED and total - step * copies < step:
                rest = SignedSum.of_counts(steps[:-1], counts[:-1])
                cost = rest.cost(2 * (t % step) - rest.total)
                return cost, partial(_given_dominant, rest, step, copies, t)
            tilt = Tilt.at(steps, counts, excess=2 * t - total, total=total)
            if tilt.cost() < counting:
                return tilt.cost(), partial(upper_tail, tilt, total, t)
        return counting, partial(self._counted, t)

    def _counted(self, t: int) -> Probability:
        hits = patterns_at_least(self.steps.tolist(), self.counts.tolist(), t)
        return Ratio.of_fraction(Fraction(hits, 2**self.n))


def _given_dominant(rest: SignedSum, step: int, copies: int, t: int) -> Probability:
    """P(T >= t) for ``copies`` of a step larger than everything in ``rest``.

    With more than ``t // step`` of them showing heads the threshold is passed in any case; with
    exactly that many the rest decides; with fewer it is out of reach. So a few huge items cost
    nothing, although the lattice they span is huge.
    """
    needed, remainder = divmod(t, step)
    surely = Fraction(patterns_at_least([1], [copies], needed + 1), 2**copies)
    undecided = Fraction(math.comb(copies, needed), 2**copies)
    decided = rest.tail(2 * remainder - rest.total)
    if isinstance(decided, Ratio):
        return Ratio.of_fraction(surely + undecided * decided.fraction)
    return decided.scaled(Ratio.of_fraction(undecided).log).plus(Ratio.of_fraction(surely))
