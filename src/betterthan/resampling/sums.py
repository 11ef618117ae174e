"""Sums over resampled units: counts drawn once, shared by every system, one matrix product.

A replicate is a vector of counts, how often each unit was drawn; its sums are ``counts @ columns``
for all systems and all their columns at once. Counts come in the fixed blocks of
:mod:`betterthan.resampling.generator`, sums are exact (see `summable`), and so a replicate's bits
depend on the seed alone: not on workers, BLAS or the machine.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import how_many
from betterthan.numeric import Floats, Numbers
from betterthan.resampling.draws import draw_block
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import HERE, Work

CACHED = 1 << 19
"""Bytes of counts that are made floats at a time, for a matrix product in the cache."""


def summable(columns: ArrayLike, units: int | None = None) -> NDArray[np.floating[Any]]:
    """Columns whose sums over any resample are exact in floating point, in whatever order.

    Integers stay as they are: float32 if every possible sum is below ``2**24``, else float64 (below
    ``2**53``). Other numbers are rounded to a multiple of a power of two so small that it is
    lost in a float64 sum of ``n`` such numbers anyway (pre-rounding: Demmel & Nguyen 2013). Take
    observed sums from these columns as well, and a resample equal to the data reproduces them.
    ``units`` is the number of draws, where a row of the columns stands for several units.

    Examples
    --------
    >>> summable([[1, 2], [3, 4]]).dtype
    dtype('float32')
    >>> float(summable([0.1, 0.2, 0.3]).sum()) == float(summable([0.3, 0.2, 0.1]).sum())
    True
    """
    x = np.asarray(columns, dtype=np.float64)
    if x.size == 0:
        raise ValueError(f"columns must hold at least one item, not shape {x.shape}")
    if not np.isfinite(x).all():
        wrong = int((~np.isfinite(x)).sum())
        raise ValueError(f"columns must be finite, but {how_many(wrong, 'value', 'are')} not")
    top = np.abs(x).max(axis=0)
    n = x.shape[0] if units is None else units
    reach = float(top.max()) * n
    if reach < 2.0**53 and bool((x == np.rint(x)).all()):
        return x.astype(np.float32) if reach < 2.0**24 else x
    mantissa, exponent = np.frexp(top)
    exponent = exponent - (mantissa == 0.5) + n.bit_length()  # n * top <= 2**exponent
    if float(exponent.max()) > 1023:
        raise ValueError(f"columns hold {float(top.max()):g}, too large to be summed")
    grain = np.ldexp(1.0, np.maximum(exponent - 53, -1074))
    return np.asarray(np.rint(x / grain) * grain)


def weighted_sums(times: Numbers, columns: NDArray[np.floating[Any]]) -> Floats:
    """Sums ``times @ columns`` for rows of how often each unit is taken.

    >>> weighted_sums(np.array([[2, 0], [1, 1]]), np.array([[5.0], [7.0]])).tolist()
    [[10.0], [12.0]]
    """
    rows = max(1, CACHED // max(1, columns[:, 0].nbytes))
    parts = [
        times[start : start + rows].astype(columns.dtype) @ columns
        for start in range(0, len(times), rows)
    ]
    return np.concatenate(parts).astype(np.float64, copy=False)


def replicates(columns: ArrayLike, resamples: int, rng: Rng = None, work: Work = HERE) -> Floats:
    """Sums of resampled units ``(resamples, K)``, of ``(units, K)`` columns.

    Examples
    --------
    >>> means = replicates([[0], [1], [1]], 2000, rng=7)[:, 0] / 3
    >>> means.shape, sorted(set((3 * means).round().tolist()))
    ((2000,), [0.0, 1.0, 2.0, 3.0])
    """
    exact = summable(columns)
    if exact.ndim != 2:
        raise ValueError(f"columns must have shape (units, K), not {exact.shape}")
    return np.concatenate(list(work.draw(partial(_sums, exact), len(exact), resamples, rng)))


def _sums(columns: NDArray[np.floating[Any]], block: tuple[int, np.random.Generator]) -> Floats:
    return weighted_sums(draw_block(len(columns), *block, None), columns)
