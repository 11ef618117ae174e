"""Find the exact numbers behind scores: integers times one unit, or floats and their noise.

Floats hide ties: ``0.1 + 0.2 - 0.3`` is not zero, and a third is 0.33 in one file and 0.33333334
in another. Every value stands for an interval as wide as its source was precise. A unit ``1/k``
explains the data if every interval holds a multiple of it and chance would hardly do that. Then
scores are integers of that unit, and ties are ties; else they are floats known to within ``noise``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats, Ints, Numbers

FLOAT_NOISE = 1e-12  # of computed doubles, as a fraction of their size
SINGLE_BITS, FEW_BITS = 24, 16
SINGLE_NOISE = 2.0 ** (2 - SINGLE_BITS)
SAMPLE = 8  # values that rule out most types and units
LARGEST_INTEGER = 2**53  # beyond it float64 skips integers
LARGEST_SUM = 2**61  # leaves room to double a sum of differences in int64
SINGLE_PRINTS = 10**6  # decimals of 7 digits and more may have been printed from single precision
MOST_DECIMALS = 12
CLOSE = 0.5  # width of an interval, in units: it holds one multiple at most
NOISY = 1e-3  # the same where values were computed, and not only stored
EXPECTED, RARE = 0.02, 2e-4  # chance of agreement by accident: with usual units, with any other
USUAL = (3, 6, *(10**places for places in range(1, 7)))  # three raters, six raters, decimals
SIMPLE = np.arange(1, 101)  # denominators of fractions that decimals were rounded from
SIMPLEST = 1000
POWERS = (*(2**j for j in range(11, 21)), *(10**j for j in range(4, MOST_DECIMALS + 1)))
UNITS = np.array([*range(1, SIMPLEST + 1), *POWERS])


@dataclass(frozen=True, slots=True)
class Precision:
    """How precise the source of a column was: bits of a binary number, decimals of a text.

    >>> Precision.of(np.dtype(np.float32)), Precision(decimals=2)
    (Precision(bits=24, decimals=None), Precision(bits=53, decimals=2))
    """

    bits: int = 53
    decimals: int | None = None

    @classmethod
    def of(cls, kind: np.dtype[Any]) -> "Precision | None":
        """Return that of an array's type; None where the values have to tell."""
        return {"float16": HALF, "float32": SINGLE}.get(kind.name)

    @property
    def noise(self) -> float:
        """Four roundings, as a fraction of the number: what a few operations leave."""
        return FLOAT_NOISE if self.bits > SINGLE_BITS else 2.0 ** (2 - self.bits)

    @property
    def computed(self) -> float:
        """The same of possible multiples of a unit, where those of few bits were only stored."""
        return 2.0**-self.bits if self.bits < FEW_BITS else self.noise

    def rounded(self, values: Floats) -> Floats:
        """Round to numbers of so many bits."""
        if self.bits >= DOUBLE.bits:
            return values
        fraction, power = np.frexp(values)
        return np.asarray(np.ldexp(np.rint(fraction * 2.0**self.bits), power - self.bits))

    def holds(self, values: Floats) -> bool:
        """Whether values are such numbers, or (of few bits) single-precision prints of them."""
        for some in (values[:SAMPLE], values):  # the first few tell most columns
            others = some[self.rounded(some) != some]
            printed = (
                self.bits < FEW_BITS and (self.rounded(others) == SINGLE.rounded(others)).all()
            )
            if others.size and not (printed and all(map(_is_print, np.unique(others).tolist()))):
                return False
        return True

    def shows(self, values: Floats) -> bool:
        """Whether values need all these bits: multiples of a power of two may be of any type."""
        fraction, power = np.frexp(values)
        if self.bits > FEW_BITS:
            scaled = np.ldexp(fraction, FEW_BITS)
        else:
            largest = int(np.max(power, where=values != 0.0, initial=-2000))
            scaled = np.ldexp(values, self.bits - largest)
        return bool((scaled != np.rint(scaled)).any())


BFLOAT, HALF, SINGLE, DOUBLE = Precision(8), Precision(11), Precision(SINGLE_BITS), Precision()
TYPES = (BFLOAT, HALF, SINGLE, DOUBLE)


def _is_print(value: float) -> bool:
    """Whether a number is how a single-precision number is printed."""
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(value)
    return value in (float(str(single)), float(f"{float(single):.9g}"))


