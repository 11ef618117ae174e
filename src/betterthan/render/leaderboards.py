"""Leaderboards as text, Markdown, LaTeX, JSON and CSV.

The JSON schema is ``betterthan/leaderboard/1``: the names are those of the Python attributes, and
numbers are never rounded.
"""

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from betterthan.ranking.board import Leaderboard, Row
from betterthan.render.numbers import digits, number, p_text, scale
from betterthan.render.tables import Align, Table, to_csv, to_latex, to_markdown, to_text

SCHEMA = "betterthan/leaderboard/1"


def render(board: Leaderboard, style: str) -> str:
    """Write a leaderboard in one of the styles ``table``, ``md``, ``json``, ``csv``, ``latex``."""
    return {
        "table": as_text,
        "md": as_markdown,
        "json": as_json,
        "csv": as_csv,
        "latex": as_latex,
    }[style](board)


def as_text(board: Leaderboard) -> str:
    """The table, what is not separable, how it was made, and the notes."""
    notes = [f" ! {note}" for note in board.notes]
    lines = [to_text(table_of(board)), "", *summary_of(board), *notes]
    return "\n".join([*lines, f"signature: {board.signature}"])


def as_markdown(board: Leaderboard) -> str:
    """The table, the summary, the notes and the signature."""
    notes = "\n".join(f"- {note}" for note in board.notes)
    summary = "\n".join(line.strip() for line in summary_of(board))
    blocks = [to_markdown(table_of(board)), summary, notes, f"`{board.signature}`"]
    return "\n\n".join(block for block in blocks if block)


def as_latex(board: Leaderboard) -> str:
    """A booktabs table: best in bold, the systems beaten as superscripts."""
    table = table_of(board)
    system, beats = (table.headers.index(h) for h in ("system", _beats_header(board)))
    caption = " ".join(line.strip() for line in _methods(board))
    best = [(i, system) for i, row in enumerate(board.rows) if row.rank_high == 1]
    if len(board.rows) > 26:  # superscripts of two letters could not be read
        return to_latex(table, caption=caption, label="tab:leaderboard", bold=best)
    rows = tuple(
        tuple(
            f"{cell}^{''.join(row.beats)}" if j == system and row.beats else cell
            for j, cell in enumerate(cells)
            if j != beats
        )
        for row, cells in zip(board.rows, table.rows, strict=True)
    )
    kept = [j for j in range(len(table.headers)) if j != beats]
    slim = Table(tuple(table.headers[j] for j in kept), tuple(table.align[j] for j in kept), rows)
    caption += " Superscripts name the systems that are significantly worse."
    return to_latex(slim, caption=caption, label="tab:leaderboard", bold=best)


