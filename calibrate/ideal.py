"""The ideal bootstrap of real-valued scores, whose law of all resamples is certified."""

from dataclasses import dataclass

import numpy as np

import betterthan as bt
from betterthan.data.pairing import pair_of
from betterthan.errors import UsageError
from betterthan.numeric import Alternative, Floats
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request
from betterthan.testing.values import Bootstrap
from calibrate.cells import ALPHA, TESTED, Trial
from calibrate.worlds import WORLDS

SIDES: dict[str, Alternative] = {"two-sided": "two-sided", "one-sided": "greater"}


def in_all_digits(rng: np.random.Generator, world: str, items: int) -> tuple[Floats, Floats]:
    """Two systems of one law with scores in all their digits, so that no lattice holds them."""
    a, b = WORLDS[world].draw(rng, np.arange(items), (0.0,))
    return a + rng.normal(0.0, 1e-3, items), b + rng.normal(0.0, 1e-3, items)


@dataclass(frozen=True)
class Ideal:
    """The test, of two systems of one law."""

    world: str
    items: int

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """Both ways round."""
        pair = pair_of(*in_all_digits(rng, self.world, self.items), WORLDS[self.world].metric)
        said: Trial = {}
        for name, alternative in SIDES.items():
            asked = Request(alternative=alternative, rng=0)
            (made,) = run_tests(pair, [(0, 1)], Bootstrap(method="ideal"), asked)
            if made.kind != "certified":
                raise ValueError(f"{made.engine} is not what is measured here")
            said[f"ideal/{name} bootstrap"] = made.pvalue <= ALPHA + 1e-12
        return said


@dataclass(frozen=True)
class IdealIntervals:
    """Its intervals, of a difference that is zero; few items may have none."""

    world: str
    items: int

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """The percentile interval, and the basic one, which is its mirror image about delta."""
        metric = WORLDS[self.world].metric
        a, b = in_all_digits(rng, self.world, self.items)
        try:
            made = bt.bootstrap_interval(a, b, metric, kind="percentile", method="ideal")
        except UsageError:
            return {"ideal interval/percentile": None, "ideal interval/basic": None}
        twice = 2.0 * pair_of(a, b, metric).delta
        return {
            "ideal interval/percentile": made.low <= 0.0 <= made.high,
            "ideal interval/basic": made.low <= twice <= made.high,
        }
