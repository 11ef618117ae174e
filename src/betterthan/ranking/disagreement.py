"""How much aggregations disagree (Peyrard et al., 2021, Tables 1 and 3, Fig. 4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.likelihood import TieRule
from betterthan.ranking.prepared import Rankable, prepare
from betterthan.ranking.result import Aggregation, Ranking
from betterthan.ranking.uncertainty import rounded
from betterthan.resampling.generator import Rng, as_generator

SIZES = (10, 50, 100, 500, 1000, 5000)
"""Sizes of the subsampled test sets in the paper (Appendix A.3)."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two aggregations of the same data.

    Attributes
    ----------
    first, second : str
        The aggregations.
    tau : float
        Kendall's tau-b of the two orders; NaN where either ties all systems.
    reversed_pairs : tuple of (str, str)
        Pairs whose order differs: the one the first method prefers, then the other.
    share : float
        Share of all pairs that are reversed.
    other_winner, other_top3 : float
        Whether the best system, the set of the best three, differs however ties are broken (1 or
        0); a share after averaging.
    setups : int
        Data sets averaged over.
    """

    first: Aggregation
    second: Aggregation
    tau: float
    reversed_pairs: tuple[tuple[str, str], ...]
    share: float
    other_winner: float
    other_top3: float
    setups: int = 1


def disagreement(
    data: Rankable,
    methods: Sequence[Aggregation] = ("mean", "median", "bradley-terry"),
    *,
    metric: str | Metric | None = None,
    ties: TieRule = "davidson",
    rng: Rng = 0,
) -> tuple[Disagreement, ...]:
    """Compare every two of some aggregations on the same data.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 1, 9], "b": [2, 2, 2], "c": [0, 3, 1]})
    >>> for d in disagreement(scores):
    ...     print(d.first, d.second, d.reversed_pairs)
    mean median (('a', 'b'),)
    mean bradley-terry (('a', 'b'),)
    median bradley-terry ()
    """
    if len(methods) < 2:
        raise UsageError("disagreement needs at least two methods")
    table, generator = prepare(data, metric=metric), as_generator(rng)
    ranked = [
        aggregate(table, m, ties=ties, separation="ghost", resamples=2, rng=generator)
        for m in methods
    ]
    return tuple(compare_rankings(x, y) for x, y in combinations(ranked, 2))


def compare_rankings(first: Ranking, second: Ranking) -> Disagreement:
    """Compare two rankings of the same systems."""
    if set(first.names) != set(second.names):
        raise UsageError("the two rankings are of different systems")
    x = first.sign * rounded(first.scores)
    at = [second.position(name) for name in first.names]
    y = second.sign * rounded(second.scores)[at]
    reversed_pairs = tuple(
        (first.names[i], first.names[j])
        for i, j in combinations(range(len(x)), 2)
        if x[i] > x[j] and y[i] < y[j]
    )
    pairs = len(x) * (len(x) - 1) // 2
    return Disagreement(
        first=first.method,
        second=second.method,
        tau=kendall_tau(x, y),
        reversed_pairs=reversed_pairs,
        share=len(reversed_pairs) / pairs,
        other_winner=float(_other_top(x, y, 1)),
        other_top3=float(_other_top(x, y, 3)),
    )


def _other_top(x: Floats, y: Floats, k: int) -> bool:
    """Whether no way to break ties gives two lists of scores the same best ``k``."""
    k = min(k, len(x))
    edges = [np.sort(scores)[-k] for scores in (x, y)]
    must, may = (x > edges[0]) | (y > edges[1]), (x >= edges[0]) & (y >= edges[1])
    return bool((must & ~may).any() or must.sum() > k or may.sum() < k)


def average(found: Iterable[Disagreement]) -> tuple[Disagreement, ...]:
    """Average over data sets, for each two aggregations: a row of the paper's Table 1.

    A setup whose tau does not exist does not count for tau.
    """
    by_methods: dict[tuple[Aggregation, Aggregation], list[Disagreement]] = {}
    for d in found:
        by_methods.setdefault((d.first, d.second), []).append(d)
    return tuple(
        Disagreement(
            first=first,
            second=second,
            tau=_mean([d.tau for d in some if not np.isnan(d.tau)]),
            reversed_pairs=(),
            share=_mean([d.share for d in some]),
            other_winner=_mean([d.other_winner for d in some]),
            other_top3=_mean([d.other_top3 for d in some]),
            setups=len(some),
        )
        for (first, second), some in by_methods.items()
    )


def by_size(
    scores: Scores,
    sizes: Sequence[int] = SIZES,
    *,
    repeats: int = 20,
    methods: Sequence[Aggregation] = ("mean", "median", "bradley-terry"),
    metric: str | Metric | None = None,
    rng: Rng = 0,
) -> Mapping[int, tuple[Disagreement, ...]]:
    """Average disagreement on subsampled test sets, by their size (Fig. 4c).

    Sizes beyond the data are left out; items are drawn without replacement.
    """
    generator = as_generator(rng)
    found: dict[int, tuple[Disagreement, ...]] = {}
    for size in sizes:
        if size <= scores.n:
            drawn = [
                scores.only(np.sort(generator.choice(scores.n, size, replace=False)))
                for _ in range(repeats)
            ]
            found[size] = average(
                d for s in drawn for d in disagreement(s, methods, metric=metric, rng=generator)
            )
    return found


def kendall_tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two lists of scores; NaN where one is constant.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    left, right = np.triu_indices(len(x), 1)
    a, b = np.sign(x[left] - x[right]), np.sign(y[left] - y[right])
    norm = np.sqrt(float((a != 0).sum()) * float((b != 0).sum()))
    return float((a * b).sum() / norm) if norm else float("nan")


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
