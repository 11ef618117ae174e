"""The common look of all plots: colours that survive grey print and colour blindness, few lines."""

from typing import Any

import numpy as np

INK = "#1f2933"
SOFT = "#7b8794"
FAINT = "#e4e7eb"
FIRST = "#0072b2"  # blue and vermilion of Okabe & Ito (2008)
SECOND = "#d55e00"
TIERS = ("#0072b2", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#56b4e9", "#7b8794")


def axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the axes given, or new ones of a figure of that size."""
    if ax is not None:
        return ax
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


def tier_colour(tier: int) -> str:
    """Colour of a tier; they repeat after seven."""
    return TIERS[(tier - 1) % len(TIERS)]


def rows_height(rows: int) -> float:
    """Height in inches of a plot with one line a system."""
    return float(np.clip(1.1 + 0.32 * rows, 2.2, 40.0))


def ink_on(colour: Any) -> str:
    """Black or white, whichever can be read on the colour."""
    red, green, blue = colour[:3]
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else INK
