"""Refits of resampled comparisons, all from the fit of the data, by Broyden's method.

A resample's likelihood is nearly that of the data, so the data's Hessian, inverted once, serves all
of them: a step costs one gradient, which is a matrix product, instead of a Hessian and its
factorisation; what earlier steps have taught about the difference corrects it. Resamples differ
most in their number of ties, whose logarithm the tie parameter follows: that slope is taken of
logarithms. A resample whose steps do not shrink is not near enough, and left to Newton's method.

Where every two systems met equally often, what a system is expected to win is one smooth function
of its strength, which is the same for all: many systems read it off a polynomial.
"""

import itertools

import numpy as np

from betterthan.numeric import Bools, Floats
from betterthan.ranking.expectations import Expectations
from betterthan.ranking.likelihood import TOLERANCE, Likelihood, Sums

CELLS = 1 << 16
"""Numbers in one array of pairs, over all fits at hand: what stays in the processor's cache."""

STEPS = 40
"""Most steps; some ten are usual."""


def refit_near(
    theta: Floats, tie: Floats, sums: Sums, likelihood: Likelihood, total: Sums
) -> Bools:
    """Move fits, which all start at the maximum for ``total``, to their own, in place.

    Returns which of them arrived. A fit has when a step is below the tolerance and no more than
    half the one before, so that all that would follow are together no longer than that. The others
    are where they started. All have ties that are modelled, or none.
    """
    fits = len(theta)
    arrived = np.zeros(fits, dtype=bool)
    if not fits:
        return arrived
    slopes = likelihood.slopes(theta[:1], tie[:1], total.take(None))
    try:
        inverse = np.linalg.inv(likelihood.hessian(slopes)[0])
    except np.linalg.LinAlgError:
        return arrived
    m, ties, smooth = likelihood.systems, float(total.tied.sum()), None
    if _all_alike(sums.played, likelihood):
        smooth = Expectations.around(theta[0])
    block = max(1, CELLS // (m * m if smooth is None else m))
    for start in range(0, fits, block):
        some = slice(start, min(start + block, fits))
        at = Sums(sums.lead[some], sums.tied[some], sums.played[some])
        arrived[some] = _moved(
            theta[some], tie[some], at, likelihood, smooth, inverse=inverse, observed=ties
        )
    return arrived


def _moved(
    theta: Floats,
    tie: Floats,
    sums: Sums,
    likelihood: Likelihood,
    smooth: Expectations | None,
    *,
    inverse: Floats,
    observed: float,
) -> Bools:
    """Move a few fits, in place, and say which arrived; ``observed`` ties are the data's."""
    m, fits = likelihood.systems, len(theta)
    played, lead, tied = _squared(sums.played, likelihood), sums.lead, sums.tied[:, 0]
    point = np.hstack([theta, tie[:, None]]) if likelihood.has_tie else theta.copy()
    active, last, arrived = np.arange(fits), np.full(fits, np.inf), np.zeros(fits, dtype=bool)
    taken: list[tuple[Floats, Floats]] = []  # steps, and the squares of their lengths
    for _ in range(STEPS):
        if smooth is None:
            slope = _gradient(point[active], m, lead, tied, played)
        else:
            slope = smooth.gradient(point[active], lead, tied, played[:, 0])
        if slope.shape[1] > m:
            slope[:, m] = observed * np.log(tied / (tied - slope[:, m]))
        step = _broyden_step(slope @ inverse, taken)
        size = np.abs(step).max(axis=1)
        near = size <= last  # false for what is no number
        point[active[near]] += step[near]
        done = near & (size <= np.minimum(TOLERANCE, last / 2))
        arrived[active[done]] = True
        going = near & ~done
        if not going.any():
            break
        taken.append((step, (step * step).sum(axis=1)))
        if not going.all():
            active, size, lead, tied = active[going], size[going], lead[going], tied[going]
            played, taken = played[going], [(x[going], square[going]) for x, square in taken]
        last = size
    moved = point[arrived]
    theta[arrived] = moved[:, :m] - moved[:, :m].mean(axis=1, keepdims=True)
    if likelihood.has_tie:
        tie[arrived] = moved[:, m]
    return arrived


def _broyden_step(step: Floats, taken: list[tuple[Floats, Floats]]) -> Floats:
    """Correct a step by what the ones before it have taught about the Hessian.

    Broyden's update (1965) as steps alone (Kelley, 1995, algorithm brsol).
    """
    if not taken:
        return step
    for (earlier, square), (later, _) in itertools.pairwise(taken):
        step = step + later * ((step * earlier).sum(axis=1) / square)[:, None]
    last, square = taken[-1]
    return np.asarray(step / (1.0 - (step * last).sum(axis=1) / square)[:, None])


def _squared(played: Floats, likelihood: Likelihood) -> Floats:
    """Comparisons of every two systems as a symmetric matrix; one number where all are alike."""
    m, fits = likelihood.systems, len(played)
    if _all_alike(played, likelihood):
        return played[:, :, None]
    square = np.zeros((fits, m, m))
    square[:, likelihood.left, likelihood.right] = played
    square[:, likelihood.right, likelihood.left] = played
    return square


def _all_alike(played: Floats, likelihood: Likelihood) -> bool:
    """Whether every two systems were compared, and all equally often."""
    m = likelihood.systems
    return played.shape[1] == 1 and len(likelihood.left) == m * (m - 1) // 2


def _gradient(point: Floats, m: int, lead: Floats, tied: Floats, played: Floats) -> Floats:
    """Slope of the log-likelihood in strengths and tie parameter, from products alone.

    With ``s = exp(theta / 2)`` a comparison of i and j is won by i with probability
    ``s_i**2 / (s_i**2 + s_j**2 + nu s_i s_j)``, and tied with ``nu s_i s_j`` over the same.
    """
    root = np.exp(point[:, :m] / 2)
    square = root * root
    nu = np.exp(point[:, m]) if point.shape[1] > m else None
    sides = np.stack([np.ones_like(root), square, root], axis=2)
    sums = np.empty_like(sides)
    rows = max(1, CELLS // (len(point) * m))
    for some in (slice(k, min(k + rows, m)) for k in range(0, m, rows)):
        below = square[:, some, None] + square[:, None, :]
        if nu is not None:
            below += (nu[:, None] * root[:, some])[:, :, None] * root[:, None, :]
        here = played if played.shape[1] == 1 else played[:, some]
        sums[:, some] = np.divide(here, below, out=below) @ sides
    ones, squares, roots = np.moveaxis(sums, 2, 0)
    slope = lead - (square * ones - squares) / 2
    if nu is None:
        return np.asarray(slope)
    # Of both halves of the matrix, without its diagonal, on which a system would tie with itself.
    itself = m * played[:, 0, 0] / (2 + nu) if played.shape[1] == 1 else 0.0
    even = nu * ((root * roots).sum(axis=1) - itself) / 2
    return np.concatenate([slope, (tied - even)[:, None]], axis=1)
