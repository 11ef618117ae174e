"""Random orders of rows, and of resampled units: for what depends on the order of its data."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from betterthan.numeric import Ints
from betterthan.resampling.generator import Rng, seeds

CELLS = 1 << 26
"""Most orders times rows held in memory at once."""


def orders(rows: int, count: int, rng: Rng = None) -> Iterator[Ints]:
    """Yield random orders of the rows, as many at a time as memory allows."""
    for generators in _batches(rows, count, rng):
        yield np.stack([generator.permutation(rows) for generator in generators])


def resampled_orders(
    unit_of: Ints, strata: Sequence[Ints], count: int, rng: Rng = None
) -> Iterator[Ints]:
    """Yield orders of resampled units: drawing with replacement, one by one, is a random order.

    ``unit_of`` names the unit of each row, ``strata`` the units of each stratum. Resamples differ
    in length where units do; -1 fills up the shorter ones.
    """
    by_unit = np.argsort(unit_of, kind="stable")
    sizes = np.bincount(unit_of)
    starts = np.cumsum(sizes) - sizes
    for generators in _batches(len(unit_of), count, rng):
        drawn = []
        for generator in generators:
            picks = np.concatenate([generator.choice(group, len(group)) for group in strata])
            picks = picks if len(strata) == 1 else generator.permutation(picks)
            lengths = sizes[picks]
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            drawn.append(by_unit[np.repeat(starts[picks], lengths) + within])
        longest = max(map(len, drawn))
        yield np.stack([np.pad(d, (0, longest - len(d)), constant_values=-1) for d in drawn])


def _batches(rows: int, count: int, rng: Rng) -> Iterator[list[np.random.Generator]]:
    """Yield generators, one per order: an order depends on the seed and its number alone."""
    at_once = max(1, CELLS // max(rows, 1))
    generators = map(np.random.default_rng, seeds(count, rng))
    while some := list(islice(generators, at_once)):
        yield some
