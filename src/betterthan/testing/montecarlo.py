"""Monte Carlo: p-values from counted hits, with an interval that is valid however it stopped.

The p-value obeys the +1 rule, ties count as extreme, and the interval around it is valid for the
way the number of draws was chosen. Swaps of the permutation test come as one matrix product a block
(Zmigrod et al. 2022, Algorithm 1).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats
from betterthan.resampling.generator import as_generator, clopper_pearson, plus_one
from betterthan.results.tests import PFields
from betterthan.testing.request import Request

Draw = Callable[[int, np.random.Generator], Floats]

MINIMUM = 20_000
"""Fewest swaps drawn unless asked otherwise: the recommendation of Zmigrod et al. (2022)."""

LOOKS = tuple(MINIMUM * 2**k for k in range(7))
"""Numbers of swaps after which sequential sampling may stop."""


CONFIDENCE = 0.99

ORIENT: dict[str, Callable[[Any], Any]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}
"""From delta to a statistic whose large values speak against the null."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sampled p-value with a 99 % confidence interval."""

    value: float
    low: float
    high: float
    resamples: int

    @classmethod
    def of_hits(
        cls, hits: int, drawn: int, confidence: float = CONFIDENCE, *, strict: bool = False
    ) -> Self:
        """P-value by the +1 rule; the interval around the hits' share is made to contain it.

        If strict, it is the share of hits itself, as Figure 1 of Berg-Kirkpatrick et al. (2012) has
        it; but never zero.
        """
        p = hits / drawn if strict and hits else plus_one(hits, drawn)
        low, high = clopper_pearson(hits, drawn, confidence)
        return cls(p, min(low, p), max(high, p), drawn)

    def doubled(self) -> Self:
        """Twice the p-value of one side."""
        value, low, high = (min(2.0 * x, 1.0) for x in self.ends)
        return type(self)(value, low, high, self.resamples)

    @property
    def ends(self) -> tuple[float, float, float]:
        """The value and its interval."""
        return self.value, self.low, self.high

    @property
    def fields(self) -> PFields:
        """The value, its interval, and its decimal logarithm, as a result names them."""
        value, low, high = self.ends
        log = math.log10(value)  # a sampled p-value is never zero
        return PFields(pvalue=value, pvalue_low=low, pvalue_high=high, log10_pvalue=log)


def sample(
    count_hits: Callable[[int, int, np.random.Generator], int | NDArray[np.int64]],
    request: Request,
    *,
    looks: Sequence[int] = LOOKS,
    sides: int = 1,
    strict: bool = False,
) -> list[Sampled]:
    """Estimate the p-values of one or several tests by counting hits.

    Parameters
    ----------
    count_hits : callable
        Goes on from so many replicates that are drawn to so many more, and counts those of the new
        ones as extreme as the data, for each test.
    request : Request
        With ``resamples`` a fixed number of replicates. Without, sampling is sequential: it stops
        at one of the ``looks``, once no interval straddles ``alpha``. Every look gets its share of
        the error (Bonferroni), so the intervals hold whenever it stops.
    sides : int
        By how many a share of hits is to be multiplied to give p.
    strict : bool
        Whether the share of hits itself is the p-value.
    """
    looks = looks if request.resamples is None else (request.resamples,)
    confidence = 1.0 - (1.0 - CONFIDENCE) / len(looks)
    generator, hits, drawn = as_generator(request.rng), np.zeros(1, dtype=np.int64), 0
    sampled: list[Sampled] = []
    for look in looks:
        hits = hits + count_hits(drawn, look, generator)
        drawn = look
        sampled = [Sampled.of_hits(int(h), drawn, confidence, strict=strict) for h in hits]
        if not any(p.low <= request.alpha / sides <= p.high for p in sampled):
            break
    return [p.doubled() for p in sampled] if sides == 2 else sampled


def sample_deltas(
    draw: Draw, cells: int, observed: float, request: Request, *, slack: float
) -> Sampled:
    """Sample the null law of what ``draw`` draws.

    Parameters
    ----------
    draw : callable
        From a number of replicates and a generator to as many values of delta.
    cells : int
        How many numbers are drawn for each of them.
    observed, slack : float
        Delta of the data, and how close to it another is a tie.
    request : Request
        Sides of the test, and the draws as in :func:`sample`.
    """
    orient = ORIENT[request.alternative]
    hits_of = partial(_hits, draw, orient, float(orient(observed)) - slack)

    def count_hits(drawn: int, look: int, generator: np.random.Generator) -> int:
        return sum(request.work.draw(hits_of, cells, look - drawn, generator))

    return sample(count_hits, request)[0]


def _hits(
    draw: Draw,
    orient: Callable[[Floats], Floats],
    threshold: float,
    block: tuple[int, np.random.Generator],
) -> int:
    """Draw a block of deltas and count those as extreme as the data.

    A swap without a value (NaN) counts as extreme: the p-value errs upwards.
    """
    return int(np.count_nonzero(~(orient(draw(*block)) < threshold)))
