"""The sign test of many pairs at once: two-sided binomial tails, each pair of counts once.

Up to `COUNTED` decided comparisons, patterns are counted in integers and the p-value is the
correctly rounded one; beyond, it is the incomplete beta function, right to a relative 1e-11.
"""

import numpy as np
from scipy.special import betainc, gammaln

from betterthan.exact.probability import LOG2, LOG10, log_share
from betterthan.numeric import Floats, Ints

COUNTED = 1024
"""Most decided comparisons whose patterns are counted."""

TINY = 1e-280
"""Below this, logarithms come from a series; they are right to a relative 1e-12 of themselves."""


def sign_pvalues(wins: Ints, losses: Ints) -> tuple[Floats, Floats]:
    """P-values of wins against losses, and their decimal logarithms, which do not underflow.

    >>> p, log10 = sign_pvalues(np.array([6, 1, 3000]), np.array([0, 1, 0]))
    >>> p.tolist(), log10.round(6).tolist()
    ([0.03125, 1.0, 0.0], [-1.50515, 0.0, -902.788957])
    """
    wins, losses = np.asarray(wins, dtype=np.int64), np.asarray(losses, dtype=np.int64)
    decided, ahead = np.ravel(wins + losses), np.ravel(np.maximum(wins, losses))
    width = int(decided.max(initial=0)) + 1
    keys, back = np.unique(decided * width + ahead, return_inverse=True)
    n, k = np.divmod(keys, width)
    p, log = np.ones(len(keys)), np.zeros(len(keys))
    uneven = 2 * k > n
    some = np.flatnonzero(uneven & (n <= COUNTED))
    p[some], log[some] = _counted(n[some], k[some])
    many = np.flatnonzero(uneven & (n > COUNTED))
    p[many], log[many] = _approximated(n[many], k[many])
    shape = np.shape(wins)
    return p[back].reshape(shape), (log[back] / LOG10).reshape(shape)


def _counted(n: Ints, k: Ints) -> tuple[Floats, Floats]:
    """Twice P(T >= k) and its logarithm, from integers; ``n`` ascends, and ``k`` within it."""
    p, log = np.empty(len(n)), np.empty(len(n))
    size, tail, heads, ways = -1, 0, 0, 1
    for i in range(len(n) - 1, -1, -1):  # from the far end of each n
        if n[i] != size:
            size = int(n[i])
            tail, heads, ways = 1, size, 1
        while heads > k[i]:
            ways = ways * heads // (size - heads + 1)
            heads -= 1
            tail += ways
        hits, patterns = min(2 * tail, 1 << size), 1 << size
        p[i] = hits / patterns
        log[i] = log_share(hits, patterns)
    return p, log


def _approximated(n: Ints, k: Ints) -> tuple[Floats, Floats]:
    p = np.minimum(2.0 * betainc(k, n - k + 1.0, 0.5), 1.0)
    deep = np.flatnonzero(p < TINY)
    with np.errstate(divide="ignore"):
        log = np.log(p)
    if deep.size:
        n, k = n[deep], k[deep]
        first = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0) - (n - 1) * LOG2
        term, total, heads = np.ones(len(n)), np.ones(len(n)), k.astype(np.float64)
        while (term > 1e-17 * total).any():
            term *= (n - heads) / (heads + 1.0)
            heads += 1.0
            total += term
        log[deep] = first + np.log(total)
    return np.asarray(p), log
