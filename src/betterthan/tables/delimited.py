"""Delimited text: its separator, its line of names, rows of equal width."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from betterthan.errors import FormatError, Remedy, first_few, how_many, quote
from betterthan.tables.cells import Place, has_decimal_commas, only, with_decimal_points
from betterthan.tables.names import role_of

SEPARATORS = ",\t;|"
LOOKED_AT = 20
COUNTS = {2: ("correct",), 4: ("tp", "incorrect")}
"""What a line of the released code of Zmigrod et al. (2022) holds of each of two systems."""
HEADER = Remedy("line 1 is data", "input_format", "csv(header=no)")
NAMES = Remedy("line 1 has the names", "input_format", "csv(header=yes)")
DECIMAL = Remedy("they are decimal commas", "input_format", "csv(decimal=comma)")
csv.field_size_limit(2**31 - 1)


def as_utf8(data: bytes, where: str) -> bytes:
    """Return text as UTF-8 without a mark in front; say which line is in something else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16").encode()
        except UnicodeError as error:
            raise FormatError(f"{where} begins as UTF-16 and is not: save it as UTF-8") from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        _ = data.isascii() or data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{where}: line {line:,} holds bytes that are not UTF-8: save the file as UTF-8"
        ) from error
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def read_delimited(
    data: bytes,
    where: str,
    *,
    tabs: bool = False,
    header: bool | None = None,
    decimal_comma: bool = False,
) -> tuple[pl.DataFrame, Place]:
    """Read delimited text, every column as text.

    ``header`` says whether the first line has the names; by default it does unless all its fields
    are numbers. Columns without names are called ``column_1``, ``column_2`` ...
    """
    above = len(data) - len(data := data.lstrip(b"\n"))  # blank lines
    separator = _separator(data, where, tabs=tabs)
    if separator == " ":
        data, separator = re.sub(rb"[ \t]+", b"\t", data), "\t"
    names = _first_row(data, separator, where)
    if named := _has_names(names, where) if header is None else header:
        _check_names(names, where)
    else:
        names = [f"column_{k}" for k in range(1, len(names) + 1)]
    frame = _read(data, separator, names, where, named=named)
    line = partial(
        _line, data=data, separator=separator, where=where, header=int(named), above=above
    )
    place = Place(where, line)
    first_column = frame.to_series()
    if frame.width > 1 and (first_column.null_count() or first_column.str.len_bytes().min() == 0):
        blank = pl.all_horizontal(pl.all().is_null() | (pl.all() == ""))  # as spreadsheets end
        frame, place = only(frame, frame.select(~blank).to_series(), place)
    if decimal_comma:
        frame = frame.with_columns(map(with_decimal_points, frame.get_columns()))
    elif commas := [c.name for c in frame.get_columns() if has_decimal_commas(c)]:
        raise FormatError(f"{where}: numbers in {first_few(commas)} have commas", DECIMAL)
    return (frame if named or header is not None else _without_names(frame, where)), place


def header_of(head: bytes, where: str, *, tabs: bool) -> tuple[str, list[str]]:
    """Return the separator and the names of a file that begins so, if it has a line of names."""
    head = as_utf8(head[: head.rfind(b"\n") + 1] or head, where)
    separator = _separator(head, where, tabs=tabs)
    names = _first_row(head, separator, where)
    if separator == " " or not _has_names(names, where):
        raise FormatError(f"{where} has no line of names, or blanks for separators")
    _check_names(names, where)
    return separator, names


