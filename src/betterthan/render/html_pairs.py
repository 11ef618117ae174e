"""What a report shows of one pair, and how its pictures come into the page."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

import numpy as np

from betterthan.comparison import Comparison
from betterthan.data import Scores
from betterthan.errors import BetterthanError
from betterthan.exact.probability import BudgetExceededError
from betterthan.nulllaw import NullLaw
from betterthan.ranking import Leaderboard
from betterthan.ranking.table import ScoreTable, score_table, signs_between
from betterthan.render import comparisons
from betterthan.render.methods import test_phrase
from betterthan.render.numbers import number, p_text, scale
from betterthan.render.tables import Table
from betterthan.results import TestResult

ITEMS = 6
"""Items listed for either system, those it is ahead on most."""

POINTS = 1000
"""With more points than this a scatter is a picture inside the SVG."""

PLAIN: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "betterthan",  # the same names every time
    "text.parse_math": False,  # "$" in a name is a dollar
}


@dataclass(frozen=True, slots=True)
class Picture:
    """An inline SVG and what it shows; it needs ``width`` pixels to be read."""

    svg: str
    caption: str
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPage:
    """What is shown of one pair. Counts are wins, ties and losses of the system."""

    title: str
    said: str
    verdict: str
    facts: tuple[tuple[str, str], ...]
    counts: tuple[int, int, int] | None
    pictures: tuple[Picture, ...]
    items: Table | None
    notes: tuple[str, ...]


def compared(c: Comparison, scores: Scores | None) -> PairPage:
    """One comparison."""
    k, places = scale(c.percent), comparisons.decimals_of(c)
    unit = " points" if c.percent else ""
    facts = [
        ("metric", c.metric),
        (c.baseline, number(c.score_baseline * k, places)),
        (c.system, number(c.score_system * k, places)),
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.level:.4g} % {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"this set detects ≥ {number(c.mde * k, places)}{unit} (80 %, approximate)"
        facts.append(("power", detects))
    pictures, items = _item_by_item(scores, c.baseline, c.system, c.metric)
    counts = (c.wins, c.ties, c.losses)
    return PairPage(
        title=f"{c.system} against {c.baseline}",
        said=comparisons.headline(c).strip(),
        verdict=c.verdict,
        facts=tuple(facts),
        counts=None if None in counts else counts,  # type: ignore[arg-type]
        pictures=(*_null_law(c.test), *pictures),
        items=items,
        notes=c.notes,
    )


def neighbours(board: Leaderboard, ahead: str, behind: str, scores: Scores | None) -> PairPage:
    """Two systems of a leaderboard, the better ranked one first."""
    pairs = board.pairs
    at = pairs.names.index(ahead), pairs.names.index(behind)
    test = pairs.results[ahead, behind]
    adjusted = float(pairs.adjusted[at])
    k = board.ranking.position(ahead)
    beats = bool(board.beats[k, board.ranking.position(behind)])
    said = f"{ahead} is BETTER than {behind}" if beats else f"CAN'T TELL {ahead} from {behind}"
    pictures, items = _item_by_item(scores, behind, ahead, board.metric)
    facts = [("p", p_text(test.pvalue, test.log10_pvalue))]
    if pairs.correction != "none":
        facts.append((f"p ({pairs.correction})", p_or_less(adjusted)))
    return PairPage(
        title=f"{ahead} against {behind}",
        said=said,
        verdict="better" if beats else "can't tell",
        facts=(*facts, ("test", f"{test.test}, {test.kind}: {test.reason}")),
        counts=(int(pairs.wins[at]), int(pairs.ties[at]), int(pairs.losses[at])),
        pictures=(*_null_law(test), *pictures),
        items=items,
        notes=test.notes,
    )


def _item_by_item(
    scores: Scores | None, baseline: str, system: str, metric: str
) -> tuple[list[Picture], Table | None]:
    """Histogram, scatter and the items that two systems disagree on most; of scores alone."""
    from betterthan.plots.pairs import difference_histogram, paired_scatter  # noqa: PLC0415

    if scores is None:
        return [], None
    try:
        table = score_table(scores, metric=metric)
    except BetterthanError:  # a black box over several columns has no value for a single item
        return [], None
    both = (scores, baseline, system)
    pictures = [
        draw(partial(difference_histogram, *both, metric=table.metric), 5.0, 3.2),
        draw(
            partial(paired_scatter, *both, metric=table.metric),
            *(4.8, 4.8),
            caption=f"Every item: {baseline} across, {system} up; the diagonal is a tie",
        ),
    ]
    return pictures, _disagreements(table, baseline, system)


def _disagreements(table: ScoreTable, baseline: str, system: str) -> Table:
    """The items on which either system is ahead most, largest differences first."""
    x, y = (table.values[:, table.scores.position(name)] for name in (baseline, system))
    signs = signs_between(y, x)
    size = np.abs(y - x)
    chosen: list[int] = []
    for sign in (1, -1):
        ahead = np.flatnonzero(signs == sign)
        chosen += ahead[np.argsort(-size[ahead], kind="stable")[:ITEMS]].tolist()
    chosen.sort(key=lambda i: -size[i])
    ids = table.scores.item_names(np.array(chosen, dtype=np.int64))
    rows = tuple(
        (item, f"{table.sign * x[i]:.4g}", f"{table.sign * y[i]:.4g}", f"{y[i] - x[i]:+.4g}")
        for item, i in zip(ids, chosen, strict=True)
    )
    return Table(("item", baseline, system, "in favour"), ("<", ">", ">", ">"), rows)


def _null_law(test: TestResult) -> list[Picture]:
    from betterthan.plots.comparisons import null_law  # noqa: PLC0415

    if not isinstance(test.law, NullLaw):
        return []
    try:
        return [draw(partial(null_law, test), 5.0, 3.2)]
    except BudgetExceededError:  # p is the tail alone; the whole law would take too long
        return []


def draw(
    plot: Callable[..., Any], width: float, height: float, caption: str | None = None
) -> Picture:
    """Draw into a string; the title becomes a caption, which wraps on a small screen."""
    import matplotlib as mpl  # noqa: PLC0415 (slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    out = StringIO()
    with warnings.catch_warnings(), mpl.rc_context(PLAIN):
        # The reader's own fonts show what matplotlib's cannot, and a name may be very long.
        warnings.filterwarnings("ignore", message=r"Glyph|constrained_layout|.* Matplotlib")
        ax = plot(Figure(figsize=(width, height), layout="constrained").subplots())
        caption = caption or ax.get_title(loc="left")
        ax.set_title("", loc="left")
        for bar in [p for p in ax.patches if getattr(p, "get_height", lambda: 1.0)() == 0]:
            bar.remove()
        for points in ax.collections:
            points.set_rasterized(len(points.get_offsets()) > POINTS)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        ax.figure.savefig(out, format="svg", dpi=150, bbox_inches="tight", metadata=nothing)
    drawn = out.getvalue()
    return Picture(drawn[drawn.index("<svg") :], caption, round(66 * width))


def p_or_less(value: float) -> str:
    """Write an adjusted p-value, of which there is no logarithm where it underflows."""
    if value == 0:
        return "< 1e-300"
    return "" if np.isnan(value) else p_text(value, float(np.log10(value)))
