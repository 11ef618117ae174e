"""Power of the exact sign-flip test, from exact laws: no simulation, no normal formula.

The test conditions on the sizes of the differences, so its critical value is random: it depends on
how many units differ, and by how much. Power is computed given the sizes and averaged over them.
With one size (accuracy: McNemar's test) that is a sum over the number of discordant units; with
several it is a sum over the numbers of units of each size.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.special import betainc, gammaln, ndtri, xlogy

from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.difference_law import DifferenceLaw
from betterthan.numeric import TIE, Floats, Ints
from betterthan.resampling.generator import as_generator
from betterthan.results.tests import Kind

LEFT_OUT_MASS = 1e-13  # mass of sizes that the sums may leave out
WINDOW_SDS = 9.0  # on either side of a window: Hoeffding (1963) leaves out 3e-18
LATTICE_CELLS = 1 << 22  # ways to fall on sizes times lattice points: half a second
BATCH_CELLS = 1 << 18
DEAD_WEIGHT = -45.0  # logarithm of a frequency's weight that rounding hides
DRAWS = 2000
FEWEST_DRAWS = 200

Complexes = NDArray[np.complex128]


def exact_power(law: DifferenceLaw, units: int, test: PlannedTest) -> Detection:
    """Power of the exact test over ``units`` independent draws of the law.

    Where a power is wanted, sums end as soon as they have reached it or no longer can; the
    ``error`` is what was left out.

    Examples
    --------
    >>> law = DifferenceLaw.of_one_size(0.15, 0.05)
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
    """Least number of wins among ``m`` discordant units whose tail under a fair coin is alpha.

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
    total = counts @ sizes  # the signed sum is 2 T - total, T being what fell on heads
    means = total / 2.0, counts @ (sizes * law.heads)
    spread = WINDOW_SDS * np.sqrt(counts @ (sizes * sizes)) / 2.0
    first = np.floor(np.minimum(*means) - spread).astype(np.int64)
    last = np.ceil(np.maximum(*means) + spread).astype(np.int64)
    period = next_fast_len(int((last - first).max()) + 1, real=True)
    fair = np.full(sizes.size, 0.5)
    transforms = [_transform(counts, sizes, heads, period) for heads in (fair, law.heads)]
    rows = max(1, BATCH_CELLS // period)
    chances, excess = np.zeros((2, len(counts), 2))
    sure, left = 0.0, float(weight.sum())
    for start in range(0, len(counts), rows):
        part = slice(start, start + rows)
        masses = [_masses(counts[part], first[part], of, period) for of in transforms]
        chances[part], excess[part] = _verdicts(masses, first[part], total[part], test)
        sure += float((weight[part] @ chances[part]).sum())
        left -= float(weight[part].sum())
        if test.wanted is not None and not sure < test.wanted <= sure + left:
            break
    step = law.scale * unit / units
    if kind == "exact":
        error = max(1.0 - float(weight.sum()), 0.0) + max(left, 0.0) + 1e-12
    else:
        error_of_mean = float(chances.sum(axis=1).std(ddof=1)) / math.sqrt(len(counts))
        error = -float(ndtri(0.005)) * error_of_mean
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
    edge = LEFT_OUT_MASS / 4
    trimmed = [
        k[(np.cumsum(mass) > edge) & (np.cumsum(mass[::-1])[::-1] > edge)] for k, mass in windows
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
    likely = order[np.cumsum(mass[order]) > LEFT_OUT_MASS][::-1]
    return (grid[likely], mass[likely]) if likely.size <= most else None


def _transform(counts: Ints, sizes: Ints, heads: Floats, period: int) -> tuple[Ints, Complexes]:
    """Frequencies at which any row can be seen, and the logarithm of each size's factor there."""
    frequency = np.arange(period // 2 + 1)
    angle = 2.0 * np.pi / period * (sizes[:, None] * frequency % period)
    factor = 1.0 - heads[:, None] + heads[:, None] * np.exp(-1j * angle)
    log = np.log(np.maximum(np.abs(factor), 1e-300))
    batches = min(len(counts) * frequency.size // BATCH_CELLS + 1, len(counts))
    loudest = [(rows @ log).max(axis=0) for rows in np.array_split(counts / 1.0, batches)]
    live = np.flatnonzero(np.max(loudest, axis=0) > DEAD_WEIGHT)
    return live, log[:, live] + 1j * np.angle(factor[:, live])


def _masses(counts: Ints, first: Ints, transform: tuple[Ints, Complexes], period: int) -> Floats:
    """P(T = first + j) for every row of counts, j = 0 ... period - 1."""
    live, log = transform
    turns = 2.0 * np.pi / period * (first[:, None] * live % period)  # whole ones lose no digits
    spectrum = np.zeros((len(counts), period // 2 + 1), dtype=np.complex128)
    spectrum[:, live] = np.exp(counts @ log + 1j * turns)
    return np.maximum(np.fft.irfft(spectrum, period, axis=1), 0.0)


def _verdicts(
    laws: Sequence[Floats], first: Ints, total: Ints, test: PlannedTest
) -> tuple[Floats, Floats]:
    """Chances of a verdict up and down, and E[|sum|; verdict], by the null law and the true one."""
    null, true = laws
    rows, period = true.shape
    level = test.alpha / 2 if test.alternative == "two-sided" else test.alpha
    # The null law is symmetric: what its lower tail allows, its upper one does.
    within = np.cumsum(null, axis=1) <= level * (1.0 + TIE) + 1e-14
    lowest = np.minimum(first + np.count_nonzero(within, axis=1) - 1, total)
    beyond = lowest < 0  # no T is as rare
    up = np.where(beyond, total + 1, total - lowest), total + 1
    down = np.zeros_like(total), np.where(beyond, 0, lowest + 1)
    below = np.zeros((2, rows, period + 1))
    np.cumsum(true, axis=1, out=below[0, :, 1:])
    np.cumsum(true * np.arange(period), axis=1, out=below[1, :, 1:])
    chances, excess = np.zeros((2, rows, 2))
    for k, (ends, unwanted) in enumerate(((up, "less"), (down, "greater"))):
        if test.alternative != unwanted:
            start, stop = (
                below[:, np.arange(rows), np.clip(end - first, 0, period)] for end in ends
            )
            chances[:, k], columns = stop - start
            signed = 2.0 * columns + (2.0 * first - total) * chances[:, k]
            excess[:, k] = (1.0 - 2.0 * k) * signed
    return chances, excess
