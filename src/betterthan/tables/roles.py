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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from betterthan.errors import COLUMN, Choice, FormatError, Remedy, first_few
from betterthan.metrics.costs import plain
from betterthan.tables.columns import Column, of_one_class
from betterthan.tables.declared import Declared, Roles
from betterthan.tables.names import is_index, is_measure, role_of
from betterthan.tables.unclear import UnclearTable

FEW = 8
"""Columns of scores that may be more than the rows: of a small example."""


@dataclass(frozen=True, slots=True)
class _Table:
    """What the rules look at: the columns, and what was declared of them as they are written."""

    columns: Sequence[Column]
    declared: Declared
    where: str

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def systems(self) -> tuple[str, ...]:
        """Declared systems, where these are columns."""
        systems = self.declared.systems
        return systems if {*systems} <= {*self.names} else ()

    def free(self, known: Roles) -> list[Column]:
        """Columns without a role so far."""
        taken = {*known.keys, *known.cluster, *self.declared["label"], known.task}
        return [column for column in self.columns if column.name not in taken]

    def repeats(self, *names: str) -> bool:
        """Whether rows repeat in what some columns hold together."""
        cells = pl.DataFrame([c.cells for c in self.columns if c.name in names])
        return cells.n_unique() < self.columns[0].rows

    def unclear(self, why: str, known: Roles, maybe: str, *remedies: Remedy) -> UnclearTable:
        """Make the error: ``maybe`` is what numbers without a role could be."""
        free = [c.name for c in self.free(known) if c.is_number and not c.is_id]
        read_as = known.of_columns | dict.fromkeys(free, f"{maybe}?")
        read_as |= {x: "response" for x in free if role_of(x) == "response"}
        return UnclearTable(f"{self.where} {why}", *remedies, columns=self.columns, read_as=read_as)

    def turned(self) -> Remedy:
        """Read rows as systems, and columns as items."""
        header = "header=no, " if self.declared.header is False else ""
        does = "its rows are systems, its columns items"
        return Remedy(does, "input_format", f"csv({header}transposed=yes)")


def roles(columns: Sequence[Column], declared: Declared, where: str) -> Roles:
    """Find the role of every column; what is declared is named as the table writes it.

    >>> from betterthan.tables.columns import seen
    >>> table = pl.DataFrame({"id": ["x", "y", "z"], "a": [0, 1, 1], "b": [1, 1, 0]})
    >>> roles(seen(table), Declared(), "t.csv").scores
    ('a', 'b')
    """
    table = _Table(columns, declared, where)
    known = _with_item(_by_name(table), table)
    return _with_labels(_with_response(_with_scores(known, table), table), table)


def _by_name(table: _Table) -> Roles:
    """Give the roles that were declared, and those of known names."""
    declared = table.declared
    taken = {*table.systems, *(name for names in declared.columns.values() for name in names)}

    def known(role: str) -> tuple[str, ...]:
        free = [c for c in table.columns if c.name not in taken and role_of(c.name) == role]
        free = [c for c in free if c.kind != "empty"]
        free = [c for c in free if c.kind != "nested"] or (free if role == "item" else [])
        names = [c.name for c in free if plain(c.name) == role] or [c.name for c in free]
        if len(names) > 1:
            remedies = [Remedy("", "columns", {role: name}) for name in names[:2]]
            why = f"has several columns that could be the {role}: {first_few(names)}"
            raise table.unclear(why, Roles(), role, *remedies)
        return tuple(names)

    single = declared.layout in ("wide", "single") or bool(table.systems)
    return Roles(
        item=declared["item"] or known("item"),
        system=declared.first("system") or (None if single else next(iter(known("system")), None)),
        metric=None if single else next(iter(known("metric")), None),
        response=declared.first("response"),
        cluster=declared["cluster"] or tuple(x for x in table.names if plain(x) == "cluster"),
        task=declared.first("task"),
    )


def _with_item(known: Roles, table: _Table) -> Roles:
    """Rules 3 and 4: where no name tells the item, an id, or text that is different in every row.

    In a long table, it comes once with every system, or once with every system and rater.
    """
    if known.item:
        return known
    declared = {*table.declared["score"], *table.declared.systems}
    free = [c for c in table.free(known) if c.name not in declared]
    free = [c for c in free if role_of(c.name) in (None, "text", "cluster")]
    if known.system is None and known.metric is None:
        ids = sorted((c for c in free if c.is_id), key=lambda c: is_index(c.name))
        texts = [c for c in free if c.kind == "text" and c.distinct == c.rows]
        return replace(known, item=tuple(c.name for c in (ids or texts)[:1]))
    if not table.repeats(*known.keys):  # one row per system: its columns may be items
        return known
    names = [c.name for c in free if c.kind in ("text", "whole") and 1 < c.distinct < c.rows]
    repeats = [c.name for c in table.free(known) if role_of(c.name) == "response"]
    for keys in (known.keys, (*known.keys, *repeats)):
        for name in names:
            if not table.repeats(name, *keys):
                return replace(known, item=(name,))
    for pair in combinations(names, 2) if repeats else ():
        if not table.repeats(*pair, *known.keys, *repeats):
            why = f"has several rows per item ({first_few(repeats)}), and no column names the item"
            remedy = Remedy("they name it together", "columns", {"item": "+".join(pair)})
            raise table.unclear(why, known, "score", remedy)
    return known


