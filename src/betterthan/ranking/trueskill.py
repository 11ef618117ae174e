"""Bayesian skill ratings by moment matching, for games of two with draws.

The update of Herbrich, Minka and Graepel (2007) with the constants usual since: prior mean 25 and
deviation 25/3, performance noise 25/6, drift 25/300 a game, draws in one game of ten. TrueSkill is
a trademark of Microsoft; this is an independent implementation of the published equations.
"""

from collections.abc import Iterable

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from betterthan.numeric import Floats
from betterthan.ranking.games import Games

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TAU = SIGMA / 100
DRAW_PROBABILITY = 0.10


def trueskill_ratings(
    games: Iterable[Games],
    orders: int,
    systems: int,
    *,
    draw_probability: float = DRAW_PROBABILITY,
) -> tuple[Floats, Floats]:
    """Means and standard deviations of shape (orders, systems) after all games."""
    mu = np.full((orders, systems), MU)
    variance = np.full((orders, systems), SIGMA**2)
    rows = np.arange(orders)[:, None]
    # A game of two is drawn when performances differ by less than this.
    margin = float(ndtri((draw_probability + 1) / 2)) * np.sqrt(2) * BETA
    for game in games:
        at_left, at_right = (rows, game.left), (rows, game.right)
        var_left, var_right = variance[at_left] + TAU**2, variance[at_right] + TAU**2
        spread = np.sqrt(2 * BETA**2 + var_left + var_right)
        lead = (mu[at_left] - mu[at_right]) / spread
        side = np.where(game.outcome >= 0.5, 1.0, -1.0)
        v, w = _truncation(side * lead, margin / spread, draw=game.outcome == 0.5)
        v = v * side
        for at, var, way in ((at_left, var_left, 1.0), (at_right, var_right, -1.0)):
            mean = mu[at] + way * var / spread * v
            mu[at] = np.where(game.played, mean, mu[at])
            variance[at] = np.where(game.played, var * (1 - var / spread**2 * w), variance[at])
    return mu, np.sqrt(variance)


def win_probability(
    difference: Floats, variance_left: Floats | float, variance_right: Floats | float
) -> Floats:
    """Chance that the left one performs better, skills being uncertain."""
    return np.asarray(ndtr(difference / np.sqrt(2 * BETA**2 + variance_left + variance_right)))


def _truncation(lead: Floats, margin: Floats, draw: np.ndarray) -> tuple[Floats, Floats]:
    """First and second correction of a normal law cut by a win, or by a draw where ``draw``."""
    # On logarithms: a huge upset leaves both density and tail below the smallest double.
    above = lead - margin
    v_win = np.exp(_log_density(above) - log_ndtr(above))
    w_win = v_win * (v_win + above)
    low, high = -margin - lead, margin - lead
    # By symmetry the interval can be taken on the left, where its mass has digits.
    flip = low + high > 0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    log_mass = log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b)))
    density_a = np.exp(_log_density(a) - log_mass)
    density_b = np.exp(_log_density(b) - log_mass)
    v_draw = np.where(flip, density_b - density_a, density_a - density_b)
    w_draw = v_draw**2 + b * density_b - a * density_a
    return np.where(draw, v_draw, v_win), np.where(draw, w_draw, w_win)


def _log_density(x: Floats) -> Floats:
    return np.asarray(-(x**2) / 2 - 0.5 * np.log(2 * np.pi))
