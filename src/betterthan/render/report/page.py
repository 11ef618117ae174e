"""One HTML file for a screen, a phone or paper: what a template makes of a result.

Verdict, tables and text stand in the page as they are; the page's own script adds what can be
searched, sorted and drawn. The page forbids itself any other script or style, and all requests.
All that comes from the data is escaped, and what would steer a reader's eye is spelled out.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from betterthan.errors import Advice, as_keyword
from betterthan.plots.palette import DARK, LIGHT
from betterthan.render.markdown import labelled
from betterthan.render.report.pictures import InlinePicture, drawings
from betterthan.results.escaping import inert_text
from betterthan.results.json_text import belongs_to_verdict, embedded, noted
from betterthan.results.protocol import Result, by_type
from betterthan.results.sheet import Sheet, Table

SCRIPT = ("elements", "data", "charts", "pair", "tables", "matrix", "items", "main")
"""The page's script, in this order."""

_TONES = {"PASS": "better", "REGRESSION": "worse"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a report shows beside its sheet.

    ``verdicts`` are lines with their tones (better, worse, can't tell); ``table`` is the first one
    and ``tables`` are others, with their captions; ``app`` is what the page's script draws.
    """

    sheet: Sheet
    verdicts: Sequence[tuple[str, str]]
    summary: Sequence[str]
    tables: Sequence[tuple[str, Table]]
    pictures: Sequence[InlinePicture] = ()
    notes: Sequence[str] = ()
    app: Mapping[str, Any] | None = None

    @property
    def warnings(self) -> list[str]:
        """The notes that appear right below the verdict."""
        return [note for note in self.notes if belongs_to_verdict(note)]

    @property
    def other_notes(self) -> list[str]:
        """The notes that do not."""
        return [note for note in self.notes if not belongs_to_verdict(note)]


def report(result: Result, *, command: str | None = None, advice: Advice = as_keyword) -> str:
    """Write a result as a report; ``command`` is the command that repeats the run."""
    page: Page = page_of(result)
    page = replace(page, notes=[noted(note, advice) for note in page.notes])
    style, script = stylesheet(), program()
    policy = (
        f"default-src 'none'; style-src {_allowed(style)}; script-src {_allowed(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return _rendered(
        "report.html.j2",
        page=page,
        sheet=page.sheet,
        command=command,
        policy=Markup(policy),
        style=Markup(style),
        script=Markup(script),
        app=Markup(embedded(page.app or {}, advice)),
        results=Markup(embedded(page.sheet.plain(advice))),
    )


def fragment(result: Result, *, advice: Advice = as_keyword) -> str:
    """Write what a notebook shows: headlines, tables, remarks and notes."""
    return _rendered("fragment.html.j2", sheet=result.sheet().advised(advice))


def _page(result: Result) -> Page:
    """The page of any result: its sheet, and all that can be drawn of it."""
    sheet = result.sheet()
    pictures, lost = drawings(result)
    return Page(
        sheet=sheet,
        verdicts=[(_TONES.get(sheet.ruling, ""), line) for line in sheet.headlines],
        summary=[
            *(*sheet.subheads, *labelled(sheet.details), *sheet.remarks),
            *(table.caption for table in sheet.appendix if not table.rows),
        ],
        tables=[
            (table.caption or sheet.title, table)
            for table in (*sheet.tables, *sheet.appendix)
            if table.rows
        ],
        pictures=pictures,
        notes=[*sheet.notes, *lost],
    )


page_of = by_type(
    Page,
    "betterthan.render.report",
    {"comparison": "compared", "ranking": "boards"},
    otherwise=_page,
)
"""Return the page of a result."""


def stylesheet() -> str:
    """The page's style; colours are those of the plots, on paper and on light and dark screens."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in palette.items())
        for palette in (LIGHT, DARK)
    )
    drawn = "".join(
        f'.drawn [{what}="{colour}"]{{{what}:var(--{name})}}'
        for name, colour in LIGHT.items()
        for what in ("fill", "stroke")
    )
    themes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f"\n{themes}\n{drawn}\n{_asset('page.css')}"


def program() -> str:
    """The page's script."""
    parts = "\n".join(_asset(f"script/{name}.js") for name in SCRIPT)
    return f'\n"use strict";\n{parts}'


def _allowed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _asset(name: str) -> str:
    return (files("betterthan.render.report") / name).read_text(encoding="utf-8")


def _rendered(name: str, **content: Any) -> str:
    page = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda said: inert_text(said) if type(said) is str else said,
    )
    return page.from_string(_asset(name)).render(content)
