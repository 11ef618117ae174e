"""Which column is what: a pure function of what was seen and what was declared.

1. What is declared is never questioned.
2. Known names give roles (:mod:`betterthan.tables.names`).
3. A column without a name, or one that counts up, is an id. Text that is different in every row may
   be the item; other text is a label.
4. With a system column, the score is the column called score, or the only number left.
5. Without one, the numbers left are systems if they are of one class; if all are named as metrics
   they are one system's metrics; ``a_tp, a_fp, b_tp, b_fp`` are counts of systems.
6. Anything else is :class:`~betterthan.tables.unclear.UnclearTable`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from betterthan.errors import COLUMN, FormatError, Remedy, UsageError, closest, first_few
from betterthan.metrics.named import LAYOUTS
from betterthan.tables.columns import Column, of_one_class
from betterthan.tables.names import is_index, plain, role_of
from betterthan.tables.unclear import UnclearTable

Layout = Literal["wide", "long", "single", "counts"]
Repeats = Callable[[Sequence[str]], bool]
"""Whether rows repeat in what some columns hold together."""

METRICS = frozenset(
    plain(name)
    for metric, layouts in LAYOUTS.items()
    for name in (metric, *(column for layout in layouts for column in layout.columns))
)
"""Names of metrics and of the columns that they read: the metrics' own registry."""


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
    """The part of each column; ``unused`` have none. ``texts`` are labels that say what was asked."""

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


def roles(columns: Sequence[Column], declared: Declared, where: str, repeats: Repeats) -> Roles:
    """Find the role of every column.

    >>> table = [Column("id", "text", 4, 4), *(Column(x, "0/1", 2, 4, 0, 1) for x in "ab")]
    >>> roles(table, Declared(), "t.csv", lambda keys: False).scores
    ('a', 'b')
    """
    declared = _as_written(columns, declared, where)
    known = _by_name(columns, declared, where)
    free = _free(columns, known, declared)
    known = _with_item(known, free, declared, repeats)
    free = _free(columns, known, declared)
    result = _with_scores(known, columns, free, declared, where, repeats)
    result = _with_response(result, columns, declared, repeats)
    return _with_labels(result, columns, declared)


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
        f"{where} has no column {name!r}; it has {first_few(names)}",
        Remedy("", "columns", {role: near}),
    )


def _as_written(columns: Sequence[Column], declared: Declared, where: str) -> Declared:
    names = [column.name for column in columns]
    several = ("item", "score", "label", "cluster")
    return replace(
        declared,
        **{
            role: tuple(column_called(x, names, role, where) for x in getattr(declared, role))
            for role in several
        },
        **{
            role: column_called(name, names, role, where)
            for role in ("system", "response", "task")
            if (name := getattr(declared, role)) is not None
        },
    )


def _by_name(columns: Sequence[Column], declared: Declared, where: str) -> Roles:
    """Give the roles that were declared, and those of known names."""
    taken = {name for names in declared.named.values() for name in names}
    wide = {*declared.systems} <= {column.name for column in columns} and bool(declared.systems)
    taken |= {*declared.systems} if wide else set()

    def known(role: str, declared_as: Sequence[str] = ()) -> tuple[str, ...]:
        if declared_as:
            return tuple(declared_as)
        free = [c for c in columns if c.name not in taken and role_of(c.name) == role]
        free = [c for c in free if c.kind not in ("nested", "empty")]
        exact = [c.name for c in free if plain(c.name) == role]
        names = exact or [c.name for c in free]
        if len(names) > 1:
            choices = [Remedy("", "columns", {role: name}) for name in names[:2]]
            raise UnclearTable(
                f"{where}: {first_few(names)} could each be the {role}", columns, {}, choices
            )
        return tuple(names)

    single = declared.layout in ("wide", "single") or wide
    system = known("system", [declared.system] if declared.system else ())
    metric = known("metric")
    return Roles(
        item=known("item", declared.item),
        system=None if single and not declared.system else next(iter(system), None),
        metric=None if single else next(iter(metric), None),
        response=declared.response,
        cluster=declared.cluster or tuple(c.name for c in columns if plain(c.name) == "cluster"),
        task=declared.task,
    )


