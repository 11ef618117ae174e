"""Decisions by ratings, which use all comparisons: Student's law of studentised differences.

Three things keep that law honest. Ratings are Bradley-Terry's, at the maximum of their likelihood:
Elo and TrueSkill hold a system with few games near where all start. Errors are no smaller than the
sandwich's, where resamples needed a ghost. Degrees of freedom are those of the system with fewer
units, counted as so many of equal size (Kish, 1965): few battles, or one judge who made half of
them, are few units, however many there are on the board.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from scipy.special import stdtr

from betterthan.comparison.multiplicity import adjust
from betterthan.errors import UsageError, listing
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.connectivity import comparable, why_separated
from betterthan.ranking.methods import BradleyTerry
from betterthan.ranking.pair_tests import BY_SIGN
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import BattleTable, Prepared
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling

ENOUGH = 15
"""Fewest units, of equal size, on which differences of ratings were seen to hold their level."""


@dataclass(frozen=True, slots=True, eq=False)
class ByModel:
    """Who beats whom by ratings, or by their own comparisons where these cannot decide.

    Attributes
    ----------
    rated : (systems, systems) array of bool
        Whether ratings decided; elsewhere the test of the pair's own comparisons did.
    pvalue, adjusted : (systems, systems) array
        What was decided by, raw and adjusted over all pairs; NaN on the diagonal. One where two
        systems never met and ratings cannot decide.
    beats : (systems, systems) array of bool
        Whether the row is significantly better than the column.
    notes : tuple of str
        What the reader should know.
    """

    rated: Bools
    pvalue: Floats
    adjusted: Floats
    beats: Bools
    notes: tuple[str, ...]


def decide_by_model(
    table: Prepared, ranking: Ranking, pairs: Pairwise, *, rng: Rng, **sampling: Unpack[Sampling]
) -> ByModel:
    """Decide every two systems; ``pairs`` are in the order of the ranking."""
    m = len(ranking.names)
    if ranking.sets.errors is None:
        raise UsageError(f"{m:,} systems are too many to compare their ratings", BY_SIGN)
    method = BradleyTerry(ranking.ties or "davidson", separation="error")
    groups = len(table.units.groups)
    rated, ahead = np.zeros((m, m), dtype=bool), np.nan_to_num(pairs.lead)
    pvalue = np.nan_to_num(pairs.pvalue, nan=1.0)
    few: dict[int, float] = {}
    for at, scores, errors, units in _parts(table, ranking, method, rng, sampling):
        few |= {int(k): float(n) for k, n in zip(at, units, strict=True) if n < ENOUGH}
        both, least = np.ix_(at, at), np.minimum(units[:, None], units)
        gap, noise = scores[:, None] - scores, 1e-12 * max(float(np.abs(scores).max()), 1e-300)
        free = least - groups
        usable = (errors > noise) & (least >= ENOUGH) & (free > 0)
        # Bootstrap errors are too small by the square root of free / least.
        ratio = np.abs(gap[usable]) / errors[usable] * np.sqrt(free[usable] / least[usable])
        decided = pvalue[both]
        decided[usable] = np.maximum(2 * stdtr(free[usable], -ratio), np.finfo(np.float64).tiny)
        pvalue[both], rated[both] = decided, usable
        ahead[both] = np.where(usable, gap, ahead[both])
    left, right = np.triu_indices(m, 1)
    adjusted = np.full((m, m), np.nan)
    adjusted[left, right] = adjusted[right, left] = adjust(pvalue[left, right], pairs.correction)
    np.fill_diagonal(pvalue, np.nan)
    shown = ranking.sign * ranking.scores
    with np.errstate(invalid="ignore"):
        sure = (adjusted <= pairs.alpha) & (ahead > 0)
        beats = sure & (shown[:, None] > shown)  # no verdict against the ratings that are shown
    opposed = np.argwhere(sure & ~beats).tolist()
    against = [(ranking.names[i], ranking.names[j]) for i, j in opposed]
    return ByModel(rated, pvalue, adjusted, beats, _notes(table, ranking, pairs, few, against))


def _parts(
    table: Prepared, ranking: Ranking, method: BradleyTerry, rng: Rng, sampling: Sampling
) -> Iterator[tuple[Ints, Floats, Floats, Floats]]:
    """Systems on one scale: places in the ranking, scores, errors of differences, units.

    Systems that won or lost everything against the rest have no finite place on its scale, and
    those that do are rated without them: that is the limit of the likelihood, without a ghost.
    """
    place = {name: k for k, name in enumerate(ranking.names)}
    errors, averaged = ranking.sets.errors, ranking.method in ("mean", "median")
    rule, by_likelihood = method.ties, ranking.method == method.name
    finite = None if averaged else comparable(table.outcomes(rule))
    if averaged or (by_likelihood and finite is not None and finite.all()):
        order = [table.systems.index(name) for name in ranking.names]
        score, units = ranking.sign * ranking.scores, table.effective_units(rule)[order]
        yield np.arange(len(order)), score, np.asarray(errors), units
        return
    draws = len(ranking.resamples) if by_likelihood else None
    again: Sampling = {**sampling, "resamples": draws}
    for group in np.unique(np.asarray(finite), axis=0):
        some = np.flatnonzero(group)
        if len(some) < 2:
            continue
        part = table.among(some)
        if why_separated(part.outcomes(rule)) is not None:
            continue
        units = part.effective_units(rule)
        if np.count_nonzero(units >= ENOUGH) < 2:  # nothing for ratings to decide
            unrated = np.zeros((len(some),) * 2)
            yield np.array([place[name] for name in part.systems]), unrated[0], unrated, units
            continue
        made = aggregate(part, method, rng=rng, **again)
        at = np.array([place[name] for name in made.names])
        order = [part.systems.index(name) for name in made.names]
        yield at, made.scores, np.asarray(made.sets.errors), units[order]


def _notes(
    table: Prepared,
    ranking: Ranking,
    pairs: Pairwise,
    few: dict[int, float],
    against: list[tuple[str, str]],
) -> tuple[str, ...]:
    notes = []
    if against:
        (one, other), more = against[0], len(against) - 1
        notes.append(
            f"{one} is ahead of {other} by their own comparisons, and behind it by its rating"
            + (f" ({more} more such {'pair' if more == 1 else 'pairs'})" if more else "")
            + ": neither beats the other"
        )
    if ranking.method in ("elo", "trueskill"):
        notes.append(
            f"who beats whom is decided by Bradley-Terry's ratings of the same comparisons: "
            f"{ranking.method}, its intervals and first places hold systems with few games near "
            "where all start"
        )
    if few:
        what, unit = "judgments" if isinstance(table, BattleTable) else "items", table.units.name
        equal = "" if unit == what else " of equal size"
        listed = listing([f"{ranking.names[k]} ({few[k]:.3g})" for k in sorted(few)])
        notes.append(
            f"differences of ratings take {ENOUGH} {unit}{equal}, and on fewer are "
            f"{listed}: the {pairs.test} test of their own {what} decides these pairs, and "
            "intervals of these systems may be too narrow"
        )
    return tuple(notes)
