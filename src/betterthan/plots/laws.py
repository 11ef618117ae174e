"""The law of a test drawn: what the data are compared with."""

from typing import Any

import numpy as np

from betterthan.errors import UsageError
from betterthan.numeric import Alternative, Bools, Floats
from betterthan.plots import kinds_of
from betterthan.plots.look import FAINT, INK, SECOND, SOFT, axes, bare, named, title
from betterthan.results.pvalues import format_p
from betterthan.results.tests import TestResult

BARS = 400


@kinds_of.register
def _(result: TestResult) -> dict[str, Any]:
    if result.overlap is not None:
        return kinds_of(result.overlap)
    return {} if result.law is None else {"law": null_law}


def null_law(result: TestResult, ax: Any = None) -> Any:
    """Law of a test's statistic with the tail that is the p-value shaded, and the data marked.

    Of an ideal bootstrap it is the law of all resamples, with zero marked instead of a tail.
    Neighbouring values share a bar when there are more than four hundred.
    """
    law = result.law
    if law is None:
        raise UsageError(f"a {result.test} test by {result.engine} has no null law to draw")
    observed, resampled = law.observed, result.test == "bootstrap"
    ax = bare(axes(ax))
    deltas, masses = law.mass()
    centre = observed if resampled else 0.0
    inside = np.abs(deltas - centre) <= max(4.5 * law.sd, 1.15 * abs(observed))
    deltas, masses = deltas[inside], masses[inside]
    extreme = _extreme(deltas, observed, result.alternative) & (not resampled)
    stride = -(-deltas.size // BARS)
    starts = np.arange(0, deltas.size, stride)
    width = stride * float(np.diff(deltas).min()) if deltas.size > 1 else 1.0
    centres = np.add.reduceat(deltas, starts) / np.diff(np.append(starts, deltas.size))
    for chosen, colour in ((~extreme, FAINT), (extreme, SECOND)):
        heights = np.add.reduceat(np.where(chosen, masses, 0.0), starts)
        ax.bar(centres, heights, width=0.92 * width, color=colour, linewidth=0)
    ax.axvline(observed, color=INK, linewidth=1.2)
    ax.annotate(
        f"observed {observed:+.4g}",
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
    if resampled:
        ax.axvline(0.0, color=SOFT, linewidth=1.0)
        named(ax, f"{law.name}, over all resamples")
        title(ax, f"All resamples of the data, p {p}")
    else:
        named(ax, f"{law.name} if the labels meant nothing")
        title(ax, f"Shaded: swaps at least as extreme as the data, p {p}")
    return ax


def _extreme(deltas: Floats, observed: float, alternative: Alternative) -> Bools:
    slack = 1e-9 * max(abs(observed), float(np.abs(deltas).max()))
    if alternative == "two-sided":
        return np.abs(deltas) >= abs(observed) - slack
    if alternative == "greater":
        return deltas >= observed - slack
    return deltas <= observed + slack
