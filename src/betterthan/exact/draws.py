"""Tail of a sum of independent draws, by a tilted, windowed Fourier sum.

``n`` draws of atoms ``(d, w)`` with relative counts ``c``; the event is ``q ΣD - p ΣW >= k``, hence

    Z = Σ z >= 0,    z = d - (p/q) w - k/(q n),    with E[z] <= 0.

*Tilt* (Cramér 1938; Daniels 1954). With rho the root of ``E[z exp(rho z)] = 0`` and P_rho the law
tilted by it, ``P(Z >= 0) = E[exp(rho Z)] A``, ``A = E_rho[exp(-rho Z); Z >= 0]``: the tilted law
sits on the boundary of the event, so the tail keeps its *relative* accuracy however small it is.

*Window*. Chernoff's (1952) bound, evaluated on the tilted law itself, leaves at most ``TAIL`` of
the mass further out than some nine standard deviations: Z and ΣW alias no more than that in
periods of this length, however long the range of the sums.

*Live frequencies*. ``|phi|**n`` is negligible except at a few dozen frequencies. A transform of the
histogram finds them; there the power is formed from ``phi - 1``, centred, so that the exponent is
wrong by about ``sqrt(n)`` rounding units and not by ``n``.

Aliasing, truncation, dropped frequencies and rounding add up to the bound that is reported.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import fft

from betterthan.exact.probability import BudgetExceededError, Probability, check_budget
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

HISTOGRAM_BUDGET = 1 << 23
"""Most cells of the histogram that is transformed: period times distinct denominators."""

FREQUENCY_BUDGET = 1 << 25
"""Most terms of the Fourier sum: live frequencies times atoms, live rows times second period."""

WORK_BUDGET = 1 << 22
"""Most points at which a law of two sums is evaluated with care: a fifth of a second. Few clusters
of many sizes have the most live frequencies, and are resampled at once."""

ERROR_BUDGET = 1e-6
"""Largest relative error bound that is still called exact."""

TAIL = 1e-18
"""Tilted mass left outside each end of a window."""

DEAD = 50.0
"""Frequencies with ``|phi|**n < exp(-DEAD)`` are dropped, and their sum is accounted for."""

CHUNK = 1 << 20
"""Frequencies times atoms evaluated at a time."""

CHERNOFF = 2.0 ** np.arange(-4.0, 1.5, 0.5)


class Line(NamedTuple):
    """The event ``q ΣD - p ΣW >= k``, with ``q > 0``."""

    q: int
    p: int
    k: int


@dataclass(frozen=True, slots=True)
class _Law:
    """Atoms under the tilted law, and the period of its window."""

    d: Ints
    w: Ints
    mass: Floats
    n: int
    rho: float
    weight: Floats  # rounding units in each mass
    kept: int
    period: int


def tail_of_draws(d: Ints, w: Ints, counts: Ints, z: Floats, line: Line) -> Probability:
    """Probability of ``q ΣD - p ΣW >= k`` over as many draws as there are items.

    Parameters
    ----------
    d, w, counts : NDArray[np.int64]
        Atoms, none negative, and how many items each stands for.
    z : NDArray[np.float64]
        Excess ``d - (p/q) w - k/(q n)`` of each atom: its mean is at most 0, its maximum above 0.
    line : Line
        The event; ``p = 0`` if w does not matter.

    Raises
    ------
    BudgetExceededError
        If the transform would be too large or too inaccurate.
    """
    n = int(counts.sum())
    rho = tilt_of_draws(z, counts)
    growth = np.expm1(rho * z)
    excess = float(counts @ growth) / n
    log_mgf = n * math.log1p(excess)
    mass = counts * (1.0 + growth) / (n * (1.0 + excess))
    weight = 4.0 + math.log2(n) + rho * np.abs(z)
    spread = float(counts @ (np.abs(growth) * weight)) / (1.0 + excess)

    up, down = _reach(mass, z, n), _reach(mass, -z, n)
    kept = max(1, math.ceil(min(up, -math.log(TAIL) / rho if rho > 0.0 else math.inf)))
    period = math.ceil(max(up, kept + down)) + 1
    check_budget(period, HISTOGRAM_BUDGET, "cells in its histogram")
    law = _Law(d, w, mass, n, rho, weight, kept, fft.next_fast_len(period, real=True))
    value, error = _one_frequency(law, line.k) if line.p == 0 else _two_frequencies(law, line)
    error += 4.0 * TAIL  # both ends of Z's window, and of the second one if there is one
    if not error <= ERROR_BUDGET * value:
        raise BudgetExceededError(
            f"the ideal bootstrap is wrong by up to {error:.1e} in {value:.1e}, "
            f"more than the relative error of {ERROR_BUDGET:g} that it is allowed"
        )
    log = log_mgf + math.log(value)
    return Probability.of_log(log, error / value + UNIT_ROUNDOFF * (spread - log_mgf + abs(log)))


def tilt_of_draws(z: Floats, counts: Ints) -> float:
    """Root of ``sum c z exp(rho z) = 0``, near enough: any rho is exact, the root is accurate.

    Newton's method inside a bracket. The largest z alone outweighs all negative ones at its right
    end, where ``exp(rho z)`` is no larger than the ratio of the two: nothing overflows.
    """
    if float(counts @ z) >= 0.0:
        return 0.0
    n, top = float(counts.sum()), int(z.argmax())
    below = -float(counts @ np.minimum(z, 0.0))
    low, high = 0.0, math.log(below / (counts[top] * z[top])) / float(z[top])
    rho = 0.0
    for _ in range(100):
        mass = counts * np.exp(rho * z)
        moment = mass * z
        first, total = float(moment.sum()), float(mass.sum())
        mean, variance = first / total, float(moment @ z) / total - (first / total) ** 2
        if n * mean * mean <= 1e-4 * variance:  # a hundredth of the sum's standard deviation
            break
        low, high = (rho, high) if mean < 0.0 else (low, rho)
        rho = rho - mean / variance if variance > 0.0 else high
        if not low < rho < high:
            rho = 0.5 * (low + high)
    return rho


def _reach(mass: Floats, y: Floats, n: int) -> float:
    """Least h found with ``P(Y >= h) <= TAIL`` for the sum Y of n draws of y."""
    most = n * float(y.max()) + 1.0  # beyond the largest sum there is nothing
    sd = math.sqrt(n * float(mass @ (y * y)))
    if most <= 1.0 or sd == 0.0:
        return max(most, 0.0)
    needed = -math.log(TAIL)
    s = np.minimum(CHERNOFF * (math.sqrt(2.0 * needed) / sd), 600.0 / float(y.max()))
    bound = (needed + n * np.log1p(np.expm1(np.multiply.outer(s, y)) @ mass)) / s
    return min(most, float(bound.min()) * (1.0 + 1e-9))


def _one_frequency(law: _Law, k: int) -> tuple[float, float]:
    """``A`` and its error for the event ``ΣD >= k``."""
    period, n = law.period, law.n
    histogram = np.bincount(law.d % period, weights=law.mass, minlength=period)
    live, dropped = _live(np.abs(fft.rfft(histogram)), n)
    check_budget(live.size * law.d.size, FREQUENCY_BUDGET, "terms in its Fourier sum")

    centre = round(n * float(law.mass @ law.d))
    offset = _centred(law.d, centre, n)
    theta = _angles(live, period)
    rows = max(1, CHUNK // law.d.size)
    moved = [
        waves_less_one(theta[i : i + rows], offset) @ law.mass for i in range(0, live.size, rows)
    ]
    power = raised_power(np.concatenate(moved), n)

    series, series_error = _geometric(law.rho, theta, law.kept)
    turn = np.exp((2j * math.pi / period) * (live * (k - centre) % period))
    sides = np.where((live == 0) | (2 * live == period), 1.0, 2.0)  # phi(-theta) = conj phi(theta)
    size = sides * np.abs(power)
    exponent_error = n * theta * float((law.mass * law.weight) @ np.abs(offset)) + 2.0 * DEAD
    rounding = UNIT_ROUNDOFF * float(
        size @ (np.abs(series) * (exponent_error + 32.0) + series_error)
    )
    value = float((sides * (power * turn * series).real).sum())
    return value / period, (rounding + 2.0 * law.kept * dropped) / period


def _two_frequencies(law: _Law, line: Line) -> tuple[float, float]:
    """``A`` and its error for the event ``q ΣD - p ΣW >= k``: one row per frequency of D."""
    period, n = law.period, law.n
    order = np.argsort(law.w, kind="stable")
    d, mass = law.d[order], law.mass[order]
    w, start = np.unique(law.w[order], return_index=True)
    check_budget(w.size * period, HISTOGRAM_BUDGET, "cells in its histogram")
    index = np.repeat(np.arange(w.size), np.diff(start, append=d.size))
    histogram = np.bincount(index * period + d % period, weights=mass, minlength=w.size * period)
    # |phi(theta, .)| is nowhere above the sum over w of the moduli of that w's own transform.
    ceiling = np.abs(fft.rfft(histogram.reshape(w.size, period))).sum(axis=0)
    rows, dropped = _live(ceiling, n)

    share = np.add.reduceat(mass, start)
    centre, middle = round(n * float(mass @ d)), round(n * float(share @ w))
    offset, aside = _centred(d, centre, n), _centred(w, middle, n)
    before = math.ceil(_reach(share, -aside, n))
    length = fft.next_fast_len(before + math.ceil(_reach(share, aside, n)) + 1)
    check_budget(rows.size * max(length, d.size), FREQUENCY_BUDGET, "terms in its Fourier sum")

    first, fall = _boundary(middle - before, length, line)
    decay = np.exp(-law.rho * fall)
    first -= centre
    theta = _angles(rows, period)
    series, series_error = _geometric(law.rho, theta, law.kept)
    roots = np.exp((2j * math.pi / period) * np.arange(period))
    sides = np.where((rows == 0) | (2 * rows == period), 1.0, 2.0)

    spread = float((law.mass * law.weight) @ np.abs(_centred(law.d, centre, n)))
    drift = float((law.mass * law.weight) @ np.abs(_centred(law.w, middle, n)))
    transform_error = 8.0 * (2.0 + math.log2(length)) * length  # Higham (2002), theorem 24.2
    value, rounding, work = 0.0, 0.0, 0
    lost = 2.0 * law.kept * dropped * length
    for i, row in enumerate(rows.tolist()):
        # The characteristic function of D, less one, split by w ...
        moved = np.add.reduceat(waves_less_one(theta[i : i + 1], offset)[0] * mass, start)
        # ... says by one transform which frequencies of W are alive ...
        folded = _folded(moved + share, w, length)
        columns, faded = _live(np.abs(fft.fft(folded)), n)
        # ... and these are evaluated with care, by
        # exp(-i(x + y)) - 1 = (exp(-ix) - 1) exp(-iy) + (exp(-iy) - 1).
        work += columns.size * w.size
        check_budget(work, WORK_BUDGET, "points of a law of two sums")
        signed = np.where(2 * columns > length, columns - length, columns)
        eta = _angles(signed, length)
        power = raised_power(waves_less_one(eta, aside) @ (share + moved) + moved.sum(), n)

        region = fft.ifft(decay * roots[row * first % period], norm="forward")[columns]
        region *= np.exp((-2j * math.pi / length) * (signed * before % length))
        value += sides[i] * float((power @ region * series[i]).real)
        exponent_error = n * (theta[i] * spread + np.abs(eta) * drift) + 2.0 * DEAD
        size = sides[i] * np.abs(power)
        rounding += (
            abs(series[i])
            * float(size @ (np.abs(region) * (exponent_error + 32.0) + transform_error))
            + float(size @ np.abs(region)) * series_error[i]
        )
        lost += sides[i] * abs(series[i]) * faded * length
    cells = float(period) * length
    return value / cells, (UNIT_ROUNDOFF * rounding + lost) / cells


def _boundary(origin: int, length: int, line: Line) -> tuple[Ints, Floats]:
    """Least ΣD of the event at each ΣW from ``origin`` on, and how far inside the event it is."""
    q, p, k = line
    # q * first >= p * sum + k; written from the origin on, so that the integers stay small.
    whole, rest = divmod(p * origin + k, q)
    if (abs(p) + 1) * length + 2 * q < 1 << 62:
        sums = p * np.arange(length, dtype=np.int64) + rest
        first = -(-sums // q)
        return first + whole, (first * q - sums) / q
    exact = [p * j + rest for j in range(length)]
    ceilings = [-(-s // q) for s in exact]
    fall = [(f * q - s) / q for f, s in zip(ceilings, exact, strict=True)]
    return np.array(ceilings, dtype=np.int64) + whole, np.array(fall)


def _angles(index: Ints, period: int) -> Floats:
    """Frequencies of a transform of this period."""
    return np.asarray(index * (2.0 * math.pi / period), dtype=np.float64)


def _centred(x: Ints, total: int, n: int) -> Floats:
    """``x - total / n`` without cancellation; n times the centre is whole, so no phase is lost."""
    return np.asarray((n * x - total) / n, dtype=np.float64)


def _live(modulus: Floats, n: int) -> tuple[Ints, float]:
    """Frequencies at which ``modulus**n`` matters, and the sum of it over the others."""
    with np.errstate(divide="ignore"):
        log_power = n * np.log(modulus)
    alive = log_power > -DEAD
    return np.flatnonzero(alive), float(np.exp(log_power[~alive]).sum())


def waves_less_one(theta: Floats, x: Floats) -> Complexes:
    """``exp(-i theta x) - 1`` for every frequency and point, accurate where it is small."""
    angle = np.multiply.outer(theta, x)
    out = np.empty(angle.shape, dtype=np.complex128)
    out.real = -2.0 * np.sin(0.5 * angle) ** 2
    out.imag = -np.sin(angle)
    return out


def raised_power(moved: Complexes, n: int) -> Complexes:
    """``(1 + moved)**n`` with a relative error of n times that of ``moved``."""
    x, y = moved.real, moved.imag
    log_modulus = 0.5 * np.log1p(x * (2.0 + x) + y * y)
    return np.exp(n * log_modulus + 1j * (n * np.arctan2(y, 1.0 + x)))


def _geometric(rho: float, theta: Floats, kept: int) -> tuple[Complexes, Floats]:
    """``sum of exp(j (i theta - rho))`` over ``0 <= j < kept``, and its error in rounding units."""
    exponent = 1j * theta - rho
    series, step = np.expm1(kept * exponent), np.expm1(exponent)
    if rho == 0.0:
        series[0], step[0] = kept, 1.0  # theta = 0 is always alive, and comes first
    turned = kept * np.abs(exponent) * math.exp(-rho * kept)
    return series / step, turned / np.abs(step)


def _folded(x: Complexes, at: Ints, length: int) -> Complexes:
    """``x`` placed at ``at`` modulo ``length``."""
    place = at % length
    real = np.bincount(place, weights=x.real, minlength=length)
    return real + 1j * np.bincount(place, weights=x.imag, minlength=length)
