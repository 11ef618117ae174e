"""Results in writing: each kind of result has one sheet, each form one writer of sheets.

A module per package of results says what its sheets hold (:func:`sheet_of`); ``terminal``,
``markdown``, ``latex``, ``csv_text``, ``junit`` and ``report`` write any of them.
"""

from collections.abc import Callable, Sequence
from textwrap import fill, indent
from typing import Any

from betterthan.errors import Advice, as_keyword, not_one_of
from betterthan.render.csv_text import csv_text
from betterthan.render.junit import junit
from betterthan.render.latex import latex
from betterthan.render.markdown import escaped as in_markdown
from betterthan.render.markdown import markdown
from betterthan.render.registry import sheet_of
from betterthan.render.terminal import text
from betterthan.render.tex_text import UNICODE_OR
from betterthan.render.tex_text import escaped as in_latex
from betterthan.results.escaping import inert
from betterthan.results.json_text import indented
from betterthan.results.protocol import Result

__all__ = ["rendered", "sheet_of"]

_WRITERS: dict[str, Callable[..., str]] = {
    "table": text,
    "md": markdown,
    "latex": latex,
    "csv": csv_text,
    "json": lambda sheet, advice: indented(sheet.plain(advice)),
    "junit": junit,
}
_OPTIONS = {
    "table": ("columns", "colour"),
    "md": ("intervals",),
    "latex": ("width", "intervals", "label"),
    "csv": ("advice",),
    "json": ("advice",),
}
"""What a style may be told; anything else is for other styles."""


def rendered(
    result: Result,
    style: str,
    *,
    advice: Advice = as_keyword,
    command: str | None = None,
    sentences: Sequence[str] = (),
    **options: Any,
) -> str:
    """Write a result in one of the styles.

    ``advice`` writes the remedies of notes; ``command`` is for reports; ``sentences`` follow what
    people read. ``width`` and ``intervals``
    are of tables for papers, in LaTeX and Markdown, ``label`` of LaTeX; ``columns`` and ``colour``
    of a terminal.
    """
    if style == "html":
        from betterthan.render.report import page  # noqa: PLC0415 (slow to import)

        return page.report(result, command=command, advice=advice)
    if style == "fragment":
        from betterthan.render.report import page  # noqa: PLC0415 (slow to import)

        return page.fragment(result, advice=advice)
    if style not in _WRITERS:
        raise not_one_of("style", style, [*_WRITERS, "html"])
    sheet = result.sheet()
    known = {**options, "advice": advice}
    given = {name: known[name] for name in _OPTIONS.get(style, ()) if name in known}
    written = _WRITERS[style](sheet.advised(advice), **given)
    return "\n\n".join([written, *_paragraphs(sentences, style, options.get("columns"))])


def _paragraphs(sentences: Sequence[str], style: str, columns: int | None) -> list[str]:
    """Write sentences as they follow a table; formats for programs have none."""
    if style == "table":
        width = min(columns or 80, 100) - 2
        return [indent(fill(inert(line), width - 2), "  ") for line in sentences]
    if style == "latex":
        lines = [in_latex(line) for line in sentences]
        return [UNICODE_OR, *lines] if any(r"\unicodeor" in line for line in lines) else lines
    return [in_markdown(line) for line in sentences] if style == "md" else []