def _with_scores(known: Roles, table: _Table) -> Roles:
    """Find the scores, and so the layout: declared, or by rules 4 and 5."""
    declared, long = table.declared, known.system is not None
    wide = not long and (bool(table.systems) or declared.layout == "wide")
    known = replace(known, layout="wide" if wide else "long" if long else "single")
    if chosen := (table.systems if wide else ()) or declared["score"] or _of_metrics(table):
        return replace(known, scores=chosen)
    if long and not (known.item or table.repeats(str(known.system))):
        raise FormatError(
            f"{table.where} has one row per system and no items, so that nothing can be tested",
            table.turned(),
        )
    left = [c for c in table.free(known) if c.is_number and not c.is_id]
    left = [c for c in left if role_of(c.name) not in ("label", "response", "target")]
    if not left:
        remedies = [Remedy("name it", "columns", {"score": COLUMN})]
        if not any(c.is_number for c in table.columns):
            target = next((x for x in table.names if role_of(x) == "target"), COLUMN)
            remedies = [
                Remedy("a column has the right answers", "columns", {"ref": target}),
                Remedy("these are outputs, the right ones are in a file", "ref", Choice("FILE")),
            ]
        raise table.unclear("has no column of numbers that could be a score", known, "", *remedies)
    if wide:
        return replace(known, scores=tuple(c.name for c in left))
    if long or declared.many or declared.layout == "single":
        return replace(known, scores=_score(left, known, table))
    return _without_system(known, left, table)


def _of_metrics(table: _Table) -> tuple[str, ...]:
    """Columns that the metrics read that were asked for, if the table has all of one's."""
    names, metrics = {*table.names}, table.declared.metrics
    if not any(needed and {*needed} <= names for needed in metrics):
        return ()
    return tuple(dict.fromkeys(name for needed in metrics for name in needed if name in names))


def _score(left: Sequence[Column], known: Roles, table: _Table) -> tuple[str, ...]:
    """Rule 4: the column called score, columns of metrics, or the only number left."""
    scores = [c.name for c in left if plain(c.name) == "score"]
    scores = scores or [c.name for c in left if is_measure(c.name)]
    if scores or len(left) == 1:
        return tuple(scores or [left[0].name])
    likely = max(left, key=lambda column: column.distinct).name
    remedy = Remedy("choose the score", "columns", {"score": likely})
    raise table.unclear(f"has {len(left)} columns that could be the score", known, "score", remedy)


def _without_system(known: Roles, left: Sequence[Column], table: _Table) -> Roles:
    """Rule 5: one system's metrics, counts of systems, or a column per system."""
    names = tuple(c.name for c in left)
    others = [c for c in left if not is_measure(c.name)]
    if not others:
        return replace(known, scores=names)
    if counts := _counts_of_systems(names):
        columns = tuple(name for of_system in counts.values() for name in of_system.values())
        return replace(known, layout="counts", counts=counts, scores=columns)
    if len(others) == len(left) and of_one_class(left):
        if len(left) <= max(left[0].rows, FEW) or any(role_of(x) == "item" for x in known.item):
            return replace(known, layout="wide", scores=names)
        items = Remedy("its rows are items", "input_format", "wide")
        raise table.unclear(
            f"has {left[0].rows:,} rows and {len(left):,} columns of scores, and no name tells "
            "whether its rows are items or systems",
            known,
            "system",
            *[table.turned(), items][: 1 if table.declared.header is False else 2],
        )
    kinds = [c.kind for c in others if not c.constant]
    systems = [c.name for c in others if c.kind == max(kinds, key=kinds.count, default="")]
    rest = [name for name in names if name not in systems]
    remedies = [Remedy("it is the score", "columns", {"score": names[0]})]
    if len(systems) > 1:
        label = Remedy("they describe the items", "columns", {"label": "+".join(rest)})
        remedies = [Remedy("these are the systems", "systems", systems), label][: 1 + bool(rest)]
    why = f"has numbers of several kinds: {first_few(names)}"
    raise table.unclear(why, known, "system", *remedies)


def _counts_of_systems(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Rule 5: ``a_tp, a_fp, b_tp, b_fp`` are counts of the systems ``a`` and ``b``.

    >>> _counts_of_systems(["a_tp", "a_fp", "b_tp", "b_fp"])["b"]
    {'tp': 'b_tp', 'fp': 'b_fp'}
    """
    systems = [*dict.fromkeys(name.rpartition("_")[0] for name in names)]
    counts = [*dict.fromkeys(name.rpartition("_")[2] for name in names)]
    if not (all(systems) and all(map(is_measure, counts)) and len(systems) > 1):
        return {}
    if len(names) < len(systems) * len(counts):
        return {}
    return {system: {count: f"{system}_{count}" for count in counts} for system in systems}


def _with_response(known: Roles, table: _Table) -> Roles:
    """Give a response of known name its role, if rows would repeat without it."""
    if known.response or not known.item:
        return known
    free = [c for c in table.free(known) if c.name not in known.scores]
    names = [c.name for c in free if role_of(c.name) == "response" and 2 * c.distinct <= c.rows]
    if not names or not table.repeats(*known.keys):
        return known
    numbering = (name for name in names if not table.repeats(*known.keys, name))
    return replace(known, response=next(numbering, names[0]))


def _with_labels(known: Roles, table: _Table) -> Roles:
    """Other text describes the items, and so do numbers that are known or declared to."""
    free = [c for c in table.columns if c.name not in (*known.keys, *known.scores)]
    known_text = ("label", "cluster", "text", "target")
    labels = {*table.declared["label"], *known.cluster, known.task} | {
        c.name
        for c in free
        if (c.kind == "text" or (role_of(c.name) in known_text and c.is_number)) and not c.is_id
    }
    return replace(
        known,
        labels=tuple(name for name in table.names if name in labels),
        unused=tuple(c.name for c in free if c.name not in labels),
    )
