"""The type of number that values came in: double, single, half or bfloat16, stored or printed.

A score of 0.7 that passed through single precision is 0.699999988079071 where it is stored in a
double, 0.6999999881 or 0.7 where it was printed, and 0.70000005 if it was computed there, as
``0.6 + 0.1``. Taken for doubles these are four numbers: ties are lost, and p-values come out too
small. The values themselves tell: that all of them are numbers of a coarser type is no chance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from betterthan.numeric import Floats, Numbers

SAMPLE = 4096  # distinct values whose digits are looked at
PRINTED = 15  # digits of what was printed from less than a double, at the most
SINGLE_DIGITS = 6  # decimals of so many digits are themselves in single precision
PLAIN_BITS = 16  # of multiples of a power of two, at the most
MOST = 10.0**SINGLE_DIGITS  # multiples of a unit that rounding may hide
UNITS = (*range(1, 101), *(10**places for places in range(3, SINGLE_DIGITS + 1)))
EXACT = 1e-12  # a decimal is one, but for the rounding of a double
CHANCE = 1e-6  # that so many decimals lie so near to multiples of a unit


@dataclass(frozen=True, slots=True)
class Precision:
    """A type of binary number.

    Attributes
    ----------
    bits : int
        How many a number keeps.
    digits : int
        Decimals of so many digits survive in it.
    denominator : int
        Fractions with no larger one are told apart by it.
    least : float
        Numbers below it keep fewer bits.
    rounded : callable
        Doubles to the nearest number of this type.
    """

    bits: int
    digits: int
    denominator: int
    least: float
    rounded: Callable[[Floats], Floats]

    @property
    def noise(self) -> float:
        """Four roundings, as a share of the number: what a few operations leave."""
        return 2.0 ** (2 - self.bits)

    def holds(self, values: Floats) -> bool:
        """Whether all values are such numbers."""
        return bool((self.rounded(values) == values).all())

    def shows(self, values: Floats) -> bool:
        """Whether such numbers are no multiples of a power of two, which no type has to explain.

        Those have few bits, and small ones are no finer than the last bit of the largest.
        """
        share, power = np.frexp(values)
        if self.bits > PLAIN_BITS:
            scaled = np.ldexp(share, PLAIN_BITS)
        else:
            last = int(np.max(power, where=values != 0.0, initial=-2000))
            scaled = np.ldexp(values, self.bits - last)
        return bool((scaled != np.rint(scaled)).any())


def _through(kind: type[np.floating]) -> Callable[[Floats], Floats]:
    def rounded(values: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            return values.astype(kind).astype(np.float64)

    return rounded


def _eight_bits(values: Floats) -> Floats:
    """Round to bfloat16, which NumPy does not have."""
    share, power = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(share * 2.0**8), power - 8))


BFLOAT = Precision(8, 2, 16, 2.0**-126, _eight_bits)
HALF = Precision(11, 3, 45, 2.0**-14, _through(np.float16))
SINGLE = Precision(24, SINGLE_DIGITS, 1000, 2.0**-126, _through(np.float32))
COARSER = (BFLOAT, HALF, SINGLE)  # than doubles
SINGLE_NOISE = SINGLE.noise


def printed_single(values: Floats) -> bool:
    """Whether all values are decimals as single-precision numbers are printed.

    They must lie within its rounding of simple fractions or short decimals, and too many of them
    not on these for chance, as ``0.70000005`` among tenths or ``0.33333334`` among thirds does.
    Others are what they are: every price of eight digits may have been printed from somewhere.

    >>> printed_single(np.array([0.33333334, 0.6666667, 1.0]))
    True
    >>> printed_single(np.array([0.6999999881, 0.1000000015, 0.200000003]))
    True
    >>> printed_single(np.array([0.33333333, 0.66666667, 1.0]))
    False
    """
    flat = values.ravel()
    if not all(_as_single_prints(x) for x in flat[:8].tolist()):
        return False  # as most columns are told by
    distinct = np.unique(flat)
    some = distinct[:: -(-distinct.size // SAMPLE) or 1]
    return all(_as_single_prints(x) for x in some.tolist()) and _hides_a_unit(distinct)


def as_stored(values: Sequence[Numbers]) -> Sequence[Numbers]:
    """Numbers of half precision or bfloat16 that were printed as single precision, or the values.

    All values must be such prints, those of all systems or of one, and some not the number itself,
    as 0.5 is. Of ``2**13`` numbers of single precision one is in half precision, of ``2**16`` one
    in bfloat16: a single value may be so by chance, two are not.

    >>> as_stored([np.array([0.20019531, 0.5, 0.7001953])])[0].tolist()
    [0.2001953125, 0.5, 0.7001953125]
    """
    together = np.concatenate([x.ravel() for x in values])
    stored = _of_few_bits(together)
    if stored is not together:
        parts = np.split(stored, np.cumsum([x.size for x in values])[:-1])
        return [part.reshape(x.shape) for part, x in zip(parts, values, strict=True)]
    each = [_of_few_bits(x) for x in values] if len(values) > 1 else values
    return values if all(x is y for x, y in zip(each, values, strict=True)) else each


def _of_few_bits(values: Numbers) -> Numbers:
    few = values.ravel()[:8]  # as most columns are told by
    for precision in (BFLOAT, HALF):
        if (SINGLE.rounded(few) == precision.rounded(few)).all():
            stored = precision.rounded(values)
            changed = np.unique(values[stored != values])
            near = np.abs(stored - values) <= SINGLE.noise * np.abs(values)  # none lost as 0 or inf
            if changed.size and near.all() and (SINGLE.rounded(values) == stored).all():
                return stored if all(map(_as_single_prints, changed.tolist())) else values
    return values


def _as_single_prints(value: float) -> bool:
    """Whether a decimal may have been printed from single precision."""
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(value)
    if not np.isfinite(single):
        return False
    written = Decimal(repr(value)).normalize().as_tuple()
    digits, exponent = len(written.digits), int(written.exponent)
    if digits <= SINGLE_DIGITS:
        return True
    if digits > PRINTED:
        return False
    step = Decimal(1).scaleb(exponent)
    rounded = Decimal(float(single)).quantize(step, ROUND_HALF_EVEN)
    return value == float(str(single)) or float(rounded) == value  # or its shortest spelling


def _hides_a_unit(values: Floats) -> bool:
    """Whether values are multiples of one ``1/k`` but for rounding, more of them than by chance."""
    size = np.abs(values)
    largest = float(size.max(initial=0.0))
    if not 0.0 < largest < MOST:
        return False
    places = next((d for d in range(PRINTED) if (values.round(d) == values).all()), PRINTED)
    printing = np.zeros_like(size)
    if places >= SINGLE_DIGITS - 1:  # in so many places, or in seven digits
        last = 10.0 ** (np.floor(np.log10(np.maximum(size, 1e-300))) - SINGLE_DIGITS)
        longer = np.abs(np.rint(values / last) - values / last) > 1e-3
        last = np.zeros_like(size) if longer.any() else last
        printing = 0.5 * np.maximum(last, 10.0**-places) * (1.0 + 1e-9)
    slack = SINGLE.noise * size + printing
    for k in UNITS:
        if k * largest > MOST:
            break
        nearest = np.rint(values * k) / k
        away = np.abs(nearest - values)
        if (away <= slack).all():
            share = 2.0 * k * slack[values != 0.0]
            rare = share.max() < 0.1 and k * np.prod(share) <= CHANCE
            # Most were only printed; few of what was computed is off by a rounding or two.
            plain = (SINGLE.rounded(values) == SINGLE.rounded(nearest)) | (away <= printing)
            return bool(rare and (away > EXACT * size).any() and plain.mean() > 0.5)
    return False
