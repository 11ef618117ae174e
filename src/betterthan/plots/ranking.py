"""Leaderboards drawn: ratings with intervals, rank sets and critical-difference bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.errors import how_many
from betterthan.numeric import Bools, Floats
from betterthan.plots import kinds_of
from betterthan.plots.drawing import shortened
from betterthan.plots.look import (
    BASELINE,
    CANDIDATE,
    COLOURS,
    INK,
    SOFT,
    TIE,
    axes,
    bare,
    beside,
    cell,
    framed,
    ink_on,
    named,
    rows_height,
    title,
)
from betterthan.ranking import (
    Agreement,
    DisagreementStudy,
    Leaderboard,
    Leaderboards,
    Pairwise,
    Ranking,
)
from betterthan.results.number_format import ranks_text

NAMES = {"bradley-terry": "Bradley-Terry rating", "elo": "Elo rating", "trueskill": "TrueSkill"}

kinds_of.register(Ranking, lambda _: {"ranks": rank_sets})
kinds_of.register(DisagreementStudy, lambda _: {"disagreement": disagreement_curves})


@kinds_of.register
def _(_: Leaderboard) -> dict[str, Any]:
    return {
        "board": rating_intervals,
        "ranks": lambda board, ax: rank_sets(board.ranking, ax),
        "matrix": board_matrix,
        "critical": critical_difference,
    }


@kinds_of.register
def _(made: Leaderboards) -> dict[str, Any]:
    part, board = made.boards[0]
    kinds = kinds_of(board) if part is None else {}
    return {kind: lambda _, ax, draw=draw: draw(board, ax) for kind, draw in kinds.items()}


@kinds_of.register
def _(pairs: Pairwise) -> dict[str, Any]:
    model = {"model": lambda found, ax: pair_matrix(found, ax, model=True)}
    return {"matrix": pair_matrix, **({} if pairs.model is None else model)}


def rating_intervals(board: Leaderboard, ax: Any = None) -> Any:
    """Scores or ratings with their intervals, best on top.

    The thin line is the confidence interval of the rating; thick bars are for comparing: systems
    whose bars do not overlap differ, all pairs at once; approximately, for who beats whom decides.
    """
    ranking = board.ranking
    count = len(board.rows)
    ax = axes(ax, 7.0, rows_height(count))
    value, low, high = (ranking.shown(x) for x in (ranking.scores, ranking.low, ranking.high))
    y = np.arange(count)
    for k, row in enumerate(board.rows):
        ends = ranking.shown(np.array([row.comparison_low, row.comparison_high], dtype=float))
        ax.hlines(k, low[k], high[k], color=INK, linewidth=1.2)
        ax.hlines(k, *ends, color=INK, linewidth=6, alpha=0.25)
        ax.plot(value[k], k, "o", color=INK, markersize=5.5)
    ax.set_yticks(y, [row.system for row in board.rows])
    ax.set_ylim(count - 0.4, -0.6)
    bare(ax, grid="x")
    for k, row in enumerate(board.rows):
        beside(ax, k, ranks_text(row.rank_low, row.rank_high))
    ax.annotate(
        "rank", (1.015, 1.0), xycoords="axes fraction", va="bottom", fontsize=8.5, color=SOFT
    )
    named(ax, axis_name(ranking))
    level = f"{ranking.level:.0%} intervals"
    title(ax, f"{level}; thick bars for comparing, approximately")
    return ax


def disagreement_curves(found: DisagreementStudy, ax: Any = None) -> Any:
    """Share of pairs that two aggregations order differently, by size (Figure 4c)."""
    ax = axes(ax)
    names = [f"{d.first} vs {d.second}" for d in found.overall]
    for k, name in enumerate(names):
        colour, overall = COLOURS[k % len(COLOURS)], 100 * found.overall[k].share
        if found.sizes:
            shares = [100 * here[k].share for here in found.sizes.values()]
            ax.plot(list(found.sizes), shares, "o-", ms=4, lw=1.2, color=colour, label=name)
            ax.axhline(overall, color=colour, linewidth=0.8, linestyle=(0, (4, 3)))
        else:
            ax.bar(k, overall, 0.6, color=colour)
    if found.sizes:
        ax.set_xscale("log")
        ax.set_xticks(list(found.sizes), [f"{size:,}" for size in found.sizes])
        ax.minorticks_off()
        ax.legend(frameon=False, fontsize=8)
        named(ax, "items in the test set")
    else:
        ax.set_xticks(range(len(names)), names)
    bare(ax, grid="y")
    named(ax, y="pairs in another order (%)")
    title(ax, "Disagreement of aggregations" + "; dashed: on all items" * bool(found.sizes))
    return ax


def rank_sets(ranking: Ranking, ax: Any = None) -> Any:
    """The ranks that each system may have; all sets hold together."""
    count = len(ranking.names)
    ax = axes(ax, 6.4, rows_height(count))
    for k in range(count):
        low, high = int(ranking.rank_low[k]), int(ranking.rank_high[k])
        ax.barh(k, high - low + 0.7, left=low - 0.35, height=0.55, color=INK, alpha=0.22)
        ax.plot(k + 1, k, "o", color=INK, markersize=5.5)
    ax.set_yticks(np.arange(count), ranking.names)
    ax.set_ylim(count - 0.4, -0.6)
    ax.set_xlim(0.5, count + 0.5)
    step = max(1, count // 15)
    ax.set_xticks(np.arange(1, count + 1, step))
    bare(ax, grid="x")
    named(ax, "rank")
    title(ax, f"Ranks each system may have, jointly at {ranking.level:.0%}")
    return ax


def critical_difference(board: Leaderboard, ax: Any = None) -> Any:
    """Systems on their scale; a bar joins those that no pair test tells apart.

    Bars follow the adjusted tests of pairs rather than one critical difference for all, which would
    need equal errors (Benavoli, Corani & Mangili, 2016).
    """
    count = len(board.rows)
    half = (count + 1) // 2
    bars = inseparable(board)
    ax = axes(ax, 7.6, 1.2 + 0.3 * half + 0.14 * len(bars))
    value = board.ranking.shown(board.ranking.scores)
    span = float(np.ptp(value)) or 1.0
    below = 0.35 + 0.26 * len(bars)
    most = int(4.2 * ax.figure.get_figwidth())  # letters that leave half of the width to the scale
    for k, row in enumerate(board.rows):
        best = k < half
        level = -(below + 0.45 * (k if best else count - 1 - k))
        end = value.max() + 0.10 * span if best else value.min() - 0.10 * span
        ax.plot([value[k], value[k], end], [0, level, level], color=SOFT, linewidth=0.9)
        ax.plot(value[k], 0, "o", color=INK, markersize=4)
        name = shortened(row.system, most)
        name = f"{name} " if not best else f" {name}"
        ax.text(
            end, level, name, va="center", ha="left" if best else "right", fontsize=9, color=INK
        )
    pad = 0.012 * span
    for number, (first, last) in enumerate(bars):
        height = -(0.22 + 0.26 * number)
        ends = (value[last] - pad, value[first] + pad)
        ax.hlines(height, *ends, color=SOFT, linewidth=3.5)
    ax.axhline(0, color=INK, linewidth=1)
    ax.set_xlim(value.min() - 0.55 * span, value.max() + 0.55 * span)
    ax.set_ylim(-(below + 0.45 * half), 0.12)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_yticks([])
    for side in ("left", "right", "bottom", "top"):
        ax.spines[side].set_visible(False)
    ticks = [
        t for t in ax.get_xticks() if value.min() - 0.1 * span <= t <= value.max() + 0.1 * span
    ]
    ax.set_xticks(ticks)
    ax.tick_params(length=3, colors=INK, labelsize=8.5)
    test = "differences of ratings" if board.decided_by == "model" else f"{board.decided_by} test"
    correction = "" if board.decided_by == "model" else f", {board.pairs.correction}"
    ax.set_xlabel(
        f"{axis_name(board.ranking)}; joined systems are not separable ({test}{correction})",
        fontsize=9,
        color=INK,
        labelpad=8,
    )
    return ax


def pair_matrix(pairs: Pairwise, ax: Any = None, *, model: bool = False) -> Any:
    """Every two systems: the row's effect over the column's (the paper's Figure 5).

    Significant cells have the colour of who is better, and a star; the others are grey.
    ``model=True`` shows the global model's probabilities instead of the pair's own.
    """
    lead, heading = pairs.lead, _heading(pairs)
    if model and pairs.model is not None:
        lead = pairs.model - 0.5
        heading = heading.replace(_WON, "model probability that the row wins, %")
    return matrix(pairs.names, lead, pairs.beats, ax, heading=heading, shares=_are_shares(pairs))


def board_matrix(board: Leaderboard, ax: Any = None) -> Any:
    """Every two systems of a board in its order; who beats whom is as the board decided."""
    pairs = board.pairs
    order = [pairs.names.index(name) for name in board.ranking.names]
    return matrix(
        board.ranking.names,
        pairs.lead[np.ix_(order, order)],
        board.beats,
        ax,
        heading=_heading(pairs, percent=board.percent),
        shares=_are_shares(pairs),
        percent=board.percent,
    )


_WON = "% the row wins, ties half"


def _are_shares(pairs: Pairwise) -> bool:
    """Whether leads are shares of wins: of means and medians they are differences."""
    return pairs.method not in ("mean", "median")


def _heading(pairs: Pairwise, *, percent: bool = False) -> str:
    difference = f"{pairs.method} difference{' in points' * percent}"
    what = _WON if _are_shares(pairs) else difference
    how = "" if pairs.correction == "none" else f", {pairs.correction}"
    return f"{what}; * {pairs.test} test at {pairs.alpha:g}{how}"


def matrix(
    names: Sequence[str],
    lead: Floats,
    beats: Bools,
    ax: Any,
    *,
    heading: str,
    shares: bool = False,
    percent: bool = False,
) -> Any:
    """Draw leads of rows over columns, in points; the colours and numbers are the report's."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 (slow to import)

    lead = np.round((100.0 if shares or percent else 1.0) * lead, 6)
    count = len(names)
    side = float(np.clip(1.6 + 0.52 * count, 3.2, 24))
    ax = axes(ax, side + 0.6, side)
    reach = float(np.nanmax(np.abs(lead), initial=0.0)) or 1.0
    size = float(np.clip(60 / count + 2, 5, 9))
    image = np.ones((count, count, 3))
    for i in range(count):
        for j in range(count):
            if i == j or np.isnan(lead[i, j]):
                continue
            sure = bool(beats[i, j] or beats[j, i])
            colour = CANDIDATE if beats[i, j] else BASELINE if sure else TIE
            depth = 0.35 + 0.65 * np.sqrt(abs(lead[i, j]) / reach) if sure else 0.45
            image[i, j] = depth * np.array(to_rgb(colour)) + (1.0 - depth)
            text = lead_text(float(lead[i, j]), shares=shares) + "*" * sure
            ax.text(
                *(j, i, text),
                ha="center",
                va="center",
                fontsize=size,
                color=ink_on(image[i, j]) if sure else SOFT,
                fontweight="bold" if sure else "normal",
            )
    ax.imshow(image)
    framed(ax, names)
    ax.set_xticks(range(count), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    title(ax, heading)
    return ax


def lead_text(lead: float, *, shares: bool) -> str:
    """Write a lead in points; shares of a pair add up to 100 however they are rounded.

    >>> [lead_text(x, shares=True) for x in (5.5, -5.5, 0.0, 50.0)]
    ['56', '44', '50', '100']
    >>> [lead_text(x, shares=False) for x in (5.55, -0.0123, 120.4)]
    ['+5.5', '-0.012', '+120']
    """
    if shares:
        return f"{50 + int(np.sign(lead)) * int(abs(lead) + 0.5)}"
    return f"{lead:+.0f}" if abs(lead) >= 100 else f"{float(f'{lead:.2g}'):+g}"


def agreement_matrix(agreement: Agreement, ax: Any = None) -> Any:
    """How often the column's test agrees with the row's (the paper's Figure 6)."""
    count = len(agreement.tests)
    ax = axes(ax, 1.8 + 0.8 * count, 1.4 + 0.7 * count)
    image = ax.imshow(agreement.matrix, cmap="Blues", vmin=0, vmax=1)
    for i in range(count):
        for j in range(count):
            value = agreement.matrix[i, j]
            if not np.isnan(value):
                cell(ax, image, (i, j), f"{value:.2f}", bold=i == j)
    framed(ax, agreement.tests)
    title(ax, f"Significant also under the column's test ({how_many(agreement.pairs, 'pair')})")
    return ax


def inseparable(board: Leaderboard) -> list[tuple[int, int]]:
    """Longest runs of neighbours in the ranking of whom no one beats another."""
    beats = board.beats | board.beats.T
    runs: list[tuple[int, int]] = []
    for first in range(len(beats)):
        last = first
        while last + 1 < len(beats) and not beats[first : last + 1, last + 1].any():
            last += 1
        if last > first and (not runs or runs[-1][1] < last):
            runs.append((first, last))
    return runs


def axis_name(ranking: Ranking) -> str:
    """Name of the scale, with its direction where lower is better."""
    name = NAMES.get(ranking.method, ranking.method)
    return f"{name} (lower is better)" if ranking.lower_is_better else name
