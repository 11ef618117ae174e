"""Delimited text: bytes to a frame of text columns, with precise complaints.

Ids stay as they were written (``007``): only columns that may be scores are read as numbers. Where
that fails, every column is read as text, so that a stray word among numbers can be named.
"""

import codecs
import csv
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING

from betterthan.data.frames.cells import EXACT
from betterthan.errors import FormatError
from betterthan.readers.files import BOM
from betterthan.readers.tables.decimal_commas import refuse_thousands, with_points
from betterthan.readers.tables.detect import (
    SPACES,
    has_header,
    numbered_rows,
    of_numbers,
    refuse_blank,
    refuse_comments,
    refuse_declared,
    rows,
    separator,
)
from betterthan.readers.tables.swallowed import has_quotes, refuse_swallowed
from betterthan.readers.tables.text_ends import FIRST_ROWS, refuse_row_names, refuse_twice, uneven
from betterthan.readers.tables.unnamed import no_names

if TYPE_CHECKING:
    import polars as pl

HEAD = 1 << 16
WIDEST = 1 << 14  # columns of a spreadsheet
LOOK = 50  # lines that show whether a column holds numbers


def read_delimited(
    data: bytes,
    promised: str,
    where: str,
    scores: Callable[[Sequence[str]], Collection[str]],
    *,
    no_header: bool = False,
) -> "tuple[pl.DataFrame, bool, tuple[str, ...]]":
    """Return the table, whether its columns have names, and those written with decimal commas.

    ``scores`` tells, from the names of all columns, those that are not wanted as they are written.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    data = _lines(data)
    head = _head(data)
    if head[:1] in " \r\n":
        refuse_blank(head, where)
    if "sep=" in head[:5].lower():
        refuse_declared(head, where)
    refuse_comments(head, where)
    sep = separator(head, promised, where)
    if sep == SPACES:
        data = re.sub(rb"[ \t]+", b"\t", data)
        sep, head = "\t", _head(data)
    sep = sep or "\x1f"  # one field per line: a separator that no text holds
    quotes = _quotes(data, sep)
    try:
        top = rows(head, sep, LOOK, quotes=quotes)
    except csv.Error as error:
        raise _unreadable(where, error) from error
    names = [name.strip() for name in top[0]]
    _refuse_endless(names, where)
    named = not no_header and has_header(names, where)
    if not named and not no_header and len(names) > WIDEST:
        raise no_names(where, len(names))
    numeric = _numeric(names, top[1:], scores(names)) if named else None

    def refuse_lost() -> None:
        if quotes:
            refuse_swallowed(BytesIO(data), sep, len(names), top[named:], where)

    try:
        frame = _parsed(data, sep, named, numeric, quotes=quotes)
    except pl.exceptions.PolarsError as error:
        _blank_rows(
            data, sep, len(names), where, named=named, quotes=quotes
        )  # says so if a line is too long
        refuse_lost()
        raise _unreadable(where, error) from error
    if frame.width != len(names):
        raise _unreadable(where, f"line 1 may end after field {len(names)} or {frame.width}")
    refuse_lost()
    filled = frame.width > 1 and frame.to_series(-1).null_count()
    if filled and not _even(data, sep, frame.shape, quotes=quotes):
        # Polars fills short and blank lines up with nulls: only now can there be any.
        held = _blank_rows(data, sep, len(names), where, named=named, quotes=quotes)
        blank = [k - named for k in held]
        frame = frame.filter(~pl.int_range(pl.len()).is_in(blank)) if blank else frame
    if not named:
        return frame, named, ()
    frame = _renamed(frame, names, where)
    if sep == ",":
        return frame, named, ()

    def written() -> "pl.DataFrame":
        return _renamed(_parsed(data, sep, named, None, quotes=quotes), names, where)

    asked = scores(names)
    refuse_thousands(frame, asked, written, where)
    if b"," not in data:
        return frame, named, ()
    frame, commas = with_points(frame, asked)
    return frame, named, commas


def _refuse_endless(names: Sequence[str], where: str) -> None:
    """Refuse more blank names than a spreadsheet can have written: each column takes its time."""
    blank = names.count("")
    if blank > WIDEST:
        raise FormatError(
            f"{where}: line 1 has {len(names):,} fields and no names in {blank:,} of them: write "
            "a line of names, and no more fields than there are"
        )


def as_utf8(data: bytes, where: str) -> bytes:
    """Return text in UTF-8 that a byte-order mark says is UTF-16; anything else as it is."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeError as error:
        raise FormatError(
            f"{where} begins as UTF-16 and is none ({error}): save the file as UTF-8"
        ) from error


