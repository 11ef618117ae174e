"""Scores of one system that are those of another but for digits that were cut: ties are lost.

Where one file says 0.3333 and the other 0.333333333333, every item on which both systems got a
third counts for the second: sign tests reject, and p-values of means come out too small.
"""

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from betterthan.data.meant import as_meant
from betterthan.data.precision import BFLOAT, HALF
from betterthan.errors import DataError, how_many
from betterthan.numeric import Bools, Floats, Ints, Numbers

FEW_SYSTEMS = 30  # whose digits are held against each other's
FINE = 200.0  # how many times narrower than the range of the scores a rounding is, at least
SHARE, FEWEST = 0.05, 3  # of the items that meet by rounding alone
SAMPLE = 64  # values that tell most columns


def _to(places: int) -> Callable[[Floats], Floats]:
    return lambda values: np.round(values, places)


_DECIMALS = {f"have {how_many(places, 'decimal')}": _to(places) for places in range(1, 12)}
_STORED = {"come in bfloat16": BFLOAT.rounded, "come in half precision": HALF.rounded}
_ROUNDINGS = _DECIMALS | _STORED


def refuse_cut(
    systems: Sequence[str], values: Sequence[Numbers], counts: Ints | None = None
) -> None:
    """Refuse scores of two systems that meet on many items once they are rounded alike.

    ``counts`` says how many items have each row.
    """
    alone = all(x.dtype.kind == "f" and x.shape[1:] == (1,) for x in values)
    if not alone or not 1 < len(systems) <= FEW_SYSTEMS:
        return
    flat = [x.ravel() for x in values]
    kinds = [_kinds(x) for x in flat]
    times = np.ones(len(flat[0]), dtype=np.int64) if counts is None else counts
    for cut, full in permutations(range(len(systems)), 2):
        for told in kinds[cut]:
            if told in kinds[full] or _holds(told, flat[full]):
                continue
            met = _met(told, flat[cut], flat[full])
            if _many(met, times):  # but for ties that are found all the same
                first, second = as_meant(np.stack([flat[cut], flat[full]], axis=1)).T
                met &= first != second
            if _many(met, times):
                raise DataError(
                    f"scores of {systems[cut]!r} {told}, those of {systems[full]!r} more digits, "
                    f"and {times[met].sum():,} of {times.sum():,} items differ by that rounding "
                    "alone and would count as won or lost: write the scores of all systems with "
                    "as many digits, or round them alike"
                )


def _kinds(values: Floats) -> list[str]:
    """Roundings that leave values as they are: to the fewest decimals, and to types of few bits."""
    if not (values != np.rint(values)).any():
        return []
    fewest = next((told for told in _DECIMALS if _holds(told, values)), None)
    return [*([fewest] if fewest else []), *(told for told in _STORED if _holds(told, values))]


def _holds(told: str, values: Floats) -> bool:
    rounded = _ROUNDINGS[told]
    return all(bool((rounded(x) == x).all()) for x in (values[:SAMPLE], values))


def _met(told: str, cut: Floats, full: Floats) -> Bools:
    """Items that differ by this rounding alone; whole numbers tell nothing, nor do coarse steps."""
    near = np.abs(cut - full) <= max(np.ptp(cut), np.ptp(full)) / FINE * (1.0 + 1e-9)
    met: Bools = near & (cut != full) & (_ROUNDINGS[told](full) == cut) & (cut != np.rint(cut))
    return met


def _many(met: Bools, times: Ints) -> bool:
    """Whether these are too many items for chance."""
    number = int(times[met].sum())
    return number >= FEWEST and number >= SHARE * int(times.sum())
