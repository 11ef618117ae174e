"""``betterthan metrics``: every metric by name, and what it needs of an item."""

from betterthan.cli.option_groups import grouped
from betterthan.cli.screen import VOLUME

MADE = {
    "fbeta(B)": "F1 with recall weighing B times as much; tp, fp, fn",
    "macro-f1": "mean of the F1 of all classes; tp(X), pred(X), gold(X) of every class X",
    "mcc": "Matthews' correlation of classes; the same columns",
    "ratio(A / B + C)": "sum of a column over the sum of others, weighted as 2*A where you say so",
    "module:NAME": "your own, in Python (docs/metrics.md)",
}
"""Metrics that are spelled with something of yours."""


@grouped
def metrics() -> None:
    """List all metrics with what they say, what they need of an item, and their direction."""
    from textwrap import fill

    from betterthan.metrics.named import ABOUT, LAYOUTS
    from betterthan.readers.outputs.scoring import OF_OUTPUTS
    from betterthan.results.wording import listed

    if VOLUME.get() < 0:
        print("\n".join([*(layouts[0].spelling for layouts in LAYOUTS.values()), *MADE]))
        return
    for name, layouts in LAYOUTS.items():
        metric = layouts[0]
        lower = " (lower is better)" if metric.lower_is_better else ""
        columns = "any column of scores" if name in ("mean", "median") else listed(metric.columns)
        raw = "raw outputs and --ref, or the columns " if name in OF_OUTPUTS else ""
        needs = fill(f"needs {raw}{columns}", 78, initial_indent="  ", subsequent_indent="    ")
        print(f"{metric.spelling}{lower}\n  {ABOUT[name]}\n{needs}")
    print()
    for name, about in MADE.items():
        print(f"{name}\n  {about}")
