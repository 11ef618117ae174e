"""Pages of comparisons and leaderboards: beside the tables, one section per pair of systems."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from betterthan.comparison.comparing import Comparison, Comparisons
from betterthan.comparison.item_by_item import ItemByItem, item_by_item
from betterthan.errors import BetterthanError
from betterthan.ranking import Leaderboard
from betterthan.render import comparisons, leaderboards
from betterthan.render.methods import test_phrase
from betterthan.render.page import Page, PairSection, Picture, draw, drawings, page_of
from betterthan.render.registry import sheet_of
from betterthan.results.sheet import Sheet, Table
from betterthan.results.wording import number, p_text, unit

PAIRS = 12
"""Most pairs that get a section of their own."""

MATRIX = 40
"""Most systems whose matrix of pairs can still be read; beyond it there is the table."""


@page_of.register
def _(found: Comparison) -> Page:
    return page_of(found.alone)


@page_of.register
def _(found: Comparisons) -> Page:
    sheet: Sheet = sheet_of(found)
    overall = comparisons.overall(found)
    lines = list(sheet.headlines)
    said = [c.verdict for c in overall] if len(overall) == len(lines) else [""]
    sections = [_compared(c) for c in overall[:PAIRS]]
    if len({c.metric for c in overall}) > 1:
        sections = [
            replace(p, title=f"{p.title}: {c.metric}")
            for p, c in zip(sections, overall, strict=False)
        ]
    labels = [f"{c.candidate}{c.subset or ''}" for c in found]
    forest = draw(found, "forest", _width(labels), 0.9 + 0.32 * len(found))
    # The notes of a single pair stand in its section.
    notes = found.notes if len(found) == 1 else sheet.notes
    return Page(
        sheet=sheet,
        verdicts=list(zip(said, lines, strict=True)),
        summary=sheet.remarks,
        tables=[
            ("All comparisons", sheet.tables[0]),
            *((table.caption, table) for table in sheet.appendix),
        ],
        pictures=[forest],
        pairs=sections,
        pairs_title="Pair by pair",
        pairs_in_all=len(overall),
        notes=notes,
    )


@page_of.register
def _(board: Leaderboard) -> Page:
    sheet: Sheet = sheet_of(board)
    names = board.ranking.names
    tall, side = 0.9 + 0.32 * len(names), 1.6 + 0.52 * len(names)
    alone = [row.rank_low for row in board.rows].count(1) == 1
    adjacent = [both for both in pairwise(names) if both in board.pairs.results]
    pictures = [draw(board, kind, _width(names), tall) for kind in ("leaderboard", "ranks")]
    notes = list(board.notes)
    if len(names) <= MATRIX:
        pictures.append(draw(board, "matrix", side + 0.6, side))
    else:
        notes.append(f"{len(names)} systems are too many for a matrix of pairs: see the table")
    return Page(
        sheet=sheet,
        verdicts=[("better" if alone else "can't tell", leaderboards.verdict_of(board))],
        summary=sheet.remarks,
        tables=[
            ("Leaderboard", sheet.tables[0]),
            ("All pairs", leaderboards.pairs_table(board.pairs)),
        ],
        pictures=pictures,
        pairs=[_neighbours(board, *both) for both in adjacent[:PAIRS]],
        pairs_title="Neighbours in the ranking",
        pairs_in_all=len(adjacent),
        notes=notes,
    )


def _compared(c: Comparison) -> PairSection:
    k, places = comparisons.printed(c)
    facts = [
        ("metric", c.metric),
        (c.baseline, number(c.score_baseline * k, places)),
        (c.candidate, number(c.score_candidate * k, places)),
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.confidence:.4g} % {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * k, places)}{unit(c.percent)}"
        facts.append(("power", f"this set detects ≥ {detects} (80 %, approximate)"))
    laws, lost = drawings(c.test, size=(5.0, 3.2))
    pictures, items, missing = _single_items(None if c.pair is None else c.item_by_item)
    counts = (c.wins, c.ties, c.losses)
    return PairSection(
        title=f"{c.candidate} against {c.baseline}",
        said=comparisons.headline(c, named=True),
        verdict=c.verdict,
        facts=tuple(facts),
        counts=None if None in counts else counts,  # type: ignore[arg-type]
        pictures=(*laws, *pictures),
        items=items,
        notes=(*c.notes, *lost, *missing),
    )


def _neighbours(board: Leaderboard, ahead: str, behind: str) -> PairSection:
    """Two systems of a leaderboard, the better ranked one first."""
    pairs = board.pairs
    at = pairs.names.index(ahead), pairs.names.index(behind)
    test = pairs.results[ahead, behind]
    beats = bool(board.beats[board.ranking.position(ahead), board.ranking.position(behind)])
    said = f"{ahead} is BETTER than {behind}" if beats else f"CAN'T TELL {ahead} from {behind}"
    facts = [("p", p_text(test.pvalue, test.log10_pvalue, floor=test.floor))]
    if pairs.correction != "none":
        adjusted = p_text(float(pairs.adjusted[at]), float(pairs.log10_adjusted[at]))
        facts.append((f"p ({pairs.correction})", adjusted))
    laws, lost = drawings(test, size=(5.0, 3.2))
    scores = board.scores
    pictures, items, missing = _single_items(
        None if scores is None else lambda: item_by_item(scores, behind, ahead, board.metric)
    )
    return PairSection(
        title=f"{ahead} against {behind}",
        said=said,
        verdict="better" if beats else "can't tell",
        facts=(*facts, ("test", f"{test.test}, {test.kind}: {test.reason}")),
        counts=(int(pairs.wins[at]), int(pairs.ties[at]), int(pairs.losses[at])),
        pictures=(*laws, *pictures),
        items=items,
        notes=(*test.notes, *lost, *missing),
    )


def _single_items(
    make: Callable[[], ItemByItem] | None,
) -> tuple[list[Picture], Table | None, list[str]]:
    """Histogram, scatter and the items that two systems disagree on most; or why there are none."""
    if make is None:
        return [], None, []
    try:
        found = make()
    except BetterthanError as error:
        return [], None, [f"single items are not shown: {error}"]
    caption = f"Every item: {found.baseline} across, {found.candidate} up; the diagonal is a tie"
    pictures = [
        draw(found, "differences", 5.0, 3.2),
        draw(found, "scatter", 4.8, 4.8, caption),
    ]
    return pictures, sheet_of(found).tables[0], []


def _width(labels: Sequence[str]) -> float:
    """Inches for a chart with these labels at its side: a phone's width, more for long names."""
    return min(3.6 + 0.07 * max(12, *map(len, labels)), 9.0)
