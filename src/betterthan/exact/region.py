"""The mass that a swap law gives to a region of its lattice, with a bound on its error.

A discrete Fourier transform on a window inverts the characteristic function (Pagano & Tritchler,
1983).  The window comes from Chernoff's bound and grows with the standard deviation, not with the
range; tilting puts the law where the region is, so that the mass keeps its *relative* accuracy
however small it is.  Everything neglected is bounded: the mass outside the window (it aliases into
the window, or is missed), the frequencies dropped (by Parseval's identity), rounding.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from betterthan.exact.probability import Probability, check_budget
from betterthan.exact.spectrum import LOG_CUT, live_frequencies
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import UNIT_ROUNDOFF, Floats, Ints

Region = Callable[[Sequence[Ints]], NDArray[Any]]
"""From lattice coordinates (arrays that broadcast) to 1 where they are in the region, else 0."""

GRID_BUDGET = 1 << 22
"""Default limit on the lattice points in memory."""

POINTS = "lattice points in its window"
LOST = Probability(-math.inf, -math.inf, 0.0)
"""A mass of which no digit survives."""

DEPTH = 38.0
"""Each face of a window leaves out at most exp(-38) = 3e-17."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box of lattice points, and bounds on the mass outside it."""

    low: Ints
    shape: tuple[int, ...]
    outside: float

    @property
    def axes(self) -> list[Ints]:
        """Coordinates along each axis, shaped to broadcast."""
        r = len(self.shape)
        return [
            (start + np.arange(size)).reshape([-1 if j == i else 1 for j in range(r)])
            for i, (start, size) in enumerate(zip(self.low, self.shape, strict=True))
        ]

    @property
    def points(self) -> int:
        """Number of lattice points inside."""
        return math.prod(self.shape)


def window(law: SwapLaw, tilts: Sequence[tuple[Floats, float]]) -> Box:
    """Smallest box that loses at most ``exp(-depth)`` per face under each ``(tilt, depth)``.

    Chernoff: ``P(x - mean >= h) <= exp(k(s) - s h)`` for every ``s > 0``, so that
    ``h = (k(s) + depth) / s`` will do for any ``s`` tried.  ``outside`` is for the last tilt.
    """
    least = law.counts @ np.minimum(law.steps, 0)
    most = law.counts @ np.maximum(law.steps, 0)
    low, high = most.copy(), least.copy()
    trials = np.geomspace(0.3, 3.0, 16)
    for tilt, depth in tilts:
        odds = law.steps @ tilt
        mean, cov = law.moments(tilt)
        for i, sd in enumerate(np.sqrt(np.diag(cov))):
            s = (math.sqrt(2 * depth) / sd * np.concatenate([-trials, trials]))[:, None]
            step = law.steps[:, i]
            shifted = np.logaddexp(0, odds + s * step) - np.logaddexp(0, odds)
            cumulant = (shifted - s * step * expit(odds)) @ law.counts
            reach = (cumulant + depth) / np.abs(s[:, 0]) + 1e-6
            low[i] = min(low[i], math.floor(mean[i] - reach[:16].min()))
            high[i] = max(high[i], math.ceil(mean[i] + reach[16:].min()))
    low, high = np.maximum(low, least), np.minimum(high, most)
    open_faces = int(np.count_nonzero(low > least) + np.count_nonzero(high < most))
    shape = tuple(_smooth_size(int(size)) for size in high - low + 1)
    return Box(low, shape, open_faces * math.exp(-tilts[-1][1]))


def region_mass(law: SwapLaw, region: Region, tilt: Floats, *, budget: int) -> Probability:
    """Probability that ``x`` falls in ``region``, by the law tilted by ``tilt``.

    Parameters
    ----------
    law : SwapLaw
        The law.
    region : callable
        Membership; it may return 2 for points that stand for their mirror image as well.
    tilt : (r,) array
        From ``usable_tilt``.  Any tilt is right; a good one leaves a small error.
    budget : int
        Most lattice points.

    Raises
    ------
    BudgetExceededError
        When the window or the work is too large.
    """
    view = _view(law, tilt, None)
    box = view.box
    check_budget(box.points, budget, POINTS)
    hits = np.broadcast_to(region(box.axes), box.shape)
    weight, top = hits.astype(np.float64), 0.0
    if tilt.any():
        terms = [-rate * (x - c) for rate, x, c in zip(tilt, box.axes, view.centre, strict=True)]
        power = np.where(hits, sum(terms[1:], terms[0]), -np.inf)
        top = float(power.max())
        if top == -math.inf:
            return LOST
        power -= top
        weight *= np.exp(power, out=power)

    mass, noise = window_masses(law, box, tilt)
    return view.probability(top, float(np.sum(weight * mass)), noise * _norm(weight))


def window_masses(law: SwapLaw, box: Box, tilt: Floats) -> tuple[Floats, float]:
    """Masses of the lattice points in a window, and a bound on the norm of their errors."""
    index, phi, doubt = live_frequencies(law, tilt, box.low, box.shape)
    spectrum = np.zeros((*box.shape[:-1], int(index[:, -1].max()) + 1), dtype=np.complex128)
    spectrum[tuple(index.T)] = phi
    if len(box.shape) > 1:
        spectrum = np.fft.ifftn(spectrum, axes=tuple(range(len(box.shape) - 1)))
    mass = np.fft.irfft(spectrum, box.shape[-1])
    # By Cauchy and Schwarz: norm of the weights times norm of the masses' error.
    noise = (
        math.sqrt(2 / box.points) * _norm(doubt)
        + math.exp(LOG_CUT)
        + (32 + 8 * math.log2(box.points)) * UNIT_ROUNDOFF * _norm(mass)
    )
    return mass, noise