def _free(columns: Sequence[Column], known: Roles, declared: Declared) -> list[Column]:
    """Columns without a role so far."""
    taken = {*known.keys, *known.cluster, *declared.label, known.task}
    return [column for column in columns if column.name not in taken]


def _with_item(known: Roles, free: Sequence[Column], declared: Declared, repeats: Repeats) -> Roles:
    """Find the item where no name tells it: an id, or text that is different in every row."""
    if known.item:
        return known
    asked = {*declared.score, *declared.systems}
    free = [c for c in free if c.name not in asked and role_of(c.name) in (None, "text", "cluster")]
    if known.system is None and known.metric is None:
        ids = [c for c in free if c.is_id]
        texts = [c for c in free if c.kind == "text" and c.distinct == c.rows]
        ids.sort(key=lambda c: is_index(c.name))
        return replace(known, item=tuple(c.name for c in (ids or texts)[:1]))
    others = [name for name in (known.system, known.metric, declared.response) if name]
    if not repeats(others):  # one row per system: its columns may be items
        return known
    for column in free:  # an item comes once with every system
        is_name = column.kind == "text" or (column.kind == "whole" and column.low is not None)
        if is_name and column.distinct < column.rows and not repeats([column.name, *others]):
            return replace(known, item=(column.name,))
    return known


def _with_scores(
    known: Roles,
    columns: Sequence[Column],
    free: Sequence[Column],
    declared: Declared,
    where: str,
    repeats: Repeats,
) -> Roles:
    """Find the scores, and so the layout."""
    names = [column.name for column in columns]
    if {*declared.systems} <= {*names} and declared.systems and known.system is None:
        return replace(known, layout="wide", scores=declared.systems)
    long = known.system is not None
    layout: Layout = "long" if long else "single"
    if declared.score:
        wide = declared.layout == "wide" and not long
        return replace(known, layout="wide" if wide else layout, scores=declared.score)
    for needed in declared.metrics:
        if needed and {*needed} <= {*names}:
            every = [c for group in declared.metrics for c in group if c in names]
            return replace(known, layout=layout, scores=tuple(dict.fromkeys(every)))
    left = [c for c in free if c.is_number and not c.is_id and role_of(c.name) != "label"]
    left = [c for c in left if role_of(c.name) != "response"]
    if not left:
        raise UnclearTable(
            f"{where} has no column of numbers that could be a score",
            columns,
            known.of_columns,
            [Remedy("name it", "columns", {"score": COLUMN})],
        )
    measured = [c for c in left if _is_measure(c.name)]
    if long:
        if not (known.item or repeats([str(known.system)])):
            raise FormatError(
                f"{where} has one row per system and no items, so that nothing can be tested",
                Remedy("its columns are items", "input_format", "csv(transposed=yes)"),
            )
        return replace(known, scores=_of_long(left, measured, columns, known, where))
    if declared.layout != "wide" and (declared.many or declared.layout == "single"):
        return replace(known, layout="single", scores=_of_single(left, measured, columns, where))
    if declared.layout == "wide":
        return replace(known, layout="wide", scores=tuple(c.name for c in left))
    if len(measured) == len(left):
        return replace(known, layout="single", scores=tuple(c.name for c in left))
    if counts := _counts_of_systems([c.name for c in left]):
        return replace(known, layout="counts", counts=counts, scores=tuple(c.name for c in left))
    if measured or not of_one_class(left):
        raise _unclear_systems(left, measured, columns, known, where)
    return replace(known, layout="wide", scores=tuple(c.name for c in left))


def _is_measure(name: str) -> bool:
    return role_of(name) in ("score", "cost") or plain(name) in METRICS


def _of_long(
    left: Sequence[Column],
    measured: Sequence[Column],
    columns: Sequence[Column],
    known: Roles,
    where: str,
) -> tuple[str, ...]:
    """Rule 4: the column called score, metrics by name, or the only number left."""
    scores = [c for c in left if plain(c.name) == "score"]
    chosen = scores or measured or (left if len(left) == 1 else [])
    if chosen:
        return tuple(c.name for c in chosen)
    raise UnclearTable(
        f"{where} has {len(left)} columns that could be the score",
        columns,
        known.of_columns | dict.fromkeys([c.name for c in left], "score?"),
        [Remedy("choose the score", "columns", {"score": left[0].name})],
    )


