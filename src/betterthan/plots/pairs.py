"""Pairs drawn: the matrix of all pairs, and two systems item by item."""

from typing import Any

import numpy as np

from betterthan.data import Floats, Scores
from betterthan.errors import DataError
from betterthan.metrics import Metric
from betterthan.plots.look import FAINT, FIRST, INK, SECOND, SOFT, axes, bare, ink_on, title
from betterthan.ranking import Agreement, Pairwise
from betterthan.ranking.diagnostics import shape
from betterthan.ranking.table import score_table


def pair_matrix(pairs: Pairwise, ax: Any = None, *, model: bool = False) -> Any:
    """Every two systems: the row's effect over the column's (the paper's Figure 5).

    Significant cells are set in bold with a star, the others in grey. ``model=True`` shows the
    global model's probabilities instead of the pair's own.
    """
    effect = pairs.model if model and pairs.model is not None else pairs.effect
    neutral = 0.0 if pairs.method in ("mean", "median") else 0.5
    count = len(pairs.names)
    side = float(np.clip(1.6 + 0.52 * count, 3.2, 24))
    ax = axes(ax, side + 0.6, side)
    reach = float(np.nanmax(np.abs(effect - neutral), initial=0.0)) or 1.0
    image = ax.imshow(effect, cmap="RdBu", vmin=neutral - reach, vmax=neutral + reach)
    with np.errstate(invalid="ignore"):
        significant = pairs.adjusted <= pairs.alpha
    size = float(np.clip(60 / count + 2, 5, 9))
    digits = 2 if neutral else max(0, 2 - int(np.floor(np.log10(reach))))
    for i in range(count):
        for j in range(count):
            if i == j or np.isnan(effect[i, j]):
                continue
            sure = bool(significant[i, j])
            ink = ink_on(image.cmap(image.norm(effect[i, j])))
            text = (
                f"{effect[i, j]:.{digits}f}".replace("0.", ".", 1)
                if neutral
                else (f"{effect[i, j]:+.{digits}f}")
            )
            ax.text(
                j, i, text + ("*" if sure else ""), ha="center", va="center", fontsize=size,
                color=ink if sure else (SOFT if ink == INK else FAINT),
                fontweight="bold" if sure else "normal",
            )  # fmt: skip
    ax.set_xticks(range(count), pairs.names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(count), pairs.names)
    ax.tick_params(length=0, colors=INK, labelsize=9)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    what = (
        f"{pairs.method} difference"
        if neutral == 0
        else ("model probability that the row wins" if model else "share the row wins")
    )
    how = "" if pairs.correction == "none" else f", {pairs.correction}"
    title(ax, f"{what}; * {pairs.test} test at {pairs.alpha:g}{how}")
    return ax


def agreement_matrix(agreement: Agreement, ax: Any = None) -> Any:
    """How often the column's test agrees with the row's (the paper's Figure 6)."""
    count = len(agreement.tests)
    ax = axes(ax, 1.8 + 0.8 * count, 1.4 + 0.7 * count)
    image = ax.imshow(agreement.matrix, cmap="Blues", vmin=0, vmax=1)
    for i in range(count):
        for j in range(count):
            value = agreement.matrix[i, j]
            if not np.isnan(value):
                ax.text(
                    j, i, f"{value:.2f}", ha="center", va="center", fontsize=9,
                    color=ink_on(image.cmap(image.norm(value))),
                    fontweight="bold" if i == j else "normal",
                )  # fmt: skip
    ax.set_xticks(range(count), agreement.tests)
    ax.set_yticks(range(count), agreement.tests)
    ax.tick_params(length=0, colors=INK, labelsize=9)
    for spine in ax.spines.values():
        spine.set_visible(False)
    title(ax, f"Significant also under the column's test ({agreement.pairs:,} pairs)")
    return ax


