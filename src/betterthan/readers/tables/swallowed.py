"""Rows that a quotation mark swallows: a mark that is text, taken for the beginning of a cell.

``3,",1,0`` in a table of words begins a quoted cell, which ends at the next mark, rows further on:
a reader makes one row of these, and nothing in the result shows it. But answers have line ends as
well. Only cells are refused whose lines are rows of the table by themselves: as many fields, and
numbers where the table has numbers, no blank before them. An answer is hardly ever so, for its
first line would have to go on with the scores of the row.

A mark begins a cell only where the cell begins. Text written without quoting (``a 5" pipe``) is
told from quoted cells before it is read: by `has_quotes`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from betterthan.data.frames.cells import MISSING, TRUTH
from betterthan.errors import FormatError, how_many
from betterthan.numeric import Bools, Ints
from betterthan.readers.files import BOM

Bytes = npt.NDArray[np.uint8]

BLOCK, SMALL = 1 << 24, 1 << 18
MARK, END, RETURN, BLANK = ord('"'), ord("\n"), ord("\r"), ord(" ")
MOST_BLANKS = 64  # before a mark; after more of them it may as well begin a cell


@dataclass(frozen=True, slots=True)
class _Table:
    """What rows look like; ``padded`` if there are blanks beside its numbers."""

    separator: str
    width: int
    numbers: tuple[int, ...]
    padded: bool

    def is_row(self, fields: Sequence[str], cell: int) -> bool:
        """Whether these could be the fields of a row, whatever is in the column of the cell."""
        if len(fields) != self.width:
            return False
        words = [fields[k].removesuffix("\r") for k in self.numbers if k != cell]
        if not words:
            return self.width > 2  # two columns without a number are two halves of a sentence
        if not self.padded and any(word != word.strip() for word in words):
            return False  # a list in prose: July 4, 1776
        return all(map(_is_number, words)) and any(map(str.strip, words))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A quoted cell that may have swallowed rows: its line, and how many lines it has.

    It is right if all rows have as many ``marks`` as they need where such cells are always quoted;
    never if it has more.
    """

    line: int
    lines: int
    marks: int


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole records of a file: where its lines end, and the first and last line of each record."""

    text: bytes
    line: int  # number of its first
    marks: Ints
    ends: Ints
    first: Ints
    last: Ints


NEVER = 1 << 62
NUMERIC = np.isin(np.arange(256), [*b"0123456789.,+-%"])  # bytes at the ends of numbers
DOUBLED = re.compile(rb'"[^"]*(?:""[^"]*)*"')


def refuse_swallowed(
    file: BinaryIO, separator: str, width: int, rows: Sequence[Sequence[str]], where: str
) -> None:
    """Refuse text with a quoted cell whose lines are rows by themselves.

    ``rows`` are the first of the table, without its names. Where all cells like this one are
    quoted, and marks inside of them doubled, it is what it seems to be.
    """
    if width < 2:
        return
    table = _table(separator, width, [row for row in rows if len(row) == width])
    fewest, worst = NEVER, _Cell(0, 0, 0)
    for block in _blocks(file):
        held = np.diff(np.searchsorted(block.marks, block.ends[block.last]), prepend=0)
        whole = block.ends[block.last] - _begins(block.ends)[block.first] > 1  # not blank
        whole[0] &= block.line > 1  # names are quoted, or not, by other rules than cells
        for k in _candidates(block, table):
            if cell := _judged(block, int(k), table):
                whole[k] = False
                worst = max(worst, cell, key=lambda one: one.marks)
        fewest = min(fewest, int(held[whole].min(initial=NEVER)))
        if worst.lines and fewest < worst.marks:
            break
    if worst.lines and (fewest < worst.marks or fewest == NEVER):
        raise FormatError(
            f"{where}: the quotation mark in line {worst.line:,} begins a cell of "
            f"{how_many(worst.lines, 'line')}, and these look like rows of the table that it "
            "swallows: if it is part of the text, double it and put the cell in quotation marks, "
            "or delete the column of text; if the cell is meant, put every text cell in quotation "
            "marks"
        )


def has_quotes(file: BinaryIO, separator: str) -> bool:
    """Whether marks quote cells in a file that has some; if not, they are part of its text.

    They are text where none begins a cell. They are, too, where cells begin like quoted ones and
    go on behind the closing mark (``"Hi" she said``), if all lines have as many fields as the
    first and nothing else speaks for quoting: no cell that goes on over a separator or a line end,
    none with doubled marks inside, no number, name or blank in marks.
    """
    begun = broken = False
    even, width = True, 0
    for text in _whole_lines(file):
        at = np.frombuffer(text, np.uint8)
        marks = np.flatnonzero(at == MARK)
        opening = np.flatnonzero(_begin_cells(at, marks, ord(separator)))
        separators = at == ord(separator)
        if not width:
            line = text.partition(b"\n")[0]
            width = line.count(separator.encode()) + 1
            if len(opening) and marks[opening[0]] < len(line):
                return True  # names are quoted
        if len(opening):
            begun = True
            ends = np.append(np.flatnonzero(separators | (at == END)), len(text))
            found = _broken_quotes(text, at, marks, opening, ends)
            if found is None:
                return True
            broken = broken or found
        if even:
            even = _is_even(text, at, np.flatnonzero(separators), width)
        if begun and not even:
            return True
    return begun and not (broken and even)


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Parts of a file that end where a line does, without a byte-order mark."""
    rest, first = b"", True
    size = min(BLOCK, SMALL)  # at first: most files with quoted cells have some there
    while more := file.read(max(size, len(rest))):
        size = BLOCK
        text, ended, rest = (rest + more).rpartition(b"\n")
        if ended:
            yield (text + ended).removeprefix(BOM if first else b"")
            first = False
    if rest:
        yield rest.removeprefix(BOM if first else b"")


