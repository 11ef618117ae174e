"""Systems ready to be resampled: their joint rows, and the scores of every resample."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from betterthan.data.pair import Joint
from betterthan.errors import BadValueError
from betterthan.metrics import MEDIAN, Metric
from betterthan.numeric import Floats, Ints, Numbers
from betterthan.resampling.counts import as_drawn, draw_block
from betterthan.resampling.generator import Rng, block_rows, blocks
from betterthan.resampling.median_draws import ResampledMedians
from betterthan.resampling.medians import Window, bootstrap_medians
from betterthan.resampling.sums import jackknife_sums, replicate_blocks, reported
from betterthan.resampling.work import HERE, Progress, Work

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
        return np.asarray(_defined(np.array(scores), self.metric)[0])

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
        work: Work = HERE,
        progress: Progress | None = None,
    ) -> Iterator[Floats]:
        """Scores of resamples, one block of ``(replicates, systems)`` at a time.

        ``then`` turns a block into what is wanted of it, where it was drawn. Threads are of no use
        to a black box, which is scored in Python: it has none.
        """
        if self.joint.opaque:
            return self._scored_afresh(resamples, rng, then, work, progress)
        return replicate_blocks(
            self.columns,
            resamples,
            rng,
            counts=self.counts,
            statistic=_Scored(self.metric, len(self.joint.systems), then),
            work=work,
            progress=progress,
        )

    @cached_property
    def left_out(self) -> tuple[Floats, Floats]:
        """Scores ``(rows, systems)`` without one unit of each row, and how many units that is.

        Not defined for the only unit.
        """
        if not self.joint.opaque:
            times = np.ones(len(self.columns)) if self.counts is None else self.counts / 1.0
            return self._finished(jackknife_sums(self.columns, self.counts)), times
        values, members = self.joint.ordered_items.values, self._members
        rest = (np.concatenate([*members[:k], *members[k + 1 :]]) for k in range(len(members)))
        scores = [[self.metric.score(x[items]) for x in values] for items in rest]
        return np.array(scores), np.ones(len(members))

    def _finished(self, sums: Floats) -> Floats:
        """Every system's score from ``(replicates, K)`` sums: ``(replicates, systems)``."""
        return _finished(self.metric, len(self.joint.systems), sums)

    @cached_property
    def _members(self) -> list[Ints]:
        """Items of each unit, of those in order."""
        codes, items = self.joint.ordered_items.codes, np.arange(self.joint.n)
        return np.split(items, items[1:] if codes is None else np.cumsum(np.bincount(codes))[:-1])

    def _scored_afresh(
        self,
        resamples: int,
        rng: Rng,
        then: Reduction | None,
        work: Work,
        progress: Progress | None,
    ) -> Iterator[Floats]:
        afresh = self._black_box(then)
        rows = block_rows(afresh.size)
        drawn = replace(work, workers=1).map(
            afresh, blocks(afresh.size, resamples, rng), -(-resamples // rows)
        )
        return drawn if progress is None else reported(drawn, rows, resamples, progress)

    def _black_box(self, then: Reduction | None) -> "_Afresh | _Medians":
        items = self.joint.ordered_items
        if self.metric.function is MEDIAN.function and items.codes is None:
            values = tuple(x[:, 0].astype(np.float64) for x in items.values)
            windows = tuple(Window.around_middle(x, len(x)) for x in values)
            return _Medians(values, windows, ResampledMedians.of(values, windows), then)
        members = self._members
        sizes = np.array([len(some) for some in members])
        return _Afresh(self.metric, items.values, np.concatenate(members), sizes, then)


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """From sums of resamples to scores, and to what is wanted of them."""

    metric: Metric
    systems: int
    then: Reduction | None

    def __call__(self, sums: Floats) -> Floats:
        scores = _defined(_finished(self.metric, self.systems, sums), self.metric)
        return scores if self.then is None else self.then(scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Afresh:
    """Draws items and scores them with a black box; ``sizes`` cut them into units."""

    metric: Metric
    values: tuple[Numbers, ...]
    items: Ints
    sizes: Ints
    then: Reduction | None

    @property
    def size(self) -> int:
        """How many numbers describe a resample."""
        return len(self.sizes)

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        counts = draw_block(len(self.sizes), *block, None)
        drawn = (np.repeat(self.items, np.repeat(row, self.sizes)) for row in counts)
        scores = [[self.metric.score(x[rows]) for x in self.values] for rows in drawn]
        made = _defined(np.array(scores), self.metric)
        return made if self.then is None else self.then(made)


@dataclass(frozen=True, slots=True, eq=False)
class _Medians:
    """Draws items and takes their medians, by a window for each system."""

    values: tuple[Floats, ...]
    windows: tuple[Window, ...]
    nearby: ResampledMedians | None
    then: Reduction | None

    @property
    def size(self) -> int:
        """How many numbers describe a resample."""
        return len(self.values[0]) if self.nearby is None else self.nearby.size

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        if self.nearby is not None:
            made = self.nearby.draw(*block)
        else:
            counts = draw_block(len(self.values[0]), *block, None)
            both = zip(self.values, self.windows, strict=True)
            made = np.stack([bootstrap_medians(x, window, counts) for x, window in both], axis=1)
        return made if self.then is None else self.then(made)


def _finished(metric: Metric, systems: int, sums: Floats) -> Floats:
    return metric.finish(sums[:, :-1].reshape(len(sums), systems, -1), sums[:, -1:])


def _defined(scores: Floats, metric: Metric) -> Floats:
    """Refuse scores that are no numbers: a comparison with NaN would count as no hit."""
    if not np.isfinite(scores).all():
        bad = int((~np.isfinite(scores)).any(axis=1).sum())
        raise BadValueError(
            f"{metric!r} is NaN or infinite on {bad:,} of {len(scores):,} resamples: let it return "
            "a number for all sums that resampled items can have (such as 0 where a denominator "
            "is 0)"
        )
    return scores
