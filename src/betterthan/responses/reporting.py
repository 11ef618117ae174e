"""How the response tests hand back what they found."""

from math import log10
from typing import Any

from betterthan.responses.data import Trio
from betterthan.responses.metrics import ResponseMetric, contrast
from betterthan.results import Alternative, TestResult, sign
from betterthan.sampling import Rng


def delta_of(trio: Trio, metric: ResponseMetric) -> float:
    """Observed delta, from all responses: candidate minus baseline, towards better."""
    return float(contrast(metric, *(x.values for x in trio)))


def signature(
    name: str,
    trio: Trio,
    metric: ResponseMetric,
    alternative: Alternative,
    *,
    clusters: int | None = None,
    resamples: int | None,
    rng: Rng,
) -> str:
    """Everything that determines the number, on one line."""
    return sign(
        f"responses-{name}",
        *(x.values for x in trio),
        n=trio.n,
        alternative=alternative,
        metric=metric.name,
        clusters=clusters,
        resamples=resamples,
        seed=rng,
    )


def response_result(
    name: str,
    trio: Trio,
    metric: ResponseMetric,
    alternative: Alternative,
    rng: Rng,
    *,
    p: tuple[float, float, float],
    clusters: int | None = None,
    resamples: int | None = None,
    **fields: Any,
) -> TestResult:
    """Result of a response test with p-value and bounds ``p``."""
    value, low, high = p
    return TestResult(
        test=f"{name.partition(':')[0]} response",
        pvalue=value,
        pvalue_low=min(low, value),
        pvalue_high=max(high, value),
        log10_pvalue=log10(value),
        n=trio.n,
        alternative=alternative,
        metric=metric.name,
        clusters=clusters,
        resamples=resamples,
        signature=signature(
            name, trio, metric, alternative, clusters=clusters, resamples=resamples, rng=rng
        ),
        **fields,
    )
