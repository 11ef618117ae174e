"""Designs drawn: power curves, gain against confidence, decay of thresholds, calibration."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from betterthan.design.allocation import Allocations
from betterthan.design.assumptions import Assumption
from betterthan.design.calibrations import Calibration, Calibrations
from betterthan.design.checks import GateResult
from betterthan.design.gains import GainStudy
from betterthan.design.null_check import NullCheck, NullChecks
from betterthan.design.powers import Power, Powers, power
from betterthan.design.system_groups import ALL_PAIRS
from betterthan.design.thresholds_by import SizeStudy
from betterthan.errors import Choice, Remedy, UsageError, how_many
from betterthan.numeric import Alternative
from betterthan.plots import kinds_of, look
from betterthan.plots.drawing import shortened
from betterthan.results.number_format import scale
from betterthan.results.sheet import attributes

POINTS = 18
SURE = 0.999
"""Confidence from which on a pair is not in doubt."""


kinds_of.register(Power, lambda found: kinds_of(Powers((found,))))
kinds_of.register(Allocations, lambda _: {"power": allocation_bars})
kinds_of.register(GainStudy, lambda _: {"gains": lambda study, ax: gain_confidence(study, ax=ax)})
kinds_of.register(Calibration, lambda _: {"calibration": calibration_curve})
kinds_of.register(
    Calibrations, lambda _: {"calibration": lambda found, ax: calibration_curve(found[0], ax)}
)
kinds_of.register(GateResult, lambda _: {"margins": gate_margins})
kinds_of.register(NullCheck, lambda _: {"pvalues": p_histogram})
kinds_of.register(NullChecks, lambda _: {"pvalues": p_histogram})


@kinds_of.register
def _(found: Powers) -> dict[str, Any]:
    given = found[0].assumption
    if given is None:
        return {}
    return {"power": partial(_powers, given), "detectable": partial(_detectable, given)}


@kinds_of.register
def _(found: SizeStudy) -> dict[str, Any]:
    decay = {"decay": threshold_decay} if found.decay else {}
    return {"gains": lambda found, ax: gain_confidence(*found.studies, ax=ax), **decay}


def _powers(given: Assumption, found: Power | Powers, ax: Any) -> Any:
    made = [found] if isinstance(found, Power) else list(found)
    effects = dict.fromkeys(abs(p.effect) for p in made)
    return power_curves(given, list(effects), ax, **_asked(max(made, key=lambda p: p.items)))


def _detectable(given: Assumption, found: Power | Powers, ax: Any) -> Any:
    first = found if isinstance(found, Power) else found[0]
    wanted = first.power if first.solved_for == "effect" else 0.8
    return detectable_curve(given, ax, wanted=wanted, **_asked(first))


def _asked(p: Power) -> dict[str, Any]:
    return attributes(p, "items", "alpha", "comparisons", "alternative")


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
    """Power against the size of the test set, one curve per effect."""
    if not effects or items < 2:
        remedy = Remedy("", "items", 500) if effects else Remedy("", "effect", Choice("X"))
        raise UsageError("a power curve needs an effect and at least two items", remedy)
    ax = look.axes(ax)
    k, unit = scale(given.percent), " points" if given.percent else ""
    least = max(int(2 * given.items_per_unit), 2)
    at = np.unique(np.geomspace(max(items / 10, least), max(3 * items, least + 1), POINTS).round())
    look.dashed(ax, 0.8)
    ax.text(at[0], 0.81, "80 %", fontsize=8, color=look.SOFT, va="bottom")
    for colour, effect in zip(look.COLOURS, effects, strict=False):
        found = [
            power(
                given,
                items=int(n),
                effect=effect,
                alpha=alpha,
                comparisons=comparisons,
                alternative=alternative,
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
    look.named(ax, "items in the test set", "power")
    look.bare(ax, grid="y")
    look.title(ax, f"Chance of a verdict at the {100 * alpha / comparisons:.3g} % level")
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
    ax = look.axes(ax)
    k, unit = scale(given.percent), " (points)" if given.percent else ""
    least = max(items / 10, 20 * given.items_per_unit)
    at = np.unique(np.geomspace(least, max(4 * items, 2 * least), POINTS).round())
    sizes, found = [], []
    for n in at.astype(int).tolist():
        try:
            made = power(
                given,
                items=n,
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
        raise UsageError(
            f"test sets of around {items:,} items detect nothing",
            Remedy("more items", "items", 10 * items),
        )
    ax.plot(sizes, found, color=look.COLOURS[0], linewidth=1.8)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ticks = _round_numbers(sizes[0], sizes[-1])
    ax.set_xticks(ticks, [f"{n:,}" for n in ticks])
    levels = _round_numbers(min(found), max(found))
    ax.set_yticks(levels, [f"{x:g}" for x in levels])
    ax.minorticks_off()
    look.named(ax, "items in the test set", f"effect{unit}")
    look.bare(ax, grid="both")
    look.title(ax, f"Smallest effect detected with {100 * wanted:g} % power")
    return ax


def gain_confidence(*studies: GainStudy, ax: Any = None) -> Any:
    """Confidence against gain, one point per pair (Figures 2 to 11 of the 2012 paper).

    Several studies are laid over each other: natural and synthetic systems, sizes, domains.
    """
    if not studies:
        raise UsageError("there is no study to draw")
    ax = look.axes(ax, 7.2, 4.4)
    k, unit = scale(studies[0].percent), " (points)" if studies[0].percent else ""
    look.dashed(ax, 0.95)
    series = 0
    for study in studies:
        names = [t.group for t in study.thresholds if t.group != ALL_PAIRS] or [ALL_PAIRS]
        # The larger group first, so that the smaller one is not hidden behind it.
        names.sort(key=lambda name: -study.threshold(name).pairs)
        for name in names:
            points = [g for g in study.gains if name in (ALL_PAIRS, g.group)]
            found = study.threshold(name)
            colour = look.COLOURS[series % len(look.COLOURS)]
            label = " · ".join(x for x in (study.label, name if name != ALL_PAIRS else "") if x)
            label = label or how_many(len(points), "pair")
            if found.value is not None:
                label += f": {k * found.value:.3g}"
                ax.axvline(k * found.value, ymax=0.06, color=colour, linewidth=2.0)
            ax.scatter(
                [k * g.gain for g in points],
                [g.confidence for g in points],
                s=14,
                marker=look.MARKERS[series % len(look.MARKERS)],
                facecolor="none",
                edgecolor=colour,
                linewidth=0.8,
                alpha=0.8,
                label=label,
                rasterized=len(points) > 2000,
            )
            series += 1
    ax.set_ylim(0.45, 1.01)
    every = [g for s in studies for g in s.gains]
    # Beyond the last pair in doubt all are sure: that would squeeze the curve into a corner.
    end = 1.25 * max((g.gain for g in every if g.confidence < SURE), default=0.0)
    end = min(end, 1.08 * max(g.gain for g in every)) or 1.0
    beyond = sum(g.gain > end for g in every)
    ax.set_xlim(0, k * end)
    if beyond:
        at = {
            "transform": ax.transAxes,
            "ha": "right",
            "va": "top",
            "fontsize": 8,
            "color": look.SOFT,
        }
        ax.text(0.99, 0.87, f"{how_many(beyond, 'pair')} further right", **at)
    look.named(ax, f"gain in {studies[0].metric}{unit}", "confidence, 1 − p")
    ax.legend(frameon=False, fontsize=8, loc="lower right", title="threshold", title_fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, f"Gain against confidence ({studies[-1].test}, one-sided)")
    return ax


def threshold_decay(study: SizeStudy, ax: Any = None) -> Any:
    """Thresholds against the size of the test set, with the square-root law."""
    ax = look.axes(ax)
    k = scale(study.studies[0].percent)
    unit = " (points)" if study.studies[0].percent else ""
    sizes = np.array([s.n for s in study.studies])
    groups = [d for d in study.decay if d.group != ALL_PAIRS] or study.decay
    for colour, marker, decay in zip(look.COLOURS, look.MARKERS, groups, strict=False):
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
    look.named(ax, "items in the test set", f"threshold{unit}")
    ax.legend(frameon=False, fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, "The gain that is usually significant; lines fall with the square root of n")
    return ax


def calibration_curve(found: Calibration, ax: Any = None) -> Any:
    """Share of verdicts that name the truly better system, by p-value (Table 1)."""
    ax = look.axes(ax)
    count = len(found.truth)
    for series, name in enumerate(found.truth):
        bins = [b for b in found.bins[name] if b.tests]
        at = np.array([found.bins[name].index(b) for b in bins]) + 0.12 * (series - (count - 1) / 2)
        share = np.array([b.agreeing / b.tests for b in bins])
        ends = np.array([b.interval for b in bins]).reshape(-1, 2)
        colour = look.COLOURS[series % len(look.COLOURS)]
        ax.vlines(at, ends[:, 0], ends[:, 1], color=colour, linewidth=1.2)
        ax.plot(at, share, color=colour, marker=look.MARKERS[series % 8], markersize=5, label=name)
    borders = found.bins[found.truth[0]]
    look.dashed(ax, 0.5)
    ax.annotate(
        "a coin", (0.02, 0.505), xycoords=("axes fraction", "data"), fontsize=8, color=look.SOFT
    )
    ax.set_xticks(
        range(len(borders)), [f"{b.low:g}–{b.high:g}" for b in borders], rotation=35, ha="right"
    )
    ax.tick_params(axis="x", labelsize=8)
    ax.set_ylim(None, 1.02)
    look.named(ax, "p-value", "names the better system")
    if count > 1 or found.truth != ("population",):
        ax.legend(frameon=False, fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, f"What p-values on {found.size:,} items were worth")
    return ax


def allocation_bars(made: Allocations, ax: Any = None) -> Any:
    """Power of every way to spend the budget."""
    ax = look.axes(ax)
    labels = [f"{a.items:,}\n× {a.repeats}\n× {a.raters}" for a in made]
    look.power_bars(ax, labels, [a.power for a in made])
    look.named(ax, "items × repeats × raters", "power")
    look.title(ax, "Where to spend the budget")
    return ax


def p_histogram(found: NullCheck | NullChecks, ax: Any = None) -> Any:
    """P-values on null data: level where the test keeps its promise, and the alarms at its left."""
    checks = [found] if isinstance(found, NullCheck) else list(found)
    ax = look.axes(ax)
    edges = np.linspace(0.0, 1.0, 21)
    for colour, check in zip(look.COLOURS, checks, strict=False):
        shares = np.histogram(check.pvalues, edges)[0] / len(check.pvalues)
        label = f"{check.test}: {100 * check.rate:.1f} % at {check.alpha:g}"
        ax.stairs(shares, edges, color=colour, linewidth=1.6, label=label)
    look.dashed(ax, 1.0 / (len(edges) - 1))
    ax.set_xlim(0, 1)
    ax.set_ylim(bottom=0)
    look.named(ax, "p-value", "share of null test sets")
    ax.legend(frameon=False, fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, "P-values where nothing differs; dashed: as promised")
    return ax


def gate_margins(found: GateResult, ax: Any = None) -> Any:
    """Each metric's difference and bounds beside its margin, on the scale it is printed in."""
    ax = look.bare(look.axes(ax, height=look.rows_height(len(found.checks))), grid="x")
    rows = np.arange(len(found.checks))[::-1]
    colours = {"PASS": look.CANDIDATE, "REGRESSION": look.BASELINE, "CAN'T TELL": look.SOFT}
    ax.axvline(0.0, color=look.SOFT, linewidth=1.0)
    for row, c in zip(rows, found.checks, strict=True):
        k, colour = scale(c.percent), colours[c.ruling]
        ends = [float(np.clip(x * k, -1e6, 1e6)) for x in (c.interval.low, c.interval.high)]
        ax.plot(ends, [row, row], color=colour, linewidth=2.2, solid_capstyle="round")
        ax.plot([k * c.delta], [row], "o", color=colour, markersize=6)
        sides = {"non-inferior": (-1,), "superior": (1,), "equivalent": (-1, 1)}[c.goal]
        for side in sides:
            ax.vlines(side * k * c.margin, row - 0.3, row + 0.3, color=look.INK, linewidth=1.4)
        look.beside(ax, row, c.ruling, look.INK if colour == look.SOFT else colour, 9)
    ax.set_yticks(rows, [c.metric for c in found.checks])
    ax.set_ylim(-0.6, len(found.checks) - 0.4)
    points = all(c.percent for c in found.checks)
    look.named(ax, "points" if points else "difference")
    level = f"{100 * (1 - found.alpha):g} %"
    first, second = shortened(found.baseline), shortened(found.candidate)
    look.title(ax, f"{second} minus {first}: one-sided {level} bounds and margins")
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
