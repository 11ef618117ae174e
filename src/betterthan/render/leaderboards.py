"""Sheets of rankings: the leaderboard, one ranking by itself, and all pairs of systems.

The JSON schemas are ``betterthan/leaderboard/1``, ``betterthan/ranking/1`` and
``betterthan/pairwise/1``: the names are those of the Python attributes, and numbers are never
rounded.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from betterthan.ranking.board import Leaderboard, Row
from betterthan.ranking.decisions import JOINT
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.render.registry import sheet_of
from betterthan.results.sheet import Align, Sheet, Table
from betterthan.results.wording import digits, listed, number, p_text, scale

_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "hochberg": "Hochberg",
    "sidak": "Sidak",
    "bh": "BH",
    "by": "BY",
}
_RATINGS = {"bradley-terry": "BT", "elo": "Elo", "trueskill": "TrueSkill"}
_LABEL = "tab:leaderboard"
_LETTERS = 26
"""Most systems that superscripts of one letter can name."""


@sheet_of.register
def _(board: Leaderboard) -> Sheet:
    ranking, pairs = board.ranking, board.pairs
    records = [asdict(row) for row in board.rows]
    said, *methods = summary_of(board)
    return Sheet(
        title="Leaderboard of " + listed(ranking.names),
        document={
            "schema": "betterthan/leaderboard/1",
            "method": ranking.method,
            "metric": None if board.metric is None else repr(board.metric),
            "lower_is_better": ranking.lower_is_better,
            "rows": records,
            "pairs": _pair_records(pairs),
            "test": pairs.test,
            "correction": pairs.correction,
            "alpha": pairs.alpha,
            "confidence": ranking.confidence,
            "units": ranking.units,
            "unit": ranking.unit_name,
            "converged": ranking.converged,
            "source": board.source,
            "notes": board.notes,
            "signature": board.signature,
        },
        records=[{**r, "beats": " ".join(r["beats"])} for r in records],
        tables=(table_of(board),),
        remarks=(said, *methods),
        notes=board.notes,
        signature=board.signature,
        latex=(_latex_table(board, " ".join(methods)),),
        layout="board",
        source=board.source,
        methods=" ".join(methods),
    )


@sheet_of.register
def _(ranking: Ranking) -> Sheet:
    columns = ["scores", "low", "high", "rank_low", "rank_high", "p_best"]
    columns += [c for c in ("order_spread", "sigma") if getattr(ranking, c) is not None]
    records = [
        {"name": name, **{c.removesuffix("s"): _known(getattr(ranking, c)[k]) for c in columns}}
        for k, name in enumerate(ranking.names)
    ]
    level = f"{ranking.confidence:.0%}".replace("%", " %")
    rows = [
        (
            _ranks(r["rank_low"], r["rank_high"]),
            r["name"],
            f"{r['score']:.5g}",
            "" if r["low"] is None else f"[{r['low']:.4g}, {r['high']:.4g}]",
            _share(r["p_best"]),
        )
        for r in records
    ]
    headline = (
        f"{ranking.method} ranking of {len(ranking.names)} systems on {ranking.units:,} "
        f"{ranking.unit_name} ({level} intervals by {ranking.interval})"
    )
    return Sheet(
        title="Ranking of " + listed(ranking.names),
        document={
            "schema": "betterthan/ranking/1",
            "method": ranking.method,
            "lower_is_better": ranking.lower_is_better,
            "rows": records,
            "ties": ranking.ties,
            "tie_parameter": ranking.tie_parameter,
            "confidence": ranking.confidence,
            "interval": ranking.interval,
            "units": ranking.units,
            "unit": ranking.unit_name,
            "converged": ranking.converged,
            "notes": ranking.notes,
            "signature": ranking.signature,
        },
        records=records,
        headlines=(headline,),
        tables=(
            Table.of(
                ("ranks", "system", "score", "interval", "P(best)"),
                rows,
                left=("system",),
                label=_LABEL,
            ),
        ),
        notes=ranking.notes,
        signature=ranking.signature,
        layout="plain",
    )


@sheet_of.register
def _(pairs: Pairwise) -> Sheet:
    records = _pair_records(pairs)
    how = _CORRECTIONS.get(pairs.correction, "not adjusted")
    headline = f"{pairs.test} tests of {len(records):,} pairs of systems ({how})"
    return Sheet(
        title="Pairs of " + listed(pairs.names),
        document={
            "schema": "betterthan/pairwise/1",
            "method": pairs.method,
            "test": pairs.test,
            "correction": pairs.correction,
            "alpha": pairs.alpha,
            "pairs": records,
        },
        records=records,
        headlines=(headline,),
        tables=(pairs_table(pairs),),
        layout="plain",
    )


def _pair_records(pairs: Pairwise) -> list[dict[str, Any]]:
    records = []
    for (first, second), test in pairs.results.items():
        at = pairs.names.index(first), pairs.names.index(second)
        records.append(
            {
                "first": first,
                "second": second,
                "effect": pairs.effect[at].item(),
                "pvalue": test.pvalue,
                "log10_pvalue": test.log10_pvalue,
                "pvalue_adjusted": pairs.adjusted[at].item(),
                "log10_pvalue_adjusted": pairs.log10_adjusted[at].item(),
                "wins": int(pairs.wins[at]),
                "ties": int(pairs.ties[at]),
                "losses": int(pairs.losses[at]),
            }
        )
    return records


def pairs_table(pairs: Pairwise) -> Table:
    """All pairs that were tested."""
    adjusted = pairs.correction != "none"
    effect = "difference" if pairs.method in ("mean", "median") else "share won"
    headers = ["first", "second", effect, "p"] + [f"p ({pairs.correction})"] * adjusted
    rows = []
    for r in _pair_records(pairs):
        row = [r["first"], r["second"], f"{r['effect']:.3g}"]
        row += [p_text(r["pvalue"], r["log10_pvalue"])]
        row += [p_text(r["pvalue_adjusted"], r["log10_pvalue_adjusted"])] * adjusted
        rows.append([*row, f"{r['wins']}/{r['ties']}/{r['losses']}"])
    return Table.of([*headers, "W/T/L"], rows, left=("first", "second"), label="tab:pairs")


def table_of(board: Leaderboard) -> Table:
    """The board as a table of finished text."""
    level = f"{board.ranking.confidence:.0%} CI"
    median = board.ranking.method == "median"
    measured = "median" if median else repr(board.metric) if board.metric else ""
    score = measured if measured and len(measured) <= 12 else "score"
    rating = "rating" if board.ratings is None else _RATINGS.get(board.ratings.method, "rating")
    rows = board.rows
    columns: list[tuple[str, Align, list[str]]] = [
        ("rank", ">", [_ranks(row.rank_low, row.rank_high) for row in rows]),
        ("", "<", [row.letter for row in rows]),
        ("system", "<", [row.name for row in rows]),
    ]
    if len({row.n for row in rows}) > 1:
        columns.append(("n", ">", [f"{row.n:,}" for row in rows]))
    if board.averages is not None:
        factor = scale(board.rate)
        widths = [
            factor * (r.score_high - r.score_low) / 2
            for r in rows
            if r.score_high is not None and r.score_low is not None
        ]
        places = digits(float(np.median(widths)) if widths else 0.0)
        columns.append((score, ">", [number((r.score or 0) * factor, places) for r in rows]))
        spans = [_span(r.score_low, r.score_high, factor, places) for r in rows]
        columns.append((level, ">", spans))
    if board.ratings is not None:
        places = 0 if board.ratings.ratings is not None else 1
        columns.append((rating, ">", [number(r.rating, places) for r in rows]))
        spans = [_span(r.rating_low, r.rating_high, 1.0, places) for r in rows]
        columns.append((level, ">", spans))
    if board.ranking.order_spread is not None:
        columns.append(("order sd", ">", [number(r.order_spread, 1) for r in rows]))
    columns.append(("P(best)", ">", [_share(row.p_best) for row in rows]))
    columns.append(("tier", ">", [str(row.tier) for row in rows]))
    columns.append((_beats_header(board), "<", [_letters(row, board) for row in rows]))
    return Table(
        tuple(name for name, _, _ in columns),
        tuple(align for _, align, _ in columns),
        tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        label=_LABEL,
    )


def _latex_table(board: Leaderboard, caption: str) -> Table:
    """Best in bold, the systems beaten as superscripts while these can be read."""
    table = table_of(board)
    system, beats = (table.headers.index(h) for h in ("system", _beats_header(board)))
    best = [(i, system) for i, row in enumerate(board.rows) if row.rank_high == 1]
    if len(board.rows) > _LETTERS:
        return Table(table.headers, table.align, table.rows, caption, _LABEL, best)
    kept = [j for j in range(len(table.headers)) if j != beats]
    rows = tuple(
        tuple(
            f"{cells[j]}^{''.join(row.beats)}" if j == system and row.beats else cells[j]
            for j in kept
        )
        for row, cells in zip(board.rows, table.rows, strict=True)
    )
    caption += " Superscripts name the systems that are significantly worse."
    headers, align = tuple(table.headers[j] for j in kept), tuple(table.align[j] for j in kept)
    return Table(headers, align, rows, caption, _LABEL, best)


def _beats_header(board: Leaderboard) -> str:
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


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _span(low: float | None, high: float | None, factor: float, places: int) -> str:
    if low is None or high is None:
        return ""
    return f"{number(low * factor, places)}–{number(high * factor, places)}".replace("–-", "– -")


def _known(x: Any) -> Any:
    return None if np.isnan(x) else x.item()


def _share(p: float | None) -> str:
    """P(best) in two digits; 1 and 0 only where it is so in every resample.

    >>> [_share(p) for p in (1.0, 0.9996, 0.5, 0.004, 0.0)]
    ['1', '>.99', '.50', '<.01', '0']
    """
    if p is None:
        return ""
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p > 0.995:
        return ">.99"
    return "<.01" if p < 0.005 else f"{p:.2f}".lstrip("0")


def summary_of(board: Leaderboard) -> list[str]:
    """What the board says, in sentences: the verdict first."""
    ranking, pairs = board.ranking, board.pairs
    top = [row.name for row in board.rows if row.tier == board.rows[0].tier]
    by_pairs = board.decided_by != "model"
    if len(top) == 1:
        unmet = [name for name, n in zip(ranking.names, pairs.n[0], strict=True) if not n][1:]
        said = f"{top[0]} is BETTER than every other system."
        if unmet:
            said = (
                f"{top[0]} is BETTER than every other system, if one scale fits: it never met "
                f"{listed(unmet)}."
            )
    elif len(top) == 2:
        p, log10 = float(pairs.adjusted[0, 1]), float(pairs.log10_adjusted[0, 1])
        shown = f" (p = {p_text(p, log10)})" if by_pairs and not np.isnan(p) else ""
        said = f"CAN'T TELL {top[0]} from {top[1]}{shown}."
    else:
        said = f"CAN'T TELL all of the first {len(top)} systems apart."
    adjusted = _CORRECTIONS.get(pairs.correction, "not adjusted")
    count = len(pairs.results) if by_pairs else len(ranking.names) * (len(ranking.names) - 1) // 2
    how = f"{pairs.test} test" if by_pairs else "differences of ratings, Student's law"
    level = f"{1 - pairs.alpha:.0%}"
    level = level if by_pairs else f"about {level}"
    joint = f"hold jointly at {level}" if pairs.correction in JOINT else "do not hold jointly"
    direction = " Lower is better." if ranking.lower_is_better else ""
    points = " Rates in points." if board.rate else ""
    return [
        said,
        f"Sorted by {ranking.method}; ranks follow from who beats whom and {joint}; "
        f"{ranking.units:,} {ranking.unit_name} resampled {len(ranking.resamples):,} times.",
        f"P(best): share of resamples. Beats: {how}, {count:,} comparisons, {adjusted}, "
        f"alpha {pairs.alpha:g}.{direction}{points}",
    ]
