"""Made scores of every kind that a tally must not change, and all that a comparison says."""

from dataclasses import replace
from typing import Any

import numpy as np

import betterthan as bt

N = 80


def scores_of(kind: str, *, clustered: bool = False, systems: int = 3) -> bt.Scores:
    """Made scores of several systems, their order mixed."""
    draw = np.random.default_rng(7)
    names = ["new", "base", "third"][:systems]

    def values(k: int) -> Any:
        if kind == "binary":
            return draw.random(N) < 0.5 + 0.1 * k
        if kind == "counts":
            return draw.integers(0, 4, (N, 3)) + np.array([k, 0, 0])
        if kind == "quarters":
            return draw.integers(0, 9, N) / (4.0 if k else 1.0)  # one unit of all, other of two
        if kind == "decimals":
            return np.round(draw.random(N), 2)
        if kind == "mixed":  # two of the three are whole
            return draw.random(N) if k == 1 else draw.integers(0, 5, N) * 1.0
        return draw.random(N) + 0.05 * k

    return bt.Scores.from_arrays(
        {name: values(k) for k, name in enumerate(names)},
        columns=("tp", "fp", "fn") if kind == "counts" else None,
        clusters=(draw.permutation(N) * 3 // 7).tolist() if clustered else None,
        groups={"domain": draw.choice(["law", "news"], N).tolist()},
    )


def facts(found: Any) -> list[Any]:
    """All that a comparison says."""
    return [found.signature, *(replace(c, pair=None, test=None) for c in found)]
