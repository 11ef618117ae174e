"""Sheets for a spreadsheet."""

import csv
import io
from typing import Any

from betterthan.errors import Advice, as_keyword
from betterthan.results.escaping import inert, no_formula
from betterthan.results.sheet import Sheet


def csv_text(sheet: Sheet, advice: Advice = as_keyword) -> str:
    """Write the rows with a header; nothing is rounded, what JSON calls null is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(sheet.columns)
    for row in sheet.plain(advice)["rows"]:
        writer.writerow([_cell(row[name]) for name in sheet.columns])
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # A bare return ends a line for some readers, and is never quoted
    return no_formula(inert(value) if "\r" in value else value)
