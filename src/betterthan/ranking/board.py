"""Leaderboard: the rows that are published, and the analyses behind them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats
from betterthan.ranking.by_model import ByModel
from betterthan.ranking.methods import Median
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import Prepared
from betterthan.ranking.uncertainty import comparison_interval, tiers
from betterthan.results.interval import Interval
from betterthan.results.protocol import Result, Sequenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system of a leaderboard.

    Attributes
    ----------
    system : str
        Its name.
    n : int
        Items it was scored on, or judgments it took part in.
    clusters : int or None
        Clusters of these; None where items or judgments are the units.
    rank_low, rank_high : int
        Ranks it may have, from ``beats``; the sets hold for all systems at once if Holm-adjusted.
    score : float or None
        The metric, or the median where that is what rows are sorted by; None for judgments.
    interval : Interval or None
        That of :func:`betterthan.score`; over tasks, and where scores are missing, that of
        resamples. None for judgments, and where every resample gives the same.
    rating, rating_low, rating_high : float or None
        Rating and interval: Bradley-Terry on the Elo scale, or the method's own.
    order_spread : float or None
        Standard deviation of the rating over orders of the games (Elo, TrueSkill).
    comparison_low, comparison_high : float or None
        Interval to compare with on the scale of the ranking: systems whose intervals do not overlap
        differ, all pairs at once; approximately, ``beats`` decides.
    comes_first : float or None
        Share of resamples in which it came first; None where there is one unit only.
    tier : int
        Systems of different tiers are all separable.
    beats : tuple of str
        The systems it beats significantly, in the order of the rows.
    """

    system: str
    n: int
    clusters: int | None
    rank_low: int
    rank_high: int
    score: float | None
    interval: Interval | None
    rating: float | None
    rating_low: float | None
    rating_high: float | None
    order_spread: float | None
    comparison_low: float | None
    comparison_high: float | None
    comes_first: float | None
    tier: int
    beats: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboard(Sequenced[Row]):
    """Rows best first, and the analyses behind them; ``board["atlas"]`` is the row of a system.

    Plots: ``board``, scores or ratings with their intervals; ``ranks``, the ranks each system
    may have; ``matrix``, every two systems; ``critical``, systems on their scale.

    Attributes
    ----------
    rows : tuple of Row
        One per system.
    ranking : Ranking
        What rows are sorted by, and whose rank sets and shares they show.
    averages : Ranking or None
        The metric's own ranking; None for judgments.
    ratings : Ranking or None
        What the rating columns show; None where there is no finite one.
    pairs : Pairwise
        Every two systems, tested on their own comparisons.
    beats : (systems, systems) array of bool
        Whether the row is significantly better than the column.
    decided_by : str
        Where ``beats`` comes from: the name of the pairs' test, or ``"model"``.
    model : ByModel or None
        P-values of ratings, and which pairs they decided, if ``decided_by`` is ``"model"``.
    metric : Metric or None
        What the score is; None for judgments.
    percent : bool
        Whether scores are printed in points.
    notes : tuple of str
        What the reader should know.
    source : str
        What was read.
    signature : str
        One line from which the run can be repeated.
    scores : Scores or None
        What was ranked; None for judgments.
    """

    rows: tuple[Row, ...]
    ranking: Ranking
    averages: Ranking | None
    ratings: Ranking | None
    pairs: Pairwise
    beats: Bools
    decided_by: str
    metric: Metric | None
    percent: bool
    notes: tuple[str, ...]
    source: str
    signature: str
    model: ByModel | None = field(default=None, repr=False)
    scores: Scores | None = field(default=None, repr=False)

    @property
    def _each(self) -> tuple[Row, ...]:
        return self.rows

    def _named(self, part: Row) -> str:
        return part.system

    @property
    def lower_is_better(self) -> bool:
        """Whether the best score is the least; of ratings the largest always is."""
        return self.averages is not None and self.averages.lower_is_better


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboards(Result):
    """A leaderboard for each part of the items, that of all items first where there is one.

    Plots, of all items: ``board``, ``ranks``, ``matrix`` and ``critical``, as of a
    :class:`Leaderboard`.

    Attributes
    ----------
    boards : tuple of (str or None, Leaderboard)
        The part that each is of, such as ``domain=news``, None for all items, and the board.
    notes : tuple of str
        What the reader should know of them together.
    """

    boards: tuple[tuple[str | None, Leaderboard], ...]
    notes: tuple[str, ...] = ()


def rows_of(
    table: Prepared,
    ranking: Ranking,
    measured: Ranking | None,
    ratings: Ranking | None,
    intervals: Mapping[str, Interval],
) -> tuple[Row, ...]:
    """Make the rows of a ranking, with scores and ratings of the rankings that have them.

    Scores that have none of the ``intervals`` have that of their resamples.
    """
    sets, spread, beats = ranking.sets, ranking.order_spread, ranking.sets.separated
    critical = sets.critical if np.isfinite(sets.critical) else 0.0
    ends = ranking.scores, ranking.scores
    if sets.errors is not None:
        ends = comparison_interval(ranking.scores, sets.errors, critical)
    low, high = (_known(np.where(ends[1] > ends[0], end, np.nan)) for end in ends)
    first = _known(ranking.comes_first)
    tier = tiers(beats, ranking.sign * ranking.scores)
    at = [table.systems.index(name) for name in ranking.names]
    sizes, clusters = table.sizes, table.clusters
    scores, rated = _cells(measured, ranking.names), _cells(ratings, ranking.names)
    return tuple(
        Row(
            system=name,
            n=int(sizes[at[k]]),
            clusters=None if clusters is None else int(clusters[at[k]]),
            rank_low=int(sets.low[k]),
            rank_high=int(sets.high[k]),
            score=scores[k][0],
            interval=intervals.get(name) or _resampled(measured, *scores[k][1:]),
            rating=rated[k][0],
            rating_low=rated[k][1],
            rating_high=rated[k][2],
            order_spread=None if spread is None else float(spread[k]),
            comparison_low=low[k],
            comparison_high=high[k],
            comes_first=first[k],
            tier=int(tier[k]),
            beats=tuple(ranking.names[j] for j in np.flatnonzero(beats[k])),
        )
        for k, name in enumerate(ranking.names)
    )


def _resampled(measured: Ranking | None, low: float | None, high: float | None) -> Interval | None:
    """The interval of a score by its resamples; None where they say nothing."""
    if measured is None or low is None or high is None:
        return None
    of = "median" if measured.method == Median.name else "score"
    return Interval(low, high, measured.level, "expanded percentile bootstrap", of=of)


def _cells(shown: Ranking | None, names: tuple[str, ...]) -> list[list[float | None]]:
    """Score and interval of each system, on the scale they are printed on."""
    if shown is None:
        return [[None, None, None]] * len(names)
    cells = shown.shown(np.stack([shown.scores, shown.low, shown.high], axis=1))
    known, at = _known(cells.ravel()), [3 * shown.names.index(name) for name in names]
    return [known[k : k + 3] for k in at]


def _known(values: Floats) -> list[float | None]:
    return [None if math.isnan(x) else x for x in values.tolist()]
