"""Mean (the metric itself) and median of each system, and of every resample."""

import numpy as np

from betterthan.numeric import Floats
from betterthan.ranking.tables import ScoreTable


def mean_scores(table: ScoreTable, weights: Floats) -> Floats:
    """Score of each system under weights of the units, shaped (resamples, units).

    With tasks it is the plain average of the tasks' scores; a system's missing items count neither
    above nor below the line.
    """
    n, m, k = table.parts.shape
    units = len(table.units.multiplicity)
    present = ~np.isnan(table.values)
    parts = np.where(present[..., None], table.parts, 0.0).reshape(n, m * k)
    columns = np.hstack([parts, present])
    if units != n:
        summed = np.zeros((units, columns.shape[1]))
        np.add.at(summed, table.unit_of, columns)
        columns = summed
    groups = table.units.groups
    scores = np.zeros((len(weights), m))
    for group in groups:
        sums = weights[:, group] @ columns[group]
        items = sums[:, m * k :]
        total = sums[:, : m * k].reshape(-1, m, k)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores += table.metric.finish(total, items)
    return scores / len(groups)


def median_scores(table: ScoreTable, weights: Floats) -> Floats:
    """Weighted median of each system's items, in the data's direction."""
    item_weights = weights[:, table.unit_of] * table.weights
    medians = [weighted_medians(x, item_weights) for x in (table.sign * table.values).T]
    return np.stack(medians, axis=1)


def weighted_medians(values: Floats, weights: Floats) -> Floats:
    """Median under each row of weights, shaped (rows, values); what is NaN does not count."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    ordered = values[order]
    reached = np.cumsum(weights[:, order], axis=1)
    half = reached[:, -1:] / 2
    slack = 1e-9 * half  # sums of task weights are not exact
    last = len(order) - 1
    below = np.minimum((reached < half - slack).sum(axis=1), last)
    above = np.minimum((reached <= half + slack).sum(axis=1), last)
    return np.asarray((ordered[below] + ordered[above]) / 2)
