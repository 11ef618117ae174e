"""Pairs of systems on shared resamples, and how often they speak against a claim."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from betterthan.data.pair import Joint
from betterthan.numeric import TIE, Floats
from betterthan.resampling.counts import ROW_COST
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import Progress
from betterthan.testing.events import Event
from betterthan.testing.montecarlo import CONFIDENCE, LOOKS, Sampled, sample
from betterthan.testing.request import Request

WORK = 1 << 37
"""Numbers that sampling may touch of its own accord, to make borderline p-values clearer."""

FINENESS = 5
"""How many times smaller than alpha the least p-value is, adjusted for the number of pairs."""

COUNTING, CALLING = 20, 1 << 17
"""Cost of drawing an item's count, and of calling a black box, in numbers touched."""


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
        at = np.searchsorted(needed, np.array(places, dtype=np.intp))
        return cls(Replicas.of(joint.select(needed)), at[:, 0], at[:, 1])

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
