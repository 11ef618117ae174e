"""One call from gold judgements and two systems' responses to a p-value."""

from dataclasses import dataclass, replace
from typing import Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import aligned
from betterthan.data.labels import given_labels
from betterthan.errors import DataError, Remedy, UsageError, first_few, how_many, not_one_of
from betterthan.numeric import Alternative, Ints
from betterthan.resampling.generator import Rng, as_count
from betterthan.resampling.work import Sampling, Work
from betterthan.responses.calibrated import calibrated_test
from betterthan.responses.published_test import published_test
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric
from betterthan.responses.sharp import sharp_test
from betterthan.responses.strategies import as_strategy
from betterthan.responses.trio import RawResponses, Trio, trio
from betterthan.responses.values import (
    Calibrated,
    Published,
    ResponseTest,
    Sharp,
    as_response_test,
)
from betterthan.results.protocol import Result
from betterthan.results.tests import TestResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseComparison(Result):
    """A response test with the names of the two systems, and its verdict.

    Plots: those of the test: ``overlap``, null and alternative, where it is the published one.
    """

    baseline: str
    candidate: str
    test: TestResult
    alpha: float = 0.05

    @property
    def verdict(self) -> Literal["better", "worse", "can't tell"]:
        """What is said about the candidate."""
        if self.test.pvalue > self.alpha:
            return "can't tell"
        return "better" if self.test.delta > 0 else "worse"


def p_value(
    gold: RawResponses,
    a: RawResponses,
    b: RawResponses,
    metric: str | ResponseMetric = "mae",
    test: str | ResponseTest = "calibrated",
    *,
    alternative: Alternative = "two-sided",
    clusters: ArrayLike | None = None,
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> TestResult:
    """Test whether the candidate ``b`` agrees with the gold responses better than ``a`` does.

    Parameters
    ----------
    gold, a, b : array_like
        Items x responses: an ``(items, responses)`` array or data frame, NaN where an item has
        fewer, or a list of lists. Items may differ in their number of responses, and gold from the
        systems; for two systems that differ on an item see ``test``. Series and frames of pandas
        are paired by their index, all else by position.
    metric : str or ResponseMetric
        ``mae``, ``mse``, ``wins``, ``wins_vectorized``, ``wins(emd_mean)`` ..., ``cosine``,
        ``cosine_means``, ``emd_aggregated``, ``emd_vectorized``, ``emd_mean``, ``spearman``, or one
        built with :func:`item_metric` or :func:`whole_metric`.
    test : str, Calibrated, Published or Sharp
        ``"calibrated"``: are the systems equally good on the population of items? Whole items are
        swapped; exact where the metric is a mean over items. ``"published"``: the overlap of Wein
        et al. (2023), whose p is not uniform under the null, by a strategy of theirs, as in
        ``"published(sampling=all_items/sample(k))"``. ``"sharp"``: are the systems the same on
        every item? Single responses are exchanged. Means of more responses are closer to the gold
        ones whoever gave them. Where the systems have unequal numbers of responses to an item,
        ``"calibrated(even=yes)"`` draws as many of each; without it only the sharp test answers,
        and strategies that take one response, all own ones again or a split of the pool.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: ``b`` is better.
    clusters : array_like, optional
        A label per item; items of one cluster (a document, a user) are swapped together. For the
        calibrated test.
    rng : None, int or Generator
        Seed.
    **sampling
        How samples are drawn, where any are: :class:`~betterthan.resampling.work.Sampling`;
        10,000 ``resamples`` by default.

    Examples
    --------
    >>> gold = [[3, 4], [1, 1], [5, 4], [2, 3], [4, 4], [1, 2]]
    >>> a = [[1, 2], [4, 3], [2, 2], [5, 5], [1, 2], [4, 5]]
    >>> p_value(gold, a, gold, "mae").pvalue
    0.03125
    """
    work, chosen = Work.of(sampling), as_response_test(test)
    if alternative not in get_args(Alternative):
        raise not_one_of("alternative", alternative, get_args(Alternative))
    resamples = as_count(sampling.get("resamples"))
    if clusters is not None and not isinstance(chosen, Calibrated):
        raise UsageError(
            f"clusters belong to the calibrated test: {chosen.name} resamples single items",
            Remedy("", "test", "calibrated"),
        )
    even = isinstance(chosen, Calibrated | Published) and chosen.even
    measure = as_response_metric(metric)
    beside = {} if clusters is None else {"clusters": clusters}
    given, along, _ = aligned({"gold": gold, "a": a, "b": b}, beside)
    data, clusters = trio(**given), along.get("clusters")
    strategy = as_strategy(chosen.sampling) if isinstance(chosen, Published) else None
    evened = (data.uneven or None) if even else None
    fair = isinstance(chosen, Sharp) or (strategy is not None and strategy.fair)
    if measure.paired:
        check_paired(data, measure, even=even)
    elif not (evened or fair):
        check_even(data)
    if not measure.given:  # else items are where the function may look for them
        order = data.ordered()
        data = data.at(order)
        clusters = None if clusters is None else _in_order(clusters, order)
    if evened:
        data = data.evened(rng)
    asked = ResponseQuestion(data, measure, alternative, resamples, rng, work, evened)
    if strategy is not None:
        found = published_test(asked, strategy)
    else:
        sharp = isinstance(chosen, Sharp)
        found = sharp_test(asked) if sharp else calibrated_test(asked, clusters)
    if not evened:
        return found
    drawn = f"as many responses of each system were drawn on {how_many(evened, 'item')}"
    return replace(found, notes=(*found.notes, f"{drawn}: another seed draws others"))


def check_even(data: Trio) -> None:
    """Refuse to swap means of unequal numbers of responses: more of them err less."""
    if data.uneven:
        raise DataError(
            f"the systems have unequal numbers of responses to {data.uneven:,} of "
            f"{how_many(data.n, 'item')}: more responses come closer to the gold ones together, "
            "whoever gave them, and would be called better",
            Remedy("draw as many of each", "test", "calibrated(even=yes)"),
            Remedy("are the systems the same on every item?", "test", "sharp"),
        )


def check_paired(data: Trio, metric: ResponseMetric, *, even: bool = False) -> None:
    """Refuse to pair responses by position where their numbers differ (or would, once evened)."""
    gold, a, b = (x.counts for x in data)
    uneven = (gold != np.minimum(a, b)) if even else (gold != a) | (gold != b)
    if uneven.any():
        items = first_few(uneven.nonzero()[0] + 1).replace("'", "")
        other = "cosine_means" if metric.form == "cosine" else "wins"
        raise DataError(
            f"{metric.name} compares the j-th response with the j-th gold response, but gold, a "
            f"and b differ in their number of responses (items {items})",
            Remedy("compare item means", "metric", other),
        )


def _in_order(clusters: ArrayLike, order: Ints) -> ArrayLike:
    labels = given_labels(clusters, "clusters")
    return labels[order] if len(labels) == len(order) else labels  # else the test will say so
