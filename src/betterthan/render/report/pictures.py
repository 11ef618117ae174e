"""Drawings of matplotlib for the page: text stays text, and colours follow the page's.

A picture comes without styles, which the page forbids: what they say is said by attributes, and the
page's style sheet gives the palette's colours their dark twins.
"""

import re
import warnings
from dataclasses import dataclass
from functools import partial
from io import StringIO
from itertools import count

from markupsafe import Markup

from betterthan.errors import BetterthanError
from betterthan.exact.probability import BudgetExceededError
from betterthan.plots.drawing import as_wide_as, settings
from betterthan.results.protocol import Result

POINTS = 1000
"""With more points than this a scatter is a picture inside the SVG."""

WIDTH = 4.8
"""Inches: text can still be read where a phone shows them as 350 pixels."""

PLAIN = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # "$" in a name is a dollar
}
_TAGS = re.compile(r"<[^>]+>")  # the text between them is the reader's


@dataclass(frozen=True, slots=True)
class InlinePicture:
    """An inline SVG and what it shows."""

    svg: Markup
    caption: str


def drawings(result: Result) -> tuple[list[InlinePicture], list[str]]:
    """Draw a result in all ways; also say what could not be drawn, and why."""
    pictures, lost, number = [], [], count(1)
    for kind in result.plots:
        try:
            pictures.append(draw(result, kind, next(number)))
        except (BetterthanError, BudgetExceededError) as error:
            lost.append(f"the plot {kind!r} is not shown: {getattr(error, 'message', error)}")
    return pictures, lost


def draw(result: Result, kind: str, number: int) -> InlinePicture:
    """Draw into a string; the title becomes a caption, which wraps on a small screen."""
    out = StringIO()
    with settings(PLAIN):
        # The reader's own fonts show what matplotlib's cannot, and a name may be very long.
        warnings.filterwarnings("ignore", message=r"Glyph|constrained_layout|.* Matplotlib")
        ax = result.plot(kind, as_wide_as(WIDTH))
        caption = ax.get_title(loc="left") or kind
        ax.set_title("", loc="left")
        for bar in [p for p in ax.patches if getattr(p, "get_height", lambda: 1.0)() == 0]:
            bar.remove()
        for points in ax.collections:
            points.set_rasterized(len(points.get_offsets()) > POINTS)
        ax.figure.patch.set_visible(False)
        ax.patch.set_visible(False)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        ax.figure.savefig(out, format="svg", dpi=150, bbox_inches="tight", metadata=nothing)
    drawn = out.getvalue()
    return InlinePicture(_inline(drawn[drawn.index("<svg") :], number), caption)


def _inline(svg: str, number: int) -> Markup:
    """Say by attributes what styles say; names used inside a drawing get its number."""
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", re.sub(r"\n\s*", "\n", svg))
    named = partial(re.sub, r'( id="|href="#|url\(#)', rf"\g<1>s{number}-")
    return Markup(_TAGS.sub(lambda tag: _attributes(named(tag[0])), svg))  # matplotlib escaped it


def _attributes(tag: str) -> str:
    """Turn the style of a tag into attributes.

    >>> _attributes('<text style="font: 700 9px sans-serif; fill: #1f2933">')
    '<text font-size="9" font-weight="700" fill="#1f2933">'
    """

    def spelled(found: re.Match[str]) -> str:
        said = []
        for rule in filter(None, found[1].split(";")):
            name, _, value = (part.strip() for part in rule.partition(":"))
            if name == "font":
                size = re.search(r"([\d.]+)px", value)
                weight = re.match(r"(\d{3}|bold)\b", value)
                said += [f'font-size="{size[1]}"'] if size else []
                said += [f'font-weight="{weight[1]}"'] if weight else []
            else:
                said.append(f'{name}="{value}"')
        return " ".join(said)

    return re.sub(r'style="([^"]*)"', spelled, tag)
