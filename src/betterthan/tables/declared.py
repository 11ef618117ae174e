"""What is declared of a table's columns, and the roles that they are given."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from betterthan.errors import COLUMN, Remedy, UsageError, closest, first_few
from betterthan.metrics import Metric, parse
from betterthan.tables.columns import Column
from betterthan.tables.names import plain

Layout = Literal["wide", "long", "single", "counts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the user said of columns; nothing of it is questioned.

    ``scores`` are columns of scores, or of the metrics that were asked for; ``many`` says that the
    table is one of several, with a system in each.
    """

    item: tuple[str, ...] = ()
    system: str | None = None
    score: tuple[str, ...] = ()
    response: str | None = None
    cluster: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    task: str | None = None
    systems: tuple[str, ...] = ()
    metrics: tuple[tuple[str, ...], ...] = ()
    layout: Layout | None = None
    header: bool | None = None
    many: bool = False

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """Columns of each role."""
        single = {"system": self.system, "response": self.response, "task": self.task}
        roles = {"item": self.item, "score": self.score, "label": self.label}
        roles |= {"cluster": self.cluster}
        return roles | {role: (name,) for role, name in single.items() if name is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The part of each column; ``texts`` are labels that say what was asked."""

    layout: Layout = "long"
    item: tuple[str, ...] = ()
    system: str | None = None
    metric: str | None = None
    response: str | None = None
    cluster: tuple[str, ...] = ()
    task: str | None = None
    scores: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    counts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of counts of systems, each system's columns by what they count."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that say which cell a row fills."""
        others = (self.system, self.metric, self.response)
        return (*self.item, *(name for name in others if name is not None))

    @property
    def of_columns(self) -> dict[str, str]:
        """What each column was read as, in words."""
        said = dict.fromkeys(self.unused, "not used") | dict.fromkeys(self.labels, "label")
        said |= dict.fromkeys(self.scores, "system" if self.layout == "wide" else "score")
        said |= dict.fromkeys(self.cluster, "cluster") | dict.fromkeys(self.item, "item")
        roles = {"system": self.system, "metric": self.metric, "response": self.response}
        return said | {name: role for role, name in roles.items() if name is not None}


def columns_of_metric(metric: str | Metric) -> tuple[str, ...]:
    """Columns that a metric reads; none where only the data say what it is."""
    try:
        return (metric if isinstance(metric, Metric) else parse(metric)).columns
    except UsageError:
        return ()


def column_called(name: str, names: Sequence[str], role: str, where: str) -> str:
    """Return a declared column as the table writes it; case, blanks and hyphens do not matter.

    >>> column_called("doc_id", ["Doc ID", "base"], "item", "t.csv")
    'Doc ID'
    """
    if name in names:
        return name
    alike = [own for own in names if plain(own) == plain(name)]
    if len(alike) == 1:
        return alike[0]
    near = closest(name, names) or COLUMN
    raise UsageError(
        f"{where} has no column {name!r}; it has {first_few(names) or 'none'}",
        Remedy("", "columns", {role: near}),
    )


def as_written(columns: Sequence[Column], declared: Declared, where: str) -> Declared:
    """Write declared columns as the table does."""
    names = [column.name for column in columns]

    def one(name: str, role: str) -> str:
        return column_called(name, names, role, where)

    def maybe(name: str | None, role: str) -> str | None:
        return None if name is None else one(name, role)

    return replace(
        declared,
        item=tuple(one(name, "item") for name in declared.item),
        score=tuple(one(name, "score") for name in declared.score),
        label=tuple(one(name, "label") for name in declared.label),
        cluster=tuple(one(name, "cluster") for name in declared.cluster),
        system=maybe(declared.system, "system"),
        response=maybe(declared.response, "response"),
        task=maybe(declared.task, "task"),
    )