def paired_scatter(
    scores: Scores,
    first: str,
    second: str,
    ax: Any = None,
    *,
    metric: str | Metric | None = None,
) -> Any:
    """Two systems item by item, with density and marginals (the paper's Figure 2).

    ``first`` is on the x-axis. The shaded side of the diagonal has more items: the side that
    Bradley-Terry prefers. The lines of means and of medians cross on the side that mean and median
    prefer.
    """
    x, y, lower = _two(scores, first, second, metric)
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
        ax.fill(*np.array(corner).T, color=SECOND if upper != lower else FIRST, alpha=0.08, lw=0)
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
        ax.plot([centre[0]] * 2, [low, high], style, color=FIRST, linewidth=1)
        ax.plot([low, high], [centre[1]] * 2, style, color=SECOND, linewidth=1)
        ax.plot(*centre, "o" if style == "-" else "s", color="white", markeredgecolor=INK, ms=5)
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    _marginals(ax, x, y, (low, high))
    bare(ax)
    ax.spines["left"].set_visible(True)
    ax.spines["left"].set_color(SOFT)
    direction = " (lower is better)" if lower else ""
    ax.set_xlabel(f"{first}{direction}", color=FIRST, fontsize=9.5)
    ax.set_ylabel(f"{second}{direction}", color=SECOND, fontsize=9.5)
    place: dict[str, Any] = {"xycoords": "axes fraction", "fontsize": 8.5, "color": INK}
    place["bbox"] = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1.5}
    ax.annotate(f"{above:,} items", (0.03, 0.96), va="top", **place)
    ax.annotate(f"{below:,} items", (0.97, 0.04), ha="right", **place)
    ax.legend(
        loc="upper left", bbox_to_anchor=(0.0, 0.92), frameon=False, fontsize=8.5,
        labelcolor=INK, handlelength=1.6,
    )  # fmt: skip
    return ax


def difference_histogram(
    scores: Scores,
    first: str,
    second: str,
    ax: Any = None,
    *,
    metric: str | Metric | None = None,
) -> Any:
    """Differences item by item, ``second`` minus ``first`` in the direction of better."""
    x, y, lower = _two(scores, first, second, metric)
    d = (x - y) if lower else (y - x)
    ax = axes(ax, 6.4, 3.4)
    # Zero is an edge, or the centre of a bin of its own where items tie.
    edges = _edges(d)
    counts, _ = np.histogram(d, edges)
    middles = (edges[:-1] + edges[1:]) / 2
    width = edges[1] - edges[0]
    noise = 1e-9 * width
    colours = [SECOND if c > noise else FIRST if c < -noise else SOFT for c in middles]
    ax.bar(middles, counts, width=0.94 * width, color=colours, alpha=0.75, linewidth=0)
    ax.axvline(0, color=INK, linewidth=1)
    top = float(counts.max()) * 1.16
    for value, name, style in ((d.mean(), "mean", "-"), (np.median(d), "median", "--")):
        ax.axvline(
            float(value),
            color=INK,
            linestyle=style,
            linewidth=1,
            label=f"{name} {value + 0.0:+.3g}",
        )
    ax.set_ylim(0, top)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ties = len(d) - wins - losses
    for at, text, colour, side in (
        (0.01, f"{first} better: {losses:,}", FIRST, "left"),
        (0.99, f"{second} better: {wins:,}", SECOND, "right"),
    ):
        ax.annotate(
            text, (at, 0.97), xycoords="axes fraction", ha=side, va="top", fontsize=9, color=colour
        )
    bare(ax, grid="y")
    skew = shape(d)[0]
    tied = f", {ties:,} ties" if ties else ""
    title(ax, f"{len(d):,} items{tied}; skewness {skew:+.2f}")
    ax.set_xlabel(f"{second} minus {first}, in the direction of better", color=INK, fontsize=9)
    ax.legend(loc="best", frameon=False, fontsize=8.5, labelcolor=INK)
    return ax


def _two(
    scores: Scores, first: str, second: str, metric: str | Metric | None
) -> tuple[Floats, Floats, bool]:
    table = score_table(scores, metric=metric)
    x, y = (table.sign * table.values[:, scores.position(s)] for s in (first, second))
    both = ~np.isnan(x + y)
    if not both.any():
        raise DataError(f"{first!r} and {second!r} have no item in common")
    return x[both], y[both], table.sign < 0


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
    """Contours of a Gaussian kernel estimate on a grid; nothing where there is no spread."""
    if len(x) < 10 or x.std() == 0 or y.std() == 0:
        return
    cells = 120
    counts, _, _ = np.histogram2d(x, y, bins=cells, range=[[low, high], [low, high]])
    apart = np.subtract.outer(np.arange(cells), np.arange(cells))
    # Scott's (1992) bandwidth on either axis, in cells
    scale = len(x) ** (-1 / 6) / (high - low) * cells
    across, along = (np.exp(-0.5 * (apart / max(float(v.std()) * scale, 1.0)) ** 2) for v in (x, y))
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
    top.hist(x, bins, color=FIRST, alpha=0.7)
    side.hist(y, bins, orientation="horizontal", color=SECOND, alpha=0.7)
    for small in (top, side):
        small.axis("off")
