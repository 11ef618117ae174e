"""Adjusted p-values for more than one comparison.

Each takes p-values in any order and returns adjusted ones in the same order. With ``log10=True``
both are decimal logarithms, so that p-values below the smallest double can be adjusted too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import BadValueError, UsageError, first_few, not_one_of
from betterthan.numeric import Floats, Ints
from betterthan.results.tests import Kind, TestResult

Correction = Literal["holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"]

_KINDS: tuple[Kind, ...] = ("exact", "certified", "sampled", "asymptotic", "bounded", "assumed")
"""From the best known to the least."""


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
        raise not_one_of("correction", method, _METHODS)
    return _METHODS[method](pvalues, log10=log10)


def levels(pvalues: ArrayLike, method: str, alpha: float) -> Floats:
    """Return what each p-value was compared with: the level of the interval next to it.

    Holm's rejected p-values were compared with his own steps, all others with the step at which he
    stopped; equal p-values have the least step among them.

    >>> levels([0.01, 0.04, 0.03], "holm", 0.05)
    array([0.01666667, 0.025     , 0.025     ])
    """
    p = _checked(pvalues, log10=False)
    m, rejected = p.size, int((adjust(p, method) <= alpha).sum())
    if method == "none":
        return np.full(m, alpha)
    if method == "bonferroni":
        return np.full(m, alpha / m)
    if method == "sidak":
        return np.full(m, -np.expm1(np.log1p(-alpha) / m))
    if method == "hochberg":
        return np.full(m, alpha / (m - max(rejected, 1) + 1))
    if method == "holm":
        rank = np.array([int((p < one).sum()) for one in p])  # from zero, the least of equal ones
        return np.asarray(alpha / (m - np.minimum(rank, rejected)).clip(1))
    share = alpha * max(rejected, 1) / m
    return np.full(m, share if method == "bh" else share / np.sum(1.0 / np.arange(1.0, m + 1)))


def step_down(values: Floats, order: NDArray[np.intp]) -> Floats:
    """Values that never fall along ``order``, each raised to the largest of those before it.

    >>> step_down(np.array([0.3, 0.1, 0.2]), np.array([1, 0, 2]))
    array([0.3, 0.1, 0.3])
    """
    return _restored(np.maximum.accumulate(values[order]), order)


@dataclass(frozen=True, slots=True, eq=False)
class Bracket:
    """P-values of comparisons that are judged together, with what is known of each.

    ``low`` and ``high`` are bounds as those of single tests, rigorous or a 99 % interval; ``kinds``
    say which; ``resamples`` how often the joint law of all was drawn, if it was.
    """

    value: Floats
    low: Floats
    high: Floats
    log10: Floats
    kinds: Sequence[Kind]
    resamples: int | None = None

    @classmethod
    def of(cls, results: Sequence[TestResult]) -> Self:
        """Take the p-values of tests as they are."""
        rows = [(r.pvalue, r.pvalue_low, r.pvalue_high, r.log10_pvalue) for r in results]
        value, low, high, log10 = np.array(rows).T
        return cls(value, low, high, log10, [r.kind for r in results])

    def adjusted(self, method: str) -> "Bracket":
        """Adjust all by name; a correction never falls as any p-value rises, so bounds stay so."""
        value, log10 = adjust(self.value, method), adjust(self.log10, method, log10=True)
        low = high = value
        if (self.low < self.high).any():
            low, high = adjust(self.low, method), adjust(self.high, method)
        if method == "none":
            return Bracket(value, low, high, log10, self.kinds)
        return Bracket(value, low, high, log10, self.together)

    @property
    def together(self) -> Sequence[Kind]:
        """Each is known as well as the least known: it may rest on any of them."""
        return [max(self.kinds, key=_KINDS.index)] * len(self.kinds)

    def straddles(self, alpha: float) -> NDArray[np.bool_]:
        """Which of them may be on either side of alpha."""
        return np.asarray((self.low <= alpha) & (alpha < self.high))


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
        raise UsageError(f"p-values must have one dimension, not shape {p.shape}")
    low, high = (-np.inf, 0.0) if log10 else (0.0, 1.0)
    bad = np.flatnonzero(~((p >= low) & (p <= high)))  # NaN compares false
    if bad.size:
        what = "log10 p-values at most 0" if log10 else "p-values between 0 and 1"
        raise BadValueError(f"these are not {what}: {first_few(p[bad])}")
    return p
