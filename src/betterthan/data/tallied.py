"""Tally scores: distinct rows and how often each occurs, in place of the single items.

That is all a comparison of means, ratios and sums needs, so that verdict, p-value and signature
are those of the items. Whoever can group and count can make a tally, and it can be published where
the items cannot: it holds no ids and no order.

Rows have the numbers that they came in, so that any of the systems and any metric over the columns
is understood as it would be from the items. Items of different clusters or labels are different
rows.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from betterthan.checks import several
from betterthan.data.arrays import as_counts
from betterthan.data.block import check_sums
from betterthan.data.scores import Scores
from betterthan.data.tally import distinct_rows
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.metrics import Metric

RANKABLE = 10_000_000
"""Most numbers that a tally is written out to, where the single items are resampled."""


def tally(
    scores: Scores,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    *,
    by: str | None = None,
    counts: ArrayLike | None = None,
) -> Scores:
    """Count the distinct rows of scores: the columns of some metrics, or all; and one of labels.

    ``counts`` says how many items each of the scores stands for, where rows were counted elsewhere.

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0, 1, 1, 0], "new": [1, 1, 1, 1]})
    >>> counted = tally(scores)
    >>> counted.n, counted.values[:, :, 0].tolist(), counted.counts.tolist()
    (4, [[0.0, 1.0], [1.0, 1.0]], [2, 2])
    >>> rows = Scores.from_arrays({"base": [0, 1, 1], "new": [1, 0, 1]})
    >>> tally(rows, counts=[30, 10, 960]).pair("base", "new").delta
    0.02
    """
    times = scores.times if counts is None else as_counts(counts, scores.n)
    chosen = [] if metric is None else [scores.measured(x) for x in several("metric", metric)]
    for measure in chosen:
        check_sums(measure)
    columns = tuple(dict.fromkeys(c for m in chosen for c in m.columns)) or scores.columns
    values = scores.values[:, :, [scores.columns.index(column) for column in columns]]
    weighed = scores.tasks is not None and by is None
    if scores.responses is not None or weighed or np.isnan(values).any():
        raise UsageError(
            "a tally holds one score of every item and system, and items of one weight: it cannot "
            "tell several responses of an item, missing scores, or tasks that weigh the same "
            "whatever their size",
            *([Remedy("tally each task", "by", scores.tasks)] if weighed else []),
            Remedy("tally some of the columns", "metric", Choice("METRIC")),
        )
    counted = replace(
        scores,
        values=values,
        columns=columns,
        items=None,
        counts=times,
        groups={} if by is None else {by: scores.labels(by)},
        tasks=None,
        metric=repr(chosen[0]) if chosen else None,
        indivisible={},
    )
    return grouped(counted)


def grouped(counted: Scores) -> Scores:
    """Count equal rows of a tally together."""
    labels = [x for x in (*counted.groups.values(), counted.clusters) if x is not None]
    codes = [np.unique(x, return_inverse=True)[1] for x in labels]
    columns = [*codes, *counted.values.reshape(len(counted.values), -1).T]
    first, counts = distinct_rows(columns, counted.counts)
    return replace(counted.only(first), counts=counts)


def why_unrankable(counted: Scores) -> str | None:
    """Why there is no board of a tally with ratings and P(best); None where there is one."""
    if counted.n * len(counted.systems) * len(counted.columns) <= RANKABLE:
        return None
    return f"{counted.n:,} items of {len(counted.systems)} systems are too many to be resampled"


def expanded(counted: Scores) -> Scores:
    """Every row as often as it occurs: the items, but for their order and names."""
    if why := why_unrankable(counted):
        raise UsageError(f"{why}: compare all pairs instead")
    rows = np.repeat(np.arange(len(counted.values)), counted.times)
    return replace(counted.only(rows), counts=None, metric=None)
