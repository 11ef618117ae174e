"""Bradley-Terry strengths by Newton's method, one fit or a thousand resamples at once."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Floats
from betterthan.errors import DataError, UsageError
from betterthan.ranking.connectivity import check_connected, why_separated
from betterthan.ranking.likelihood import Likelihood
from betterthan.ranking.outcomes import Outcomes, Tally
from betterthan.ranking.table import Ints, members

Separation = Literal["error", "ghost", "firth"]
TOLERANCE = 1e-10
"""Largest Newton step, in log-strength, at which a fit counts as converged."""

STEPS = 60
RUNAWAY = 40.0
"""A log-strength beyond this is on its way to infinity."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
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
    converged: NDArray[np.bool_]
    iterations: int


def fit(outcomes: Outcomes, *, separation: Separation = "error") -> tuple[Fit, str | None]:
    """Fit strengths to outcomes, and say why a fallback was needed if one was.

    Parameters
    ----------
    outcomes : Outcomes
        Who beat whom.
    separation : {"error", "ghost", "firth"}
        What to do where no finite maximum exists: raise; add a ghost item on which each system of
        a compared pair wins half a comparison; or penalise by Jeffreys' prior (Firth, 1993; not
        with modelled ties). Neither fallback changes a fit that does not need it.

    Returns
    -------
    fit : Fit
        The strengths.
    reason : str or None
        Why the likelihood had no maximum of its own.
    """
    if separation not in ("error", "ghost", "firth"):
        raise UsageError(f"separation is error, ghost or firth, not {separation!r}")
    check_connected(outcomes)
    if undecided(outcomes):
        endless = np.inf if Likelihood.of(outcomes).has_tie else np.nan
        equal = np.zeros(len(outcomes.systems))
        return Fit(equal, np.asarray(endless), np.asarray(0.0), np.asarray(True), 0), None
    reason = why_separated(outcomes)
    if reason is None:
        return fit_tally(outcomes.total(), outcomes), None
    if separation == "error":
        raise DataError(
            f"{reason}: no finite Bradley-Terry strengths exist. Add separation='ghost' "
            "(--separation ghost) for a cautious fit, or rank by the mean"
        )
    if separation == "ghost":
        return fit_tally(with_ghost(outcomes.total()), outcomes), reason
    if Likelihood.of(outcomes).has_tie:
        raise UsageError(
            f"separation='firth' needs ties='half-win' or 'drop', not {outcomes.rule!r}; "
            "use separation='ghost'"
        )
    return fit_firth(outcomes.total(), outcomes), reason


def fit_tally(tally: Tally, outcomes: Outcomes, start: Fit | None = None) -> Fit:
    """Fit one tally, or each of a batch, from equal strengths or a ``start``."""
    if tally.lead.ndim == 1:
        made = fit_tally(tally.one(), outcomes, start)
        value, done = made.loglikelihood[0], made.converged[0]
        return Fit(made.theta[0], made.tie[0], value, done, made.iterations)
    fits = len(tally.lead)
    theta = np.zeros((fits, len(outcomes.systems)))
    tie, modelled = np.full(fits, np.nan), np.zeros(fits, dtype=bool)
    if start is not None:
        theta += start.theta
    if Likelihood.of(outcomes).has_tie:
        modelled = np.asarray(tally.tied.sum(axis=-1) > 0)
        without, first = (-np.inf, 0.0) if outcomes.rule == "davidson" else (0.0, 0.5)
        if start is not None and np.isfinite(start.tie) and start.tie != without:
            first = float(start.tie)
        tie = np.where(modelled, first, without)
    made = Fit(theta, tie, np.zeros(fits), np.zeros(fits, dtype=bool), 0)
    # A resample without a single tie has no tie parameter: it is plain Bradley-Terry.
    plain, full = Likelihood.of(outcomes, "half-win"), Likelihood.of(outcomes)
    steps = [
        _ascend(likelihood, tally, made, np.flatnonzero(modelled == chosen))
        for likelihood, chosen in ((full, True), (plain, False))
    ]
    return Fit(made.theta, made.tie, made.loglikelihood, made.converged, max(steps))


def fit_resamples(
    outcomes: Outcomes, weights: Floats, start: Fit, *, firth: bool = False
) -> tuple[Fit, int]:
    """Refit resampled units from the full fit; and in how many a ghost item was needed.

    A resample may lack the one loss that kept a system's strength finite. Such a resample gets a
    ghost item, and is counted.
    """
    count = len(weights)
    if undecided(outcomes):
        equal, tie = np.zeros((count, len(outcomes.systems))), np.full(count, np.inf)
        return Fit(equal, tie, np.zeros(count), np.ones(count, dtype=bool), 0), 0
    tally = outcomes.tally(weights)
    made = fit_firth(tally, outcomes) if firth else fit_tally(tally, outcomes, start)
    lost = np.flatnonzero(~made.converged | (np.abs(made.theta).max(axis=-1) > RUNAWAY))
    if lost.size:
        again = fit_tally(with_ghost(tally.take(lost)), outcomes)
        made.theta[lost], made.tie[lost] = again.theta, again.tie
        made.converged[lost] = again.converged
    return made, int(lost.size)


