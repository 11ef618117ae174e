"""The likelihood of comparisons in log-strengths, and its maximum by Newton's method.

With ``d`` the difference of two log-strengths, the models of Bradley-Terry and of Davidson give the
log-likelihood of summed comparisons and its derivatives in ``d`` and in one tie parameter ``t``
shared by all pairs. Both are concave, so damped Newton steps find the one maximum. Many fits
(leading axes) are made at once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.methods import TieRule

TOLERANCE = 1e-10
"""Largest Newton step, in log-strength, at which a fit counts as converged."""

STEPS = 60
FAR = 300.0  # a tie parameter whose exponential is still a number
RUNAWAY = 40.0
"""A log-strength beyond this is on its way to infinity."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over units, for one fit or a batch of them (leading axes).

    Attributes
    ----------
    lead : (..., systems) array
        Half of wins minus losses.
    tied : (..., 1) array
        Ties, all together.
    played : (..., 1) or (..., pairs) array
        Comparisons, per pair; one number where every pair has the same.
    """

    lead: Floats
    tied: Floats
    played: Floats

    def take(self, at: Ints | None) -> "Sums":
        """Return the sums of some of the fits; with None, those of a single fit as a batch."""
        return Sums(self.lead[at], self.tied[at], self.played[at])


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives, per pair (and per fit, on the leading axes).

    Attributes
    ----------
    expected : (..., pairs) array
        What half of wins minus losses of the pair is expected to be.
    curvature : (..., pairs) array
        Minus the second derivative in ``d``.
    mixed : (..., pairs) array or None
        Minus the mixed derivative; None where the model has no tie parameter.
    tie_slope, tie_curvature : (...,) array or None
        First and minus second derivative in the tie parameter.
    """

    expected: Floats
    curvature: Floats
    mixed: Floats | None = None
    tie_slope: Floats | None = None
    tie_curvature: Floats | None = None


