"""The published exact and Monte Carlo paired permutation tests, as their authors wrote them.

Zmigrod, Vieira & Cotterell (2022), *Exact Paired-Permutation Testing for Structured Test
Statistics*, NAACL: Algorithm 1 (`monte_carlo`), Algorithms 2 and 5 (`exact_test`), Algorithm 3
(`convolve_dp`), Algorithm 4 (`convolve_fft`). They are here for teaching, for benchmarks and to
repeat published numbers; no mass is truncated, and sums are integers, so ties are not missed.

An item's local effect is ``stay = g(u, v)`` with the labels as observed and ``swap = g(v, u)`` with
the labels exchanged, for any integer-valued ``g``; m such functions give arrays of shape (N, m).
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import irfftn, next_fast_len, rfftn

from betterthan.errors import UsageError, not_one_of
from betterthan.exact.inputs import integer_rows
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Floats, Ints

PartsStatistic = Callable[..., ArrayLike]
Convolution = Literal["fft", "dp"]

BATCH_BYTES = 2**24
SHORT = 64
MAX_CELLS = 2**26  # of the law: with what is computed on the way, two or three gigabytes
MAX_NANOSECONDS = 2**35  # half a minute


def exact_test(
    stay: ArrayLike, swap: ArrayLike, h: PartsStatistic, *, convolve: Convolution = "fft"
) -> float:
    """P-value of ``h(sum of local effects)`` under fair swaps (Algorithms 2 and 5).

    Parameters
    ----------
    stay, swap : array of int, shape (N,) or (N, m)
        Local effects of every item with its labels kept and exchanged.
    h : callable
        The statistic, of m arrays of sums (broadcast against each other); large is extreme.
    convolve : {"fft", "dp"}
        Fast Fourier transforms (Algorithm 4), or item by item (Algorithm 3), which is slower and
        keeps the relative accuracy of small p-values.

    Raises
    ------
    BudgetExceededError
        If the law has too many cells for the memory, or would take too long.

    Examples
    --------
    >>> exact_test([1, 1, 1, 1, 1, 1], [-1, -1, -1, -1, -1, -1], abs, convolve="dp")
    0.03125
    """
    if convolve not in ("fft", "dp"):
        raise not_one_of("convolve", convolve, ("fft", "dp"))
    law_of = convolve_fft if convolve == "fft" else convolve_dp
    effects, swapped = _local_effects(stay, swap)
    # Every Z_n is its smaller corner plus an offset: a box from 0 to |swap - stay| on each axis.
    lowest = np.minimum(effects, swapped)
    _check_budget(effects, swapped, convolve)
    offsets = np.stack([effects - lowest, swapped - lowest])  # (2, N, m)
    law = law_of(offsets)
    sums = np.ogrid[tuple(slice(0, size) for size in law.shape)]
    reached = h(*(s + low for s, low in zip(sums, lowest.sum(axis=0).tolist(), strict=True)))
    extreme = np.broadcast_to(np.asarray(reached), law.shape) >= h(*effects.sum(axis=0))
    return min(float(law[extreme].sum()), 1.0)


def convolve_dp(offsets: Ints) -> Floats:
    """Mass function of the sum of offsets, item by item (Algorithm 3).

    ``offsets`` has shape (2, N, m): the two equally likely non-negative positions of each item.
    """
    law = np.ones((1,) * offsets.shape[2])
    for pair in offsets.swapaxes(0, 1):
        before, law = law, np.zeros(law.shape + pair.max(axis=0))
        for offset in pair.tolist():
            box = zip(offset, before.shape, strict=True)
            law[tuple(slice(low, low + size) for low, size in box)] += 0.5 * before
    return law


def convolve_fft(offsets: Ints) -> Floats:
    """Mass function of the sum of offsets by halves, joined by fast Fourier transforms.

    Algorithm 4. Joints too short for a transform to pay are convolved directly.
    """
    items = offsets.shape[1]
    if items == 0:
        return np.ones((1,) * offsets.shape[2])
    if items == 1:
        stay, swap = offsets[0, 0].tolist(), offsets[1, 0].tolist()
        law = np.zeros([max(pair) + 1 for pair in zip(stay, swap, strict=True)])
        law[tuple(stay)] += 0.5
        law[tuple(swap)] += 0.5
        return law
    half = items // 2
    left, right = convolve_fft(offsets[:, :half]), convolve_fft(offsets[:, half:])
    if left.ndim == 1 and min(left.size, right.size) < SHORT:
        return np.convolve(left, right)
    shape = [m + n - 1 for m, n in zip(left.shape, right.shape, strict=True)]
    period = [next_fast_len(size, real=True) for size in shape]
    joined = irfftn(rfftn(left, period) * rfftn(right, period), period)
    return np.asarray(np.maximum(joined[tuple(map(slice, shape))], 0.0))


def monte_carlo(
    stay: ArrayLike,
    swap: ArrayLike,
    h: PartsStatistic,
    samples: int = 20_000,
    *,
    rng: np.random.Generator | int | None = None,
) -> float:
    """Fraction of ``samples`` random swaps with a statistic as large as observed (Algorithm 1).

    As published: no correction for the finite number of samples, so it can be zero.
    """
    if samples < 1:
        raise UsageError(f"samples must be at least 1, got {samples}")
    effects, swapped = _local_effects(stay, swap)
    generator = np.random.default_rng(rng)
    base = effects.sum(axis=0)
    change = (swapped - effects).astype(np.float64)  # exact sums below 2**53, and fast products
    observed = h(*base)
    batch = max(1, BATCH_BYTES // max(1, 8 * len(effects)))
    hits = 0
    for start in range(0, samples, batch):
        swaps = generator.integers(0, 2, size=(min(batch, samples - start), len(effects)))
        sums = base + (swaps.astype(np.float64) @ change).astype(np.int64)
        hits += int(np.count_nonzero(np.asarray(h(*sums.T)) >= observed))
    return hits / samples


def _local_effects(stay: ArrayLike, swap: ArrayLike) -> tuple[Ints, Ints]:
    """Check the two arrays, and return both with shape (N, m)."""
    effects, swapped = integer_rows(stay, "stay"), integer_rows(swap, "swap")
    if effects.shape != swapped.shape:
        shapes = f"{effects.shape} and {swapped.shape}"
        raise UsageError(f"stay and swap must have the same shape, not {shapes}")
    return effects, swapped


def _check_budget(stay: Ints, swap: Ints, convolve: Convolution) -> None:
    """Raise an error for what would take more than half a minute or three gigabytes.

    Measured: 2 to 6 ns for each item and cell of the dynamic programme; for the recursive transform
    10 microseconds an item and up to 10 ns for each cell, level and doubling.
    """
    items = len(stay)
    cells = math.prod(1 + reach for reach in np.abs(swap - stay).sum(axis=0).tolist())
    if convolve == "fft":
        levels = items.bit_length() if stay.shape[1] == 1 else 2  # the cells of deeper ones are few
        nanoseconds = 10_000 * items + 10 * cells * levels * cells.bit_length()
    else:
        nanoseconds = 4 * items * cells
    if cells > MAX_CELLS or nanoseconds > MAX_NANOSECONDS:
        raise BudgetExceededError(
            f"the published algorithm lays out a law of {cells:,} cells (limit {MAX_CELLS:,}), "
            f"which takes some {nanoseconds * 1e-9:.1g} s (limit {MAX_NANOSECONDS * 1e-9:.0f} s)"
        )