def line_of(data: bytes, promised: str, named: bool, row: int) -> str:
    """Name the line that a row of the table is on, for messages; it takes another look."""
    data = _lines(data)
    sep = separator(_head(data), promised, "") or "\x1f"
    found = numbered_rows(data.decode(), sep, quotes=_quotes(data, sep))
    numbers = (number for number, fields in found if fields)
    return f"line {next(islice(numbers, row + named, None), row + named + 1):,}"


def _quotes(data: bytes, sep: str) -> bool:
    """Whether there are marks that quote cells, rather than being part of the text."""
    return b'"' in data and has_quotes(BytesIO(data), sep)


def _unreadable(where: str, error: Exception | str) -> FormatError:
    said = (str(error).splitlines() or [""])[0]
    return FormatError(f"{where} cannot be read ({said}): check its quotation marks and line ends")


def check_utf8(data: bytes, where: str) -> None:
    """Refuse bytes that are not UTF-8, naming their line."""
    if data.isascii():
        return  # the most common case, and no copy
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{where}: line {line:,} holds bytes that are not UTF-8 "
            f"({data[error.start : error.start + 4]!r}): save the file as UTF-8"
        ) from error


def _lines(data: bytes) -> bytes:
    """Text without a byte-order mark and blank lines at its end, lines ended by line feeds."""
    data = data.removeprefix(BOM)
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data.rstrip(b"\r\n") if data.endswith((b"\n\n", b"\n\r\n")) else data


def _head(data: bytes) -> str:
    """Return the first lines, whole: two at least, however long."""
    end = len(data)
    if end > HEAD:
        second = data.find(b"\n", data.find(b"\n") + 1)
        end = max(data.rfind(b"\n", 0, HEAD), second if second >= 0 else end)
    return data[:end].decode()


def _numeric(
    names: Sequence[str], top: Sequence[Sequence[str]], scores: Collection[str]
) -> list[bool]:
    """Tell which columns hold nothing but numbers in the first lines, among the possible scores."""
    numeric = chain(of_numbers([row for row in top if row]), repeat(False))
    return [name in scores and held for name, held in zip(names, numeric, strict=False)]


def _parsed(
    data: bytes, sep: str, named: bool, numeric: Sequence[bool] | None, *, quotes: bool
) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (heavy)

    read = partial(
        pl.read_csv,
        data,
        separator=sep,
        quote_char='"' if quotes else None,
        has_header=named,
        infer_schema=False,
    )
    if numeric and any(numeric):
        types = [pl.Float64 if number else pl.String for number in numeric]
        with suppress(pl.exceptions.PolarsError):
            frame = read(schema_overrides=types)
            largest = frame.select(pl.col(pl.Float64).abs().max()).row(0)
            if all(value is None or value < EXACT for value in largest):
                return frame  # larger ones are looked at as they are written
    return read()


def _even(data: bytes, sep: str, shape: tuple[int, int], *, quotes: bool) -> bool:
    """Whether no line is short, where that is easily seen; none can be too long any more."""
    height, width = shape
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return (
        not quotes and lines - height in (0, 1) and data.count(sep.encode()) == lines * (width - 1)
    )


def _blank_rows(
    data: bytes, sep: str, width: int, where: str, *, named: bool, quotes: bool
) -> list[int]:
    """Positions of blank lines among the rows; a line of another width is an error."""
    blank = []
    try:
        numbered = list(numbered_rows(data.decode(), sep, quotes=quotes))
    except csv.Error as error:
        raise _unreadable(where, error) from error
    if named:
        refuse_row_names(width, [fields for _, fields in numbered[1 : FIRST_ROWS + 1]], where)
    for k, (line, fields) in enumerate(numbered):
        if not fields:
            blank.append(k)
        elif len(fields) != width:
            raise FormatError(uneven(where, line, len(fields), width))
    return blank


def _renamed(frame: "pl.DataFrame", names: list[str], where: str) -> "pl.DataFrame":
    """Give columns the names that the file has, which must differ."""
    if len({*names}) < len(names):
        refuse_twice(names, where)
    frame.columns = [name or f"\0{k}" for k, name in enumerate(names)]
    nulls = frame.null_count().row(0)
    unnamed = [k for k, name in enumerate(names) if not name and k > 0]
    for k in unnamed:
        if nulls[k] < len(frame):
            raise FormatError(f"{where}: line 1 gives column {k + 1} no name: name it")
    frame = frame.drop(f"\0{k}" for k in unnamed)  # lines that end in a separator
    return frame if names[0] else frame.rename({"\0" + "0": ""})  # an index of a data frame
