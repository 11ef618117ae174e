"""When only a published score is known: thresholds from the literature, and what they are worth.

Berg-Kirkpatrick, Burkett & Klein (2012) give, for five tasks, the gain that was usually significant
on one test set. Section 5: where the other system's outputs are out of reach, such a threshold can
supplement the unpaired test of whether the bar around one's own score overlaps the published point.
"""

import math
from dataclasses import dataclass
from typing import Literal

from betterthan.bootstrap_intervals import bootstrap_interval
from betterthan.data import Scores
from betterthan.design.pairtests import chosen_metric
from betterthan.errors import UsageError
from betterthan.intervals import Interval
from betterthan.metrics import Metric
from betterthan.sampling import Rng

Similarity = Literal["any", "same", "different"]


@dataclass(frozen=True, slots=True)
class PublishedThreshold:
    """A threshold of the 2012 paper: the metric as a percentage, the test set and its size."""

    metric: str
    similarity: Similarity
    value: float
    test_set: str
    n: int
    where: str


PUBLISHED = (
    PublishedThreshold(
        "ROUGE", "any", 1.10, "TAC 2008 summarization, document collections", 48, "3.1.1"
    ),
    PublishedThreshold("UAS", "same", 1.20, "CoNLL 2007 Chinese, sentences", 690, "3.2.2"),
    PublishedThreshold("UAS", "different", 1.51, "CoNLL 2007 Chinese, sentences", 690, "3.2.2"),
    PublishedThreshold("BLEU", "same", 0.28, "WMT 2010 German-English, sentences", 2034, "3.2.3"),
    PublishedThreshold(
        "BLEU", "different", 0.37, "WMT 2010 German-English, sentences", 2034, "3.2.3"
    ),
    PublishedThreshold("AER", "same", 0.50, "Hansard alignment, sentence pairs", 100, "3.2.4"),
    PublishedThreshold("AER", "different", 1.12, "Hansard alignment, sentence pairs", 100, "3.2.4"),
    PublishedThreshold("F1", "same", 0.47, "WSJ section 23 parsing, sentences", 2416, "3.2.5"),
    PublishedThreshold("F1", "different", 0.57, "WSJ section 23 parsing, sentences", 2416, "3.2.5"),
)
CAVEATS = (
    "a threshold belongs to its test set: other data, or another tokenisation, move it",
    "it falls with the square root of the size: a rescaled one is a guess",
    "systems built alike reach significance with smaller gains than unlike ones",
    "one in twenty just-significant pairs had a larger gain; it does not replace a paired test",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedComparison:
    """One's own system against a published score, as far as that can be judged.

    Attributes
    ----------
    score, published : float
        The two scores, in the metric's own unit.
    gain : float
        Towards better.
    interval : Interval
        The bar around one's own score, by resampling items.
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


def published_thresholds(
    metric: str | None = None, *, items: int | None = None
) -> tuple[tuple[PublishedThreshold, float], ...]:
    """List the published thresholds of a metric, each with its value rescaled to ``items``.

    >>> [(t.similarity, round(x, 2)) for t, x in published_thresholds("bleu", items=500)]
    [('same', 0.56), ('different', 0.75)]
    """
    if items is not None and items < 1:
        raise UsageError(f"a test set has at least one item, not {items!r}")
    chosen = [t for t in PUBLISHED if metric is None or t.metric.lower() == metric.lower()]
    if not chosen:
        known = ", ".join(dict.fromkeys(t.metric for t in PUBLISHED))
        raise UsageError(f"no threshold is published for {metric!r}; there are {known}")
    return tuple((t, t.value * math.sqrt(t.n / items) if items else t.value) for t in chosen)


def against_published(
    scores: Scores,
    published: float,
    system: str | None = None,
    *,
    metric: str | Metric | None = None,
    threshold: float | None = None,
    similarity: Similarity = "different",
    level: float = 0.95,
    rng: Rng = 0,
) -> PublishedComparison:
    """Compare one's own per-item results with a score from a paper.

    Parameters
    ----------
    scores : Scores
        One's own results.
    published : float
        The other system's score on the same test set, in the metric's own unit (0.273, not 27.3,
        for a rate).
    system : str, optional
        One's own system, where the scores hold several.
    metric : str or Metric, optional
        What was published.
    threshold : float, optional
        From a study on this test set (:func:`betterthan.thresholds`), in the metric's own unit; by
        default the published one of that metric, rescaled to this many items.
    similarity : {"different", "same"}
        How alike the two systems are, which chooses the published threshold.
    level : float
        Of the bar.
    rng : None, int or Generator
        Seed.
    """
    if not math.isfinite(published):
        raise UsageError(f"a published score is a finite number, not {published!r}")
    if threshold is not None and not threshold > 0.0:
        raise UsageError(f"a threshold is a positive gain, not {threshold!r}")
    name = system or scores.systems[0]
    if system is None and len(scores.systems) > 1:
        raise UsageError(f"there are {len(scores.systems)} systems: name your own (--candidate)")
    chosen = chosen_metric(scores, metric)
    values = scores.of(name, chosen.columns)
    own = chosen.score(values)
    bar = bootstrap_interval(values, metric=chosen, level=level, clusters=scores.clusters, rng=rng)
    gain = chosen.sign * (own - published)
    clear = bar.low > published if chosen.sign > 0 else bar.high < published
    percent = chosen.percent or (
        chosen.form == "mean" and bool(((values == 0) | (values == 1)).all())
    )
    source = "as given"
    if threshold is None:
        threshold, source = _known(chosen, scores.n, similarity)
    notes = [
        "the published system's own luck on this test set is not in the bar: two systems' errors "
        "are shared, which a paired test would use and this cannot",
        *([] if source == "as given" or threshold is None else CAVEATS[:3]),
    ]
    return PublishedComparison(
        metric=repr(chosen),
        percent=percent,
        n=scores.n,
        score=own,
        published=published,
        gain=gain,
        interval=bar,
        clear=clear,
        threshold=threshold,
        threshold_source=source,
        exceeds=None if threshold is None else gain > threshold,
        notes=tuple(notes),
    )


def _known(metric: Metric, n: int, similarity: Similarity) -> tuple[float | None, str]:
    """Published threshold of that metric in its own unit, rescaled to n items."""
    spelled = repr(metric).partition("(")[0].lower()
    for published in PUBLISHED:
        if published.metric.lower() == spelled and published.similarity in (similarity, "any"):
            value = published.value * math.sqrt(published.n / n) / 100.0
            source = (
                f"{published.value:g} {published.metric} on {published.test_set} "
                f"({published.n:,}), rescaled to {n:,} items"
            )
            return value, source
    return None, "none is published for this metric"
