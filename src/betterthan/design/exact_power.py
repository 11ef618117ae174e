"""Power of the exact sign-flip test, from exact laws: no simulation, no normal formula.

The test conditions on the sizes of the differences, so its critical value is random: it depends on
how many units differ, and by how much. Power is computed given the sizes and averaged over them.
With one size (accuracy: McNemar's test) that is a sum over the number of discordant items; with
several it is a sum over all ways in which units fall on sizes, or, where these are too many, a mean
over random ones, which is exact given each of them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammaln, ndtri, xlogy

from betterthan.design.laws import DifferenceLaw, Floats, Ints
from betterthan.results import Alternative, Kind
from betterthan.sampling import Rng, as_generator

TIE = 1e-12  # a tail this close to the level, relatively, is at it: 1/32 is not above .03125
LEFT_OUT = 1e-13  # mass of sizes that the sums may leave out
REACH = 9.0  # standard deviations of either side of a window: Hoeffding (1963) leaves out 3e-18
MOST_CELLS = 1 << 22  # ways to fall on sizes times lattice points: half a second
BATCH_CELLS = 1 << 18
DEAD = -45.0  # logarithm of a frequency's weight that rounding hides
DRAWS = 2000
FEWEST_DRAWS = 400


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test does when the true effect is a given one.

    Attributes
    ----------
    power : float
        Probability of a verdict.
    type_s : float or None
        Share of the verdicts that name the wrong system (Gelman & Carlin, 2014); None without an
        effect.
    type_m : float or None
        Mean size of the observed effect given a verdict, relative to the true one: exaggeration.
    error : float
        Bound on the error of ``power``: rounding and neglected mass when exact, half a 99 %
        interval when sampled.
    kind : {"exact", "sampled", "asymptotic"}
        What the power is worth.
    engine : str
        How it was computed.
    """

    power: float
    type_s: float | None
    type_m: float | None
    error: float
    kind: Kind
    engine: str


def exact_power(
    law: DifferenceLaw,
    units: int,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    rng: Rng = 0,
) -> Outcome:
    """Power of the exact test over ``units`` independent draws of the law.

    Examples
    --------
    >>> law = DifferenceLaw.with_effect([1], [0.15], 0.05)
    >>> round(exact_power(law, 200).power, 4)
    0.3733
    """
    if law.sizes.size <= 1:
        return _one_size(law, units, alpha, alternative)
    return _several_sizes(law, units, alpha, alternative, rng)


# -- one size: a sum over the number of discordant units ------------------------------------------


def _one_size(law: DifferenceLaw, units: int, alpha: float, alternative: Alternative) -> Outcome:
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
    return put_together(
        chances, sizes, law.effect, error=error, kind="exact", engine="sum over discordant units"
    )


def critical_wins(m: Ints, level: float) -> Ints:
    """Least number of wins among ``m`` discordant units that a fair coin reaches this seldom.

    >>> critical_wins(np.array([0, 4, 5, 6]), 0.03125)
    array([1, 5, 5, 6])
    """
    low, high = np.zeros(m.size, dtype=np.int64), m + 1  # P(>= low) > level >= P(>= high)
    if level >= 1.0:
        return low
    while (high - low > 1).any():
        middle = (low + high) // 2
        small = _tail(middle, m, 0.5) <= level * (1.0 + TIE)
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


def _binomial_window(n: int, p: float) -> tuple[Ints, Floats]:
    """Numbers of successes that carry all but a negligible mass, and their probabilities."""
    spread = REACH * math.sqrt(n * p * (1 - p)) + 45.0
    low, high = max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread))
    k = np.arange(low, high + 1, dtype=np.int64)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlogy(n - k, 1 - p)
    return k, np.exp(log)


# -- several sizes: lattice laws given how many units have each -----------------------------------


