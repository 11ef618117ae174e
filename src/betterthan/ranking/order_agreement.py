"""How far two orders of the same systems agree."""

import numpy as np

from betterthan.numeric import Floats


def kendall_tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two lists of scores; NaN where one is constant.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    left, right = np.triu_indices(len(x), 1)
    a, b = np.sign(x[left] - x[right]), np.sign(y[left] - y[right])
    norm = np.sqrt(float((a != 0).sum()) * float((b != 0).sum()))
    return float((a * b).sum() / norm) if norm else float("nan")
