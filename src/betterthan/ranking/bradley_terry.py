"""Bradley-Terry strengths by Newton's method, one fit or a thousand resamples at once."""

from dataclasses import dataclass

import numpy as np

from betterthan.errors import DataError, Remedy, UsageError
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.connectivity import why_separated
from betterthan.ranking.likelihood import Likelihood, Sums
from betterthan.ranking.methods import BradleyTerry, Mean, Separation, other
from betterthan.ranking.outcomes import Outcomes

BLOCK = 1 << 14
"""Units at a time whose scores are held in memory."""

CELLS = 1 << 16
"""Numbers in one array of pairs, over the fits of a block: what stays in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Maximum-likelihood strengths; arrays have a leading axis where several fits were made.

    Attributes
    ----------
    theta : (..., systems) array
        Log-strengths with mean zero.
    tie : (...,) array
        Tie parameter: ``log nu`` (minus infinity without ties), NaN where ties are not modelled.
    converged : (...,) array of bool
        Whether the last step was below the tolerance.
    iterations : int
        Most steps any of the fits took.
    """

    theta: Floats
    tie: Floats
    converged: Bools
    iterations: int


def fit(
    outcomes: Outcomes, *, separation: Separation = "error", start: Floats | None = None
) -> tuple[Strengths, str | None]:
    """Fit strengths to outcomes, and say why a fallback was needed if one was.

    Parameters
    ----------
    outcomes : Outcomes
        Who beat whom.
    separation : {"error", "ghost"}
        What to do where no finite maximum exists: raise, or add a ghost item on which each system
        of a compared pair wins half a comparison. A fit that needs no ghost has none.
    start : (systems,) array, optional
        Log-strengths to start from; equal ones by default.

    Returns
    -------
    fit : Strengths
        The strengths.
    reason : str or None
        Why the likelihood had no maximum of its own.
    """
    likelihood = outcomes.likelihood
    reason = why_separated(outcomes)
    if outcomes.undecided:
        endless = np.inf if likelihood.has_tie else np.nan
        equal = np.zeros(len(outcomes.systems))
        return Strengths(equal, np.asarray(endless), np.asarray(True), 0), None
    if reason is None:
        return fit_sums(outcomes.total(), likelihood, start), None
    if separation == "error":
        raise DataError(
            f"{reason}: no finite Bradley-Terry strengths exist",
            other(BradleyTerry(outcomes.rule), "a cautious fit", separation="ghost"),
            Remedy("rank by the mean", "method", Mean.name),
        )
    return fit_sums(with_ghost(outcomes.total()), likelihood, start), reason


