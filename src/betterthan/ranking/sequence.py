"""Games in an order: what Elo and TrueSkill, which update game by game, have to be told.

On a score table every item is a round robin. The circle method plays it in rounds of disjoint
pairs; games of one round commute, so a round is played at once for all orders without changing any
rating. Many orders (rows) are played side by side.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Floats
from betterthan.ranking.judgments import Judgments
from betterthan.ranking.table import Ints, ScoreTable, Units, codes_of, members, signs_between
from betterthan.sampling import Rng, as_generator

CELLS = 1 << 26
"""Most orders times games held in memory at once."""


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
    played: NDArray[np.bool_]


def games_in_order(data: ScoreTable | Judgments, sequence: Ints) -> Iterator[Games]:
    """Play rows of the data in the order of ``sequence``, shaped (orders, rows); -1 is a pause."""
    if isinstance(data, Judgments):
        for at in sequence.T:
            yield Games(
                data.left[at][:, None],
                data.right[at][:, None],
                data.outcome[at][:, None],
                (at >= 0)[:, None],
            )
        return
    rounds = round_robin(len(data.systems))
    for at in sequence.T:
        scores = data.values[at]
        present = ~np.isnan(scores) & (at >= 0)[:, None]
        for left, right in rounds:
            sign = signs_between(scores[:, left], scores[:, right])
            played = present[:, left] & present[:, right]
            yield Games(left[None], right[None], (sign + 1) / 2, played)


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


def orders(rows: int, count: int, rng: Rng = None) -> Iterator[Ints]:
    """Yield random orders of the rows, as many at a time as memory allows."""
    for generators in _batches(rows, count, rng):
        yield np.stack([generator.permutation(rows) for generator in generators])


def resampled_orders(data: ScoreTable | Judgments, count: int, rng: Rng = None) -> Iterator[Ints]:
    """Yield orders of resampled units: drawing with replacement, one by one, is a random order."""
    unit_of, units = rows_by_unit(data)
    by_unit = np.argsort(unit_of, kind="stable")
    sizes = np.bincount(unit_of)
    starts = np.cumsum(sizes) - sizes
    kinds = np.arange(len(sizes))
    strata = [kinds] if units.strata is None else members(units.strata)
    for generators in _batches(len(unit_of), count, rng):
        drawn = []
        for generator in generators:
            picks = np.concatenate([generator.choice(group, len(group)) for group in strata])
            picks = picks if len(strata) == 1 else generator.permutation(picks)
            lengths = sizes[picks]
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            drawn.append(by_unit[np.repeat(starts[picks], lengths) + within])
        longest = max(map(len, drawn))
        yield np.stack([np.pad(d, (0, longest - len(d)), constant_values=-1) for d in drawn])


def rows_by_unit(data: ScoreTable | Judgments) -> tuple[Ints, Units]:
    """Return the unit of each item or judgment, and the units."""
    if isinstance(data, ScoreTable):
        return data.unit_of, data.units
    labels = data.clusters if data.clusters is not None else data.items
    if labels is None:
        codes = np.arange(data.n)
        return codes, Units("judgments", np.ones(data.n, dtype=np.int64))
    codes, names = codes_of(labels.tolist())
    name = "clusters" if data.clusters is not None else "items"
    return codes, Units(name, np.ones(len(names), dtype=np.int64))


def _batches(rows: int, count: int, rng: Rng) -> Iterator[list[np.random.Generator]]:
    """Yield generators, one an order: an order depends on the seed and its number alone."""
    entropy = as_generator(rng).integers(1 << 32, size=4, dtype=np.uint32).tolist()
    at_once = max(1, min(count, CELLS // max(rows, 1)))
    for start in range(0, count, at_once):
        stop = min(start + at_once, count)
        yield [
            np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(k,)))
            for k in range(start, stop)
        ]
