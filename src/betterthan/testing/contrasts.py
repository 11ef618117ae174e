"""What a bootstrap test asks of a resample, and how often shared resamples of systems meet it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from betterthan.data.pair import Joint
from betterthan.exact.probability import Probability
from betterthan.numeric import TIE, Alternative, Floats
from betterthan.resampling.draws import ROW_COST
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import Progress
from betterthan.testing.ideal_law import LawOfResamples
from betterthan.testing.montecarlo import CONFIDENCE, LOOKS, ORIENT, Sampled, sample
from betterthan.testing.request import Request
from betterthan.testing.values import Variant

WORK = 1 << 37
"""Numbers that sampling may touch of its own accord, to make borderline p-values clearer."""

FINENESS = 5
"""How many times smaller than alpha the least p-value is, adjusted for the number of pairs."""

COUNTING, CALLING = 20, 1 << 17
"""Cost of drawing an item's count, and of calling a black box, in numbers touched."""


@dataclass(frozen=True, slots=True)
class Event:
    """When a resample speaks against the claim.

    The ``shift`` variant compares the deviation ``delta* - delta`` with delta, hence
    ``delta* >= 2 delta`` for ``"greater"``. The ``sign`` variant compares delta* with zero; its
    two-sided p is twice that of the side on which delta lies. Where delta is zero, both two-sided
    p-values are 1.

    Ties count, unless it is ``strict``, as Figure 1 of Berg-Kirkpatrick et al. (2012) has it:
    ``delta* > 2 delta``. Its delta is a gain; where delta is zero they count all the same, for
    identical systems must not be told apart.
    """

    variant: Variant
    alternative: Alternative
    strict: bool = False

    @property
    def doubled(self) -> bool:
        """Whether the p-value is twice that of one side."""
        return self.variant == "sign" and self.alternative == "two-sided"

    def probability(self, law: LawOfResamples) -> Probability:
        """P-value from the law of all resamples; every comparison is exact."""
        delta, nothing = law.observed, Fraction(0)
        if self.alternative == "two-sided" and not delta:
            return Probability.of(1.0)
        strict = self.strict and bool(delta)
        if self.variant == "sign":
            greater = delta > 0 if self.doubled else self.alternative == "greater"
            p = law.lower(nothing, strict=strict) if greater else law.tail(nothing, strict=strict)
            return p.doubled() if self.doubled else p
        if self.alternative == "greater":
            return law.tail(2 * delta, strict=strict)
        if self.alternative == "less":
            return law.lower(2 * delta, strict=strict)
        below = law.lower(min(2 * delta, nothing), strict=strict)
        return below.plus(law.tail(max(2 * delta, nothing), strict=strict))

    def hits(
        self, deltas: Floats, delta: Floats, slack: Floats, reach: float = 0.0
    ) -> NDArray[np.int64]:
        """Count the rows of ``(rows, pairs)`` resampled deltas that speak against the claim.

        Those within ``slack`` of the border do: ties count, and rounding must not break them. If
        strict, they do not. ``reach`` is how much further from the border hits are counted.
        """
        if self.strict:
            slack = np.where(np.abs(delta) <= slack, slack, -np.nextafter(slack, np.inf))
        level = np.abs(delta) <= np.abs(slack)
        slack = slack + reach
        orient = ORIENT[self.alternative]
        if self.variant == "shift":
            against = orient(deltas - delta) >= orient(delta) - slack
        elif self.doubled:
            side = np.where(level, 0.0, np.sign(delta))
            against = deltas * side <= slack
        else:
            against = orient(deltas) <= slack
        return np.asarray(np.count_nonzero(against, axis=0), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Contrasts:
    """Differences towards better between systems of which resamples are drawn.

    ``first`` and ``second`` are baseline and candidate of each pair, as places among the systems.
    """

    replicas: Replicas
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @classmethod
    def of(cls, joint: Joint, places: Sequence[tuple[int, int]]) -> Self:
        """Contrasts of pairs of systems; systems that no pair needs are not resampled."""
        needed = sorted({k for both in places for k in both})
        index = np.searchsorted(needed, np.array(places, dtype=np.intp))
        return cls(Replicas.of(joint.select(needed)), index[:, 0], index[:, 1])

    @property
    def of_scores(self) -> Callable[[Floats], Floats]:
        """From scores ``(rows, systems)`` to deltas ``(rows, pairs)``."""
        return partial(_deltas, self.first, self.second, self.replicas.metric.sign)

    @property
    def delta(self) -> Floats:
        """Every pair's delta on the data as they are."""
        return np.asarray(self.of_scores(self.replicas.scores[None])[0])

    @property
    def slack(self) -> Floats:
        """What is rounding noise in every pair's delta."""
        scale = self.replicas.scale
        return TIE * np.maximum(scale[self.first], scale[self.second])

    def looks_at(self, alpha: float) -> tuple[int, ...]:
        """Numbers of resamples after which to stop or go on: fewer where each costs more.

        The least p-value they can give, times the number of pairs, is to be well below alpha.
        """
        rows, columns = self.replicas.columns.shape
        counting = COUNTING if self.replicas.counts is None else COUNTING * ROW_COST
        cells = rows * (columns + counting) + self.first.size
        if self.replicas.joint.opaque:
            cells = len(self.replicas.joint.systems) * (rows + CALLING)
        enough = FINENESS * self.first.size / alpha
        looks = tuple(look for look in LOOKS if look * cells <= WORK) or LOOKS[:1]
        return tuple(look for look in looks if look >= enough) or looks[-1:]


def sample_contrasts(contrasts: Contrasts, event: Event, request: Request) -> list[Sampled]:
    """P-value of every pair: hits are counted, look by look, until none is unclear at ``alpha``."""
    count = partial(_count, event, contrasts.of_scores, contrasts.delta, contrasts.slack)

    def count_hits(drawn: int, look: int, generator: np.random.Generator) -> NDArray[np.int64]:
        blocks = contrasts.replicas.blocks(
            look - drawn,
            generator,
            then=count,
            work=request.work,
            progress=request.progress and partial(_go_on, request.progress, drawn, look),
        )
        return np.asarray(sum(block[0] for block in blocks), dtype=np.int64)

    looks, sides = contrasts.looks_at(request.alpha), 2 if event.doubled else 1
    return sample(count_hits, request, looks=looks, sides=sides, strict=event.strict)


def sample_recentred(contrasts: Contrasts, event: Event, request: Request) -> list[Sampled]:
    """P-value of every pair, whose resampled deltas are moved to have the mean delta.

    Their own mean is known to within its sampling error. Half of the error of p is spent on that:
    the bounds on p count resamples that may be hits, and those that surely are, wherever in its
    interval the mean lies. (On whole-number scores that decides about ties.)
    """
    resamples = request.resamples or LOOKS[0]
    blocks = contrasts.replicas.blocks(
        resamples, request.rng, work=request.work, progress=request.progress
    )
    scores = np.concatenate(list(blocks))
    confidence = 1.0 - (1.0 - CONFIDENCE) / 2.0
    z = float(ndtri(0.5 + confidence / 2.0))
    sampled = []
    for k, (delta, slack) in enumerate(zip(contrasts.delta, contrasts.slack, strict=True)):
        # One pair at a time: all at once are too many numbers.
        one = replace(contrasts, first=contrasts.first[[k]], second=contrasts.second[[k]])
        deltas = one.of_scores(scores)
        moved = deltas - (deltas.mean() - delta)
        error = z * float(moved.std()) / math.sqrt(resamples)
        surely, counted, maybe = (
            Sampled.of_hits(int(hits[0]), resamples, confidence, strict=event.strict)
            for hits in (event.hits(moved, delta, slack, reach) for reach in (-error, 0.0, error))
        )
        p = Sampled(counted.value, surely.low, maybe.high, resamples)
        sampled.append(p.doubled() if event.doubled else p)
    return sampled


def _deltas(
    first: NDArray[np.intp], second: NDArray[np.intp], sign: float, scores: Floats
) -> Floats:
    return np.asarray(sign * (scores[:, second] - scores[:, first]))


def _count(
    event: Event,
    of_scores: Callable[[Floats], Floats],
    delta: Floats,
    slack: Floats,
    scores: Floats,
) -> Floats:
    """Count the resamples that speak against each pair's claim, as a row."""
    return event.hits(of_scores(scores), delta, slack)[None].astype(np.float64)


def _go_on(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    """Report progress that goes on from earlier looks."""
    progress(before + done, total)
