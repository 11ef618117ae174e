"""What a test does when the true effect is a given one."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtri

from betterthan.resampling.generator import Rng, seeds
from betterthan.resampling.work import Work
from betterthan.results.pvalues import Kind


@dataclass(frozen=True, slots=True)
class Detection:
    """What a test does when the true effect is a given one.

    Attributes
    ----------
    power : float
        Probability of a verdict.
    type_s : float or None
        Share of the verdicts that name the wrong system (Gelman & Carlin, 2014); None without an
        effect.
    type_m : float or None
        Mean size of the observed effect given a verdict, relative to the true one: exaggeration.
    error : float
        Bound on the error of ``power``: rounding and neglected mass when exact, half a 99 %
        interval when sampled.
    kind : {"exact", "sampled", "asymptotic"}
        What the power is worth.
    engine : str
        How it was computed.
    """

    power: float
    type_s: float | None
    type_m: float | None
    error: float
    kind: Kind
    engine: str

    def likely(self, seen: float) -> tuple[float, float]:
        """Wilson's 99 % interval of a power of which a share was seen, by simulations as many."""
        z = -float(ndtri(0.005))
        narrow = z / max(self.error, 1e-12)
        n = max(self.power * (1.0 - self.power) * narrow**2, narrow)
        middle, part = seen + z * z / (2.0 * n), z * z / n
        half = z * math.sqrt((seen * (1.0 - seen) + part / 4.0) / n)
        return max((middle - half) / (1.0 + part), 0.0), min((middle + half) / (1.0 + part), 1.0)

    @classmethod
    def of_sides(
        cls,
        chances: Sequence[float],
        sizes: Sequence[float],
        effect: float,
        *,
        error: float,
        kind: Kind,
        engine: str,
    ) -> Self:
        """From chances of a verdict, upwards and downwards, and E[|delta|; verdict] of either."""
        up, down = chances
        power = min(up + down, 1.0)
        if effect == 0.0 or power == 0.0:
            return cls(power, None, None, error, kind, engine)
        wrong = down if effect > 0 else up
        return cls(power, wrong / power, sum(sizes) / power / abs(effect), error, kind, engine)

    @classmethod
    def simulated(
        cls,
        verdict: Callable[[np.random.SeedSequence], tuple[bool, float]],
        simulations: int,
        effect: float,
        rng: Rng,
        work: Work,
    ) -> Self:
        """From simulated test sets, each with a verdict or none and the delta it saw."""
        drawn = list(work.map(verdict, seeds(simulations, rng), simulations))
        hit = np.array([rejected for rejected, _ in drawn])
        delta = np.array([size for _, size in drawn])
        power = float(hit.mean())
        error = -float(ndtri(0.005)) * math.sqrt(
            max(power * (1 - power), 1.0 / simulations) / simulations
        )
        engine = f"{simulations:,} simulated test sets"
        if not hit.any() or effect == 0.0:
            return cls(power, None, None, error, "sampled", engine)
        wrong = float((np.sign(delta[hit]) != np.sign(effect)).mean())
        exaggeration = float(np.abs(delta[hit]).mean()) / abs(effect)
        return cls(power, wrong, exaggeration, error, "sampled", engine)
