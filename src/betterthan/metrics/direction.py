"""Which way is better: columns of costs and errors are not compared until somebody says so."""

from betterthan.errors import UsageError
from betterthan.metrics.algebra import Metric
from betterthan.metrics.costs import is_cost


def directed(metric: Metric) -> Metric:
    """Return the metric, unless it has a cost above the line and nobody said which way is better.

    >>> directed(Metric("wer", ("errors", "words"), "ratio", lower_is_better=True))
    wer
    """
    if metric.stated:
        return metric
    above = metric.numerator or (1,) * len(metric.columns)
    costs = [c for c, size in zip(metric.columns, above, strict=True) if size > 0 and is_cost(c)]
    if not costs:
        return metric
    lower, higher = repr(metric.lowered()), repr(metric.raised())
    raise UsageError(
        f"less of {costs[0]!r} is usually better, and {metric!r} does not say so: write {lower}, "
        f"or {higher} if more is"
    )
