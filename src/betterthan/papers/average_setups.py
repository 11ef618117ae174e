"""The simulated setups of Better than Average, and how well aggregations recover the truth."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import product
from typing import Any

import numpy as np

from betterthan.numeric import Floats
from betterthan.ranking import Simulated, score_matrix
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.methods import Aggregation, BradleyTerry, Mean, Median
from betterthan.ranking.order_agreement import kendall_tau

METHODS: tuple[Aggregation, ...] = ("mean", "median", "bradley-terry")
MEASURED = {
    "systems": "systems",
    "items": "items",
    "outliers": "share of outliers",
    "types": "types of items",
}
RESAMPLES = 1_000


REAL = (
    "the scores of TAC, CNN/DM, WMT, MSCOCO, PersonaChat and TopicalChat are not redistributable; "
    "`betterthan study aggregation FILES --each` makes the table from yours"
)


@dataclass(frozen=True, slots=True)
class Setup:
    """Parameters of one simulated table; ``way`` is how outliers are made, printed or released."""

    types: int
    outliers: float
    items: int
    systems: int
    way: str

    @property
    def key(self) -> tuple[Any, ...]:
        """Its parameters, as JSON holds them."""
        return astuple(self)


def grid() -> Iterator[tuple[int, float, int, int]]:
    """The 288 parameter choices of Appendix A.2."""
    return product((1, 3, 5, 10), (0.0, 0.01, 0.025), (10, 30, 100, 200), (2, 3, 5, 10, 25, 50))


def simulated(setup: Setup, rng: np.random.Generator) -> Simulated:
    """Draw the table of a setup."""
    released = setup.way == "released"
    return score_matrix(
        systems=setup.systems,
        items=setup.items,
        types=setup.types,
        outliers=setup.outliers,
        outlier="gross" if released else "permuted",
        total=10.0 if released else None,
        offset=100.0 if released else 5.0,
        rng=rng,
    )


def tau_with_truth(seed: np.random.SeedSequence, setups: list[list[Any]]) -> list[list[float]]:
    """Kendall's tau of every aggregation with the true strengths, for each setup."""
    rng = np.random.default_rng(seed)
    taus = []
    for setup in setups:
        made = simulated(Setup(*setup), rng)
        row = []
        for method in (Mean(), Median(), BradleyTerry(ties="half-win")):
            found = aggregate(made.scores, method, resamples=2)
            truth = made.strengths[[made.scores.position(name) for name in found.names]]
            row.append(kendall_tau(found.scores, truth))
        taus.append(row)
    return taus


def means_with_errors(tau: Floats) -> tuple[float, float, float]:
    """Mean of what is there with a 95 % percentile bootstrap interval; tied boards have no tau."""
    known = tau[~np.isnan(tau)]
    draws = np.random.default_rng(0).choice(known, (RESAMPLES, known.size)).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(known.mean()), float(low), float(high)
