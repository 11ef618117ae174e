"""Recover the numbers that were meant: whole numbers times one unit, in whatever type they came.

Scores stored as floats are often whole numbers times a unit: counts, halves of a point, thirds (an
average of three raters), decimals. On them the integer engine is exact and a tie is a tie, where
floats can only be compared within their rounding.

A value is taken for ``n / k`` if that number, rounded to the type the value came in, is the value
itself: single precision where all values are single-precision numbers, whatever they are stored
in. Doubles may also be a few roundings away (``0.1 + 0.2``), judged by the size of the value alone
and never by others beside it. *Every* value must pass, so that coincidences are rare; and should
one happen, the number meant could have been that one.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import ArrayLike

from betterthan.numeric import Bools, Floats, Ints, Numbers

NEAR = 1e-12  # roundings of a double that was computed, as a share of itself
COARSE = 1e-4  # the unit is so much coarser than those roundings
MAX_DENOMINATOR = 1000  # units are 1/k up to here,
WRITTEN = (
    10**12
)  # or decimals of so few digits that a double which agrees with them was written so,
WRITTEN_SINGLE = 10**6  # and the same for single precision
SINGLE = 2.0**-23  # rounding of single precision
LARGEST = 2**53  # whole numbers beyond it are not known to the last digit
POWERS = tuple(10**digits for digits in range(1, 25))
SAMPLE = 8  # values whose denominators are looked at in one round


def as_lattice(*arrays: ArrayLike) -> tuple[tuple[Ints, ...], Fraction] | None:
    """Write all values as integers times one unit, or say that they are none.

    Parameters
    ----------
    *arrays : array_like
        Real numbers; they share the unit.

    Returns
    -------
    (tuple of int64 arrays, Fraction) or None
        The integers, array by array, and the unit: ``1/k`` with ``k <= 1000``, or a power of ten.
        None for anything else, infinities and missing values included.

    Examples
    --------
    >>> as_lattice([0.1 + 0.2, 0.7], [1.0, -0.1])
    ((array([3, 7]), array([10, -1])), Fraction(1, 10))
    >>> as_lattice(np.array([0.1, 0.7], dtype=np.float32).astype(float))
    ((array([1, 7]),), Fraction(1, 10))
    >>> as_lattice([0.5, 2**0.5]) is None
    True
    """
    raw = [np.asarray(array) for array in arrays]
    if all(x.dtype.kind in "iub" for x in raw):
        return tuple(x.astype(np.int64) for x in raw), Fraction(1)
    values = [x.astype(np.float64) for x in raw]
    largest = max(float(np.abs(x).max(initial=0.0)) for x in values)
    if not largest <= LARGEST:  # infinite and missing values end here too
        return None
    if all(bool((x == np.rint(x)).all()) for x in values):
        return tuple(x.astype(np.int64) for x in values), Fraction(1)
    few = np.concatenate([x.ravel()[:SAMPLE] for x in values])
    if _unit(few, largest) is None:  # the first few are enough to tell most real numbers
        return None
    distinct = np.unique(np.concatenate([x.ravel() for x in values]))
    k = _unit(distinct, largest)
    if k is None:
        return None
    common = gcd(k, int(np.gcd.reduce(np.rint(distinct * k).astype(np.int64))))
    integers = (np.rint(x * k).astype(np.int64) // common for x in values)
    return tuple(integers), Fraction(common, k)


def as_meant(values: Floats) -> Floats:
    """Round values to the numbers that were meant, where all of them are such; missing ones stay.

    >>> as_meant(np.array([(0.1 + 0.1 + 0.1) / 3, np.nan, 0.7])).tolist()
    [0.1, nan, 0.7]
    """
    present = ~np.isnan(values)
    found = as_lattice(values[present])
    if found is None:
        return values
    (integers,), unit = found
    meant = values.copy()
    meant[present] = integers * float(unit.numerator) / unit.denominator  # one rounding
    return meant


def is_single(values: Floats) -> bool:
    """Whether all values are single-precision numbers."""
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())


def one_precision(values: Sequence[Numbers]) -> Sequence[Numbers]:
    """Floats of which some came in single precision, the others rounded to it.

    ``0.1`` of one system and the single-precision ``0.1`` of another are then one number. Values
    that are single-precision numbers by chance (0.5, or whole numbers) round nothing.

    >>> a, b = np.array([0.1, 0.7]), np.array([0.1, 0.7], dtype=np.float32).astype(float)
    >>> [bool((x == b).all()) for x in one_precision([a, b])]
    [True, True]
    """
    single = [is_single(x) for x in values]
    if all(single) or not any(
        map(_is_rounded, (x for x, s in zip(values, single, strict=True) if s))
    ):
        return values
    with np.errstate(over="ignore", under="ignore"):
        rounded = [x.astype(np.float32).astype(np.float64) for x in values]
    lost = (np.abs(x - y) > SINGLE * np.abs(y) for x, y in zip(rounded, values, strict=True))
    return values if any(bool(far.any()) for far in lost) else rounded


def _is_rounded(values: Floats) -> bool:
    """Whether single-precision numbers are none that fewer digits would do for."""
    last = values.astype(np.float32).view(np.uint32) & 0xFF
    return bool(((last != 0) & (values != np.rint(values))).any())


def _unit(x: Floats, largest: float) -> int | None:
    """Denominator that makes whole numbers of all values: a power of ten, or a small one."""
    single = is_single(x)
    return _decimal_unit(x, largest, single) or _simple_unit(x, largest, single)


def _agree(x: Floats, k: int | Floats, largest: float, single: bool) -> Bools:
    """Which values are multiples of ``1/k``, to within the rounding of their type."""
    nearest = np.rint(x * k) / k
    if single:
        return np.asarray(nearest.astype(np.float32) == x.astype(np.float32))
    slack = np.where(largest * k * NEAR > COARSE, 0.0, NEAR)
    return np.asarray(np.abs(nearest - x) <= slack * np.abs(x))


def _decimal_unit(x: Floats, largest: float, single: bool) -> int | None:
    """Least power of ten that makes whole numbers of all values."""
    most = WRITTEN_SINGLE if single else WRITTEN
    powers = [k for k in POWERS if largest * k <= most]
    if not powers:
        return None
    first = x[:SAMPLE, None]  # these few rule out most powers, or all of them
    fits = np.all(_agree(first, np.array(powers, dtype=np.float64), largest, single), axis=0)
    rest = (k for k, fit in zip(powers, fits.tolist(), strict=True) if fit)
    return next((k for k in rest if _agree(x, k, largest, single).all()), None)


def _simple_unit(x: Floats, largest: float, single: bool) -> int | None:
    """Denominator up to a thousand that makes whole numbers of all distinct values."""
    k = 1
    while (rest := x[~_agree(x, k, largest, single)]).size:  # the few that tell what it is
        for value in rest[:SAMPLE].tolist():
            k = lcm(k, Fraction(value).limit_denominator(MAX_DENOMINATOR).denominator)
            if k > MAX_DENOMINATOR or not _agree(np.array([value]), k, largest, single).all():
                return None
    return k