def _of_single(
    left: Sequence[Column], measured: Sequence[Column], columns: Sequence[Column], where: str
) -> tuple[str, ...]:
    chosen = measured or (left if len(left) == 1 else [])
    if chosen:
        return tuple(c.name for c in chosen)
    raise UnclearTable(
        f"{where} has {len(left)} columns that could be the score of one system",
        columns,
        dict.fromkeys([c.name for c in left], "score?"),
        [Remedy("choose the score", "columns", {"score": left[0].name})],
    )


def _unclear_systems(
    left: Sequence[Column],
    measured: Sequence[Column],
    columns: Sequence[Column],
    known: Roles,
    where: str,
) -> UnclearTable:
    """Rule 6: say which columns could be systems."""
    kinds = [c.kind for c in left if not c.constant and c not in measured]
    usual = max(kinds, key=kinds.count) if kinds else None
    systems = [c.name for c in left if c not in measured and (c.kind == usual or c.constant)]
    rest = [c.name for c in left if c.name not in systems]
    what = "are metrics, and others may be systems" if measured else "are of different kinds"
    remedies = [Remedy("it is the score", "columns", {"score": left[0].name})]
    if len(systems) > 1:
        remedies = [Remedy("these are the systems", "systems", systems)]
        if rest:
            remedies.append(Remedy("they describe the items", "columns", {"label": "+".join(rest)}))
    return UnclearTable(
        f"{where}: {first_few([c.name for c in measured or left])} {what}",
        columns,
        known.of_columns | dict.fromkeys([c.name for c in left], "system?"),
        remedies,
    )


def _counts_of_systems(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Rule 5: ``a_tp, a_fp, b_tp, b_fp`` are counts of the systems ``a`` and ``b``.

    >>> _counts_of_systems(["a_tp", "a_fp", "b_tp", "b_fp"])["b"]
    {'tp': 'b_tp', 'fp': 'b_fp'}
    """
    found: dict[str, dict[str, str]] = {}
    for name in names:
        system, _, count = name.rpartition("_")
        if not system or plain(count) not in METRICS:
            return {}
        found.setdefault(system, {})[count] = name
    same = len({tuple(sorted(counts)) for counts in found.values()}) == 1
    return found if same and len(found) > 1 else {}


def _with_response(
    known: Roles, columns: Sequence[Column], declared: Declared, repeats: Repeats
) -> Roles:
    """A known response counts only where rows would repeat without it."""
    if declared.response or not known.item:
        return known
    taken = {*known.keys, *known.scores, *known.cluster, *declared.label}
    free = [c for c in columns if c.name not in taken and role_of(c.name) == "response"]
    names = [c.name for c in free if 2 * c.distinct <= c.rows]  # it numbers repeats
    if not names or not repeats(known.keys):
        return known
    for name in names:
        if not repeats([*known.keys, name]):
            return replace(known, response=name)
    return replace(known, response=names[0])


def _with_labels(known: Roles, columns: Sequence[Column], declared: Declared) -> Roles:
    """Other text describes the items, and so do numbers that are known or declared to."""
    taken = {*known.keys, *known.scores}
    declared_labels = {*declared.label, *known.cluster, known.task} - {None}
    labels, texts = [], []
    for column in columns:
        role = role_of(column.name)
        if column.name in declared_labels:
            labels.append(column.name)
        if column.name in {*taken, *declared_labels} or column.kind in ("nested", "empty"):
            continue
        described = role in ("label", "cluster", "text") or column.kind == "text"
        if described and not column.is_id:
            labels.append(column.name)
            texts += [column.name] if role == "text" else []
    unused = [c.name for c in columns if c.name not in {*taken, *labels}]
    return replace(known, labels=tuple(labels), texts=tuple(texts), unused=tuple(unused))