def _separator(data: bytes, where: str, *, tabs: bool) -> str:
    """Find what splits the first lines into as many fields each; blanks, where no sign does."""
    head = data[: 1 << 16].decode(errors="ignore").replace("\r", "")
    lines = [line for line in head.split("\n")[: LOOKED_AT + 1] if line.strip()][:LOOKED_AT]
    if not lines:
        raise FormatError(f"{where} is empty: there is nothing to read")
    widths = {s: [len(row) for row in csv.reader(lines, delimiter=s)] for s in SEPARATORS}
    even = [s for s in SEPARATORS if widths[s][0] > 1 and len({*widths[s]}) == 1]
    words = {len(line.split()) for line in lines}
    if len(words) == 1 and words != {1} and not (even or any(s in x for s in ",;|" for x in lines)):
        return " "
    if tabs and widths["\t"][0] > 1:
        return "\t"
    return even[0] if even else max(SEPARATORS, key=lambda s: widths[s][0])


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
        raise FormatError(
            f"{where}: the quotation mark of the cell that begins in line {line:,} is not closed "
            f'or goes on behind its end ({error}): double a mark in a cell, as in "" '
        ) from error


def _first_row(data: bytes, separator: str, where: str) -> list[str]:
    """Return the fields of the first row."""
    return [field.strip() for field in next(numbered_rows(data, separator, where))[1]]


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
        frame = None
    if frame is not None and frame.width == len(names):
        short = frame.width > 1 and frame[frame.columns[-1]].null_count() > 0
        if not short and not (b'"' in data and _has_swallowed(frame, separator)):
            return frame
    rows = [row for _, row in _checked(data, separator, len(names), where)]
    cells = zip(*rows[int(named) :], strict=True) if len(rows) > int(named) else [()] * len(names)
    columns = zip(names, cells, strict=True)
    return pl.DataFrame([pl.Series(name, column, dtype=pl.String) for name, column in columns])


def _checked(
    data: bytes, separator: str, width: int, where: str
) -> Iterator[tuple[int, list[str]]]:
    """Rows of one width, none of which has another within a quoted cell."""
    for line, row in numbered_rows(data, separator, where):
        if len(row) != width:
            raise FormatError(
                f"{where}: line {line:,} has {how_many(len(row), 'field')}, line 1 has {width}: "
                "correct it, or quote a field that holds the separator"
            )
        for cell in row:
            if "\n" in cell and any(
                part.count(separator) == width - 1 for part in cell.split("\n")[1:-1]
            ):
                raise FormatError(
                    f"{where}: the quotation mark in line {line:,} takes whole rows into one cell: "
                    'close it, or double it, as in ""'
                )
        yield line, row


def _has_swallowed(frame: pl.DataFrame, separator: str) -> bool:
    """Whether a cell has lines that may be rows."""
    many = pl.all().str.contains("\n", literal=True) & pl.all().str.contains(
        separator, literal=True
    )
    return bool(frame.select(pl.any_horizontal(many.any())).item())


def _has_names(first: Sequence[str], where: str) -> bool:
    """Whether the first line has names: no number is one, unless all of them are data."""
    numeric = [_is_number(field) for field in first]
    if any(role_of(field) for field in first):
        return True
    if any(numeric) and not all(numeric):
        shown = ", ".join(first)
        raise FormatError(f"{where}: line 1 ({quote(shown)}) has numbers for names", HEADER, NAMES)
    return not any(numeric)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_names(names: Sequence[str], where: str) -> None:
    if duplicates := [name for name, times in Counter(names).items() if times > 1]:
        raise FormatError(
            f"{where}: line 1 names {first_few(duplicates)} more than once: rename the columns"
        )


def _without_names(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Name the columns of a file of numbers alone: scores, or counts of two systems."""
    if frame.width == 1:
        return frame.rename({frame.columns[0]: "score"})
    whole = pl.all_horizontal(pl.all().str.contains(r"^\s*\d+\s*$").all())
    if frame.width not in COUNTS or not frame.select(whole).item():
        raise FormatError(
            f"{where}: line 1 holds {frame.width} numbers and no names: put names above them",
            HEADER,
        )
    columns = COUNTS[frame.width]
    names = [f"{system}_{column}" for system in ("first", "second") for column in columns]
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _line(row: int, *, data: bytes, separator: str, where: str, header: int, above: int) -> str:
    """Name the line that a row begins on; ``above`` blank lines come before the first."""
    for k, (line, _) in enumerate(numbered_rows(data, separator, where)):
        if k == row + header:
            return f"line {line + above:,}"
    return f"row {row + 1:,}"
