"""``betterthan list``: metrics, tests, formats or plots, with an example of each."""

from typing import Annotated, Literal

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.listing import Entry, Listing
from betterthan.cli.output import Output
from betterthan.cli.screen import QUIET
from betterthan.cli.usage import MistypedError
from betterthan.errors import closest

app = App()
_MADE = {
    "fbeta(B)": "F1 with recall weighing B times as much; tp, fp, fn",
    "macro-f1": "mean of the F1 of all classes; tp(X), pred(X), gold(X) of every class X",
    "mcc": "Matthews' correlation of classes; the same columns",
    "ratio(A / B + C)": "sum of a column over the sum of others, weighted as in 2*A",
    "module:NAME": "your own, in Python (docs/metrics.md)",
}
"""Metrics that are written with something of yours."""
_PLOTS = {
    "forest": "compare: gains with their intervals",
    "wins": "compare: items won, tied and lost",
    "null": "compare, of one pair: the null distribution, and p as its tail",
    "differences": "compare, of one pair: the differences on items",
    "scatter": "compare, of one pair: one system against the other, item by item",
    "board": "rank: ratings with their intervals",
    "ranks": "rank: the ranks that each system may have",
    "tiers": "rank: which systems are all separable from those below",
    "matrix": "rank: every pair of systems",
    "critical": "rank: bars join systems that no test tells apart",
    "scores": "score: scores with their intervals",
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


@app.default
def show(
    what: Annotated[
        Literal["metrics", "tests", "formats", "plots"],
        opt.positional("WHAT", "metrics, tests, formats or plots."),
    ],
    name: Annotated[str | None, opt.positional("NAME", "Only this one.")] = None,
    /,
    *,
    format: Annotated[str | None, opt.option("--format")] = None,
) -> None:
    """List metrics, tests, formats or plots, with an example of each.

    betterthan list metrics
    betterthan list formats lm-eval
    """
    output = Output(format=format)
    output.check()
    entries = {"metrics": _metrics, "tests": _tests, "formats": _formats, "plots": _plots}[what]()
    found = Listing(what, [entry for entry in entries if name in (None, entry.name)])
    if not found.entries:
        known = [entry.name for entry in entries]
        near = closest(name or "", known)
        message = f"there is no {what[:-1]} {name!r}; there are {', '.join(known)}"
        raise MistypedError(message, ["list", what, near] if near else ["list", what])
    if output.styled()[0] != "table":
        output.emit(found)
    elif QUIET.get():
        print("\n".join(entry.name for entry in found.entries))
    else:
        print(found.text())


def _metrics() -> list[Entry]:
    from betterthan.metrics.named import ABOUT, LAYOUTS
    from betterthan.readers.outputs.scoring import ONLY_OUTPUTS

    entries = []
    for name, (metric, *_) in LAYOUTS.items():
        lower = " (lower is better)" if metric.lower_is_better else ""
        needs = "any column of scores" if name in ("mean", "median") else ", ".join(metric.columns)
        raw = "raw outputs and --ref, or " if name in ONLY_OUTPUTS else ""
        entries.append(Entry(metric.spelling, f"{ABOUT[name]}{lower}", f"needs {raw}{needs}"))
    return entries + [Entry(*made) for made in _MADE.items()]


def _tests() -> list[Entry]:
    from betterthan.testing.by_name import NAMED
    from betterthan.testing.values import KINDS

    entries = []
    for name, test in NAMED.items():
        idea = test.idea.format(units="items")
        options = "; ".join(f"{k}={v}" for k, v in KINDS[name]().options.items())
        about = f"{test.title}{f' ({test.citation})' if test.citation else ''}: {idea}"
        entries.append(Entry(name, about, f"options: {options}" if options else ""))
    return entries


def _formats() -> list[Entry]:
    from betterthan.readers.families import FAMILIES
    from betterthan.readers.outputs.samples import EXAMPLES

    known = {name: each for family in reversed(FAMILIES) for name, each in family.EXAMPLES.items()}
    return [
        Entry(name, shown.title, example=f"{shown.sample.strip()}\n$ {shown.command}")
        for name, shown in (known | EXAMPLES).items()
    ]


def _plots() -> list[Entry]:
    return [Entry(name, about, example=f"-o {name}=FILE.pdf") for name, about in _PLOTS.items()]
