"""The characteristic function of a swap law on a grid of frequencies: only those that matter.

It is a product with one factor per distinct step, all of modulus at most one, and almost every
frequency dies after one or two factors.  So the factors are multiplied strongest first, and a
frequency is dropped as soon as its modulus is below ``exp(LOG_CUT)``; factors of a single axis are
applied before the axes are crossed, and a crude bound on all of them weeds out a large crossing.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.probability import BudgetExceededError, check_budget
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import UNIT_ROUNDOFF, Floats, Ints

LOG_CUT = -42.0
"""Frequencies of modulus below exp(-42) = 6e-19 are dropped."""

WORK_BUDGET = 1 << 23
"""Most evaluations of a factor at a frequency: well under a second."""

WORK = "evaluations at its live frequencies"
_BLOCK = 1 << 13  # evaluations at a time: they fit the cache
_SCREEN_ABOVE = 1 << 13  # so many frequencies are worth a transform that bounds them all


def live_frequencies(
    law: SwapLaw, tilt: Floats, low: Ints, shape: tuple[int, ...]
) -> tuple[Ints, NDArray[np.complex128], Floats]:
    """Live frequencies of the window: indices, conjugate values, and bounds on these' errors.

    A coin's factor is ``exp(iz) (cos z + i tanh(y) sin z)`` with ``z`` half the frequency times
    the step and ``y = tilt . step / 2``; its squared modulus is ``1 - sin(z)**2 / cosh(y)**2``.
    ``z / pi`` is kept as an integer over a common period, so that its reduction loses no digit.
    The last axis needs only half of its frequencies: the masses are real.
    """
    axis_count = len(shape)
    check_budget(sum(shape), WORK_BUDGET, WORK)
    period = math.lcm(*shape)
    if 4.0 * period * sum(shape) > 2.0**53:
        raise BudgetExceededError(f"a window of shape {shape} has too fine frequencies")
    sizes, unit = np.array(shape), period // np.array(shape)
    turns = (law.steps % (2 * sizes) * unit).astype(np.float64)
    y = law.steps @ tilt / 2
    factors = _Factors(turns, period, law.counts.astype(np.float64), np.tanh(y), np.cosh(y) ** -2.0)

    used = law.steps != 0
    live = np.zeros((1, 0))
    log_modulus = np.zeros(1)
    for axis in reversed(range(axis_count)):
        size = shape[axis]
        fresh = np.arange(size // 2 + 1 if axis == axis_count - 1 else size, dtype=np.float64)
        alone = used[:, axis] & (np.count_nonzero(used, axis=1) == 1)
        fresh, fresh_log = _survivors(
            fresh[:, None], np.zeros(len(fresh)), factors.only(alone, [axis])
        )
        check_budget(len(fresh) * len(live), WORK_BUDGET, WORK)
        log_modulus = (fresh_log[:, None] + log_modulus).ravel()
        live = np.hstack([np.repeat(fresh, len(live), axis=0), np.tile(live, (len(fresh), 1))])
        keep = log_modulus > LOG_CUT
        known = ~used[:, :axis].any(axis=1)
        if np.count_nonzero(keep) > _SCREEN_ABOVE and math.prod(shape[axis:]) <= WORK_BUDGET:
            bound = _screen(law.steps[known, axis:] % sizes[axis:], shape[axis:], factors, known)
            keep &= bound[tuple(live.T.astype(np.intp))] > LOG_CUT - 1e-6
        joint = known & used[:, axis] & ~alone
        axes = list(range(axis, axis_count))
        live, log_modulus = _survivors(live[keep], log_modulus[keep], factors.only(joint, axes))

    check_budget(len(live) * len(law.counts), WORK_BUDGET, WORK)
    phase, swing = factors.phase(live)
    offset = ((law.span - 2 * low) % (2 * sizes) * unit).astype(np.float64)
    phase += np.pi / period * np.mod(live @ offset, 2 * period)
    modulus = np.exp(log_modulus)
    doubt = 16 * UNIT_ROUNDOFF * (1 + np.abs(log_modulus) + swing) * modulus
    return live.astype(np.int64), modulus * np.exp(-1j * phase), doubt


@dataclass(frozen=True, slots=True)
class _Factors:
    """One factor of the characteristic function per distinct step."""

    turns: Floats
    period: int
    counts: Floats
    tanh: Floats
    sech2: Floats

    def only(self, which: NDArray[np.bool_], axes: list[int]) -> "_Factors":
        """The chosen factors, strongest first, as functions of the given axes' frequencies."""
        chosen = np.flatnonzero(which)
        order = np.argsort(-(self.counts * self.sech2)[chosen], kind="stable")
        return self.part(chosen[order], axes)

    def part(self, rows: Any, axes: Any = slice(None)) -> "_Factors":
        """Some of the factors."""
        parts = (self.counts[rows], self.tanh[rows], self.sech2[rows])
        return _Factors(self.turns[rows][:, axes], self.period, *parts)

    def angles(self, frequencies: Floats) -> tuple[Floats, Floats]:
        """``z`` less its nearest half turns, in half turns, and the number of these."""
        turn = np.einsum("fa,sa->fs", frequencies, self.turns)
        half_turns = np.rint(turn / self.period)
        turn -= half_turns * self.period
        return turn / self.period, half_turns

    def log_modulus(self, frequencies: Floats) -> Floats:
        """Log-modulus of the product; ``c * log(z)`` would lose c units in the last place."""
        angle, _ = self.angles(frequencies)
        sine2 = np.sin(np.pi * angle) ** 2
        lost = self.sech2 * sine2
        logs = np.log1p(-np.minimum(lost, 0.5))
        deep = np.nonzero(lost > 0.5)
        cosine = np.sin(np.pi * (0.5 - np.abs(angle[deep])))
        squared = cosine**2 + self.tanh[deep[1]] ** 2 * sine2[deep]
        logs[deep] = np.log(np.maximum(squared, 1e-300))
        return np.asarray(np.einsum("fs,s->f", logs, self.counts / 2))

    def phase(self, frequencies: Floats) -> tuple[Floats, Floats]:
        """Phase of the product without ``exp(iz)``, and the sum of its terms' sizes."""
        phase = np.zeros(len(frequencies))
        swing = np.zeros(len(frequencies))
        block = max(1, _BLOCK // len(self.counts))
        for start in range(0, len(frequencies), block):
            here = slice(start, start + block)
            angle, half_turns = self.angles(frequencies[here])
            signs = np.einsum("fs,s->f", half_turns, np.mod(self.counts, 2))
            phase[here] = np.pi * np.mod(signs, 2)
            if self.tanh.any():
                cosine = np.sin(np.pi * (0.5 - np.abs(angle)))
                turned = np.arctan2(self.tanh * np.sin(np.pi * angle), cosine)
                phase[here] += np.einsum("fs,s->f", turned, self.counts)
                swing[here] = np.einsum("fs,s->f", np.abs(turned), self.counts)
        return phase, swing


def _screen(
    places: Ints, shape: tuple[int, ...], factors: _Factors, which: NDArray[np.bool_]
) -> Floats:
    """Upper bound on the log-modulus of the chosen factors' product at all frequencies at once.

    With ``v = 1 / cosh(y)**2`` the squared modulus is ``(1 - v/2) (1 + t)``, ``t = r cos 2z`` and
    ``r = (v/2) / (1 - v/2)``; ``log(1 + t) <= t - t**2 / 2 + t**3 / 3`` is a sum of cosines of 2z,
    4z and 6z, which one transform adds up over the factors.
    """
    half, counts = factors.sech2[which] / 2, factors.counts[which]
    r = half / (1 - half)
    cosines = np.zeros(shape)
    for multiple, size in ((1, r + r**3 / 4), (2, -(r**2) / 4), (3, r**3 / 12)):
        np.add.at(cosines, tuple((multiple * places % shape).T), counts * size)
    constant = float(counts @ (np.log1p(-half) - r**2 / 4))
    return np.asarray((np.fft.rfftn(cosines).real + constant) / 2)


def _survivors(
    frequencies: Floats, log_modulus: Floats, factors: _Factors
) -> tuple[Floats, Floats]:
    """Multiply the factors in, dropping frequencies as soon as they are negligible.

    A few thousand frequencies at a time stay in the cache from one factor to the next.
    """
    kept_frequencies, kept_logs, work = [frequencies[:0]], [log_modulus[:0]], 0
    for start in range(0, len(frequencies), _BLOCK):
        some, logs = frequencies[start : start + _BLOCK], log_modulus[start : start + _BLOCK]
        done = 0
        while done < len(factors.counts) and len(some):
            block = max(1, _BLOCK // len(some))
            work += len(some) * min(block, len(factors.counts) - done)
            check_budget(work, WORK_BUDGET, WORK)
            logs = logs + factors.part(slice(done, done + block)).log_modulus(some)
            keep = logs > LOG_CUT
            some, logs = some[keep], logs[keep]
            done += block
        kept_frequencies.append(some)
        kept_logs.append(logs)
    return np.concatenate(kept_frequencies), np.concatenate(kept_logs)
