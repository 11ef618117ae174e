"""What a test does when the true effect is a given one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, get_args

import numpy as np
from scipy.special import ndtri

from betterthan.checks import check_level
from betterthan.errors import Remedy, UsageError, not_one_of
from betterthan.numeric import Alternative, Bools, Floats
from betterthan.resampling.generator import Rng, affordable
from betterthan.resampling.work import HERE, Sampling, Work
from betterthan.results.tests import Kind

SIMULATED = 500  # test sets, where power is simulated
FEWEST_SIMULATED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTest:
    """A test that is planned, and how test sets are simulated where its power takes that.

    Attributes
    ----------
    alpha, alternative
        Level of the test, and its side.
    rng, sets, work
        Seed of simulated test sets, how many there are, and who draws them.
    wanted : float or None
        Where only a power is wanted, it is enough to know whether that is reached.
    """

    alpha: float
    alternative: Alternative
    rng: Rng = 0
    sets: int = SIMULATED
    work: Work = HERE
    wanted: float | None = None

    @classmethod
    def of(
        cls, alpha: float, alternative: Alternative, rng: Rng, sampling: Sampling
    ) -> "PlannedTest":
        """Take the options of a call; ``resamples`` are the test sets."""
        check_level(alpha)
        if alternative not in get_args(Alternative):
            raise not_one_of("alternative", alternative, get_args(Alternative))
        work, sets = Work.of(sampling), sampling.get("resamples") or SIMULATED
        if sets < FEWEST_SIMULATED:
            raise UsageError(
                f"resamples must be at least {FEWEST_SIMULATED} test sets, got {sets!r}",
                Remedy("", "resamples", FEWEST_SIMULATED),
            )
        affordable(1e6, resamples=sets)
        return cls(alpha=alpha, alternative=alternative, rng=rng, sets=sets, work=work)


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
    def sampled(cls, hit: Bools, delta: Floats, effect: float, engine: str) -> Self:
        """From simulated test sets, each with a verdict or none and the delta it saw."""
        power, sets = float(hit.mean()), hit.size
        error = -float(ndtri(0.005)) * math.sqrt(max(power * (1 - power), 1.0 / sets) / sets)
        if not hit.any() or effect == 0.0:
            return cls(power, None, None, error, "sampled", engine)
        wrong = float((np.sign(delta[hit]) != np.sign(effect)).mean())
        exaggeration = float(np.abs(delta[hit]).mean()) / abs(effect)
        return cls(power, wrong, exaggeration, error, "sampled", engine)
