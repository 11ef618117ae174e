"""Pairs of systems on shared resamples, and how often they speak against a claim."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from betterthan.data.pair import Joint
from betterthan.numeric import TIE, Floats
from betterthan.resampling.counts import ROW_COST
from betterthan.resampling.generator import Rng, as_generator, clopper_pearson, plus_one
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Progress, Work
from betterthan.testing.events import Event
from betterthan.testing.montecarlo import CONFIDENCE, LOOKS, Sampled

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

    def of_scores(self, scores: Floats) -> Floats:
        """Deltas ``(rows, pairs)`` from scores ``(rows, systems)``."""
        return _deltas(scores, self.first, self.second, self.replicas.metric.sign)

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


def sample_contrasts(
    contrasts: Contrasts,
    event: Event,
    *,
    resamples: int | None,
    alpha: float,
    rng: Rng,
    work: Work = HERE,
    progress: Progress | None = None,
) -> list[Sampled]:
    """P-value of every pair: hits are counted, look by look, until none is unclear at ``alpha``.

    Every look gets its share of the error (Bonferroni), so that the intervals hold whenever it
    stops. A given number of ``resamples`` is one look.
    """
    looks = contrasts.looks_at(alpha) if resamples is None else (resamples,)
    confidence = 1.0 - (1.0 - CONFIDENCE) / len(looks)
    level = alpha / 2.0 if event.doubled else alpha
    generator = as_generator(rng)
    count = _Hits(
        event,
        contrasts.replicas.metric.sign,
        contrasts.first,
        contrasts.second,
        contrasts.delta,
        contrasts.slack,
    )
    hits = np.zeros(contrasts.first.size)
    found: list[Sampled] = []
    drawn = 0
    for look in looks:
        blocks = contrasts.replicas.blocks(
            look - drawn,
            generator,
            then=count,
            work=work,
            progress=_continued(progress, drawn, look),
        )
        for block in blocks:
            hits += block[0]
        drawn = look
        found = [_share(int(h), drawn, confidence, event.strict) for h in hits]
        if not any(p.low <= level <= p.high for p in found):
            break
    return [event.of_hits(p) for p in found]


def sample_recentred(
    contrasts: Contrasts,
    event: Event,
    *,
    resamples: int,
    rng: Rng,
    work: Work = HERE,
    progress: Progress | None = None,
) -> list[Sampled]:
    """P-value of every pair, whose resampled deltas are moved to have the mean delta.

    Their own mean is known to within its sampling error. Half of the error of p is spent on that:
    the bounds on p count resamples that may be hits, and those that surely are, wherever in its
    interval the mean lies. (On whole-number scores that decides about ties.)
    """
    blocks = contrasts.replicas.blocks(resamples, rng, work=work, progress=progress)
    scores = np.concatenate(list(blocks))
    confidence = 1.0 - (1.0 - CONFIDENCE) / 2.0
    z = float(ndtri(0.5 + confidence / 2.0))
    found = []
    for at in range(contrasts.first.size):  # one by one: all at once are too many numbers
        one = replace(contrasts, first=contrasts.first[[at]], second=contrasts.second[[at]])
        deltas, delta, slack = one.of_scores(scores), one.delta, one.slack
        moved = deltas - (deltas.mean(axis=0) - delta)
        error = z * float(moved.std()) / math.sqrt(resamples)
        surely, counted, maybe = (
            _share(
                int(event.hits(moved, delta, slack, reach)[0]), resamples, confidence, event.strict
            )
            for reach in (-error, 0.0, error)
        )
        p = Sampled(counted.value, surely.low, maybe.high, resamples)
        found.append(event.of_hits(p))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """Counts the resamples that speak against each pair's claim."""

    event: Event
    sign: float
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    delta: Floats
    slack: Floats

    def __call__(self, scores: Floats) -> Floats:
        deltas = _deltas(scores, self.first, self.second, self.sign)
        return self.event.hits(deltas, self.delta, self.slack)[None].astype(np.float64)


def _deltas(
    scores: Floats, first: NDArray[np.intp], second: NDArray[np.intp], sign: float
) -> Floats:
    return np.asarray(sign * (scores[:, second] - scores[:, first]))


def _share(hits: int, drawn: int, confidence: float, strict: bool) -> Sampled:
    """P-value by the +1 rule; the interval around the hits' share is made to contain it.

    If strict, it is the share of hits itself, as Figure 1 of Berg-Kirkpatrick et al. (2012) has it;
    but never zero.
    """
    p = hits / drawn if strict and hits else plus_one(hits, drawn)
    low, high = clopper_pearson(hits, drawn, confidence)
    return Sampled(p, min(low, p), max(high, p), drawn)


def _continued(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Report progress that goes on from earlier looks."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)
