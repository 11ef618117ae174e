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
from dataclasses import dataclass, replace
from itertools import combinations

from betterthan.errors import COLUMN, Choice, FormatError, Remedy, first_few
from betterthan.tables.columns import Column, of_one_class
from betterthan.tables.declared import Declared, Layout, Roles, as_written
from betterthan.tables.names import is_index, is_measure, plain, role_of
from betterthan.tables.unclear import UnclearTable

Repeats = Callable[[Sequence[str]], bool]
"""Whether rows repeat in what some columns hold together."""

FEW = 8
"""Columns of scores that may be more than the rows: of a small example."""


@dataclass(frozen=True, slots=True)
class _Table:
    """What the rules look at: the columns, what was declared, and whether rows repeat."""

    columns: Sequence[Column]
    declared: Declared
    where: str
    repeats: Repeats

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def systems(self) -> tuple[str, ...]:
        """Declared systems, where these are columns."""
        systems = self.declared.systems
        return systems if systems and {*systems} <= {*self.names} else ()

    def free(self, known: Roles) -> list[Column]:
        """Columns without a role so far."""
        taken = {*known.keys, *known.cluster, *self.declared.label, known.task}
        return [column for column in self.columns if column.name not in taken]

    def unclear(self, why: str, known: Roles, maybe: str, *remedies: Remedy) -> UnclearTable:
        """Make the error: ``maybe`` is what numbers without a role could be."""
        free = [c.name for c in self.free(known) if c.is_number and not c.is_id]
        read_as = known.of_columns | dict.fromkeys(free, f"{maybe}?")
        read_as |= {x: "response" for x in free if role_of(x) == "response"}
        return UnclearTable(f"{self.where} {why}", *remedies, columns=self.columns, read_as=read_as)


def roles(columns: Sequence[Column], declared: Declared, where: str, repeats: Repeats) -> Roles:
    """Find the role of every column.

    >>> table = [Column("id", "text", 4, 4), *(Column(x, "0/1", 2, 4, 0, 1) for x in "ab")]
    >>> roles(table, Declared(), "t.csv", lambda keys: False).scores
    ('a', 'b')
    """
    table = _Table(columns, as_written(columns, declared, where), where, repeats)
    known = _with_item(_by_name(table), table)
    return _with_labels(_with_response(_with_scores(known, table), table), table)


def _by_name(table: _Table) -> Roles:
    """Give the roles that were declared, and those of known names."""
    declared = table.declared
    taken = {*table.systems, *(name for names in declared.named.values() for name in names)}

    def known(role: str) -> tuple[str, ...]:
        free = [c for c in table.columns if c.name not in taken and role_of(c.name) == role]
        free = [c for c in free if c.kind not in ("nested", "empty")]
        exact = [c.name for c in free if plain(c.name) == role]
        names = exact or [c.name for c in free]
        if len(names) > 1:
            remedies = [Remedy("", "columns", {role: name}) for name in names[:2]]
            why = f"has several columns that could be the {role}: {first_few(names)}"
            raise table.unclear(why, Roles(), role, *remedies)
        return tuple(names)

    item = declared.item or known("item")
    nested = [c.name for c in table.columns if c.kind == "nested"]
    lists = [x for x in declared.item or nested if x in nested and (item or role_of(x) == "item")]
    for name in lists if declared.item or not item else ():
        raise FormatError(
            f"{table.where}: {name!r} holds records or lists, and an id is text or a number",
            Remedy("a field inside it", "columns", {"item": Choice(f"{name}.FIELD")}),
        )
    single = declared.layout in ("wide", "single") or bool(table.systems)
    system = (declared.system,) if declared.system else () if single else known("system")
    return Roles(
        item=item,
        system=next(iter(system), None),
        metric=None if single else next(iter(known("metric")), None),
        response=declared.response,
        cluster=declared.cluster or tuple(x for x in table.names if plain(x) == "cluster"),
        task=declared.task,
    )