def _several_sizes(
    law: DifferenceLaw, units: int, alpha: float, alternative: Alternative, rng: Rng
) -> Outcome:
    unit = int(np.gcd.reduce(law.sizes))
    sizes = law.sizes // unit
    # Twice REACH null standard deviations, and the way from one mean to the other.
    sd = math.sqrt(units * float(law.shares @ np.square(sizes, dtype=np.float64))) / 2.0
    period = math.ceil(2.5 * REACH * sd + abs(law.effect) / law.scale / unit * units / 2 + 3)
    kind: Kind = "exact"
    listed = _all_counts(units, law.shares, MOST_CELLS // period)
    if listed is None:
        draws = int(np.clip(MOST_CELLS // period, FEWEST_DRAWS, DRAWS))
        counts = as_generator(rng).multinomial(
            units, np.append(law.shares, max(1.0 - law.shares.sum(), 0.0)), size=draws
        )[:, :-1]
        weight, kind = np.full(draws, 1.0 / draws), "sampled"
        engine = f"exact given the sizes of differences, mean over {draws:,} draws of them"
    else:
        counts, weight = listed
        engine = f"sum over {len(counts):,} ways to fall on sizes"
    parts = [
        _given_counts(c, sizes, law.heads, alpha, alternative) for c in _batches(counts, period)
    ]
    chances, excess = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    step = law.scale * unit / units
    if kind == "exact":
        error = max(1.0 - float(weight.sum()), 0.0) + 1e-12
    else:
        spread = float(chances.sum(axis=1).std(ddof=1)) / math.sqrt(len(counts))
        error = -float(ndtri(0.005)) * spread
    return put_together(
        [float(weight @ chances[:, k]) for k in (0, 1)],
        [step * float(weight @ excess[:, k]) for k in (0, 1)],
        law.effect,
        error=error,
        kind=kind,
        engine=engine,
    )


def _all_counts(units: int, shares: Floats, most: int) -> tuple[Ints, Floats] | None:
    """All likely numbers of units of each size with their probabilities; None if too many."""
    windows = [_binomial_window(units, float(min(share, 1.0))) for share in shares]
    trimmed = [k[np.cumsum(mass) > LEFT_OUT / 4] for k, mass in windows]
    trimmed = [
        k[: k.size - int(np.count_nonzero(np.cumsum(mass[::-1]) <= LEFT_OUT / 4))]
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
    order = np.argsort(mass)
    keep = np.ones(mass.size, dtype=bool)
    keep[order[np.cumsum(mass[order]) <= LEFT_OUT]] = False
    if np.count_nonzero(keep) > most:
        return None
    return grid[keep], mass[keep]


def _batches(counts: Ints, period: int) -> Iterator[Ints]:
    rows = max(1, BATCH_CELLS // period)
    for start in range(0, len(counts), rows):
        yield counts[start : start + rows]


def _given_counts(
    counts: Ints, sizes: Ints, heads: Floats, alpha: float, alternative: Alternative
) -> tuple[Floats, Floats]:
    """Chances of a verdict up and down, and E[|sum|; verdict], for each row of counts.

    ``T``, the sum of the sizes that fell on heads, determines the signed sum ``2 T - total``. Its
    null and its true law come from one transform each, on a window that holds both.
    """
    total = counts @ sizes
    squares = counts @ (sizes * sizes)
    true_mean = counts @ (sizes * heads)
    spread = REACH * np.sqrt(squares) / 2.0
    first = np.floor(np.minimum(total / 2, true_mean) - spread).astype(np.int64)
    last = np.ceil(np.maximum(total / 2, true_mean) + spread).astype(np.int64)
    period = int((last - first).max()) + 1
    null_mass, true_mass = (
        _masses(counts, sizes, chance, first, period)
        for chance in (np.full(heads.size, 0.5), heads)
    )
    t = first[:, None] + np.arange(period)
    level = alpha / 2 if alternative == "two-sided" else alpha
    tails = np.cumsum(null_mass[:, ::-1], axis=1)[:, ::-1]
    # The least T with a tail within the level; beyond all sizes there is none left to reach.
    reached = (tails > level * (1.0 + TIE) + 1e-14) & (t <= total[:, None])
    critical = first + np.count_nonzero(reached, axis=1)
    up = (t >= critical[:, None]) & (t <= total[:, None])
    down = (t <= (total - critical)[:, None]) & (t >= 0)
    signed = 2.0 * t - total[:, None]
    nothing = np.zeros(len(counts))
    sides = []
    for side, towards, wanted in ((up, 1.0, "less"), (down, -1.0, "greater")):
        if alternative == wanted:
            sides.append((nothing, nothing))
            continue
        mass = np.where(side, true_mass, 0.0)
        sides.append((mass.sum(axis=1), (towards * signed * mass).sum(axis=1)))
    return np.stack([s[0] for s in sides], axis=1), np.stack([s[1] for s in sides], axis=1)


def _masses(counts: Ints, sizes: Ints, heads: Floats, first: Ints, period: int) -> Floats:
    """P(T = first + j) for every row of counts, j = 0 ... period - 1."""
    frequency = np.arange(period // 2 + 1)
    angle = 2.0 * np.pi / period * (sizes[:, None] * frequency % period)
    factor = 1.0 - heads[:, None] + heads[:, None] * np.exp(-1j * angle)
    log = np.log(np.maximum(np.abs(factor), 1e-300))
    modulus = counts.astype(np.float64) @ log
    live = np.flatnonzero(modulus.max(axis=0) > DEAD)  # the rest adds nothing that can be seen
    # The phase of the first column is taken out in whole turns, which lose no digits.
    phase = counts.astype(np.float64) @ np.angle(factor[:, live])
    phase += 2.0 * np.pi / period * (first[:, None] * frequency[live] % period)
    spectrum = np.zeros((len(counts), frequency.size), dtype=np.complex128)
    spectrum[:, live] = np.exp(modulus[:, live] + 1j * phase)
    return np.maximum(np.fft.irfft(spectrum, period, axis=1), 0.0)


def put_together(
    chances: list[float],
    sizes: list[float],
    effect: float,
    *,
    error: float,
    kind: Kind,
    engine: str,
) -> Outcome:
    """Outcome from both sides: chances of a verdict, up and down, and E[|delta|; verdict]."""
    up, down = chances
    power = min(up + down, 1.0)
    if effect == 0.0 or power == 0.0:
        return Outcome(power, None, None, error, kind, engine)
    wrong = down if effect > 0 else up
    return Outcome(power, wrong / power, sum(sizes) / power / abs(effect), error, kind, engine)
