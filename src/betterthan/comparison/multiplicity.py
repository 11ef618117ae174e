"""Adjusted p-values for more than one comparison, and the level that each was compared with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import BadValueError, UsageError, first_few, not_one_of
from betterthan.numeric import Floats, Ints
from betterthan.results.tests import Kind, TestResult

Correction = Literal["holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"]

_KINDS: tuple[Kind, ...] = ("exact", "certified", "sampled", "asymptotic", "bounded", "assumed")
"""From the best known to the least."""

_FACTORS: dict[str, Callable[[Floats, float], Floats]] = {
    "holm": lambda k, m: m - k + 1.0,
    "bonferroni": np.full_like,
    "hochberg": lambda k, m: m - k + 1.0,
    "bh": lambda k, m: m / k,
    "by": lambda k, m: m * np.sum(1.0 / np.arange(1.0, m + 1.0)) / k,
    "none": lambda k, _: np.ones_like(k),
}
"""What the k-th smallest of m p-values is multiplied by."""

_STEP_UP = ("hochberg", "bh", "by")
"""No p-value is adjusted to more than a larger one; of all others, to less than a smaller one."""

_OF_PVALUES = ("holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none")

CORRECTIONS = (*_OF_PVALUES, "max-t")
"""Names of all corrections; max-T needs the data, not p-values alone."""


def adjust(
    pvalues: ArrayLike, method: str = "holm", *, log10: bool = False, times: Ints | None = None
) -> Floats:
    """Adjust p-values for their number.

    Parameters
    ----------
    pvalues : array_like
        P-values in any order.
    method : str
        ``"holm"`` (1979) and ``"bonferroni"`` control the family-wise error under any dependence;
        ``"hochberg"`` (1988) and ``"sidak"`` (1967) that of independent or positively dependent
        tests. ``"bh"`` (Benjamini & Hochberg, 1995) controls the false discovery rate of such
        tests, ``"by"`` (Benjamini & Yekutieli, 2001) that of any. ``"none"`` only checks.
    log10 : bool
        Whether p-values and adjusted ones are decimal logarithms, so that those below the smallest
        double can be adjusted too.
    times : (m,) array of int, optional
        How often each p-value occurs, where equal ones are listed once; not for Sidak's.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> adjust([0.01, 0.04], times=np.array([1, 2]))
    array([0.03, 0.08])
    >>> adjust([0.01, 0.04, 0.03], "bh")
    array([0.03, 0.04, 0.04])
    """
    if method not in _OF_PVALUES:
        raise not_one_of("correction", method, _OF_PVALUES)
    p = _checked(pvalues, log10)
    if method == "sidak":
        return _sidak(p, log10)
    order = np.argsort(p, kind="stable")
    each = np.ones(p.size) if times is None else times[order]
    rank, up = np.cumsum(each, dtype=np.float64), method in _STEP_UP  # the last of equal ones
    factors = _FACTORS[method](rank if up else rank - each + 1.0, float(each.sum()))
    steps = np.minimum(p[order] + np.log10(factors), 0.0) if log10 else p[order] * factors
    adjusted = np.empty_like(p)
    if up:
        adjusted[order[::-1]] = np.minimum.accumulate(steps[::-1])
    else:
        adjusted[order] = np.maximum.accumulate(steps)
    return np.minimum(adjusted, 0.0 if log10 else 1.0)


def _sidak(p: Floats, log10: bool) -> Floats:
    """Return the chance that the least of so many independent p-values is as small."""
    if p.size < 2:
        return p
    with np.errstate(divide="ignore"):  # a p-value of one: none is smaller for sure
        missed = p.size * np.log1p(-(10.0**p if log10 else p))  # log-chance of none so small
        chance = -np.expm1(missed)
        if not log10:
            return np.asarray(np.maximum(chance, p))
        near = p + np.log10(p.size)  # the same to all digits where a p-value is tiny
        return np.asarray(np.minimum(np.where(p < -12.0, near, np.maximum(np.log10(chance), p)), 0))


def levels(pvalues: ArrayLike, method: str, alpha: float) -> Floats:
    """Return what each p-value was compared with: the level of the interval next to it.

    Holm's rejected p-values were compared with his own steps, all others with the step at which he
    stopped; equal p-values have the least step among them. Steps up are those of the largest
    p-value that is rejected.

    >>> levels([0.01, 0.04, 0.03], "holm", 0.05)
    array([0.01666667, 0.025     , 0.025     ])
    """
    p = _checked(pvalues, log10=False)
    m, rejected = p.size, int((adjust(p, method) <= alpha).sum())
    if method == "sidak":
        return np.full(m, -np.expm1(np.log1p(-alpha) / m))
    rank = np.full(m, max(rejected, 1.0))
    if method == "holm":
        least = np.searchsorted(np.sort(p), p)  # from zero, the least of equal ones
        rank = np.minimum(np.minimum(least, rejected) + 1.0, m)
    return np.asarray(alpha / _FACTORS[method](rank, m))


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
        if method == "none":
            return self
        value, low, high = (adjust(p, method) for p in (self.value, self.low, self.high))
        log10 = adjust(self.log10, method, log10=True)
        return Bracket(value, low, high, log10, self.together)

    @property
    def together(self) -> Sequence[Kind]:
        """Each is known as well as the least known: it may rest on any of them."""
        return [max(self.kinds, key=_KINDS.index)] * len(self.kinds)


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
