"""Tallied: several systems' scores as distinct rows and how often each occurs, without the items.

That is all a comparison of means, ratios and sums needs, so that verdict, p-value and signature
are those of the items. Whoever can group and count can make one, and it can be published where the
items cannot: it holds no ids and no order.

Rows of items are kept in the numbers that they came in, so that any of the systems and any metric
over the columns is understood as it would be from the items. Clusters have rows of sums beside
them, in whole numbers of a unit: sums of other floats depend on the order in which they are added.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import LARGEST_FLOAT, cluster_codes, cluster_sums
from betterthan.data.labels import check_names
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of_rows
from betterthan.data.resolution import LARGEST_SUM, Real, resolution
from betterthan.data.scores import Scores
from betterthan.data.tally import Tally
from betterthan.errors import BadValueError, Choice, DataError, Remedy, UsageError, no_truth_value
from betterthan.metrics import Metric, default, resolve
from betterthan.metrics.spelling import is_imported
from betterthan.numeric import Floats, Ints

RANKABLE = 10_000_000
"""Most numbers that a tally is written out to, where the single items are resampled."""

ITEMS_NEEDED = "needs the single items, and a tally does not hold them: give the scores themselves"


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRows:
    """Distinct sums over clusters.

    Attributes
    ----------
    sums : (m, systems x columns) int64 array
        Sums of the items of a cluster, in ``unit``.
    sizes : (m,) int64 array
        Number of items in it.
    counts : (m,) int64 array
        How many clusters have each row.
    unit : Fraction
        What a one stands for.
    """

    sums: Ints
    sizes: Ints
    counts: Ints
    unit: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Distinct rows of one set of items, and the same summed over clusters if there are any.

    Rows of ``items`` are floats, one block of columns per system.
    """

    items: Tally
    clusters: ClusterRows | None = None

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
        sums, unit = cluster_sums(numbers.integers[0], codes, number), numbers.unit
        tally = Tally.of([*sums.T, np.bincount(codes, minlength=number)])
        return cls(rows, ClusterRows(tally.rows[:, :-1], tally.rows[:, -1], tally.counts, unit))


def no_cluster_sums(where: str) -> UsageError:
    """Say what no tally can hold."""
    return UsageError(
        f"{where}: scores in clusters that are not multiples of one unit have no tally, since "
        "their sums depend on the order in which they are added: round the scores",
        Remedy("read the items", "items", True),
    )


