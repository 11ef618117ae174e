"""Rows of an id and a label, as Kaggle and GLUE take them.

Read as labels, whole lines are compared, and rows in another order are all wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from betterthan.errors import Note, quote
from betterthan.tasks.line_headers import names_ids, unquoted
from betterthan.tasks.line_ids import counts, with_digits
from betterthan.tasks.sources import Source

MARKS = "\t|;,"
FEWEST = 2  # rows below a header that names ids
FEW = 4  # rows without one, whose first fields count
SOME = 5  # rows whose first fields do not count, but are the same in all files
MANY = 10  # rows of nothing but numbers: few lines of "1,5" may be numbers with a decimal comma


@dataclass(frozen=True)
class Rows:
    """Lines of a file, parted at their first mark; the ``named`` have a header of ids."""

    source: Source
    mark: str
    header: bool
    ids: Sequence[str]
    labels: Sequence[str]
    named: bool

    @cached_property
    def certain(self) -> bool:
        """Whether this file alone tells: a header names ids, or the first fields count."""
        n = len(self.ids)
        if self.named:
            return n >= FEWEST and 2 * sum(map(with_digits, self.ids)) > n
        numbers = any(label[:1].isdigit() for label in self.labels)
        return n >= (MANY if numbers else FEW) and counts(self.ids)

    @property
    def likely(self) -> bool:
        """Whether these are ids if all files have the same: no label is one, and labels repeat."""
        if len(self.ids) < SOME or not set(self.ids).isdisjoint(self.labels):
            return False
        repeat = 2 * len(set(self.labels)) <= len(self.labels)
        if self.named:
            return repeat
        decimal = self.mark == "," and all(label.isdigit() for label in self.labels)
        return (repeat or self.mark == "\t") and not decimal and all(map(with_digits, self.ids))


def rows_note(files: Sequence[Source]) -> tuple[Note, ...]:
    """Say so if the lines of files, the gold first, are rows of an id and a label.

    Several labels on a line are not: their first fields repeat, or differ among the files.
    """
    for mark in MARKS:
        found = [_rows(file, mark) for file in files]
        rows = [row for row in found if row is not None]
        certain = next((row for row in rows if row.certain), None)
        if certain is None and len(rows) == len(files) and rows[0].likely:
            same = all(set(row.ids) == set(rows[0].ids) for row in rows)
            certain = rows[0] if same else None
        if certain is not None:
            return (_note(certain),)
    return ()


def _rows(source: Source, mark: str) -> Rows | None:
    """Rows of a file, if each has the mark, as many as the others, and a first field of its own."""
    if not all(mark in line for line in source.lines):
        return None
    fields = [line.split(mark, 1) for line in source.lines]
    firsts = [unquoted(field) for field, _ in fields]
    named = names_ids(firsts[0])
    header = named or (not with_digits(firsts[0]) and all(map(with_digits, firsts[1:])))
    ids = firsts[header:]
    labels = [unquoted(rest) for _, rest in fields[header:]]
    alike = len({line.count(mark) for line in source.lines[header:]}) == 1
    single = all(len(name.split()) == 1 for name in ids)
    if not single or len(set(ids)) < len(ids) or not (alike or named):
        return None
    return Rows(source, mark, header, ids, labels, named)


def _note(rows: Rows) -> Note:
    at = 2 if rows.header else 1
    return Note(
        f"{rows.source.at(at)} ({quote(rows.source.lines[at - 1], 40)}) is a row of an id and a "
        "label, as all lines are, and is compared as one label; if the lines are not labels, write "
        "only the labels, in the same order in all files",
        beside_verdict=True,
    )
