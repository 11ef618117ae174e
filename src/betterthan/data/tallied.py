"""Tallied: several systems' scores as distinct rows and how often each occurs, without the items.

That is all a comparison of means, ratios and sums needs, so that verdict, p-value and signature
are those of the items. Whoever can group and count can make one, and it can be published where the
items cannot: it holds no ids and no order.

Rows have the numbers that they came in, so that any of the systems and any metric over the columns
is understood as it would be from the items. Items of different clusters or labels are different
rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import as_counts
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.parts import LabelledItems
from betterthan.data.scores import Scores
from betterthan.data.tally import distinct_rows
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import is_imported
from betterthan.numeric import Ints

RANKABLE = 10_000_000
"""Most numbers that a tally is written out to, where the single items are resampled."""

ITEMS_NEEDED = "needs the single items, and a tally does not hold them: give the scores themselves"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tallied(LabelledItems):
    """Distinct rows of several systems' scores and their counts; what `compare` takes for Scores.

    Build it with :meth:`of` or :func:`betterthan.read`.

    Attributes
    ----------
    systems, columns : tuple of str
        Names, in the order of the axes.
    values : (rows, systems, columns) array
        Distinct scores of items.
    counts : (rows,) array of int
        How many items have them.
    clusters : array of str or None
        The cluster of each row's items.
    groups : mapping of str to array of str
        A label of each row's items, by which parts are told.
    metric : str or None
        What is compared where nothing else is asked for.
    lower_is_better, lower, order, source, notes
        As of Scores.

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0, 1, 1, 0], "new": [1, 1, 1, 1]})
    >>> tally = Tallied.of(scores)
    >>> tally.n, tally.values[:, :, 0].tolist(), tally.counts.tolist()
    (4, [[0.0, 1.0], [1.0, 1.0]], [2, 2])
    """

    counts: Ints
    metric: str | None = None

    def __repr__(self) -> str:
        return f"<Tallied: {self.n:,} items in {len(self.counts):,} distinct rows, {self.systems}>"

    @classmethod
    def of(
        cls,
        scores: Scores,
        metrics: Sequence[str | Metric] = (),
        *,
        by: str | None = None,
        counts: ArrayLike | None = None,
    ) -> Self:
        """Tally scores: the columns of some metrics, or all of them; and one column of labels.

        ``counts`` says how many items each of the scores stands for, where rows were counted
        elsewhere.

        Examples
        --------
        >>> rows = Scores.from_arrays({"base": [0, 1, 1], "new": [1, 0, 1]})
        >>> Tallied.of(rows, counts=[30, 10, 960]).pair("base", "new").delta
        0.02
        """
        times = as_counts(np.ones(scores.n) if counts is None else counts, scores.n)
        chosen = [scores.measured(metric) for metric in metrics]
        for metric in chosen:
            _check_sums(metric)
        columns = tuple(dict.fromkeys(c for m in chosen for c in m.columns)) or scores.columns
        index = [scores.columns.index(column) for column in columns]
        uneven, weighed = scores.responses is not None, scores.tasks is not None and by is None
        if uneven or weighed or np.isnan(scores.values[:, :, index]).any():
            raise UsageError(
                "a tally holds one score of every item and system, and items of one weight: it "
                "cannot tell several responses of an item, missing scores, or tasks that weigh the "
                "same whatever their size",
                *([Remedy("tally each task", "by", scores.tasks)] if weighed else []),
                Remedy("tally some of the columns", "metric", Choice("METRIC")),
            )
        known = {one.name: getattr(scores, one.name) for one in fields(NamedSystems)}
        tally = cls(
            **known | {"columns": columns},
            values=scores.values[:, :, index],
            counts=times,
            clusters=scores.clusters,
            groups={} if by is None else {by: scores.labels(by)},
            metric=repr(chosen[0]) if chosen else None,
        )
        return tally.grouped()

    def grouped(self) -> Self:
        """The same with equal rows counted together."""
        labels = [x for x in (*self.groups.values(), self.clusters) if x is not None]
        codes = [np.unique(x, return_inverse=True)[1] for x in labels]
        columns = [*codes, *self.values.reshape(len(self.values), -1).T]
        first, counts = distinct_rows(columns, self.counts)
        return replace(self.only(first), counts=counts)

    def only(self, keep: NDArray[Any]) -> Self:
        """Return the same tally for some of the rows (a mask or positions)."""
        return replace(super().only(keep), counts=self.counts[keep])

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.counts.sum())

    def measured(self, metric: str | Metric | None = None) -> Metric:
        """Return the metric asked for, or that of the tally, in the data's direction."""
        if metric is None and self.metric is not None and is_imported(self.metric):
            raise UsageError(
                f"the tally is of {self.metric}, which runs code to be found",
                Remedy("run it", "metric", str(self.metric)),
            )
        return super().measured(self.metric if metric is None else metric)

    @property
    def unrankable(self) -> str | None:
        """Why there is no board of it with ratings and P(best); None where there is one."""
        if self.n * len(self.systems) * len(self.columns) <= RANKABLE:
            return None
        return f"{self.n:,} items of {len(self.systems)} systems are too many to be resampled"

    def expanded(self) -> Scores:
        """Every row as often as it occurs: the items, but for their order and names."""
        if self.unrankable:
            raise UsageError(f"{self.unrankable}: compare all pairs instead")
        listed = self.only(np.repeat(np.arange(len(self.counts)), self.counts))
        return Scores(**{one.name: getattr(listed, one.name) for one in fields(Scores)})

    def _joint(self, places: Sequence[int], columns: Sequence[int], metric: Metric) -> Joint:
        _check_sums(metric)
        arrays = {self.systems[k]: self.values[:, k][:, columns] for k in places}
        return joint_of(arrays, metric, self.clusters, counts=self.counts)


def _check_sums(metric: Metric) -> None:
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} {ITEMS_NEEDED}")
