"""What every response test is asked, and how it hands back what it found."""

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, log10
from typing import Any

from betterthan.errors import BadValueError
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import HERE, Work
from betterthan.responses.response_metrics import (
    LOSS_ROUNDING,
    ResponseMetric,
    contrast,
    magnitudes,
)
from betterthan.responses.trio import Trio
from betterthan.results.signature import signature
from betterthan.results.tests import TestResult

RESPONSE_RESAMPLES = 10_000


@dataclass(frozen=True, eq=False)
class ResponseQuestion:
    """Whether the candidate agrees with the gold responses better than the baseline, by a metric.

    ``resamples`` is None unless a number was asked for; ``work`` is who draws. ``evened`` counts
    the items of which only some responses were drawn, for the systems to have as many.
    """

    trio: Trio
    metric: ResponseMetric
    alternative: Alternative
    resamples: int | None = None
    rng: Rng = None
    work: Work = HERE
    evened: int | None = None

    @property
    def draws(self) -> int:
        """Random draws of a test that cannot do without."""
        return self.resamples or RESPONSE_RESAMPLES

    @cached_property
    def delta(self) -> float:
        """Observed delta, from all responses: candidate minus baseline, towards better."""
        delta = float(contrast(self.metric, *(x.values for x in self.trio)))
        if not isfinite(delta):
            raise BadValueError(
                f"{self.metric.name} is NaN or infinite on these responses: let it return a number "
                "for all of them, NaN marking those that an item does not have"
            )
        return 0.0 if abs(delta) <= LOSS_ROUNDING * self.magnitude else delta

    @cached_property
    def magnitude(self) -> float:
        """Size of the numbers that delta is made of: rounding errors are a tiny share of it."""
        if self.metric.form == "wins":
            return 1.0
        return float(magnitudes(self.metric, *(x.values for x in self.trio)).mean())

    def signature(self, name: str, *, clusters: int | None, resamples: int | None) -> str:
        """Signature of a test that answers it."""
        drawn = resamples is not None or self.evened is not None
        return signature(
            f"responses-{name}",
            metric=self.metric.name,
            n=self.trio.n,
            clusters=clusters,
            further={"even": self.evened},
            alternative=self.alternative,
            resamples=resamples,
            seed=("none" if self.rng is None else self.rng) if drawn else None,
            data=tuple(x.values for x in self.trio),
        )

    def answer(
        self,
        name: str,
        p: tuple[float, float, float],
        *,
        clusters: int | None = None,
        resamples: int | None = None,
        **fields: Any,
    ) -> TestResult:
        """Result of a test with p-value and bounds ``p``."""
        value, low, high = p
        return TestResult(
            test=f"{name.partition(':')[0]} response",
            pvalue=value,
            pvalue_low=min(low, value),
            pvalue_high=max(high, value),
            log10_pvalue=log10(value),
            n=self.trio.n,
            alternative=self.alternative,
            metric=self.metric.name,
            clusters=clusters,
            resamples=resamples,
            signature=self.signature(name, clusters=clusters, resamples=resamples),
            **fields,
        )
