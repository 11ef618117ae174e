"""Adjusted p-values for more than one comparison.

Each takes p-values in any order and returns adjusted ones in the same order. With ``log10=True``
both are decimal logarithms, so that p-values below the smallest double can be adjusted too.
"""

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import BadValueError, UsageError, first_few
from betterthan.numeric import Floats, Ints

Correction = Literal["holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"]


def bonferroni(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """Family-wise error, one step: every p-value times their number.

    >>> bonferroni([0.01, 0.04])
    array([0.02, 0.08])
    """
    p = _checked(pvalues, log10)
    return _times(p, np.full(p.size, float(p.size)), log10)


def holm(pvalues: ArrayLike, *, log10: bool = False, times: Ints | None = None) -> Floats:
    """Family-wise error under any dependence, step-down (Holm, 1979).

    ``times`` says how often each p-value occurs, where equal ones are given once.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> holm([0.01, 0.04], times=np.array([1, 2]))
    array([0.03, 0.08])
    """
    p = _checked(pvalues, log10)
    order = np.argsort(p, kind="stable")
    left = np.arange(p.size, 0, -1.0)
    if times is not None:  # of equal ones the first is adjusted most, and the others as it is
        left = np.cumsum(times[order[::-1]], dtype=np.float64)[::-1]
    stepped = _times(p[order], left, log10)
    return _restored(np.maximum.accumulate(stepped), order)


def hochberg(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """Family-wise error of independent or positively dependent tests, step-up (Hochberg, 1988).

    Never larger than Holm's, but without the positive dependence that it assumes (as for p-values
    of one-sided tests that pull in opposite directions) its error is not controlled.

    >>> hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    p = _checked(pvalues, log10)
    return _step_up(p, np.arange(p.size, 0, -1.0), log10)


def sidak(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """Family-wise error of independent or positively dependent tests, one step (Sidak, 1967).

    The chance that the least of so many independent p-values is as small.

    >>> sidak([0.01, 0.04]).round(6)
    array([0.0199, 0.0784])
    """
    p = _checked(pvalues, log10)
    if p.size < 2:
        return p
    with np.errstate(divide="ignore"):  # a p-value of one: none is smaller for sure
        missed = p.size * np.log1p(-(10.0**p if log10 else p))  # log-chance of none so small
        chance = -np.expm1(missed)
        if not log10:
            return np.asarray(np.maximum(chance, p))
        near = p + np.log10(p.size)  # the same to all digits where a p-value is tiny
        return np.asarray(np.minimum(np.where(p < -12.0, near, np.maximum(np.log10(chance), p)), 0))


def benjamini_hochberg(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """False discovery rate of independent or positively dependent tests, step-up.

    Benjamini & Hochberg (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    p = _checked(pvalues, log10)
    return _step_up(p, p.size / np.arange(1.0, p.size + 1), log10)


def benjamini_yekutieli(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """False discovery rate under any dependence, step-up (Benjamini & Yekutieli, 2001).

    >>> benjamini_yekutieli([0.01, 0.02])
    array([0.03, 0.03])
    """
    p = _checked(pvalues, log10)
    ranks = np.arange(1.0, p.size + 1)
    return _step_up(p, p.size * np.sum(1.0 / ranks) / ranks, log10)


def unadjusted(pvalues: ArrayLike, *, log10: bool = False) -> Floats:
    """Return the p-values as they are, checked."""
    return _checked(pvalues, log10)


_METHODS: dict[str, Callable[..., Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "hochberg": hochberg,
    "sidak": sidak,
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
    "none": unadjusted,
}


CORRECTIONS = (*_METHODS, "max-t")
"""Names of all corrections; max-T needs the data, not p-values alone."""


def adjust(pvalues: ArrayLike, method: str = "holm", *, log10: bool = False) -> Floats:
    """Adjust by name.

    ``"holm"``, ``"bonferroni"``, ``"hochberg"``, ``"sidak"``, ``"bh"``, ``"by"`` or ``"none"``.

    >>> adjust([0.01, 0.04], "bonferroni")
    array([0.02, 0.08])
    """
    if method not in _METHODS:
        raise UsageError(f"correction is one of {', '.join(_METHODS)}, not {method!r}")
    return _METHODS[method](pvalues, log10=log10)


def stepdown_of_blocks(blocks: Iterable[Floats], statistics: Floats, slack: float) -> Floats:
    """Family-wise p-values from the joint null law of many statistics, step-down.

    Westfall & Young (1993), algorithm 4.1: the most extreme statistic is compared with the maximum
    over all, the next with the maximum over the rest, and so on. As it uses their dependence it is
    never worse than Holm's on the same draws where the statistics share one null law, but for
    sampling error. P-values are ``(1 + hits) / (1 + draws)``, and ties are hits: so none is zero.

    Parameters
    ----------
    blocks : iterable of (rows, m) arrays
        Draws of the ``m`` statistics under the complete null, each row one shared resample.
    statistics : (m,) array
        The statistics observed; larger is more extreme.
    slack : float
        A draw that falls short of a statistic by no more than this ties with it.

    Examples
    --------
    >>> draws = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 0.5]])
    >>> stepdown_of_blocks([draws], np.array([3.0, 1.0]), 0.0)
    array([0.25, 0.5 ])
    """
    order = np.argsort(-statistics, kind="stable")[::-1]  # from the least extreme
    hits, drawn = np.zeros(statistics.size), 0
    for block in blocks:
        largest = np.maximum.accumulate(block[:, order], axis=1)  # over it and all before it
        hits += np.count_nonzero(largest >= statistics[order] - slack, axis=0)
        drawn += len(block)
    adjusted = (1.0 + hits[::-1]) / (1.0 + drawn)
    return _restored(np.maximum.accumulate(adjusted), order[::-1])


def _step_up(p: Floats, factors: Floats, log10: bool) -> Floats:
    order = np.argsort(p, kind="stable")
    stepped = _times(p[order], factors, log10)
    return _restored(np.minimum.accumulate(stepped[::-1])[::-1], order)


def _times(p: Floats, factors: Floats, log10: bool) -> Floats:
    """P-values times factors, at most one."""
    return np.minimum(p + np.log10(factors), 0.0) if log10 else np.minimum(p * factors, 1.0)


def _restored(values: Floats, order: NDArray[np.intp]) -> Floats:
    """Sorted values back in the order they came in."""
    back = np.empty_like(values)
    back[order] = values
    return back


def _checked(pvalues: ArrayLike, log10: bool) -> Floats:
    p = np.array(pvalues, dtype=np.float64)
    if p.ndim != 1:
        raise UsageError(f"p-values come in one dimension, not in shape {p.shape}")
    low, high = (-np.inf, 0.0) if log10 else (0.0, 1.0)
    bad = np.flatnonzero(~((p >= low) & (p <= high)))  # NaN compares false
    if bad.size:
        what = "log10 p-values at most 0" if log10 else "p-values between 0 and 1"
        raise BadValueError(f"these are not {what}: {first_few(p[bad])}")
    return p
