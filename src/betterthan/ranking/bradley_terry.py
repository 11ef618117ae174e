"""Bradley-Terry strengths by Newton's method, one fit or a thousand resamples at once."""

from dataclasses import dataclass

import numpy as np

from betterthan.errors import DataError, Remedy, UsageError
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.connectivity import why_separated
from betterthan.ranking.likelihood import TOLERANCE, Likelihood, Sums
from betterthan.ranking.methods import BradleyTerry, Mean, Separation, other
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.refits import CELLS, refit_near

BLOCK = 1 << 14
"""Units at a time whose scores are held in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Maximum-likelihood strengths; arrays have a leading axis where several fits were made.

    Attributes
    ----------
    theta : (..., systems) array
        Log-strengths with mean zero.
    tie : (...,) array
        Tie parameter: ``log nu`` (Davidson, minus infinity without ties), ``log theta``
        (Rao-Kupper, zero without ties), NaN where ties are not modelled.
    loglikelihood : (...,) array
        Its value at the maximum, ghost comparisons included.
    converged : (...,) array of bool
        Whether the last step was below the tolerance.
    iterations : int
        Most steps any of the fits took.
    """

    theta: Floats
    tie: Floats
    loglikelihood: Floats
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
    separation : {"error", "ghost", "firth"}
        What to do where no finite maximum exists: raise; add a ghost item on which each system of
        a compared pair wins half a comparison; or penalise by Jeffreys' prior (Firth, 1993; not
        with modelled ties). Neither fallback changes a fit that does not need it.
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
        return Strengths(equal, np.asarray(endless), np.asarray(0.0), np.asarray(True), 0), None
    if reason is None:
        return fit_sums(outcomes.total(), likelihood, start), None
    if separation == "error":
        raise DataError(
            f"{reason}: no finite Bradley-Terry strengths exist",
            other(BradleyTerry(outcomes.rule), "a cautious fit", separation="ghost"),
            Remedy("rank by the mean", "method", Mean.name),
        )
    if separation == "ghost":
        return fit_sums(with_ghost(outcomes.total()), likelihood, start), reason
    if likelihood.has_tie:
        raise UsageError(
            f"Firth's penalty needs ties to be half a win or dropped, not {outcomes.rule}",
            other(BradleyTerry(separation=separation), ties="half-win"),
            other(BradleyTerry(outcomes.rule), "the other fallback", separation="ghost"),
        )
    return fit_firth(outcomes.total(), likelihood), reason


