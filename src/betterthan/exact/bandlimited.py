"""A tilted sum of random signs, for :mod:`betterthan.exact.extremal` to bracket its tail.

``S = sum of +-d_n`` with fair signs; ``t = sum(d) - 2 slack`` is the threshold and ``X = S - t``.
Under the tilt ``lam`` item n is positive with odds ``exp(2 lam d_n)``. The characteristic function
is a product over the items, and a matrix product over a few of them proves nearly all of it dead.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.data.tally import distinct_rows
from betterthan.exact.extremal import summed_shifts
from betterthan.exact.probability import BRACKET, LOG2, Probability
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

UNIT32 = 2.0**-24  # and of a single
SUMMATION = 64.0 * UNIT_ROUNDOFF  # relative to sum(|x|): NumPy's pairwise sums, any length
MAX_WITNESSES = 1024  # most items that vouch for dead frequencies
CHUNK = 1 << 18  # numbers held in memory at a time
BLOCK = 64  # neighbouring frequencies treated alike
LIGHT = 1 << 18  # multiplications of a matrix product too small for BLAS to start threads
MAX_FACTORS = 1 << 25  # effort limit: factors (frequency x item) multiplied in one pass


@dataclass(frozen=True, slots=True)
class Tilted:
    """The law of the signed sum of ``sizes``, tilted towards the threshold."""

    sizes: Floats  # distinct, when there are many ties
    copies: Floats  # how often each occurs
    items: int
    slack: float
    lam: float
    down: Floats  # probability of a negative sign
    excess: float  # E_lam[X]
    sd: float  # standard deviation of X
    exponent: float  # K(lam) - lam t

    @classmethod
    def at(cls, sizes: Floats, times: Ints, slack: float) -> Self:
        """Tilt so that the mean is near the threshold; any tilt is exact, so roughly will do."""
        items = int(times.sum())
        sizes, copies = distinct_sizes(sizes, times)
        lengths = copies * sizes
        total, squares = float(lengths.sum()), dot(lengths, sizes)
        lam = max(total - 2.0 * slack, 2.0 * math.sqrt(squares)) / squares
        for _ in range(100):
            # The mean is concave in lam and the start is below the root: Newton climbs to it.
            odds = np.exp(-2.0 * lam * sizes)
            down = odds / (1.0 + odds)
            excess = 2.0 * (slack - dot(lengths, down))
            variance = 4.0 * dot(lengths * down, sizes * (1.0 - down))
            if excess >= -0.05 * math.sqrt(variance):
                break
            lam -= excess / variance
        exponent = 2.0 * lam * slack + dot(copies, np.log1p(odds)) - items * LOG2
        sd = math.sqrt(variance)
        return cls(sizes, copies, items, slack, lam, down, excess, sd, exponent)

    @property
    def log_patterns(self) -> float:
        """Chernoff's bound on the logarithm of the number of sign patterns in the tail."""
        return self.exponent + self.exponent_doubt + self.items * LOG2

    @property
    def exponent_doubt(self) -> float:
        """Bound on the rounding error of the exponent."""
        return SUMMATION * (self.items + 2.0 * self.lam * self.slack)

    def chernoff(self, doubt: float) -> Probability:
        """Bracket without a transform: Chernoff's bound above, the all-positive pattern below.

        X is known to ``+-doubt``, and the slack surely positive.
        """
        high = min(self.exponent + self.exponent_doubt + self.lam * doubt, 0.0)
        low = min(-self.items * LOG2 * (1.0 + 4.0 * UNIT_ROUNDOFF), high)
        return Probability((low + high) / 2.0, low, high, how=BRACKET)

    def aliasing(self) -> Callable[[float], float]:
        """Bound on ``sum_{j != 0} E_lam[f(X + j L)]``, what the shifts add to the lower sum.

        A function of the period L. Its terms have log-concave bounds, so that the shifts to either
        side add up to less than a geometric series.
        """
        lengths = self.copies * self.sizes
        # Kearns & Saul (1998): a sign of mean tanh(y), y = lam d, has variance proxy tanh(y) / y.
        proxy = dot(lengths, 1.0 - 2.0 * self.down) / self.lam
        # X is high when few signs are flipped; a sum of non-negative T_n has proxy sum E[T_n**2]
        # downwards (Maurer 2003).
        proxy_up = min(proxy, 4.0 * dot(lengths * self.down, self.sizes))
        # Chernoff: log E_lam[exp(-s X)], exactly, for some s up to lam.
        moments = [(self.lam, self.exponent_doubt - self.exponent)]
        if proxy > 1.2 * self.sd**2:
            for s in (0.25 * self.lam, 0.5 * self.lam, 0.75 * self.lam):
                ratio = np.log1p(np.exp(-2.0 * (self.lam - s) * self.sizes)) + np.log1p(-self.down)
                moments.append(
                    (s, dot(self.copies, ratio) - 2.0 * s * self.slack + self.exponent_doubt)
                )

        def right(y: float) -> float:  # f(X - y) <= 1[X >= y]
            far = max(y - self.excess, 0.0)
            return -far * far / (2.0 * proxy_up)

        def left(y: float) -> float:  # f(X + y) <= exp(-s (X + y)) for 0 <= s <= lam
            far = max(y + self.excess, 0.0)
            s = min(far / proxy, self.lam)
            return min(s * (s * proxy / 2.0 - far), *(log - s * y for s, log in moments))

        return summed_shifts(left, right)

    def waves(self, k: Ints, period: float, floor: float) -> Complexes | None:
        """``E_lam[exp(2 pi i k X / L)]``; X is twice the slack that is left over."""
        step = 4.0 * math.pi / period
        phi = self.characteristic(k, step, floor)
        return None if phi is None else np.asarray(phi * np.exp(1j * (step * self.slack) * k))

    def rounding(self, k: Ints, period: float) -> Floats:
        """Bound on the rounding error of the waves."""
        reach = 4.0 * math.pi / period * (dot(self.copies, self.sizes) + self.slack)
        return UNIT_ROUNDOFF * (64.0 + (16.0 * self.items + 4.0 * reach) * k.astype(np.float64))

    def alive(self, period: float, frequencies: int, cut: float) -> Ints:
        """Frequencies k, ``1 <= k < Q``, not proven to have ``log|phi| <= -cut``."""
        step = 4.0 * math.pi / period  # X = 2 (slack - flipped), so 2 pi k X / L = k step (...)
        # |phi|**2 = prod(1 - v sin(w d)**2), v = 4 q (1-q), w = k step / 2, and
        # sin(x)**2 >= x**2 - x**4 / 3, so log|phi| <= (w**4 m4 / 3 - w**2 m2) / 2.
        v = 4.0 * self.copies * self.down * (1.0 - self.down)
        square = self.sizes * self.sizes
        m2, m4 = dot(v, square), dot(v * square, square)
        root = m2 * m2 - 8.0 / 3.0 * m4 * cut * 1.001
        if root > 0.0:
            near = 4.0 * cut * 1.001 / (m2 + math.sqrt(root))  # w**2 at both ends
            far = 1.5 * (m2 + math.sqrt(root)) / m4 * 0.999
            first = min(math.ceil(2.0 * math.sqrt(near) / step), frequencies)
            last = max(math.floor(2.0 * math.sqrt(far) / step), first - 1)
        else:
            first, last = 1, 0
        low = np.arange(1, first)
        if last + 1 >= frequencies:
            return low
        return np.concatenate((low, self._unproven(step, last + 1, frequencies, cut)))

    def _unproven(self, step: float, start: int, stop: int, cut: float) -> Ints:
        """Frequencies in ``[start, stop)`` that a sample of the items cannot prove dead.

        ``log|phi| <= 1/2 sum [log1p(-v/2) + r cos(k step d)]``, ``r = (v/2) / (1 - v/2)``, and with
        ``k = i B + j`` the cosines of all k are a matrix product.
        """
        sizes, half, copies = self._witnesses(cut)
        m, r = sizes.size, copies * half / (1.0 - half)
        column = powers(np.exp(1j * step * sizes), BLOCK)
        right = np.concatenate((column.real, -column.imag), axis=1).astype(np.float32).T
        rows = max(LIGHT // right.size, 1)
        blocks = min(CHUNK // (rows * m), (stop - start) // (rows * BLOCK)) + 1
        leap = powers(np.exp(1j * step * BLOCK * sizes), blocks * rows) * (0.5 * r)
        weight = float(r.sum())
        doubt = (m + 8) * (weight + 8.0) * 4.0 * UNIT32
        doubt += weight * stop * UNIT_ROUNDOFF * (16.0 + 4.0 * step * float(sizes.max()))
        limit = np.float32(-cut - 0.5 * dot(copies, np.log1p(-half)) - doubt)
        found = []
        for k in range(start, stop, blocks * rows * BLOCK):
            turn = leap * np.exp(1j * (k * step) * sizes)
            left = np.concatenate((turn.real, turn.imag), axis=1).astype(np.float32)
            cosines = left.reshape(blocks, rows, 2 * m) @ right
            found.append(np.flatnonzero(cosines > limit) + k)
        alive = np.concatenate(found)
        return alive[alive < stop]

    def _witnesses(self, cut: float) -> tuple[Floats, Floats, Floats]:
        """Sizes, v/2 and copies of enough items, from the half that vary most under the tilt.

        Were the phases random, the proof would have mean ``sum log1p(-v/2) / 2`` and variance
        ``sum r**2 / 8``: six standard deviations leave few frequencies to chance.
        """
        half = 2.0 * self.down * (1.0 - self.down)
        n = half.size
        keep = max(n // 2, min(n, MAX_WITNESSES))
        order = np.argpartition(self.copies * half * self.sizes**2, n - keep)[n - keep :]
        order = order[:: -(-keep // MAX_WITNESSES)]
        v, copies = half[order], self.copies[order]
        spread = np.sqrt(np.cumsum((copies * v / (1.0 - v)) ** 2) / 8.0)
        margin = -0.5 * np.cumsum(copies * np.log1p(-v)) - 6.0 * spread
        enough = min(int(np.searchsorted(np.maximum.accumulate(margin), cut)) + 1, order.size)
        if self.items == n:  # without ties one item is as good as another
            order = order[np.linspace(0, order.size - 1, enough).astype(np.int64)]
        return self.sizes[order], half[order], self.copies[order]

    def characteristic(self, k: Ints, step: float, floor: float) -> Complexes | None:
        """``E_lam[exp(-i k step T)]``, T the flipped sum; 0 where its modulus is below ``floor``.

        None when more than the effort limit of factors would have to be multiplied.
        """
        phi = np.ones(k.size, dtype=np.complex128)
        budget = max(MAX_FACTORS, 64 * self.sizes.size)
        for begin in range(0, k.size, 2048):
            live = np.arange(begin, min(begin + 2048, k.size))
            done = 0
            while done < self.sizes.size and live.size:
                block = slice(done, done + max(CHUNK // live.size, 64))
                budget -= live.size * self.sizes[block].size
                if budget < 0:
                    return None
                z = raised(np.exp(-1j * step * self.sizes[block]), k[live])
                z *= self.down[block]
                z += 1.0 - self.down[block]
                if self.items > self.sizes.size:
                    z **= self.copies[block]
                phi[live] *= products(z)
                dead = np.abs(phi[live]) < floor
                phi[live[dead]] = 0.0
                live = live[~dead]
                done = block.stop
        return phi


def distinct_sizes(sizes: Floats, times: Ints) -> tuple[Floats, Floats]:
    """Distinct sizes and their counts, if a glance shows ties; else the sizes as they come."""
    glance = sizes[:: max(sizes.size // 64, 1)]
    if np.unique(glance).size > 0.9 * glance.size:
        return sizes, times.astype(np.float64)
    first, copies = distinct_rows([sizes], times)
    return sizes[first], copies.astype(np.float64)


def dot(x: Floats | Ints, y: Floats) -> float:
    """Inner product by pairwise summation: sharper than BLAS, and never threaded."""
    return float((x * y).sum())


def powers(base: Complexes, count: int) -> Complexes:
    """Rows ``base**0, ..., base**(count - 1)``, by doubling."""
    table = np.ones((1, base.size), dtype=np.complex128)
    square = base
    while table.shape[0] < count:
        table = np.concatenate((table, table * square))
        square = square * square
    return table[:count]


def raised(base: Complexes, k: Ints) -> Complexes:
    """``base**k``, one row for each k: two small tables of powers and a product."""
    B = math.isqrt(int(k.max())) + 1
    low, high = powers(base, B), powers(base**B, int(k.max()) // B + 1)
    out: Complexes = low[k % B] * high[k // B]
    return out


def products(z: Complexes) -> Complexes:
    """Product of each row, by halving."""
    while z.shape[1] > 1:
        half, odd = divmod(z.shape[1], 2)
        last = z[:, -1]
        z = z[:, :half] * z[:, half : 2 * half]
        if odd:
            z[:, 0] *= last
    return z[:, 0]
