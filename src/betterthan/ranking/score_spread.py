"""How scores spread over systems and items: what a table of scores is like before it is ranked."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.ranking.order import sorted_scores
from betterthan.ranking.prepared import score_table
from betterthan.results.protocol import Result
from betterthan.tables.accepted import Frame, as_scores

FENCE = 1.5
"""Tukey's fences: so many interquartile ranges beyond the quartiles."""


@dataclass(frozen=True, slots=True)
class ScoreSpread(Result):
    """The score diagnostics of pairformance (Peyrard et al., 2021), of the whole table.

    It has no plot.

    Attributes
    ----------
    outliers : float
        Share of all scores beyond Tukey's fences of all scores.
    outliers_of : mapping of str to float
        Share of a system's scores beyond the fences of its own.
    within_items : float
        Standard deviation of an item's scores over systems, averaged over items.
    of_ranks : float
        Standard deviation of a system's rank over items, averaged over systems: zero where all
        items order the systems alike.
    between_items : float
        Standard deviation over items of their mean score: large where items differ in difficulty.
    n : int
        Items that all systems have.
    """

    outliers: float
    outliers_of: Mapping[str, float]
    within_items: float
    of_ranks: float
    between_items: float
    n: int


def score_spread(data: Scores | Frame, *, metric: str | Metric | None = None) -> ScoreSpread:
    """Describe how scores spread; standard deviations divide by the number of values.

    Parameters
    ----------
    data : Scores or data frame
        Items by systems; items that a system lacks are left out.
    metric : str or Metric, optional
        What is measured; the only column by default.

    Examples
    --------
    >>> spread = score_spread(Scores.from_arrays({"a": [1.0, 2.0, 3.0], "b": [3.0, 4.0, 5.0]}))
    >>> spread.within_items, spread.of_ranks
    (1.0, 0.0)
    """
    scores = as_scores(data)
    table = score_table(sorted_scores(scores)[0], metric=metric)
    values = table.values[~np.isnan(table.values).any(axis=1)]
    from scipy.stats import rankdata  # noqa: PLC0415 (slow to import)

    ranks = rankdata(-table.sign * values, axis=1)
    return ScoreSpread(
        outliers=_beyond(values.ravel()),
        outliers_of={
            name: _beyond(values[:, table.systems.index(name)]) for name in scores.systems
        },
        within_items=float(values.std(axis=1).mean()),
        of_ranks=float(ranks.std(axis=0).mean()),
        between_items=float(values.mean(axis=1).std()),
        n=len(values),
    )


def _beyond(values: Floats) -> float:
    low, high = np.percentile(values, [25, 75])
    reach = FENCE * (high - low)
    return float(((values < low - reach) | (values > high + reach)).mean())
