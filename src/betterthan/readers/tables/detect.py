"""What a text file is, from its name and its first lines. Pure functions; nothing is read here."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import takewhile
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from betterthan.data.frames.roles import is_known
from betterthan.errors import FormatError, Remedy, first_few, quote
from betterthan.readers.files import BOM, suffix
from betterthan.readers.streams import unknown_binary

Encoding = Literal["text", "json", "parquet"]
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}
BY_SUFFIX = {"csv": ",", "tsv": "\t"}
LONGEST_FIELD = 1 << 30
SPACES = " "  # runs of blanks and tabs
LOOKED_AT = 100  # lines that show whether the first is a comment


def encoding(promised: str, head: bytes, where: str) -> Encoding:
    """Tell delimited text, JSON and Parquet apart; a name that promises another is an error."""
    body = head.removeprefix(BOM).lstrip()
    if not body:
        raise FormatError(f"{where} is empty: there is nothing to compare")
    found: Encoding
    if head.startswith(b"PAR1"):
        found = "parquet"
    elif b"\0" in head or head.startswith(b"PK\x03\x04"):
        raise unknown_binary(where)
    else:
        found = "json" if body[:1] in b"{[" else "text"
    expected = {"": found, "jsonl": "json", "csv": "text", "tsv": "text"}.get(promised, promised)
    if expected != found:
        raise FormatError(
            f"{where} looks like {found}, not {promised}: correct its suffix",
            Remedy("read it as it looks", "input_format", "csv" if found == "text" else found),
        )
    return found


def separator(text: str, promised: str, where: str) -> str | None:
    """Find what separates the fields of these lines; None where each line is one field.

    The separator that the suffix promises, if the first line has it; else the only one that
    splits all lines alike.
    """
    usual = BY_SUFFIX.get(promised)
    first = text.split("\n", 1)[0]
    if usual is not None and usual in first:
        return usual
    consistent = [sep for sep in SEPARATORS if _splits(text, sep)]
    if len(consistent) == 1:
        return consistent[0]
    if consistent:
        usually = [(kind, sep) for kind, sep in BY_SUFFIX.items() if sep in consistent]
        listed = " or by ".join(SEPARATORS[sep] for sep in consistent)
        raise FormatError(
            f"{where}: fields could be separated by {listed}",
            *(Remedy(f"by {SEPARATORS[sep]}", "input_format", kind) for kind, sep in usually),
        )
    if _width([line.split() for line in text.split("\n")]) > 1:
        return SPACES
    if usual is not None or not any(sep in text for sep in (*SEPARATORS, " ")):
        return None
    _refuse_blanks(text, where)
    usually = [(kind, sep) for kind, sep in BY_SUFFIX.items() if sep in first]
    raise FormatError(
        f"{where} is no table: neither commas, tabs, semicolons, bars nor blanks split its lines "
        "into equally many fields",
        *(Remedy(f"by {SEPARATORS[sep]}", "input_format", kind) for kind, sep in usually),
    )


def _refuse_blanks(text: str, where: str) -> None:
    """Refuse columns between blanks that are told apart by quotation marks, or by one name less.

    So R writes them: rows have names, and texts of several words are quoted.
    """
    try:
        first, *others = [line for line in _reader(StringIO(text, newline=""), SPACES) if line]
    except (csv.Error, ValueError):
        return
    width = _width(others)
    if len(others) < 2 or width - len(first) not in (0, 1) or not any(of_numbers(others)):
        return
    named = ", and rows have names that line 1 has none for" if width > len(first) else ""
    raise FormatError(
        f"{where}: its columns are separated by blanks{named}, as write.table() of R writes them: "
        "write it with write.csv(..., row.names = FALSE), or, if the items are named by the rows, "
        "with write.csv(...)"
    )


def _splits(text: str, sep: str) -> bool:
    try:
        return _width(rows(text, sep)) > 1
    except csv.Error:  # a bare return, or a quotation mark that is never closed
        return False


def rows(text: str, sep: str, most: int = -1, *, quotes: bool = True) -> list[list[str]]:
    """Split text into the fields of its lines, or the first of them; blank lines have none.

    Marks are part of the text unless there are ``quotes``.
    """
    if quotes and '"' in text:
        return list(_reader(StringIO(text, newline=""), sep))[: most if most >= 0 else None]
    lines = text.removesuffix("\n").split("\n", most)[: most if most >= 0 else None]
    return [line.rstrip("\r").split(sep) if line.strip("\r") else [] for line in lines]


def _reader(lines: Iterable[str], sep: str, *, quotes: bool = True) -> Any:
    csv.field_size_limit(LONGEST_FIELD)  # of 128 KiB otherwise, which an answer may exceed
    if not quotes:
        return csv.reader(lines, delimiter=sep, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=sep)


def numbered_rows(text: str, sep: str, *, quotes: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Fields of each row with the number of the line that it starts on; quoted ones may span."""
    if not quotes or '"' not in text:
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
            yield number, line.rstrip("\r").split(sep) if line.strip("\r") else []
        return
    yield from streamed_rows(StringIO(text, newline=""), sep)


