"""Systems ready to be resampled: their joint rows, and the scores of every resample.

A resample says how often each unit is taken: as often as it is drawn from all with replacement, or
by a fair coin. It is the same for all systems, and depends on the seed alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.pair import Joint
from betterthan.errors import BadValueError
from betterthan.metrics import MEDIAN, Metric
from betterthan.numeric import Floats, Ints, Numbers
from betterthan.resampling.draws import as_drawn, draw_block, draw_halves
from betterthan.resampling.generator import Rng
from betterthan.resampling.medians import Medians, ResampledMedians
from betterthan.resampling.sums import summable, weighted_sums
from betterthan.resampling.work import HERE, Progress, Work

PATIENCE = 50
"""How often undefined subsets are drawn again."""

Reduction = Callable[[Floats], Floats]
Block = tuple[int, np.random.Generator]
Drawn = Callable[[int, np.random.Generator], Floats]
"""Scores ``(resamples, systems)`` of that many resamples."""


@dataclass(frozen=True, eq=False)
class Replicas:
    """Several systems on the same units, of which resamples are scored.

    Attributes
    ----------
    joint : Joint
        The systems.
    columns : (rows, K) array
        All systems' projected columns, and the items that a unit holds; of units in the order of
        their rows where they are drawn one by one. Empty for a black box.
    counts : (rows,) array or None
        How many units each row stands for, where rows are drawn; None where units are.
    """

    joint: Joint
    columns: Floats
    counts: Ints | None

    @classmethod
    def of(cls, joint: Joint) -> Self:
        """Choose, by the shape of the data alone, whether rows or units are drawn."""
        if joint.opaque:
            return cls(joint, np.empty((joint.units, 0)), None)
        columns = joint.tally.rows.astype(np.float64)
        columns[:, :-1] *= float(joint.unit)
        return cls(joint, *as_drawn(columns, joint.counts))

    @property
    def metric(self) -> Metric:
        """What scores a system."""
        return self.joint.metric

    @cached_property
    def scores(self) -> Floats:
        """Every system's score on the data as they are."""
        scores = [[self.joint.score(k) for k in range(len(self.joint.systems))]]
        return np.asarray(_defined(np.array(scores), self.metric)[0])

    @cached_property
    def scale(self) -> Floats:
        """Size of what every system's score is made of: rounding errors are a tiny share of it.

        Scores near zero may be differences of large numbers, hence the sums of absolute values.
        """
        if self.metric.form not in ("mean", "ratio"):
            return np.abs(self.scores)
        sizes = (self._times @ np.abs(self.columns))[None]
        return np.asarray(np.maximum(self._finished(sizes)[0], np.abs(self.scores)))

    def blocks(
        self,
        resamples: int,
        rng: Rng,
        *,
        then: Reduction | None = None,
        work: Work = HERE,
        progress: Progress | None = None,
    ) -> Iterator[Floats]:
        """Scores of bootstrap resamples, one block of ``(replicates, systems)`` at a time.

        ``then`` turns a block into what is wanted of it, where it was drawn.
        """
        score, cells = self._score, len(self.columns)
        drawn: Drawn = partial(_drawn, partial(draw_block, cells, counts=self.counts), score)
        if isinstance(score, Medians) and self.joint.clusters is None:
            nearby = ResampledMedians.of(score)
            if nearby is not None:
                drawn, cells = nearby.draw, nearby.size
        task = partial(_checked, drawn, self.metric, then)
        return self._work(work).draw(task, cells, resamples, rng, progress)

    def subsets(self, draws: int, rng: Rng, work: Work = HERE) -> Floats:
        """Scores ``(draws, systems)`` on random subsets, in which each unit is by a fair coin.

        A subset on which some system's score is undefined, as that of no unit at all, is drawn
        again; NaN is left where scores are almost never defined.

        Examples
        --------
        >>> from betterthan.data.pairing import joint_of
        >>> from betterthan.metrics import mean
        >>> scores = Replicas.of(joint_of({"new": [0, 1, 1]}, mean())).subsets(1000, 0)
        >>> sorted({round(x, 3) for x in scores[:, 0].tolist()})
        [0.0, 0.5, 0.667, 1.0]
        """
        units = len(self.columns)
        halves = partial(draw_halves, units, counts=self.counts)
        task = partial(_redrawn, partial(_drawn, halves, self._score))
        cells = units if self.joint.opaque else -(-units // 64)  # which are words of random bits
        return np.concatenate(list(self._work(work).draw(task, cells, draws, rng)))

    @cached_property
    def left_out(self) -> tuple[Floats, Floats]:
        """Scores ``(rows, systems)`` without one unit of each row, and how many units that is.

        Not defined for the only unit.
        """
        if not self.joint.opaque:
            return self._finished(self._times @ self._exact - self._exact), self._times
        values, codes = self.joint.ordered_items.values, self._codes
        others = (codes != unit for unit in range(self.joint.units))
        scores = [[self.metric.score(x[rest]) for x in values] for rest in others]
        return np.array(scores), self._times

    @property
    def _times(self) -> Floats:
        """How many units each row stands for."""
        return np.ones(len(self.columns)) if self.counts is None else self.counts / 1.0

    @cached_property
    def _exact(self) -> NDArray[np.floating[Any]]:
        """The columns, as their sums are exact."""
        return summable(self.columns, self.joint.units)

    @property
    def _codes(self) -> Ints:
        """The unit of each item of a black box, of those in order."""
        codes = self.joint.ordered_items.codes
        return np.arange(self.joint.n) if codes is None else codes

    @cached_property
    def _score(self) -> Callable[[Numbers], Floats]:
        """From how often each unit, or row, is taken to the scores ``(resamples, systems)``."""
        if not self.joint.opaque:
            return partial(_scores_of_sums, self.metric, len(self.joint.systems), self._exact)
        values, codes = self.joint.ordered_items.values, self._codes
        if self.metric.function is MEDIAN.function:
            return Medians.of(tuple(x[:, 0].astype(np.float64) for x in values), codes)
        return partial(_scores_of_items, self.metric, values, codes)

    def _work(self, work: Work) -> Work:
        """Threads are of no use to a black box, which is scored in Python."""
        of_python = self.joint.opaque and self.metric.function is not MEDIAN.function
        return replace(work, workers=1) if of_python else work

    def _finished(self, sums: Floats) -> Floats:
        """Every system's score from ``(replicates, K)`` sums: ``(replicates, systems)``."""
        return _finished(self.metric, len(self.joint.systems), sums)


def _drawn(
    draw: Callable[..., Numbers],
    score: Callable[[Numbers], Floats],
    rows: int,
    generator: np.random.Generator,
) -> Floats:
    """Draw resamples and score them."""
    return score(draw(rows, generator))


def _checked(drawn: Drawn, metric: Metric, then: Reduction | None, block: Block) -> Floats:
    """Scores of a block of resamples, or what is wanted of them."""
    scores = _defined(drawn(*block), metric)
    return scores if then is None else then(scores)


def _redrawn(drawn: Drawn, block: Block) -> Floats:
    """Scores of a block of resamples, of which those that are undefined are drawn again."""
    rows, generator = block
    scores = drawn(rows, generator)
    for _ in range(PATIENCE):
        undefined = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if not undefined.size:
            break
        scores[undefined] = drawn(undefined.size, generator)
    return scores


def _scores_of_sums(
    metric: Metric, systems: int, columns: NDArray[np.floating[Any]], taken: Numbers
) -> Floats:
    sums = weighted_sums(taken, columns)
    empty = sums[:, -1:] == 0.0
    sums[:, -1:] += empty
    with np.errstate(all="ignore"):  # a user's metric may be undefined for some resamples
        return np.where(empty, np.nan, _finished(metric, systems, sums))


def _scores_of_items(
    metric: Metric, values: tuple[Numbers, ...], codes: Ints, taken: Numbers
) -> Floats:
    items = np.arange(len(codes))
    drawn = (np.repeat(items, times[codes]) for times in taken)
    return np.array(
        [[metric.score(x[rows]) if rows.size else np.nan for x in values] for rows in drawn]
    )


def _finished(metric: Metric, systems: int, sums: Floats) -> Floats:
    return metric.finish(sums[:, :-1].reshape(len(sums), systems, -1), sums[:, -1:])


def _defined(scores: Floats, metric: Metric) -> Floats:
    """Raise an error for undefined scores: a comparison with NaN would never count as a hit."""
    if not np.isfinite(scores).all():
        bad = int((~np.isfinite(scores)).any(axis=1).sum())
        raise BadValueError(
            f"{metric!r} is NaN or infinite on {bad:,} of {len(scores):,} resamples: let it return "
            "a number for all sums that resampled items can have (such as 0 where a denominator "
            "is 0)"
        )
    return scores
