"""What each aggregation makes of the data, and of resamples of it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from betterthan.data.arguments import check_level, check_number
from betterthan.errors import DataError, UsageError, first_few
from betterthan.numeric import Floats, Ints
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking import elo, trueskill
from betterthan.ranking.averages import mean_scores, median_scores
from betterthan.ranking.connectivity import refuse_unconnected
from betterthan.ranking.likelihood import TOLERANCE, TieRule
from betterthan.ranking.outcomes import Outcomes, check_rule
from betterthan.ranking.prepared import BattleTable, Prepared, ScoreTable
from betterthan.ranking.result import Aggregation, GameOrder
from betterthan.resampling.generator import affordable, as_count
from betterthan.resampling.orders import orders, resampled_orders
from betterthan.resampling.work import Sharing, Work

FEW_KINDS = 8
"""Resamples of so few units are often the same: each is fitted once. Of 3 units there are 10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimation:
    """How an aggregation is estimated and resampled: options of :func:`betterthan.ranking.rank`."""

    ties: TieRule = "davidson"
    interval: Literal["resample", "sandwich"] = "resample"
    confidence: float = 0.95
    resamples: int | None = None
    separation: bt.Separation = "error"
    solver: Literal["newton", "mm"] = "newton"
    k: float = elo.K
    repeats: int = 100
    order: GameOrder = "random"
    workers: int = 1
    executor: Any = None

    @property
    def work(self) -> Work:
        """Who draws and refits resamples."""
        return Work(self.workers, self.executor)

    def __post_init__(self) -> None:
        Work(self.workers, self.executor)
        check_rule(self.ties)
        check_level(self.confidence, "confidence")
        check_number(self.k, "k")
        object.__setattr__(self, "resamples", as_count(self.resamples))
        check_number(self.repeats, "repeats")
        if self.repeats != int(self.repeats):
            raise UsageError(f"repeats is a whole number, not {self.repeats!r}")
        object.__setattr__(self, "repeats", int(self.repeats))
        if self.interval not in ("resample", "sandwich"):
            raise UsageError(f"interval is resample or sandwich, not {self.interval!r}")

    def draws(self, method: Aggregation) -> int:
        """Number of resamples: fewer for ratings that replay every game."""
        usual = 200 if method in ("elo", "trueskill") else 1000
        draws = usual if self.resamples is None else self.resamples
        if draws < 2:
            raise UsageError(f"resamples must be at least 2, not {draws}")
        return draws


class EstimationOptions(Sharing, total=False):
    """What boards are told of the estimation, as :class:`Estimation` has it."""

    ties: TieRule
    interval: Literal["resample", "sandwich"]
    confidence: float
    resamples: int | None
    order: GameOrder


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