def _with_item(known: Roles, table: _Table) -> Roles:
    """Rule 3: where no name tells the item, an id, or text that is different in every row."""
    if known.item:
        return known
    asked = {*table.declared.score, *table.declared.systems}
    free = [c for c in table.free(known) if c.name not in asked]
    free = [c for c in free if role_of(c.name) in (None, "text", "cluster")]
    others = [name for name in (known.system, known.metric, known.response) if name]
    if known.system is None and known.metric is None:
        ids = sorted((c for c in free if c.is_id), key=lambda c: is_index(c.name))
        texts = [c for c in free if c.kind == "text" and c.distinct == c.rows]
        return replace(known, item=tuple(c.name for c in (ids or texts)[:1]))
    if not table.repeats(others):  # one row per system: its columns may be items
        return known
    names = [c.name for c in free if c.kind in ("text", "whole") and 1 < c.distinct < c.rows]
    repeats = [c.name for c in table.free(known) if role_of(c.name) == "response"]
    for keys in (others, [*others, *repeats]):  # an item comes once with every system, or rater
        for name in names:
            if not table.repeats([name, *keys]):
                return replace(known, item=(name,))
    for pair in combinations(names, 2) if repeats else ():
        if not table.repeats([*pair, *others, *repeats]):
            why = f"has several rows per item ({first_few(repeats)}), and no column names the item"
            remedy = Remedy("they name it together", "columns", {"item": "+".join(pair)})
            raise table.unclear(why, known, "score", remedy)
    return known


def _with_scores(known: Roles, table: _Table) -> Roles:
    """Find the scores, and so the layout: declared, or by rules 4 and 5."""
    declared, long = table.declared, known.system is not None
    if table.systems and not long:
        return replace(known, layout="wide", scores=table.systems)
    if chosen := declared.score or _of_metrics(table):
        wide = declared.layout == "wide" and not long
        return replace(
            known, layout="wide" if wide else "long" if long else "single", scores=chosen
        )
    if long and not (known.item or table.repeats([str(known.system)])):
        raise FormatError(
            f"{table.where} has one row per system and no items, so that nothing can be tested",
            _turned(table),
        )
    left = [c for c in table.free(known) if c.is_number and not c.is_id]
    left = [c for c in left if role_of(c.name) not in ("label", "response", "target")]
    if not left:
        remedies = [Remedy("name it", "columns", {"score": COLUMN})]
        target = next((x for x in table.names if role_of(x) == "target"), COLUMN)
        if not any(c.is_number for c in table.columns):
            remedies = [
                Remedy("a column has the right answers", "columns", {"ref": target}),
                Remedy("these are outputs, the right ones are in a file", "ref", Choice("FILE")),
            ]
        raise table.unclear("has no column of numbers that could be a score", known, "", *remedies)
    if long or declared.many or declared.layout == "single":
        layout: Layout = "long" if long else "single"
        return replace(known, layout=layout, scores=_score(left, known, table))
    return _without_system(known, left, table)


def _turned(table: _Table) -> Remedy:
    """Read rows as systems, and columns as items."""
    header = "header=no, " if table.declared.header is False else ""
    does = "its rows are systems, its columns items"
    return Remedy(does, "input_format", f"csv({header}transposed=yes)")


def _of_metrics(table: _Table) -> tuple[str, ...]:
    """Columns that the metrics read that were asked for, if the table has all of one's."""
    names = {*table.names}
    for needed in table.declared.metrics:
        if needed and {*needed} <= names:
            every = [name for group in table.declared.metrics for name in group if name in names]
            return tuple(dict.fromkeys(every))
    return ()


def _score(left: Sequence[Column], known: Roles, table: _Table) -> tuple[str, ...]:
    """Rule 4: the column called score, columns of metrics, or the only number left."""
    scores = [c for c in left if plain(c.name) == "score"]
    measured = [c for c in left if is_measure(c.name)]
    chosen = scores or measured or (left if len(left) == 1 else [])
    if chosen:
        return tuple(c.name for c in chosen)
    likely = max(left, key=lambda column: column.distinct).name
    remedy = Remedy("choose the score", "columns", {"score": likely})
    raise table.unclear(f"has {len(left)} columns that could be the score", known, "score", remedy)


