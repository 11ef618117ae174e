"""Two systems drawn item by item."""

from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.errors import how_many
from betterthan.numeric import Floats
from betterthan.plots.drawing import shortened
from betterthan.plots.look import BASELINE, CANDIDATE, INK, SOFT, axes, bare, named, title
from betterthan.ranking.diagnostics import shape
from betterthan.results.number_format import scale


def paired_scatter(found: ItemByItem, ax: Any = None) -> Any:
    """Two systems item by item, with density and marginals (the paper's Figure 2).

    The baseline is on the x-axis. The shaded side of the diagonal has more items: the side that
    Bradley-Terry prefers. The lines of means and of medians cross on the side that mean and median
    prefer.
    """
    x, y, lower = found.factor * found.first, found.factor * found.second, found.lower_is_better
    ax = axes(ax, 5.2, 5.2)
    both = np.concatenate([x, y])
    pad = 0.06 * (float(np.ptp(both)) or 1.0)
    low, high = float(both.min()) - pad, float(both.max()) + pad
    above, below = int((y > x).sum()), int((y < x).sum())
    upper = above >= below
    if above != below:
        corner = (
            [[low, low], [low, high], [high, high]]
            if upper
            else ([[low, low], [high, low], [high, high]])
        )
        ax.fill(
            *np.array(corner).T, color=CANDIDATE if upper != lower else BASELINE, alpha=0.08, lw=0
        )
    ax.plot([low, high], [low, high], color=SOFT, linewidth=1)
    _density(ax, x, y, low, high)
    points, times = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    alpha = float(np.clip(6 / np.sqrt(len(points)), 0.12, 0.6))
    # Items on the same spot make it larger, not darker.
    ax.scatter(*points.T, s=10 * np.minimum(times, 30) ** 0.8, color=INK, alpha=alpha, linewidths=0)
    for name, style, centre in (
        ("mean", "-", (float(x.mean()), float(y.mean()))),
        ("median", "--", (float(np.median(x)), float(np.median(y)))),
    ):
        ax.plot([], [], style, color=INK, linewidth=1, label=name)
        ax.plot([centre[0]] * 2, [low, high], style, color=BASELINE, linewidth=1)
        ax.plot([low, high], [centre[1]] * 2, style, color=CANDIDATE, linewidth=1)
        ax.plot(*centre, "o" if style == "-" else "s", color="white", markeredgecolor=INK, ms=5)
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    _marginals(ax, x, y, (low, high))
    bare(ax)
    ax.spines["left"].set_visible(True)
    ax.spines["left"].set_color(SOFT)
    direction = " (lower is better)" if lower else ""
    first, second = (shortened(name, 34) for name in (found.baseline, found.candidate))
    ax.set_xlabel(f"{first}{direction}", color=BASELINE, fontsize=9.5)
    ax.set_ylabel(f"{second}{direction}", color=CANDIDATE, fontsize=9.5)
    place: dict[str, Any] = {"xycoords": "axes fraction", "fontsize": 8.5, "color": INK}
    place["bbox"] = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1.5}
    legend: dict[str, Any] = {"frameon": False, "fontsize": 8.5, "labelcolor": INK}
    if found.right_or_wrong:  # where the items are
        ax.annotate(how_many(above, "item"), (0.28, 0.82), ha="center", va="center", **place)
        ax.annotate(how_many(below, "item"), (0.78, 0.22), ha="center", va="center", **place)
        ax.set_xticks([0, 1], ["0", "1"])
        ax.set_yticks([0, 1], ["0", "1"])
        ax.legend(loc="lower center", ncol=2, handlelength=1.6, **legend)
        return ax
    ax.annotate(how_many(above, "item"), (0.03, 0.96), va="top", **place)
    ax.annotate(how_many(below, "item"), (0.97, 0.04), ha="right", **place)
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, 0.92), handlelength=1.6, **legend)
    return ax


