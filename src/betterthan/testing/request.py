"""What is asked of every test: options that all tests share, checked once."""

from dataclasses import dataclass, field
from typing import Any, get_args

from betterthan.checks import check_choice, check_level, check_number
from betterthan.exact.extremal import WantedPrecision
from betterthan.exact.probability import Probability
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng, as_count, check_rng
from betterthan.resampling.work import Progress, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Options of :func:`betterthan.permutation_test` and :func:`betterthan.bootstrap_test`."""

    alternative: Alternative = "two-sided"
    resamples: int | None = None
    tolerance: float = 1e-3
    alpha: float = 0.05
    workers: int = 1
    executor: Any = None
    progress: Progress | None = None
    rng: Rng = None
    work: Work = field(init=False, repr=False, compare=False)
    """Who draws what has to be drawn."""

    def __post_init__(self) -> None:
        check_choice(self.alternative, "alternative", get_args(Alternative))
        # The usual is passed at a glance, and all else looked at.
        if not (type(self.tolerance) is float and 0.0 < self.tolerance < 1.0):
            check_number(self.tolerance, "tolerance, a relative width,", above=0.0)
            object.__setattr__(self, "tolerance", float(self.tolerance))
        if not (type(self.alpha) is float and 0.0 < self.alpha < 1.0):
            check_level(self.alpha)
            object.__setattr__(self, "alpha", float(self.alpha))
        if type(self.rng) is not int or self.rng < 0:
            check_rng(self.rng)
        object.__setattr__(self, "work", Work(self.workers, self.executor))
        object.__setattr__(self, "resamples", as_count(self.resamples))

    @property
    def precision(self) -> WantedPrecision:
        """How narrow a bracket is to be: it must not straddle ``alpha``."""
        return WantedPrecision(self.tolerance, self.alpha)

    def on_one_side(self, p: Probability) -> Probability:
        """The p-value of a bracket: its middle, if it is narrow enough.

        Otherwise the middle may be too small, and the upper end is a valid p-value.
        """
        if self.precision.met_by(p):
            return p
        return Probability(p.log_high, p.log_low, p.log_high, how=p.how)