def streamed_rows(
    lines: Iterable[str], sep: str, *, quotes: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Fields of each row, as of `numbered_rows`, of lines that come one after the other."""
    reader = _reader(lines, sep, quotes=quotes)
    begins = 1
    for fields in reader:
        yield begins, fields
        begins = reader.line_num + 1


def refuse_declared(text: str, where: str) -> None:
    """Refuse a first line that tells Excel what separates the fields, and names nothing."""
    first = text.split("\n", 1)[0].strip().strip('"')
    if first.lower().startswith("sep=") and len(first) <= 5:
        raise FormatError(
            f"{where}: line 1 ({quote(first)}) tells Excel what separates the fields, and is no "
            "line of names: delete line 1"
        )


def refuse_blank(text: str, where: str) -> None:
    """Refuse blank lines above the names, which are looked for on the first."""
    lines = text.split("\n", LOOKED_AT)[:LOOKED_AT]
    blank = len(list(takewhile(lambda line: not line.strip(" \r"), lines)))
    if blank and blank < len(lines):
        which, them = (f"lines 1 to {blank} are", "them") if blank > 1 else ("line 1 is", "it")
        raise FormatError(f"{where}: {which} blank, above the line of names: delete {them}")


def refuse_comments(text: str, where: str) -> None:
    """Refuse comments above the names: lines of one field, where the lines below have more."""
    if not text.startswith("#"):
        return
    lines = text.split("\n", LOOKED_AT)[:LOOKED_AT]
    comments = list(takewhile(lambda line: line.startswith("#"), lines))
    below = [line for line in lines[len(comments) :] if line.strip()]
    if any(
        below and all(sep in line for line in below) and not any(sep in line for line in comments)
        for sep in SEPARATORS
    ):
        several = len(comments) > 1
        which = f"lines 1 to {len(comments)} are comments" if several else "line 1 is a comment"
        raise FormatError(
            f"{where}: {which} ({quote(comments[0].strip())}) above the line of names: remove "
            f"{'them' if several else 'it'}"
        )


def has_header(names: Sequence[str], where: str) -> bool:
    """Whether the first line names the columns: not if it holds numbers alone.

    Names that are numbers beside names that are not (`item,1000,2000`) must have one that is
    known, lest `q1,0.5` be taken for a header.
    """
    numeric = [
        name for name, is_number in zip(names, of_numbers([names]), strict=True) if is_number
    ]
    if len(numeric) == len(names):
        return False
    if numeric and not any(is_known(name) for name in names):
        raise FormatError(
            f"{where}: does line 1 ({first_few(names)}) name the columns? If so, call the column "
            "of ids item; if not, put a line of names above the data, such as item,score",
            without_header(where),
        )
    return True


def without_header(where: str) -> Remedy:
    """Remedy for a file whose first line holds data."""
    form = "tsv" if suffix(Path(where)) == "tsv" else "csv"
    return Remedy("the first line is data", "input_format", f"{form}(header=no)")


def of_numbers(lines: Sequence[Sequence[str]]) -> list[bool]:
    """Which of the columns that all lines have hold nothing but finite numbers.

    >>> of_numbers([["q1", "0.5", "nan"], ["2", "1", "1"]])
    [False, True, False]
    """
    found = [True] * min(map(len, lines), default=0)
    for line in lines:
        for k, numeric in enumerate(found):
            if numeric:
                try:
                    found[k] = isfinite(float(line[k]))
                except ValueError:
                    found[k] = False
    return found


def _width(lines: list[list[str]]) -> int:
    widths = {len(fields) for fields in lines if fields}
    return widths.pop() if len(widths) == 1 else 0
