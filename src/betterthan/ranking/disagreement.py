"""How much aggregations disagree (Peyrard et al., 2021, Tables 1 and 3, Fig. 4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Self, Unpack

import numpy as np

from betterthan.checks import several
from betterthan.data.scores import Scores
from betterthan.errors import Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.methods import Aggregation, Method, method_of
from betterthan.ranking.order import sorted_scores
from betterthan.ranking.order_agreement import kendall_tau
from betterthan.ranking.prepared import Rankable, prepare
from betterthan.ranking.result import Ranking
from betterthan.ranking.score_spread import ScoreSpread, score_spread
from betterthan.ranking.tables import Prepared
from betterthan.ranking.uncertainty import rounded
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.resampling.work import HERE, Sampling, Work
from betterthan.results.protocol import Result
from betterthan.tables.accepted import Frame, as_scores

METHODS: tuple[Aggregation, ...] = ("mean", "median", "bradley-terry")
"""The aggregations of the paper."""

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
    method: Sequence[Method | str] = METHODS,
    *,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> tuple[Disagreement, ...]:
    """Compare every two of some aggregations on the same data.

    ``method`` names two or more of those of :func:`betterthan.rank`; ``workers`` aggregate.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 1, 9], "b": [2, 2, 2], "c": [0, 3, 1]})
    >>> for d in disagreement(scores):
    ...     print(d.first, d.second, d.reversed_pairs)
    mean median (('a', 'b'),)
    mean bradley-terry (('a', 'b'),)
    median bradley-terry ()
    """
    work, asked = Work.of(sampling), _Asked.of(method)
    table, seeds = prepare(data, metric=metric), asked.seeds(as_generator(rng))
    return asked.compared(table, seeds, work)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which aggregations are compared, of test sets that come with a seed for each of them."""

    methods: tuple[Method, ...]

    @classmethod
    def of(cls, methods: Sequence[Method | str]) -> Self:
        """Take at least two methods."""
        made = tuple(map(method_of, several("method", methods)))
        if len(made) < 2:
            raise UsageError(
                f"disagreement needs at least two methods, got {made[0]}",
                Remedy("", "method", list(METHODS)),
            )
        return cls(made)

    def seeds(self, generator: np.random.Generator) -> list[np.random.SeedSequence]:
        """Draw a seed for each aggregation."""
        words = generator.integers(1 << 32, size=(len(self.methods), 4), dtype=np.uint32)
        return [np.random.SeedSequence(some) for some in words.tolist()]

    def __call__(
        self, task: tuple[Scores, str | Metric | None, list[np.random.SeedSequence]]
    ) -> tuple[Disagreement, ...]:
        """Compare every two aggregations of one test set by one metric."""
        scores, metric, seeds = task
        return self.compared(prepare(scores, metric=metric), seeds, HERE)

    def compared(
        self, table: Prepared, seeds: list[np.random.SeedSequence], work: Work
    ) -> tuple[Disagreement, ...]:
        """Compare every two aggregations of one test set."""
        asked = zip(self.methods, seeds, strict=True)
        ranked = work.map(partial(_ranked, table), asked, len(seeds))
        return tuple(compare_rankings(x, y) for x, y in combinations(ranked, 2))


def _ranked(table: Prepared, asked: tuple[Method, np.random.SeedSequence]) -> Ranking:
    method, seed = asked
    return aggregate(table, method, rng=seed, resamples=2)


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


def mean_disagreement(found: Iterable[Disagreement]) -> tuple[Disagreement, ...]:
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


@dataclass(frozen=True, slots=True)
class DisagreementStudy(Result):
    """How much aggregations disagree over several data sets: Tables 1 and 4, and Figure 4c.

    Plots: ``disagreement``, the share of pairs in another order, by size where there are sizes.

    Attributes
    ----------
    overall : tuple of Disagreement
        One for every two aggregations, averaged over the data sets.
    sizes : mapping of int to tuple of Disagreement
        The same on subsampled test sets.
    setups : tuple of str
        Names of the data sets.
    spreads : tuple of ScoreSpread
        How the scores of each data set spread.
    repeats : int
        Test sets drawn for every size and data set.
    """

    overall: tuple[Disagreement, ...]
    sizes: Mapping[int, tuple[Disagreement, ...]]
    setups: tuple[str, ...]
    spreads: tuple[ScoreSpread, ...]
    repeats: int


