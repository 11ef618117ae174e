"""Sheets of leaderboards: one, and those of several parts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from string import ascii_lowercase
from typing import Any

import numpy as np

from betterthan.errors import how_many
from betterthan.metrics.algebra import LOWER
from betterthan.ranking.board import Leaderboard, Leaderboards
from betterthan.render.explained_boards import PARTS, of_board
from betterthan.render.rankings import (
    LABEL,
    METHODS,
    PairRecords,
    decided,
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

ALL = "all"
"""What the board of all items is called among those of parts."""
NAMED = 8
"""Most systems that are all named: those that may be best, and those that one beats."""
_SAID_LOWER = re.compile(rf"\({LOWER}\)$|, {LOWER}(?=\)$)")
_LONGEST = 20
"""Most letters of a metric that heads its column."""
BEATS = "beats"
"""Header of the column of those that a system beats."""


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
    return replace(table.with_column(0, "part", "<", [name] * len(table.rows)), caption=f"{name}.")


def board_table(board: Leaderboard) -> Table:
    """The board as a table of finished text, on the scale that it is sorted by.

    Where that is a rating, the mean stands in front of it, without an interval.
    """
    rows = board.rows
    by_score = board.averages is not None and board.ranking.method in ("mean", "median")
    level = f"{100 * board.ranking.level:.4g} % interval"
    columns: list[tuple[str, Align, list[str]]] = [
        ("rank", ">", [ranks_text(row.rank_low, row.rank_high) for row in rows]),
        ("system", "<", [row.system for row in rows]),
    ]
    if len({row.n for row in rows}) > 1:
        columns.append(("n", ">", [f"{row.n:,}" for row in rows]))
    if board.averages is not None:
        scores, intervals = _scores(board)
        columns.append((_score_header(board), ">", scores))
        columns += [(level, ">", intervals)] * by_score
    if board.ratings is not None and not by_score:
        places = 0 if board.ratings.ratings is not None else 1
        spans = [_span(r.rating_low, r.rating_high, 1.0, places) for r in rows]
        columns.append(("rating", ">", [number(r.rating, places) for r in rows]))
        columns.append((level, ">", spans))
    if board.ranking.order_spread is not None:
        columns.append(("order sd", ">", [number(r.order_spread, 1) for r in rows]))
    columns.append(("comes first", ">", [share_text(row.comes_first) for row in rows]))
    columns.append((BEATS, "<", _beaten(board)))
    return Table(
        tuple(name for name, _, _ in columns),
        tuple(align for _, align, _ in columns),
        tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        label=LABEL,
        lists=(BEATS,),
    )


def _scores(board: Leaderboard) -> tuple[list[str], list[str]]:
    """Scores and their intervals, with the digits that the intervals justify."""
    factor = scale(board.percent)
    known = [row.interval for row in board.rows if row.interval is not None]
    widths = [factor * (interval.high - interval.low) / 2 for interval in known]
    places = digits(float(np.median(widths)) if widths else 0.0)
    intervals = [
        _span(x.low, x.high, factor, places) if (x := row.interval) else "" for row in board.rows
    ]
    return [number((row.score or 0) * factor, places) for row in board.rows], intervals


def _beaten(board: Leaderboard) -> list[str]:
    """Who is beaten, by name on a short board; on a long one how many are."""
    if len(board.rows) > NAMED:
        return [str(len(row.beats)) for row in board.rows]
    return [", ".join(row.beats) or "-" for row in board.rows]


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
    system, beats = table.headers.index("system"), table.headers.index(BEATS)
    ends = [k for k, header in enumerate(table.headers) if header.endswith(" interval")]
    bold = []
    for k in ends:
        best = table.rows[0][k - 1]
        bold += [(i, k - 1) for i, row in enumerate(table.rows) if row[k - 1] == best]
    caption = " ".join(["Best in bold.", *methods])
    if len(board.rows) > len(ascii_lowercase):
        return replace(table, caption=caption, bold=bold, intervals=ends)
    letters = dict(zip((r.system for r in board.rows), ascii_lowercase, strict=False))
    beaten = ("".join(letters[name] for name in row.beats) for row in board.rows)
    raised = {(i, system): text for i, text in enumerate(beaten) if text}
    caption += " Superscripts name the systems that are significantly worse."
    plain = replace(table, caption=caption, bold=bold, raised=raised, intervals=[beats])
    plain = replace(plain.for_paper(intervals=False), intervals=ends)
    return plain.with_column(0, "", "<", list(letters.values()))


def _span(low: float | None, high: float | None, factor: float, places: int) -> str:
    if low is None or high is None:
        return ""
    return f"[{number(low * factor, places)}, {number(high * factor, places)}]"


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
        if unmet:
            return f"{best}, if one scale fits: it never met {listed(unmet)}."
        apart = len(rest) > 1 and not beats[np.ix_(rest, rest)].any()
        others = f"   CAN'T TELL {listed([names[k] for k in rest], NAMED)} apart." * apart
        return f"{best}.{others}"
    if not rest and len(first) > 2 and not beats.any():
        return f"CAN'T TELL any of {len(first)} systems from another."
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
        return f"{said}."
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
    measured = _measured(board)
    long = f" Score: {measured}." if board.averages and len(measured) > _LONGEST else ""
    direction = " Lower is better." if board.lower_is_better else ""
    points = " Rates in points." if board.percent else ""
    return (
        f"Sorted by {METHODS.get(ranking.method, ranking.method)}{_same_order(board)}. "
        f"Beats: {how}, {how_many(count, 'comparison')}, {adjusted}, alpha {pairs.alpha:g}."
        f"{long}{direction}{points}",
        f"Ranks: the places that those verdicts leave open; they {joint}. Comes first: share of "
        f"{len(ranking.resamples):,} test sets, {ranking.units:,} {ranking.unit_name} resampled.",
    )


def _same_order(board: Leaderboard) -> str:
    """That ratings would order a board by the mean alike; a note says where they would not."""
    ratings = board.ratings
    if board.ranking.method != "mean" or ratings is None or ratings.method not in METHODS:
        return ""
    same = ratings.names == board.ranking.names
    return f"; {METHODS[ratings.method]} would give the same order" * same
