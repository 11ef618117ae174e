"""Random swaps: a fair sign per unit, or their sum over all units of a row."""

import numpy as np

from betterthan.numeric import Floats, Ints


def draw_signs(
    units: int, rows: int, generator: np.random.Generator, counts: Ints | None
) -> Floats:
    """Draw one block of net signs, one row per replicate: +1 where a unit stays, -1 where it swaps.

    Where ``counts`` say how many units each row of the data stands for, its net sign, how many more
    of them stay than swap, is drawn at once from its binomial law.

    >>> net = draw_signs(2, 5, np.random.default_rng(0), np.array([1000, 1]))
    >>> net.shape, bool((np.abs(net) <= [1000, 1]).all())
    ((5, 2), True)
    """
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
