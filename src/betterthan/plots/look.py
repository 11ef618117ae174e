"""The common look of all plots: colours that survive grey print and colour blindness, few lines."""

from typing import Any

import numpy as np

from betterthan.plots.palette import LIGHT, SERIES

INK, SOFT, FAINT = (LIGHT[name] for name in ("ink", "soft", "faint"))
CANDIDATE, BASELINE, TIE, TAIL = (LIGHT[name] for name in ("candidate", "baseline", "tie", "tail"))
COLOURS = tuple(LIGHT[name] for name in SERIES)

MARKERS = "os^Dv*PX"


def axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the axes given, or new ones of a figure of that size; ``ax`` may make them."""
    if ax is not None:
        return ax(width, height) if callable(ax) else ax
    import matplotlib.pyplot as plt  # noqa: PLC0415 (slow to import)

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def bare(ax: Any, *, grid: str | None = None) -> Any:
    """Take away what does not carry data."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(SOFT)
    ax.tick_params(length=0, colors=INK, labelsize=9)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=FAINT, linewidth=0.8)
    return ax


def title(ax: Any, text: str) -> None:
    """Write the title on the left, as a sentence."""
    ax.set_title(text, loc="left", fontsize=10, color=INK, pad=10)


def named(ax: Any, x: str | None = None, y: str | None = None) -> None:
    """Name the axes."""
    for said, name in ((ax.set_xlabel, x), (ax.set_ylabel, y)):
        if name is not None:
            said(name, fontsize=9, color=INK)


def dashed(ax: Any, height: float) -> None:
    """Draw a line to compare with."""
    ax.axhline(height, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)))


def beside(ax: Any, row: float, text: str, colour: str = SOFT, size: float = 8.5) -> None:
    """Write a word to the right of a row."""
    place = ("axes fraction", "data")
    ax.annotate(text, (1.015, row), xycoords=place, va="center", fontsize=size, color=colour)


def power_bars(ax: Any, labels: Any, power: Any) -> None:
    """Draw what several designs can do; the best stands out."""
    at, best = np.arange(len(power)), int(np.argmax(power))
    ax.bar(at, power, 0.7, color=[COLOURS[0] if k == best else FAINT for k in at])
    for x, y in zip(at, power, strict=True):
        ax.text(x, y, f"{y:.2f}", ha="center", va="bottom", fontsize=8, color=INK)
    ax.set_xticks(at, labels)
    ax.set_ylim(0, 1.08)
    bare(ax)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1.0])


def framed(ax: Any, names: Any) -> None:
    """Name rows and columns of a matrix, and take its frame away."""
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0, colors=INK, labelsize=9)
    for spine in ax.spines.values():
        spine.set_visible(False)


def cell(ax: Any, image: Any, at: tuple[int, int], text: str, *, bold: bool = False) -> None:
    """Write into a cell of a matrix, in an ink that can be read on its colour."""
    row, column = at
    ink = ink_on(image.cmap(image.norm(image.get_array()[row, column])))
    weight = "bold" if bold else "normal"
    ax.text(column, row, text, ha="center", va="center", fontsize=9, color=ink, fontweight=weight)


def rows_height(rows: int) -> float:
    """Height in inches of a plot with one line per system."""
    return float(np.clip(1.1 + 0.32 * rows, 2.2, 40.0))


def ink_on(colour: Any) -> str:
    """Black or white, whichever can be read on the colour."""
    red, green, blue = colour[:3]
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else INK
