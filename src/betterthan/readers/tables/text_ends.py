"""Text files that are scanned: their ends, looked at before an engine takes all of them."""

import csv
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from betterthan.errors import FormatError, first_few, how_many
from betterthan.readers.files import BOM
from betterthan.readers.remedies import READ_ITEMS
from betterthan.readers.tables.detect import (
    has_header,
    numbered_rows,
    refuse_blank,
    refuse_comments,
    refuse_declared,
    streamed_rows,
)
from betterthan.readers.tables.swallowed import has_quotes, refuse_swallowed

HEAD = 1 << 20
FIRST_ROWS = 100  # that show what all are like
LOOK = 49  # rows that show where a table has numbers
LONGEST = 1 << 26  # bytes of a line; engines keep lines whole, and one without end fills memory


def check_lines(path: Path) -> bytes:
    """Return the beginning of a text file, first line and all; what has no lines is refused."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        if b"\n" not in head and len(head) == HEAD and b"\0" not in head:
            head += file.read(LONGEST - HEAD)
    if b"\0" in head:
        raise FormatError(f"{path} holds NUL bytes, which no text does: save it as text in UTF-8")
    if b"\r" in head and b"\n" not in head:
        raise FormatError(
            f"{path}: its lines end in carriage returns, and only line feeds are scanned",
            READ_ITEMS,
        )
    if b"\n" not in head and len(head) == LONGEST:
        raise FormatError(
            f"{path} has no line end in its first {LONGEST >> 20} MiB: write a line per row"
        )
    return head


def check_names(path: Path, separator: str) -> bool | None:
    """Refuse a delimited file whose first line does not name every column, each once.

    Return whether its quotation marks quote cells, and None if it has none: either will do then.
    """
    text = check_lines(path).removeprefix(BOM).decode(errors="replace")
    refuse_blank(text, str(path))
    refuse_declared(text, str(path))
    refuse_comments(text, str(path))
    quotes = _quotes(path, separator)
    try:
        (_, found), *top = islice(numbered_rows(text, separator, quotes=bool(quotes)), FIRST_ROWS)
    except csv.Error:
        return quotes  # the engine will say so
    names = [name.strip() for name in found]
    if names and not has_header(names, str(path)):
        raise FormatError(
            f"{path}: line 1 holds numbers and no names: put a line of names above it to scan it"
        )
    refuse_twice(names, str(path))
    for k, name in enumerate(names[1:-1], start=2):
        if not name:
            raise FormatError(f"{path}: line 1 gives column {k} no name: name it")
    _check_end(path, separator, len(names), quotes=bool(quotes))
    first = [row for _, row in top]
    refuse_row_names(len(names), first, str(path))
    if quotes:
        with path.open("rb") as file:
            refuse_swallowed(file, separator, len(names), first[:LOOK], str(path))
    return quotes


def _quotes(path: Path, separator: str) -> bool | None:
    """Whether the marks of a file quote cells; None if there is none. It takes a look at all."""
    with path.open("rb") as file:
        if not any(b'"' in block for block in iter(partial(file.read, HEAD), b"")):
            return None
        file.seek(0)
        return has_quotes(file, separator)


def _check_end(path: Path, separator: str, width: int, *, quotes: bool) -> None:
    """Refuse a file that is cut off within a line, which engines fill up with nothing."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - HEAD, 0))
        _, ended, last = file.read().rpartition(b"\n")
    fields = last.count(separator.encode()) + 1
    whole = not quotes or b'"' not in last
    if ended and last.strip() and whole and fields < width:
        raise FormatError(
            f"{path}: the last line has {fields} fields where line 1 has {width}: the file is cut "
            "off; write it again, or correct that line"
        )


def refuse_short_lines(path: Path, separator: str) -> None:
    """Refuse lines with too few fields, for an engine fills them up; it takes a look at each."""
    quotes = bool(_quotes(path, separator))
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = streamed_rows(file, separator, quotes=quotes)
        _, names = next(rows)
        for line, fields in rows:
            if not fields:
                raise FormatError(f"{path}: line {line:,} is blank: delete it")
            if len(fields) < len(names):
                raise FormatError(uneven(str(path), line, len(fields), len(names)))


def uneven(where: str, line: int, fields: int, width: int) -> str:
    """Say that a line has another number of fields than the first."""
    return (
        f"{where}: line {line:,} has {how_many(fields, 'field')} where line 1 has {width}: "
        "correct that line, or the quotation marks before it"
    )


def refuse_row_names(width: int, rows: Sequence[Sequence[str]], where: str) -> None:
    """Refuse lines that all have one field more than the first: names of rows, as R writes them."""
    held = [row for row in rows[:FIRST_ROWS] if row]
    if len(held) < 2 or any(len(row) != width + 1 for row in held):
        return
    if any(row[-1].strip() for row in held):  # else all lines end in a separator
        raise FormatError(
            f"{where}: line 1 has {how_many(width, 'name')} and the lines after it have "
            f"{width + 1} fields, as R writes the names of rows: put a name in front of line 1, "
            "such as item, or write the file with write.table(..., col.names = NA)"
        )


def refuse_twice(names: Sequence[str], where: str) -> None:
    """Refuse names of columns that are not told apart; blank ones are another matter."""
    twice = [name for name, times in Counter(names).items() if times > 1 and name]
    if twice:
        raise FormatError(f"{where}: line 1 names {first_few(twice)} more than once: rename them")
