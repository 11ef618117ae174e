"""Algorithms 1 and 2 of Wein et al. (2023), one draw, one item, one response at a time."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

Block = list[list[float]]


def mean(xs: Sequence[float]) -> float:
    return math.fsum(xs) / len(xs)


def take(responses: list[float], how: str, k: int | None, rng: np.random.Generator) -> list[float]:
    """Response sampler: Pi of Algorithm 1."""
    if how == "all":
        return list(responses)
    if how == "first_element":
        return [responses[0]]
    return [responses[rng.integers(len(responses))] for _ in range(k or len(responses))]


def sample(gold: Block, a: Block, b: Block, strategy: str, rng: np.random.Generator) -> list[Block]:
    """Algorithm 1: gold, two systems, and two null systems that draw from the pool.

    Redrawn: null systems that drew responses of their own from the pool beforehand.
    """
    item_sampler, response_sampler, *redrawn = strategy.split("/")
    how, _, count = response_sampler.rstrip(")").partition("(")
    k = None if count in ("", "k") else int(count)
    n = len(gold)
    items = list(range(n))
    if item_sampler == "bootstrap_items":
        items = [int(rng.integers(n)) for _ in range(n)]
    drawn: list[Block] = [[], [], [], [], []]
    for i in items:
        pool = a[i] + b[i]
        if how == "split":
            dealt = [pool[j] for j in rng.permutation(len(pool))]
            row = [gold[i], a[i], b[i], dealt[: len(a[i])], dealt[len(a[i]) :]]
        else:
            row = [take(x, how, k, rng) for x in (gold[i], a[i], b[i])]
            for x in (a[i], b[i]):
                source = take(pool, "sample", len(x), rng) if redrawn else pool
                row.append(take(source, how, k or len(x), rng))
        for part, responses in zip(drawn, row, strict=True):
            part.append(responses)
    return drawn


def heights(xs: Sequence[float], bins: int) -> list[int]:
    """Bars of a histogram over [0, 1]."""
    edges = [k / bins for k in range(bins + 1)]
    return [int(height) for height in np.histogram(xs, bins=edges)[0]]


def item_loss(name: str, system: list[float], gold: list[float]) -> float:
    if name == "mse":
        return (mean(system) - mean(gold)) ** 2
    if name == "emd_mean":
        return float(stats.wasserstein_distance(system, gold))
    if name == "emd_mean_counts":
        return float(stats.wasserstein_distance(heights(system, 5), heights(gold, 5)))
    return abs(mean(system) - mean(gold))


def score(name: str, system: Block, gold: Block) -> float:
    """One system's score, higher is better."""
    if name in ("mae", "mse", "emd_mean", "emd_mean_counts"):
        return -mean([item_loss(name, x, g) for x, g in zip(system, gold, strict=True)])
    x, g = [mean(r) for r in system], [mean(r) for r in gold]
    if name == "spearman":
        x, g = [round(v, 12) for v in x], [round(v, 12) for v in g]
        constant = len(set(x)) == 1 or len(set(g)) == 1
        return 0.0 if constant else float(stats.spearmanr(x, g).statistic)
    if name == "emd_aggregated":
        return -float(stats.wasserstein_distance(x, g))
    if name == "emd_aggregated_counts":
        return -float(stats.wasserstein_distance(heights(x, 50), heights(g, 50)))
    if name != "cosine_means":
        x, g = [v for r in system for v in r], [v for r in gold for v in r]
    if name == "emd_vectorized":
        return -float(stats.wasserstein_distance(x, g))
    if name == "emd_vectorized_counts":
        return -float(stats.wasserstein_distance(heights(x, 50), heights(g, 50)))
    dot = math.fsum(p * q for p, q in zip(x, g, strict=True))
    norms = math.sqrt(math.fsum(p * p for p in x) * math.fsum(q * q for q in g))
    return dot / norms if norms else 0.0


def difference(name: str, gold: Block, a: Block, b: Block) -> float:
    """Delta of Algorithm 2: candidate b minus baseline a, up is better."""
    if not name.startswith("wins"):
        return score(name, b, gold) - score(name, a, gold)
    inner = name.partition("(")[2].rstrip(")") or "mae"
    if name.startswith("wins_vectorized"):
        gold, a, b = ([[x] for row in rows for x in row] for rows in (gold, a, b))
    net = 0
    for g, x, y in zip(gold, a, b, strict=True):
        gain = item_loss(inner, x, g) - item_loss(inner, y, g)
        if abs(gain) > 1e-12:
            net += 1 if gain > 0 else -1
    return net / len(gold)


def overlap(null: Sequence[float], alternative: Sequence[float], side: str) -> float:
    """Algorithm 2, by two loops; ties count for either side."""
    hits = 0
    for beta in null:
        for alpha in alternative:
            gap = beta - alpha if side == "greater" else alpha - beta
            hits += gap >= -1e-12
    return hits / len(null) / len(alternative)


def published_p(
    name: str, gold: Block, a: Block, b: Block, strategy: str, draws: int, seed: int
) -> float:
    """One-sided p of the published test, b better than a."""
    rng = np.random.default_rng(seed)
    null, alternative = [], []
    for _ in range(draws):
        g, x, y, null_x, null_y = sample(gold, a, b, strategy, rng)
        alternative.append(difference(name, g, x, y))
        if null_x == null_y and strategy.endswith(("/all", "/first_element")):
            null.append(0.0)  # both systems hold the same responses
        else:
            null.append(difference(name, g, null_x, null_y))
    return overlap(null, alternative, "greater")
