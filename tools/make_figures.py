"""Draw the figures of the documentation from the bundled data and fixed seeds."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import betterthan as bt
from betterthan.plots.look import INK, axes, bare, title
from betterthan.plots.palette import LIGHT

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def spectrum() -> Any:
    """Modulus of the characteristic function of a sum of 10,000 signed differences."""
    rng = np.random.default_rng(0)
    steps = np.arange(1, 9)
    counts = rng.multinomial(4000, 0.5**steps / (0.5**steps).sum())
    theta = np.linspace(0, np.pi, 4000)
    logs = sum(
        c * np.log(np.abs(np.cos(theta * e)) + 1e-300) for e, c in zip(steps, counts, strict=True)
    )
    ax = bare(axes(None, 6.4, 2.8), grid="y")
    ax.plot(theta, np.maximum(logs / np.log(10), -320), color=LIGHT["violet"], linewidth=1.2)
    ax.axhline(-16, color=LIGHT["gold"], linewidth=1.0)
    where = (np.pi / 2, -16)
    ax.annotate(
        "a double's last digit", where, ha="center", va="bottom", fontsize=9, color=LIGHT["gold"]
    )
    ax.set_xlabel("frequency", fontsize=9, color=INK)
    ax.set_ylabel("log10 modulus", fontsize=9, color=INK)
    title(ax, "Of all frequencies only those next to zero and pi matter")
    return ax


def tilted() -> Any:
    """The same law before and after tilting to the observed value."""
    n, observed = 400, 130
    k = np.arange(n + 1)
    log_choose = np.cumsum(np.log(np.append(1, (n - k[:-1]) / (k[:-1] + 1))))
    ax = bare(axes(None, 6.4, 2.8))
    share = (n + observed) / (2 * n)
    tilt = float(np.log(share / (1 - share)))
    for lam, colour, name in (
        (0.0, LIGHT["tie"], "null law"),
        (tilt, LIGHT["violet"], "tilted law"),
    ):
        logs = log_choose + lam * k - n * np.log1p(np.exp(lam))
        ax.fill_between(2 * k - n, np.exp(logs), color=colour, alpha=0.55, linewidth=0, label=name)
    ax.axvline(observed, color=INK, linewidth=1.0)
    ax.annotate("observed", (observed, 1), xycoords=("data", "axes fraction"), xytext=(4, -2),
                textcoords="offset points", va="top", fontsize=9, color=INK)  # fmt: skip
    ax.set_yticks([])
    ax.set_xlim(-200, 250)
    ax.set_xlabel("wins minus losses", fontsize=9, color=INK)
    title(ax, "Tilting moves the law to where the tail is measured")
    ax.legend(frameon=False, fontsize=9, loc="upper left")
    return ax


def figures() -> dict[str, Any]:
    """The axes of every figure, by its name."""
    with as_file(files("betterthan") / "bundled") as folder:
        scores = bt.read(folder / "qa.csv", columns={"cluster": "document"})
    law = bt.compare(scores, "base", "cedar").plot("null")
    return {"null-law": law, "spectrum": spectrum(), "tilt": tilted()}


def main() -> None:
    """Write every figure as SVG."""
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "betterthan"
    FIGURES.mkdir(exist_ok=True)
    for name, ax in figures().items():
        ax.figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None, "Creator": None})
        print(f"wrote docs/figures/{name}.svg")


if __name__ == "__main__":
    main()
