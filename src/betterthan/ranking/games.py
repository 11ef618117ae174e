"""Games in an order: what Elo and TrueSkill, which update game by game, have to be told.

On a score table every item is a round robin. The circle method plays it in rounds of disjoint
pairs; games of one round commute, so a round is played at once for all orders without changing any
rating. Who sits where is drawn anew for every item. Many orders (rows) are played side by side.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.outcome_tables import signs_between


@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """Some games played at once: of one order (row), no system plays twice.

    Attributes
    ----------
    left, right : (1 or orders, games) array of int
        Who plays.
    outcome : (orders, games) array
        1, 0.5 or 0 for the left one.
    played : (orders, games) array of bool
        False where the order has no such game (a missing score, a shorter resample).
    """

    left: Ints
    right: Ints
    outcome: Floats
    played: Bools


def battle_games(left: Ints, right: Ints, outcome: Floats, sequence: Ints) -> Iterator[Games]:
    """Play battles in the order of ``sequence``, shaped (orders, battles); -1 is a pause."""
    for at in sequence.T:
        yield Games(left[at][:, None], right[at][:, None], outcome[at][:, None], (at >= 0)[:, None])


def score_games(values: Floats, sequence: Ints, rng: np.random.Generator) -> Iterator[Games]:
    """Play a round robin on each item in the order of ``sequence``; -1 is a pause.

    Each item of each order has its own schedule: the circle method with the systems shuffled.
    """
    systems = values.shape[1]
    rounds, rows = round_robin(systems), np.arange(len(sequence))[:, None]
    seats = np.tile(np.arange(systems), (len(sequence), 1))
    for at in sequence.T:
        scores = values[at]
        present = ~np.isnan(scores) & (at >= 0)[:, None]
        players = rng.permuted(seats, axis=1)
        for first, second in rounds:
            left, right = players[:, first], players[:, second]
            sign = signs_between(scores[rows, left], scores[rows, right])
            played = present[rows, left] & present[rows, right]
            yield Games(left, right, (sign + 1) / 2, played)


def round_robin(systems: int) -> list[tuple[Ints, Ints]]:
    """Return rounds of disjoint pairs in which everybody meets everybody once (circle method).

    >>> [list(zip(a.tolist(), b.tolist())) for a, b in round_robin(3)]
    [[(1, 2)], [(0, 2)], [(0, 1)]]
    """
    players = list(range(systems + systems % 2))
    half = len(players) // 2
    rounds = []
    for _ in range(len(players) - 1):
        pairs = zip(players[:half], reversed(players[half:]), strict=True)
        real = sorted((min(p), max(p)) for p in pairs if max(p) < systems)
        rounds.append((np.array([a for a, _ in real]), np.array([b for _, b in real])))
        players = [players[0], players[-1], *players[1:-1]]
    return rounds