def threshold_mass(
    law: SwapLaw, first: Callable[[Ints], Ints], tilt: Floats, *, log_sup: float
) -> Probability:
    """Probability that ``x[1] >= first(x[0])`` under a distribution of rank two.

    The weights along a row are a geometric series, so that each live frequency needs one term per
    row and the window is never filled: the cost is that of its circumference, not of its area.
    ``tilt[1]`` must not be negative; ``log_sup`` bounds ``-tilt . (x - span / 2)`` over the whole
    region, which makes the window smaller: else the untilted law would have to fit as well.
    """
    view = _view(law, tilt, log_sup)
    rows, columns = view.box.shape
    check_budget(rows + columns, GRID_BUDGET, "rows and columns")
    row_low, column_low = (int(x) for x in view.box.low)
    x = row_low + np.arange(rows)
    start = np.clip(first(x) - column_low, 0, columns)
    left = columns - start

    index, phi, doubt = live_frequencies(law, tilt, view.box.low, view.box.shape)
    kept = int(index[:, 1].max()) + 1
    check_budget(rows * kept, GRID_BUDGET, "live frequencies of its rows")
    spectrum = np.zeros((rows, kept), dtype=np.complex128)
    spectrum[tuple(index.T)] = phi
    lines = np.fft.ifft(spectrum, axis=0)

    power = -tilt[0] * (x - view.centre[0]) - tilt[1] * (column_low + start - view.centre[1])
    power = np.where(left > 0, power, -np.inf)
    top = float(power.max())
    if top == -math.inf:
        return LOST
    weight = np.exp(power - top)

    # Sum over j < left of exp(-tilt j) times the frequency's root of unity to the start + j;
    # over a whole period of columns the root is one.
    k = np.arange(kept)
    gap = -np.expm1(-tilt[1] + 2j * np.pi / columns * k)
    roots = np.exp(2j * np.pi / columns * np.arange(columns))
    series = roots[k * start[:, None] % columns] - np.exp(-tilt[1] * left)[:, None]
    if tilt[1] == 0.0:
        gap[0], series[:, 0] = 1.0, left
    series /= gap
    sides = np.where((k == 0) | (2 * k == columns), 1, 2) / columns  # k stands for -k as well
    total = float(np.sum((series * lines).real * sides * weight[:, None]))

    size = np.outer(weight, sides * 2 / np.abs(gap))  # at least that of every term's factor
    if tilt[1] == 0.0:
        size[:, 0] = weight * left / columns
    column_doubt = np.bincount(index[:, 1], weights=doubt) / rows
    squares = left if tilt[1] == 0.0 else np.expm1(-2 * tilt[1] * left) / np.expm1(-2 * tilt[1])
    noise = (
        float(np.sum(size.sum(axis=0) * column_doubt))
        + math.exp(LOG_CUT) * math.sqrt(float(np.sum(weight**2 * squares)))
        + 8 * math.log2(rows + 1) * UNIT_ROUNDOFF * _norm(np.abs(lines)) * _norm(size)
        + 32 * UNIT_ROUNDOFF * float(np.sum(np.abs(lines) * size))
    )
    return view.probability(top, total, noise)


@dataclass(frozen=True, slots=True)
class _View:
    """A tilted law seen through a window: what both ways of summing have in common."""

    box: Box
    centre: Ints
    exponent: float  # P(x) = exp(exponent - tilt . (x - centre)) P_tilt(x)
    log_missed: float  # bound on the region's part outside the window, in units of exp(exponent)
    rounding: float  # of the exponent

    def probability(self, top: float, total: float, noise: float) -> Probability:
        """Value and error of a mass of ``total`` in units of ``exp(exponent + top)``.

        The largest weight in the region is ``exp(top)``, and a region counts a point at most
        twice: mass that aliases into the window weighs no more.
        """
        if not total > 0.0:
            return LOST
        missed = math.exp(min(self.log_missed - top, 700.0))
        error = (2 * self.box.outside + missed + noise) / total + self.rounding
        return Probability.of_log(self.exponent + top + math.log(total), error)


def _view(law: SwapLaw, tilt: Floats, log_sup: float | None) -> _View:
    mean, _ = law.moments(tilt)
    centre = np.rint(mean).astype(np.int64)
    shift = float(tilt @ (centre - law.span / 2))
    cumulant = law.log_cosh(tilt)
    if log_sup is None:  # what is missed is bounded by the untilted law
        depth = DEPTH + 4.0 - (cumulant - shift)
        box = window(law, [(np.zeros(len(tilt)), depth), (tilt, DEPTH)])
        log_missed = math.log(4 * len(tilt)) - depth - (cumulant - shift)
    else:  # ... or by the tilted law and the largest weight in the region
        box = window(law, [(tilt, DEPTH + max(log_sup + shift, 0.0))])
        log_missed = log_sup + shift + math.log(box.outside or 1.0)
    if box.outside == 0.0:
        log_missed = -math.inf
    rounding = 8 * UNIT_ROUNDOFF * (1 + cumulant + abs(shift))
    return _View(box, centre, cumulant - shift, log_missed, rounding)


def _norm(values: Floats) -> float:
    """Euclidean norm, without the threads that BLAS would start for a long vector."""
    return math.sqrt(float(np.sum(values * values)))


def _smooth_size(size: int) -> int:
    """Smallest ``{8, 9, 10, 12, 15} * 2**k >= size``: quick to transform, with small multiples."""
    if size <= 8:
        return size
    power = 1 << (size - 1).bit_length() - 4
    return next(m * power for m in (8, 9, 10, 12, 15, 16) if m * power >= size)