def fit_sums(
    sums: Sums, likelihood: Likelihood, start: Floats | None = None, tie: Floats | None = None
) -> Strengths:
    """Fit the sums of one fit, or of each of a batch, from equal strengths or a ``start``."""
    if sums.lead.ndim == 1:
        made = fit_sums(sums.take(None), likelihood, start, tie)
        return Strengths(made.theta[0], made.tie[0], made.converged[0], made.iterations)
    fits = len(sums.lead)
    theta = np.zeros((fits, likelihood.systems))
    ties, modelled = np.full(fits, np.nan), np.zeros(fits, dtype=bool)
    if start is not None:
        theta += start
    if likelihood.has_tie:
        modelled = np.asarray(sums.tied.sum(axis=-1) > 0)
        if tie is not None and np.isfinite(tie):
            first = tie
        else:  # what explains the share of ties among equals: nu / (2 + nu)
            played = np.maximum(sums.played.mean(axis=-1) * len(likelihood.left), 1e-9)
            share = np.clip(sums.tied.sum(axis=-1) / played, 1e-3, 0.99)
            first = np.log(2 * share / (1 - share))
        ties = np.where(modelled, first, -np.inf)
    converged, most = np.zeros(fits, dtype=bool), 0
    # A resample without a single tie has no tie parameter: it is plain Bradley-Terry.
    for model, at in (
        (likelihood, np.flatnonzero(modelled)),
        (likelihood.without_ties, np.flatnonzero(~modelled)),
    ):
        block = max(1, CELLS // len(likelihood.left))
        for these in (at[k : k + block] for k in range(0, at.size, block)):
            some = sums if these.size == fits else sums.take(these)
            theta_at, tie_at = theta[these], ties[these]
            converged[these], steps = model.maximise(theta_at, tie_at, some)
            theta[these], ties[these], most = theta_at, tie_at, max(most, steps)
    return Strengths(theta, ties, converged, most)


def fit_resamples(
    outcomes: Outcomes, weights: Floats, start: Strengths, *, ghost: bool = False
) -> tuple[Strengths, Ints]:
    """Refit resampled units from the fit of the data; and in which of them a ghost was needed.

    A resample may lack the one loss that kept a system's strength finite. Such a resample gets a
    ghost item, and is named. With ``ghost`` all have one, as the data had.
    """
    count = len(weights)
    if outcomes.undecided:
        equal, tie = np.zeros((count, len(outcomes.systems))), np.full(count, np.inf)
        return Strengths(equal, tie, np.ones(count, dtype=bool), 0), np.arange(0)
    sums, likelihood, tie = outcomes.sums(weights), outcomes.likelihood, start.tie
    if ghost:
        return fit_sums(with_ghost(sums), likelihood, start.theta, tie), np.arange(0)
    made = fit_sums(sums, likelihood, start.theta, tie)
    lost = np.flatnonzero(~made.converged | _separated(made.theta, sums.played))
    if lost.size:
        again = fit_sums(with_ghost(sums.take(lost)), likelihood)
        made.theta[lost], made.tie[lost] = again.theta, again.tie
        made.converged[lost] = again.converged
    return made, lost


def _separated(theta: Floats, played: Floats) -> Bools:
    """Whether strengths are on their way to infinity, where a fit may seem to have converged.

    Across the largest gap ``g`` of N comparisons at most ``N exp(-g)`` upsets are expected; at a
    finite maximum as many were observed, half a one at least. Three more allow for weights.
    """
    pairs = theta.shape[-1] * (theta.shape[-1] - 1) / 2
    gap = np.diff(np.sort(theta, axis=-1), axis=-1).max(axis=-1)
    return np.asarray(gap > np.log(2 * pairs * np.maximum(played.max(axis=-1), 1.0)) + 3.0)


def with_ghost(sums: Sums) -> Sums:
    """Add a ghost item: of every compared pair, each wins half a comparison."""
    return Sums(sums.lead, sums.tied, sums.played + 1.0)


def sandwich(outcomes: Outcomes, fitted: Strengths) -> Floats:
    """Covariance of the log-strengths that is robust to dependence within units.

    ``H^-1 (sum of outer products of the units' scores) H^-1``, with ``H`` the information
    (Huber, 1967; White, 1982): comparisons on one item are never taken for independent.
    """
    own = outcomes.likelihood
    likelihood = own if outcomes.ties.any() else own.without_ties
    theta, tie = fitted.theta[None], np.atleast_1d(fitted.tie)
    total = outcomes.total().take(None)
    bread = likelihood.hessian(likelihood.slopes(theta, tie, total))[0]
    # A unit's score is linear in its sums: one row of ``change`` for each column of the table.
    width = outcomes.table.shape[1]
    rows = min(512, max(1, (1 << 22) // len(likelihood.left)))  # each has a number for every pair
    units = (outcomes.split(np.eye(min(rows, width - k), width, k)) for k in range(0, width, rows))
    change = np.concatenate(
        [likelihood.gradient(likelihood.slopes(theta, tie, unit), unit) for unit in units]
    )
    times = outcomes.units.multiplicity
    meat = np.zeros_like(bread)
    for some in outcomes.units.groups:
        count = int(times[some].sum())
        summed, squares = np.zeros(len(bread)), np.zeros_like(bread)
        for k in range(0, len(some), BLOCK):  # a million items by a hundred systems are 0.8 GB
            at = some[k : k + BLOCK]
            scores = np.asarray(outcomes.table[at] @ change)
            summed += times[at] @ scores
            squares += scores.T @ (times[at, None] * scores)
        meat += (squares - np.outer(summed, summed) / count) * (count / max(count - 1, 1))
    inverse = np.linalg.inv(bread)
    m = len(outcomes.systems)
    return np.asarray((inverse @ meat @ inverse)[:m, :m])


def mm_fit(outcomes: Outcomes, *, tolerance: float = 1e-9, limit: int = 1_000_000) -> Strengths:
    """Minorise-maximise as in Peyrard et al. (2021), Eq. 3-4, with its stopping rule.

    Iterates until the strengths, which sum to one, move by less than ``tolerance`` (Euclidean
    norm). Ties are half a win or dropped.
    """
    if outcomes.rule not in ("half-win", "drop"):
        raise UsageError(
            f"the MM iteration needs ties to be half a win or dropped, not {outcomes.rule}",
            other(BradleyTerry(solver="mm"), ties="half-win"),
        )
    reason = why_separated(outcomes)
    if reason is not None:
        raise DataError(
            f"{reason}: the MM iteration would never end",
            other(BradleyTerry(outcomes.rule), solver="newton"),
        )
    half = 0.0 if outcomes.rule == "drop" else outcomes.ties / 2
    omega = outcomes.matrix(outcomes.wins + half, outcomes.losses + half)
    played, won = omega + omega.T, omega.sum(axis=1)
    strengths = np.full(len(omega), 1.0 / len(omega))
    converged, steps = False, 0
    while not converged and steps < limit:
        updated = won / (played / (strengths[:, None] + strengths)).sum(axis=1)  # Eq. 3
        updated /= updated.sum()  # Eq. 4
        converged = bool(np.linalg.norm(updated - strengths) < tolerance)
        strengths = updated
        steps += 1
    theta = np.log(strengths)
    theta -= theta.mean()
    return Strengths(theta, np.asarray(np.nan), np.asarray(converged), steps)
