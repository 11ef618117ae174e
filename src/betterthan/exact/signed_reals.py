"""A tilted sum of random signs, for :mod:`betterthan.exact.extremal` to bracket its tail.

``S = sum of +-d_n`` with fair signs; ``t = sum(d) - 2 slack`` is the threshold and ``X = S - t``.
Under the tilt ``lam`` item n is positive with odds ``exp(2 lam d_n)``. The characteristic function
is a product over the items, and a matrix product over a few of them proves nearly all of it dead.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.data.tally import distinct_rows
from betterthan.exact.extremal import UNIT32, TiltedLaw, powers, strongest, summed_shifts
from betterthan.exact.probability import LOG2
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

SUMMATION = 64.0 * UNIT_ROUNDOFF  # relative to sum(|x|): NumPy's pairwise sums, any length
MAX_FACTORS = 1 << 25  # effort limit: factors (frequency x item) multiplied in one pass,
AT_ONCE = 1 << 15  # of which so many at a time stay in the cache


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TiltedSigns(TiltedLaw):
    """The signed sum of ``sizes``, tilted towards the threshold; points are doubled."""

    sizes: Floats  # distinct, when there are many ties
    copies: Floats  # how often each occurs
    items: int
    slack: float
    down: Floats  # probability of a negative sign

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
        return cls(
            points=2.0 * sizes,
            sizes=sizes,
            copies=copies,
            items=items,
            slack=slack,
            lam=lam,
            down=down,
            excess=excess,
            sd=math.sqrt(variance),
            exponent=2.0 * lam * slack + dot(copies, np.log1p(odds)) - items * LOG2,
            exponent_doubt=SUMMATION * (items + 2.0 * lam * slack),
            log_least=-items * LOG2,
        )

    @property
    def log_patterns(self) -> float:
        """Chernoff's bound on the logarithm of the number of sign patterns in the tail."""
        return self.exponent + self.exponent_doubt + self.items * LOG2

    def aliasing(self) -> Callable[[float], float]:
        """Bound on ``sum_{j != 0} E_lam[f(X + j L)]``, a function of the period L."""
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

    def curvatures(self, cut: float) -> Iterator[tuple[float, float, float]]:
        """Proof of dead frequencies by the second and fourth moments of all items.

        ``|phi|**2 = prod(1 - v sin(w d)**2)``, ``v = 4 q (1-q)``, and
        ``sin(x)**2 >= x**2 - x**4 / 3``, so ``log|phi| <= (w**4 m4 / 3 - w**2 m2) / 2``.
        """
        v = 4.0 * self.copies * self.down * (1.0 - self.down)
        square = self.sizes * self.sizes
        yield dot(v, square), dot(v * square, square) / 3.0, 2.0 * cut

    def witnesses(self, cut: float) -> tuple[Ints, Floats, float, bool]:
        """Enough items, from the half that vary most under the tilt.

        ``log|phi| <= 1/2 sum [log1p(-v/2) + r cos(2 w d)]``, ``r = (v/2) / (1 - v/2)``. Were the
        phases random, the proof would have mean ``sum log1p(-v/2) / 2`` and variance
        ``sum r**2 / 8``: six standard deviations leave few frequencies to chance.
        """
        half = 2.0 * self.down * (1.0 - self.down)
        order = strongest(self.copies * half * self.sizes**2)
        ratio = self.copies[order] * half[order] / (1.0 - half[order])
        proof = -0.5 * np.cumsum(self.copies[order] * np.log1p(-half[order]))
        margin = proof - 6.0 * np.sqrt(np.cumsum(ratio**2) / 8.0)
        enough = min(int(np.searchsorted(np.maximum.accumulate(margin), cut)) + 1, order.size)
        if self.items == half.size:  # without ties one item is as good as another
            order = order[np.linspace(0, order.size - 1, enough).astype(np.int64)]
        copies, v = self.copies[order], half[order]
        limit = -cut - 0.5 * dot(copies, np.log1p(-v)) - 32.0 * (order.size + 8) * UNIT32
        return order, 0.5 * copies * v / (1.0 - v), limit, False

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
                block = slice(done, done + max(AT_ONCE // live.size, 64))
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


def raised(base: Complexes, k: Ints) -> Complexes:
    """``base**k``, one row for each k: two small tables of powers and a product."""
    B = math.isqrt(int(k.max())) + 1
    low, high = powers(base, B), powers(base**B, int(k.max()) // B + 1)
    out: Complexes = low[k % B] * high[k // B]
    return out


def products(z: Complexes) -> Complexes:
    """Product of each row, by halving."""
    while z.shape[1] > 1:
        half, rest = divmod(z.shape[1], 2)
        last = z[:, -1]
        z = z[:, :half] * z[:, half : 2 * half]
        if rest:
            z[:, 0] *= last
    return z[:, 0]
