"""The one rule at the door: which numbers are meant by the values that came."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from betterthan.data.arrays import FLOAT_NOISE, fits
from betterthan.data.precision import BFLOAT, HALF, SINGLE, as_stored, printed_single
from betterthan.data.whole import (
    LARGEST,
    MAX_DENOMINATOR,
    POWERS,
    SAMPLE,
    as_lattice,
    may_have_unit,
    unit_in,
)
from betterthan.numeric import Floats, Ints, Numbers

FEW_SYSTEMS = 100  # whose types are told one by one
TOLD_APART = 10**6  # whole numbers of so many digits come through single precision


def whole_numbers(
    values: Sequence[Numbers], n: int
) -> tuple[tuple[Numbers, ...], Fraction] | tuple[tuple[Numbers, ...], None]:
    """Numbers meant by ``n`` items: integers and their unit, or floats of one precision and None.

    ``values`` may hold equal items once.
    """
    found, meant = as_lattice(*values), tuple(values)
    if found is None or _fine(*found) or not fits(found[0], n):
        stored = as_stored(values)
        if stored is not values:
            again = whole_numbers(stored, n)
            told = again[1] is not None and not _fine(*again)
            if told or _of_few_bits(values, stored):
                return again
        each = _each_in_its_type(values) if 1 < len(values) <= FEW_SYSTEMS else None
        rounded = values if each is not None else one_precision(values)
        if each is not None:
            found = each
        elif rounded is not values:
            found, meant = as_lattice(*rounded), tuple(rounded)
    return found if found is not None and fits(found[0], n) else (meant, None)


def _of_few_bits(values: Sequence[Numbers], stored: Sequence[Numbers]) -> bool:
    """Whether all systems came in few bits, shown by more than one number that print changed."""
    pairs = zip(values, stored, strict=True)
    changed = np.concatenate([np.abs(x[x != y]) for x, y in pairs])
    return bool(np.ptp(changed) > 0.0) and all(HALF.holds(x) or BFLOAT.holds(x) for x in stored)


def _each_in_its_type(values: Sequence[Numbers]) -> tuple[tuple[Ints, ...], Fraction] | None:
    """Whole numbers of a unit that systems share though they came in different types."""
    found = [as_lattice(x) for x in values]
    units = [one[1] for one in found if one is not None]
    k = lcm(*(unit.denominator for unit in units))
    if len(units) < len(values) or (k > MAX_DENOMINATOR and TOLD_APART % k):
        return None
    kept = [(one[0][0], int(one[1] * k)) for one in found if one is not None]
    if any(int(np.abs(x).max(initial=0)) * times > LARGEST for x, times in kept):
        return None
    integers = tuple(x * times for x, times in kept)
    return None if _fine(integers, Fraction(1, k)) else (integers, Fraction(1, k))


def _fine(integers: tuple[Ints, ...], unit: Fraction) -> bool:
    """Whether decimals have more digits than single precision tells apart."""
    places = next((k for k in POWERS if k % unit.denominator == 0), 1)
    largest = max(int(np.abs(x).max(initial=0)) for x in integers)
    return unit.denominator > 1 and largest * unit * places > TOLD_APART


def as_meant(values: Floats) -> Floats:
    """Round values to the numbers that were meant, one column a system; missing ones stay.

    Where no unit tells what they are, those of a coarser type that differ by its rounding are one.

    >>> as_meant(np.array([(0.1 + 0.1 + 0.1) / 3, np.nan, 0.7])).tolist()
    [0.1, nan, 0.7]
    >>> len(set(as_meant(np.array([0.70000005, 0.7, 0.123])).tolist()))  # single precision
    2
    """
    columns = [x[~np.isnan(x)] for x in np.atleast_2d(values.T)]
    if not any(x.size for x in columns):
        return values
    found, unit = whole_numbers(columns, max(x.size for x in columns))
    if unit is not None:  # one rounding
        found = tuple(x * float(unit.numerator) / unit.denominator for x in found)
    elif noise_of(found) == SINGLE.noise:
        sizes = np.cumsum([x.size for x in found])[:-1]
        found = tuple(np.split(_merged(np.concatenate(found), SINGLE.noise), sizes))
    meant = values.copy()
    for column, known in zip(np.atleast_2d(meant.T), found, strict=True):
        column[~np.isnan(column)] = known
    return meant


def _merged(values: Numbers, noise: float) -> Numbers:
    """Values within rounding of the least of a group, as that one."""
    distinct, places = np.unique(values, return_inverse=True)
    steps = np.diff(distinct) > noise * np.abs(distinct[1:])
    for k in np.flatnonzero(~steps):  # few: groups are no wider than the rounding
        if distinct[k + 1] - distinct[k] <= noise * abs(distinct[k + 1]):
            distinct[k + 1] = distinct[k]
    return np.asarray(distinct[places].reshape(values.shape))


def noise_of(values: Sequence[Numbers]) -> float:
    """Rounding of the type that values came in, no whole numbers, as a share of each."""
    if not all(map(SINGLE.holds, values)):
        return FLOAT_NOISE
    distinct = np.unique(np.concatenate([x.ravel() for x in values]))
    if SINGLE.shows(distinct):
        return SINGLE.noise
    few_bits = (x for x in (BFLOAT, HALF) if x.holds(distinct) and x.shows(distinct))
    found = next(few_bits, None)
    return FLOAT_NOISE if found is None or distinct.size < SAMPLE else found.noise


def one_precision(values: Sequence[Numbers]) -> Sequence[Numbers]:
    """Floats of which some came in single precision, the others rounded to it.

    ``0.1`` of one system and the single-precision ``0.1`` of another are then one number. Values
    that are single-precision numbers by chance (0.5, or whole numbers) round nothing.

    >>> a, b = np.array([0.1, 0.7]), np.array([0.1, 0.7], dtype=np.float32).astype(float)
    >>> [bool((x == b).all()) for x in one_precision([a, b])]
    [True, True]
    >>> one_precision([np.array([0.1, 0.2, 0.70000005])])[0].tolist()[2]  # 0.6 + 0.1
    0.7000000476837158
    """
    single = [SINGLE.holds(x) for x in values]
    shown = (
        _shows_single(x) if held else printed_single(x)
        for x, held in zip(values, single, strict=True)
    )
    if all(single) or not (any(shown) or _printed_together(values)):
        return values
    rounded = [SINGLE.rounded(x) for x in values]
    pairs = zip(rounded, values, strict=True)
    lost = (np.abs(x - y) > SINGLE.noise * np.abs(y) for x, y in pairs)  # too small or too large
    return values if any(bool(far.any()) for far in lost) else rounded


def _printed_together(values: Sequence[Floats]) -> bool:
    """Whether systems of few values, most of which one may have computed, tell it together."""
    return 1 < len(values) <= FEW_SYSTEMS and printed_single(
        np.concatenate([x.ravel() for x in values])
    )


def _shows_single(values: Numbers) -> bool:
    """Whether single-precision numbers are none that fewer digits would do for."""
    flat, largest = values.ravel(), float(np.abs(values).max(initial=0.0))
    if may_have_unit(flat[:SAMPLE], largest):
        distinct = np.unique(flat)
        if (k := unit_in(distinct, SINGLE, largest)) is not None:
            return bool((np.rint(distinct * k) / k != distinct).any())
    return SINGLE.shows(flat)
