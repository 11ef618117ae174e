"""Reports: one HTML file that needs no network, for a screen, a phone or paper.

Results draw themselves; the drawings come into the page as SVG whose text stays text. All that
comes from the data is escaped: by the template, and by matplotlib inside the SVG. What cannot be
drawn is said.
"""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from io import StringIO
from itertools import count
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from betterthan.errors import BetterthanError
from betterthan.exact.probability import BudgetExceededError
from betterthan.render.registry import sheet_of
from betterthan.results.dispatch import by_type
from betterthan.results.drawing import apart, settings
from betterthan.results.protocol import Result
from betterthan.results.sheet import Sheet, Table

POINTS = 1000
"""With more points than this a scatter is a picture inside the SVG."""

PLAIN = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # "$" in a name is a dollar
}


_TONES = {"PASS": "better", "REGRESSION": "worse"}


@dataclass(frozen=True, slots=True)
class Picture:
    """An inline SVG and what it shows; it needs ``width`` pixels to be read."""

    svg: str
    caption: str
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSection:
    """What is shown of one pair. Counts are wins, ties and losses of the candidate."""

    title: str
    said: str
    verdict: str
    facts: tuple[tuple[str, str], ...]
    counts: tuple[int, int, int] | None = None
    pictures: tuple[Picture, ...] = ()
    items: Table | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a report shows beside its sheet: tones of its verdicts, drawings and single pairs."""

    sheet: Sheet
    verdicts: Sequence[tuple[str, str]]
    summary: Sequence[str]
    tables: Sequence[tuple[str, Table]]
    pictures: Sequence[Picture] = ()
    pairs: Sequence[PairSection] = ()
    pairs_title: str = ""
    pairs_in_all: int = 0
    notes: Sequence[str] = ()


def report(result: Result, *, command: str | None = None) -> str:
    """Write a result as a report; ``command`` is the command that repeats the run."""
    page: Page = page_of(result)
    return _rendered("report.html.j2", page=page, sheet=page.sheet, command=command)


def fragment(result: Result) -> str:
    """Write what a notebook shows: headlines, tables, remarks and notes."""
    return _rendered("fragment.html.j2", sheet=sheet_of(result))


def _page(result: Result) -> Page:
    """The page of any result: its sheet, and all that can be drawn of it."""
    sheet: Sheet = sheet_of(result)
    pictures, lost = drawings(result)
    return Page(
        sheet=sheet,
        verdicts=[(_TONES.get(sheet.ruling, ""), line) for line in sheet.headlines],
        summary=[*sheet.subheads, *sheet.sentences, *sheet.remarks],
        tables=[(table.caption or sheet.title, table) for table in sheet.tables if table.rows],
        pictures=pictures,
        notes=[*sheet.notes, *lost],
    )


page_of = by_type(
    Page,
    "betterthan.render",
    {"comparison": "pair_pages", "ranking": "pair_pages"},
    otherwise=_page,
)
"""Return the page of a result."""


def drawings(
    result: Result, kinds: Sequence[str] | None = None, size: tuple[float, float] = (6.4, 4.0)
) -> tuple[list[Picture], list[str]]:
    """Draw a result in all ways, or in those named; also say what could not be drawn, and why."""
    pictures, lost = [], []
    for kind in result.plot_kinds() if kinds is None else kinds:
        try:
            pictures.append(draw(result, kind, *size))
        except (BetterthanError, BudgetExceededError) as error:
            lost.append(f"the plot {kind!r} is not shown: {error}")
    return pictures, lost


def draw(result: Result, kind: str, width: float, height: float, caption: str = "") -> Picture:
    """Draw into a string; the title becomes a caption, which wraps on a small screen."""
    out = StringIO()
    with settings(PLAIN):
        # The reader's own fonts show what matplotlib's cannot, and a name may be very long.
        warnings.filterwarnings("ignore", message=r"Glyph|constrained_layout|.* Matplotlib")
        ax = result.plot(kind, apart(width, height))
        caption = caption or ax.get_title(loc="left") or kind
        ax.set_title("", loc="left")
        for bar in [p for p in ax.patches if getattr(p, "get_height", lambda: 1.0)() == 0]:
            bar.remove()
        for points in ax.collections:
            points.set_rasterized(len(points.get_offsets()) > POINTS)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        ax.figure.savefig(out, format="svg", dpi=150, bbox_inches="tight", metadata=nothing)
    drawn = out.getvalue()
    return Picture(drawn[drawn.index("<svg") :], caption, round(66 * width))


def _rendered(name: str, **content: Any) -> str:
    drawn = count(1)

    def inline(svg: str) -> Markup:
        """Names that are used inside a drawing get its number, those that are not used go."""
        prefix = rf"\g<1>s{next(drawn)}-"
        tags = re.compile(r"<[^>]+>")  # the text between them is the reader's
        svg = re.sub(r'<g id="[^"]*"', "<g", re.sub(r"\n\s*", "\n", svg))
        named = partial(re.sub, r'( id="|href="#|url\(#)', prefix)
        return Markup(tags.sub(lambda tag: named(tag[0]), svg))  # matplotlib escaped it

    template = (files("betterthan.render") / name).read_text(encoding="utf-8")
    page = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page.filters["inline"] = inline
    return page.from_string(template).render(content)
