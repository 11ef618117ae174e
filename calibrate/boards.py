"""Simulated leaderboards of known ranks, and collections of systems with gains of all sizes."""

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.ranking import Judgments, Ranking


def levels(systems: int, lead: float) -> Floats:
    """True scores, of which half lead."""
    half = systems // 2
    return np.repeat([0.0, lead], [half, systems - half])


def board(
    rng: np.random.Generator, kind: str, items: int, truth: Floats, pairs: int = 0
) -> Scores | Judgments:
    """Items of shared difficulty; or judgments of ``pairs`` pairs on each."""
    m = truth.size
    noise = rng.normal(size=(items, m))
    if kind in ("skewed", "unlike"):  # unlike: equal means, skewed in half of the systems
        some = slice(None, None, 2 if kind == "unlike" else 1)
        noise[:, some] = rng.exponential(size=(items, m))[:, some] - 1
    values = rng.normal(size=(items, 1)) + noise + truth
    if kind == "0/1":
        return _scores((values > 0.5).astype(float))
    if kind != "judgments":
        return _scores(np.round(values, 2))  # as scores are published
    left, right = np.triu_indices(m, 1)
    drawn = [rng.choice(len(left), pairs, replace=False) for _ in range(items)]
    item, pair = np.repeat(np.arange(items), pairs), np.concatenate(drawn)
    won = values[item, left[pair]] > values[item, right[pair]]
    return Judgments.from_arrays(left[pair], right[pair], won.astype(float), items=item)


def all_ranks_inside(ranking: Ranking, truth: Floats) -> bool:
    """Whether all rank sets hold every rank that equal systems share.

    A false *beats* among equal systems, or in the wrong direction, is what can break them.
    """
    own = truth[[int(name) for name in ranking.names]]
    best = 1 + (truth > own[:, None]).sum(axis=1)
    worst = len(truth) - (truth < own[:, None]).sum(axis=1)
    return bool(((ranking.rank_low <= best) & (worst <= ranking.rank_high)).all())


def collection(
    rng: np.random.Generator, kind: str, items: int, systems: int, clusters: int
) -> Scores:
    """Systems that differ in skill and in their own noise, on items of different ease.

    Systems, or items, have noise on a scale of their own where they are *unlike*.
    """
    codes = np.arange(items) % clusters if clusters else np.arange(items)
    ease = 0.7 * rng.normal(size=items) + 0.7 * rng.normal(size=items)[codes]
    skill, own = rng.normal(0.0, 0.25, systems), rng.uniform(0.4, 1.2, systems)
    shape = items, systems
    noise = 0.8 * rng.normal(size=shape) + 0.6 * rng.normal(size=shape)[codes]
    if kind == "unlike systems":
        own = rng.lognormal(-0.4, 0.6, systems)
    if kind == "unlike items":
        noise = rng.lognormal(0.0, 0.8, (items, 1)) * rng.standard_t(3, size=shape)
    values = ease[:, None] + skill + own * noise
    values = (values > -0.5).astype(float) if kind == "0/1" else np.round(values, 2)
    return _scores(values, codes.tolist() if clusters else None)


def _scores(values: Floats, clusters: list[int] | None = None) -> Scores:
    return Scores.from_arrays({str(k): x for k, x in enumerate(values.T)}, clusters=clusters)