def as_json(board: Leaderboard) -> str:
    """The versioned schema, unrounded."""
    pairs = board.pairs
    document = {
        "schema": SCHEMA,
        "method": board.ranking.method,
        "metric": board.metric or None,
        "lower_is_better": board.ranking.lower_is_better,
        "rows": [_record(row) for row in board.rows],
        "pairs": [
            {
                "first": a,
                "second": b,
                "effect": float(pairs.effect[pairs.names.index(a), pairs.names.index(b)]),
                "pvalue": result.pvalue,
                "log10_pvalue": result.log10_pvalue,
                "pvalue_adjusted": float(
                    pairs.adjusted[pairs.names.index(a), pairs.names.index(b)]
                ),
                "wins": int(pairs.wins[pairs.names.index(a), pairs.names.index(b)]),
                "ties": int(pairs.ties[pairs.names.index(a), pairs.names.index(b)]),
                "losses": int(pairs.losses[pairs.names.index(a), pairs.names.index(b)]),
            }
            for (a, b), result in pairs.results.items()
        ],
        "test": pairs.test,
        "correction": pairs.correction,
        "alpha": pairs.alpha,
        "confidence": board.ranking.confidence,
        "units": board.ranking.units,
        "unit": board.ranking.unit_name,
        "converged": board.ranking.converged,
        "source": board.source,
        "notes": list(board.notes),
        "signature": board.signature,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def as_csv(board: Leaderboard) -> str:
    """One row a system, unrounded."""
    return to_csv([{**_record(row), "beats": " ".join(row.beats)} for row in board.rows])


def _record(row: Row) -> dict[str, Any]:
    return {**asdict(row), "beats": list(row.beats)}


def table_of(board: Leaderboard) -> Table:
    """The board as a table of finished text."""
    level = f"{board.ranking.confidence:.0%} CI"
    measured = "median" if board.ranking.method == "median" else board.metric
    score = measured if measured and len(measured) <= 12 else "score"
    rating = "rating" if board.ratings is None else _rating_name(board)
    ragged = len({row.n for row in board.rows}) > 1
    columns: list[tuple[str, Align, list[str]]] = [
        ("rank", ">", [_ranks(row) for row in board.rows]),
        ("", "<", [row.letter for row in board.rows]),
        ("system", "<", [row.name for row in board.rows]),
    ]
    if ragged:
        columns.append(("n", ">", [f"{row.n:,}" for row in board.rows]))
    if board.averages is not None:
        factor = scale(board.percent)
        widths = [factor * ((r.score_high or 0) - (r.score_low or 0)) / 2 for r in board.rows]
        places = digits(float(np.median(widths)))
        columns.append((score, ">", [number((r.score or 0) * factor, places) for r in board.rows]))
        spans = [_span(r.score_low, r.score_high, factor, places) for r in board.rows]
        columns.append((level, ">", spans))
    if board.ratings is not None:
        places = 0 if board.ratings.ratings is not None else 1
        columns.append((rating, ">", [number(r.rating, places) for r in board.rows]))
        spans = [_span(r.rating_low, r.rating_high, 1.0, places) for r in board.rows]
        columns.append((level, ">", spans))
    if board.ranking.order_spread is not None:
        columns.append(("order sd", ">", [number(r.order_spread, 1) for r in board.rows]))
    columns.append(("P(best)", ">", [_share(row.p_best) for row in board.rows]))
    columns.append(("tier", ">", [str(row.tier) for row in board.rows]))
    columns.append((_beats_header(board), "<", [_letters(row, board) for row in board.rows]))
    return Table(
        tuple(name for name, _, _ in columns),
        tuple(align for _, align, _ in columns),
        tuple(zip(*(cells for _, _, cells in columns), strict=True)),
    )


def _rating_name(board: Leaderboard) -> str:
    names = {"bradley-terry": "BT", "elo": "Elo", "trueskill": "TrueSkill"}
    return names.get(board.ratings.method if board.ratings else "", "rating")


def _beats_header(board: Leaderboard) -> str:
    if board.decided_by == "model":
        return "beats (joint)"
    correction = board.pairs.correction
    return "beats" if correction == "none" else f"beats ({correction.capitalize()})"


def _letters(row: Row, board: Leaderboard) -> str:
    """Letters of the systems beaten; five or more in a row are written as a span."""
    beaten = set(row.beats)
    spans: list[list[str]] = []
    for other in board.rows:
        if other.letter not in beaten:
            spans.append([])
        elif spans:
            spans[-1].append(other.letter)
        else:
            spans.append([other.letter])
    return " ".join(
        f"{span[0]}–{span[-1]}" if len(span) >= 5 else " ".join(span) for span in spans if span
    )


def _ranks(row: Row) -> str:
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def _span(low: float | None, high: float | None, factor: float, places: int) -> str:
    if low is None or high is None:
        return ""
    return f"{number(low * factor, places)}–{number(high * factor, places)}".replace("–-", "– -")


def _share(p: float) -> str:
    """P(best) in two digits; 1 and 0 only where it is so in every resample.

    >>> [_share(p) for p in (1.0, 0.9996, 0.5, 0.004, 0.0)]
    ['1', '>.99', '.50', '<.01', '0']
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p > 0.995:
        return ">.99"
    return "<.01" if p < 0.005 else f"{p:.2f}".lstrip("0")


def summary_of(board: Leaderboard) -> list[str]:
    """What the board says, in sentences."""
    top = [row.name for row in board.rows if row.tier == board.rows[0].tier]
    if len(top) == 1:
        said = f" {top[0]} is BETTER than every other system."
    elif len(top) == 2:
        p = float(board.pairs.adjusted[0, 1])
        shown = "" if np.isnan(p) else f" (p = {p_text(p, float(np.log10(max(p, 1e-300))))})"
        said = f" CAN'T TELL {top[0]} from {top[1]}{shown}."
    else:
        said = f" CAN'T TELL all of the first {len(top)} systems apart."
    return [said, *_methods(board)]


def _methods(board: Leaderboard) -> list[str]:
    ranking, pairs = board.ranking, board.pairs
    level = f"{ranking.confidence:.0%}"
    if board.decided_by == "model":
        beats = f"joint {level} intervals of all differences"
    else:
        how = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH", "by": "BY"}
        adjusted = how.get(pairs.correction, "not adjusted")
        beats = (
            f"{pairs.test} test, {len(pairs.results):,} comparisons, {adjusted}, "
            f"alpha {pairs.alpha:g}"
        )
    direction = " Lower is better." if ranking.lower_is_better else ""
    points = " Rates in points." if board.percent else ""
    return [
        f" Sorted by {ranking.method}; ranks hold jointly at {level}; "
        f"{ranking.units:,} {ranking.unit_name} resampled {len(ranking.resamples):,} times.",
        f" P(best): share of resamples. Beats: {beats}.{direction}{points}",
    ]
