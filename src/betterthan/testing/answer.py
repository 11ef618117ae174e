"""The result of a paired test: what all tests put into it in the same way."""

from typing import Any

from betterthan.data.pair import Pair
from betterthan.errors import how_many
from betterthan.exact.probability import Probability
from betterthan.exact.rational import Ratio
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.results.signature import signature
from betterthan.results.tests import TestResult
from betterthan.testing.montecarlo import Sampled


def answer(
    pair: Pair,
    alternative: Alternative,
    method: str,
    p: Probability | Sampled,
    *,
    metric: str = "",
    rng: Rng = None,
    **facts: Any,
) -> TestResult:
    """Make a result: ``facts`` are fields of it that differ from test to test.

    ``method`` is how the signature names the test and its variant, and ``rng`` the seed of what was
    drawn. The metric is the pair's and delta is that of its scores, unless stated otherwise.
    """
    metric = metric or pair.metric.spelling
    resamples = p.resamples if isinstance(p, Sampled) else None
    known: dict[str, Any] = {"test": method.partition(":")[0], "delta": pair.delta}
    known["kind"] = "exact" if resamples is None else "sampled"
    known["fraction"] = p.fraction if isinstance(p, Ratio) else None
    return TestResult(
        n=pair.n,
        clusters=pair.clusters,
        alternative=alternative,
        metric=metric,
        resamples=resamples,
        signature=signature(
            method,
            metric=metric,
            n=pair.n,
            clusters=pair.clusters,
            alternative=alternative,
            resamples=resamples,
            seed=None if resamples is None else rng,
            data=pair.hashed,
        ),
        **p.fields,
        **known | facts,
    )


def few_units(pair: Pair, alternative: Alternative, alpha: float = 0.05) -> tuple[str, ...]:
    """C units have 2^C swaps: no one-sided p is below 2^-C, no two-sided one below 2^(1-C)."""
    least = 2.0 ** ((alternative == "two-sided") - pair.units)
    noun, worth_knowing = ("item", 1.0) if pair.clusters is None else ("cluster", 0.2)
    if least <= worth_knowing * alpha:
        return ()
    number = how_many(pair.units, noun)
    return (f"only {number}: no p-value below {least:.6g} is possible, whatever the data",)
