"""Power of the exact sign-flip test, from exact laws: no simulation, no normal formula.

The test conditions on the sizes of the differences, so its critical value is random: it depends on
how many units differ, and by how much. Power is computed given the sizes and averaged over them.
With one size (accuracy: McNemar's test) that is a sum over the number of discordant units, below;
several sizes are the business of :mod:`betterthan.design.lattice_power`.
"""

import numpy as np
from scipy.special import betainc

from betterthan.design.lattice_power import TIE, binomial_window, lattice_power
from betterthan.design.laws import DifferenceLaw, Floats, Ints
from betterthan.design.outcomes import Outcome, put_together
from betterthan.results import Alternative
from betterthan.sampling import Rng


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
    return lattice_power(law, units, alpha=alpha, alternative=alternative, rng=rng)


def _one_size(law: DifferenceLaw, units: int, alpha: float, alternative: Alternative) -> Outcome:
    share = float(law.shares.sum())
    heads = float(law.heads[0]) if law.sizes.size else 0.5
    m, weight = binomial_window(units, share)
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
