"""Rows of an id and a label, as Kaggle and GLUE take them.

Read as labels, whole lines would be compared, and rows in another order would all be wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from betterthan.errors import FormatError, quote
from betterthan.tasks.line_headers import LABELS, names_ids, unquoted
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
    header: Sequence[str]
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

    @property
    def field(self) -> str:
        """Which field holds the label, as ``cut`` counts them."""
        names = [unquoted(name).lower() for name in self.header]
        known = next((k for k, name in enumerate(names, start=1) if k > 1 and name in LABELS), 2)
        alike = len({label.count(self.mark) for label in self.labels}) == 1
        return f"{known}" if alike else "2-"


def check_no_rows(files: Sequence[Source]) -> None:
    """Refuse files, the gold first, whose lines are rows of an id and a label.

    Several labels on a line are none: there, first fields repeat, or differ among the files.
    """
    for mark in MARKS:
        found = [_rows(file, mark) for file in files]
        rows = [row for row in found if row is not None]
        certain = next((row for row in rows if row.certain), None)
        if certain is None and len(rows) == len(files) and rows[0].likely:
            same = all(set(row.ids) == set(rows[0].ids) for row in rows)
            certain = rows[0] if same else None
        if certain is not None:
            raise _refusal(certain, rows, of=len(files))


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
    return Rows(source, mark, source.lines[0].split(mark) if header else (), ids, labels, named)


def _refusal(row: Rows, rows: Sequence[Rows], *, of: int) -> FormatError:
    """Say which line it is, and how to get at the labels: sorted, where files differ in order."""
    at = 2 if row.header else 1
    line = quote(row.source.lines[at - 1], 40)
    everywhere = len(rows) == of
    order = everywhere and any(list(other.ids) != list(row.ids) for other in rows)
    return FormatError(
        f"{row.source.at(at)} ({line}) is a row of an id and a label, as all lines are, and would "
        f"be compared as one label; {_lacking(rows)}write the labels alone, in the same order in "
        f"all files, as with {_command(row, order=order)} for each, or say unchecked=True if the "
        "lines are labels"
    )


def _lacking(rows: Sequence[Rows]) -> str:
    """Say which id a file lacks: then no order will do."""
    first, *others = rows
    for other in others:
        lost = set(first.ids) - set(other.ids)
        if lost:
            name = next(name for name in first.ids if name in lost)
            return (
                f"{other.source.name} lacks the id {quote(name, 40)} of {first.source.name}: give "
                "all files the same ids, and then "
            )
    return ""


def _command(row: Rows, *, order: bool) -> str:
    """Write the commands that leave the labels alone, for a shell."""
    mark = {"\t": "", ",": ","}.get(row.mark, f"'{row.mark}'")
    steps = ["tail -n +2"] if row.header else []
    if order:
        steps.append(f"sort -t{mark} -k1,1" if mark else "sort -k1,1")
    steps.append(f"cut -d{mark} -f{row.field}" if mark else f"cut -f{row.field}")
    steps[0] += " FILE"
    return f"{' | '.join(steps)} > FILE.labels"