def _begin_cells(at: Bytes, marks: Ints, separator: int) -> Bools:
    """Tell which marks are the first of a cell, but for blanks."""
    before = marks - 1
    for _ in range(MOST_BLANKS):
        blank = (before >= 0) & (at[before] == BLANK)
        if not blank.any():
            break
        before = before - blank
    last = at[before]
    odd: Bools = (last == separator) | (last == END) | (last == RETURN) | (last == BLANK)
    return odd | (before < 0)


def _broken_quotes(text: bytes, at: Bytes, marks: Ints, opening: Ints, ends: Ints) -> bool | None:
    """Whether a cell that begins with a mark goes on behind its closing one; None if quoted.

    ``opening`` are the marks that begin cells, and ``ends`` where any cell ends. Marks are doubled
    inside of quoted cells, so that an odd number means that the cell goes on over its end.
    """
    begins = marks[opening]
    stops = ends[np.searchsorted(ends, begins)]
    closing = np.searchsorted(marks, stops) - 1
    held = closing - opening + 1
    if (held % 2).any():
        return None
    behind = marks[closing] + 1
    returned = (stops - behind == 1) & (at[np.minimum(behind, len(at) - 1)] == RETURN)
    wrapped = (behind == stops) | returned
    plain = wrapped & (held == 2)
    first, last = at[begins[plain] + 1], at[behind[plain] - 2]
    if (NUMERIC[first] & NUMERIC[last]).any() or (first == MARK).any():
        return None
    more = np.flatnonzero(held > 2)
    doubled = at[marks[opening[more] + 1] + 1] == MARK
    for k in more[doubled]:
        if DOUBLED.fullmatch(text, int(begins[k]), int(behind[k])) and _is_blank(
            text[int(behind[k]) : int(stops[k])]
        ):
            return None
    for k in np.flatnonzero(~wrapped & (held == 2)):
        if not _is_blank(text[int(behind[k]) : int(stops[k])]):
            return True
    return bool(len(more))


def _is_blank(text: bytes) -> bool:
    return not text.strip()


def _is_even(text: bytes, at: Bytes, separators: Ints, width: int) -> bool:
    """Whether all lines but blank ones have so many fields, whatever their marks."""
    ends = np.flatnonzero(at == END)
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    held = np.diff(np.searchsorted(separators, ends), prepend=0)
    lengths = ends - _begins(ends)
    returned = (lengths == 1) & (at[ends - 1] == RETURN)
    return bool(((held == width - 1) | (lengths == 0) | returned).all())


