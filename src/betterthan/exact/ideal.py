"""The ideal bootstrap: the distribution of a resampled sum or ratio, with no resampling.

A resample of ``n`` items is ``n`` independent draws from the data, so the distribution of its sum
is known; infinitely many resamples are what Efron (1979) calls the *ideal* bootstrap. Every event
asked of it, for a sum as for a ratio, is one inequality between integers,
``q ΣD - p ΣW >= k``: a ratio is compared by cross-multiplying (its denominators are not negative),
and a strict comparison asks for one more. This module reduces that inequality to its simplest
form; :mod:`betterthan.exact.draws` evaluates it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from betterthan.checks import check_level
from betterthan.data.tally import distinct_rows
from betterthan.errors import UsageError
from betterthan.exact.draws import Line, tail_of_draws
from betterthan.exact.inputs import counts_of, integer_rows
from betterthan.exact.probability import Probability, log_share
from betterthan.exact.search import first_integer
from betterthan.numeric import UNIT_ROUNDOFF, Floats, Ints

SAFE_INTEGER = 1 << 62

SUM_LATTICE = 1 << 16
"""A ratio's event is taken for that of one sum if its lattice asks for no longer period."""


@dataclass(frozen=True, slots=True)
class ResampledRatio:
    """Distribution of ``sum d / sum w`` over ``n`` draws of pairs ``(d, w)`` with replacement.

    Denominators are not negative; without any the ratio is the mean of ``d``. Resamples whose
    denominators are all zero (`undefined` is their probability) have no ratio: they count as
    ``sum d >= 0`` says, as the cross-multiplied comparison does.

    Examples
    --------
    >>> law = ResampledRatio.of([1, 0], [1, 2])
    >>> [round(law.tail(Fraction(r)).value, 12) for r in ("0", "1/3", "1")]
    [1.0, 0.75, 0.25]
    >>> law.quantile(0.5), ResampledRatio.of([0, 1]).interval(0.9)
    (Fraction(1, 3), (Fraction(0, 1), Fraction(1, 1)))

    Raises
    ------
    BudgetExceededError
        By every question whose answer needs a transform larger, or is less accurate, than the
        budgets of :mod:`betterthan.exact.draws` allow; the message says by how much.
    """

    d: Ints
    w: Ints
    counts: Ints

    @classmethod
    def of(cls, d: ArrayLike, w: ArrayLike | None = None, counts: ArrayLike | None = None) -> Self:
        """Distribution of the resampled ratio of the integers ``d`` and ``w`` of items or clusters.

        A pair belongs to one item, or to as many as ``counts`` holds.
        """
        top = _column(d, "d", counts)
        bottom = np.ones_like(top) if w is None else _column(w, "w", counts)
        if top.shape != bottom.shape:
            raise UsageError(
                f"d and w need one value per item each, not {top.size} and {bottom.size}"
            )
        if bottom.min() < 0:
            raise UsageError(f"w must not be negative, but holds {int(bottom.min())}")
        first, copies = distinct_rows([top, bottom], counts_of(counts, top.size))
        return cls(top[first], bottom[first], copies)

    @property
    def n(self) -> int:
        """Number of items, which is the number of draws."""
        return int(self.counts.sum())

    @property
    def total(self) -> tuple[int, int]:
        """Observed sums of ``d`` and ``w``."""
        return int(self.counts @ self.d), int(self.counts @ self.w)

    @property
    def undefined(self) -> Probability:
        """Probability of a resample whose denominators are all zero."""
        return _every_draw(int(self.counts[self.w == 0].sum()), self.n)

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability that the resampled ratio is at least ``r`` (above it if ``strict``)."""
        return self.event(r.denominator, r.numerator, int(strict))

    def lower(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability that the resampled ratio is at most ``r`` (below it if ``strict``)."""
        return self.event(-r.denominator, -r.numerator, int(strict))

    def event(self, q: int, p: int, k: int) -> Probability:
        """Probability that ``q * sum d - p * sum w >= k`` over a resample."""
        d = self.d if q >= 0 else -self.d
        return _exceeds(d, self.w, self.counts, Line(abs(q), p, k))

    def quantile(self, probability: float) -> Fraction:
        """Smallest ratio ``r`` for which ``lower(r)`` reaches ``probability``.

        A probability within its own error bound of the one asked for counts as reached. Where
        denominators vary the quantile is found to a millionth of a standard error; the simplest
        fraction that close is returned, which is the quantile itself wherever the law's values lie
        further apart.
        """
        check_level(probability, "probability")
        top, bottom = self.total
        if bottom == 0:
            raise UsageError("the ratio has no quantile: every denominator is zero")
        if (self.d * bottom == self.w * top).all():
            return Fraction(top, bottom)
        lattice = self.w.min() == self.w.max()
        if lattice:
            origin, step, _ = _on_lattice(self.d)
            start, grain = Fraction(self.n * origin, bottom), Fraction(step, bottom)
        else:
            residual = self.d - top / bottom * self.w
            standard_error = math.sqrt(float(self.counts @ residual**2)) / bottom
            start, grain = (
                Fraction(0),
                Fraction(2.0 ** math.floor(math.log2(1e-6 * standard_error))),
            )
        steps = first_integer(
            lambda j: self.lower(start + j * grain).high >= probability,
            round((Fraction(self.expected_quantile(probability)) - start) / grain),
            stride=1 if lattice else 1 << 10,
        )
        reached = start + steps * grain
        return reached if lattice else _simplest(reached - Fraction(999, 1000) * grain, reached)

    def interval(self, confidence: float = 0.95) -> tuple[Fraction, Fraction]:
        """Percentile interval: the outermost values with half the error or more beyond and at them.

        Changing the sign of the data changes the sign of the interval.
        """
        check_level(confidence, "confidence")
        tail = 0.5 * (1.0 - confidence)
        return self.between(tail, tail)

    def between(self, below: float, above: float) -> tuple[Fraction, Fraction]:
        """Outermost values with these probabilities or more at and beyond them."""
        mirrored = type(self)(-self.d, self.w, self.counts)
        return self.quantile(below), -mirrored.quantile(above)

    def expected_quantile(self, probability: float) -> float:
        """Approximate quantile of the ratio, by Cornish & Fisher's (1938) expansion.

        The quantile r has ``P(sum (d - r w) <= 0) = probability``; mean, variance and skewness of
        that sum are those of its terms, which depend on r but little.
        """
        z = float(ndtri(probability))
        top, bottom = self.total
        r = top / bottom
        for _ in range(3):
            x = self.d - r * self.w
            x = x - float(self.counts @ x) / self.n
            sd = math.sqrt(float(self.counts @ x**2))
            skewness = float(self.counts @ x**3) / sd**3 if sd > 0.0 else 0.0
            r = (top + sd * (z + skewness * (z * z - 1.0) / 6.0)) / bottom
        return r


