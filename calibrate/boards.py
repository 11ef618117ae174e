"""Simulated leaderboards with known ranks, whose rank sets should hold together.

A false *beats* among equal systems, or in the wrong direction, is what can break them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.ranking import Judgments, Ranking, rating


@dataclass(frozen=True)
class Study:
    """One cell: an aggregation, sizes, a kind of score, and how far half of the systems lead."""

    method: Any
    items: int
    systems: int
    kind: str
    lead: float = 0.0
    pairs: int = 0

    @property
    def name(self) -> str:
        """As a row of the table."""
        said = f"{self.method} | {self.kind} | {self.items} | {self.systems}"
        return said + (" | half lead" if self.lead else " | equal")

    def truth(self) -> Floats:
        """The systems' levels."""
        half = self.systems // 2
        return np.repeat([0.0, self.lead], [half, self.systems - half])

    def draw(self, rng: np.random.Generator) -> Scores | Judgments:
        """Items of shared difficulty; or judgments of ``pairs`` pairs on each."""
        n, m = self.items, self.systems
        noise = rng.normal(size=(n, m))
        if self.kind in ("skewed", "unlike"):  # unlike: equal means, skewed in half of the systems
            some = slice(None, None, 2 if self.kind == "unlike" else 1)
            noise[:, some] = rng.exponential(size=(n, m))[:, some] - 1
        values = rng.normal(size=(n, 1)) + noise + self.truth()
        if self.kind == "0/1":
            return _scores((values > 0.5).astype(float))
        if self.kind != "judgments":
            return _scores(np.round(values, 2))  # as scores are published
        left, right = np.triu_indices(m, 1)
        drawn = [rng.choice(len(left), self.pairs, replace=False) for _ in range(n)]
        item, at = np.repeat(np.arange(n), self.pairs), np.concatenate(drawn)
        won = values[item, left[at]] > values[item, right[at]]
        return Judgments.from_arrays(left[at], right[at], won.astype(float), items=item)

    def covered(self, rng: np.random.Generator) -> bool:
        """Draw, rank, and look whether every true rank is in its set."""
        resamples = 200 if self.kind == "judgments" else 2
        made = rating(self.draw(rng), self.method, resamples=resamples, rng=rng)
        return inside(made, self.truth())


def _scores(values: Floats) -> Scores:
    return Scores.from_arrays({str(k): values[:, k] for k in range(values.shape[1])})


def inside(made: Ranking, truth: Floats) -> bool:
    """Whether all sets hold every rank that equal systems share."""
    own = truth[[int(name) for name in made.names]]
    best = 1 + (truth > own[:, None]).sum(axis=1)
    worst = len(truth) - (truth < own[:, None]).sum(axis=1)
    return bool(((made.rank_low <= best) & (worst <= made.rank_high)).all())


STUDIES = (
    Study("mean", 8, 5, "real"),
    Study("mean", 8, 10, "0/1"),
    Study("mean", 20, 10, "real"),
    Study("mean", 20, 10, "real", 1.0),
    Study("mean", 20, 10, "skewed"),
    Study("mean", 20, 10, "unlike"),
    Study("mean", 44, 10, "unlike"),
    Study("mean", 20, 10, "0/1"),
    Study("mean", 44, 50, "0/1"),
    Study("mean", 44, 50, "real"),
    Study("mean", 200, 10, "0/1"),
    Study("median", 20, 10, "real"),
    Study("bradley-terry", 8, 5, "real"),
    Study("bradley-terry", 20, 10, "real"),
    Study("bradley-terry", 20, 10, "real", 1.0),
    Study("bradley-terry", 44, 10, "0/1"),
    Study("bradley-terry", 200, 10, "real", 0.5),
    Study("bradley-terry", 8, 5, "judgments", pairs=6),
    Study("bradley-terry", 15, 8, "judgments", pairs=28),
    Study("bradley-terry", 60, 8, "judgments", 1.0, pairs=10),
)