def difference_histogram(found: ItemByItem, ax: Any = None) -> Any:
    """Differences item by item, candidate minus baseline in the direction of better."""
    d = found.factor * found.gains
    ax = axes(ax, 6.4, 3.4)
    # Zero is an edge, or the centre of a bin of its own where items tie.
    edges = _edges(d)
    counts, _ = np.histogram(d, edges)
    middles = (edges[:-1] + edges[1:]) / 2
    width = edges[1] - edges[0]
    noise = 1e-9 * width
    colours = [CANDIDATE if c > noise else BASELINE if c < -noise else SOFT for c in middles]
    ax.bar(middles, counts, width=0.94 * width, color=colours, alpha=0.75, linewidth=0)
    ax.axvline(0, color=INK, linewidth=1)
    top = float(counts.max()) * 1.3
    points = " points" if found.percent else ""
    said = []
    for value, name, style in ((d.mean(), "mean", "-"), (np.median(d), "median", "--")):
        ax.axvline(float(value), color=INK, linestyle=style, linewidth=1)
        shown = scale(found.percent) / found.factor * float(value)
        said.append(f"{name} {shown + 0.0:+.3g}{points}")
    ax.set_ylim(0, top)
    first, second = (shortened(name, 18) for name in (found.baseline, found.candidate))
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ties = len(d) - wins - losses
    for at, text, colour, side in (
        (0.01, f"{first}\nbetter: {losses:,}", BASELINE, "left"),
        (0.99, f"{second}\nbetter: {wins:,}", CANDIDATE, "right"),
    ):
        ax.annotate(
            text, (at, 0.97), xycoords="axes fraction", ha=side, va="top", fontsize=9, color=colour
        )
    bare(ax, grid="y")
    skew = shape(d)[0]
    tied = f", {ties:,} ties" if ties else ""
    skewed = "" if np.isnan(skew) else f", skewness {skew:+.2f}"
    title(ax, f"{how_many(len(d), 'item')}{tied}; {', '.join(said)} (dashed){skewed}")
    if found.right_or_wrong:  # no amounts: who alone is right
        words = (f"only {first}", "both or neither", f"only {second}")
        ax.set_xlim(-1.6, 1.6)
        ax.set_xticks([-1, 0, 1], words)
        named(ax, "who does well on an item")
        return ax
    unit = " in points" if found.factor != 1 else ""
    named(ax, f"{second} minus {first}{unit}, in the direction of better")
    return ax


def _edges(d: Floats) -> Floats:
    span = float(np.ptp(d)) or 1.0
    quartiles = np.percentile(d, [25, 75])
    iqr = float(quartiles[1] - quartiles[0])
    # Freedman & Diaconis (1981), between 12 and 60 bins
    width = 2 * iqr / np.cbrt(len(d)) if iqr > 0 else span / 20
    values = np.unique(d)
    steps = np.diff(values)
    if 1 < len(values) <= 40 and steps.min() > 1e-9 * span:
        width = max(float(steps.min()), span / 60)
    width = float(np.clip(width, span / 60, span / 12))
    tied = bool((np.abs(d) <= 1e-12 * span).any())
    shift = 0.5 if tied else 0.0
    first = np.floor(float(d.min()) / width - shift)
    last = np.ceil(float(d.max()) / width - shift)
    return np.asarray(width * (np.arange(first, max(last, first + 1) + 0.5) + shift))


def _density(ax: Any, x: Floats, y: Floats, low: float, high: float) -> None:
    """Contours of a Gaussian kernel estimate on a grid; nothing where there are few values."""
    if min(len(np.unique(x)), len(np.unique(y))) < 10:
        return
    cells = 120
    counts, _, _ = np.histogram2d(x, y, bins=cells, range=[[low, high], [low, high]])
    apart = np.subtract.outer(np.arange(cells), np.arange(cells))
    # Scott's (1992) bandwidth on either axis, in cells
    widths = (float(v.std()) / (high - low) * cells * len(x) ** (-1 / 6) for v in (x, y))
    across, along = (np.exp(-0.5 * (apart / max(width, 1.0)) ** 2) for width in widths)
    smooth = across @ counts @ along
    centres = low + (np.arange(cells) + 0.5) * (high - low) / cells
    # Half, four fifths and 95 % of the items lie inside the contours.
    ordered = np.sort(smooth.ravel())[::-1]
    mass = np.cumsum(ordered) / ordered.sum()
    levels = sorted({float(ordered[np.searchsorted(mass, share)]) for share in (0.5, 0.8, 0.95)})
    ax.contourf(
        centres, centres, smooth.T, levels=[*levels, float(ordered[0]) * 1.01],
        colors=["#d9dee4", "#b8c1cc", "#97a3b1"][-len(levels) :], alpha=0.45,
    )  # fmt: skip


def _marginals(ax: Any, x: Floats, y: Floats, limits: tuple[float, float]) -> None:
    bins = np.linspace(*limits, 31)
    top = ax.inset_axes([0, 1.015, 1, 0.14], sharex=ax)
    side = ax.inset_axes([1.015, 0, 0.14, 1], sharey=ax)
    top.hist(x, bins, color=BASELINE, alpha=0.7)
    side.hist(y, bins, orientation="horizontal", color=CANDIDATE, alpha=0.7)
    for small in (top, side):
        small.axis("off")
