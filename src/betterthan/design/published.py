"""When only a published score is known: thresholds from the literature, and what they are worth.

Berg-Kirkpatrick, Burkett & Klein (2012) give, for five tasks, the gain that was usually significant
on one test set. Section 5: where the other system's outputs are out of reach, such a threshold can
supplement the unpaired test of whether the bar around your own score overlaps the published point.
"""

import math
from dataclasses import dataclass
from typing import Literal, Unpack

from betterthan.checks import check_number, check_whole
from betterthan.data.pairing import joint_of
from betterthan.data.scores import Scores
from betterthan.errors import Choice, Remedy, UsageError, not_one_of
from betterthan.intervals.bootstrapped import bootstrap_interval
from betterthan.metrics import Metric
from betterthan.metrics.parsing import SYNONYMS
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.interval import Interval
from betterthan.results.protocol import Result, Several
from betterthan.tables.accepted import Frame, as_scores

Similarity = Literal["any", "same", "different"]


@dataclass(frozen=True, slots=True)
class PublishedThreshold:
    """A threshold of the 2012 paper: the metric as a percentage, the test set and its size.

    ``similarity`` names the pairs that it holds for: systems of one group or model, of different
    ones, or all.
    """

    metric: str
    similarity: Similarity
    value: float
    test_set: str
    n: int
    where: str


