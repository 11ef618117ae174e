"""Systems ready to be resampled: their columns side by side, per item or per cluster."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import BadValueError
from betterthan.metrics import Metric
from betterthan.pairs import Pair, cluster_sums
from betterthan.resampling import Progress, bootstrap_counts, leave_one_out, replicate_blocks
from betterthan.sampling import Rng

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
Reduction = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Replicas:
    """Several systems on the same items, of which resamples are scored.

    Attributes
    ----------
    metric : Metric
        What scores a system.
    values : tuple of (items, k) arrays
        Each system's columns.
    clusters : (items,) array or None
        Number of each item's cluster; clusters are drawn as one.
    columns : (units, K) array
        All systems' projected columns per unit, and the items it holds; empty for a black box.
    """

    metric: Metric
    values: tuple[Numbers, ...]
    clusters: NDArray[np.int64] | None
    columns: Floats

    @classmethod
    def of(
        cls,
        values: Sequence[Numbers],
        metric: Metric,
        clusters: NDArray[np.int64] | None,
        units: int,
    ) -> Self:
        """Project every system, sum clusters, and add the number of items a unit holds."""
        if metric.form == "blackbox":
            return cls(metric, tuple(values), clusters, np.empty((units, 0)))
        parts = [metric.project(x) for x in values]
        parts.append(np.ones((len(values[0]), 1), dtype=np.int64))
        if clusters is not None:
            parts = [cluster_sums(x, clusters, units) for x in parts]
        return cls(metric, tuple(values), clusters, np.hstack(parts).astype(np.float64))

    @classmethod
    def of_pair(cls, made: Pair, metric: Metric) -> Self:
        """Baseline and candidate of a checked pair."""
        return cls.of((made.a, made.b), metric, made.clusters, made.n_clusters)

    @property
    def units(self) -> int:
        """What is drawn: items or clusters."""
        return len(self.columns)

    @property
    def scores(self) -> Floats:
        """Every system's score on the data as they are."""
        scores = [[self.metric.score(x) for x in self.values]]
        return np.asarray(self._defined(np.array(scores))[0])

    @property
    def scale(self) -> Floats:
        """Size of what every system's score is made of: rounding errors are a tiny share of it.

        Scores near zero may be differences of large numbers, hence the sums of absolute values.
        """
        if self.metric.form not in ("mean", "ratio"):
            return np.abs(self.scores)
        sizes = np.abs(self.columns).sum(axis=0)[None]
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
        """Scores of resamples, a block of ``(rows, systems)`` at a time.

        ``then`` turns a block into what is wanted of it, on the worker that drew it. The workers
        are threads: a black box, which is scored in Python, has none.
        """
        if self.metric.form == "blackbox":
            return self._scored_afresh(resamples, rng, then, progress)

        def statistic(sums: Floats) -> Floats:
            scores = self._defined(self._finished(sums))
            return scores if then is None else then(scores)

        return replicate_blocks(
            self.columns, resamples, rng, statistic=statistic, workers=workers, progress=progress
        )

    def left_out(self) -> Floats:
        """Scores without each unit in turn, ``(units, systems)``: not defined for the only unit."""
        if self.metric.form != "blackbox":
            return self._finished(leave_one_out(self.columns))
        codes = np.arange(self.units) if self.clusters is None else self.clusters
        keep = (codes != unit for unit in range(self.units))
        return np.array([[self.metric.score(x[rest]) for x in self.values] for rest in keep])

    def _finished(self, sums: Floats) -> Floats:
        """Every system's score from ``(rows, K)`` sums over resamples: ``(rows, systems)``."""
        by_system = sums[:, :-1].reshape(len(sums), len(self.values), -1)
        return self.metric.finish(by_system, sums[:, -1:])

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

    def _scored_afresh(
        self, resamples: int, rng: Rng, then: Reduction | None, progress: Progress | None
    ) -> Iterator[Floats]:
        items = np.arange(len(self.values[0]))
        done = 0
        for counts in bootstrap_counts(self.units, resamples, rng):
            times = counts if self.clusters is None else counts[:, self.clusters]
            drawn = (np.repeat(items, row) for row in times)
            scores = [[self.metric.score(x[rows]) for x in self.values] for rows in drawn]
            block = self._defined(np.array(scores))
            done += len(block)
            if progress is not None:
                progress(done, resamples)
            yield block if then is None else then(block)
