"""The law of a test drawn: what the data are compared with."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.errors import UsageError
from betterthan.numeric import Alternative, Bools, Floats
from betterthan.plots import kinds_of
from betterthan.plots.look import INK, SOFT, TAIL, TIE, axes, bare, named, title
from betterthan.results.number_format import format_p
from betterthan.results.tests import Law, TestResult

BARS = 400
HIDDEN = 0.02
"""Share of the highest bar below which nobody sees a tail."""


@kinds_of.register
def _(result: TestResult) -> dict[str, Any]:
    if result.overlap is not None:
        return kinds_of(result.overlap)
    return {} if result.law is None else {"null": null_law}


@dataclass(frozen=True, slots=True)
class Bars:
    """A law as bars of one width: what lies in the tail that is the p-value, and the rest."""

    centres: Floats
    width: float
    rest: Floats
    tail: Floats


def law_bars(result: TestResult, most: int = BARS) -> Bars:
    """Bars of a test's law; neighbouring values share one where there are more than so many."""
    law = _law_of(result)
    deltas, masses = law.mass()
    resampled = result.test == "bootstrap"
    centre = law.observed if resampled else 0.0
    inside = np.abs(deltas - centre) <= max(4.5 * law.sd, 1.15 * abs(law.observed))
    deltas, masses = deltas[inside], masses[inside]
    extreme = _extreme(deltas, law.observed, result.alternative) & (not resampled)
    stride = -(-deltas.size // most)
    starts = np.arange(0, deltas.size, stride)
    width = stride * float(np.diff(deltas).min()) if deltas.size > 1 else 1.0
    centres = np.add.reduceat(deltas, starts) / np.diff(np.append(starts, deltas.size))
    rest, tail = (
        np.add.reduceat(np.where(chosen, masses, 0.0), starts) for chosen in (~extreme, extreme)
    )
    return Bars(centres, width, rest, tail)


def null_law(result: TestResult, ax: Any = None, *, percent: bool = False) -> Any:
    """Law of a test's statistic with the tail that is the p-value shaded, and the data marked.

    Of an ideal bootstrap it is the law of all resamples, with zero marked instead of a tail.
    Neighbouring values share a bar when there are more than four hundred. A ``percent`` is a
    difference of rates, which is drawn in points.
    """
    drawn = law_bars(result)
    law = result.law
    assert law is not None
    k, points = law_unit(law.name, percent=percent)
    observed, resampled = k * law.observed, result.test == "bootstrap"
    ax = bare(axes(ax))
    for heights, colour in ((drawn.rest, TIE), (drawn.tail, TAIL)):
        ax.bar(k * drawn.centres, heights, width=0.92 * k * drawn.width, color=colour, linewidth=0)
    ax.axvline(observed, color=INK, linewidth=1.2)
    ax.annotate(
        f"observed {observed:+.4g}{points}",
        (observed, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4 if observed > 0 else -4, -2),
        textcoords="offset points",
        ha="left" if observed > 0 else "right",
        va="top",
        fontsize=9,
        color=INK,
    )
    ax.set_yticks([])
    p = format_p(result.pvalue, result.log10_pvalue, floor=result.floor)
    said = f"{law.name} in points" if points else law.name
    if resampled:
        ax.axvline(0.0, color=SOFT, linewidth=1.0)
        named(ax, f"{said}, over all resamples")
        title(ax, f"All resamples of the data, p {p}")
        return ax
    hidden = _marks(drawn, observed, result.alternative)
    ax.plot(hidden, [0.02] * len(hidden), "v", color=TAIL, transform=ax.get_xaxis_transform())
    seen = "Beyond \N{BLACK DOWN-POINTING TRIANGLE}, too few to be seen" if hidden else "Shaded"
    named(ax, f"{said} if the labels meant nothing")
    title(ax, f"{seen}: swaps at least as extreme as the data, p {p}")
    return ax


def _marks(drawn: Bars, observed: float, alternative: Alternative) -> list[float]:
    """Where a tail begins that is too small to be seen; none where it can be."""
    if drawn.tail.max() >= HIDDEN * (drawn.rest + drawn.tail).max():
        return []
    return [-abs(observed), abs(observed)] if alternative == "two-sided" else [observed]


def law_unit(name: str, *, percent: bool) -> tuple[float, str]:
    """Factor and unit of a law's values: only a difference of rates is one of points."""
    points = percent and name == "difference"
    return (100.0, " points") if points else (1.0, "")


def _law_of(result: TestResult) -> Law:
    if result.law is None:
        raise UsageError(f"a {result.test} test by {result.engine} has no null law to draw")
    return result.law


def _extreme(deltas: Floats, observed: float, alternative: Alternative) -> Bools:
    slack = 1e-9 * max(abs(observed), float(np.abs(deltas).max()))
    if alternative == "two-sided":
        return np.abs(deltas) >= abs(observed) - slack
    if alternative == "greater":
        return deltas >= observed - slack
    return deltas <= observed + slack
