"""Sheets for a spreadsheet."""

import csv
import io
from typing import Any

from betterthan.results.inert import inert, no_formula
from betterthan.results.json_text import plain_value
from betterthan.results.sheet import Sheet


def csv_text(sheet: Sheet) -> str:
    """Write the records with a header; nothing is rounded, what JSON calls null is empty."""
    rows = [{_cell(name): _cell(x) for name, x in plain_value(row).items()} for row in sheet.flat()]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # A bare return ends a line for some readers, and is never quoted
    return no_formula(inert(value) if "\r" in value else value)