@dataclass(frozen=True, eq=False)
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
    lower_is_better, higher_is_better, lower, shuffled, by_rows, source, notes
        As of Scores.

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0, 1, 1, 0], "new": [1, 1, 1, 1]})
    >>> tally = Tallied.of(scores)
    >>> tally.n, tally.rows.items.rows.tolist(), tally.rows.items.counts.tolist()
    (4, [[0.0, 1.0], [1.0, 1.0]], [2, 2])
    """

    unordered: ClassVar[str] = "systems whose rows were only counted have no order"
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    rows: Rows
    by: str | None = None
    labelled: Mapping[str, Rows] = field(default_factory=dict)
    metric: str | None = None
    lower_is_better: bool = False
    higher_is_better: bool = False
    lower: frozenset[str] = frozenset()
    shuffled: bool = False
    by_rows: bool = False
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_names("system", self.systems)
        if not isinstance(self.lower_is_better, bool | np.bool_):
            raise no_truth_value("lower_is_better", self.lower_is_better)
        object.__setattr__(self, "labelled", MappingProxyType(dict(self.labelled)))
        if np.abs(self.rows.items.rows).max(initial=0.0) > LARGEST_FLOAT:
            raise BadValueError("there are scores beyond 1e100: divide all by one number")

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, entry.name) for entry in fields(self))
        return type(self), tuple(dict(x) if isinstance(x, MappingProxyType) else x for x in values)

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
        if scores.responses is not None:
            raise UsageError(
                "a tally holds one score per item and system, and items have several responses: "
                "average them first"
            )
        if scores.tasks is not None and by is None:
            raise UsageError(
                f"the tasks ({scores.tasks}) weigh the same whatever their size, which a tally of "
                "all items cannot tell",
                Remedy("tally each task", "by", scores.tasks),
            )
        chosen = [scores.measured(metric) for metric in metrics]
        for metric in chosen:
            _check_sums(metric)
        columns = tuple(dict.fromkeys(c for m in chosen for c in m.columns)) or scores.columns
        index = [scores.columns.index(column) for column in columns]
        where = scores.source or "the scores"

        def rows(part: Scores) -> Rows:
            block = part.values[:, :, index].reshape(part.n, -1)
            if np.isnan(block).any():
                raise UsageError(
                    f"{where}: some cells are missing, and a tally has none",
                    Remedy("tally some of the columns", "metric", Choice("METRIC")),
                )
            return Rows.of(list(block.T), part.clusters, where)

        return cls(
            systems=scores.systems,
            columns=columns,
            rows=rows(scores),
            by=by,
            labelled={} if by is None else {name: rows(part) for name, part in scores.parts(by)},
            metric=repr(chosen[0]) if chosen else None,
            lower_is_better=scores.lower_is_better,
            lower=scores.lower,
            shuffled=scores.shuffled,
            by_rows=scores.by_rows,
            source=scores.source,
            notes=scores.notes,
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
        requested = self.metric if metric is None else metric
        chosen = default(self.columns) if requested is None else resolve(requested, self.columns)
        return self.towards_better(chosen)

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
            rows=_of_columns(self.rows, index),
            labelled={name: _of_columns(rows, index) for name, rows in self.labelled.items()},
            shuffled=False,
            by_rows=False,
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
        values = self.rows.items.expanded().reshape(self.n, len(self.systems), len(self.columns))
        shared = {one.name for one in fields(Scores)} & vars(self).keys()
        return Scores(values=values, **{name: getattr(self, name) for name in shared})

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, as from the items."""
        chosen = self.measured(metric)
        _check_sums(chosen)
        names = self.systems if systems is None else tuple(systems)
        own = [self.columns.index(column) for column in chosen.columns]
        width = len(self.columns)
        blocks = [[index * width + k for k in own] for index in self.positions(names)]
        items = self.rows.items
        values = [items.rows[:, index] for index in blocks]
        singles = joint_of_rows(
            values,
            items.counts,
            chosen,
            names,
            again=lambda places: self.joint([names[k] for k in places], chosen),
        )
        clusters = self.rows.clusters
        if clusters is None:
            return singles
        if not singles.whole:
            raise no_cluster_sums(self.source or "the tally")
        sums = _rescaled(clusters, np.concatenate(blocks), singles.unit)
        projected = np.concatenate(
            [chosen.project(sums[:, k : k + len(own)]) for k in range(0, sums.shape[1], len(own))],
            axis=1,
        )
        if projected.dtype.kind != "i" or int(np.abs(projected).max()) * items.units > LARGEST_SUM:
            raise UsageError(f"{chosen!r} of numbers so large {ITEMS_NEEDED}")
        totals = (singles.counts @ singles.tally.rows[:, :-1]).tolist()
        if (clusters.counts @ projected).tolist() != totals:
            raise _of_other_items()
        return Joint(
            metric=chosen,
            systems=names,
            tally=Tally.of([*projected.T, clusters.sizes], clusters.counts),
            unit=singles.unit,
            noise=singles.noise,
            n=items.units,
            clusters=int(clusters.counts.sum()),
            singles=singles,
        )


def _of_columns(rows: Rows, index: Sequence[int]) -> Rows:
    """Count the rows of some columns, of which several may now be the same."""
    items = Tally.of(list(rows.items.rows[:, index].T), rows.items.counts)
    if rows.clusters is None:
        return Rows(items)
    of = rows.clusters
    tally = Tally.of([*of.sums[:, index].T, of.sizes], of.counts)
    return Rows(items, ClusterRows(tally.rows[:, :-1], tally.rows[:, -1], tally.counts, of.unit))


def _check_sums(metric: Metric) -> None:
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} {ITEMS_NEEDED}")


def _rescaled(clusters: ClusterRows, columns: Ints, unit: Fraction) -> Ints:
    """Sums of some columns, in the unit that these have by themselves."""
    factor, sums = clusters.unit / unit, clusters.sums[:, columns]
    largest = max(int(np.abs(sums).max(initial=1)) * factor.numerator, factor.denominator)
    if largest > LARGEST_SUM:  # no sums of items that could be read
        raise _of_other_items()
    whole, rest = np.divmod(sums * factor.numerator, factor.denominator)
    if rest.any():
        raise _of_other_items()
    return np.asarray(whole)


def _of_other_items() -> DataError:
    return DataError("the tally's clusters are not sums of its items: make it again")
