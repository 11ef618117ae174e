"""Results in writing: each kind of result has one sheet, each form one writer of sheets.

A module per package of results says what its sheets hold (:func:`sheet_of`); ``text``,
``markdown``, ``latex``, ``csv_text``, ``junit`` and ``page`` write any of them.
"""

from collections.abc import Callable

from betterthan.errors import UsageError, quote
from betterthan.render.csv_text import csv_text
from betterthan.render.junit import junit
from betterthan.render.latex import Width, latex
from betterthan.render.markdown import markdown
from betterthan.render.registry import sheet_of
from betterthan.render.terminal import text
from betterthan.results.json_text import to_json
from betterthan.results.protocol import Result
from betterthan.results.sheet import Sheet

__all__ = ["rendered", "sheet_of", "write"]

_WRITERS: dict[str, Callable[[Sheet], str]] = {
    "table": text,
    "md": markdown,
    "latex": latex,
    "csv": csv_text,
    "json": lambda sheet: to_json(sheet.document),
    "junit": junit,
}


def rendered(
    result: Result,
    style: str,
    *,
    command: str | None = None,
    width: Width | None = None,
    intervals: bool | None = None,
    label: str | None = None,
    columns: int | None = None,
    colour: bool = False,
) -> str:
    """Write a result in one of the styles.

    ``width`` and ``intervals`` are of tables for papers, in LaTeX and Markdown, ``label`` of LaTeX;
    ``columns`` and ``colour`` of a terminal.
    """
    if not isinstance(style, str):
        raise UsageError(f"the style is named by text, not by {quote(style)}")
    if style in ("html", "fragment"):
        from betterthan.render.report import page  # noqa: PLC0415 (slow to import)

        return page.report(result, command=command) if style == "html" else page.fragment(result)
    sheet = sheet_of(result)
    if style == "table":
        return text(sheet, columns=columns, colour=colour)
    if style == "latex":
        return latex(sheet, width=width, intervals=intervals, label=label)
    return markdown(sheet, intervals=intervals) if style == "md" else write(sheet, style)


def write(sheet: Sheet, style: str) -> str:
    """Write a sheet as ``table``, ``md``, ``latex``, ``csv``, ``json`` or ``junit``."""
    if style not in _WRITERS:
        raise UsageError(f"a result is written as {', '.join(_WRITERS)} or html, not {style!r}")
    return _WRITERS[style](sheet)
