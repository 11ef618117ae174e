"""How the response tests hand back what they found."""

from math import isfinite, log10
from typing import Any

from betterthan.errors import BadValueError
from betterthan.responses.data import Trio
from betterthan.responses.metrics import ROUNDING, ResponseMetric, contrast, magnitudes
from betterthan.results import Alternative, TestResult, sign
from betterthan.sampling import Rng


def delta_of(trio: Trio, metric: ResponseMetric) -> float:
    """Observed delta, from all responses: candidate minus baseline, towards better."""
    delta = float(contrast(metric, *(x.values for x in trio)))
    if not isfinite(delta):
        raise BadValueError(
            f"{metric.name} is NaN or infinite on these responses: let it return a number for all "
            "of them, NaN marking those that an item does not have"
        )
    return 0.0 if abs(delta) <= ROUNDING * magnitude(trio, metric) else delta


def magnitude(trio: Trio, metric: ResponseMetric) -> float:
    """Size of the numbers that delta is made of: rounding errors are a tiny share of it."""
    if metric.form == "wins":
        return 1.0
    return float(magnitudes(metric, *(x.values for x in trio)).mean())


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