_TAC = "TAC 2008 summarization, document collections", 48, "3.1.1"
_CONLL = "CoNLL 2007 Chinese, sentences", 690, "3.2.2"
_WMT = "WMT 2010 German-English, sentences", 2034, "3.2.3"
_HANSARD = "Hansard alignment, sentence pairs", 100, "3.2.4"
_WSJ = "WSJ section 23 parsing, sentences", 2416, "3.2.5"
_BROWN = "Brown corpus parsing, sentences"
PUBLISHED_THRESHOLDS = (
    PublishedThreshold("ROUGE", "any", 1.10, *_TAC),
    PublishedThreshold("UAS", "same", 1.20, *_CONLL),
    PublishedThreshold("UAS", "different", 1.51, *_CONLL),
    PublishedThreshold("BLEU", "same", 0.28, *_WMT),
    PublishedThreshold("BLEU", "different", 0.37, *_WMT),
    PublishedThreshold("AER", "same", 0.50, *_HANSARD),
    PublishedThreshold("AER", "different", 1.12, *_HANSARD),
    PublishedThreshold("F1", "same", 0.47, *_WSJ),
    PublishedThreshold("F1", "different", 0.57, *_WSJ),
    PublishedThreshold("F1", "any", 0.22, _BROWN, 24_000, "4.1"),
    PublishedThreshold("F1", "any", 3.00, f"first {_BROWN}", 100, "4.1"),
)
"""The thresholds that Berg-Kirkpatrick, Burkett & Klein (2012) published."""
THRESHOLD_CAVEATS = (
    "a threshold belongs to its test set: other data, or another tokenisation, move it",
    "it falls with the square root of the size: a rescaled one is a guess",
    "systems built alike reach significance with smaller gains than unlike ones",
    "one in twenty just-significant pairs had a larger gain; it does not replace a paired test",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedComparison(Result):
    """Your own system against a published score, as far as that can be judged.

    It has no plot.

    Attributes
    ----------
    score, published : float
        The two scores, in the metric's own unit.
    gain : float
        Towards better.
    interval : Interval
        The bar around your own score, by resampling items.
    clear : bool
        Whether the bar lies wholly on the better side of the published point.
    threshold : float or None
        The gain that is usually significant, if one was given or is known.
    exceeds : bool or None
        Whether the gain is larger.
    """

    metric: str
    percent: bool
    n: int
    score: float
    published: float
    gain: float
    interval: Interval
    clear: bool
    threshold: float | None
    threshold_source: str
    exceeds: bool | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedThresholds(Several[tuple[PublishedThreshold, float]]):
    """Thresholds from the literature, each with its value rescaled to ``items``.

    They have no plot.
    """

    items: int | None = None


def published_thresholds(
    metric: str | None = None, *, items: int | None = None
) -> PublishedThresholds:
    """List the published thresholds of a metric, each with its value rescaled to ``items``.

    A metric is found under each of its names: ``rouge1``, ``rouge-l`` and ``rougeL(stem)`` are
    ROUGE, ``micro-f1`` and ``fbeta(1)`` are F1.

    >>> [(t.similarity, round(x, 2)) for t, x in published_thresholds("bleu", items=500)]
    [('same', 0.56), ('different', 0.75)]
    """
    if items is not None:
        check_whole(items, "items")
    chosen = [
        t for t in PUBLISHED_THRESHOLDS if metric is None or t.metric.lower() == _task(metric)
    ]
    if not chosen:
        raise not_one_of("metric", metric, dict.fromkeys(t.metric for t in PUBLISHED_THRESHOLDS))
    rescaled = (math.sqrt(t.n / items) * t.value if items else t.value for t in chosen)
    return PublishedThresholds(tuple(zip(chosen, rescaled, strict=True)), items)


def _task(metric: str) -> str:
    """Name under which thresholds of a metric are published, however it is spelled."""
    name = metric.strip().lower().replace(" ", "")
    if name.partition("=")[0] in ("fbeta(1)", "fbeta(1.0)"):
        return "f1"
    name = name.partition("(")[0]
    name = SYNONYMS.get(name, name)
    return "rouge" if name.startswith("rouge") else name


def against_published(
    data: Scores | Frame,
    published: float | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
    threshold: float | None = None,
    similarity: Similarity = "different",
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> PublishedComparison:
    """Compare your own per-item results with a score from a paper.

    Parameters
    ----------
    data : Scores or data frame
        Your own results.
    published : float
        The other system's score on the same test set, in the metric's own unit (0.273, not 27.3,
        for a rate).
    candidate : str, optional
        Your own system, where the scores hold several.
    metric : str or Metric, optional
        What was published.
    threshold : float, optional
        From a study on this test set (:func:`betterthan.design.thresholds`), in the metric's own
        unit; by default the published one of that metric, rescaled to this many items.
    similarity : {"different", "same"}
        How alike the two systems are, which chooses the published threshold.
    alpha : float
        The bar around your own score has the level ``1 - alpha``.
    rng : None, int or Generator
        Seed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`.
    """
    if published is None:
        raise UsageError(
            "there is no published score to compare with", Remedy("", "published", Choice("X"))
        )
    check_number(published, "published")
    if threshold is not None:
        check_number(threshold, "threshold", above=0.0)
    if similarity not in ("same", "different"):
        raise not_one_of("similarity", similarity, ("same", "different"))
    scores = as_scores(data, metric=metric)
    name = candidate or scores.systems[0]
    if candidate is None and len(scores.systems) > 1:
        raise UsageError(
            f"there are {len(scores.systems)} systems, and only one is compared",
            *(Remedy("your own", "candidate", each) for each in scores.systems[:5]),
        )
    chosen = scores.measured(metric)
    values = scores.of(name, chosen.columns)
    own = joint_of({name: values}, chosen).score(0)
    bar = bootstrap_interval(
        values,
        metric=chosen,
        alpha=alpha,
        clusters=scores.clusters,
        rng=rng,
        **sampling,
    )
    gain = chosen.sign * (own - published)
    source = "as given"
    if threshold is None:
        threshold, source = _known(chosen, scores.n, similarity)
    notes = [
        "the published system's own luck on this test set is not in the bar: two systems' errors "
        "are shared, which a paired test would use and this cannot",
        *([] if source == "as given" or threshold is None else THRESHOLD_CAVEATS[:3]),
    ]
    return PublishedComparison(
        metric=repr(chosen),
        percent=scores.select(name).is_rate(chosen),
        n=scores.n,
        score=own,
        published=published,
        gain=gain,
        interval=bar,
        clear=bar.low > published if chosen.sign > 0 else bar.high < published,
        threshold=threshold,
        threshold_source=source,
        exceeds=None if threshold is None else gain > threshold,
        notes=tuple(notes),
    )


def _known(metric: Metric, n: int, similarity: Similarity) -> tuple[float | None, str]:
    """Published threshold of that metric in its own unit, rescaled to n items."""
    spelled = _task(repr(metric))
    for published in PUBLISHED_THRESHOLDS:
        if published.metric.lower() == spelled and published.similarity in (similarity, "any"):
            value = published.value * math.sqrt(published.n / n) / 100.0
            source = (
                f"{published.value:g} {published.metric} on {published.test_set} "
                f"({published.n:,}), rescaled to {n:,} items"
            )
            return value, source
    return None, "none is published for this metric"
