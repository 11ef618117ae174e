"""Which way is better: columns of costs and errors are not compared until somebody says so."""

from collections.abc import Sequence

from betterthan.errors import Remedy, UsageError
from betterthan.metrics.algebra import Metric
from betterthan.metrics.costs import cost_in, is_cost


def directed(metric: Metric, systems: Sequence[str] = ()) -> Metric:
    """Return the metric, unless it has a cost above the line and nobody said which way is better.

    Scores that have no name of their own may have one in those of the ``systems``: ``new_loss``.

    >>> directed(Metric("wer", ("errors", "words"), "ratio", lower_is_better=True))
    wer
    """
    if metric.stated:
        return metric
    if metric.columns == ("score",):
        said = cost_in(systems[0]) if len(systems) > 1 else ""
        costs = [*systems] if said and all(cost_in(name) == said for name in systems) else []
    else:
        above = metric.numerator or (1,) * len(metric.columns)
        weighed = zip(metric.columns, above, strict=True)
        costs = [column for column, weight in weighed if weight > 0 and is_cost(column)]
    if not costs:
        return metric
    lower, higher = repr(metric.lowered()), repr(metric.raised())
    raise UsageError(
        f"less of {costs[0]!r} is usually better, and {metric!r} does not say which way is better",
        Remedy("if less is better", "metric", lower),
        Remedy("if more is better", "metric", higher),
    )
