"""Small laws written out: of a metric of several sums under swaps, and of all resamples."""

import math

import numpy as np

from betterthan.data.pair import Pair, kept
from betterthan.data.tally import Tally
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import Floats, Ints
from betterthan.testing.null_law import ListedLaw, NullLaw
from betterthan.testing.swaps import Swaps

MOST_CELLS = 1 << 20
"""Largest joint law, in lattice points, that is written out."""

REACH = 12.0
"""Standard deviations of a resampled sum that are written out: the rest is below 1e-30."""


@kept
def law_under_swaps(pair: Pair) -> NullLaw | ListedLaw | None:
    """Null law of delta, where differences are whole numbers or the joint law of sums is small."""
    swaps = Swaps.of(pair)
    return swaps.null_law or _swapped_law(swaps)


def _swapped_law(swaps: Swaps) -> ListedLaw | None:
    """Null law of a metric of several whole-number sums, where their joint law is small."""
    pair = swaps.pair
    if not pair.whole or pair.opaque or pair.gains is not None or not swaps.shape.units:
        return None
    law = SwapLaw.of(pair.b, pair.a, pair.counts)
    reach = law.counts @ np.abs(law.steps)
    if math.prod((reach + 1).tolist()) > MOST_CELLS:
        return None
    shape = tuple((reach + 1).tolist())
    angles = np.meshgrid(*(2.0 * np.pi * np.fft.fftfreq(m) for m in shape), indexing="ij")
    transform = np.ones(shape, dtype=np.complex128)
    for step, count in zip(law.steps, law.counts.tolist(), strict=True):
        phase = sum(e * angle for e, angle in zip(step.tolist(), angles, strict=True))
        transform *= ((1.0 + np.exp(-1j * phase)) / 2.0) ** count
    masses = np.fft.ifftn(transform).real.ravel()
    lowest = law.counts @ np.minimum(law.steps, 0)
    places = np.indices(shape).reshape(len(shape), -1)
    axes = [low + (place - low) % m for low, place, m in zip(lowest, places, shape, strict=True)]
    sums = np.stack(np.broadcast_arrays(*law.sums(axes)), axis=-1)
    live = masses > 0.0
    return ListedLaw.of(swaps.of_sums(sums[live]), masses[live], swaps.observed)


@kept
def law_of_resamples(pair: Pair) -> ListedLaw | None:
    """Law of delta over all resamples, where all units have one size and scores are whole."""
    gains = pair.gains
    if gains is None or not gains.whole or not gains.below:
        return None
    weights = pair.sizes if pair.metric.form == "mean" else pair.a[:, 1]
    if weights.min() != weights.max():
        return None
    sums, masses = _law_of_draws(gains.values, gains.counts)
    scale = float(gains.unit) / gains.below
    return ListedLaw.of(sums * scale, masses, pair.delta, "resampled difference")


def _law_of_draws(values: Ints, counts: Ints) -> tuple[Floats, Floats]:
    """Values and probabilities of a sum of as many draws with replacement as there are units."""
    n, low = int(counts.sum()), int(values.min())
    step = int(np.gcd.reduce(values - low)) or 1
    atoms = Tally.of([(values - low) // step], counts)
    x, share = atoms.rows[:, 0].astype(np.float64), atoms.counts / n
    mean = float(share @ x)
    sd = math.sqrt(n * float(share @ np.square(x - mean)))
    first = max(0, math.floor(n * mean - REACH * sd - 1.0))
    last = min(n * int(x.max()), math.ceil(n * mean + REACH * sd + 1.0))
    angle = 2.0 * np.pi * np.fft.fftfreq(last - first + 1)
    transform = np.ones(angle.size, dtype=np.complex128)
    transform[:] = np.exp(-1j * np.outer(angle, x)) @ share
    masses = np.fft.ifft(transform**n).real
    # The transform knows sums modulo the window's length: turn the window to where it starts.
    masses = np.roll(masses, -(first % angle.size))
    sums = (np.arange(first, last + 1) * step + n * low).astype(np.float64)
    return sums, np.maximum(masses, 0.0)