def _exceeds(d: Ints, w: Ints, c: Ints, line: Line) -> Probability:
    """``P(q ΣD - p ΣW >= k)``: the inequality reduced, then the easy cases, then the transform."""
    n = int(c.sum())
    a, g, d = _on_lattice(d)
    b, h, w = _on_lattice(w)
    q, p, k = line.q * g, line.p * h, line.k - n * (line.q * a - line.p * b)
    if q == 0:  # only the denominators vary: they become the one column there is
        d, w, q, p = (w, d, -p, 0) if p <= 0 else (-w, d, p, 0)
    common = math.gcd(q, p) or 1
    line = Line(q // common, p // common, -(-k // common))

    mean = line.q * int(c @ d) - line.p * int(c @ w) - line.k
    if mean > 0:  # the likely event: its complement is the tail
        return _exceeds(-d, w, c, Line(line.q, -line.p, 1 - line.k)).complement()
    top, met, z = _excess(d, w, n, line)
    if top <= 0:  # every draw must be one of those that give nothing away
        return _every_draw(int(c[met].sum()), n)
    if line.p != 0 and (merged := _as_sum(d, w, c, z, line)) is not None:
        return _exceeds(merged, np.zeros_like(w), c, Line(1, 0, line.k))
    return tail_of_draws(d, w, c, z, line)


def _on_lattice(x: Ints) -> tuple[int, int, Ints]:
    """``x = origin + step * y`` with the smallest ``y >= 0``; a step of 0 if x is constant."""
    origin = int(x.min())
    y = x - origin
    step = int(np.gcd.reduce(y))
    return origin, step, y // step if step > 1 else y


def _excess(d: Ints, w: Ints, n: int, line: Line) -> tuple[int, NDArray[np.bool_], Floats]:
    """``n (q d - p w) - k`` of every atom: the largest, which are zero, and all over ``n q``.

    Decided in exact integers, Python's own where int64 is too small.
    """
    q, p, k = line
    reach = n * (q * int(d.max()) + abs(p) * int(w.max())) + abs(k)
    kind = np.int64 if reach < SAFE_INTEGER else object
    excess = (n * q) * d.astype(kind) - (n * p) * w.astype(kind) - k
    z = np.zeros(d.size) if q == 0 else (excess / (n * q)).astype(np.float64)
    return int(excess.max()), np.asarray(excess == 0, dtype=np.bool_), z


def _as_sum(d: Ints, w: Ints, c: Ints, z: Floats, line: Line) -> Ints | None:
    """Return the one column ``q d - p w`` if its lattice is small: cheaper than two columns."""
    q, p, _ = line
    if q * int(d.max()) + abs(p) * int(w.max()) >= SAFE_INTEGER:
        return None
    y = q * d - p * w
    step = int(np.gcd.reduce(y - y.min())) or 1
    window = 20.0 * q * math.sqrt(float(c @ (z * z))) / step
    return y if window <= SUM_LATTICE else None


def _every_draw(favourable: int, n: int) -> Probability:
    """Probability that each of ``n`` draws is one of the ``favourable`` items."""
    if favourable in (0, n):
        return Probability.of(float(favourable > 0))
    log = n * log_share(favourable, n)
    return Probability.of_log(log, 4.0 * UNIT_ROUNDOFF * (1.0 - log))


def _column(values: ArrayLike, name: str, counts: ArrayLike | None) -> Ints:
    """Check that ``values`` is one column of integers small enough to be summed n times."""
    rows = integer_rows(values, name, counts, bits=60)
    if rows.shape[1] != 1 or not len(rows):
        raise UsageError(f"{name} must be one column of at least one item, got {rows.shape}")
    return rows[:, 0]


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Fraction of the smallest denominator in ``[low, high]``, by continued fractions."""
    whole = math.floor(low)
    if whole == low or whole + 1 <= high:
        return Fraction(math.ceil(low))
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