@dataclass(frozen=True, slots=True)
class Whole:
    """Integers, column by column, and the unit that a one stands for."""

    integers: tuple[Ints, ...]
    unit: Fraction
    noise: float = 0.0

    @property
    def values(self) -> tuple[Floats, ...]:
        """The numbers as floats, each rounded once."""
        above, below = float(self.unit.numerator), self.unit.denominator
        return tuple(x * above / below for x in self.integers)


@dataclass(frozen=True, slots=True)
class Real:
    """Floats that are known to within ``noise``, a fraction of their size."""

    floats: tuple[Floats, ...]
    noise: float
    unit: Fraction = Fraction(1)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The numbers, where those that differ by rounding are one."""
        if self.noise != SINGLE_NOISE:
            return self.floats
        distinct = np.unique(np.concatenate([x.ravel() for x in self.floats]))
        merged = distinct.copy()
        close = np.diff(distinct) <= self.noise * np.abs(distinct[1:])
        for k in np.flatnonzero(close):  # few: groups are no wider than the rounding
            if distinct[k + 1] - merged[k] <= self.noise * abs(distinct[k + 1]):
                merged[k + 1] = merged[k]
        return tuple(np.asarray(merged[np.searchsorted(distinct, x)]) for x in self.floats)


@dataclass(frozen=True)
class _Column:
    """Values of one system, and what is known of their source."""

    values: Floats
    precision: Precision
    stated: bool

    @cached_property
    def decimals(self) -> int | None:
        """Decimal places of all values; None where they have too many to have been written so."""
        if self.precision.decimals is not None:
            return self.precision.decimals
        largest = float(np.abs(self.values).max(initial=0.0))
        several = (self.values[:SAMPLE], self.values)  # the first few rule out most
        for d in range(MOST_DECIMALS + 1):
            if largest * 10**d <= LARGEST_INTEGER and all(_has_decimals(x, d) for x in several):
                return d
        return None

    @cached_property
    def certain(self) -> bool:
        """Whether the values came in this type, and are not just so few that it holds them."""
        if self.stated or self.precision.bits >= DOUBLE.bits:
            return True
        several = self.precision.bits > FEW_BITS or len(self.distinct) >= SAMPLE
        return several and self.precision.shows(self.values)

    @cached_property
    def distinct(self) -> Floats:
        """Distinct values without zero, which every unit explains."""
        values = np.unique(self.values)
        return np.asarray(values[values != 0.0])


def resolution(
    columns: Sequence[Numbers],
    precision: Sequence[Precision | None] | None = None,
    n: int | None = None,
) -> Whole | Real:
    """Return columns as integers of one common unit where there is one, and as floats otherwise.

    Parameters
    ----------
    columns : sequence of arrays
        Each system's finite values, in any shape; Fractions and Decimals are taken as they are.
    precision : sequence of (Precision or None), optional
        That of each column where its source tells; None is told by the values.
    n : int, optional
        Number of items that are summed, where equal ones are listed once.

    Examples
    --------
    >>> resolution([np.array([0.1 + 0.2, 0.7]), np.array([1.0, -0.1])])
    Whole(integers=(array([3, 7]), array([10, -1])), unit=Fraction(1, 10), noise=0.0)
    >>> resolution([np.array([0.33, 0.67, 1.0])]).unit
    Fraction(1, 3)
    >>> resolution([np.array([0.5, 2**0.5])]).noise
    1e-12
    """
    raw = [np.asarray(column) for column in columns]
    count = n or max(len(x) for x in raw)
    whole = _integers(raw) or _fractions(raw)
    if whole is not None and _fits(whole.integers, count):
        return whole
    floats = tuple(x.astype(np.float64, copy=False) for x in raw)
    stated = precision or [Precision.of(x.dtype) for x in raw]
    known = [_column(x.ravel(), p) for x, p in zip(floats, stated, strict=True)]
    largest = max(float(np.abs(x).max(initial=0.0)) for x in floats)
    unit = _unit(known) if 0.0 < largest <= LARGEST_INTEGER else None
    if unit is not None:
        whole = _multiples(floats, unit)
        if _fits(whole.integers, count):
            return whole
    noise = max((c.precision.noise for c in known if c.certain), default=FLOAT_NOISE)
    stored = (c.precision.rounded(c.values) for c in known)
    return Real(tuple(x.reshape(y.shape) for x, y in zip(stored, floats, strict=True)), noise)


def resolved(values: Floats, precision: Sequence[Precision | None] | None = None) -> Floats:
    """Values rounded to the numbers behind them, one column per system; missing ones stay.

    >>> resolved(np.array([(0.1 + 0.1 + 0.1) / 3, np.nan, 0.7])).tolist()
    [0.1, nan, 0.7]
    """
    columns = np.atleast_2d(values.T)
    there = [~np.isnan(x) for x in columns]
    if not any(x.any() for x in there):
        return values
    exact = resolution([x[y] for x, y in zip(columns, there, strict=True)], precision)
    result = np.array(columns)
    for row, present, numbers in zip(result, there, exact.values, strict=True):
        row[present] = numbers
    return np.asarray(result.T.reshape(values.shape))


def _integers(raw: Sequence[NDArray[Any]]) -> Whole | None:
    if any(x.dtype.kind not in "iubf" for x in raw):
        return None
    for some in ([x[:SAMPLE] for x in raw], raw):  # the first few tell most fractions
        if not all(x.dtype.kind in "iub" or bool((x == np.rint(x)).all()) for x in some):
            return None
    if any(float(np.abs(x).max(initial=0)) > LARGEST_INTEGER for x in raw if x.dtype.kind == "f"):
        return None
    return Whole(tuple(x.astype(np.int64) for x in raw), Fraction(1))


def _fractions(raw: Sequence[NDArray[Any]]) -> Whole | None:
    """Fractions and decimals of Python, which are exact, as integers of their common unit."""
    if all(x.dtype != object for x in raw):
        return None
    cells = [x.ravel().tolist() for x in raw]
    if not any(isinstance(c, Fraction | Decimal) for x in cells for c in x):
        return None
    try:
        exact = [[Fraction(c) for c in x] for x in cells]
    except (TypeError, ValueError, OverflowError):  # missing or infinite
        return None
    below = lcm(*(c.denominator for x in exact for c in x))
    integers = [[int(c * below) for c in x] for x in exact]
    if max((abs(c) for x in integers for c in x), default=0) > LARGEST_INTEGER:
        return None
    shaped = (
        np.array(x, dtype=np.int64).reshape(y.shape) for x, y in zip(integers, raw, strict=True)
    )
    return Whole(tuple(shaped), Fraction(1, below))


def _fits(integers: Sequence[Ints], n: int) -> bool:
    """Whether integers of ``n`` items can be projected, summed and doubled without overflow."""
    largest = max(int(np.abs(x).max(initial=0)) for x in integers)
    return largest <= min(LARGEST_INTEGER, LARGEST_SUM // max(n, 1))


def _column(values: Floats, stated: Precision | None) -> _Column:
    """Take the precision that is stated, or the coarsest type that holds all values."""
    if stated is not None and stated.bits < DOUBLE.bits:
        return _Column(values, stated, stated=True)
    kind = next((x for x in TYPES if x.holds(values)), DOUBLE)
    decimals = None if stated is None else stated.decimals
    return _Column(values, Precision(kind.bits, decimals), stated=False)


def _has_decimals(values: Floats, places: int) -> bool:
    scale = 10.0**places
    return bool((np.rint(values * scale) / scale == values).all())


def _multiples(columns: Sequence[Floats], k: int) -> Whole:
    numerators = [np.rint(x * k).astype(np.int64) for x in columns]
    common = gcd(k, *(int(np.gcd.reduce(x, axis=None)) for x in numerators))
    return Whole(tuple(x // common for x in numerators), Fraction(common, k))


def _unit(columns: Sequence[_Column]) -> int | None:
    """Denominator of the unit that explains all columns, as they were rounded or as stored."""
    unit = _rounded_from(columns)
    if unit is not None:
        return unit
    known = [(c.precision.bits, c.certain) for c in columns]
    levels = (tuple(b if certain else max(b, kind.bits) for b, certain in known) for kind in TYPES)
    units = (_stored_as(columns, bits) for bits in dict.fromkeys(levels))  # coarse types first
    return next((unit for unit in units if unit is not None), None)


def _stored_as(columns: Sequence[_Column], bits: Sequence[int]) -> int | None:
    """Unit of which all values are multiples, to within the rounding of numbers of so many bits."""
    largest = max(float(np.abs(c.values).max(initial=0.0)) for c in columns)
    units = UNITS[UNITS * largest <= LARGEST_INTEGER]
    few = _Stored.of([replace(c, values=c.values[:SAMPLE]) for c in columns], bits)
    units = units[(_away(few.x, units) <= few.width(slice(None), units)).all(axis=0)]
    if not units.size:  # as is the rule with real numbers
        return None
    every = _Stored.of(columns, bits)
    for k in _fitting(every.x, units, every.width):
        width = np.maximum(every.width(slice(None), np.array([k]))[:, 0], every.ulp)
        if _hardly_chance(k, np.minimum(1.0, 2 * k * width)):
            return k
    return None


@dataclass(frozen=True)
class _Stored:
    """Distinct values, half a last bit of each, and the noise of computing it."""

    x: Floats
    ulp: Floats
    noise: Floats

    @classmethod
    def of(cls, columns: Sequence[_Column], bits: Sequence[int]) -> "_Stored":
        parts = [
            (
                c.distinct,
                np.ldexp(0.5, np.frexp(c.distinct)[1] - b),
                Precision(b).computed * np.abs(c.distinct),
            )
            for c, b in zip(columns, bits, strict=True)
        ]
        return cls(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def width(self, rows: Any, k: Ints) -> Floats:
        """How far values may be from multiples: their noise if that is small, else a rounding."""
        stored, computed = self.ulp[rows, None], self.noise[rows, None]
        narrow = np.where(2 * k * stored < CLOSE, stored, 0.0)
        return np.where(2 * k * computed < NOISY, computed, narrow)


def _rounded_from(columns: Sequence[_Column]) -> int | None:
    """Unit of simple fractions that decimals were rounded to, or printed from single precision."""
    if not any(c.decimals for c in columns):
        return None
    x, printed, single, pitch = (
        np.concatenate(y) for y in zip(*map(_printing, columns), strict=True)
    )
    usual = [k for k in USUAL if k > SIMPLE[-1]] if single.any() else []
    for k in _fitting(
        x, np.array([*SIMPLE, *usual]), lambda rows, _: (printed + single)[rows, None]
    ):
        away = _away(x, np.array([k]))[:, 0]
        inexact = away > 2.0**-53 * np.abs(x)
        if not inexact.any():
            return None  # they are what they are written as
        share = k * (2 * (printed + single) + pitch)[inexact | (pitch == 0.0)]
        plain = away <= printed + single / 4  # printed, but not computed
        if 2 * share.max() < CLOSE and plain.mean() > 0.5 and _hardly_chance(k, share):
            return k
    return None


def _printing(column: _Column) -> tuple[Floats, Floats, Floats, Floats]:
    """Distinct values; half a last place; noise of single precision; what they are multiples of.

    Multiples of 0.026 are not of 2/77, however near. Without decimals, values have their own noise.
    """
    x, places = column.distinct, column.decimals
    if places is None or not x.size:
        return x, column.precision.computed * np.abs(x), np.zeros_like(x), np.zeros_like(x)
    written = np.rint(x * 10.0**places).astype(np.int64)
    size = np.floor(np.log10(np.abs(written)) + FLOAT_NOISE).astype(np.int64) + 1
    known = range(1 if column.precision.decimals is None else 20, 21)
    digits = next(d for d in known if not (written % 10 ** np.maximum(size - d, 0)).any())
    half = 0.5 * 10.0 ** (np.maximum(size - digits, 0) - places)  # to so many places or digits
    pitch = np.full_like(x, np.gcd.reduce(written) * 10.0**-places)
    long = np.abs(written).max() >= SINGLE_PRINTS
    return x, half * (1 + FLOAT_NOISE), np.abs(x) * SINGLE_NOISE * long, pitch


def _away(x: Floats, units: Ints) -> Floats:
    """How far values are from the nearest multiple of each unit."""
    column = x[:, None]
    return np.asarray(np.abs(np.rint(column * units) / units - column))


def _fitting(x: Floats, units: Ints, width: Callable[[Any, Ints], Floats]) -> Iterator[int]:
    """Units, the coarsest first, of which every value has a multiple within its width."""
    while units.size:
        bad = np.flatnonzero((_away(x, units[:1]) > width(slice(None), units[:1]))[:, 0])
        if not bad.size:
            yield int(units[0])
            units = units[1:]
        else:  # the few that tell what it is
            some = bad[:SAMPLE]
            units = units[(_away(x[some], units) <= width(some, units)).all(axis=0)]


def _hardly_chance(k: int, share: Floats) -> bool:
    """Whether so many values would rarely lie so near to multiples of ``1/k`` by accident."""
    tries = k if k <= SIMPLEST else 1  # all fractions up to it, or a power of ten or two
    return tries * float(np.prod(share)) <= (EXPECTED if k in USUAL else RARE)