def fit_firth(tally: Tally, outcomes: Outcomes) -> Fit:
    """Penalised fit: every pair gets its leverage as ghost comparisons, half of them won by each.

    Firth (1993) for a logistic model: the score with ``h (1/2 - p)`` added, ``h`` being the
    leverage of the pair at the current strengths. One tally, or each of a batch.
    """
    likelihood = Likelihood.of(outcomes)
    played = np.broadcast_to(tally.played, (*tally.lead.shape[:-1], len(outcomes.left)))
    incidence = likelihood.incidence
    current = fit_tally(with_ghost(tally), outcomes)
    moved, steps = np.full(tally.lead.shape[:-1], np.inf), 0
    while (moved > TOLERANCE).any() and steps < 1000:
        slopes = likelihood.slopes(current.theta, current.tie, tally)
        curvature = np.broadcast_to(slopes.curvature, played.shape)
        inverse = np.linalg.pinv(incidence.T @ (curvature[..., None] * incidence), hermitian=True)
        leverage = curvature * ((incidence @ inverse) * incidence).sum(axis=-1)
        penalised = Tally(tally.lead, tally.tied, played + leverage)
        updated = fit_tally(penalised, outcomes, current)
        moved = np.abs(updated.theta - current.theta).max(axis=-1)
        current = updated
        steps += 1
    return Fit(current.theta, current.tie, current.loglikelihood, moved <= TOLERANCE, steps)


def undecided(outcomes: Outcomes) -> bool:
    """Whether every comparison was a tie: all strengths are equal then, whatever the model."""
    return not (outcomes.wins.any() or outcomes.losses.any())


def with_ghost(tally: Tally) -> Tally:
    """Add a ghost item: of every compared pair, each wins half a comparison."""
    return Tally(tally.lead, tally.tied, tally.played + 1.0)


def sandwich(outcomes: Outcomes, fitted: Fit) -> Floats:
    """Covariance of the log-strengths that is robust to dependence within units.

    ``H^-1 (sum of outer products of the units' scores) H^-1``, with ``H`` the information
    (Huber, 1967; White, 1982): comparisons on one item are never taken for independent.
    """
    likelihood = Likelihood.of(outcomes, None if outcomes.ties.any() else "half-win")
    theta, tie = fitted.theta[None], np.atleast_1d(fitted.tie)
    bread = likelihood.hessian(likelihood.slopes(theta, tie, outcomes.total().one()))[0]
    # A unit's score is linear in its tally: one row of ``change`` for each column of the table.
    width = outcomes.table.shape[1]
    units = (outcomes.split(np.eye(min(512, width - k), width, k)) for k in range(0, width, 512))
    change = np.concatenate(
        [likelihood.gradient(likelihood.slopes(theta, tie, unit), unit) for unit in units]
    )
    scores = np.asarray(outcomes.table @ change)
    times = outcomes.units.multiplicity
    strata = outcomes.units.strata
    meat = np.zeros_like(bread)
    for some in [np.arange(len(times))] if strata is None else members(strata):
        count = int(times[some].sum())
        centred = scores[some] - times[some] @ scores[some] / count
        meat += centred.T @ (times[some, None] * centred) * (count / max(count - 1, 1))
    inverse = np.linalg.inv(bread)
    m = len(outcomes.systems)
    return np.asarray((inverse @ meat @ inverse)[:m, :m])


def mm_fit(outcomes: Outcomes, *, tolerance: float = 1e-9, limit: int = 1_000_000) -> Fit:
    """Minorise-maximise as in Peyrard et al. (2021), Eq. 3-4, with its stopping rule.

    Iterates until the strengths, which sum to one, move by less than ``tolerance`` (Euclidean
    norm). Ties are half a win or dropped.
    """
    if outcomes.rule not in ("half-win", "drop"):
        raise UsageError(f"the MM iteration needs ties='half-win' or 'drop', not {outcomes.rule!r}")
    check_connected(outcomes)
    reason = why_separated(outcomes)
    if reason is not None:
        raise DataError(f"{reason}: the MM iteration would never end. Use solver='newton'")
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
    value = Likelihood.of(outcomes).value(theta, unused, outcomes.total())
    return Fit(theta, unused, value, np.asarray(converged), steps)


def _ascend(likelihood: Likelihood, tally: Tally, made: Fit, active: Ints) -> int:
    """Take damped Newton steps on the ``active`` fits, in place; return how many."""
    theta, tie, value = made.theta, made.tie, made.loglikelihood
    m = theta.shape[1]
    some = tally.take(active)
    value[active] = likelihood.value(theta[active], tie[active], some)
    steps = 0
    while active.size and steps < STEPS:
        step = likelihood.step(theta[active], tie[active], some)
        size = np.ones(len(active))
        for _ in range(40):
            moved = theta[active] + size[:, None] * step[:, :m]
            tied = tie[active] + size * step[:, m] if step.shape[1] > m else tie[active]
            reached = likelihood.value(moved, tied, some)
            # Near the top the likelihood is flat to rounding: a tiny loss is not a bad step.
            worse = ~(reached >= value[active] - 1e-9 * (1.0 + np.abs(value[active])))
            if not worse.any():
                break
            size[worse] /= 2
        theta[active], tie[active] = moved - moved.mean(axis=1, keepdims=True), tied
        value[active] = reached
        made.converged[active] = done = np.abs(step).max(axis=1) <= TOLERANCE
        going = ~done & (np.abs(theta[active]).max(axis=1) <= 2 * RUNAWAY)
        active, some = active[going], some.take(np.flatnonzero(going))
        steps += 1
    return steps
