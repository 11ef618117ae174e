"""Plots: a result in, matplotlib axes out. Each takes ``ax``, or makes a figure of its own.

Results draw themselves with ``result.plot(kind)``, by these functions:

==================================  =======================================================
``null_law``                        null distribution of a test; its tail is the p-value
``forest``, ``win_tie_loss``        comparisons: intervals; items won, tied and lost
``score_intervals``                 systems by themselves: scores with intervals
``difference_histogram``            two systems item by item: their differences
``paired_scatter``                  two systems item by item: one against the other
``rating_intervals``, ``rank_sets`` ratings with intervals; the ranks each system may have
``critical_difference``             bars join systems that no test tells apart
``pair_matrix``, ``comparison_matrix`` every two systems
``agreement_matrix``                how often two tests agree
``disagreement_curves``             how often aggregations disagree, by size
``gate_margins``                    a gate's intervals and margins
``power_curves``                    power against the size of the test set
``detectable_curve``                smallest effect detected against the size
``gain_confidence``                 gain against confidence, one point per pair of systems
``threshold_decay``                 thresholds against the size of the test set
``calibration_curve``               share of verdicts that are right, by p-value
``p_histogram``                     p-values on null data
``p_errors``, ``budget``            response tests: errors of p; where to spend responses
``fitted_law``                      observed against fitted item means or deviations
``null_and_alternative``            both laws of a published response test
``curves``                          figures of the papers
==================================  =======================================================
"""

from importlib import import_module
from typing import Any

from betterthan.results.protocol import by_type

_MODULES = {
    "laws": ("null_law",),
    "comparisons": ("forest", "win_tie_loss", "comparison_matrix"),
    "scores": ("score_intervals",),
    "items": ("difference_histogram", "paired_scatter"),
    "ranking": (
        *("rating_intervals", "rank_sets", "critical_difference"),
        *("pair_matrix", "agreement_matrix", "disagreement_curves"),
    ),
    "design": (
        *("gate_margins", "power_curves", "detectable_curve", "gain_confidence"),
        *("threshold_decay", "calibration_curve", "p_histogram"),
    ),
    "responses": ("p_errors", "budget", "fitted_law", "null_and_alternative"),
    "papers": ("curves",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [*_HOMES, "kinds_of"]  # noqa: PLE0604

kinds_of = by_type(
    dict[str, Any],
    "betterthan.plots",
    {
        "comparison": "comparisons",
        "comparison.scoring": "scores",
        "design": "design",
        "papers": "papers",
        "ranking": "ranking",
        "responses": "responses",
        "results": "laws",
    },
    otherwise=lambda _: {},
)
"""Return what may be drawn of a result: functions of it and of axes, the usual one first."""

KINDS = {
    "forest": "compare: gains with their intervals",
    "wins": "compare: items won, tied and lost",
    "null": "compare, of one pair: the null distribution, and p as its tail",
    "differences": "compare, of one pair: the differences on items",
    "scatter": "compare, of one pair: one system against the other, item by item",
    "board": "rank: ratings with their intervals",
    "ranks": "rank: the ranks that each system may have",
    "matrix": "rank, compare --all: every pair of systems",
    "critical": "rank: bars join systems that no test tells apart",
    "score": "score: scores with their intervals",
    "margins": "gate: intervals and margins",
    "power": "power: the chance of a verdict, by the number of items",
    "detectable": "power: the smallest gain that is detected, by the number of items",
    "overlap": "responses compare, as published: null and alternative",
    "metrics": "responses study: errors of p, by metric",
    "samplings": "responses study: errors of p, by strategy of sampling",
    "budget": "responses study: where responses should go",
    "gains": "study gains: gain against confidence, a point per pair of systems",
    "decay": "study gains: thresholds, by the number of items",
    "calibration": "study calibration: the share of verdicts that are right, by p",
    "pvalues": "study false-alarms: p-values on null data",
    "disagreement": "study aggregation: how often orders differ, by the number of items",
}
"""What results draw, and the commands that print them."""


def drawn_of(part: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """The same drawn of a result that has what ``kinds`` draw as an attribute."""
    return {
        name: lambda whole, ax, draw=draw: draw(getattr(whole, part), ax)
        for name, draw in kinds.items()
    }


def __getattr__(name: str) -> Any:
    if name in ("drawn", "picture"):
        return getattr(import_module("betterthan.plots.drawing"), name)
    if name in _HOMES:
        return getattr(import_module(f"betterthan.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'betterthan.plots' has no attribute {name!r}")
