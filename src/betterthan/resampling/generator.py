"""What every sampled answer shares: the generator, its blocks, the +1 rule and its interval.

A run depends on its seed alone. Replicates are drawn in blocks whose size depends on the number of
items only, and block ``i`` has its own generator, seeded by ``(seed, i)``: however the blocks
are batched or shared among workers, replicate ``r`` is the same replicate, and a longer run starts
with the shorter one.
"""

import math
from collections.abc import Iterator
from typing import overload

import numpy as np
from scipy.special import betaincinv

from betterthan.checks import check_whole
from betterthan.errors import UsageError, quote

Rng = int | np.random.Generator | np.random.SeedSequence | None

MOST = 10**8
"""Most draws that are ever needed: the error of a p-value of one in a million is then a tenth."""

BLOCK_ROWS = 1024
"""Most replicates drawn by one generator."""

BLOCK_CELLS = 1 << 19
"""Most replicates times items in one block: what bounds the memory."""


def as_generator(rng: Rng = None) -> np.random.Generator:
    """Make a generator of a seed, a seed sequence, a generator or nothing.

    A generator is used as it is, so that it moves on from call to call; ``None`` draws fresh
    entropy. Zero is a seed like any other.

    Examples
    --------
    >>> int(as_generator(0).integers(100)) == int(as_generator(0).integers(100))
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    check_rng(rng)
    return np.random.default_rng(rng)


def check_rng(rng: Rng) -> None:
    """Check that this is a source of random numbers, even where none will be needed."""
    if isinstance(rng, bool) or not isinstance(rng, Rng | np.integer):
        kind = type(rng).__name__
        raise UsageError(
            f"rng must be None, an integer seed, a numpy Generator or a SeedSequence, "
            f"not {quote(rng)} of type {kind}"
        )
    if isinstance(rng, int | np.integer) and rng < 0:
        raise UsageError(f"rng must be a seed of at least 0, not {quote(rng)}")


def as_seed(rng: Rng = None) -> int:
    """One number that seeds several pieces of work: the seed itself, or drawn from a generator.

    Examples
    --------
    >>> as_seed(7)
    7
    """
    check_rng(rng)
    return rng if isinstance(rng, int) else int(as_generator(rng).integers(1 << 62))


@overload
def as_count(number: None) -> None: ...
@overload
def as_count(number: float) -> int: ...
def as_count(number: float | None) -> int | None:
    """A number of draws: an integer of at least one, also where it is written ``1e6``.

    Examples
    --------
    >>> as_count(1e6), as_count(None)
    (1000000, None)
    """
    if number is None:
        return None
    check_whole(number, "resamples", most=MOST)
    return int(number)


def affordable(most: float = MOST, **counts: float) -> None:
    """Raise an error for counts that would never end, before anything is started.

    Several are counted together, as their product.

    Examples
    --------
    >>> affordable(items=1000, responses=5)
    >>> affordable(1e6, simulations=10**20)
    Traceback (most recent call last):
    ...
    betterthan.errors.UsageError: simulations = 100,000,000,000,000,000,000 is more than can \
be done (at most 1,000,000)
    """
    if math.prod(counts.values()) > most:
        product = " times ".join(f"{name} = {_short(value)}" for name, value in counts.items())
        together = " together" if len(counts) > 1 else ""
        raise UsageError(f"{product} is more than can be done (at most {int(most):,}{together})")


def _short(value: float) -> str:
    return f"{value:,}" if value < 1e30 else "over 1e30"


def block_rows(n: int) -> int:
    """Replicates in a block over ``n`` items; a function of ``n`` alone."""
    return max(1, min(BLOCK_ROWS, BLOCK_CELLS // max(n, 1)))


def blocks(n: int, resamples: int, rng: Rng = None) -> Iterator[tuple[int, np.random.Generator]]:
    """Yield the size of each block of replicates and the generator that draws it.

    The generators are lazily made and independent (``SeedSequence`` spawning), so they may be used
    in any order and on any thread.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    entropy = as_generator(rng).integers(1 << 32, size=4, dtype=np.uint32).tolist()
    rows = block_rows(n)
    for index, start in enumerate(range(0, resamples, rows)):
        seed = np.random.SeedSequence(entropy, spawn_key=(index,))
        yield min(rows, resamples - start), np.random.Generator(np.random.SFC64(seed))


def seeds(number: int, rng: Rng = None) -> Iterator[np.random.SeedSequence]:
    """Yield so many independent seeds; the first of them are those of a shorter run."""
    entropy = as_generator(rng).integers(1 << 32, size=4, dtype=np.uint32).tolist()
    return (np.random.SeedSequence(entropy, spawn_key=(k,)) for k in range(number))


def plus_one(hits: int, resamples: int) -> float:
    """Sampled p-value ``(1 + hits) / (1 + resamples)``, which is valid and never zero.

    Phipson & Smyth (2010): the observed data are one of the equally likely outcomes.

    Examples
    --------
    >>> plus_one(0, 999)
    0.001
    """
    return (1 + hits) / (1 + resamples)


def clopper_pearson(hits: int, trials: int, confidence: float = 0.99) -> tuple[float, float]:
    """Clopper-Pearson (1934) interval for a probability hit ``hits`` times in ``trials``.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    return binomial_ends(hits, trials, (1.0 - confidence) / 2.0)


def binomial_ends(hits: int, trials: int, tail: float) -> tuple[float, float]:
    """Probabilities at which so many hits, or more (or fewer), have a chance of ``tail``."""
    low = float(betaincinv(hits, trials - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1.0 - tail)) if hits < trials else 1.0
    return low, high
