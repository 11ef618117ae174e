"""A mean difference and its standard error, from independent items or from clusters of them."""

import math
from dataclasses import dataclass

import numpy as np

from betterthan.data.pair import Pair
from betterthan.data.resolution import FLOAT_NOISE
from betterthan.numeric import TIE, Floats, Ints


@dataclass(frozen=True, slots=True)
class MeanError:
    """A mean and its standard error; ``units`` independent items or clusters stand behind it.

    ``df`` are the degrees of freedom of the t distribution that the standardised mean nearly has.
    The standard error is zero where nothing is known about the spread: of one unit, or where all
    differences are equal.
    """

    mean: float
    standard_error: float
    units: int
    df: float


def mean_error(pair: Pair, *, scale: float | None = None) -> MeanError:
    """Mean gain per item and its standard error from independent items, or from clusters of them.

    The clustered variance is the sandwich of the intercept-only regression in the form CR2, whose
    residuals are divided by ``sqrt(1 - share of the cluster)``, with the degrees of freedom of a
    Satterthwaite approximation (Bell & McCaffrey, 2002; Imbens & Kolesar, 2016): one large cluster
    among small ones counts for little more than one unit. With clusters of one size, or items, it
    is the usual variance with ``units - 1`` degrees of freedom. A spread within the rounding noise
    of ``scale``, by default the size of the largest difference, is none.
    """
    sizes, counts = pair.sizes, pair.counts
    a, b = pair.a[:, 0], pair.b[:, 0]
    one = pair.metric.sign * float(pair.unit)
    totals = one * (b - a)
    if not pair.whole:
        totals[np.abs(b - a) <= FLOAT_NOISE * np.maximum(np.abs(a), np.abs(b))] = 0.0
    size = float(np.abs(totals / sizes).max()) if scale is None else scale
    return quotient_error(totals, sizes.astype(np.float64), counts, scale=size)


def quotient_error(totals: Floats, sizes: Floats, counts: Ints, *, scale: float) -> MeanError:
    """Quotient of two sums over units, and its standard error; :func:`mean_error` says how.

    ``counts`` says how many units have each total and each size. Residuals within the rounding
    noise of ``scale`` are none.
    """
    n, units = float(counts @ sizes), int(counts.sum())
    average = float(counts @ totals) / n
    residuals = totals - sizes * average
    spread = float(np.abs(residuals).max())
    if units == 1 or spread <= TIE * scale * (n / units):
        return MeanError(average, 0.0, units, units - 1.0)
    # Scaled by the largest residual, squares neither overflow nor underflow.
    if sizes.min() == sizes.max():
        squares = float(counts @ np.square(residuals / spread)) * units / (units - 1)
        df = units - 1.0
    else:
        share = sizes / n
        squares = float(counts @ (np.square(residuals / spread) / (1.0 - share)))
        df = degrees_of_freedom(share, counts.astype(np.float64))
    return MeanError(average, spread * math.sqrt(squares) / n, units, df)


def degrees_of_freedom(share: Floats, counts: Floats) -> float:
    """Satterthwaite's degrees of freedom of CR2 for a mean over clusters with these shares.

    ``(tr B)^2 / tr B^2`` for the matrix B of the variance estimate as a quadratic form (Bell &
    McCaffrey, 2002), where items vary independently, or whole clusters do: the smaller one.

    Examples
    --------
    >>> round(degrees_of_freedom(np.array([0.1]), np.array([10.0])), 6)
    9.0
    >>> round(degrees_of_freedom(np.array([0.5, 0.05]), np.array([1.0, 10.0])), 1)
    1.4
    """
    squares = float(counts @ np.square(share))
    within = np.square(share) / (1.0 - share)  # c^2 m^2, with c^2 = 1 / (1 - m)
    # Items vary: B_gh = c_g c_h (m_g [g = h] - m_g m_h).
    off = float(counts @ within) ** 2 - float(counts @ np.square(within))
    items = 1.0 / (squares + off)
    # Clusters vary: B_gh = c_g c_h m_g m_h ([g = h] - m_g - m_h + sum m^2).
    zeroth, first, second = (float(counts @ (within * share**k)) for k in range(3))
    everywhere = squares**2 * zeroth**2 - 4.0 * squares * zeroth * first
    everywhere += 2.0 * zeroth * second + 2.0 * first**2
    rest = squares - 2.0 * share
    diagonal = float(counts @ (np.square(within) * (np.square(1.0 + rest) - np.square(rest))))
    trace = float(counts @ (within * (1.0 + rest)))
    return min(items, trace**2 / (everywhere + diagonal))
