"""Recover the numbers that were meant: whole numbers times one unit, in whatever type they came.

Scores stored as floats are often whole numbers times a unit: counts, halves of a point, thirds (an
average of three raters), decimals. On them the integer engine is exact and a tie is a tie, where
floats can only be compared within their rounding.

A value is taken for ``n / k`` if that number, rounded to the type the value came in, is the value
itself: bfloat16, half or single precision where all values are such numbers, whatever they are
stored in, and decimals of so many places where all are such (thirds printed as 0.3333 and 0.6667).
Doubles may also be a few roundings away (``0.1 + 0.2``), judged by the size of the value alone and
never by others beside it. *Every* value must pass, and those that are not ``n / k`` to the last bit
must be too many to be so by chance; should that happen, the number meant could have been that one.
"""

from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.precision import COARSER, SINGLE, Precision
from betterthan.numeric import Bools, Floats, Ints

NEAR = 1e-12  # roundings of a double that was computed, as a share of itself
COARSE = 1e-4  # the unit is so much coarser than those roundings
MAX_DENOMINATOR = 1000  # units are 1/k up to here,
WRITTEN = 10**12  # or decimals of so few digits that a double which agrees with them was written so
LARGEST = 2**53  # whole numbers beyond it are not known to the last digit
POWERS = tuple(10**digits for digits in range(1, 25))
SAMPLE = 8  # values whose denominators are looked at in one round
CHANCE = 0.1  # that so many single-precision numbers agree with a unit though none was meant
RARE = 2e-4  # chance of what would be taken for rounding, though it may have been meant as it is
THIRDS, EXPECTED = (3, 6), 0.02  # what three raters or trials give: 0.33 beside 0.67 is enough
CLOSE = 0.25  # share of decimals that may be so near to a multiple of a unit
PRINTED_DENOMINATOR = 100  # of fractions that decimals were rounded from


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
    values = [x.astype(np.float64, copy=False) for x in raw]
    largest = max(float(np.abs(x).max(initial=0.0)) for x in values)
    if not largest <= LARGEST:  # infinite and missing values end here too
        return None
    if all(bool((x == np.rint(x)).all()) for x in values):
        return tuple(x.astype(np.int64) for x in values), Fraction(1)
    few = np.concatenate([x.ravel()[:SAMPLE] for x in values])
    if not may_have_unit(few, largest):  # the first few are enough to tell most real numbers
        return None
    distinct = np.unique(np.concatenate([x.ravel() for x in values]))
    k = _unit(distinct, largest)
    if k is None:
        return None
    common = _common(distinct, k)
    integers = (np.rint(x * k).astype(np.int64) // common for x in values)
    return tuple(integers), Fraction(common, k)


def _common(x: Floats, k: int) -> int:
    """What all numerators over ``k`` share with it."""
    return gcd(k, int(np.gcd.reduce(np.rint(x * k).astype(np.int64))))


def unit_in(x: Floats, precision: Precision, largest: float) -> int | None:
    """Denominator that makes whole numbers of values that came in a coarser type than double."""
    small = np.abs(x[x != 0.0]).min(initial=np.inf) < precision.least
    k = None if small else _least_unit(x, largest, precision)
    return k if k is not None and _telling(x, k, precision) else None


def may_have_unit(few: Floats, largest: float) -> bool:
    """Whether some values have a unit, in the coarsest type that holds them or in a finer one."""
    kept = [precision for precision in COARSER if precision.holds(few)]
    return any(_least_unit(few, largest, precision) for precision in kept or (None,))


def _unit(x: Floats, largest: float) -> int | None:
    """Denominator that makes whole numbers of all distinct values, in the type they came in."""
    kept = [precision for precision in COARSER if precision.holds(x)]
    if not kept:
        k = _least_unit(x, largest, None)
        return None if k is None else _printed_unit(x, k)
    for precision in kept:
        k = unit_in(x, precision, largest)
        if k is not None:
            return None if are_last_bits(x, k, kept[0]) else _printed_unit(x, k)
    return None


def _least_unit(x: Floats, largest: float, precision: Precision | None) -> int | None:
    """The least power of ten that makes whole numbers of all values, or a small denominator."""
    return _decimal_unit(x, largest, precision) or _simple_unit(x, largest, precision)


def _agree(x: Floats, k: int | Floats, largest: float, precision: Precision | None) -> Bools:
    """Which values are multiples of ``1/k``, to within the rounding of their type."""
    nearest = np.rint(x * k) / k
    if precision is not None:
        return np.asarray(precision.rounded(nearest) == x)
    slack = np.where(largest * k * NEAR > COARSE, 0.0, NEAR)
    return np.asarray(np.abs(nearest - x) <= slack * np.abs(x))


def _telling(x: Floats, k: int, precision: Precision) -> bool:
    """Whether numbers of a type that only round to multiples of ``1/k`` are too many for chance.

    There are about ``2**bits`` numbers of the type up to ``|x|``, and ``k |x|`` multiples.
    """
    inexact = np.abs(x[np.rint(x * k) / k != x])
    share = np.minimum(1.0, inexact * k * 2.0**-precision.bits)
    most = CHANCE if precision is SINGLE else RARE
    return not inexact.size or float(np.prod(share[:SAMPLE])) <= most


def are_last_bits(x: Floats, k: int, precision: Precision) -> bool:
    """Whether ``1/k`` is but the last bit of numbers of a coarser type than double.

    Multiples of it that were meant would not all happen to be numbers of that type; nor would they
    need all the bits of single precision.
    """
    spacing = np.ldexp(1.0, np.frexp(x)[1] - precision.bits)
    parts = k // _common(x, k)
    if precision is SINGLE:
        return parts > 1 and parts * float(spacing.max()) >= 1.0
    return float(np.prod(np.minimum(1.0, 1.0 / (parts * spacing)))) <= RARE


def _printed_unit(x: Floats, k: int) -> int:
    """Denominator of simple fractions that decimals were rounded from, or that of the decimals.

    They were rounded to so many places, or to so many digits. At most two decimals in ``k / unit``
    are as near to a multiple of ``1 / unit``, fewer by a hundred where all are multiples of a
    hundred times that, as percentages are.
    """
    if k not in POWERS or k > WRITTEN:
        return k
    written = np.unique(np.rint(x * k).astype(np.int64))
    common = int(np.gcd.reduce(written))  # multiples of 0.026 are none of 2/77
    for steps in (np.ones_like(written), _last_digits(written)):
        for unit in _near_units(written[:SAMPLE], steps[:SAMPLE], k):
            nearest = np.rint(written * (unit / k)).astype(np.int64)
            away = np.abs(nearest * k - written * unit)
            if (2 * away <= unit * steps).all():
                parts = k * 100 if (nearest % 100 == 0).all() else k
                share = 2 * unit * common * steps[away > 0] / parts
                chance = EXPECTED if unit in THIRDS else RARE
                if share.max(initial=0.0) < CLOSE and unit * float(np.prod(share)) <= chance:
                    return unit
    return k


def _last_digits(written: Ints) -> Ints:
    """What a one in the last digit is worth in each number, if all are written with as many."""
    size = np.floor(np.log10(np.maximum(np.abs(written), 1)) + 1e-12).astype(np.int64) + 1
    zeros = sum((written % 10**j == 0).astype(np.int64) for j in range(1, 13))
    digits = int(np.max(size - zeros, where=written != 0, initial=1))
    return 10 ** np.maximum(size - digits, 0)


def _near_units(written: Ints, steps: Ints, k: int) -> list[int]:
    """Denominators with a multiple within half a last digit of each of some ``written / k``."""
    units = np.arange(2, min(PRINTED_DENOMINATOR, k - 1) + 1)[:, None]
    nearest = np.rint(written * (units / k)).astype(np.int64)
    fits = (2 * np.abs(nearest * k - written * units) <= units * steps).all(axis=1)
    found: list[int] = units[fits, 0].tolist()
    return found


def _decimal_unit(x: Floats, largest: float, precision: Precision | None) -> int | None:
    """Least power of ten that makes whole numbers of all values."""
    most = WRITTEN if precision is None else 10**precision.digits
    powers = [k for k in POWERS if largest * k <= most]
    if not powers:
        return None
    first = x[:SAMPLE, None]  # these few rule out most powers, or all of them
    fits = np.all(_agree(first, np.array(powers, dtype=np.float64), largest, precision), axis=0)
    rest = (k for k, fit in zip(powers, fits.tolist(), strict=True) if fit)
    return next((k for k in rest if _agree(x, k, largest, precision).all()), None)


def _simple_unit(x: Floats, largest: float, precision: Precision | None) -> int | None:
    """Denominator up to a thousand that makes whole numbers of all distinct values."""
    most = MAX_DENOMINATOR if precision is None else precision.denominator
    k = 1
    while (rest := x[~_agree(x, k, largest, precision)]).size:  # the few that tell what it is
        for value in rest[:SAMPLE].tolist():
            k = lcm(k, Fraction(value).limit_denominator(most).denominator)
            if k > most or not _agree(np.array([value]), k, largest, precision).all():
                return None
    return k
