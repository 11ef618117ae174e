"""The likelihood of all pairs together: value, gradient and Hessian in the log-strengths."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from betterthan.data import Floats
from betterthan.ranking import tie_models
from betterthan.ranking.outcomes import Outcomes, Tally, TieRule
from betterthan.ranking.table import Ints


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

    @classmethod
    def of(cls, outcomes: Outcomes, rule: TieRule | None = None) -> Self:
        """Likelihood of outcomes, under their own tie rule or another."""
        rule = rule or outcomes.rule
        return cls(rule, outcomes.left, outcomes.right, len(outcomes.systems))

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter to estimate."""
        return self.rule in ("davidson", "rao-kupper")

    @cached_property
    def incidence(self) -> Floats:
        """Pairs by systems: +1 for the left one, -1 for the right one."""
        matrix = np.zeros((len(self.left), self.systems))
        at = np.arange(len(self.left))
        matrix[at, self.left], matrix[at, self.right] = 1.0, -1.0
        return matrix

    @cached_property
    def _pair_at(self) -> Ints:
        """Which pair two systems are, one past the last where they were never compared."""
        square = np.full((self.systems, self.systems), len(self.left))
        square[self.left, self.right] = square[self.right, self.left] = np.arange(len(self.left))
        return square

    def value(self, theta: Floats, tie: Floats, tally: Tally) -> Floats:
        """Log-likelihood of each fit."""
        d = theta[..., self.left] - theta[..., self.right]
        if self.rule == "davidson":
            return tie_models.davidson_likelihood(theta, d, tie, tally)
        if self.rule == "rao-kupper":
            return tie_models.rao_kupper_likelihood(d, tie, tally)
        # A Rao-Kupper tally in which nothing tied comes with its lead per pair.
        return tie_models.bradley_terry_likelihood(d if tally.by_pair else theta, d, tally)

    def slopes(self, theta: Floats, tie: Floats, tally: Tally) -> tie_models.Slopes:
        """Derivatives per pair."""
        d = theta[..., self.left] - theta[..., self.right]
        if self.rule == "davidson":
            return tie_models.davidson_slopes(d, tie, tally)
        if self.rule == "rao-kupper":
            return tie_models.rao_kupper_slopes(d, tie, tally)
        return tie_models.bradley_terry_slopes(d, tally)

    def gradient(self, slopes: tie_models.Slopes, tally: Tally) -> Floats:
        """Gradient in the strengths, then in the tie parameter where there is one."""
        if tally.by_pair:
            gradient = (tally.lead - slopes.expected) @ self.incidence
        else:
            gradient = tally.lead - slopes.expected @ self.incidence
        if slopes.tie_slope is None:
            return np.asarray(gradient)
        return np.concatenate([gradient, slopes.tie_slope[:, None]], axis=1)

    def hessian(self, slopes: tie_models.Slopes) -> Floats:
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
        hessian[:, at, at] = slopes.curvature @ np.abs(self.incidence)
        if slopes.mixed is not None:
            hessian[:, :m, m] = hessian[:, m, :m] = slopes.mixed @ self.incidence
            hessian[:, m, m] = slopes.tie_curvature
        scale = np.trace(hessian[:, :m, :m], axis1=1, axis2=2) / m**2
        hessian[:, :m, :m] += np.maximum(scale, np.finfo(np.float64).tiny)[:, None, None]
        return hessian

    def step(self, theta: Floats, tie: Floats, tally: Tally) -> Floats:
        """Newton's step."""
        slopes = self.slopes(theta, tie, tally)
        gradient, hessian = self.gradient(slopes, tally)[..., None], self.hessian(slopes)
        try:
            return np.asarray(np.linalg.solve(hessian, gradient)[..., 0])
        except np.linalg.LinAlgError:
            # A fit on its way to infinity has run out of curvature; the others go on.
            return np.asarray((np.linalg.pinv(hessian) @ gradient)[..., 0])