def _without_system(known: Roles, left: Sequence[Column], table: _Table) -> Roles:
    """Rule 5: one system's metrics, counts of systems, or a column per system."""
    names = tuple(c.name for c in left)
    measured = [c for c in left if is_measure(c.name)]
    if table.declared.layout == "wide":
        return replace(known, layout="wide", scores=names)
    if len(measured) == len(left):
        return replace(known, layout="single", scores=names)
    if counts := _counts_of_systems(names):
        return replace(known, layout="counts", counts=counts, scores=names)
    if not measured and of_one_class(left):
        if len(left) > max(left[0].rows, FEW) and not _is_item(known.item):
            named = table.declared.header is not False
            raise table.unclear(
                f"has {left[0].rows:,} rows and {len(left):,} columns of scores, and no name tells "
                "whether its rows are items or systems",
                known,
                "system",
                _turned(table),
                *([Remedy("its rows are items", "input_format", "wide")] * named),
            )
        return replace(known, layout="wide", scores=names)
    kinds: list[str] = [c.kind for c in left if not c.constant and c not in measured]
    usual = max(kinds, key=kinds.count) if kinds else ""
    systems = [c.name for c in left if c not in measured and (c.kind == usual or c.fits_all)]
    remedies = [Remedy("it is the score", "columns", {"score": left[0].name})]
    if len(systems) > 1:
        remedies = [Remedy("these are the systems", "systems", systems)]
        if rest := [name for name in names if name not in systems]:
            remedies.append(Remedy("they describe the items", "columns", {"label": "+".join(rest)}))
    why = "has metrics next to what may be systems" if measured else "has numbers of several kinds"
    raise table.unclear(f"{why}: {first_few(names)}", known, "system", *remedies)


def _is_item(columns: Sequence[str]) -> bool:
    return any(role_of(name) == "item" for name in columns)


def _counts_of_systems(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Rule 5: ``a_tp, a_fp, b_tp, b_fp`` are counts of the systems ``a`` and ``b``.

    >>> _counts_of_systems(["a_tp", "a_fp", "b_tp", "b_fp"])["b"]
    {'tp': 'b_tp', 'fp': 'b_fp'}
    """
    found: dict[str, dict[str, str]] = {}
    for name in names:
        system, _, count = name.rpartition("_")
        if not system or not is_measure(count):
            return {}
        found.setdefault(system, {})[count] = name
    same = len({tuple(sorted(counts)) for counts in found.values()}) == 1
    return found if same and len(found) > 1 else {}


def _with_response(known: Roles, table: _Table) -> Roles:
    """Give a response of known name its role, if rows would repeat without it."""
    if known.response or not known.item:
        return known
    free = [c for c in table.free(known) if c.name not in known.scores]
    names = [c.name for c in free if role_of(c.name) == "response" and 2 * c.distinct <= c.rows]
    if not names or not table.repeats(known.keys):
        return known
    numbering = (name for name in names if not table.repeats([*known.keys, name]))
    return replace(known, response=next(numbering, names[0]))


def _with_labels(known: Roles, table: _Table) -> Roles:
    """Other text describes the items, and so do numbers that are known or declared to."""
    taken = {*known.keys, *known.scores}
    declared_labels = {*table.declared.label, *known.cluster, known.task} - {None}
    labels, texts = [], []
    for column in table.columns:
        role = role_of(column.name)
        if column.name in declared_labels:
            labels.append(column.name)
        if column.name in {*taken, *declared_labels} or column.kind in ("nested", "empty"):
            continue
        described = role in ("label", "cluster", "text", "target") or column.kind == "text"
        if described and not column.is_id:
            labels.append(column.name)
            texts += [column.name] if role == "text" else []
    unused = [x for x in table.names if x not in {*taken, *labels}]
    return replace(known, labels=tuple(labels), texts=tuple(texts), unused=tuple(unused))
