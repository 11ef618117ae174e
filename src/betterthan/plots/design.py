"""Designs drawn: power curves, gain against confidence, decay of thresholds, calibration."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.design.assumptions import Assumption
from betterthan.design.calibration import Calibration
from betterthan.design.growth import SizeStudy
from betterthan.design.power import power
from betterthan.design.thresholds import ALL, GainStudy
from betterthan.errors import UsageError
from betterthan.plots.look import INK, SOFT, TIERS, axes, bare, title
from betterthan.render.numbers import scale
from betterthan.results import Alternative

MARKERS = "os^Dv*PX"
POINTS = 18


def power_curves(
    given: Assumption,
    effects: Sequence[float],
    ax: Any = None,
    *,
    items: int = 500,
    alpha: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
) -> Any:
    """Power against the size of the test set, a curve for every effect."""
    if not effects or items < 2:
        raise UsageError("a power curve needs an effect and at least two items")
    ax = axes(ax)
    k, unit = scale(given.percent), " points" if given.percent else ""
    least = max(int(2 * given.items_per_unit), 2)
    at = np.unique(np.geomspace(max(items / 10, least), max(3 * items, least + 1), POINTS).round())
    ax.axhline(0.8, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.text(at[0], 0.81, "80 %", fontsize=8, color=SOFT, va="bottom")
    for colour, effect in zip(TIERS, effects, strict=False):
        found = [
            power(
                given, int(n), effect, alpha=alpha, comparisons=comparisons, alternative=alternative
            ).power
            for n in at
        ]
        ax.plot(at, found, color=colour, linewidth=1.8)
        # The label stands where the curve is half way up, and so keeps clear of its neighbours.
        half = int(np.argmin(np.abs(np.array(found) - 0.55)))
        ax.annotate(
            f"{k * effect:.3g}{unit}",
            (at[half], found[half]),
            xytext=(6, -2),
            textcoords="offset points",
            fontsize=9,
            color=colour,
            va="top",
        )
    ax.set_xscale("log")
    ticks = _round_numbers(at[0], at[-1])
    ax.set_xticks(ticks, [f"{n:,}" for n in ticks])
    ax.minorticks_off()
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("items in the test set", fontsize=9, color=INK)
    ax.set_ylabel("power", fontsize=9, color=INK)
    bare(ax, grid="y")
    title(ax, f"Chance of a verdict at the {100 * alpha / comparisons:.3g} % level")
    return ax


def detectable_curve(
    given: Assumption,
    ax: Any = None,
    *,
    items: int = 500,
    wanted: float = 0.8,
    alpha: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
) -> Any:
    """Smallest effect that is detected with the power wanted, against the size of the test set."""
    ax = axes(ax)
    k, unit = scale(given.percent), " (points)" if given.percent else ""
    least = max(items / 10, 20 * given.items_per_unit)
    at = np.unique(np.geomspace(least, max(4 * items, 2 * least), POINTS).round())
    sizes, found = [], []
    for n in at.astype(int).tolist():
        try:
            made = power(
                given,
                n,
                power=wanted,
                alpha=alpha,
                comparisons=comparisons,
                alternative=alternative,
            )
        except UsageError:  # so few items detect no possible effect
            continue
        sizes.append(n)
        found.append(k * abs(made.effect))
    if not found:
        raise UsageError(f"test sets around {items:,} items detect nothing: take more items")
    ax.plot(sizes, found, color=TIERS[0], linewidth=1.8)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ticks = _round_numbers(sizes[0], sizes[-1])
    ax.set_xticks(ticks, [f"{n:,}" for n in ticks])
    levels = _round_numbers(min(found), max(found))
    ax.set_yticks(levels, [f"{x:g}" for x in levels])
    ax.minorticks_off()
    ax.set_xlabel("items in the test set", fontsize=9, color=INK)
    ax.set_ylabel(f"effect{unit}", fontsize=9, color=INK)
    bare(ax, grid="both")
    title(ax, f"Smallest effect detected with {100 * wanted:g} % power")
    return ax


def gain_confidence(*studies: GainStudy, ax: Any = None) -> Any:
    """Confidence against gain, a point a pair (Figures 2 to 11 of the 2012 paper).

    Several studies are laid over each other: natural and synthetic systems, sizes, domains.
    """
    if not studies:
        raise UsageError("there is no study to draw")
    ax = axes(ax, 7.2, 4.4)
    k, unit = scale(studies[0].percent), " (points)" if studies[0].percent else ""
    ax.axhline(0.95, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)))
    series = 0
    for study in studies:
        names = [t.group for t in study.thresholds if t.group != ALL] or [ALL]
        # The larger group first, so that the smaller one is not hidden behind it.
        names.sort(key=lambda name: -study.threshold(name).pairs)
        for name in names:
            points = [g for g in study.gains if name in (ALL, g.group)]
            found = study.threshold(name)
            colour = TIERS[series % len(TIERS)]
            label = " · ".join(x for x in (study.label, name if name != ALL else "") if x)
            label = label or f"{len(points):,} pairs"
            if found.value is not None:
                label += f": {k * found.value:.3g}"
                ax.axvline(k * found.value, ymax=0.06, color=colour, linewidth=2.0)
            ax.scatter(
                [k * g.gain for g in points],
                [g.confidence for g in points],
                s=14,
                marker=MARKERS[series % len(MARKERS)],
                facecolor="none",
                edgecolor=colour,
                linewidth=0.8,
                alpha=0.8,
                label=label,
                rasterized=len(points) > 2000,
            )
            series += 1
    ax.set_ylim(0.45, 1.01)
    shown = [g.gain for s in studies for g in s.gains if g.confidence < 0.9999]
    ax.set_xlim(0, 1.08 * k * max(shown, default=1.0))
    ax.set_xlabel(f"gain in {studies[0].metric}{unit}", fontsize=9, color=INK)
    ax.set_ylabel("confidence, 1 − p", fontsize=9, color=INK)
    ax.legend(frameon=False, fontsize=8, loc="lower right", title="threshold", title_fontsize=8)
    bare(ax, grid="y")
    title(ax, f"Gain against confidence ({studies[-1].test}, one-sided)")
    return ax


def threshold_decay(study: SizeStudy, ax: Any = None) -> Any:
    """Thresholds against the size of the test set, with the square-root law."""
    ax = axes(ax)
    k = scale(study.studies[0].percent)
    unit = " (points)" if study.studies[0].percent else ""
    sizes = np.array([s.n for s in study.studies])
    groups = [d for d in study.decay if d.group != ALL] or study.decay
    for colour, marker, decay in zip(TIERS, MARKERS, groups, strict=False):
        found = [(s.n, s.threshold(decay.group)) for s in study.studies if _has(s, decay.group)]
        known = [(n, t) for n, t in found if t.value is not None]
        if not known:
            continue
        n = np.array([n for n, _ in known])
        value = k * np.array([t.value for _, t in known])
        low = k * np.array([t.value if t.low is None else t.low for _, t in known])
        high = k * np.array([t.value if t.high is None else t.high for _, t in known])
        ax.vlines(n, np.minimum(low, value), np.maximum(high, value), color=colour, linewidth=1.2)
        label = decay.group
        if decay.exponent is not None and decay.constant is not None:
            label += f": n^{decay.exponent:.2f}"
            ax.plot(sizes, k * decay.constant / np.sqrt(sizes), color=colour, linewidth=0.9)
        ax.scatter(n, value, s=24, marker=marker, color=colour, label=label, zorder=3)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.minorticks_off()
    ticks = [t for t in _round_numbers(*ax.get_ylim()) if t > 0]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_xlabel("items in the test set", fontsize=9, color=INK)
    ax.set_ylabel(f"threshold{unit}", fontsize=9, color=INK)
    ax.legend(frameon=False, fontsize=8)
    bare(ax, grid="y")
    title(ax, "The gain that is usually significant; lines fall with the square root of n")
    return ax


def calibration_curve(found: Calibration, ax: Any = None) -> Any:
    """Share of verdicts that name the truly better system, by p-value (Table 1)."""
    ax = axes(ax)
    count = len(found.truth)
    for series, name in enumerate(found.truth):
        bins = [b for b in found.bins[name] if b.tests]
        at = np.array([found.bins[name].index(b) for b in bins]) + 0.12 * (series - (count - 1) / 2)
        share = np.array([b.agreeing / b.tests for b in bins])
        ends = np.array([b.interval for b in bins]).reshape(-1, 2)
        colour = TIERS[series % len(TIERS)]
        ax.vlines(at, ends[:, 0], ends[:, 1], color=colour, linewidth=1.2)
        ax.plot(at, share, color=colour, marker=MARKERS[series % 8], markersize=5, label=name)
    borders = found.bins[found.truth[0]]
    ax.axhline(0.5, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.text(-0.3, 0.505, "a coin", fontsize=8, color=SOFT, ha="left", va="bottom")
    ax.set_xticks(
        range(len(borders)), [f"{b.low:g}–{b.high:g}" for b in borders], rotation=35, ha="right"
    )
    ax.tick_params(axis="x", labelsize=8)
    ax.set_ylim(None, 1.02)
    ax.set_xlabel("p-value", fontsize=9, color=INK)
    ax.set_ylabel("names the better system", fontsize=9, color=INK)
    if count > 1 or found.truth != ("population",):
        ax.legend(frameon=False, fontsize=8)
    bare(ax, grid="y")
    title(ax, f"What p-values on {found.size:,} items were worth")
    return ax


def _has(study: GainStudy, group: str) -> bool:
    return any(t.group == group for t in study.thresholds)


def _round_numbers(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten in a range, or more of them where that leaves too few."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        made = [round(m * 10.0**p, 12) for p in powers for m in steps]
        found = [t for t in made if low <= t <= high]
        if len(found) >= 4:
            break
    return [int(t) if t == int(t) else t for t in found]
