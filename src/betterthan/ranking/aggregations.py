"""What each aggregation makes of the data, and of resamples of it."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan.errors import DataError, Remedy, UsageError, first_few
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking import elo, trueskill
from betterthan.ranking.averages import mean_scores, median_scores
from betterthan.ranking.connectivity import check_connected
from betterthan.ranking.likelihood import TOLERANCE
from betterthan.ranking.methods import (
    BradleyTerry,
    Elo,
    Mean,
    Median,
    Online,
    TrueSkill,
    other,
)
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.tables import BattleTable, Prepared, ScoreTable
from betterthan.ranking.units import FEWEST, Draws
from betterthan.resampling.draws import orders, resampled_orders
from betterthan.resampling.generator import affordable

FEW_KINDS = 8
"""Resamples of so few units are often the same: each is fitted once. Of 3 units there are 10."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Aggregated:
    """What one aggregation says, systems in the data's order.

    ``robust`` is the sandwich covariance of the scores, where ghosts make resamples spread too
    little.
    """

    scores: Floats
    resamples: Floats
    strengths: Floats | None = None
    tie: float | None = None
    robust: Floats | None = None
    sigma: Floats | None = None
    order_spread: Floats | None = None
    converged: bool = True
    iterations: int = 0
    notes: tuple[str, ...] = ()


