"""Elo ratings, updated game by game (Elo, 1978; Peyrard et al., 2021, Eq. 5)."""

from collections.abc import Iterable

import numpy as np

from betterthan.numeric import Floats
from betterthan.ranking.games import Games

INITIAL = 1000.0
SCALE = 400.0
K = 20.0


def elo_ratings(
    games: Iterable[Games], orders: int, systems: int, *, k: float = K, initial: float = INITIAL
) -> Floats:
    """Ratings of shape (orders, systems) after all games."""
    ratings = np.full((orders, systems), initial)
    rows = np.arange(orders)[:, None]
    for game in games:
        expected = win_probability(ratings[rows, game.left] - ratings[rows, game.right])
        gain = np.where(game.played, k * (game.outcome - expected), 0.0)
        ratings[rows, game.left] += gain
        ratings[rows, game.right] -= gain
    return ratings


def win_probability(difference: Floats) -> Floats:
    """Chance to win of a system that is ``difference`` points ahead.

    >>> float(win_probability(np.array(400.0)))
    0.909090909...
    """
    return 1.0 / (1.0 + 10.0 ** (-difference / SCALE))
