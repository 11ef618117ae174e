"""Leaderboard: the rows that are published, and the analyses behind them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking


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
        Ranks it may have; the sets hold for all systems at once.
    score, score_low, score_high : float or None
        The metric and its interval, or the median where that is what rows are sorted by; None
        for judgments.
    rating, rating_low, rating_high : float or None
        Rating and interval: Bradley-Terry on the Elo scale, or the method's own.
    order_spread : float or None
        Standard deviation of the rating over orders of the games (Elo, TrueSkill).
    comparison_low, comparison_high : float
        Interval to compare with on the scale of the ranking: systems whose intervals do not overlap
        differ significantly, all pairs at once.
    p_best : float
        Share of resamples in which it came first.
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
    comparison_low: float
    comparison_high: float
    p_best: float
    tier: int
    beats: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboard:
    """Rows best first, and the analyses behind them.

    Attributes
    ----------
    rows : tuple of Row
        One a system.
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
    metric : str
        What the score is; empty for judgments.
    percent : bool
        Whether scores are rates, printed in points.
    notes : tuple of str
        What the reader should know.
    source : str
        What was read.
    signature : str
        One line from which the run can be repeated.
    """

    rows: tuple[Row, ...]
    ranking: Ranking
    averages: Ranking | None
    ratings: Ranking | None
    pairs: Pairwise
    beats: NDArray[np.bool_]
    decided_by: str
    metric: str
    percent: bool
    notes: tuple[str, ...]
    source: str
    signature: str

    def __str__(self) -> str:
        width = max(6, *(len(row.name) for row in self.rows))
        lines = [
            f"leaderboard of {len(self.rows)} systems by {self.ranking.method}",
            f"  {'ranks':>7}     {'system':<{width}}  {'score':>8}  {'rating':>7}  {'P(best)':>7}"
            "  tier  beats",
        ]
        for row in self.rows:
            ranks = (
                f"{row.rank_low}"
                if row.rank_low == row.rank_high
                else (f"{row.rank_low}-{row.rank_high}")
            )
            score = "" if row.score is None else f"{row.score:.4g}"
            rating = "" if row.rating is None else f"{row.rating:.4g}"
            lines.append(
                f"  {ranks:>7}  {row.letter:<2} {row.name:<{width}}  {score:>8}  {rating:>7}  "
                f"{row.p_best:>7.2f}  {row.tier:>4}  {' '.join(row.beats)}".rstrip()
            )
        lines += [f"  ! {note}" for note in self.notes]
        return "\n".join([*lines, f"  {self.signature}"])