def bradley_terry(table: Prepared, rng: np.random.Generator, how: Estimation) -> Aggregated:
    """Strengths by maximum likelihood."""
    outcomes, draws, separation = (
        table.outcomes(how.ties),
        how.draws("bradley-terry"),
        how.separation,
    )
    if how.solver == "mm":
        fitted = bt.mm_fit(outcomes)
        reason = None
    elif how.solver == "newton":
        fitted, reason = bt.fit(outcomes, separation=separation)
    else:
        raise UsageError(f"solver is newton or mm, not {how.solver!r}")
    notes, robust = [], None
    if reason is not None:
        notes.append(
            f"{reason}: strengths are finite only through separation={separation!r}, "
            "their size is a convention"
        )
    if not fitted.converged:
        notes.append(f"the fit did not converge in {fitted.iterations:,} steps")
    if how.interval == "sandwich":
        if reason is not None:
            raise UsageError("sandwich errors need finite strengths: use interval='resample'")
        resampled = _sandwich_draws(outcomes, fitted, draws, rng)
    else:
        fallback = None if reason is None else separation
        refit = _Refit(outcomes, fitted, fallback)
        again = list(outcomes.units.resampled(refit, draws, rng, how.work))
        resampled = _without_noise(np.concatenate([theta for theta, _ in again]))
        ghosts = sum(needed for _, needed in again)
        if ghosts:
            robust = bt.sandwich(outcomes, fitted) if reason is None else None
            notes.append(
                f"in {ghosts:,} of {draws:,} resamples some system won or lost everything: they "
                "were fitted with one item more, which every pair draws (a ghost)"
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
    """Refits resamples as the data were fitted, by the same fallback if one was needed."""

    outcomes: Outcomes
    fitted: bt.Strengths
    fallback: bt.Separation | None

    def __call__(self, weights: Floats) -> tuple[Floats, int]:
        """Log-strengths, and how many resamples needed a ghost item of their own."""
        if weights.shape[1] > FEW_KINDS:
            theta, ghosts = self._refitted(weights)
            return theta, ghosts.size
        distinct, which = np.unique(weights, axis=0, return_inverse=True)
        theta, ghosts = self._refitted(distinct)
        return theta[which.ravel()], int(np.isin(which, ghosts).sum())

    def _refitted(self, weights: Floats) -> tuple[Floats, Ints]:
        outcomes, fitted = self.outcomes, self.fitted
        if self.fallback == "ghost":
            sums = bt.with_ghost(outcomes.sums(weights))
            total = bt.with_ghost(outcomes.total())
            again = bt.refit_sums(sums, outcomes.likelihood, fitted, total)
            return again.theta, np.array([], dtype=np.int64)
        firth = self.fallback == "firth"
        again, ghosts = bt.fit_resamples(outcomes, weights, fitted, firth=firth)
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


def average(
    table: ScoreTable, rng: np.random.Generator, how: Estimation, method: Aggregation
) -> Aggregated:
    """Mean (the metric itself) or median."""
    aggregate = mean_scores if method == "mean" else median_scores
    empty = np.flatnonzero(np.isnan(table.values).all(axis=0))
    if empty.size:
        names = first_few(table.systems[k] for k in empty)
        raise DataError(f"{names} have no score on any item: leave them out")
    scores = aggregate(table, table.units.multiplicity[None].astype(np.float64))[0]
    unknown = np.flatnonzero(np.isnan(scores))
    if unknown.size:
        names = first_few(table.systems[k] for k in unknown)
        raise DataError(
            f"{names} have no score on any item of some task: leave out the system or the task"
        )
    draws = how.draws(method)
    drawn = table.units.resampled(partial(aggregate, table), draws, rng, how.work)
    resampled = np.concatenate(list(drawn))
    usable = ~np.isnan(resampled).any(axis=1)
    notes: tuple[str, ...] = ()
    if not table.complete:
        notes = (f"each {method} is over the items its system has; they are not the same items",)
    if not usable.all():
        lost = int((~usable).sum())
        notes += (f"{lost:,} of {draws:,} resamples left a system without items and do not count",)
        if draws - lost < 2:
            notes += ("nothing can be said about uncertainty",)
    return Aggregated(scores=scores, resamples=resampled[usable], notes=notes)


def sequential(
    table: Prepared, rng: np.random.Generator, how: Estimation, method: Aggregation
) -> Aggregated:
    """Elo or TrueSkill, averaged over random orders of the games, or in the data's own order."""
    k, repeats, order, draws = how.k, how.repeats, how.order, how.draws(method)
    if repeats < 2:
        raise UsageError(f"repeats must be at least 2 to show the effect of order, not {repeats}")
    affordable(1e6, repeats=repeats)
    if not k > 0:
        raise UsageError(f"K must be positive, not {k:g}")
    if order not in get_args(GameOrder):
        raise UsageError(f"order is random or data, not {order!r}")
    refuse_unconnected(table.outcomes("half-win"))
    if isinstance(table, BattleTable):
        table = table.one_by_one()
        if order == "data" and table.sequence is None:
            raise UsageError("judgments that were counted have lost their order: read them instead")

    def play(sequence: Ints) -> tuple[Floats, Floats]:
        games, size = table.games(sequence, rng), (len(sequence), len(table.systems))
        if method == "elo":
            ratings = elo.elo_ratings(games, *size, k=k)
            return ratings, np.zeros_like(ratings)
        return trueskill.trueskill_ratings(games, *size)

    played = [play(some) for some in orders(table.n, repeats, rng)]
    drawn = resampled_orders(table.unit_of, table.units.groups, draws, rng)
    by_order, sigmas = (np.concatenate(parts) for parts in zip(*played, strict=True))
    spread = by_order.std(axis=0, ddof=1)
    if order == "random":
        averaged = f"averaged over {repeats:,} random orders"
    else:
        came = np.arange(table.n) if table.sequence is None else table.sequence
        by_order, sigmas = play(np.tile(came, (repeats, 1)))
        drawn = (_as_they_came(some, came) for some in drawn)
        averaged = "in the order of the data"
        if isinstance(table, ScoreTable):
            averaged += f", within items averaged over {repeats:,} random orders"
    resampled = np.concatenate([play(some)[0] for some in drawn])
    average = by_order.mean(axis=0)
    best = int(np.argmax(average))
    others = 1 - float((by_order.argmax(axis=1) == best).mean())
    note = f"{method} depends on the order of games: {averaged}"
    if order == "random":
        note += f", of which {others:.0%} have another winner; intervals include that spread"
    return Aggregated(
        scores=average,
        resamples=resampled,
        sigma=sigmas.mean(axis=0) if method == "trueskill" else None,
        order_spread=spread,
        notes=(note,),
    )


def _as_they_came(sequence: Ints, came: Ints) -> Ints:
    """Sort each order of resampled rows as the data were; pauses (-1) last."""
    place = np.empty(len(came) + 1, dtype=np.int64)
    place[came], place[-1] = np.arange(len(came)), len(came)
    return np.take_along_axis(sequence, np.argsort(place[sequence], axis=1, kind="stable"), axis=1)
