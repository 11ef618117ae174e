"""Sheets for a spreadsheet."""

import csv
import io
import re
from typing import Any

from betterthan.results.inert import inert
from betterthan.results.json_text import plain_value
from betterthan.results.sheet import Sheet

_FORMULA = re.compile(r"\s*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?")


def csv_text(sheet: Sheet) -> str:
    """Write the records with a header; nothing is rounded, what JSON calls null is empty."""
    rows = [{_cell(name): _cell(x) for name, x in plain_value(row).items()} for row in sheet.flat()]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    """Keep a spreadsheet from computing a name: what would start a formula is set behind a quote.

    >>> _cell("=1+1"), _cell(-1.5), _cell("-1.5")
    ("'=1+1", -1.5, '-1.5')
    """
    if isinstance(value, str) and "\r" in value:
        value = inert(value)  # a bare return ends a line for some readers, and is never quoted
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"
