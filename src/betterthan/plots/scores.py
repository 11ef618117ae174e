"""Scores with their intervals, drawn."""

from typing import Any

import numpy as np

from betterthan.comparison.scoring import SystemScore, SystemScores
from betterthan.plots import kinds_of
from betterthan.plots.look import INK, axes, bare, beside, named, rows_height, title

kinds_of.register(SystemScores, lambda _: {"score": score_intervals})


def score_intervals(found: SystemScores, ax: Any = None) -> Any:
    """Scores and their intervals, one line each; an end that is not known leaves the picture."""
    ax = bare(axes(ax, height=rows_height(len(found))), grid="x")
    rows = np.arange(len(found))[::-1]
    points = all(e.percent for e in found)
    k = 100.0 if points else 1.0
    known = [x * k for e in found for x in (e.interval.low, e.score, e.interval.high)]
    finite = [x for x in known if np.isfinite(x)]
    room = max(max(finite) - min(finite), abs(max(finite)) * 1e-3, 1e-9)
    edges = min(finite) - 0.1 * room, max(finite) + 0.1 * room
    for row, e in zip(rows, found, strict=True):
        ends = [float(np.clip(x * k, *edges)) for x in (e.interval.low, e.interval.high)]
        ax.plot(ends, [row, row], color=INK, linewidth=2.2, solid_capstyle="round")
        ax.plot([e.score * k], [row], "o", color=INK, markersize=6)
        beside(ax, row, f"n {e.n:,}")
    ax.set_xlim(*edges)
    ax.set_yticks(rows, [_row_name(e, found) for e in found])
    ax.set_ylim(-0.6, len(found) - 0.4)
    named(ax, "points" if points else "score")
    title(ax, f"Scores, each with its {100 * (1 - found.alpha):.4g} % interval")
    return ax


def _row_name(e: SystemScore, found: SystemScores) -> str:
    several = len({one.metric for one in found}) > 1
    return " · ".join(filter(None, [e.system, e.subset, e.metric if several else ""]))