def fit_sums(
    sums: Sums, likelihood: Likelihood, start: Floats | None = None, tie: Floats | None = None
) -> Strengths:
    """Fit the sums of one fit, or of each of a batch, from equal strengths or a ``start``."""
    if sums.lead.ndim == 1:
        made = fit_sums(sums.take(None), likelihood, start, tie)
        value, done = made.loglikelihood[0], made.converged[0]
        return Strengths(made.theta[0], made.tie[0], value, done, made.iterations)
    fits = len(sums.lead)
    theta = np.zeros((fits, likelihood.systems))
    ties, modelled = np.full(fits, np.nan), np.zeros(fits, dtype=bool)
    if start is not None:
        theta += start
    if likelihood.has_tie:
        modelled = np.asarray(sums.tied.sum(axis=-1) > 0)
        davidson = likelihood.rule == "davidson"
        without = -np.inf if davidson else 0.0
        if tie is not None and np.isfinite(tie) and tie != without:
            first = tie
        else:  # what explains the share of ties among equals: nu / (2 + nu), tanh(t / 2)
            played = np.maximum(sums.played.mean(axis=-1) * len(likelihood.left), 1e-9)
            share = np.clip(sums.tied.sum(axis=-1) / played, 1e-3, 0.99)
            first = np.log(2 * share / (1 - share)) if davidson else 2 * np.arctanh(share)
        ties = np.where(modelled, first, without)
    value, converged, most = np.zeros(fits), np.zeros(fits, dtype=bool), 0
    # A resample without a single tie has no tie parameter: it is plain Bradley-Terry.
    for model, at in (
        (likelihood, np.flatnonzero(modelled)),
        (likelihood.without_ties, np.flatnonzero(~modelled)),
    ):
        block = max(1, CELLS // len(likelihood.left))
        for these in (at[k : k + block] for k in range(0, at.size, block)):
            some = sums if these.size == fits else sums.take(these)
            some = some if model is likelihood else likelihood.per_system(some)
            theta_at, tie_at = theta[these], ties[these]
            value[these], converged[these], steps = model.maximise(theta_at, tie_at, some)
            theta[these], ties[these], most = theta_at, tie_at, max(most, steps)
    return Strengths(theta, ties, value, converged, most)


def refit_sums(sums: Sums, likelihood: Likelihood, start: Strengths, total: Sums) -> Strengths:
    """Fit a batch of sums that are near ``total``, whose fit is ``start``.

    Log-likelihoods are those of fits by Newton's method alone, NaN for the others.
    """
    fits, none = len(sums.lead), -np.inf if likelihood.rule == "davidson" else np.nan
    theta, tie = np.tile(start.theta, (fits, 1)), np.full(fits, float(start.tie))
    value, arrived, steps = np.full(fits, np.nan), np.zeros(fits, dtype=bool), 0
    if likelihood.rule != "rao-kupper":
        # Davidson's model without a single tie is plain Bradley-Terry, and not near one with ties.
        tied = np.asarray(sums.tied[:, 0] > 0) & likelihood.has_tie
        modelled = likelihood.has_tie and bool(np.isfinite(start.tie))
        model = likelihood if modelled else likelihood.without_ties
        at = np.flatnonzero(tied == modelled)
        theta_at, tie_at = theta[at], np.where(tied[at], tie[at], none)
        arrived[at] = refit_near(theta_at, tie_at, sums.take(at), model, total)
        theta[at], tie[at] = theta_at, tie_at
    left = np.flatnonzero(~arrived)
    if left.size:
        again = fit_sums(sums.take(left), likelihood, start.theta, start.tie)
        theta[left], tie[left], value[left] = again.theta, again.tie, again.loglikelihood
        arrived[left], steps = again.converged, again.iterations
    return Strengths(theta, tie, value, arrived, steps)


def fit_resamples(
    outcomes: Outcomes, weights: Floats, start: Strengths, *, firth: bool = False
) -> tuple[Strengths, Ints]:
    """Refit resampled units from the full fit; and in which of them a ghost item was needed.

    A resample may lack the one loss that kept a system's strength finite. Such a resample gets a
    ghost item, and is named.
    """
    count = len(weights)
    if outcomes.undecided:
        equal, tie = np.zeros((count, len(outcomes.systems))), np.full(count, np.inf)
        return Strengths(equal, tie, np.zeros(count), np.ones(count, dtype=bool), 0), np.arange(0)
    sums, likelihood = outcomes.sums(weights), outcomes.likelihood
    if firth:
        made = fit_firth(sums, likelihood)
    else:
        made = refit_sums(sums, likelihood, start, outcomes.total())
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


def fit_firth(sums: Sums, likelihood: Likelihood) -> Strengths:
    """Penalised fit: every pair gets its leverage as ghost comparisons, half of them won by each.

    Firth (1993) for a logistic model: the score with ``h (1/2 - p)`` added, ``h`` being the
    leverage of the pair at the current strengths. For one fit, or each of a batch.
    """
    played = np.broadcast_to(sums.played, (*sums.lead.shape[:-1], len(likelihood.left)))
    incidence = likelihood.incidence
    current = fit_sums(with_ghost(sums), likelihood)
    moved, steps = np.full(sums.lead.shape[:-1], np.inf), 0
    while (moved > TOLERANCE).any() and steps < 1000:
        slopes = likelihood.slopes(current.theta, current.tie, sums)
        curvature = np.broadcast_to(slopes.curvature, played.shape)
        inverse = np.linalg.pinv(incidence.T @ (curvature[..., None] * incidence), hermitian=True)
        leverage = curvature * ((incidence @ inverse) * incidence).sum(axis=-1)
        penalised = Sums(sums.lead, sums.tied, played + leverage)
        updated = fit_sums(penalised, likelihood, current.theta)
        moved = np.abs(updated.theta - current.theta).max(axis=-1)
        current = updated
        steps += 1
    return Strengths(current.theta, current.tie, current.loglikelihood, moved <= TOLERANCE, steps)


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
    if likelihood is not own:
        units = (own.per_system(unit) for unit in units)
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
    unused = np.asarray(np.nan)
    value = outcomes.likelihood.value(theta, unused, outcomes.total())
    return Strengths(theta, unused, value, np.asarray(converged), steps)
