"""Figures of the papers: curves, and pictures of several panels."""

from typing import Any

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.exhibits import Curves, Picture
from betterthan.plots import kinds_of
from betterthan.plots.look import COLOURS, MARKERS, axes, bare, named, title

WIDE = 3
"""Panels of a picture that stand side by side."""

DASHES = ("-", "--", ":")
"""Lines of the series that have a colour for the first, second and third time."""

FEW = 6
"""So many whole places on the axis are its ticks."""

MANY = 4
"""With more series than this the legend stands beside the plot."""

kinds_of.register(Curves, lambda _: {"curves": curves})


def curves(found: Curves, ax: Any = None) -> Any:
    """Draw every series: as a line with markers, as points, or as bars side by side."""
    ax = axes(ax)
    bars = [series for series in found.series if series.look == "bars"]
    for at, series in enumerate(found.series):
        colour, x, y = COLOURS[at % len(COLOURS)], np.asarray(series.x), np.asarray(series.y)
        if series.look == "bars":
            width = 0.8 * _step(x) / len(bars)
            x = x + (bars.index(series) - (len(bars) - 1) / 2) * width
            ax.bar(x, y, width, color=colour, label=series.label)
        elif series.look == "points":
            ax.plot(x, y, ".", ms=3, alpha=0.5, color=colour, label=series.label)
        else:
            marker = MARKERS[at % len(MARKERS)]
            dashes = DASHES[at // len(COLOURS) % len(DASHES)]
            ax.plot(x, y, dashes, marker=marker, ms=4, lw=1.2, color=colour, label=series.label)
        if series.low is not None and series.high is not None:
            ends = np.array([y - np.asarray(series.low), np.asarray(series.high) - y])
            ax.errorbar(x, y, np.maximum(ends, 0), fmt="none", ecolor=colour, lw=1, capsize=2)
    places = sorted({float(x) for series in found.series for x in series.x})
    if found.ticks:
        ax.set_xticks(range(len(found.ticks)), found.ticks, rotation=60, ha="right", fontsize=8)
    elif len(places) <= FEW and all(x.is_integer() for x in places):
        ax.set_xticks(places)
    for axis in found.log:
        (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    bare(ax, grid="both")
    named(ax, found.x, found.y)
    title(ax, found.title)
    if len(found.series) > MANY:
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif len(found.series) > 1:
        ax.legend(frameon=False, fontsize=8)
    return ax


def _step(x: Floats) -> float:
    """How far the bars of one series stand apart."""
    return float(np.diff(x).min()) if x.size > 1 else 1.0


def picture(shown: Picture) -> Any:
    """Draw the panels of a picture into one figure."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 (slow to import)

    columns = min(WIDE, len(shown.panels))
    rows = -(-len(shown.panels) // columns)
    size = (5.2 * columns, 3.8 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for ax in grid.flat[len(shown.panels) :]:
        ax.set_visible(False)
    for ax, panel in zip(grid.flat, shown.panels, strict=False):
        panel.result.plot(panel.kind, ax)
        if panel.title:
            title(ax, panel.title)
    return figure
