"""Tallied: several systems' scores as distinct rows and how often each occurs, without the items.

That is all a comparison of means, ratios and sums needs, so that verdict, p-value and signature
are those of the items. Whoever can group and count can make one, and it can be published where the
items cannot: it holds no ids and no order.

Rows of items are kept in the numbers that they came in, so that any of the systems and any metric
over the columns is understood as it would be from the items. Clusters have rows of sums as well,
in whole numbers of a unit: sums of other floats depend on the order in which they are added.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import cluster_codes, cluster_sums
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.resolution import Real, resolution
from betterthan.data.scores import Scores
from betterthan.data.tally import Tally
from betterthan.errors import Choice, DataError, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import is_imported
from betterthan.numeric import Floats

RANKABLE = 10_000_000
"""Most numbers that a tally is written out to, where the single items are resampled."""

ITEMS_NEEDED = "needs the single items, and a tally does not hold them: give the scores themselves"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Distinct rows of one set of items, and the same summed over clusters if there are any.

    Attributes
    ----------
    items : Tally
        Floats, one block of columns per system.
    clusters : Tally or None
        Sums over the items of a cluster in whole numbers of ``unit``, then their number.
    unit : Fraction
        What a one stands for in the sums.
    """

    items: Tally
    clusters: Tally | None = None
    unit: Fraction = Fraction(1)

    @classmethod
    def of(cls, columns: Sequence[Floats], clusters: ArrayLike | None, where: str) -> Self:
        """Tally single items, column by column."""
        rows = Tally.of(columns)
        if clusters is None:
            return cls(rows)
        codes, number = cluster_codes(clusters, len(columns[0]))
        numbers = resolution([np.stack(columns, axis=1)])
        if isinstance(numbers, Real):
            raise no_cluster_sums(where)
        sums = cluster_sums(numbers.columns[0], codes, number)
        return cls(rows, Tally.of([*sums.T, np.bincount(codes, minlength=number)]), numbers.unit)

    def select(self, index: Sequence[int]) -> Self:
        """Count the rows of some columns."""
        sums = self.clusters and self.clusters.only([*index, -1])
        return replace(self, items=self.items.only(index), clusters=sums)


def no_cluster_sums(where: str) -> UsageError:
    """Say what no tally can hold."""
    return UsageError(
        f"{where}: scores in clusters that are not multiples of one unit have no tally, since "
        "their sums depend on the order in which they are added: round the scores",
        Remedy("read the items", "items", True),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tallied(NamedSystems):
    """Distinct rows of several systems' scores and their counts; what `compare` takes for Scores.

    Build it with :meth:`of` or :func:`betterthan.read`.

    Attributes
    ----------
    systems, columns : tuple of str
        Names, in the order of the rows' blocks.
    rows : Rows
        Those of all items.
    by : str or None
        Label column that the parts are the values of.
    labelled : mapping of str to Rows
        Rows of the items of each label.
    metric : str or None
        What is compared where nothing else is asked for.
    lower_is_better, lower, order, source, notes
        As of Scores.

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0, 1, 1, 0], "new": [1, 1, 1, 1]})
    >>> tally = Tallied.of(scores)
    >>> tally.n, tally.rows.items.rows.tolist(), tally.rows.items.counts.tolist()
    (4, [[0.0, 1.0], [1.0, 1.0]], [2, 2])
    """

    rows: Rows
    by: str | None = None
    labelled: Mapping[str, Rows] = field(default_factory=dict)
    metric: str | None = None

    def __repr__(self) -> str:
        distinct = len(self.rows.items.counts)
        return f"<Tallied: {self.n:,} items in {distinct:,} distinct rows, {self.systems}>"

    @classmethod
    def of(
        cls,
        scores: Scores,
        metrics: Sequence[str | Metric] = (),
        *,
        by: str | None = None,
    ) -> Self:
        """Tally scores: the columns of some metrics, or all of them; and each label's by itself."""
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

        def rows(part: Scores) -> Rows:
            block = part.values[:, :, index].reshape(part.n, -1)
            return Rows.of(list(block.T), part.clusters, scores.source or "the scores")

        return cls(
            rows=rows(scores),
            by=by,
            labelled={} if by is None else {name: rows(part) for name, part in scores.parts(by)},
            metric=repr(chosen[0]) if chosen else None,
            **_shared(scores) | {"columns": columns},
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return self.rows.items.units

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
        width = len(self.columns)
        index = [k * width + i for k in self.positions(systems) for i in range(width)]
        return replace(
            self,
            systems=tuple(systems),
            rows=self.rows.select(index),
            labelled={name: rows.select(index) for name, rows in self.labelled.items()},
            order="given",
        )

    def parts(self, name: str) -> Iterator[tuple[str, Self]]:
        """The tally of each value of the label column, in the order of the values."""
        if name != self.by:
            known = f"only by {self.by!r}" if self.by else "by no label"
            raise UsageError(
                f"the items were tallied {known}, and a tally does not tell their {name!r}",
                Remedy("tally them again", "by", name),
            )
        for label in sorted(self.labelled):
            yield label, replace(self, rows=self.labelled[label], by=None, labelled={}, notes=())

    @property
    def unrankable(self) -> str | None:
        """Why there is no board of it with ratings and P(best); None where there is one."""
        if self.rows.clusters is not None:
            return "a tally does not tell the items of a cluster apart"
        if self.n * len(self.systems) * len(self.columns) > RANKABLE:
            return f"{self.n:,} items of {len(self.systems)} systems are too many to be resampled"
        return None

    def expanded(self) -> Scores:
        """Every row as often as it occurs: the items, but for their order and names."""
        if (reason := self.unrankable) is not None:
            raise UsageError(f"{reason}: compare all pairs instead")
        rows = np.repeat(self.rows.items.rows, self.rows.items.counts, axis=0)
        shape = self.n, len(self.systems), len(self.columns)
        return Scores(values=rows.reshape(shape), **_shared(self))

    def _joint(self, places: Sequence[int], columns: Sequence[int], metric: Metric) -> Joint:
        _check_sums(metric)
        width = len(self.columns)
        index = {self.systems[k]: [k * width + at for at in columns] for k in places}
        rows, sums = self.rows.items, self.rows.clusters
        values = {name: rows.rows[:, own] for name, own in index.items()}
        joint = joint_of(values, metric, counts=rows.counts)
        if sums is None:
            return joint
        if not joint.whole:
            raise no_cluster_sums(self.source or "the tally")
        # These columns may have a coarser unit than all.
        above, below = (self.rows.unit / joint.unit).as_integer_ratio()
        exact = [np.divmod(sums.rows[:, own] * above, below) for own in index.values()]
        totals = [column for whole, _ in exact for column in metric.project(whole).T]
        known = (joint.counts @ joint.tally.rows[:, :-1]).tolist()
        if [sums.counts @ x for x in totals] != known or any(rest.any() for _, rest in exact):
            raise DataError("the tally's clusters are not sums of its items: make it again")
        tally = Tally.of([*totals, sums.rows[:, -1]], sums.counts)
        return replace(joint, tally=tally, clusters=sums.units)


def _shared(data: NamedSystems) -> dict[str, Any]:
    """What both Scores and tallies of them know of their systems."""
    return {one.name: getattr(data, one.name) for one in fields(NamedSystems)}


def _check_sums(metric: Metric) -> None:
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} {ITEMS_NEEDED}")
