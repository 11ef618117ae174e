"""Three likelihoods of a comparison: Bradley-Terry, Davidson and Rao-Kupper.

With ``d`` the difference of two log-strengths, each model gives the log-likelihood of a tally and
its first and second derivatives in ``d`` and in one tie parameter ``t`` shared by all pairs.
All three are concave, so a damped Newton iteration finds their one maximum.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from betterthan.data import Floats
from betterthan.ranking.outcomes import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives, per pair (and per fit, on the leading axes).

    Attributes
    ----------
    expected : (..., pairs) array
        What ``lead`` of the pair is expected to be; its observed part is in the tally.
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


def bradley_terry_slopes(d: Floats, tally: Tally) -> Slopes:
    """Bradley & Terry (1952): the left one wins with probability ``1 / (1 + exp(-d))``."""
    p = expit(d)
    return Slopes(tally.played * (p - 0.5), tally.played * p * (1 - p))


def bradley_terry_likelihood(theta: Floats, d: Floats, tally: Tally) -> Floats:
    """Log-likelihood, ties being half a win for each side; ``theta`` fits the tally's lead."""
    # A comparison gives log p to the winner: half of (log p + log q), plus or minus d / 2.
    fade = np.abs(d)
    even = -(fade / 2 + np.log1p(np.exp(-fade)))
    return _dot(theta, tally.lead) + _dot(tally.played, even)


def davidson_slopes(d: Floats, tie: Floats, tally: Tally) -> Slopes:
    """Davidson (1970): a tie weighs ``nu`` times the strengths' geometric mean; ``t = log nu``."""
    win, loss, even = _davidson(d, tie)
    lean = win - loss
    return Slopes(
        expected=tally.played * lean / 2,
        curvature=tally.played * (win + loss - lean**2) / 4,
        mixed=-tally.played * lean * even / 2,
        tie_slope=tally.tied[..., 0] - (tally.played * even).sum(axis=-1),
        tie_curvature=(tally.played * even * (1 - even)).sum(axis=-1),
    )


def davidson_likelihood(theta: Floats, d: Floats, tie: Floats, tally: Tally) -> Floats:
    """Log-likelihood of Davidson's model."""
    # log(exp(d/2) + exp(-d/2) + nu) without overflow, by one exponential
    fade = np.exp(-np.abs(d) / 2)
    normaliser = np.abs(d) / 2 + np.log1p(fade * (fade + np.exp(tie)[..., None]))
    lead = _dot(theta, tally.lead) + tie * tally.tied[..., 0]
    return lead - _dot(tally.played, normaliser)


def rao_kupper_slopes(d: Floats, tie: Floats, tally: Tally) -> Slopes:
    """Rao & Kupper (1967): winning takes a lead of ``t = log theta`` over the other."""
    at_least_left, at_least_right = _not_lost(tally)
    t = tie[..., None]
    left, right = expit(d - t), expit(-d - t)
    bend_left = at_least_left * left * (1 - left)
    bend_right = at_least_right * right * (1 - right)
    pull_left, pull_right = at_least_left * (1 - left), at_least_right * (1 - right)
    ties = tally.tied.sum(axis=-1)
    growth = -np.expm1(-2 * tie)  # log(exp(2t) - 1) grows by 2 / (1 - exp(-2t))
    return Slopes(
        expected=tally.lead - (pull_left - pull_right),
        curvature=bend_left + bend_right,
        mixed=bend_right - bend_left,
        tie_slope=2 * ties / growth - (pull_left + pull_right).sum(axis=-1),
        tie_curvature=4 * ties * np.exp(-2 * tie) / growth**2
        + (bend_left + bend_right).sum(axis=-1),
    )


def rao_kupper_likelihood(d: Floats, tie: Floats, tally: Tally) -> Floats:
    """Log-likelihood of Rao and Kupper's model; minus infinity where the threshold is not > 0."""
    at_least_left, at_least_right = _not_lost(tally)
    t = np.where(tie > 0, tie, 1.0)
    decided = at_least_left * log_expit(d - t[..., None])
    decided = decided + at_least_right * log_expit(-d - t[..., None])
    # log(exp(2t) - 1) without overflow
    room = 2 * t + np.log(-np.expm1(-2 * t))
    value = decided.sum(axis=-1) + tally.tied.sum(axis=-1) * room
    return np.where(tie > 0, value, -np.inf)


def _davidson(d: Floats, tie: Floats) -> tuple[Floats, Floats, Floats]:
    # Probabilities over that of the likelier winner: 1, exp(-|d|) and nu exp(-|d|/2).
    fade = np.exp(-np.abs(d) / 2)
    even = fade * np.exp(tie)[..., None]
    likely = 1.0 / (1.0 + fade * fade + even)
    unlikely = fade * fade * likely
    ahead = d >= 0
    return np.where(ahead, likely, unlikely), np.where(ahead, unlikely, likely), even * likely


def _not_lost(tally: Tally) -> tuple[Floats, Floats]:
    # wins + ties of either side: (played + tied) / 2 +- lead
    half = (tally.played + tally.tied) / 2
    return half + tally.lead, half - tally.lead


def _dot(x: Floats, y: Floats) -> Floats:
    return np.asarray((x * y).sum(axis=-1), dtype=np.float64)