def _table(separator: str, width: int, rows: Sequence[Sequence[str]]) -> _Table:
    columns = list(zip(*rows, strict=True))
    numbers = [k for k, words in enumerate(columns) if all(map(_is_number, words)) and any(words)]
    padded = any(word != word.strip() for k in numbers for word in columns[k])
    return _Table(separator, width, tuple(numbers), padded)


def _is_number(word: str) -> bool:
    word = word.strip().strip('"').strip().lower()
    if word in MISSING or word in TRUTH:
        return True
    try:
        float(word.removesuffix("%").replace(",", "."))
    except ValueError:
        return False
    return True


def _blocks(file: BinaryIO) -> Iterator[_Block]:
    """Parts of a file that end where a record does, which is at line ends outside of quotes."""
    rest, line = b"", 1
    while True:
        more = file.read(max(BLOCK, len(rest)))  # twice as much for a cell without end: linear
        text = rest + more
        at = np.frombuffer(text, np.uint8)
        marks, ends = np.flatnonzero(at == MARK), np.flatnonzero(at == END)
        outer = np.searchsorted(marks, ends) % 2 == 0
        if not more and not len(marks) % 2 and text and not text.endswith(b"\n"):
            ends, outer = np.append(ends, len(text)), np.append(outer, True)
        records = np.flatnonzero(outer)  # what is never closed is none: a parser says so
        if len(records):
            last = records
            first = np.append(0, records[:-1] + 1)
            yield _Block(text, line, marks, ends[: last[-1] + 1], first, last)
            line += int(last[-1]) + 1
            text = text[ends[last[-1]] + 1 :]
        if not more:
            return
        rest = text


def _begins(ends: Ints) -> Ints:
    return np.append(0, ends[:-1] + 1)


def _candidates(block: _Block, table: _Table) -> Ints:
    """Records of several lines, the first two of which have as many fields as the table."""
    several = block.last > block.first
    if not several.any():
        return np.flatnonzero(several)
    at = np.frombuffer(block.text, np.uint8)
    separators = np.flatnonzero(at == ord(table.separator))
    held = np.diff(np.searchsorted(separators, block.ends), prepend=0)
    even: Bools = (held == table.width - 1) | (block.ends - _begins(block.ends) < 2)  # or blank
    following = np.minimum(block.first + 1, len(even) - 1)
    return np.flatnonzero(several & even[block.first] & even[following])


def _judged(block: _Block, k: int, table: _Table) -> _Cell | None:
    """Return the cell of several lines in a record, if these look like rows."""
    first, last = int(block.first[k]), int(block.last[k])
    begins = int(_begin(block.ends, first))
    lines = block.text[begins : int(block.ends[last])].decode(errors="replace").split("\n")
    fields = [line.split(table.separator) for line in lines if line.strip()]
    cell = next((j for j, word in enumerate(fields[0]) if word.count('"') % 2), -1)
    if cell < 0 or not all(table.is_row(line, cell) for line in fields[:2]):
        return None
    if 2 * sum(table.is_row(line, cell) for line in fields) < len(fields):
        return None
    marks = 2 * sum(word.startswith('"') for word in fields[0])
    wrapped = all(len(x) > cell and _is_wrapped(x[cell]) for x in fields)
    if wrapped or not _is_proper("\n".join(lines), table.separator):
        marks = NEVER  # quoted, but marks inside of cells are not doubled
    return _Cell(block.line + first, len(lines), marks)


def _begin(ends: Ints, line: int) -> int:
    return int(ends[line - 1]) + 1 if line else 0


def _is_wrapped(word: str) -> bool:
    word = word.removesuffix("\r")
    return len(word) > 1 and word.startswith('"') and word.endswith('"')


def _is_proper(record: str, separator: str) -> bool:
    """Whether marks are at both ends of cells, and doubled inside of them."""
    cell = rf'(?:"[^"]*(?:""[^"]*)*"|[^"{re.escape(separator)}]*)'
    return re.fullmatch(rf"{cell}(?:{re.escape(separator)}{cell})*\r?", record) is not None
