"""A collection of systems: several from each of a few labs."""

import numpy as np

import betterthan as bt


def labs(
    n: int = 600, count: int = 6, each: int = 5, spread: float = 0.08, seed: int = 0
) -> tuple[bt.Scores, dict[str, str]]:
    """Systems of several labs: those of one lab share more of their errors."""
    rng = np.random.default_rng(seed)
    item = 1.2 * rng.normal(size=n)
    arrays, lab = {}, {}
    for at in range(count):
        house = item + rng.normal(size=n)
        for k in range(each):
            name = f"lab{at}-{k}"
            arrays[name] = (house + 0.7 * rng.normal(size=n) + spread * rng.normal() > 0).astype(
                int
            )
            lab[name] = f"lab{at}"
    return bt.Scores.from_arrays(arrays), lab
