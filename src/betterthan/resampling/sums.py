"""Bootstrap replicates of sums: counts drawn once, shared by every system, one matrix product.

A replicate is a vector of counts, how often each unit was drawn; its sums are ``counts @ columns``
for all systems and all their columns at once. Counts come in the fixed blocks of
:mod:`betterthan.resampling.generator`, sums are exact (see `summable`), and so a replicate's bits
depend on the seed alone: not on batches, workers, BLAS or the machine.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import how_many
from betterthan.numeric import Floats, Ints
from betterthan.resampling.counts import draw_block
from betterthan.resampling.generator import Rng, block_rows, blocks
from betterthan.resampling.work import HERE, Progress, Work


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


def replicate_blocks(
    columns: ArrayLike,
    resamples: int,
    rng: Rng = None,
    *,
    counts: Ints | None = None,
    statistic: Callable[[Floats], Floats] | None = None,
    batch: int | None = None,
    work: Work = HERE,
    progress: Progress | None = None,
) -> Iterator[Floats]:
    """Yield bootstrap replicates in order, a block at a time, in bounded memory.

    Parameters
    ----------
    columns : array_like, shape (n, K)
        Per-item (or per-cluster) columns, those of all systems side by side.
    resamples : int
        Number of replicates.
    rng : None, int, Generator or SeedSequence
        Seed of the run.
    counts : (n,) array of int, optional
        How many units each row of the columns stands for; one each by default.
    statistic : callable, optional
        From the sums of a block's replicates, shape (rows, K), to one row each, or to fewer
        if it counts or adds them up. By default the sums themselves. Runs where they are drawn.
    batch : int, optional
        Replicates in each array that is yielded; by default as they are drawn. The same bits
        come in the same order whatever it is.
    work : Work
        Who draws them. The same bits come in the same order whoever it is.
    progress : callable, optional
        Called with the replicates done and their total after every block.
    """
    if batch is not None and batch < 1:
        raise ValueError(f"batch must be at least 1, not {batch}")
    T = summable(columns, None if counts is None else int(counts.sum()))
    if T.ndim != 2:
        raise ValueError(f"columns must have shape (items, K), not {T.shape}")
    n = T.shape[0]

    number = -(-resamples // block_rows(n))
    drawn = work.map(_Replicate(T, counts, statistic), blocks(n, resamples, rng), number)
    if progress is not None:
        drawn = reported(drawn, block_rows(n), resamples, progress)
    return drawn if batch is None else _recut(drawn, batch)


def replicates(columns: ArrayLike, resamples: int, rng: Rng = None, **options: Any) -> Floats:
    """All replicates in one array, a row each; ``options`` are those of `replicate_blocks`.

    Examples
    --------
    >>> means = replicates([[0], [1], [1]], 2000, rng=7, statistic=lambda sums: sums[:, 0] / 3)
    >>> means.shape, sorted(set((3 * means).round().tolist()))
    ((2000,), [0.0, 1.0, 2.0, 3.0])
    """
    out: Floats | None = None
    done = 0
    for block in replicate_blocks(columns, resamples, rng, **options):
        if out is None:
            out = np.empty((resamples, *block.shape[1:]))
        out[done : done + len(block)] = block
        done += len(block)
    if out is None or done != resamples:
        raise ValueError(f"statistic returned {done} rows for {resamples} replicates")
    return out


def jackknife_sums(columns: ArrayLike, counts: Ints | None = None) -> Floats:
    """Sums of the columns without one unit of each row: the jackknife, from sums alone."""
    if counts is None:
        T = summable(columns).astype(np.float64, copy=False)
        return np.asarray(T.sum(axis=0) - T)
    T = summable(columns, int(counts.sum())).astype(np.float64, copy=False)
    return np.asarray(counts.astype(np.float64) @ T - T)


@dataclass(frozen=True, slots=True, eq=False)
class _Replicate:
    """Draws a block of replicates, and sums and finishes them."""

    columns: NDArray[np.floating[Any]]
    counts: Ints | None
    statistic: Callable[[Floats], Floats] | None

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        drawn = draw_block(len(self.columns), *block, self.counts).astype(self.columns.dtype)
        sums = (drawn @ self.columns).astype(np.float64, copy=False)
        return sums if self.statistic is None else self.statistic(sums)


def reported(
    results: Iterator[Floats], rows: int, total: int, progress: Progress
) -> Iterator[Floats]:
    """Pass on the results of blocks of ``rows`` replicates, telling how far they have come."""
    for done, result in enumerate(results, start=1):
        progress(min(done * rows, total), total)
        yield result


def _recut(parts: Iterator[Floats], size: int) -> Iterator[Floats]:
    """Cut the same rows into arrays of ``size``, the last one shorter."""
    held: list[Floats] = []
    rows = 0
    for part in parts:
        held.append(part)
        rows += len(part)
        if rows >= size:
            joined = np.concatenate(held)
            whole = rows - rows % size
            yield from (joined[i : i + size] for i in range(0, whole, size))
            held, rows = [joined[whole:]], rows - whole
    if rows:
        yield np.concatenate(held)
