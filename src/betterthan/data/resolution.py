"""Find the exact numbers behind scores: integers times one unit, or floats and their noise.

Floats hide ties: ``0.1 + 0.2 - 0.3`` is not zero, and a third is 0.33 in one file and 0.33333334
in another. Every value stands for an interval as wide as its source was precise. A unit ``1/k``
explains the data if every interval holds a multiple of it and chance would hardly do that. Then
scores are integers of that unit, and ties are ties; else they are floats known to within ``noise``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats, Ints, Numbers

LARGEST_INTEGER = 2**53  # beyond it float64 skips integers
LARGEST_SUM = 2**61  # leaves room to double a sum of differences in int64
FLOAT_NOISE, SINGLE_NOISE = 1e-12, 2.0**-22  # of computed numbers, as a fraction of their size
FEW_BITS = 16
SAMPLE = 8  # values that rule out most types and units
SINGLE_PRINTS = 10**6  # decimals of 7 digits and more may have been printed from single precision
MOST_DECIMALS = 12
CLOSE, NOISY = 0.5, 1e-3  # widest intervals in units, of stored numbers and of computed ones
EXPECTED, RARE = 0.02, 2e-4  # chance of agreement by accident: with usual units, with any other
USUAL = (3, 6, *(10**places for places in range(1, 7)))  # three raters, six raters, decimals
SIMPLE, SIMPLEST = 100, 1000  # denominators that decimals were rounded from, or numbers stored of
POWERS = (*(2**j for j in range(11, 21)), *(10**j for j in range(4, MOST_DECIMALS + 1)))
UNITS = np.array([*range(1, SIMPLEST + 1), *POWERS])
TYPES = BFLOAT, HALF, SINGLE = 8, 11, 24
DOUBLE = 53  # bits of a number that types of floats store


@dataclass(frozen=True, slots=True)
class Whole:
    """Integers, column by column, and the unit that a one stands for."""

    columns: tuple[Ints, ...]
    unit: Fraction
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class Real:
    """Floats that are known to within ``noise``, a fraction of their size."""

    columns: tuple[Floats, ...]
    noise: float
    unit: Fraction = Fraction(1)


def resolution(columns: Sequence[Numbers], n: int | None = None) -> Whole | Real:
    """Return columns as integers of one common unit where there is one, and as floats otherwise.

    Parameters
    ----------
    columns : sequence of arrays
        Each system's finite values, in any shape; Fractions and Decimals are taken as they are.
    n : int, optional
        Number of items that are summed, where equal ones are listed once.

    Examples
    --------
    >>> resolution([np.array([0.1 + 0.2, 0.7]), np.array([1.0, -0.1])])
    Whole(columns=(array([3, 7]), array([10, -1])), unit=Fraction(1, 10), noise=0.0)
    >>> resolution([np.array([0.33, 0.67, 1.0])]).unit
    Fraction(1, 3)
    >>> resolution([np.array([0.5, 2**0.5])]).noise
    1e-12
    """
    raw = [np.asarray(column) for column in columns]
    n = n or max(map(len, raw))
    if (whole := _exact(raw, n)) is not None:
        return whole
    floats = tuple(x.astype(np.float64, copy=False) for x in raw)
    known = [_Column(x.ravel()) for x in floats]
    if k := _unit(known):
        whole = _whole([np.rint(x * k) for x in floats], Fraction(1, k), n)
    if whole is not None:
        return whole
    noise = max((noise_of(c.bits) for c in known if c.certain), default=FLOAT_NOISE)
    return Real(floats, noise)


def round_to_bits(values: Floats, bits: int) -> Floats:
    """Round to numbers of so many bits."""
    fraction, power = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(fraction * 2.0**bits), power - bits))


def noise_of(bits: int) -> float:
    """Four roundings, as a fraction of a number: what a few operations leave."""
    return FLOAT_NOISE if bits > SINGLE else 2.0 ** (2 - bits)


def resolved(values: Floats) -> Floats:
    """Values rounded to the numbers behind them, one column per system; missing ones stay.

    >>> resolved(np.array([(0.1 + 0.1 + 0.1) / 3, np.nan, 0.7])).tolist()
    [0.1, nan, 0.7]
    """
    result = np.array(np.atleast_2d(values.T))
    there = ~np.isnan(result)
    if there.any():
        exact = resolution([x[y] for x, y in zip(result, there, strict=True)])
        above, below = exact.unit.as_integer_ratio()
        for row, present, numbers in zip(result, there, exact.columns, strict=True):
            row[present] = numbers * float(above) / below
    return np.asarray(result.T.reshape(values.shape))


def _exact(raw: Sequence[NDArray[Any]], n: int) -> Whole | None:
    """Integers, or fractions and decimals of Python, as integers of their common unit."""
    if all(x.dtype.kind in "iub" or (x.dtype.kind == "f" and (x == np.rint(x)).all()) for x in raw):
        return _whole(raw, Fraction(1), n)
    if all(x.dtype != object for x in raw):
        return None
    exact = [[Fraction(str(cell + 0)) for cell in x.ravel().tolist()] for x in raw]
    below = lcm(*(x.denominator for column in exact for x in column))
    integers = [np.array([int(x * below) for x in column], dtype=object) for column in exact]
    shaped = [x.reshape(y.shape) for x, y in zip(integers, raw, strict=True)]
    return _whole(shaped, Fraction(1, below), n)


def _whole(columns: Sequence[NDArray[Any]], unit: Fraction, n: int) -> Whole | None:
    """Integers, if those of ``n`` items can be projected, summed and doubled without overflow."""
    most = min(LARGEST_INTEGER, LARGEST_SUM // max(n, 1))
    if max(np.abs(x).max(initial=0) for x in columns) > most:
        return None
    integers = [x.astype(np.int64) for x in columns]
    below = unit.denominator
    common = gcd(below, *(int(np.gcd.reduce(x, axis=None)) for x in integers)) if below > 1 else 1
    return Whole(tuple(x // common for x in integers), unit * common)


@dataclass(frozen=True)
class _Column:
    """Values of one system."""

    values: Floats

    @cached_property
    def bits(self) -> int:
        """Bits of the coarsest type that holds all values; the first few tell most columns."""
        some = self.values[:SAMPLE], self.values
        return next(
            (k for k in TYPES if all((round_to_bits(x, k) == x).all() for x in some)), DOUBLE
        )

    @cached_property
    def distinct(self) -> Floats:
        """Distinct values without zero, which every unit explains."""
        values = np.unique(self.values)
        return np.asarray(values[values != 0.0])

    @cached_property
    def certain(self) -> bool:
        """Whether the values came in this type, and are not just so few that it holds them.

        Multiples of a power of two may be of any type, unless they need all the bits.
        """
        if self.bits == DOUBLE:
            return True
        _, power = np.frexp(self.values)
        shift: Any = FEW_BITS - power
        if self.bits < FEW_BITS:
            shift = self.bits - int(np.max(power, where=self.values != 0.0, initial=-2000))
        scaled = np.ldexp(self.values, shift)
        several = self.bits > FEW_BITS or len(self.distinct) >= SAMPLE
        return several and bool((scaled != np.rint(scaled)).any())

    @cached_property
    def decimals(self) -> int | None:
        """Decimal places of all values; None where they have too many to have been written so."""
        largest = float(np.abs(self.values).max(initial=0.0))
        for d in range(MOST_DECIMALS + 1):
            ones, several = 10.0**d, (self.values[:SAMPLE], self.values)
            if largest * ones <= LARGEST_INTEGER and all(
                (np.rint(x * ones) / ones == x).all() for x in several
            ):
                return d
        return None

    def printed(self) -> Floats:
        """Intervals of the distinct values as rounded to decimals, maybe from single precision.

        Multiples of 0.026 are not of 2/77, however near. Without decimals, values have their own
        noise.
        """
        x, places = self.distinct, self.decimals
        if places is None or not x.size:
            return _intervals(x, self.bits)[[0, 2, 3, 3]]
        written = np.rint(x * 10.0**places).astype(np.int64)
        size = np.floor(np.log10(np.abs(written)) + FLOAT_NOISE).astype(np.int64) + 1
        digits = next(
            d for d in range(1, 21) if not (written % 10 ** np.maximum(size - d, 0)).any()
        )
        half = 0.5 * 10.0 ** (np.maximum(size - digits, 0) - places)  # to so many places or digits
        single = np.abs(x) * SINGLE_NOISE * (np.abs(written).max() >= SINGLE_PRINTS)
        pitch = np.full_like(x, np.gcd.reduce(written) * 10.0**-places)
        return np.stack([x, half * (1 + FLOAT_NOISE) + single, 0.0 * x, pitch])


def _intervals(x: Floats, bits: int) -> Floats:
    """Intervals of numbers of so many bits: half a last bit, and the noise of computing them.

    Those of few bits were only stored.
    """
    noise = 2.0**-bits if bits < FEW_BITS else noise_of(bits)
    return np.stack([x, np.ldexp(0.5, np.frexp(x)[1] - bits), noise * np.abs(x), 0.0 * x])


def _width(intervals: Floats, units: Any) -> Floats:
    """How far values may be from multiples: their noise if that is small, else a rounding."""
    _, stored, computed, _ = intervals
    narrow = np.where(2 * units * stored < CLOSE, stored, 0.0)
    return np.where(2 * units * computed < NOISY, np.maximum(narrow, computed), narrow)


def _within(intervals: Floats, units: Ints) -> NDArray[np.bool_]:
    """Which values have a multiple of which unit in their interval."""
    wide = intervals[:, :, None]
    away = np.abs(np.rint(wide[0] * units) / units - wide[0])
    return np.asarray(away <= _width(wide, units))


def _explaining(intervals: Floats, units: Ints) -> Iterator[int]:
    """Units, the coarsest first, of which every value has a multiple in its interval."""
    while units.size:
        bad = np.flatnonzero(~_within(intervals, units[:1])[:, 0])[:SAMPLE]
        if not bad.size:
            yield int(units[0])
            units = units[1:]
        else:  # the few that tell what it is
            units = units[_within(intervals[:, bad], units).all(axis=0)]


def _unit(columns: Sequence[_Column]) -> int | None:
    """Denominator of the unit that explains all columns, as they were printed or as stored."""
    largest = max(float(np.abs(c.values).max(initial=0.0)) for c in columns)
    if not 0.0 < largest <= LARGEST_INTEGER:
        return None
    units = UNITS[UNITS * largest <= LARGEST_INTEGER]
    if any(c.decimals for c in columns):
        intervals = np.hstack([c.printed() for c in columns])
        x, half, _, pitch = intervals
        for k in _explaining(intervals, units[(units <= SIMPLE) | np.isin(units, USUAL)]):
            inexact = np.abs(np.rint(x * k) / k - x) > 2.0**-53 * np.abs(x)
            if not inexact.any():
                break  # they are what they are written as
            share = k * (2 * half + pitch)[inexact | (pitch == 0.0)]
            if 2 * share.max() < CLOSE and _hardly_chance(k, share):
                return k
    for bits in (*TYPES, DOUBLE):  # coarse types first
        of = [c.bits if c.certain else max(c.bits, bits) for c in columns]
        several = list(zip(columns, of, strict=True))
        few = np.hstack([_intervals(c.values[:SAMPLE], b) for c, b in several])
        left = units[_within(few, units).all(axis=0)]
        if left.size:  # it rarely is with real numbers
            intervals = np.hstack([_intervals(c.distinct, b) for c, b in several])
            for k in _explaining(intervals, left):
                width = np.maximum(_width(intervals, k), intervals[1])
                if _hardly_chance(k, np.minimum(1.0, 2 * k * width)):
                    return k
    return None


def _hardly_chance(k: int, share: Floats) -> bool:
    """Whether so many values would rarely lie so near to multiples of ``1/k`` by accident."""
    tries = k if k <= SIMPLEST else 1  # all fractions up to it, or a power of ten or two
    return tries * float(np.prod(share)) <= (EXPECTED if k in USUAL else RARE)