def bradley_terry(
    table: Prepared, method: BradleyTerry, rng: np.random.Generator, draws: Draws
) -> Aggregated:
    """Strengths by maximum likelihood."""
    outcomes, separation = table.outcomes(method.ties), method.separation
    if method.solver == "mm":
        fitted, reason = bt.mm_fit(outcomes), None
    else:
        fitted, reason = bt.fit(outcomes, separation=separation)
    notes, robust = [], None
    if reason is not None:
        notes.append(
            f"{reason}: strengths are finite only through separation={separation}, "
            "their size is a convention"
        )
    if not fitted.converged:
        notes.append(f"the fit did not converge in {fitted.iterations:,} steps")
    if method.interval == "sandwich":
        if reason is not None:
            raise UsageError(
                f"{reason}: sandwich errors need finite strengths",
                other(method, "refits of resampled items", interval="resample"),
            )
        resampled = _sandwich_draws(outcomes, fitted, draws.number, rng)
    else:
        refit = _Refit(outcomes, fitted, ghost=reason is not None)
        again = list(outcomes.units.resampled(refit, draws))
        resampled = _without_noise(np.concatenate([theta for theta, _ in again]))
        ghosts = sum(needed for _, needed in again)
        if ghosts:
            robust = bt.sandwich(outcomes, fitted) if reason is None else None
            notes.append(
                f"in {ghosts:,} of {draws.number:,} resamples some system won or lost everything: "
                "they were fitted with one item more, which every pair draws (a ghost)"
            )
    strengths = np.exp(fitted.theta - fitted.theta.max())
    tie = float(fitted.tie)
    return Aggregated(
        scores=_without_noise(fitted.theta),
        resamples=resampled,
        strengths=strengths / strengths.sum(),
        robust=robust,
        tie=None if np.isnan(tie) else float(np.exp(tie)),
        converged=bool(fitted.converged),
        iterations=fitted.iterations,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Refit:
    """Refits resamples as the data were fitted, with a ghost item if they needed one."""

    outcomes: Outcomes
    fitted: bt.Strengths
    ghost: bool

    def __call__(self, weights: Floats) -> tuple[Floats, int]:
        """Log-strengths, and how many resamples needed a ghost item of their own."""
        if weights.shape[1] > FEW_KINDS:
            theta, ghosts = self._refitted(weights)
            return theta, ghosts.size
        distinct, which = np.unique(weights, axis=0, return_inverse=True)
        theta, ghosts = self._refitted(distinct)
        return theta[which.ravel()], int(np.isin(which, ghosts).sum())

    def _refitted(self, weights: Floats) -> tuple[Floats, Ints]:
        again, ghosts = bt.fit_resamples(self.outcomes, weights, self.fitted, ghost=self.ghost)
        return again.theta, ghosts


def _without_noise(theta: Floats) -> Floats:
    """Log-strengths that are zero to the accuracy of the fit are zero: noise is no order."""
    return np.where(np.abs(theta) <= TOLERANCE, 0.0, theta)


def _sandwich_draws(
    outcomes: Outcomes, fitted: bt.Strengths, draws: int, rng: np.random.Generator
) -> Floats:
    if outcomes.undecided:
        return np.zeros((draws, len(outcomes.systems)))
    values, vectors = np.linalg.eigh(bt.sandwich(outcomes, fitted))
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(fitted.theta + rng.standard_normal((draws, len(values))) @ roots.T)


def average(table: ScoreTable, method: Mean | Median, draws: Draws) -> Aggregated:
    """Mean (the metric itself) or median."""
    aggregate = mean_scores if isinstance(method, Mean) else median_scores
    _check_scored(table, np.asarray(np.isnan(table.values).all(axis=0)), "any item")
    scores = aggregate(table, table.units.multiplicity[None].astype(np.float64))[0]
    _check_scored(table, np.isnan(scores), "any item of some task")
    drawn = table.units.resampled(partial(aggregate, table), draws)
    resampled = np.concatenate(list(drawn))
    usable = ~np.isnan(resampled).any(axis=1)
    notes: tuple[str, ...] = ()
    if not table.complete:
        notes = (f"each {method} is over the items its system has; they are not the same items",)
    if not usable.all():
        lost = int((~usable).sum())
        notes += (
            f"{lost:,} of {draws.number:,} resamples left a system without items and do not count",
        )
        if draws.number - lost < FEWEST:
            notes += ("nothing can be said about uncertainty",)
    return Aggregated(scores=scores, resamples=resampled[usable], notes=notes)


def _check_scored(table: ScoreTable, lacking: Bools, where: str) -> None:
    """Check that every system has a score where it needs one."""
    if lacking.any():
        kept = [name for name, lacks in zip(table.systems, lacking, strict=True) if not lacks]
        names = first_few(table.systems[k] for k in np.flatnonzero(lacking))
        remedies = [Remedy("leave them out", "systems", kept)] if len(kept) > 1 else []
        raise DataError(f"{names} have no score on {where}", *remedies)


def sequential(
    table: Prepared, method: Online, rng: np.random.Generator, draws: Draws
) -> Aggregated:
    """Elo or TrueSkill, averaged over random orders of the games, or in the data's own order."""
    repeats, in_order = method.repeats, method.order == "file"
    affordable(1e6, repeats=repeats)
    check_connected(table.outcomes("half-win"))
    if isinstance(table, BattleTable):
        table = table.one_by_one()
        if in_order and table.sequence is None:
            raise UsageError(
                "judgments that were counted have lost their order",
                Remedy("read them one by one", "items", True),
                other(method, "random orders", order="random"),
            )

    def play(sequence: Ints) -> tuple[Floats, Floats]:
        games, size = table.games(sequence, rng), (len(sequence), len(table.systems))
        if isinstance(method, Elo):
            ratings = elo.elo_ratings(games, *size, k=method.k)
            return ratings, np.zeros_like(ratings)
        return trueskill.trueskill_ratings(games, *size)

    played = [play(some) for some in orders(table.n, repeats, rng)]
    drawn = resampled_orders(table.unit_of, table.units.groups, draws.number, rng)
    by_order, sigmas = (np.concatenate(parts) for parts in zip(*played, strict=True))
    spread = by_order.std(axis=0, ddof=1)
    if in_order:
        came = np.arange(table.n) if table.sequence is None else table.sequence
        by_order, sigmas = play(np.tile(came, (repeats, 1)))
        drawn = (_as_they_came(some, came) for some in drawn)
        averaged = "in the order of the data"
        if isinstance(table, ScoreTable):
            averaged += f", within items averaged over {repeats:,} random orders"
    else:
        averaged = f"averaged over {repeats:,} random orders"
    resampled: list[Floats] = []
    for some in drawn:
        resampled.append(play(some)[0])
        draws.tell(sum(map(len, resampled)))
    average = by_order.mean(axis=0)
    best = int(np.argmax(average))
    others = 1 - float((by_order.argmax(axis=1) == best).mean())
    note = f"{method.name} depends on the order of games: {averaged}"
    if not in_order:
        note += f", of which {others:.0%} have another winner; intervals include that spread"
    return Aggregated(
        scores=average,
        resamples=np.concatenate(resampled),
        sigma=sigmas.mean(axis=0) if isinstance(method, TrueSkill) else None,
        order_spread=spread,
        notes=(note,),
    )


def _as_they_came(sequence: Ints, came: Ints) -> Ints:
    """Sort each order of resampled rows as the data were; pauses (-1) last."""
    place = np.empty(len(came) + 1, dtype=np.int64)
    place[came], place[-1] = np.arange(len(came)), len(came)
    return np.take_along_axis(sequence, np.argsort(place[sequence], axis=1, kind="stable"), axis=1)
