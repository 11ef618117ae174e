"""Recognise real numbers that are a lattice in disguise.

Scores stored as floats are often whole numbers times a unit: counts, halves of a point, thirds (an
average of three raters), percentages with two decimals. On them the integer engine is exact, where
a bracket for real numbers cannot be narrower than the probability of a tie.

A value is taken for a multiple of the unit if it is within rounding noise of one, ``1e-12`` of the
largest value (more for single precision). Two things keep coincidences out. The unit must be ten
thousand times coarser than the noise, so that a random real passes with a chance below
``2e-4``, two with ``4e-8``, and *every* value must pass. And should a coincidence happen all the
same, each value has moved by less than the noise within which two sums count as tied anyway.
"""

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOISE = 1e-12  # rounding noise, as a share of the largest value
COARSE = 1e4  # the unit is at least so many times the noise
MAX_DENOMINATOR = 1000  # units are 1/k up to here,
DECIMALS = (10**4, 10**5, 10**6)  # or these decimals
MAX_INTEGER = 2**31  # largest integer when the values are multiples to the last bit
SAMPLE = 8  # values of an array whose denominators are looked at in one round


def as_lattice(*arrays: ArrayLike) -> tuple[tuple[Integers, ...], Fraction] | None:
    """Write all values as integers times one unit, or say that they are none.

    Parameters
    ----------
    *arrays : array_like
        Real numbers; they share the unit.

    Returns
    -------
    (tuple of int64 arrays, Fraction) or None
        The integers, array by array, and the unit: ``1/k`` with ``k <= 1000``, or a decimal down
        to a millionth. None for anything else, infinities and missing values included.

    Examples
    --------
    >>> as_lattice([0.1 + 0.2, 0.7], [1.0, -0.1])
    ((array([3, 7]), array([10, -1])), Fraction(1, 10))
    >>> as_lattice([0.5, 2**0.5]) is None
    True
    """
    raw = [np.asarray(array) for array in arrays]
    if all(x.dtype.kind in "iub" for x in raw):
        return tuple(x.astype(np.int64) for x in raw), Fraction(1)
    values = [x.astype(np.float64, copy=False) for x in raw]
    scale = max(float(np.abs(x).max(initial=0.0)) for x in values)
    if not scale <= MAX_INTEGER:  # infinite and missing values end here too
        return None
    precision = max(float(np.finfo(x.dtype).eps) for x in raw if x.dtype.kind == "f")
    noise = max(NOISE, 2.0 * precision) * scale
    k: int | None = _denominator(1, [x.ravel()[:SAMPLE] for x in values], noise)
    while k is not None:
        scaled = [x * k for x in values]
        integers = [np.rint(x) for x in scaled]
        off = [np.abs(x - n) > noise * k for x, n in zip(scaled, integers, strict=True)]
        if not any(miss.any() for miss in off):
            # Multiplying by a power of two is exact, so agreement to the last bit is no accident.
            to_the_bit = k & (k - 1) == 0 and scale * k <= MAX_INTEGER
            bits = to_the_bit and all(map(np.array_equal, scaled, integers))
            if bits or COARSE * noise * k <= 1.0:
                return tuple(n.astype(np.int64) for n in integers), Fraction(1, k)
            return None
        k = _denominator(k, [x[miss][:SAMPLE] for x, miss in zip(values, off, strict=True)], noise)
    return None


def _denominator(k: int, samples: list[Floats], noise: float) -> int | None:
    """Least multiple of ``k`` that makes all sampled values integers, if it is a simple one."""
    for x in np.concatenate(samples).tolist():
        if abs(x * k - round(x * k)) <= noise * k:
            continue
        nearest = Fraction(x).limit_denominator(MAX_DENOMINATOR)
        if abs(x - nearest) <= noise:
            k = lcm(k, nearest.denominator)
        else:
            tens = (t for t in DECIMALS if abs(x * t - round(x * t)) <= noise * t)
            k = lcm(k, next(tens, 0))
        if k == 0 or (k > MAX_DENOMINATOR and DECIMALS[-1] % k):
            return None
    return k
