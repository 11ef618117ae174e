"""Reports: one HTML file that needs no network, for a screen, a phone or paper.

Plots are drawn by :mod:`betterthan.plots` and put into the page as SVG whose text stays text. All
that comes from the data is escaped: by the template, and by matplotlib inside the SVG.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import count, pairwise
from typing import Any

from betterthan.comparison import Comparisons
from betterthan.data import Scores
from betterthan.ranking import Leaderboard
from betterthan.render import comparisons, leaderboards
from betterthan.render.html_pairs import compared, draw, neighbours, p_or_less
from betterthan.render.methods import methods_sentence
from betterthan.render.numbers import p_text
from betterthan.render.tables import Align, Table

PAIRS = 12
"""Most pairs that get a section of their own."""

MATRIX = 40
"""Most systems whose matrix of pairs can still be read; beyond it there is the table."""


def comparisons_report(
    found: Comparisons, scores: Scores | None = None, *, command: str | None = None
) -> str:
    """Write comparisons as a report: the verdict, the table, the forest, then pair by pair.

    Parameters
    ----------
    found : Comparisons
        What to report.
    scores : Scores, optional
        What was compared; without it nothing is shown item by item.
    command : str, optional
        The command that repeats the run.
    """
    from betterthan.plots.comparisons import forest  # noqa: PLC0415 (slow to import)

    overall = [c for c in found if c.subset is None]
    labels = [f"{c.system}{c.subset or ''}" for c in found]
    said = [c.verdict for c in overall] if len(overall) <= comparisons.HEADLINES else [""]
    lines = [line.strip() for line in comparisons.headlines(found)]
    pages = [compared(c, scores) for c in overall[:PAIRS]]
    if len({c.metric for c in overall}) > 1:
        pages = [
            replace(p, title=f"{p.title}: {c.metric}") for p, c in zip(pages, overall, strict=False)
        ]
        if len(lines) == len(overall):
            lines = [f"{c.metric}: {line}" for c, line in zip(overall, lines, strict=True)]
    return _page(
        title="Comparison of " + _listed([n for c in overall for n in (c.baseline, c.system)]),
        source=found.source,
        verdicts=list(zip(said, lines, strict=True)),
        summary=[line.strip() for line in comparisons.family(found)],
        tables=[("All comparisons", comparisons.table_of(found))],
        pictures=[draw(partial(forest, found), _width(labels), 0.9 + 0.32 * len(found))],
        pairs=pages,
        pairs_title="Pair by pair",
        pairs_in_all=len(overall),
        notes=[note.strip().removeprefix("! ") for note in comparisons.shared_notes(found)],
        methods=methods_sentence(found),
        signature=found.signature,
        command=command,
    )


def leaderboard_report(
    board: Leaderboard, scores: Scores | None = None, *, command: str | None = None
) -> str:
    """Write a leaderboard as a report: the table, charts, all pairs, and neighbours one by one.

    Parameters
    ----------
    board : Leaderboard
        What to report.
    scores : Scores, optional
        What was ranked; None for judgments.
    command : str, optional
        The command that repeats the run.
    """
    from betterthan.plots import pairs, ranking  # noqa: PLC0415 (slow to import)

    names = board.ranking.names
    tall, side = 0.9 + 0.32 * len(names), 1.6 + 0.52 * len(names)
    verdict, *summary = (line.strip() for line in leaderboards.summary_of(board))
    tiers = [row.tier for row in board.rows]
    adjacent = [both for both in pairwise(names) if both in board.pairs.results]
    pictures = [
        draw(partial(ranking.leaderboard, board), _width(names), tall),
        draw(partial(ranking.rank_set_chart, board.ranking), _width(names), tall),
    ]
    if len(names) <= MATRIX:
        pictures.append(draw(partial(pairs.pair_matrix, board.pairs), side + 0.6, side))
    return _page(
        title="Leaderboard of " + _listed(names),
        source=board.source,
        verdicts=[("better" if tiers.count(tiers[0]) == 1 else "can't tell", verdict)],
        summary=summary,
        tables=[("Leaderboard", leaderboards.table_of(board)), ("All pairs", _pairs_table(board))],
        pictures=pictures,
        pairs=[neighbours(board, *both, scores) for both in adjacent[:PAIRS]],
        pairs_title="Neighbours in the ranking",
        pairs_in_all=len(adjacent),
        notes=list(board.notes),
        methods=" ".join(summary),
        signature=board.signature,
        command=command,
    )


def _page(**content: Any) -> str:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 (slow to import)
    from markupsafe import Markup  # noqa: PLC0415

    drawings = count(1)

    def inline(svg: str) -> Markup:
        """Names that are used inside a drawing get its number, those that are not used go."""
        prefix = rf"\g<1>s{next(drawings)}-"
        tags = re.compile(r"<[^>]+>")  # the text between them is the reader's
        svg = re.sub(r'<g id="[^"]*"', "<g", re.sub(r"\n\s*", "\n", svg))
        named = partial(re.sub, r'( id="|href="#|url\(#)', prefix)
        return Markup(tags.sub(lambda tag: named(tag[0]), svg))  # matplotlib escaped it

    template = (files("betterthan.render") / "report.html.j2").read_text(encoding="utf-8")
    page = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page.filters["inline"] = inline
    return page.from_string(template).render(content)


def _pairs_table(board: Leaderboard) -> Table:
    pairs = board.pairs
    adjusted = pairs.correction != "none"
    effect = "difference" if pairs.method in ("mean", "median") else "share won"
    headers = ["first", "second", effect, "p"] + [f"p ({pairs.correction})"] * adjusted
    rows = []
    for (first, second), test in pairs.results.items():
        at = pairs.names.index(first), pairs.names.index(second)
        row = [first, second, f"{pairs.effect[at]:.3g}", p_text(test.pvalue, test.log10_pvalue)]
        row += [p_or_less(float(pairs.adjusted[at]))] * adjusted
        rows.append((*row, f"{pairs.wins[at]}/{pairs.ties[at]}/{pairs.losses[at]}"))
    headers.append("W/T/L")
    align: tuple[Align, ...] = tuple("<" if at < 2 else ">" for at in range(len(headers)))
    return Table(tuple(headers), align, tuple(rows))


def _width(labels: Sequence[str]) -> float:
    """Inches for a chart with these labels at its side: a phone's width, more for long names."""
    return min(3.6 + 0.07 * max(12, *map(len, labels)), 9.0)


def _listed(names: Sequence[str]) -> str:
    """Names without repeats; the first few of many."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - 3} more" if len(distinct) > 4 else ""
    shown = distinct[:3] if more else distinct
    return (", ".join(shown) if more else " and ".join([", ".join(shown[:-1]), shown[-1]])) + more
