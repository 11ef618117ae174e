"""Tallied: several systems' scores as distinct rows and how often each occurs, without the items.

That is all a comparison of means, ratios and sums needs, so that verdict, p-value and signature
are those of the items. Whoever can group and count can make one, and it can be published where the
items cannot: it holds no ids and no order.

Rows have the numbers that they came in, so that any of the systems and any metric over the columns
is understood as it would be from the items. Items of different clusters or labels are different
rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.labels import Labels, rows_by_label
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.scores import Scores
from betterthan.data.tally import Tally
from betterthan.errors import Choice, DataError, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import is_imported
from betterthan.numeric import Floats, Ints

RANKABLE = 10_000_000
"""Most numbers that a tally is written out to, where the single items are resampled."""

ITEMS_NEEDED = "needs the single items, and a tally does not hold them: give the scores themselves"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tallied(NamedSystems):
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
    by : str or None
        Label column that tells parts of the items.
    labels : array of str or None
        Its value for each row's items.
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

    values: Floats
    counts: Ints
    clusters: Labels | None = None
    by: str | None = None
    labels: Labels | None = None
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
        times = np.ones(scores.n, dtype=np.int64) if counts is None else np.asarray(counts)
        if times.shape != (scores.n,) or times.dtype.kind not in "iu" or times.min() < 1:
            raise DataError(f"counts must be {scores.n:,} whole numbers of at least 1: {times}")
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
        return cls.grouped(
            scores.values[:, :, index],
            times,
            scores.clusters,
            None if by is None else scores.labels(by),
            by=by,
            metric=repr(chosen[0]) if chosen else None,
            **_shared(scores) | {"columns": columns},
        )

    @classmethod
    def grouped(
        cls,
        values: Floats,
        counts: Ints,
        clusters: Labels | None = None,
        labels: Labels | None = None,
        **known: Any,
    ) -> Self:
        """Group rows that are the same."""
        marks = [np.unique(x, return_inverse=True) for x in (labels, clusters) if x is not None]
        scores = values.reshape(len(values), -1).T
        tally = Tally.of([*(codes for _, codes in marks), *scores], counts)
        names = iter(of[tally.rows[:, k].astype(np.int64)] for k, (of, _) in enumerate(marks))
        return cls(
            values=tally.rows[:, len(marks) :].reshape(-1, *values.shape[1:]),
            counts=tally.counts,
            labels=None if labels is None else next(names),
            clusters=None if clusters is None else next(names),
            **known,
        )

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

    def select(self, *systems: str) -> Self:
        """Return the tally of some of the systems, in the order given.

        Examples
        --------
        >>> scores = Scores.from_arrays({"a": [0, 1], "b": [1, 1], "c": [1, 0]})
        >>> Tallied.of(scores).select("c", "a").systems
        ('c', 'a')
        """
        values = self.values[:, self.positions(systems)]
        return replace(self, systems=tuple(systems), values=values, order="given")

    def parts(self, name: str) -> Iterator[tuple[str, Self]]:
        """The tally of each value of the label column, in the order of the values."""
        if self.labels is None or name != self.by:
            known = f"only by {self.by!r}" if self.by else "by no label"
            raise UsageError(
                f"the items were tallied {known}, and a tally does not tell their {name!r}",
                Remedy("tally them again", "by", name),
            )
        for label, rows in rows_by_label(self.labels):
            yield label, self._only(rows)

    def _only(self, rows: NDArray[np.int64]) -> Self:
        return replace(
            self,
            values=self.values[rows],
            counts=self.counts[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
            by=None,
            labels=None,
            notes=(),
        )

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
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        clusters = None if self.clusters is None else self.clusters[rows]
        return Scores(values=self.values[rows], clusters=clusters, **_shared(self))

    def _joint(self, places: Sequence[int], columns: Sequence[int], metric: Metric) -> Joint:
        _check_sums(metric)
        arrays = {self.systems[k]: self.values[:, k][:, columns] for k in places}
        return joint_of(arrays, metric, self.clusters, counts=self.counts)


def _shared(data: NamedSystems) -> dict[str, Any]:
    """What both Scores and tallies of them know of their systems."""
    return {one.name: getattr(data, one.name) for one in fields(NamedSystems)}


def _check_sums(metric: Metric) -> None:
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} {ITEMS_NEEDED}")
