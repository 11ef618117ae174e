"""Pages of leaderboards: what the page's script needs to show any two systems.

Words and numbers are finished here, as everywhere; the script places, sorts and draws them. Of a
pair the better ranked system is the candidate, the other the baseline.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from betterthan.metrics import default
from betterthan.ranking.board import Leaderboard
from betterthan.ranking.by_model import ByModel
from betterthan.render import leaderboards
from betterthan.render.registry import sheet_of
from betterthan.render.report.items import Blocks
from betterthan.render.report.laws import LAWS, finite, law_record
from betterthan.render.report.page import Page, page_of
from betterthan.results.number_format import (
    CORRECTIONS,
    digits,
    format_p,
    number,
    p_text,
    scale,
    unit,
)
from betterthan.results.sheet import Sheet, Table
from betterthan.results.tests import TestResult


@page_of.register
def _(board: Leaderboard) -> Page:
    sheet: Sheet = sheet_of(board)
    blocks = Blocks()
    block = None
    if board.scores is not None:
        metric = board.metric or default(board.scores.columns)
        block = blocks.add(board.scores, metric, percent=board.percent)
    names = board.ranking.names
    alone = [row.rank_low for row in board.rows].count(1) == 1
    tests: dict[str, int] = {}
    pairs = _paired(board, tests)
    if sum(pair["law"] not in (None, "binomial") for pair in pairs) == LAWS < len(pairs):
        blocks.notes.append(
            f"what chance alone would give is drawn for the {LAWS} pairs closest in the ranking"
        )
    app = {
        "kind": "board",
        "systems": list(names),
        "pairs": pairs,
        "tests": list(tests),
        "block": block,
        "rows": _rows(board, sheet.tables[0]),
        "effect": _effect(board),
        "adjusted": (
            f"p ({CORRECTIONS[board.pairs.correction]})"
            if board.pairs.correction != "none"
            else None
        ),
        "several": False,
        "blocks": blocks.blocks,
        "sources": blocks.sources,
    }
    return Page(
        sheet=sheet,
        verdicts=[("better" if alone else "can't tell", leaderboards.verdict_of(board))],
        summary=sheet.remarks,
        tables=[("Leaderboard", sheet.tables[0])],
        notes=[*board.notes, *blocks.notes],
        app=app,
    )


def _rows(board: Leaderboard, table: Table) -> list[dict[str, Any]]:
    """What is drawn in the lines of the leaderboard, and what is said of a system elsewhere."""
    first = table.headers.index("n" if "n" in table.headers else "system") + 1
    names = table.headers[first : first + 2]
    ranking = board.ranking
    k = scale(board.percent) if ranking.method in ("mean", "median") else 1.0
    value, low, high = (k * ranking.shown(x) for x in (ranking.scores, ranking.low, ranking.high))
    return [
        {
            "value": finite([value[i]])[0],
            "ends": finite([low[i], high[i]]),
            "ranks": [row.rank_low, row.rank_high],
            "beaten": len(row.beats),
            "first": row.comes_first or 0.0,
            "said": f"{names[0]} {table.rows[i][first]}, {names[1]} {table.rows[i][first + 1]}",
        }
        for i, row in enumerate(board.rows)
    ]


def _effect(board: Leaderboard) -> dict[str, Any]:
    if board.pairs.method in ("mean", "median"):
        said = f"{board.pairs.method} difference{' in points' if board.percent else ''}"
        return {"name": said, "neutral": 0}
    return {"name": "share won, ties half", "neutral": 50}


def _paired(board: Leaderboard, tests: dict[str, int]) -> list[dict[str, Any]]:
    """Every pair that was tested; new kinds of tests are added to ``tests``."""
    pairs = board.pairs
    place = {name: k for k, name in enumerate(board.ranking.names)}
    row = {name: k for k, name in enumerate(pairs.names)}
    of_scores = pairs.method in ("mean", "median")
    k = scale(board.percent) if of_scores else 100.0
    largest = float(np.nanmax(np.abs(k * pairs.lead), initial=0.0))
    places = digits(largest / 10) if of_scores else 1
    nearest = _nearest(board)
    made = []
    for (first, second), test in pairs.results.items():
        b, a = place[first], place[second]
        at = row[first], row[second]
        effect = number(k * float(pairs.effect[at]), places, signed=of_scores)
        law, lost = _law(board, test) if (first, second) in nearest else (None, ())
        said = partial(p_text, alpha=pairs.alpha)
        p = [said(test.pvalue, test.log10_pvalue, floor=test.floor)]
        if pairs.correction != "none":
            p.append(said(float(pairs.adjusted[at]), float(pairs.log10_adjusted[at])))
        how = f"{test.test}, {test.kind}, by {test.engine}"
        made.append(
            {
                "a": a,
                "b": b,
                "verdict": _verdict(bool(board.beats[b, a]), bool(board.beats[a, b])),
                "effect": effect + (unit(board.percent) if of_scores else " % won"),
                "lead": round(k * float(pairs.lead[at]), 6),
                "p": p,
                "counts": [int(x[at]) for x in (pairs.wins, pairs.ties, pairs.losses)],
                "law": law,
                "test": tests.setdefault(how, len(tests)),
            }
            | ({"notes": [*test.notes, *lost]} if test.notes or lost else {})
            | ({} if board.model is None else {"decided": _decided(board, board.model, at)})
        )
    return made


def _decided(board: Leaderboard, model: ByModel, at: tuple[int, int]) -> str:
    """What decided a pair of a board that ratings decide where they can."""
    how = "difference of ratings" if model.rated[at] else f"this {board.pairs.test} test"
    adjusted = CORRECTIONS.get(board.pairs.correction, "not adjusted")
    p = float(model.adjusted[at])
    return f"{how}, p {format_p(p, math.log10(p))} ({adjusted}, all pairs)"


def _verdict(better: bool, worse: bool) -> str:
    return "better" if better else "worse" if worse else "can't tell"


def _law(board: Leaderboard, test: TestResult) -> tuple[Any, tuple[str, ...]]:
    """A law to draw; a binomial one is worked out by the page itself, from wins and losses."""
    if _is_binomial(test):
        return "binomial", ()
    return law_record(test, percent=board.percent)


def _is_binomial(test: TestResult) -> bool:
    return test.engine == "binomial law" and test.alternative == "two-sided"


def _nearest(board: Leaderboard) -> set[tuple[str, str]]:
    """Pairs whose law is drawn: if work is needed, those that are closest in the ranking."""
    place = {name: k for k, name in enumerate(board.ranking.names)}
    tested = sorted(board.pairs.results, key=lambda both: abs(place[both[0]] - place[both[1]]))
    easy = {both for both in tested if _is_binomial(board.pairs.results[both])}
    return easy | set([both for both in tested if both not in easy][:LAWS])
