"""Who beats whom among more systems than a board shows: 0/1 scores, by matrix products in blocks.

The p-value of two systems depends on their wins and losses alone, and among ten thousand systems
the same counts come again and again: fifty million pairs have some hundred thousand p-values. Holm
needs these and how often each occurs; what they decide is a least margin of wins for every number
of decided items. Nothing of all pairs is kept but their wins, and who beats whom.
"""

import numpy as np
from numpy.typing import NDArray

from betterthan.comparison.multiplicity import adjust
from betterthan.exact.binomial import sign_pvalues
from betterthan.numeric import Bools, Floats, Ints

CELLS = 1 << 22
"""Most pairs of one block."""


def beaten(values: Floats, alpha: float) -> Bools:
    """Whether the row's system beats the column's by sign tests of all pairs, Holm-adjusted.

    ``values`` are (items, systems) of two sizes, higher better, NaN where missing: two systems are
    compared on the items that both have. It is what `Pairwise.beats` says of the means.

    >>> beaten(np.repeat([[1.0, 0.0, 0.0]], 10, axis=0), 0.05).astype(int).tolist()
    [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    """
    n, m = values.shape
    known = ~np.isnan(values)
    top = np.nanmax(values) if known.any() else 0.0
    right = (values == top).T.astype(np.float32)  # counts below 2**24 are exact
    wrong = (known & (values != top)).T.astype(np.float32)
    present = None if known.all() else known.T.astype(np.float32)
    wins = np.empty((m, m), dtype=np.uint16 if n < 1 << 16 else np.uint32)
    rows = max(1, CELLS // m)
    blocks = [slice(k, min(k + rows, m)) for k in range(0, m, rows)]
    for some in blocks:
        wins[some] = right[some] @ wrong.T
    keys, times = np.empty((2, 0), dtype=np.int64)
    for some in blocks:
        pairs = np.arange(m) > np.arange(some.start, some.stop)[:, None]
        if present is not None:
            pairs &= present[some] @ present.T > 0
        decided, margin = _decided(wins, some)
        found, often = np.unique((decided * (n + 1) + np.abs(margin))[pairs], return_counts=True)
        keys, back = np.unique(np.concatenate([keys, found]), return_inverse=True)
        times = np.bincount(back, np.concatenate([times, often])).astype(np.int64)
    least = _least_margins(*np.divmod(keys, n + 1), times, n, alpha)
    beats = np.empty((m, m), dtype=bool)
    for some in blocks:
        decided, margin = _decided(wins, some)
        beats[some] = margin >= least[decided]
    return beats


def _decided(wins: NDArray[np.unsignedinteger], some: slice) -> tuple[Ints, Ints]:
    """Wins and losses of some systems against all: how many together, and how many more wins."""
    won, lost = wins[some].astype(np.int64), wins[:, some].T.astype(np.int64)
    return won + lost, won - lost


def _least_margins(decided: Ints, margin: Ints, times: Ints, n: int, alpha: float) -> Ints:
    """The least margin that is significant, of those that occur, by the number of decided items."""
    _, log10 = sign_pvalues((decided + margin) // 2, (decided - margin) // 2)
    significant = np.power(10.0, adjust(log10, log10=True, times=times)) <= alpha
    least = np.full(n + 1, n + 1)
    np.minimum.at(least, decided[significant], margin[significant])
    return least
