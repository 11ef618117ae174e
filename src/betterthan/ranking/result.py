"""Ranking: what every aggregation hands back."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Floats
from betterthan.errors import UsageError, first_few
from betterthan.ranking.outcomes import TieRule
from betterthan.ranking.uncertainty import share_in_top

Method = Literal["bradley-terry", "mean", "median", "elo", "trueskill"]
METHODS: tuple[Method, ...] = ("mean", "median", "bradley-terry", "elo", "trueskill")
POINTS = 400.0 / np.log(10.0)
"""Elo points per unit of log-strength."""

CENTRE = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Systems in order, best first, with what is known about that order.

    All arrays are in the order of ``names``.

    Attributes
    ----------
    method : str
        Which aggregation.
    names : tuple of str
        Best first.
    scores : (systems,) array
        Mean or median in the data's own units; log-strengths with mean zero (Bradley-Terry);
        ratings averaged over orders (Elo, TrueSkill).
    low, high : (systems,) array
        Pointwise confidence interval of the score.
    rank_low, rank_high : (systems,) array of int
        Ranks the system may have; these sets hold for all systems at once.
    p_best : (systems,) array
        Share of resamples in which the system came first.
    strengths : (systems,) array or None
        Bradley-Terry strengths, which sum to one.
    ties : str or None
        How ties were treated, where they were.
    tie_parameter : float or None
        ``nu`` of Davidson's, ``theta`` of Rao and Kupper's model.
    sigma : (systems,) array or None
        Posterior deviation of a TrueSkill rating, averaged over orders.
    order_spread : (systems,) array or None
        Standard deviation of a rating over random orders of the same games (Elo, TrueSkill).
    lower_is_better : bool
        Direction of ``scores``.
    converged : bool
        False where the fit stopped early.
    iterations : int
        Newton or MM steps.
    n, units, unit_name
        Items (or judgments); independent units that were resampled; what they are.
    confidence : float
        Of intervals and rank sets.
    interval : str
        ``"resample"`` or ``"sandwich"``.
    resamples : (draws, systems) array
        Scores of every resample; draws from the normal law for ``"sandwich"``.
    notes : tuple of str
        What the reader should know.
    signature : str
        One line from which the run can be repeated.
    """

    method: Method
    names: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    p_best: Floats
    strengths: Floats | None = None
    ties: TieRule | None = None
    tie_parameter: float | None = None
    sigma: Floats | None = None
    order_spread: Floats | None = None
    lower_is_better: bool = False
    converged: bool = True
    iterations: int = 0
    n: int = 0
    units: int = 0
    unit_name: str = "items"
    confidence: float = 0.95
    interval: str = "resample"
    resamples: Floats = field(repr=False)
    notes: tuple[str, ...] = ()
    signature: str = ""

    @property
    def sign(self) -> float:
        """-1 where lower scores are better."""
        return -1.0 if self.lower_is_better else 1.0

    @property
    def ratings(self) -> Floats | None:
        """Ratings on the Elo scale around 1000; None for mean, median and TrueSkill."""
        return self._on_elo_scale(self.scores)

    @property
    def rating_interval(self) -> tuple[Floats, Floats] | None:
        """Confidence interval of ``ratings``."""
        low, high = self._on_elo_scale(self.low), self._on_elo_scale(self.high)
        return None if low is None or high is None else (low, high)

    def in_top(self, k: int) -> Floats:
        """Share of resamples in which each system was among the best ``k``."""
        return share_in_top(self.sign * self.resamples, k)

    def position(self, name: str) -> int:
        """Where a system stands, from zero."""
        if name not in self.names:
            raise UsageError(f"there is no system {name!r}; there are {first_few(self.names)}")
        return self.names.index(name)

    def _on_elo_scale(self, scores: Floats) -> Floats | None:
        if self.method == "elo":
            return scores
        return CENTRE + POINTS * scores if self.method == "bradley-terry" else None

    def __str__(self) -> str:
        width = max(6, *map(len, self.names))
        level = f"{self.confidence:.0%}".replace("%", " %")
        lines = [
            f"{self.method} ranking of {len(self.names)} systems on {self.units:,} "
            f"{self.unit_name} ({level} intervals by {self.interval})",
            f"  {'ranks':>7}  {'system':<{width}}  {'score':>10}  {'interval':>23}  {'P(best)':>7}",
        ]
        for k, name in enumerate(self.names):
            first, last = self.rank_low[k], self.rank_high[k]
            ranks = str(first) if first == last else f"{first}-{last}"
            span = f"[{self.low[k]:.4g}, {self.high[k]:.4g}]"
            lines.append(
                f"  {ranks:>7}  {name:<{width}}  {self.scores[k]:>10.5g}  {span:>23}  "
                f"{self.p_best[k]:>7.2f}"
            )
        lines += [f"  ! {note}" for note in self.notes]
        lines.append(f"  {self.signature}")
        return "\n".join(lines)
