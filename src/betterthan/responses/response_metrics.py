"""How well a system's responses agree with the gold ones: the metrics of Wein et al. (2023).

A response metric is a value. It compares two blocks ``(..., items, responses)`` and comes in four
forms, which decide how it can be tested:

``items``   a loss or score of every item, averaged: MAE, MSE, mean EMD
``wins``    who is closer to the gold, counted over items (or single responses)
``cosine``  a function of per-item sums: products and squares
``whole``   one number for all items at once: Spearman's rho, EMD of pooled values

NaN marks responses that an item does not have.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from betterthan.checks import check_flag
from betterthan.errors import Remedy, UsageError, closest
from betterthan.metrics.returned import as_returned
from betterthan.numeric import Floats
from betterthan.responses.distances import (
    bin_counts,
    cosine_columns,
    earth_movers,
    item_means,
    spearman,
)

ResponseForm = Literal["items", "wins", "cosine", "whole"]
Compare = Callable[[Floats, Floats], Any]

LOSS_TIE = 1e-9
"""Losses closer than this share of the largest loss are equal: item means are rounded numbers."""

LOSS_ROUNDING = 1e-12
"""What is rounding in a loss, as a share of the largest that the responses could have."""


@dataclass(frozen=True, slots=True, repr=False)
class ResponseMetric:
    """A comparison of responses; take one by name, or build it with the functions below.

    Attributes
    ----------
    name : str
        How it is spelled; also its ``repr``.
    form : {"items", "wins", "cosine", "whole"}
        How it is put together from items.
    function : callable
        ``(system, gold)`` to the loss of every item (``items``, ``wins``), to per-item columns
        (``cosine``) or to one number (``whole``).
    lower_is_better : bool
        Direction of ``function``.
    means_only : bool
        It reads nothing but the mean response of every item.
    paired : bool
        The j-th response is compared with the j-th gold response ("vectorized").
    looped : bool
        ``function`` takes one ``(items, responses)`` block at a time.
    degree : int or None
        Power of the responses' size with which losses grow, 0 for correlations; None if unknown.
    given : bool
        ``function`` is the user's own, and may know items by their places.
    """

    name: str
    form: ResponseForm
    function: Compare
    lower_is_better: bool = True
    means_only: bool = False
    paired: bool = False
    looped: bool = False
    degree: int | None = None
    given: bool = False

    def __post_init__(self) -> None:
        check_flag(self.lower_is_better, "lower_is_better")

    def __repr__(self) -> str:
        return self.name

    @property
    def additive(self) -> bool:
        """Whether delta is a mean over items of one number per item."""
        return self.form in ("items", "wins")

    @property
    def sign(self) -> float:
        """+1 where higher is better, -1 where lower is."""
        return -1.0 if self.lower_is_better else 1.0

    def compare(self, system: Floats, gold: Floats) -> Floats:
        """What the function says, checked: a number for every item, or one for a test set."""
        made = self.function(system, gold)
        if self.form == "cosine":
            return np.asarray(made)
        axes = 2 if self.form == "whole" else 1
        shape = np.broadcast_shapes(system.shape[:-axes], gold.shape[:-axes])
        remedy = "responses are on the last axis, items before it"
        return as_returned(made, shape, repr(self), remedy)


def mean_absolute_error(system: Floats, gold: Floats) -> Floats:
    """Distance of the item means."""
    return np.abs(item_means(system) - item_means(gold))


def squared_error(system: Floats, gold: Floats) -> Floats:
    """Squared distance of the item means."""
    difference = item_means(system) - item_means(gold)
    return difference * difference


def emd_of_means(system: Floats, gold: Floats) -> Floats:
    """Earth mover's distance between the two laws of item means."""
    return earth_movers(item_means(system), item_means(gold))


def emd_of_all(system: Floats, gold: Floats) -> Floats:
    """Earth mover's distance between all responses, whatever their items."""
    return earth_movers(*(x.reshape(*x.shape[:-2], -1) for x in (system, gold)))


def emd_of_mean_counts(system: Floats, gold: Floats) -> Floats:
    """Distance between the bars of two histograms of item means, as the authors' program has it.

    It takes the heights of fifty bars for the numbers whose laws are compared: where the bars stand
    does not matter, and the text says otherwise.
    """
    return earth_movers(*(bin_counts(item_means(x), 50) for x in (system, gold)))


def emd_of_all_counts(system: Floats, gold: Floats) -> Floats:
    """Return the same of all responses."""
    flat = (x.reshape(*x.shape[:-2], -1) for x in (system, gold))
    return earth_movers(*(bin_counts(x, 50) for x in flat))


def emd_of_item_counts(system: Floats, gold: Floats) -> Floats:
    """Return the same of the responses to each item, in five bars."""
    return earth_movers(*(bin_counts(x, 5) for x in (system, gold)))


