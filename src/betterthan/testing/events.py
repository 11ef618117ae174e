"""What a bootstrap test asks of a resample, and of the law of all resamples."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.probability import Probability
from betterthan.numeric import Alternative, Floats
from betterthan.testing.ideal_law import LawOfResamples
from betterthan.testing.montecarlo import ORIENT
from betterthan.testing.request import Variant


@dataclass(frozen=True, slots=True)
class Event:
    """When a resample speaks against the claim.

    The ``shift`` variant compares the deviation ``delta* - delta`` with delta, hence
    ``delta* >= 2 delta`` for ``"greater"``. The ``sign`` variant compares delta* with zero; its
    two-sided p is twice that of the side on which delta lies. Where delta is zero, both two-sided
    p-values are 1.

    Ties count, unless it is ``strict``, as Figure 1 of Berg-Kirkpatrick et al. (2012) has it:
    ``delta* > 2 delta``. Its delta is a gain; where delta is zero they count all the same, for
    identical systems must not be told apart.
    """

    variant: Variant
    alternative: Alternative
    strict: bool = False

    @property
    def doubled(self) -> bool:
        """Whether the p-value is twice that of one side."""
        return self.variant == "sign" and self.alternative == "two-sided"

    def probability(self, law: LawOfResamples) -> Probability:
        """P-value from the law of all resamples; every comparison is exact."""
        delta, nothing = law.observed, Fraction(0)
        if self.alternative == "two-sided" and not delta:
            return Probability.of(1.0)
        strict = self.strict and bool(delta)
        if self.variant == "sign":
            greater = delta > 0 if self.doubled else self.alternative == "greater"
            p = law.lower(nothing, strict=strict) if greater else law.tail(nothing, strict=strict)
            return p.doubled() if self.doubled else p
        if self.alternative == "greater":
            return law.tail(2 * delta, strict=strict)
        if self.alternative == "less":
            return law.lower(2 * delta, strict=strict)
        below = law.lower(min(2 * delta, nothing), strict=strict)
        return below.plus(law.tail(max(2 * delta, nothing), strict=strict))

    def hits(
        self, deltas: Floats, delta: Floats, slack: Floats, reach: float = 0.0
    ) -> NDArray[np.int64]:
        """Count the rows of ``(rows, pairs)`` resampled deltas that speak against the claim.

        Those within ``slack`` of the border do: ties count, and rounding must not break them. If
        strict, they do not. ``reach`` is how much further from the border hits are counted.
        """
        if self.strict:
            slack = np.where(np.abs(delta) <= slack, slack, -np.nextafter(slack, np.inf))
        level = np.abs(delta) <= np.abs(slack)
        slack = slack + reach
        orient = ORIENT[self.alternative]
        if self.variant == "shift":
            against = orient(deltas - delta) >= orient(delta) - slack
        elif self.doubled:
            side = np.where(level, 0.0, np.sign(delta))
            against = deltas * side <= slack
        else:
            against = orient(deltas) <= slack
        return np.asarray(np.count_nonzero(against, axis=0), dtype=np.int64)
