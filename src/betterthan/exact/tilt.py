"""Tails of a sum of integers under fair coins: tilt, window, a handful of frequencies.

``T`` is the sum of those integer steps whose fair coin shows heads, and ``D`` the sum of all. Its
upper tail is computed in three moves.

*Tilt.* Loading the coin of step e by ``exp(lam e)`` moves the mean of T to the threshold t (Daniels
1954), and for any ``lam``, with ``K`` the cumulant generating function,

    P(T >= t) = exp(K(lam) - lam t) A,    A = sum_{j >= 0} exp(-lam j) P_lam(T = t + j).

A is a number of ordinary size, so the tail keeps its relative accuracy however small it is.

*Window.* A loaded coin is sub-Gaussian (Hoeffding 1963; Kearns & Saul 1998), hence so is T, with
variance proxy ``(E_lam[T] - D/2) / lam``. The mass that matters lies in a window growing with the
square root of the number of items, and T may be taken modulo the length of that window.

*A handful of frequencies.* The characteristic function is a product of factors of modulus at most
one. A coarse transform certifies nearly all frequencies to be negligible, the few others are
evaluated, and the tail weights are a geometric series: A is one short sum.

Whatever is left out is bounded, and the bound is part of the result.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from betterthan.exact.probability import LATTICE, LOG2, BudgetExceededError, Probability
from betterthan.numeric import UNIT_ROUNDOFF, Floats, Ints

#: Largest cost in nanoseconds that `upper_tail` accepts.
BUDGET = 2**32
ELEMENT = 2**7  # nanoseconds spent on one factor at one frequency
START = 2**18  # and on the arrays of a handful of frequencies

LEFT_OUT = 36.0  # leave out about exp(-36) = 2e-16 of the answer
FACTOR_ROUNDINGS = 8.0  # roundings in one term of the Fourier sum, its angle and exponent apart
SAFETY = 10.0  # the rounding allowance is multiplied by this
SMALL = 2**12  # below this many elements nothing is gained by screening frequencies
BLOCK = 2**15  # elements of a temporary array: fits the cache
BATCH = 2**16  # frequencies evaluated together


def upper_tail(tilt: "Tilt", total: int, t: int) -> Probability:
    """P(T >= t) for t between the middle of the distribution and its largest value.

    Parameters
    ----------
    tilt : Tilt
        The coins, loaded towards the threshold.
    total, t : int
        The sum D of all steps, and the threshold, ``D/2 < t < D``.

    Raises
    ------
    BudgetExceededError
        If the work is beyond `BUDGET`.

    Examples
    --------
    >>> tilt = Tilt.at(np.array([1]), np.array([100]), excess=20, total=100)
    >>> p = upper_tail(tilt, 100, 60)  # 60 heads or more in 100
    >>> round(p.value, 10), p.error < 1e-12
    (0.0284439668, True)
    """
    excess = 2 * t - total
    check_budget(tilt.cost())
    lam, kept, period = tilt.lam, tilt.kept, tilt.period
    weight_at_zero = math.expm1(-lam * kept) / math.expm1(-lam)
    value = weight_at_zero
    roundings = weight_at_zero * FACTOR_ROUNDINGS
    for k, log_modulus, angle, slips in tilt.live_frequencies():
        shift, back = angle_of(k, np.array([[excess % (2 * period)], [2 * kept]]), period)
        # The weight, sum over j < kept of exp(-(lam + i theta) j), is a quotient of two expm1. As
        # computed, an argument of theta kept is wrong by u theta kept radians, millions of units
        # for a long window: so it is reduced modulo whole turns in integers, where nothing is lost.
        # Then both angles are at most pi, numerator and denominator are right to a few units, for
        # neither part of expm1 cancels while the cosine is positive, and where it is negative the
        # result is at least one; hence so is the weight, which `FACTOR_ROUNDINGS` allows for.
        whole = np.expm1(-lam * kept - 1j * back)
        weight = whole / np.expm1(-lam - 2j * math.pi / period * k)
        size = 2.0 * np.exp(log_modulus)
        turn = angle - shift
        value += float((size * (weight.real * np.cos(turn) - weight.imag * np.sin(turn))).sum())
        size *= np.abs(weight)
        roundings += float(size @ (FACTOR_ROUNDINGS + slips + np.abs(shift) - log_modulus))
    divergence = tilt.divergence()
    short_of = lam * 0.5 * (excess - tilt.drift)  # the tilted mean misses t by a little
    roundings = roundings / value + 8.0 * divergence + 4.0 * lam * excess
    left_out = tilt.left_out(total - t, t) * period / value
    error = left_out + SAFETY * UNIT_ROUNDOFF * roundings
    chernoff = -divergence - short_of  # an upper bound, since A <= 1
    if not 0.0 < error < 1.0:
        # Only at the very end of a law of 10**8 items: no digits of A are left, but the tail is at
        # least its last point.
        log = chernoff * (1.0 - 1e-13)
        low = -LOG2 * float(tilt.counts.sum()) * (1.0 + 1e-13)
        return Probability(log, low, log, how=LATTICE)
    return Probability.of_log(math.log(value / period) + chernoff, error, how=LATTICE)


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """Loaded coins, and the window in which their sum is followed.

    Parameters
    ----------
    steps, counts : array
        Distinct steps and how many coins have each.
    lam : float
        The tilt: heads has probability ``1 / (1 + exp(-lam e))``.
    tau, sech2 : array of float
        ``tanh(lam e / 2)`` and one minus its square.
    drift, sigma : float
        ``2 E_lam[T] - D`` and the standard deviation of T.
    kept, period : int
        Terms of the tail that are summed; length of the window, odd.
    cut : float
        Frequencies of modulus below ``exp(-cut)`` are negligible.
    grid : int
        Size of the coarse grid that screens the frequencies; 0 where it would not help.
    """

    steps: Ints
    counts: Ints
    lam: float
    tau: Floats
    sech2: Floats
    drift: float
    sigma: float
    kept: int
    period: int
    cut: float
    grid: int

    @classmethod
    def at(cls, steps: Ints, counts: Ints, *, excess: int, total: int) -> Self:
        """Tilt towards ``2 T - D = excess``, with ``0 < excess < total``."""
        e = steps.astype(np.float64)
        first = counts * e
        second = first * e
        lam = _solve(e, first, second, excess, total)
        q = expit(-lam * e)
        sech2 = 4.0 * q * (1.0 - q)
        tau = np.tanh(0.5 * lam * e)
        drift = float((first * tau).sum())
        proxy = 0.5 * drift / lam
        ahead = 0.5 * (drift - excess)  # of t, by the tilted mean
        above, below = (total - excess) // 2, (total + excess) // 2
        sigma = 0.5 * math.sqrt(float(second @ sech2))
        small = LEFT_OUT + math.log1p(2.5 * lam * sigma)  # A is about 1 / (1 + 2.5 lam sigma)
        # Keep J terms: lam J + (J - ahead)^2 / (2 proxy) >= small. Below the mean, h^2 / (2 proxy).
        room = max(small - lam * ahead, 1.0)
        far = ahead - 0.5 * drift + math.sqrt(0.25 * drift * drift + 2.0 * proxy * room)
        kept = max(1, min(math.ceil(far), above + 1))
        low = min(max(0, math.ceil(math.sqrt(2.0 * proxy * small) - ahead)), below)
        cut = small + math.log(math.expm1(-lam * kept) / math.expm1(-lam))
        period = (kept + low) | 1
        grid = _grid_size(float(counts @ sech2), sigma, cut, period, steps.size)
        return cls(steps, counts, lam, tau, sech2, drift, sigma, kept, period, cut, grid)

    @classmethod
    def fair(cls, steps: Ints, counts: Ints, *, period: int) -> Self:
        """No tilt: the law itself, modulo ``period``."""
        flat = np.zeros(steps.size)
        sigma = 0.5 * math.sqrt(float(counts @ np.square(steps, dtype=np.float64)))
        grid = _grid_size(float(counts.sum()), sigma, LEFT_OUT, period, steps.size)
        return cls(steps, counts, 0.0, flat, flat + 1.0, 0.0, sigma, period, period, LEFT_OUT, grid)

    def divergence(self) -> float:
        """Relative entropy of the loaded coins: ``sum c (y tanh y - log cosh y)``, y = lam e/2."""
        y = 0.5 * self.lam * self.steps
        near = y * self.tau + 0.5 * np.log1p(-(np.minimum(self.tau, 0.9) ** 2))
        far = LOG2 - 2.0 * y * expit(-2.0 * y) - np.log1p(np.exp(-2.0 * y))
        return float((self.counts * np.where(y < 0.5, near, far)).sum())

    def left_out(self, above: int, below: int) -> float:
        """Bound on what A lacks: the tail not kept, its aliases, the frequencies dropped.

        ``above`` and ``below`` are the numbers of lattice points on either side of t.
        """
        proxy = 0.5 * self.drift / self.lam
        ahead = 0.5 * (self.drift - (below - above))

        def beyond(distance: float) -> float:
            return math.exp(-0.5 * max(distance, 0.0) ** 2 / proxy)

        kept, period = self.kept, self.period
        not_kept = math.exp(-self.lam * kept) * beyond(kept - ahead) if kept <= above else 0.0
        alias_above = beyond(period - ahead) if period <= above else 0.0
        alias_below = beyond(period - kept + 1 + ahead) if period - kept < below else 0.0
        dropped = math.exp(-self.cut) * math.expm1(-self.lam * kept) / math.expm1(-self.lam)
        return not_kept + alias_above + alias_below + dropped

    def cost(self) -> int:
        """Estimate the nanoseconds that `live_frequencies` takes."""
        half = self.period / 2
        if self.grid:
            reach = math.sqrt(2.0 * self.cut) / self.sigma + 2.0 * math.pi / self.grid
            half = min(half, self.period * reach / (2.0 * math.pi))
        elements = self.grid + half * min(self.steps.size, 2.0 * self.cut) + self.steps.size
        return START + ELEMENT * int(elements)

    def live_frequencies(self) -> Iterator[tuple[Ints, Floats, Floats, Floats]]:
        """Frequencies ``2 pi k / period``, 0 < k < period / 2, whose modulus is not negligible.

        Yields batches of k, the log modulus and the angle of ``E_lam exp(i theta (T - D/2))``, and
        a bound on the roundings in them, the size of the log modulus itself apart.
        """
        start, stop = self._candidates()
        offsets = np.cumsum(stop - start)
        size = int(offsets[-1]) if offsets.size else 0
        check_budget(ELEMENT * size)
        if size and 4 * int(stop[-1]) * self.period >= 2**63:
            check_budget(ELEMENT * self.period)  # live frequencies far out on a huge lattice
        for begin in range(0, size, BATCH):
            k = np.arange(begin, min(begin + BATCH, size))
            if start.size == 1:
                k += start
            else:
                block = np.searchsorted(offsets, k, side="right")
                k += stop[block] - offsets[block]
            yield self._evaluate(k)

    def _candidates(self) -> tuple[Ints, Ints]:
        """Half-open ranges of k outside which every frequency is certainly negligible.

        With ``R(theta)^2 = sum c sech2 sin(theta e / 2)^2`` the modulus is at most
        ``exp(-R^2 / 2)``. R is a norm of a vector that moves with speed at most sigma, and R^2 is
        a cosine sum: one transform gives it on a coarse grid, the speed limit in between.
        """
        half = (self.period - 1) // 2
        grid = self.grid
        if grid == 0:
            return np.array([1]), np.array([half + 1])
        weight = self.counts * self.sech2
        folded = np.bincount(self.steps & (grid - 1), weight, minlength=grid)
        cosines = np.fft.rfft(folded).real
        reach = 1.001 * math.sqrt(2.0 * self.cut) + self.sigma * math.pi / grid
        j = (cosines > cosines[0] - 2.0 * reach * reach).nonzero()[0]
        if j.size == j[-1] + 1:  # the usual case: one range next to zero
            j = j[-1:]
            return np.array([1]), np.minimum((2 * j + 1) * self.period // (2 * grid), half) + 1
        start = (2 * j - 1) * self.period // (2 * grid) + 1
        stop = (2 * j + 1) * self.period // (2 * grid) + 1
        return np.maximum(start, 1), np.maximum(np.minimum(stop, half + 1), 1)

    def _evaluate(self, k: Ints) -> tuple[Ints, Floats, Floats, Floats]:
        """Multiply the factors, the strongest first, dropping k once it is negligible.

        The factor of a step is ``cos x + i tau sin x``, x = theta e / 2; in terms of tan x its
        angle is ``arctan(tau tan x)`` and its squared modulus ``1 - sech2 sin(x)^2``.

        A factor's error: x is wrong by 3 u |x|, and the logarithm of the factor f moves by at most
        ``(sech2 + tau / |f|) / |f|`` as x moves by one. Where ``|f|^2 >= 1/2`` that is a few units
        of the logarithm's own size, real and imaginary part alike. Elsewhere ``tau < 1.5 |f|``,
        which leaves ``2.5 |x| / |f|``: near a zero of f the absolute error is what stays small.
        """
        period = self.period
        steps, counts, tau, sech2 = self.steps, self.counts, self.tau, self.sech2
        if steps[-1] >= 2 * period:
            steps = steps % (2 * period)
        if k.size * steps.size > BLOCK:
            order = np.argsort(-counts * sech2 * np.square(steps, dtype=np.float64), kind="stable")
            steps, counts, tau, sech2 = steps[order], counts[order], tau[order], sech2[order]
        weights = counts.astype(np.float64)
        log_modulus, angle, slips = np.zeros((3, k.size))
        done = 0
        while done < steps.size and k.size:
            part = slice(done, done + max(1, BLOCK // k.size))
            done = part.stop
            x = k[:, None] * steps[part]
            if 2 * int(k[-1]) * int(steps[part].max()) > period:
                # Half turns only change the sign, and only for odd counts.
                half_turns = (2 * x + period) // (2 * period)
                x -= half_turns * period
                angle += math.pi * ((half_turns & 1) @ (counts[part] & 1) & 1)
            tangent = np.tan(x * (math.pi / period))
            square = tangent * tangent
            sine2 = square / (1.0 + square)
            lost = sech2[part] * sine2
            log_factor = np.log1p(-np.minimum(lost, 0.5))
            deep = lost > 0.5
            if deep.any():
                modulus2 = (1.0 + tau[part] ** 2 * square) / (1.0 + square)
                log_factor[deep] = np.log(modulus2[deep])
                slips += (deep / np.sqrt(modulus2)) @ (2.0 * weights[part])
            turns = np.arctan(tau[part] * tangent)
            log_modulus += 0.5 * (log_factor @ weights[part])
            angle += turns @ weights[part]
            slips += np.abs(turns) @ weights[part]
            live = log_modulus > -self.cut
            if not live.all():
                k, log_modulus = k[live], log_modulus[live]
                angle, slips = angle[live], slips[live]
        return k, log_modulus, angle, slips


def exact_dot(a: Ints, b: Ints) -> int:
    """Inner product of int64 arrays of non-negative numbers, as a Python integer."""
    if a.size == 0:
        return 0
    if float(a[-1]) * float(b.sum()) < 2.0**62:  # a ascends
        return int(a @ b)
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))


def angle_of(k: Ints, excess: int | Ints, period: int) -> Floats:
    """``theta_k * excess / 2`` modulo whole turns, reduced in integers.

    ``0 <= excess < 2 * period``, and so many times k fits 64 bits.
    """
    turns = k * excess % (2 * period)
    return (turns - 2 * period * (turns > period)) * (math.pi / period)


def check_budget(cost: int) -> None:
    """Raise an error for work that would take too long."""
    if cost > BUDGET:
        message = (
            f"the lattice of these differences is too fine for its exact engine: about "
            f"{cost * 1e-9:.1g} s (limit {BUDGET * 1e-9:.0f} s); use a coarser unit or the "
            "certified engine"
        )
        raise BudgetExceededError(message)


def _solve(e: Floats, first: Floats, second: Floats, excess: int, total: int) -> float:
    """A tilt that brings the mean within a tenth of a standard deviation of the threshold.

    Newton's method on the log odds of ``E[T] / D``, which are linear in the tilt for equal steps
    and nearly so at both ends otherwise.
    """
    variance = float(second.sum())
    target = math.log((total + excess) / (total - excess))
    missing = 0.5 * (total - excess)
    lam = target * total / variance
    for _ in range(100):
        q = expit(-lam * e)
        miss = float(first @ q)
        spread = float(second @ (q * (1.0 - q)))
        if (miss - missing) ** 2 <= 0.01 * spread:
            break
        lam += (target - math.log((total - miss) / miss)) * miss * (total - miss) / spread / total
    return max(lam, 1.0 / math.sqrt(variance))


def _grid_size(weight: float, sigma: float, cut: float, period: int, steps: int) -> int:
    """Choose the coarse grid: a power of two, or 0 where screening would not help.

    ``weight`` is the sum of ``c sech2``; half of it is the typical R^2 (see `Tilt`), and half of
    its lead over the cut is what the speed limit may take away between two points of the grid.
    """
    lead = math.sqrt(0.5 * weight) - math.sqrt(2.0 * cut)
    if period * steps <= SMALL or lead < 0.5:
        return 0
    size = min(max(512.0, 2.0 * math.pi * sigma / lead), 2.0 * period)
    return 1 << (math.ceil(size) - 1).bit_length()
