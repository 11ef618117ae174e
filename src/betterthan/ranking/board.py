"""Leaderboard: the rows that are published, and the analyses behind them."""

from dataclasses import dataclass, field

from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.numeric import Bools
from betterthan.ranking.by_model import ByModel
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.results.protocol import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system of a leaderboard.

    Attributes
    ----------
    letter : str
        What ``beats`` calls it: a, b ... z, aa, ab ...
    name : str
        The system.
    rank_low, rank_high : int
        Ranks it may have, from ``beats``; the sets hold for all systems at once if Holm-adjusted.
    score, score_low, score_high : float or None
        The metric and its interval, or the median where that is what rows are sorted by; None
        for judgments, and for intervals where every resample gives the same.
    rating, rating_low, rating_high : float or None
        Rating and interval: Bradley-Terry on the Elo scale, or the method's own.
    order_spread : float or None
        Standard deviation of the rating over orders of the games (Elo, TrueSkill).
    comparison_low, comparison_high : float or None
        Interval to compare with on the scale of the ranking: systems whose intervals do not overlap
        differ, all pairs at once; approximately, ``beats`` decides.
    p_best : float
        Share of resamples in which it came first; None where there is one unit only.
    tier : int
        Systems of different tiers are all separable.
    beats : tuple of str
        Letters of the systems it beats significantly.
    n : int
        Items it was scored on, or judgments it took part in.
    """

    letter: str
    name: str
    rank_low: int
    rank_high: int
    score: float | None
    score_low: float | None
    score_high: float | None
    rating: float | None
    rating_low: float | None
    rating_high: float | None
    order_spread: float | None
    comparison_low: float | None
    comparison_high: float | None
    p_best: float | None
    tier: int
    beats: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboard(Result):
    """Rows best first, and the analyses behind them.

    Plots: ``leaderboard``, scores or ratings with their intervals; ``ranks``, the ranks each system
    may have; ``tiers``; ``matrix``, every two systems; ``critical``, systems on their scale.

    Attributes
    ----------
    rows : tuple of Row
        One per system.
    ranking : Ranking
        What rows are sorted by, and whose rank sets and P(best) they show.
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
    def lower_is_better(self) -> bool:
        """Whether the best score is the least; of ratings the largest always is."""
        return self.averages is not None and self.averages.lower_is_better