def study_disagreement(
    setups: Mapping[str, Scores],
    method: Sequence[Method | str] = METHODS,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    sizes: Sequence[int] = (),
    repeats: int = 20,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> DisagreementStudy:
    """Average the disagreement of aggregations over data sets, whole and subsampled.

    Parameters
    ----------
    setups : mapping of str to Scores
        Test sets by name; each with each metric is a data set, as the paper counts them.
    method : sequence of str or values of ``bt.methods``
        Two aggregations or more; see :func:`betterthan.rank`.
    metric : str, Metric or sequence of these, optional
        What is measured; the only column by default.
    sizes : sequence of int
        Sizes of subsampled test sets; data sets that are smaller are left out there.
    repeats : int
        Test sets drawn for every size and data set.
    rng : None, int or Generator
        Seed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; ``workers`` rank test sets.

    Examples
    --------
    >>> one = Scores.from_arrays({"a": [1, 1, 9], "b": [2, 2, 2], "c": [0, 3, 1]})
    >>> [round(d.share, 3) for d in study_disagreement({"one": one}).overall]
    [0.333, 0.333, 0.0]
    """
    work, asked = Work.of(sampling), _Asked.of(method)
    metrics: tuple[str | Metric | None, ...] = (None,)
    if metric is not None:
        metrics = several("metric", metric)
    if not setups:
        raise UsageError("there is no data set: give at least one")
    affordable(1e6, repeats=repeats)
    if min(sizes, default=1) < 1:
        raise UsageError(
            f"sizes must be at least 1, got {min(sizes)}",
            Remedy("", "sizes", [size for size in sizes if size > 0] or [10]),
        )
    largest = max(scores.n for scores in setups.values())
    if max(sizes, default=1) > largest:
        raise UsageError(
            f"no data set has {max(sizes):,} items: the largest has {largest:,}",
            Remedy("", "sizes", [size for size in sizes if size <= largest] or [largest]),
        )
    generator = as_generator(rng)
    measured = [
        (f"{name} {one}" if one else name, scores, one)
        for name, scores in setups.items()
        for one in metrics
    ]
    whole = [(scores, one, asked.seeds(generator)) for _, scores, one in measured]
    compared = work.map(asked, whole, len(whole))
    found = [d for here in compared for d in here]
    drawn: dict[int, list[Disagreement]] = {}
    for _, scores, one in measured:
        options: dict[str, Any] = {
            "method": asked.methods,
            "metric": one,
            "rng": generator,
            **sampling,
        }
        for size, here in by_size(scores, sizes, repeats=repeats, **options).items():
            drawn.setdefault(size, []).extend(here)
    averaged = {size: mean_disagreement(here) for size, here in sorted(drawn.items())}
    names = tuple(name for name, *_ in measured)
    spreads = tuple(score_spread(scores, metric=one) for _, scores, one in measured)
    return DisagreementStudy(mean_disagreement(found), averaged, names, spreads, repeats)


def by_size(
    data: Scores | Frame,
    sizes: Sequence[int] = SIZES,
    *,
    repeats: int = 20,
    method: Sequence[Method | str] = METHODS,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Mapping[int, tuple[Disagreement, ...]]:
    """Average disagreement on subsampled test sets, by their size (Fig. 4c).

    Sizes beyond the data are left out; items are drawn without replacement, whatever order they
    come in. ``workers`` and ``executor`` are as in :func:`study_disagreement`.
    """
    affordable(1e6, repeats=repeats)
    scores, _ = sorted_scores(as_scores(data, metric=metric))
    generator, work, asked = as_generator(rng), Work.of(sampling), _Asked.of(method)
    found: dict[int, tuple[Disagreement, ...]] = {}
    for size in sizes:
        if size <= scores.n:
            rows = [
                np.sort(generator.choice(scores.n, size, replace=False)) for _ in range(repeats)
            ]
            seeds = [asked.seeds(generator) for _ in rows]
            tasks = (
                (scores.only(some), metric, each) for some, each in zip(rows, seeds, strict=True)
            )
            found[size] = mean_disagreement(
                d for here in work.map(asked, tasks, repeats) for d in here
            )
    return found


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