def spearman_of_means(system: Floats, gold: Floats) -> Floats:
    """Spearman's rank correlation of the item means."""
    return spearman(*(_without_rounding(item_means(x)) for x in (system, gold)))


def cosine_of_means(system: Floats, gold: Floats) -> Floats:
    """Columns of the cosine between the vectors of item means."""
    return cosine_columns(item_means(system)[..., None], item_means(gold)[..., None])


MAE = ResponseMetric("mae", "items", mean_absolute_error, means_only=True, degree=1)
MSE = ResponseMetric("mse", "items", squared_error, means_only=True, degree=2)
EMD_MEAN = ResponseMetric("emd_mean", "items", earth_movers, degree=1)
COSINE = ResponseMetric(
    "cosine", "cosine", cosine_columns, lower_is_better=False, paired=True, degree=0
)
COSINE_MEANS = ResponseMetric(
    "cosine_means", "cosine", cosine_of_means, lower_is_better=False, means_only=True, degree=0
)
EMD_AGGREGATED = ResponseMetric("emd_aggregated", "whole", emd_of_means, means_only=True, degree=1)
EMD_VECTORIZED = ResponseMetric("emd_vectorized", "whole", emd_of_all, degree=1)
EMD_AGGREGATED_COUNTS = ResponseMetric(
    "emd_aggregated_counts", "whole", emd_of_mean_counts, means_only=True
)
EMD_VECTORIZED_COUNTS = ResponseMetric("emd_vectorized_counts", "whole", emd_of_all_counts)
EMD_MEAN_COUNTS = ResponseMetric("emd_mean_counts", "items", emd_of_item_counts)
SPEARMAN = ResponseMetric(
    "spearman", "whole", spearman_of_means, lower_is_better=False, means_only=True, degree=0
)


def wins(metric: "str | ResponseMetric" = MAE, *, vectorized: bool = False) -> ResponseMetric:
    """Share of items on which the candidate is better, minus the share on which it is worse.

    ``vectorized`` holds every single response against the gold response of the same position
    instead, and averages the outcome over an item's responses.

    >>> wins(), wins("emd_mean"), wins("mse", vectorized=True)
    (wins, wins(emd_mean), wins_vectorized(mse))
    """
    inner = as_response_metric(metric)
    if inner.form != "items":
        raise UsageError(f"wins are counted over items, and {inner!r} has no value of an item")
    name = "wins_vectorized" if vectorized else "wins"
    return replace(
        inner,
        name=name if inner is MAE else f"{name}({inner.name})",
        form="wins",
        means_only=inner.means_only and not vectorized,
        paired=vectorized,
    )


def item_metric(
    function: Compare, *, lower_is_better: bool, name: str | None = None
) -> ResponseMetric:
    """Wrap a loss or score of single items, averaged over the items.

    ``function(system, gold)`` gets ``(..., responses)`` blocks, NaN where an item has fewer, and
    gives ``(...)`` values.
    """
    return ResponseMetric(name or function.__name__, "items", function, lower_is_better, given=True)


def whole_metric(
    function: Callable[[Floats, Floats], float], *, lower_is_better: bool, name: str | None = None
) -> ResponseMetric:
    """Wrap any score of a whole test set.

    ``function(system, gold)`` gets two ``(items, responses)`` blocks, NaN where an item has fewer,
    and gives one number.
    """
    return ResponseMetric(
        name or function.__name__, "whole", function, lower_is_better, looped=True, given=True
    )


_WINS = re.compile(r"wins(_vectorized)?\((\w+)\)")


def as_response_metric(metric: str | ResponseMetric) -> ResponseMetric:
    """Find a metric by its name.

    >>> as_response_metric("spearman"), as_response_metric("wins(mse)").lower_is_better
    (spearman, True)
    """
    if isinstance(metric, ResponseMetric):
        return metric
    if callable(metric):
        raise UsageError(
            "a function does not say which way is better: wrap it in responses.item_metric or "
            "responses.whole_metric"
        )
    name = str(metric).strip().lower().replace("-", "_")
    if name in RESPONSE_METRICS:
        return RESPONSE_METRICS[name]
    call = _WINS.fullmatch(name)
    if call and call[2] in RESPONSE_METRICS:
        return wins(call[2], vectorized=bool(call[1]))
    close = closest(name, RESPONSE_METRICS)
    raise UsageError(
        f"there is no response metric {metric!r}; there are {', '.join(RESPONSE_METRICS)} and "
        "wins(...)",
        *([Remedy("", "metric", close)] if close else []),
    )


RESPONSE_METRICS = {
    metric.name: metric
    for metric in (
        MAE,
        MSE,
        wins(),
        wins(vectorized=True),
        COSINE,
        COSINE_MEANS,
        EMD_AGGREGATED,
        EMD_VECTORIZED,
        EMD_MEAN,
        EMD_AGGREGATED_COUNTS,
        EMD_VECTORIZED_COUNTS,
        EMD_MEAN_COUNTS,
        SPEARMAN,
    )
}
"""Metrics of responses by name."""


