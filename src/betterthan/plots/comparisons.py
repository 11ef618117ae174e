"""Comparisons drawn: the forest of differences, items won and lost."""

from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.errors import UsageError
from betterthan.plots import drawn_of, kinds_of, look
from betterthan.plots.drawing import shortened
from betterthan.plots.items import difference_histogram, paired_scatter
from betterthan.plots.laws import null_law
from betterthan.plots.look import axes, bare, beside, named, rows_height, title
from betterthan.results.number_format import format_p, scale

_COLOURS = {"better": look.CANDIDATE, "worse": look.BASELINE, "can't tell": look.SOFT}

kinds_of.register(
    ItemByItem, lambda _: {"differences": difference_histogram, "scatter": paired_scatter}
)


@kinds_of.register
def _(found: Comparisons) -> dict[str, Any]:
    counted = any(c.wins is not None for c in found)
    single = _single(found[0]) if len(found) == 1 else {}
    return {
        "forest": forest,
        **({"wins": win_tie_loss} if counted else {}),
        **({"matrix": comparison_matrix} if _of_all_pairs(found) else {}),
        **{name: lambda f, ax, draw=draw: draw(f[0], ax) for name, draw in single.items()},
    }


@kinds_of.register
def _(found: Comparison) -> dict[str, Any]:
    return drawn_of("alone", kinds_of(found.alone))


def _single(found: Comparison) -> dict[str, Any]:
    """What may be drawn of one comparison alone: its law, and item by item."""
    laws = drawn_of("test", kinds_of(found.test))
    if "null" in laws:
        laws["null"] = lambda c, ax: null_law(c.test, ax, percent=c.percent)
    items = None if found.pair is None else found.pair.items
    if found.wins is None or items is None or items.source is None:
        return laws
    return {
        **laws,
        "differences": lambda c, ax: difference_histogram(c.item_by_item(), ax),
        "scatter": lambda c, ax: paired_scatter(c.item_by_item(), ax),
    }


def _of_all_pairs(found: Comparisons) -> bool:
    """Whether every two of several systems are compared once."""
    systems = {name for c in found for name in (c.baseline, c.candidate)}
    pairs = {frozenset((c.baseline, c.candidate)) for c in found}
    return len(found) == len(pairs) == len(systems) * (len(systems) - 1) // 2 > 1


def comparison_matrix(found: Comparisons, ax: Any = None) -> Any:
    """Every two systems: the row's gain over the column, coloured where there is a verdict."""
    from betterthan.plots.ranking import matrix  # noqa: PLC0415 (rankings are slow to import)

    names = list(dict.fromkeys(name for c in found for name in (c.baseline, c.candidate)))
    lead = np.full((len(names), len(names)), np.nan)
    beats = np.zeros(lead.shape, dtype=bool)
    for c in found:
        row, column = names.index(c.candidate), names.index(c.baseline)
        lead[row, column], lead[column, row] = c.delta, -c.delta
        beats[row, column], beats[column, row] = c.verdict == "better", c.verdict == "worse"
    percent = found[0].percent
    unit, how = " in points" if percent else "", found.correction
    heading = f"gain of the row{unit}; * verdict at {found.alpha:g}, {how}"
    return matrix(names, lead, beats, ax, heading=heading, percent=percent)


MIXED = "difference; points where the score is a rate"


def forest(found: Comparisons, ax: Any = None) -> Any:
    """Differences and their intervals, one line per comparison, zero marked."""
    ax = bare(axes(ax, height=rows_height(len(found))), grid="x")
    rows = np.arange(len(found))[::-1]
    rates = {c.percent for c in found}
    ax.axvline(0.0, color=look.SOFT, linewidth=1.0)
    for row, c in zip(rows, found, strict=True):
        k = scale(c.percent)
        colour = _COLOURS[c.verdict]
        low, high = (float(np.clip(x * k, -1e6, 1e6)) for x in (c.interval.low, c.interval.high))
        ax.plot([low, high], [row, row], color=colour, linewidth=2.2, solid_capstyle="round")
        ax.plot([c.delta * k], [row], "o", color=colour, markersize=6)
        p = format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor, alpha=c.alpha)
        beside(ax, row, f"{c.verdict}, p {p}", look.INK if colour == look.SOFT else colour, 9)
    ax.set_yticks(rows, _row_names(found))
    ax.set_ylim(-0.6, len(found) - 0.4)
    named(ax, {1: "points" if True in rates else "difference"}.get(len(rates), MIXED))
    against = "" if _several(found) else f" from {shortened(found[0].baseline)}"
    title(ax, f"Difference{against}, with intervals at the levels of their p")
    return ax


def win_tie_loss(found: Comparisons, ax: Any = None) -> Any:
    """Shares of items on which each system wins, ties and loses against the baseline."""
    shown = [
        (name, c) for name, c in zip(_row_names(found), found, strict=True) if c.wins is not None
    ]
    counted = [c for _, c in shown]
    if not counted:
        raise UsageError("no comparison counts wins and losses: a black box scores no single item")
    ax = bare(axes(ax, height=rows_height(len(counted))))
    rows = np.arange(len(counted))[::-1]
    left = np.zeros(len(counted))
    parts = (
        ("wins", look.CANDIDATE, "white"),
        ("ties", look.TIE, look.INK),
        ("losses", look.BASELINE, "white"),
    )
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
    ax.set_yticks(rows, [name for name, _ in shown])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.set_xlim(0, 1)
    against = "" if _several(found) else f" against {shortened(counted[0].baseline)}"
    title(ax, f"Items won, tied and lost{against}")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, frameon=False, fontsize=9)
    return ax


def _several(found: Comparisons) -> bool:
    """Whether rows differ in more than the candidate."""
    return len({c.baseline for c in found}) > 1 or len({c.metric for c in found}) > 1


def _row_names(found: Comparisons) -> list[str]:
    several = _several(found)
    return [
        " · ".join(
            filter(None, [c.candidate, c.subset, f"{c.metric} vs {c.baseline}" if several else ""])
        )
        for c in found
    ]
