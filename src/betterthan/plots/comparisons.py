"""Plots of comparisons: the null law with its tail, the forest of differences, wins and losses."""

from typing import Any

import numpy as np

from betterthan.comparison import Comparisons
from betterthan.errors import UsageError
from betterthan.nulllaw import NullLaw
from betterthan.plots.look import FAINT, FIRST, INK, SECOND, SOFT, axes, bare, rows_height, title
from betterthan.results import TestResult, format_p

BARS = 400


def null_law(result: TestResult, ax: Any = None) -> Any:
    """Null law of delta with the tail that is the p-value shaded, and delta marked.

    Neighbouring values share a bar when there are more than four hundred.
    """
    law = result.law
    if not isinstance(law, NullLaw):
        raise UsageError(f"a {result.test} test by {result.engine} has no null law to draw")
    ax = bare(axes(ax))
    deltas, masses = law.mass()
    reach = max(4.5 * law.sd, 1.15 * abs(result.delta))
    inside = np.abs(deltas) <= reach
    deltas, masses = deltas[inside], masses[inside]
    extreme = _extreme(deltas, result)
    stride = -(-deltas.size // BARS)
    starts = np.arange(0, deltas.size, stride)
    width = stride * float(np.diff(deltas).min()) if deltas.size > 1 else law.scale
    centres = np.add.reduceat(deltas, starts) / np.diff(np.append(starts, deltas.size))
    for chosen, colour in ((~extreme, FAINT), (extreme, SECOND)):
        heights = np.add.reduceat(np.where(chosen, masses, 0.0), starts)
        ax.bar(centres, heights, width=0.92 * width, color=colour, linewidth=0)
    ax.axvline(result.delta, color=INK, linewidth=1.2)
    ax.annotate(
        f"observed {result.delta:+.4g}",
        (result.delta, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4 if result.delta > 0 else -4, -2),
        textcoords="offset points",
        ha="left" if result.delta > 0 else "right",
        va="top",
        fontsize=9,
        color=INK,
    )
    ax.set_yticks([])
    ax.set_xlabel("difference if the labels meant nothing", color=INK, fontsize=9)
    p = format_p(result.pvalue, result.log10_pvalue)
    title(ax, f"Shaded: swaps at least as extreme as the data, p {p}")
    return ax


def forest(found: Comparisons, ax: Any = None) -> Any:
    """Differences and their intervals, one line a comparison, zero marked."""
    ax = bare(axes(ax, height=rows_height(len(found))), grid="x")
    rows = np.arange(len(found))[::-1]
    points = all(c.percent for c in found)
    ax.axvline(0.0, color=SOFT, linewidth=1.0)
    for row, c in zip(rows, found, strict=True):
        k = 100.0 if points else 1.0
        colour = {"better": FIRST, "worse": SECOND, "can't tell": SOFT}[c.verdict]
        low, high = (float(np.clip(x * k, -1e6, 1e6)) for x in (c.interval.low, c.interval.high))
        ax.plot([low, high], [row, row], color=colour, linewidth=2.2, solid_capstyle="round")
        ax.plot([c.delta * k], [row], "o", color=colour, markersize=6)
        p = format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted)
        ax.annotate(
            f"{c.verdict}, p {p}",
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=9,
            color=colour if c.verdict != "can't tell" else INK,
        )
    several = len({c.baseline for c in found}) > 1 or len({c.metric for c in found}) > 1
    names = [
        " · ".join(
            filter(None, [c.system, c.subset, f"{c.metric} vs {c.baseline}" if several else ""])
        )
        for c in found
    ]
    ax.set_yticks(rows, names)
    ax.set_ylim(-0.6, len(found) - 0.4)
    ax.set_xlabel("points" if points else "difference", fontsize=9, color=INK)
    against = "" if several else f" from {found[0].baseline}"
    how = "" if found.correction == "none" else "simultaneous "
    title(ax, f"Difference{against}, with {how}{100 * (1 - found.alpha):g} % intervals")
    return ax


def win_tie_loss(found: Comparisons, ax: Any = None) -> Any:
    """Shares of items on which each system wins, ties and loses against the baseline."""
    counted = [c for c in found if c.wins is not None]
    if not counted:
        raise UsageError("no comparison counts wins and losses: a black box scores no single item")
    ax = bare(axes(ax, height=rows_height(len(counted))))
    rows = np.arange(len(counted))[::-1]
    left = np.zeros(len(counted))
    parts = (("wins", FIRST, "white"), ("ties", FAINT, INK), ("losses", SECOND, "white"))
    for name, colour, ink in parts:
        counts = np.array([getattr(c, name) for c in counted], dtype=np.float64)
        shares = counts / np.array([c.n for c in counted])
        ax.barh(rows, shares, left=left, color=colour, height=0.72, linewidth=0, label=name)
        for row, start, share, count in zip(rows, left, shares, counts, strict=True):
            if share > 0.05:
                ax.text(
                    start + share / 2, row, f"{count:,.0f}", ha="center", va="center",
                    fontsize=8, color=ink,
                )  # fmt: skip
        left += shares
    ax.set_yticks(rows, [c.system for c in counted])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.set_xlim(0, 1)
    title(ax, f"Items won, tied and lost against {counted[0].baseline}")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, frameon=False, fontsize=9)
    return ax


def _extreme(deltas: Any, result: TestResult) -> Any:
    slack = 1e-9 * max(abs(result.delta), float(np.abs(deltas).max()))
    if result.alternative == "two-sided":
        return np.abs(deltas) >= abs(result.delta) - slack
    if result.alternative == "greater":
        return deltas >= result.delta - slack
    return deltas <= result.delta + slack
