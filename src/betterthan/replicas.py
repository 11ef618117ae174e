"""Systems ready to be resampled: their columns side by side, per item or per cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.metrics import Metric
from betterthan.pairs import Pair, cluster_sums
from betterthan.resampling import Progress, bootstrap_counts, leave_one_out, replicate_blocks
from betterthan.sampling import Rng

Floats = NDArray[np.float64]
Numbers = NDArray[Any]


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
        return np.array([self.metric.score(x) for x in self.values])

    def scores_of(self, sums: Floats) -> Floats:
        """Every system's score from ``(rows, K)`` sums over resamples: ``(rows, systems)``."""
        k = (sums.shape[1] - 1) // len(self.values)
        items = sums[:, -1]
        return np.stack(
            [
                self.metric.finish(sums[:, s * k : (s + 1) * k], items)
                for s in range(len(self.values))
            ],
            axis=1,
        )

    def blocks(
        self, resamples: int, rng: Rng, *, workers: int = 1, progress: Progress | None = None
    ) -> Iterator[Floats]:
        """Scores of resamples, a block of ``(rows, systems)`` at a time."""
        if self.metric.form == "blackbox":
            return self._scored_afresh(resamples, rng)
        return replicate_blocks(
            self.columns,
            resamples,
            rng,
            statistic=self.scores_of,
            workers=workers,
            progress=progress,
        )

    def left_out(self) -> Floats:
        """Scores without each unit in turn: ``(units, systems)``."""
        if self.metric.form != "blackbox":
            return self.scores_of(leave_one_out(self.columns))
        codes = np.arange(self.units) if self.clusters is None else self.clusters
        keep = (codes != unit for unit in range(self.units))
        return np.array([[self.metric.score(x[rest]) for x in self.values] for rest in keep])

    def _scored_afresh(self, resamples: int, rng: Rng) -> Iterator[Floats]:
        items = np.arange(len(self.values[0]))
        for counts in bootstrap_counts(self.units, resamples, rng):
            times = counts if self.clusters is None else counts[:, self.clusters]
            drawn = (np.repeat(items, row) for row in times)
            yield np.array([[self.metric.score(x[rows]) for x in self.values] for rows in drawn])
