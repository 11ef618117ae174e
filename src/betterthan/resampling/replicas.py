"""Systems ready to be resampled: their joint rows, and the scores of every resample."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from betterthan.data.pair import Joint
from betterthan.errors import BadValueError
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints
from betterthan.resampling.counts import as_drawn, bootstrap_counts
from betterthan.resampling.generator import Rng
from betterthan.resampling.sums import Progress, leave_one_out, replicate_blocks

Reduction = Callable[[Floats], Floats]


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
        return np.asarray(self._defined(np.array(scores))[0])

    @cached_property
    def scale(self) -> Floats:
        """Size of what every system's score is made of: rounding errors are a tiny share of it.

        Scores near zero may be differences of large numbers, hence the sums of absolute values.
        """
        if self.metric.form not in ("mean", "ratio"):
            return np.abs(self.scores)
        times = np.ones(len(self.columns)) if self.counts is None else self.counts / 1.0
        sizes = (times @ np.abs(self.columns))[None]
        return np.asarray(np.maximum(self._finished(sizes)[0], np.abs(self.scores)))

    def blocks(
        self,
        resamples: int,
        rng: Rng,
        *,
        then: Reduction | None = None,
        workers: int = 1,
        progress: Progress | None = None,
    ) -> Iterator[Floats]:
        """Scores of resamples, one block of ``(replicates, systems)`` at a time.

        ``then`` turns a block into what is wanted of it, on the worker that drew it. The workers
        are threads: a black box, which is scored in Python, has none.
        """
        if self.joint.opaque:
            return self._scored_afresh(resamples, rng, then, progress)

        def statistic(sums: Floats) -> Floats:
            scores = self._defined(self._finished(sums))
            return scores if then is None else then(scores)

        return replicate_blocks(
            self.columns,
            resamples,
            rng,
            counts=self.counts,
            statistic=statistic,
            workers=workers,
            progress=progress,
        )

    @cached_property
    def left_out(self) -> tuple[Floats, Floats]:
        """Scores ``(rows, systems)`` without one unit of each row, and how many units that is.

        Not defined for the only unit.
        """
        if not self.joint.opaque:
            times = np.ones(len(self.columns)) if self.counts is None else self.counts / 1.0
            return self._finished(leave_one_out(self.columns, self.counts)), times
        values, members = self.joint.ordered_items.values, self._members
        rest = (np.concatenate([*members[:k], *members[k + 1 :]]) for k in range(len(members)))
        scores = [[self.metric.score(x[items]) for x in values] for items in rest]
        return np.array(scores), np.ones(len(members))

    def _finished(self, sums: Floats) -> Floats:
        """Every system's score from ``(replicates, K)`` sums: ``(replicates, systems)``."""
        by_system = sums[:, :-1].reshape(len(sums), len(self.joint.systems), -1)
        return self.joint.metric.finish(by_system, sums[:, -1:])

    def _defined(self, scores: Floats) -> Floats:
        """Refuse scores that are no numbers: a comparison with NaN would count as no hit."""
        if not np.isfinite(scores).all():
            bad = int((~np.isfinite(scores)).any(axis=1).sum())
            raise BadValueError(
                f"{self.metric!r} is NaN or infinite on {bad:,} of {len(scores):,} resamples: let "
                "it return a number for all sums that resampled items can have (such as 0 where a "
                "denominator is 0)"
            )
        return scores

    @cached_property
    def _members(self) -> list[Ints]:
        """Items of each unit, of those in order."""
        codes, items = self.joint.ordered_items.codes, np.arange(self.joint.n)
        return np.split(items, items[1:] if codes is None else np.cumsum(np.bincount(codes))[:-1])

    def _scored_afresh(
        self, resamples: int, rng: Rng, then: Reduction | None, progress: Progress | None
    ) -> Iterator[Floats]:
        values, members = self.joint.ordered_items.values, self._members
        sizes = np.array([len(items) for items in members])
        items = np.concatenate(members)
        done = 0
        for counts in bootstrap_counts(len(members), resamples, rng):
            drawn = (np.repeat(items, np.repeat(row, sizes)) for row in counts)
            scores = [[self.metric.score(x[rows]) for x in values] for rows in drawn]
            block = self._defined(np.array(scores))
            done += len(block)
            if progress is not None:
                progress(done, resamples)
            yield block if then is None else then(block)
