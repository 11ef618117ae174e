"""Sheets of leaderboards: one, and those of several parts."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from string import ascii_lowercase
from typing import Any

import numpy as np

from betterthan.metrics.algebra import LOWER
from betterthan.ranking.board import Leaderboard, Leaderboards, Row
from betterthan.render.explained_boards import PARTS, of_board
from betterthan.render.rankings import (
    LABEL,
    METHODS,
    PairRecords,
    decided,
    letters_of,
    share_text,
)
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import (
    CORRECTIONS,
    digits,
    format_p,
    listed,
    number,
    ranks_text,
    scale,
)
from betterthan.results.sheet import Align, Sheet, Table, attributes, note_on, row_of

_RATINGS = {"bradley-terry": "BT", "elo": "Elo", "trueskill": "TrueSkill"}
ALL = "all"
"""What the board of all items is called among those of parts."""
NAMED = 8
"""Most systems that may be best and are all named."""
_SAID_LOWER = re.compile(rf"\({LOWER}\)$|, {LOWER}(?=\)$)")
_LONGEST = 20
"""Most letters of a metric that heads its column."""
_LETTERS = 26
"""Most systems that superscripts of one letter can name."""


@sheet_of.register
def _(board: Leaderboard) -> Sheet:
    methods = summary_of(board)
    table = board_table(board)
    return Sheet(
        title="Leaderboard of " + listed(board.ranking.names),
        kind="board",
        rows=_rows(board, None),
        facts={**_facts(board), "pairs": PairRecords(board.pairs, board.model)},
        headlines=(verdict_of(board),),
        tables=(table,),
        remarks=methods,
        notes=board.notes,
        signature=board.signature,
        paper=lambda: (_for_paper(board, table, methods),),
        layout="board",
        source=board.source,
        methods=lambda: " ".join(methods),
        explanation=lambda: of_board(board),
    )


@sheet_of.register
def _(made: Leaderboards) -> Sheet:
    sheets: list[tuple[str, Sheet]] = [(part or ALL, sheet_of(b)) for part, b in made.boards]
    first = sheets[0][1]
    return Sheet(
        title="Leaderboards of " + listed([name for name, _ in sheets]),
        kind="board",
        rows=[row for part, board in made.boards for row in _rows(board, part)],
        facts={
            **_facts(made.boards[0][1]),
            "pairs": list(chain(*(PairRecords(b.pairs, b.model, x) for x, b in made.boards))),
        },
        headlines=tuple(f"{name}: {line}" for name, s in sheets for line in s.headlines),
        tables=tuple(_of_part(t, name) for name, s in sheets for t in s.tables),
        remarks=tuple(dict.fromkeys(line for _, s in sheets for line in s.remarks)),
        notes=(*made.notes, *(note_on(name, note) for name, s in sheets for note in s.notes)),
        signature=" ".join(s.signature for _, s in sheets),
        paper=lambda: tuple(
            replace(t, caption=f"{name}. {t.caption}") for name, s in sheets for t in s.paper()
        ),
        layout="board",
        source=first.source,
        methods=first.methods,
        explanation=lambda: (*first.explanation(), PARTS),
    )


def _rows(board: Leaderboard, subset: str | None) -> list[dict[str, Any]]:
    """Rows of a board, with what they have in common."""
    metric = None if board.metric is None else repr(board.metric)
    return [row_of("board", row, metric=metric, subset=subset) for row in board.rows]


def _facts(board: Leaderboard) -> dict[str, Any]:
    return {
        **attributes(board.pairs, "alpha", "correction", "test"),
        **attributes(board.ranking, "method", "lower_is_better", "converged"),
        "decided_by": board.decided_by,
    }


def _of_part(table: Table, name: str) -> Table:
    """The table with a first column that says what it is of."""
    return Table(
        ("part", *table.headers),
        ("<", *table.align),
        tuple((name, *row) for row in table.rows),
        f"{name}.",
        table.label,
        lists=table.lists,
    )


def board_table(board: Leaderboard) -> Table:
    """The board as a table of finished text."""
    level = f"{100 * board.ranking.level:.4g} % CI"
    score = _score_header(board)
    rating = "rating" if board.ratings is None else _RATINGS.get(board.ratings.method, "rating")
    rows = board.rows
    columns: list[tuple[str, Align, list[str]]] = [
        ("rank", ">", [ranks_text(row.rank_low, row.rank_high) for row in rows]),
        ("", "<", letters_of(len(rows))),
        ("system", "<", [row.system for row in rows]),
    ]
    if len({row.n for row in rows}) > 1:
        columns.append(("n", ">", [f"{row.n:,}" for row in rows]))
    if board.averages is not None:
        factor = scale(board.percent)
        widths = [
            factor * (r.interval.high - r.interval.low) / 2 for r in rows if r.interval is not None
        ]
        places = digits(float(np.median(widths)) if widths else 0.0)
        columns.append((score, ">", [number((r.score or 0) * factor, places) for r in rows]))
        ends = [(None, None) if (x := r.interval) is None else (x.low, x.high) for r in rows]
        spans = [_span(low, high, factor, places) for low, high in ends]
        columns.append((level, ">", spans))
    if board.ratings is not None:
        places = 0 if board.ratings.ratings is not None else 1
        columns.append((rating, ">", [number(r.rating, places) for r in rows]))
        spans = [_span(r.rating_low, r.rating_high, 1.0, places) for r in rows]
        columns.append((level, ">", spans))
    if board.ranking.order_spread is not None:
        columns.append(("order sd", ">", [number(r.order_spread, 1) for r in rows]))
    columns.append(("P(best)", ">", [share_text(row.comes_first) for row in rows]))
    columns.append(("tier", ">", [str(row.tier) for row in rows]))
    columns.append((_beats_header(board), "<", [_letters(row, rows) for row in rows]))
    return Table(
        tuple(name for name, _, _ in columns),
        tuple(align for _, align, _ in columns),
        tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        label=LABEL,
        lists=(_beats_header(board),),
    )


def _measured(board: Leaderboard) -> str:
    if board.ranking.method == "median":
        return "median"
    return _SAID_LOWER.sub("", repr(board.metric)) if board.metric else ""


def _score_header(board: Leaderboard) -> str:
    """The metric and, where it is so, that lower is better; names that are too long stand below."""
    measured = _measured(board)
    named = measured if measured and len(measured) <= _LONGEST else "score"
    return f"{named}, lower is better" if board.lower_is_better else named


def _for_paper(board: Leaderboard, table: Table, methods: Sequence[str]) -> Table:
    """Best in bold, the systems beaten as superscripts while these can be read."""
    beats, system = len(table.headers) - 1, table.headers.index("system")
    ends = [k for k, header in enumerate(table.headers) if header.endswith(" CI")]
    sign = -1.0 if board.lower_is_better else 1.0
    known: list[list[float]] = []
    if board.averages is not None:
        known.append([-math.inf if r.score is None else sign * r.score for r in board.rows])
    if board.ratings is not None:
        known.append([-math.inf if r.rating is None else r.rating for r in board.rows])
    bold = []
    for k, values in zip(ends, known, strict=True):
        best = values.index(max(values))
        same = [i for i, row in enumerate(table.rows) if row[k - 1] == table.rows[best][k - 1]]
        bold += [(i, k - 1) for i in same]
    caption = " ".join(["Best in bold.", *methods])
    if len(board.rows) > _LETTERS:
        return replace(table, caption=caption, bold=bold, intervals=ends)
    letters = dict(zip((r.system for r in board.rows), ascii_lowercase, strict=False))
    beaten = ("".join(letters[name] for name in row.beats) for row in board.rows)
    raised = {(i, system): text for i, text in enumerate(beaten) if text}
    caption += " Superscripts name the systems that are significantly worse."
    made = replace(table, caption=caption, bold=bold, raised=raised, intervals=[beats])
    return replace(made.for_paper(intervals=False), intervals=ends)


def _beats_header(board: Leaderboard) -> str:
    correction = board.pairs.correction
    return "beats" if correction == "none" else f"beats ({CORRECTIONS[correction]})"


def _letters(row: Row, rows: Sequence[Row]) -> str:
    """Letters of the systems beaten; five or more in a row are written as a span."""
    beaten = set(row.beats)
    spans: list[list[str]] = [[]]
    for letter, other in zip(letters_of(len(rows)), rows, strict=True):
        if other.system in beaten:
            spans[-1].append(letter)
        else:
            spans.append([])
    return " ".join(
        f"{span[0]}–{span[-1]}" if len(span) >= 5 else " ".join(span) for span in spans if span
    )


def _span(low: float | None, high: float | None, factor: float, places: int) -> str:
    if low is None or high is None:
        return ""
    return f"{number(low * factor, places)}–{number(high * factor, places)}".replace("–-", "– -")


def verdict_of(board: Leaderboard) -> str:
    """Who may be best, by name, and how many systems those beat."""
    beats, names = board.beats, [row.system for row in board.rows]
    first = [k for k, row in enumerate(board.rows) if row.rank_low == 1]
    rest = [k for k, row in enumerate(board.rows) if row.rank_low > 1]
    beaten = [int(beats[first, k].sum()) for k in rest]
    by_all = beaten.count(len(first))
    if len(first) == 1:
        best = f"{names[first[0]]} is BETTER than every other system"
        if by_all < len(rest):
            return (
                f"{names[first[0]]} comes first: it beats {by_all} of the {len(rest)} others "
                "itself, and systems below it beat the rest."
            )
        met = board.pairs.n[board.pairs.names.index(names[first[0]])]
        unmet = [board.pairs.names[k] for k in np.flatnonzero(met == 0)]
        unmet = [name for name in unmet if name != names[first[0]]]
        return f"{best}, if one scale fits: it never met {listed(unmet)}." if unmet else f"{best}."
    circle = ""
    if len(first) == 2:
        said = f"CAN'T TELL {names[first[0]]} from {names[first[1]]}{_p_of(board, *first)}"
        said += ": either may be best" * bool(rest)
    else:
        if beats[np.ix_(first, first)].any():
            circle = "; their wins go round in a circle"
        said = (
            f"CAN'T TELL which is best: {listed([names[k] for k in first], NAMED)} may be{circle}"
        )
    if not rest:
        nobody = "" if len(first) == 2 or circle else "; no system is beaten by another"
        return f"{said}{nobody}."
    some = sum(0 < n < len(first) for n in beaten)
    word = {2: "both", 3: "all three"}.get(len(first), f"all {len(first)}")
    counts = [(by_all, f"by {word}"), (some, "by some of them"), (beaten.count(0), "by others")]
    told = [(n, how) for n, how in counts if n]
    n, how = told[0]
    head = f"{n} {'systems are' if n > 1 else 'system is'} beaten {how}"
    return f"{said}; {', '.join([head, *(f'{n} {how}' for n, how in told[1:])])}."


def _p_of(board: Leaderboard, i: int, j: int) -> str:
    pairs = board.pairs
    at = pairs.names.index(board.rows[i].system), pairs.names.index(board.rows[j].system)
    p, log10 = float(pairs.adjusted[at]), float(pairs.log10_adjusted[at])
    if board.decided_by == "model" or np.isnan(p):
        return ""
    return f" (p {format_p(p, log10, alpha=pairs.alpha)})"


def summary_of(board: Leaderboard) -> tuple[str, ...]:
    """How the board was made, in sentences."""
    ranking, pairs = board.ranking, board.pairs
    by_pairs = board.decided_by != "model"
    how, joint = decided(pairs.test if by_pairs else "model", pairs.correction, pairs.alpha)
    if board.model is not None:
        others = int(np.count_nonzero(np.triu(~board.model.rated, 1)))
        by_test = f"{pairs.test} test"
        if not board.model.rated.any():
            how = by_test
        elif others:
            how += f" ({others:,} by {by_test})"
    adjusted = CORRECTIONS.get(pairs.correction, "not adjusted")
    count = len(pairs.results) if by_pairs else len(ranking.names) * (len(ranking.names) - 1) // 2
    counted = f"{count:,} comparison" + "s" * (count != 1)
    method = METHODS.get(ranking.method, ranking.method)
    measured = _measured(board)
    long = f" Score: {measured}." if board.averages and len(measured) > _LONGEST else ""
    direction = " Lower is better." if board.lower_is_better else ""
    points = " Rates in points." if board.percent else ""
    return (
        f"Sorted by {method}; ranks follow from who beats whom and {joint}; "
        f"{ranking.units:,} {ranking.unit_name} resampled {len(ranking.resamples):,} times.",
        f"P(best): share of resamples. Beats: {how}, {counted}, {adjusted}, "
        f"alpha {pairs.alpha:g}.{long}{direction}{points}",
    )
