"""Delimited text: its separator, its line of names, rows of equal width."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from betterthan.errors import Choice, FormatError, Remedy, Where, first_few, how_many, quote
from betterthan.tables.cells import Place, has_decimal_commas, only, with_decimal_points
from betterthan.tables.names import role_of

SIGNS = ",;|\t"
LOOKED_AT = 20
"""Lines by which the separator is known."""
COUNTS = {2: ("correct",), 4: ("tp", "incorrect")}
"""What a line of the released code of Zmigrod et al. (2022) holds of each of two systems."""
HEADER = Remedy("line 1 is data", "input_format", "csv(header=no)")
TEXTS = Remedy("if they are outputs, score them", "ref", Choice("FILE"))
NAMES = Remedy("line 1 has the names", "input_format", "csv(header=yes)")
TURNED = Remedy("and its rows are systems", "input_format", "csv(header=no, transposed=yes)")
DECIMAL = Remedy("they are decimal commas", "input_format", "csv(decimal=comma)")
csv.field_size_limit(2**31 - 1)


def as_utf8(data: bytes, where: str) -> bytes:
    """Return text as UTF-8 without a mark in front; say which line is in something else."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        data = data if data.isascii() else data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{where}: line {line:,} holds bytes that are not UTF-8: save the file as UTF-8",
            where=Where(Path(where), line),
        ) from error
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def read_delimited(
    data: bytes,
    where: str,
    *,
    header: bool | None = None,
    decimal_comma: bool = False,
) -> tuple[pl.DataFrame, Place]:
    """Read delimited text, every column as text.

    ``header`` says whether the first line has the names; by default it does unless all its fields
    are numbers. Columns without names are called ``column_1``, ``column_2`` ...
    """
    separator, names, named = header_of(data, where, header)
    if separator == " ":
        data, separator = re.sub(rb"[ \t]+", b"\t", data), "\t"
    frame = _read(data, separator, names, where, named=named)
    place = Place(where, partial(_line, data, separator, where, int(named)))
    if frame.width > 1 and (frame.to_series() == "").fill_null(value=True).any():
        blank = pl.all_horizontal(pl.all().is_null() | (pl.all() == ""))  # as spreadsheets end
        frame, place = only(frame, frame.select(~blank).to_series(), place)
    if decimal_comma:
        frame = frame.with_columns(map(with_decimal_points, frame.get_columns()))
    elif commas := [c.name for c in frame.get_columns() if has_decimal_commas(c)]:
        raise FormatError(f"{where}: numbers in {first_few(commas)} have commas", DECIMAL)
    return (frame if named or header is not None else _without_names(frame, where)), place


def header_of(data: bytes, where: str, header: bool | None = None) -> tuple[str, list[str], bool]:
    """Return the separator, the names of the columns, and whether the first line has them."""
    separator = _separator(data, where)
    _, fields = next(numbered_rows(data, separator, where))
    first = " ".join(fields).split() if separator == " " else [x.strip() for x in fields]
    if not (_has_names(first, where) if header is None else header):
        return separator, [f"column_{k}" for k in range(1, len(first) + 1)], False
    if duplicates := [name for name, times in Counter(first).items() if times > 1]:
        raise FormatError(
            f"{where}: line 1 names {first_few(duplicates)} more than once: rename the columns"
        )
    return separator, first, True


def _separator(data: bytes, where: str) -> str:
    """Find what splits the first lines into as many fields each; blanks, where no sign does."""
    head = data[: 1 << 16].decode(errors="ignore").replace("\r", "")
    lines = [line for line in head.split("\n")[: LOOKED_AT + 1] if line.strip()][:LOOKED_AT]
    if not lines:
        raise FormatError(f"{where} is empty: there is nothing to read")
    widths = {s: [len(row) for row in csv.reader(lines, delimiter=s)] for s in SIGNS}
    if not any(s in line for s in SIGNS[:-1] for line in lines):
        widths[" "] = [len(line.split()) for line in lines]
    even = [s for s, of_lines in widths.items() if of_lines[0] > 1 and len({*of_lines}) == 1]
    return max(even or SIGNS, key=lambda s: (s != " ", widths[s][0]))


def _has_names(first: Sequence[str], where: str) -> bool:
    """Whether the first line has names: no number is one, unless all of them are data."""
    numeric = pl.Series(first).cast(pl.Float64, strict=False).is_not_null()
    if numeric.any() and not numeric.all() and not any(map(role_of, first)):
        shown = quote(", ".join(first))
        raise FormatError(f"{where}: line 1 ({shown}) has numbers for names", HEADER, NAMES)
    return not numeric.all()


def numbered_rows(data: bytes, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of the line that they begin on; blank lines are left out."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")  # decoded as far as it is read
    reader = csv.reader(text, delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise _unclosed(line, where) from error


def _unclosed(line: int, where: str) -> FormatError:
    return FormatError(
        f"{where}: the quotation mark of the cell that begins in line {line:,} is not closed, or "
        'goes on behind its end: double a mark in a cell, as in "" '
    )


def _read(
    data: bytes, separator: str, names: Sequence[str], where: str, *, named: bool
) -> pl.DataFrame:
    """Read all rows at once; what polars does not take is read, or reported, line by line."""
    try:
        frame = pl.read_csv(
            io.BytesIO(data),
            separator=separator,
            has_header=named,
            infer_schema=False,
            new_columns=list(names),
        )
    except pl.exceptions.PolarsError:
        frame = pl.DataFrame()
    if frame.width == len(names) and (frame.width == 1 or not frame[names[-1]].null_count()):
        lines = pl.all().str.contains("\n", literal=True).any()  # which may be rows
        if b'"' not in data or not frame.select(pl.any_horizontal(lines)).item():
            return frame
    rows = list(_checked(data, separator, len(names), where))
    return pl.DataFrame(rows[int(named) :], schema=dict.fromkeys(names, pl.String()), orient="row")


def _checked(data: bytes, separator: str, width: int, where: str) -> Iterator[list[str]]:
    """Rows of one width, none of which has another within a quoted cell."""
    for line, row in numbered_rows(data, separator, where):
        if len(row) != width:
            raise FormatError(
                f"{where}: line {line:,} has {how_many(len(row), 'field')}, line 1 has {width}: "
                "correct it, or quote a field that holds the separator",
                *([TEXTS] if width == 1 else []),
            )
        inside = (part for cell in row if "\n" in cell for part in cell.split("\n")[1:-1])
        if any(part.count(separator) == width - 1 for part in inside):
            raise _unclosed(line, where)
        yield row


def _without_names(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Name the columns of a file of numbers alone: scores, or counts of two systems."""
    if frame.width == 1:
        return frame.rename({frame.columns[0]: "score"})
    whole = pl.all_horizontal(pl.all().str.contains(r"^\s*\d+\s*$").all())
    if frame.width not in COUNTS or not frame.select(whole).item():
        raise FormatError(
            f"{where}: line 1 holds {frame.width} numbers and no names: put names above them",
            *([TURNED] if frame.width > len(frame) else [HEADER]),
        )
    columns = COUNTS[frame.width]
    names = [f"{system}_{column}" for system in ("first", "second") for column in columns]
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _line(data: bytes, separator: str, where: str, header: int, row: int) -> str:
    """Name the line that a row begins on."""
    rows = islice(numbered_rows(data, separator, where), row + header, None)
    return next((f"line {line:,}" for line, _ in rows), f"row {row + 1:,}")
