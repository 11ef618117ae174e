"""One call from gold judgements and two systems' responses to a p-value."""

from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from betterthan.blame import blames_arguments
from betterthan.data.given import given_labels
from betterthan.data.indexed import aligned
from betterthan.errors import DataError, UsageError, first_few, how_many
from betterthan.numeric import Alternative, Ints
from betterthan.resampling.generator import Rng, as_count
from betterthan.resampling.work import Sharing, Work
from betterthan.responses.calibrated import calibrated_test
from betterthan.responses.published_test import published_test
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric
from betterthan.responses.sharp import sharp_test
from betterthan.responses.strategies import Strategy, as_strategy
from betterthan.responses.trio import RawResponses, Trio, trio
from betterthan.results.protocol import Result
from betterthan.results.tests import TestResult

ResponseTest = Literal["calibrated", "published", "sharp"]


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


@blames_arguments
def p_value(
    gold: RawResponses,
    a: RawResponses,
    b: RawResponses,
    metric: str | ResponseMetric = "mae",
    *,
    test: ResponseTest = "calibrated",
    sampling: str | Strategy | None = None,
    even: bool = False,
    alternative: Alternative = "two-sided",
    clusters: ArrayLike | None = None,
    resamples: int | None = None,
    rng: Rng = None,
    **shared: Unpack[Sharing],
) -> TestResult:
    """Test whether the candidate ``b`` agrees with the gold responses better than ``a`` does.

    Parameters
    ----------
    gold, a, b : array_like
        Items x responses: an ``(items, responses)`` array or data frame, NaN where an item has
        fewer, or a list of lists. Items may differ in their number of responses, and gold from the
        systems; for two systems that differ on an item see ``even``. Series and frames of pandas
        are paired by their index, all else by position.
    metric : str or ResponseMetric
        ``mae``, ``mse``, ``wins``, ``wins_vectorized``, ``wins(emd_mean)`` ..., ``cosine``,
        ``cosine_means``, ``emd_aggregated``, ``emd_vectorized``, ``emd_mean``, ``spearman``, or one
        built with :func:`item_metric` or :func:`whole_metric`.
    test : {"calibrated", "published", "sharp"}
        ``"calibrated"``: are the systems equally good on the population of items? Whole items are
        swapped; exact where the metric is a mean over items. ``"published"``: the overlap of Wein
        et al. (2023), whose p is not uniform under the null. ``"sharp"``: are the systems the same
        on every item? Single responses are exchanged.
    sampling : str, optional
        Strategy of the published test, and giving one selects that test; ``bootstrap_items/all`` by
        default.
    even : bool
        Where the systems have unequal numbers of responses to an item, draw as many of each. Means
        of more responses are closer to the gold ones whoever gave them, so without it only the
        sharp test, and strategies that take one response, all own ones anew or a split of the pool,
        answer there.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: ``b`` is better.
    clusters : array_like, optional
        A label per item; items of one cluster (a document, a user) are swapped together. For the
        calibrated test.
    resamples : int, optional
        Random draws, where a test needs any; 10,000 by default.
    rng : None, int or Generator
        Seed.
    **shared
        ``workers``, threads that draw, or ``executor``, who does it instead, as in
        :func:`betterthan.bootstrap_test`. The same numbers come out whoever it is.

    Examples
    --------
    >>> gold = [[3, 4], [1, 1], [5, 4], [2, 3], [4, 4], [1, 2]]
    >>> a = [[1, 2], [4, 3], [2, 2], [5, 5], [1, 2], [4, 5]]
    >>> p_value(gold, a, gold, "mae").pvalue
    0.03125
    """
    work = Work.of(shared)
    if test not in ("calibrated", "published", "sharp"):
        raise UsageError(f"test is calibrated, published or sharp, not {test!r}")
    if alternative not in ("two-sided", "greater", "less"):
        raise UsageError(f"alternative is two-sided, greater or less, not {alternative!r}")
    resamples = as_count(resamples)
    if sampling is not None and test == "sharp":
        raise UsageError("sampling belongs to the published test, not to the sharp one")
    if clusters is not None and (test != "calibrated" or sampling is not None):
        raise UsageError("clusters belong to the calibrated test: the others resample single items")
    measure = as_response_metric(metric)
    beside = {} if clusters is None else {"clusters": clusters}
    given, along, _ = aligned({"gold": gold, "a": a, "b": b}, beside)
    data, clusters = trio(**given), along.get("clusters")
    strategy = None
    if test == "published" or sampling is not None:
        strategy = as_strategy("bootstrap_items/all" if sampling is None else sampling)
    evened = (data.uneven or None) if even else None
    fair = test == "sharp" or (strategy is not None and strategy.fair)
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
        found = sharp_test(asked) if test == "sharp" else calibrated_test(asked, clusters)
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
            "whoever gave them, and would be called better. Draw as many of each (even=True), or "
            'ask whether the systems are the same on every item (test="sharp")'
        )


def check_paired(data: Trio, metric: ResponseMetric, *, even: bool = False) -> None:
    """Refuse to pair responses by position where their numbers differ (or would, once evened)."""
    gold, a, b = (x.counts for x in data)
    uneven = (gold != np.minimum(a, b)) if even else (gold != a) | (gold != b)
    if uneven.any():
        items = first_few(uneven.nonzero()[0] + 1).replace("'", "")
        other = "cosine_means" if metric.form == "cosine" else "wins"
        raise DataError(
            f"{metric.name} holds the j-th response against the j-th gold response, but gold, a "
            f"and b differ in their number of responses (items {items}): use {other!r}, which "
            "compares item means"
        )


def _in_order(clusters: ArrayLike, order: Ints) -> ArrayLike:
    labels = given_labels(clusters, "clusters")
    return labels[order] if len(labels) == len(order) else labels  # else the test will say so