def gain_columns(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats) -> Floats:
    """Per-item columns ``(..., items, c)`` whose means over items :func:`finish` turns into delta.

    There is one column, the item's gain from baseline to candidate, unless the form is ``cosine``.
    """
    if metric.form == "cosine":
        of_a, of_b = metric.compare(a, gold), metric.compare(b, gold)
        return np.concatenate([of_a, of_b], axis=-1)
    if metric.form == "wins":
        return _net_wins(metric, gold, a, b)[..., None]
    return metric.sign * (metric.compare(b, gold) - metric.compare(a, gold))[..., None]


def item_gains(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats) -> Floats:
    """Gain of every item of one test set; what is rounding alone is no gain.

    Means of the same responses in another order differ in their last digit, and so do ``0.3 - 0.2``
    and ``0.4 - 0.3``: a test that counts signs would take such digits for evidence.

    >>> item_gains(MAE, np.array([[0.3]]), np.array([[0.2]]), np.array([[0.4]]))
    array([0.])
    """
    if metric.form == "wins":
        return _net_wins(metric, gold, a, b)
    of_a, of_b = (metric.compare(x, gold) for x in (a, b))
    gains = metric.sign * (of_b - of_a)
    size = np.maximum(np.maximum(np.abs(of_a), np.abs(of_b)), magnitudes(metric, gold, a, b))
    return np.where(np.abs(gains) <= LOSS_ROUNDING * size, 0.0, gains)


def magnitudes(metric: ResponseMetric, *blocks: Floats) -> Floats:
    """How large the loss of every item could be by the size of its responses; 0 if unknown.

    The blocks are ``(items, responses)``.
    """
    if metric.degree is None:
        return np.zeros(len(blocks[0]))
    largest = np.max([np.nanmax(np.abs(x), axis=1) for x in blocks], axis=0)
    return np.asarray(largest**metric.degree, dtype=np.float64)


def finish(metric: ResponseMetric, means: Floats) -> Floats:
    """Delta, candidate minus baseline towards better, from means of :func:`gain_columns`."""
    if metric.form == "cosine":
        return metric.sign * (cosine(means[..., 3:]) - cosine(means[..., :3]))
    return means[..., 0]


def cosine(sums: Floats) -> Floats:
    """Cosine from sums of products and squares; 0 when one of the vectors is zero."""
    norms = np.sqrt(sums[..., 1] * sums[..., 2])
    return np.divide(sums[..., 0], norms, out=np.zeros_like(norms), where=norms > 0)


def contrast(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats) -> Floats:
    """Delta of each of many test sets: ``(..., items, responses)`` blocks to ``(...)`` values."""
    if metric.form == "whole":
        return metric.sign * (whole_score(metric, b, gold) - whole_score(metric, a, gold))
    return finish(metric, gain_columns(metric, gold, a, b).mean(axis=-2))


def whole_score(metric: ResponseMetric, system: Floats, gold: Floats) -> Floats:
    """Score of one system by a ``whole`` metric."""
    if not metric.looped:
        return metric.compare(system, gold)
    lead = np.broadcast_shapes(system.shape[:-2], gold.shape[:-2])
    flat = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (system, gold)]
    values = [float(metric.compare(*(x[at] for x in flat))) for at in np.ndindex(lead)]
    return np.array(values).reshape(lead)


def _without_rounding(means: Floats) -> Floats:
    """Means of the same responses in another order are equal, to the last digit."""
    largest = float(np.abs(means).max(initial=0.0))
    digits = 12 - int(np.ceil(np.log10(largest))) if largest > 0.0 else 0
    return np.round(means, digits)


def _net_wins(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats) -> Floats:
    """+1 where the candidate is better, -1 where it is worse, 0 for ties up to rounding."""
    if metric.paired:
        gold, a, b = gold[..., None], a[..., None], b[..., None]
    of_a, of_b = (metric.compare(x, gold) for x in (a, b))
    slack = LOSS_TIE * max(float(np.nanmax(np.abs(x), initial=0.0)) for x in (of_a, of_b))
    if metric.degree is not None:  # losses may be rounding all of them, if both systems are perfect
        largest = max(float(np.nanmax(gold, initial=0.0)), -float(np.nanmin(gold, initial=0.0)))
        slack = max(slack, LOSS_ROUNDING * largest**metric.degree)
    gain = metric.sign * (of_b - of_a)
    net: Floats = np.where(gain > slack, 1.0, 0.0) - np.where(gain < -slack, 1.0, 0.0)
    if metric.paired:
        net = net.sum(axis=-1) / (~np.isnan(gain)).sum(axis=-1)
    return net
