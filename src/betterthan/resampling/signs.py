"""Random swaps: a fair sign per unit, or their sum over all units of a row."""

from collections.abc import Iterator

import numpy as np

from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import Rng, blocks


def sign_blocks(
    units: int, resamples: int, rng: Rng = None, *, counts: Ints | None = None
) -> Iterator[Floats]:
    """Yield blocks of net signs, one row per replicate: +1 where a unit stays, -1 where it swaps.

    Parameters
    ----------
    units : int
        Number of units, or of rows where ``counts`` are given, that are swapped independently.
    resamples : int
        Total number of replicates over all blocks.
    rng : None, int, Generator or SeedSequence
        Seed of the run.
    counts : (units,) array of int, optional
        How many units each row stands for: its net sign, how many more of them stay than swap, is
        drawn at once from its binomial law.

    Examples
    --------
    >>> [block.shape for block in sign_blocks(3, 1300, 0)]
    [(1024, 3), (276, 3)]
    >>> net = next(sign_blocks(2, 5, 0, counts=np.array([1000, 1])))
    >>> net.shape, bool((np.abs(net) <= [1000, 1]).all())
    ((5, 2), True)
    """
    for rows, generator in blocks(units, resamples, rng):
        yield draw_signs(units, rows, generator, counts)


def draw_signs(
    units: int, rows: int, generator: np.random.Generator, counts: Ints | None
) -> Floats:
    """Draw one block of net signs."""
    if counts is not None:
        swapped = generator.binomial(counts, 0.5, size=(rows, units))
        return (counts - 2 * swapped).astype(np.float64)
    words = -(-units // 64)
    random = generator.integers(1 << 64, size=(rows, words), dtype=np.uint64)
    # "<u8" makes the order of the bits, hence the replicates, the same on every machine.
    bits = np.unpackbits(random.astype("<u8", copy=False).view(np.uint8), axis=1, count=units)
    signs = bits.astype(np.float64)
    signs *= -2
    signs += 1
    return signs