@dataclass(frozen=True, eq=False)
class Likelihood:
    """A tie model on the pairs that were compared.

    Parameters are log-strengths ``theta`` of shape (fits, systems) and a tie parameter ``tie`` of
    shape (fits,), which plain Bradley-Terry ignores.
    """

    rule: TieRule
    left: Ints
    right: Ints
    systems: int

    @cached_property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter to estimate."""
        return self.rule == "davidson"

    @cached_property
    def without_ties(self) -> "Likelihood":
        """What is left of it where nothing tied: plain Bradley-Terry."""
        return Likelihood("half-win", self.left, self.right, self.systems)

    @cached_property
    def _ends(self) -> tuple[Any, Any]:
        """Pairs by systems, +1 for the left one and -1 for the right one; and absolute values."""
        from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

        pairs = len(self.left)
        at = np.repeat(np.arange(pairs), 2), np.stack([self.left, self.right], axis=1).ravel()
        shape = (pairs, self.systems)
        signed = csr_array((np.tile([1.0, -1.0], pairs), at), shape=shape)
        return signed, abs(signed)

    @cached_property
    def _pair_at(self) -> Ints:
        """Which pair two systems are, one past the last where they were never compared."""
        square = np.full((self.systems, self.systems), len(self.left))
        square[self.left, self.right] = square[self.right, self.left] = np.arange(len(self.left))
        return square

    def value(self, theta: Floats, tie: Floats, sums: Sums) -> Floats:
        """Log-likelihood of each fit."""
        d = theta[..., self.left] - theta[..., self.right]
        # A comparison gives log p to the winner: half of (log p + log q), plus or minus d / 2.
        lead = (theta * sums.lead).sum(axis=-1)
        fade = np.exp(-np.abs(d) / 2)
        if self.rule == "davidson":  # log(exp(d/2) + exp(-d/2) + nu), without overflow
            lead = lead + tie * sums.tied[..., 0]
            missed = fade * (fade + np.exp(np.minimum(tie, FAR))[..., None])
        else:
            missed = fade * fade
        even = np.abs(d) / 2 + np.log1p(missed)
        if self.rule == "davidson" and np.any(tie > FAR):  # a step too far, where exp overflows
            even = np.where(tie[..., None] > FAR, np.logaddexp(np.abs(d) / 2, tie[..., None]), even)
        return np.asarray(lead - (sums.played * even).sum(axis=-1))

    def slopes(self, theta: Floats, tie: Floats, sums: Sums) -> Slopes:
        """Derivatives per pair."""
        d = theta[..., self.left] - theta[..., self.right]
        if self.rule == "davidson":
            return _davidson_slopes(d, tie, sums)
        # Bradley & Terry (1952): the left one wins with probability 1 / (1 + exp(-d)).
        p = expit(d)
        return Slopes(sums.played * (p - 0.5), sums.played * p * (1 - p))

    def gradient(self, slopes: Slopes, sums: Sums) -> Floats:
        """Gradient in the strengths, then in the tie parameter where there is one."""
        gradient = sums.lead - slopes.expected @ self._ends[0]
        if slopes.tie_slope is None:
            return np.asarray(gradient)
        return np.concatenate([gradient, slopes.tie_slope[:, None]], axis=1)

    def hessian(self, slopes: Slopes) -> Floats:
        """Minus the Hessian, with one more direction to make it regular.

        Strengths are determined up to a common factor only. The gradient has no part along that
        direction, so what is added there leaves Newton's step as it is.
        """
        m = self.systems
        size = m if slopes.mixed is None else m + 1
        nothing = np.zeros((len(slopes.curvature), 1))
        padded = np.concatenate([-slopes.curvature, nothing], axis=1)
        hessian = np.take(padded, self._pair_at, axis=1)
        if size > m:
            hessian = np.pad(hessian, ((0, 0), (0, 1), (0, 1)))
        at = np.arange(m)
        hessian[:, at, at] = slopes.curvature @ self._ends[1]
        if slopes.mixed is not None:
            hessian[:, :m, m] = hessian[:, m, :m] = slopes.mixed @ self._ends[0]
            hessian[:, m, m] = slopes.tie_curvature
        scale = np.trace(hessian[:, :m, :m], axis1=1, axis2=2) / m**2
        hessian[:, :m, :m] += np.maximum(scale, np.finfo(np.float64).tiny)[:, None, None]
        return hessian

    def maximise(self, theta: Floats, tie: Floats, sums: Sums) -> tuple[Bools, int]:
        """Move every fit to its maximum, in place.

        Returns which fits have converged, and the most steps any of them took.
        """
        m = self.systems
        converged = np.zeros(len(theta), dtype=bool)
        value = self.value(theta, tie, sums)
        active, steps = np.arange(len(theta)), 0
        while active.size and steps < STEPS:
            slopes = self.slopes(theta[active], tie[active], sums)
            gradient, hessian = self.gradient(slopes, sums)[..., None], self.hessian(slopes)
            try:
                step = np.linalg.solve(hessian, gradient)[..., 0]
            except np.linalg.LinAlgError:
                # A fit on its way to infinity has run out of curvature; the others go on.
                step = (np.linalg.pinv(hessian) @ gradient)[..., 0]
            size = np.ones(len(active))
            for _ in range(40):
                moved = theta[active] + size[:, None] * step[:, :m]
                tied = tie[active] + size * step[:, m] if step.shape[1] > m else tie[active]
                reached = self.value(moved, tied, sums)
                # Near the top the likelihood is flat to rounding: a tiny loss is not a bad step.
                worse = ~(reached >= value[active] - 1e-9 * (1.0 + np.abs(value[active])))
                if not worse.any():
                    break
                size[worse] /= 2
            theta[active], tie[active] = moved - moved.mean(axis=1, keepdims=True), tied
            value[active] = reached
            converged[active] = done = np.abs(step).max(axis=1) <= TOLERANCE
            going = np.flatnonzero(~done & (np.abs(theta[active]).max(axis=1) <= 2 * RUNAWAY))
            if going.size < active.size:
                active, sums = active[going], sums.take(going)
            steps += 1
        return converged, steps


def _davidson_slopes(d: Floats, tie: Floats, sums: Sums) -> Slopes:
    """Davidson (1970): a tie weighs ``nu`` times the strengths' geometric mean; ``t = log nu``."""
    # Probabilities over that of the likelier winner: 1, exp(-|d|) and nu exp(-|d|/2).
    fade = np.exp(-np.abs(d) / 2)
    even = fade * np.exp(tie)[..., None]
    likely = 1.0 / (1.0 + fade * fade + even)
    unlikely = fade * fade * likely
    even = even * likely
    lean = np.where(d >= 0, likely - unlikely, unlikely - likely)
    return Slopes(
        expected=sums.played * lean / 2,
        curvature=sums.played * (likely + unlikely - lean**2) / 4,
        mixed=-sums.played * lean * even / 2,
        tie_slope=sums.tied[..., 0] - (sums.played * even).sum(axis=-1),
        tie_curvature=(sums.played * even * (1 - even)).sum(axis=-1),
    )
