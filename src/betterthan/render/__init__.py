"""Results in writing: each kind of result has one sheet, each form one writer of sheets.

A module per package of results says what its sheets hold (:func:`sheet_of`); ``text``,
``markdown``, ``latex``, ``csv_text``, ``junit`` and ``page`` write any of them.
"""

from betterthan.errors import UsageError
from betterthan.render.csv_text import csv_text
from betterthan.render.junit import junit
from betterthan.render.latex import latex
from betterthan.render.markdown import markdown
from betterthan.render.registry import sheet_of
from betterthan.render.terminal import text
from betterthan.results.json_text import to_json
from betterthan.results.protocol import Result
from betterthan.results.sheet import Sheet

__all__ = ["rendered", "sheet_of", "write"]

_WRITERS = {
    "table": text,
    "md": markdown,
    "latex": latex,
    "csv": csv_text,
    "json": lambda sheet: to_json(sheet.document),
    "junit": junit,
}


def rendered(result: Result, style: str, *, command: str | None = None) -> str:
    """Write a result in one of the styles."""
    if style in ("html", "fragment"):
        from betterthan.render import page  # noqa: PLC0415 (slow to import)

        return page.report(result, command=command) if style == "html" else page.fragment(result)
    return write(sheet_of(result), style)


def write(sheet: Sheet, style: str) -> str:
    """Write a sheet as ``table``, ``md``, ``latex``, ``csv``, ``json`` or ``junit``."""
    if style not in _WRITERS:
        raise UsageError(f"a result is written as {', '.join(_WRITERS)} or html, not {style!r}")
    return _WRITERS[style](sheet)
