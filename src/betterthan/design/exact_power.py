"""Power of the exact sign-flip test, from exact laws: no simulation, no normal formula.

The test conditions on the sizes of the differences, so its critical value is random: it depends on
how many units differ, and by how much. Power is computed given the sizes and averaged over them.
With one size (accuracy: McNemar's test) that is a sum over the number of discordant units; with
several it is a sum over the numbers of units of each size.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.special import betainc, gammaln, ndtri, xlogy

from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.difference_law import DifferenceLaw
from betterthan.numeric import TIE, Alternative, Floats, Ints
from betterthan.resampling.generator import as_generator
from betterthan.results.tests import Kind

LEFT_OUT_MASS = 1e-13  # mass of sizes that the sums may leave out
WINDOW_SDS = (
    9.0  # standard deviations of either side of a window: Hoeffding (1963) leaves out 3e-18
)
LATTICE_CELLS = 1 << 22  # ways to fall on sizes times lattice points: half a second
BATCH_CELLS = 1 << 18
DEAD_WEIGHT = -45.0  # logarithm of a frequency's weight that rounding hides
DRAWS = 2000
FEWEST_DRAWS = 200


def exact_power(
    law: DifferenceLaw,
    units: int,
    test: PlannedTest,
) -> Detection:
    """Power of the exact test over ``units`` independent draws of the law.

    Where a power is wanted, sums end as soon as they have reached it or no longer can; the
    ``error`` is what was left out.

    Examples
    --------
    >>> law = DifferenceLaw.with_effect([1], [0.15], 0.05)
    >>> round(exact_power(law, 200, PlannedTest(alpha=0.05, alternative="two-sided")).power, 4)
    0.3733
    """
    return (_one_size if law.sizes.size <= 1 else _several_sizes)(law, units, test)


def _one_size(law: DifferenceLaw, units: int, test: PlannedTest) -> Detection:
    alpha, alternative = test.alpha, test.alternative
    share = float(law.shares.sum())
    heads = float(law.heads[0]) if law.sizes.size else 0.5
    m, weight = _binomial_window(units, share)
    critical = critical_wins(m, alpha / 2 if alternative == "two-sided" else alpha)
    up = _wins(m, critical, heads) if alternative != "less" else (np.zeros(m.size),) * 2
    down = _wins(m, critical, 1.0 - heads) if alternative != "greater" else (np.zeros(m.size),) * 2
    chances = [float(weight @ side[0]) for side in (up, down)]
    excess = [float(weight @ side[1]) for side in (up, down)]
    step = law.scale * (float(law.sizes[0]) if law.sizes.size else 1.0) / units
    error = abs(1.0 - float(weight.sum())) + 1e-13
    sizes = [x * step for x in excess]
    return Detection.of_sides(
        chances, sizes, law.effect, error=error, kind="exact", engine="sum over items that differ"
    )


def critical_wins(m: Ints, alpha: float) -> Ints:
    """Least number of wins among ``m`` discordant units that a fair coin reaches this seldom.

    >>> critical_wins(np.array([0, 4, 5, 6]), 0.03125)
    array([1, 5, 5, 6])
    """
    low, high = np.zeros(m.size, dtype=np.int64), m + 1  # P(>= low) > alpha >= P(>= high)
    if alpha >= 1.0:
        return low
    while (high - low > 1).any():
        middle = (low + high) // 2
        small = _tail(middle, m, 0.5) <= alpha * (1.0 + TIE)
        low, high = np.where(small, low, middle), np.where(small, middle, high)
    return high


def _tail(c: Ints, m: Ints, p: float) -> Floats:
    """P(Bin(m, p) >= c), elementwise."""
    inside = (c >= 1) & (c <= m)
    safe = np.where(inside, c, 1)
    value = betainc(safe, np.where(inside, m - c + 1, 1), p)
    return np.where(inside, value, np.where(c <= 0, 1.0, 0.0))


def _wins(m: Ints, critical: Ints, heads: float) -> tuple[Floats, Floats]:
    """Chance of a verdict given m, and E[wins - losses; verdict]."""
    chance = _tail(critical, m, heads)
    # E[W; W >= c] = m heads P(Bin(m - 1, heads) >= c - 1)
    wins = m * heads * np.where(m > 0, _tail(critical - 1, np.maximum(m - 1, 0), heads), 0.0)
    return chance, 2.0 * wins - m * chance


def _several_sizes(law: DifferenceLaw, units: int, test: PlannedTest) -> Detection:
    """Power where differences have several sizes.

    It is a sum over all ways in which units fall on sizes; where these are too many it is a mean
    over random ones, which is exact given each of them. Given how many units have each size, the
    null law of the signed sum and its true one come from one transform each.
    """
    unit = int(np.gcd.reduce(law.sizes))
    sizes = law.sizes // unit
    # Twice WINDOW_SDS null standard deviations, and the way from one mean to the other.
    sd = math.sqrt(units * float(law.shares @ np.square(sizes, dtype=np.float64))) / 2.0
    period = math.ceil(2.5 * WINDOW_SDS * sd + abs(law.effect) / law.scale / unit * units / 2 + 3)
    kind: Kind = "exact"
    listed = _all_counts(units, law.shares, LATTICE_CELLS // period)
    if listed is None:
        draws = int(np.clip(LATTICE_CELLS // period, FEWEST_DRAWS, DRAWS))
        counts = as_generator(test.rng).multinomial(
            units, np.append(law.shares, max(1.0 - law.shares.sum(), 0.0)), size=draws
        )[:, :-1]
        weight, kind = np.full(draws, 1.0 / draws), "sampled"
        engine = f"exact given the sizes of differences, mean over {draws:,} draws of them"
    else:
        counts, weight = listed
        engine = f"sum over {len(counts):,} ways to fall on sizes"
    given = _Given.of(counts, sizes, law.heads)
    rows = max(1, BATCH_CELLS // given.period)
    chances, excess = np.zeros((2, len(counts), 2))
    sure, left = 0.0, float(weight.sum())
    for start in range(0, len(counts), rows):
        part = slice(start, start + rows)
        chances[part], excess[part] = given.verdicts(part, test.alpha, test.alternative)
        sure += float((weight[part] @ chances[part]).sum())
        left -= float(weight[part].sum())
        if test.wanted is not None and not sure < test.wanted <= sure + left:
            break
    step = law.scale * unit / units
    if kind == "exact":
        error = max(1.0 - float(weight.sum()), 0.0) + max(left, 0.0) + 1e-12
    else:
        spread = float(chances.sum(axis=1).std(ddof=1)) / math.sqrt(len(counts))
        error = -float(ndtri(0.005)) * spread
    return Detection.of_sides(
        [float(weight @ chances[:, k]) for k in (0, 1)],
        [step * float(weight @ excess[:, k]) for k in (0, 1)],
        law.effect,
        error=error,
        kind=kind,
        engine=engine,
    )


def _binomial_window(n: int, p: float) -> tuple[Ints, Floats]:
    """Numbers of successes that carry all but a negligible mass, and their probabilities."""
    spread = WINDOW_SDS * math.sqrt(n * p * (1 - p)) + 45.0
    low, high = max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread))
    k = np.arange(low, high + 1, dtype=np.int64)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlogy(n - k, 1 - p)
    return k, np.exp(log)


def _all_counts(units: int, shares: Floats, most: int) -> tuple[Ints, Floats] | None:
    """All likely numbers of units of each size, the likeliest first; None if they are too many."""
    windows = [_binomial_window(units, float(min(share, 1.0))) for share in shares]
    trimmed = [k[np.cumsum(mass) > LEFT_OUT_MASS / 4] for k, mass in windows]
    trimmed = [
        k[: k.size - int(np.count_nonzero(np.cumsum(mass[::-1]) <= LEFT_OUT_MASS / 4))]
        for k, (_, mass) in zip(trimmed, windows, strict=True)
    ]
    if math.prod(k.size for k in trimmed) > 4 * most:
        return None
    grid = np.stack([g.ravel() for g in np.meshgrid(*trimmed, indexing="ij")], axis=1)
    grid = grid[grid.sum(axis=1) <= units]
    ties = units - grid.sum(axis=1)
    log = (
        gammaln(units + 1)
        - gammaln(grid + 1).sum(axis=1)
        - gammaln(ties + 1)
        + xlogy(grid, shares).sum(axis=1)
        + xlogy(ties, max(1.0 - float(shares.sum()), 0.0))
    )
    mass = np.exp(log)
    order = np.argsort(mass, kind="stable")
    kept = order[np.cumsum(mass[order]) > LEFT_OUT_MASS][::-1]
    return (grid[kept], mass[kept]) if kept.size <= most else None


@dataclass(frozen=True, slots=True, eq=False)
class _Spectrum:
    """Factors of the transform of ``T`` at the frequencies that can be seen in any row."""

    live: NDArray[np.intp]
    log: Floats
    angle: Floats

    @classmethod
    def of(cls, counts: Ints, sizes: Ints, heads: Floats, period: int) -> Self:
        """Factors for a period; frequencies that no row can see are left out, a chunk at a time."""
        kept: list[tuple[NDArray[np.intp], Floats, Floats]] = []
        times = counts.astype(np.float64)
        chunk = max(BATCH_CELLS // len(counts), 16)
        for start in range(0, period // 2 + 1, chunk):
            frequency = np.arange(start, min(start + chunk, period // 2 + 1))
            angle = 2.0 * np.pi / period * (sizes[:, None] * frequency % period)
            factor = 1.0 - heads[:, None] + heads[:, None] * np.exp(-1j * angle)
            log = np.log(np.maximum(np.abs(factor), 1e-300))
            live = (times @ log).max(axis=0) > DEAD_WEIGHT
            kept.append((frequency[live], log[:, live], np.angle(factor[:, live])))
        live_frequencies, logs, angles = zip(*kept, strict=True)
        return cls(np.concatenate(live_frequencies), np.hstack(logs), np.hstack(angles))

    def masses(self, counts: Ints, first: Ints, period: int) -> Floats:
        """P(T = first + j) for every row of counts, j = 0 ... period - 1."""
        # Many rows share the factors of the size whose count varies most, of all others together,
        # and of the first column, whose phase is taken out in whole turns, which lose no digits.
        alone = np.arange(counts.shape[1]) == np.ptp(counts, axis=0).argmax()
        seen = self._powers(counts[:, alone], alone)
        seen *= self._powers(counts[:, ~alone], ~alone)
        starts, start = np.unique(first, return_inverse=True)
        turns = np.exp(2j * np.pi / period * (starts[:, None] * self.live % period))
        seen *= turns[start]
        spectrum = np.zeros((len(counts), period // 2 + 1), dtype=np.complex128)
        spectrum[:, self.live] = seen
        return np.maximum(np.fft.irfft(spectrum, period, axis=1), 0.0)

    def _powers(self, counts: Ints, sizes: NDArray[np.bool_]) -> NDArray[np.complex128]:
        """Factors of these sizes to the powers in every row of counts."""
        distinct, row = np.unique(counts, axis=0, return_inverse=True)
        times = distinct.astype(np.float64)
        powers = np.exp(times @ self.log[sizes] + 1j * (times @ self.angle[sizes]))
        return powers[row.reshape(-1)]  # a column in NumPy 2.0


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Null and true law of ``T``, the sum of the sizes that fell on heads, for rows of counts.

    The signed sum is ``2 T - total``. Both laws live on a window that starts at ``first``.
    """

    counts: Ints
    total: Ints
    first: Ints
    period: int
    null: _Spectrum
    true: _Spectrum

    @classmethod
    def of(cls, counts: Ints, sizes: Ints, heads: Floats) -> Self:
        """Windows that hold both laws, and one period for all rows."""
        total = counts @ sizes
        true_mean = counts @ (sizes * heads)
        spread = WINDOW_SDS * np.sqrt(counts @ (sizes * sizes)) / 2.0
        first = np.floor(np.minimum(total / 2, true_mean) - spread).astype(np.int64)
        last = np.ceil(np.maximum(total / 2, true_mean) + spread).astype(np.int64)
        period = next_fast_len(int((last - first).max()) + 1, real=True)
        null, true = (
            _Spectrum.of(counts, sizes, chance, period)
            for chance in (np.full(heads.size, 0.5), heads)
        )
        return cls(counts, total, first, period, null, true)

    def verdicts(
        self, rows: slice, alpha: float, alternative: Alternative
    ) -> tuple[Floats, Floats]:
        """Chances of a verdict up and down, and E[|sum|; verdict], for some of the rows."""
        counts, total, first = self.counts[rows], self.total[rows], self.first[rows]
        null_mass, true_mass = (
            law.masses(counts, first, self.period) for law in (self.null, self.true)
        )
        level = alpha / 2 if alternative == "two-sided" else alpha
        # The null law is symmetric: what its lower tail allows, its upper one does.
        within = np.cumsum(null_mass, axis=1) <= level * (1.0 + TIE) + 1e-14
        lowest = np.minimum(first + np.count_nonzero(within, axis=1) - 1, total)
        beyond = lowest < 0  # no T is as seldom
        up = np.where(beyond, total + 1, total - lowest), total + 1
        down = np.zeros_like(total), np.where(beyond, 0, lowest + 1)
        below = np.zeros((2, len(counts), self.period + 1))
        np.cumsum(true_mass, axis=1, out=below[0, :, 1:])
        np.cumsum(true_mass * np.arange(self.period), axis=1, out=below[1, :, 1:])
        chances, excess = np.zeros((2, len(counts), 2))
        for k, (ends, unwanted) in enumerate(((up, "less"), (down, "greater"))):
            if alternative != unwanted:
                start, stop = (
                    below[:, np.arange(len(counts)), np.clip(end - first, 0, self.period)]
                    for end in ends
                )
                chances[:, k], columns = stop - start
                signed = 2.0 * columns + (2.0 * first - total) * chances[:, k]
                excess[:, k] = (1.0 - 2.0 * k) * signed
        return chances, excess
