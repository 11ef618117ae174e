"""Which way is better: of known costs less, unless the metric says otherwise."""

from collections.abc import Collection

from betterthan.metrics.algebra import Metric
from betterthan.metrics.costs import is_cost


def directed(metric: Metric, lower: Collection[str] = ()) -> Metric:
    """Return the metric with its direction: lower is better if it adds up known costs.

    ``lower`` are further columns of which the data say that less is better.

    >>> from betterthan.metrics.algebra import mean, ratio
    >>> directed(mean("latency")), directed(ratio({"score": 1}, {"cost": 1}))
    (mean(latency, lower_is_better), ratio(score / cost))
    """
    if metric.stated or metric.lower_is_better:
        return metric
    above = metric.numerator or (1,) * len(metric.columns)
    weighed = zip(metric.columns, above, strict=True)
    costs = any(weight > 0 and (is_cost(name) or name in lower) for name, weight in weighed)
    return metric.lowered() if costs else metric
