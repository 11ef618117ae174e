"""Sentences with entities, tagged by two systems: made up, with counts like those of real ones."""

import numpy as np

from betterthan.numeric import Ints


def sentences(
    rng: np.random.Generator,
    n: int,
    *,
    found: tuple[float, float] = (0.9, 0.7),
    alike: float = 0.85,
    lost: float = 0.0,
) -> tuple[Ints, Ints]:
    """Per-sentence tp, fp, fn of both systems: 0 to 4 entities, most sentences tagged alike.

    ``found`` are the shares of entities that each finds; in a share ``lost`` of the sentences the
    candidate finds nothing.
    """
    gold = np.minimum(rng.poisson(1.5, n), 4)
    same = rng.random(n) < alike
    first, false = rng.binomial(gold, found[0]), rng.binomial(1, 0.1, n)
    second = np.where(same, first, rng.binomial(gold, found[1]))
    other = np.where(same, false, rng.binomial(1, 0.1, n))
    gone = rng.random(n) < lost
    second, other = np.where(gone, 0, second), np.where(gone, 0, other)
    return (
        np.column_stack((first, false, gold - first)),
        np.column_stack((second, other, gold - second)),
    )


def f1_difference(a: Ints, b: Ints) -> float:
    """F1 of the candidate minus that of the baseline."""

    def f1(counts: Ints) -> float:
        tp, fp, fn = counts.sum(axis=0)
        return float(2 * tp / (2 * tp + fp + fn))

    return f1(b) - f1(a)
