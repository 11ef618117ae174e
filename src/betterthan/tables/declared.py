"""What is declared of a table's columns, and the roles that they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from betterthan.errors import COLUMN, Choice, Remedy, UsageError, closest, first_few
from betterthan.metrics import Metric, parse
from betterthan.metrics.costs import plain

Layout = Literal["wide", "long", "single", "counts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the user said of columns; nothing of it is questioned.

    ``columns`` are those of each role, ``metrics`` those of the metrics that were asked for, and
    ``where`` says which rows are; ``transposed`` says that a row is a system, and ``many`` that the
    table is one of several, with a system in each.
    """

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    systems: tuple[str, ...] = ()
    metrics: tuple[tuple[str, ...], ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    transposed: bool = False
    layout: Layout | None = None
    header: bool | None = None
    many: bool = False

    def __getitem__(self, role: str) -> tuple[str, ...]:
        return self.columns.get(role, ())

    def first(self, role: str) -> str | None:
        """Return the column of a role that one column has."""
        return next(iter(self[role]), None)

    def as_written(self, names: Sequence[str], where: str) -> "Declared":
        """Write declared columns as the table does."""
        columns = {
            role: tuple(column_called(name, names, role, where) for name in listed)
            for role, listed in self.columns.items()
        }
        return replace(self, columns=columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The part of each column."""

    layout: Layout = "long"
    item: tuple[str, ...] = ()
    system: str | None = None
    metric: str | None = None
    response: str | None = None
    cluster: tuple[str, ...] = ()
    task: str | None = None
    scores: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    counts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of counts of systems, each system's columns by what they count."""

    @property
    def of_keys(self) -> dict[str, tuple[str, ...]]:
        """Columns that say which cell a row fills, by role."""
        others = {"system": self.system, "metric": self.metric, "response": self.response}
        named = {"item": self.item} | {role: (x,) for role, x in others.items() if x is not None}
        return {role: names for role, names in named.items() if names}

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that say which cell a row fills."""
        return tuple(name for names in self.of_keys.values() for name in names)

    @property
    def of_columns(self) -> dict[str, str]:
        """What each column was read as, in words."""
        said = dict.fromkeys(self.unused, "not used") | dict.fromkeys(self.labels, "label")
        said |= dict.fromkeys(self.scores, "system" if self.layout == "wide" else "score")
        said |= dict.fromkeys(self.cluster, "cluster")
        return said | {name: role for role, names in self.of_keys.items() for name in names}


def columns_of_metric(metric: str | Metric) -> tuple[str, ...]:
    """Columns that a metric reads; none where only the data say what it is."""
    try:
        return (metric if isinstance(metric, Metric) else parse(metric)).columns
    except UsageError:
        return ()


def column_called(
    name: str, names: Sequence[str], role: str, where: str, wanted: str | None = None
) -> str:
    """Return a declared column as the table writes it; case, blanks and hyphens do not matter.

    What is ``wanted`` of it makes it a column that rows are chosen by.

    >>> column_called("doc_id", ["Doc ID", "base"], "item", "t.csv")
    'Doc ID'
    """
    if name in names:
        return name
    alike = [own for own in names if plain(own) == plain(name)]
    if len(alike) == 1:
        return alike[0]
    near = Choice(closest(name, names) or COLUMN)
    raise UsageError(
        f"{where} has no column {name!r}; it has {first_few(names) or 'none'}",
        Remedy("", "columns", {role: near})
        if wanted is None
        else Remedy("", "where", {near: wanted}),
    )
