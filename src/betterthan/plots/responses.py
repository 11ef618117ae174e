"""Items and responses drawn: errors of p, fitted laws, null and alternative, budgets."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from betterthan.errors import Remedy, UsageError, not_one_of
from betterthan.plots import drawn_of, kinds_of, look
from betterthan.responses import (
    FittedPopulation,
    ResponseComparison,
    ResponseStudy,
    Split,
)
from betterthan.responses.published_test import NullAndAlternative
from betterthan.results.number_format import format_p
from betterthan.results.tests import TestResult

BARS = 60

kinds_of.register(NullAndAlternative, lambda _: {"overlap": null_and_alternative})


@kinds_of.register
def _(found: ResponseStudy) -> dict[str, Any]:
    spent = {"budget": lambda study, ax: budget(study.splits, ax)} if found.splits else {}
    return {
        "metrics": lambda study, ax: p_errors(study, ax, by="metric"),
        "samplings": lambda study, ax: p_errors(study, ax, by="sampling"),
        **spent,
    }


@kinds_of.register
def _(found: ResponseComparison) -> dict[str, Any]:
    return drawn_of("test", kinds_of(found.test))


def p_errors(
    study: ResponseStudy, ax: Any = None, *, by: Literal["metric", "sampling"] = "metric"
) -> Any:
    """Least error of the estimated p at every eps, by metric or by sampling strategy.

    Figures 1 and 2 of Wein et al. (2023). Perturbations are set side by side, not to scale.
    """
    ax = look.axes(ax, 7.6, 4.2)
    table = study.least_error(by)
    at = np.arange(len(study.eps))
    look.dashed(ax, 0.05)
    ax.text(at[-1], 0.052, "an error of .05", ha="right", va="bottom", fontsize=8, color=look.SOFT)
    for k, (name, row) in enumerate(table.items()):
        ax.plot(
            at,
            [row[eps] for eps in study.eps],
            color=look.COLOURS[k % len(look.COLOURS)],
            marker=look.MARKERS[k % len(look.MARKERS)],
            linestyle="-" if k < len(look.COLOURS) else "--",
            markersize=5,
            linewidth=1.4,
            label=name,
        )
    ax.set_xticks(at, [f"{eps:g}" for eps in study.eps])
    look.named(ax, "perturbation of the baseline, eps", "least |estimated p − true p|")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    look.bare(ax, grid="y")
    look.title(ax, f"How far published p-values are off, by {by}")
    return ax


def fitted_law(
    fit: FittedPopulation, ax: Any = None, *, of: Literal["means", "sds"] = "means"
) -> Any:
    """Observed against fitted item means or standard deviations (Figures 3 and 4)."""
    if of not in ("means", "sds"):
        raise not_one_of("of", of, ("means", "sds"))
    ax = look.axes(ax)
    found = fit.means if of == "means" else fit.sds
    left, width = found.edges[:-1], np.diff(found.edges)
    ax.bar(
        left, found.observed, width, align="edge", color=look.FAINT, edgecolor="white", label="data"
    )
    ax.stairs(
        found.expected, found.edges, color=look.COLOURS[0], linewidth=1.6, label=_spelled(found.law)
    )
    used = np.flatnonzero((found.observed > 0) | (found.expected > 1e-4))
    ax.set_xlim(found.edges[used[0]], found.edges[used[-1] + 1])
    what = "mean response" if of == "means" else "standard deviation of the responses"
    look.named(ax, f"{what} of an item", "share of the items")
    ax.legend(frameon=False, fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, f"Items' {what}: bars off by {found.error:.4f} on average")
    return ax


def null_and_alternative(result: TestResult, ax: Any = None) -> Any:
    """Draws of delta under the null and the alternative of one published test."""
    law = result.overlap
    if not isinstance(law, NullAndAlternative):
        raise UsageError(
            "only the published response test has a null and an alternative law to draw",
            Remedy("", "test", "published"),
        )
    ax = look.axes(ax)
    every = np.concatenate([law.null, law.alternative])
    edges = np.histogram_bin_edges(every, BARS)  # one unit wide if all draws are the same
    style: dict[str, Any] = {"bins": edges, "histtype": "stepfilled", "alpha": 0.55}
    ax.hist(law.alternative, color=look.COLOURS[0], label="alternative: own responses", **style)
    if law.null.any():
        ax.hist(law.null, color=look.SOFT, label="null: pooled responses", **style)
    else:
        ax.axvline(0.0, color=look.SOFT, linewidth=2.0, label="null: always zero")
    ax.axvline(result.delta, color=look.INK, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.text(
        result.delta, 1.0, " observed", transform=ax.get_xaxis_transform(), fontsize=8,
        va="top", color=look.INK,
    )  # fmt: skip
    ax.set_xlabel(f"delta by {result.metric}; above zero the candidate is better", fontsize=9)
    ax.set_ylabel("resampled test sets", fontsize=9, color=look.INK)
    ax.legend(frameon=False, fontsize=8)
    look.bare(ax, grid="y")
    look.title(ax, f"Their overlap is p {format_p(result.pvalue, result.log10_pvalue)}")
    return ax


def budget(splits: Sequence[Split], ax: Any = None) -> Any:
    """Power of the calibrated test as a budget goes into items or into responses."""
    if not splits:
        raise UsageError("there is no split to draw")
    ax = look.axes(ax)
    labels = [f"{s.items:,}\n× {s.responses}" for s in splits]
    look.power_bars(ax, labels, [split.power for split in splits])
    look.named(ax, "items × responses to each", "power at the 5 % level")
    look.title(ax, f"Where to spend the responses: {splits[0].metric}, eps {splits[0].eps:g}")
    return ax


def _spelled(law: object) -> str:
    """Name the law and its parameters, two digits each."""
    fields = ((name, getattr(law, name)) for name in getattr(law, "__slots__", ()))
    return f"{type(law).__name__}({', '.join(f'{name} {value:.2g}' for name, value in fields)})"
