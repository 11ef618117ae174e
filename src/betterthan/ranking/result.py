"""Ranking: what every aggregation hands back."""

from dataclasses import dataclass, field

import numpy as np

from betterthan.numeric import Floats, Ints
from betterthan.ranking.methods import Aggregation, TieRule
from betterthan.ranking.uncertainty import RankSets, share_in_top
from betterthan.results.protocol import Result, at_name

POINTS = 400.0 / np.log(10.0)
"""Elo points per unit of log-strength."""

CENTRE = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking(Result):
    """Systems in order, best first, with what is known about that order.

    All arrays are in the order of ``names``. Plots: ``ranks``, the ranks each system may have.

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
        Pointwise confidence interval of the score. Where every resample gives the same it is
        Clopper and Pearson's for 0/1 scores of independent items, and NaN for others.
    sets : RankSets
        Ranks that each system may have, which hold for all systems at once, and the decisions
        about pairs behind them.
    comes_first : (systems,) array
        Share of resamples in which the system came first; NaN where there is one unit only.
    strengths : (systems,) array or None
        Bradley-Terry strengths, which sum to one.
    ties : str or None
        How ties were treated, where they were.
    tie_parameter : float or None
        ``nu`` of Davidson's model.
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
    level : float
        Of intervals, such as 0.95.
    interval : str
        ``"resample"`` or ``"sandwich"``.
    decided_by, correction, alpha : str, str, float or None
        What decided about pairs, a test's name or ``"model"``, how that was adjusted, and at which
        level; None where nothing was decided and all ranks are open.
    resamples : (draws, systems) array
        Scores of every resample; draws from the normal law for ``"sandwich"``.
    notes : tuple of str
        What the reader should know.
    signature : str
        One line from which the run can be repeated.
    """

    method: Aggregation
    names: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    sets: RankSets = field(repr=False)
    comes_first: Floats
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
    level: float = 0.95
    interval: str = "resample"
    decided_by: str | None = None
    correction: str | None = None
    alpha: float | None = None
    resamples: Floats = field(repr=False)
    notes: tuple[str, ...] = ()
    signature: str = ""

    @property
    def sign(self) -> float:
        """-1 where lower scores are better."""
        return -1.0 if self.lower_is_better else 1.0

    @property
    def rank_low(self) -> Ints:
        """Best rank that each system may have."""
        return self.sets.low

    @property
    def rank_high(self) -> Ints:
        """Worst rank that each system may have."""
        return self.sets.high

    @property
    def ratings(self) -> Floats | None:
        """Ratings on the Elo scale around 1000; None for mean, median and TrueSkill."""
        return self.shown(self.scores) if self.method in ("bradley-terry", "elo") else None

    def shown(self, scores: Floats) -> Floats:
        """Scores on the scale they are printed on: log-strengths become Elo points."""
        return CENTRE + POINTS * scores if self.method == "bradley-terry" else scores

    def in_top(self, k: int) -> Floats:
        """Share of resamples in which each system was among the best ``k``."""
        return share_in_top(self.sign * self.resamples, k)

    def position(self, name: str) -> int:
        """Where a system stands, from zero."""
        return self.names.index(at_name(self.names, name, str))
