"""What the permutation test swaps: per unit, the columns of either system that a metric needs."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.disguise import as_lattice
from betterthan.exact.lattice import SignedSum
from betterthan.metrics import Metric
from betterthan.metrics.algebra import Form
from betterthan.nulllaw import NullLaw
from betterthan.pairs import Pair

Floats = NDArray[np.float64]
Numbers = NDArray[Any]  # int64 or float64


@dataclass(frozen=True, slots=True)
class Shape:
    """All that the choice of an engine depends on.

    Attributes
    ----------
    form : str
        How the metric decomposes.
    additive : bool
        Whether the sum of one difference a unit decides: a mean, or a ratio whose denominator is
        the same for both systems on every unit.
    live : int
        Columns in which the systems differ, after a ratio was projected onto its two.
    whole : bool
        Whether all columns are whole numbers, in disguise perhaps (0.25 is a whole number of
        quarters).
    units : int
        Items or clusters on which the systems differ.
    steps, cost : int
        Of whole-number differences: how many distinct sizes they have, and the lattice engine's
        estimate of its own work.
    """

    form: Form
    additive: bool
    live: int
    whole: bool
    units: int
    steps: int = 0
    cost: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Swaps:
    """Two systems' projected columns per unit, ready to be swapped.

    Attributes
    ----------
    pair, metric
        What is compared, and how.
    stay, swap : (units, j) arrays
        What a unit adds to the baseline's sums as it stays, and as it is swapped; the other way
        round for the candidate.
    unit : float
        What a one in ``stay`` and ``swap`` stands for, where whole numbers were recognised.
    gains : (units,) array or None
        The differences towards better, when the shape is additive.
    law : SignedSum or None
        Null law of the sum of gains, when they are whole numbers.
    shape : Shape
        What the choice of an engine depends on.
    """

    pair: Pair
    metric: Metric
    stay: Numbers
    swap: Numbers
    unit: float
    gains: Numbers | None
    law: SignedSum | None
    shape: Shape

    @classmethod
    def of(cls, pair: Pair, metric: Metric) -> Self:
        """Project onto what the metric needs, sum clusters, recognise whole numbers."""
        if metric.form == "blackbox":
            units = _differing(pair).size
            shape = Shape("blackbox", additive=False, live=int(units > 0), whole=False, units=units)
            return cls(pair, metric, pair.a, pair.b, 1.0, None, None, shape)
        stay, swap = (pair.per_unit(metric.project(x)) for x in (pair.a, pair.b))
        whole = stay.dtype.kind == "i"
        unit = 1.0
        if not whole and metric.form == "mean":
            # Only differences matter to a mean, and they may be whole where the scores are not.
            noise = pair.noise * np.maximum(np.abs(stay), np.abs(swap))
            difference = swap - stay
            swap = np.where(np.abs(difference) <= noise, 0.0, difference)
            stay = np.zeros_like(swap)
            if np.count_nonzero(swap) > 1:  # whatever their unit, the least is a multiple of it
                unit = float(np.abs(swap[swap != 0.0]).min())
        if not whole and (found := as_lattice(stay / unit, swap / unit)) is not None:
            (stay, swap), unit, whole = found[0], unit * float(found[1]), True
        elif not whole:
            unit = 1.0
        if metric.form == "mean" or (metric.form == "ratio" and (stay[:, 1] == swap[:, 1]).all()):
            return cls._of_gains(pair, metric, (stay, swap), unit, whole)
        difference = swap - stay
        live = int(difference.any(axis=0).sum())
        units = int(difference.any(axis=1).sum())
        shape = Shape(metric.form, additive=False, live=live, whole=whole, units=units)
        return cls(pair, metric, stay, swap, unit, None, None, shape)

    @classmethod
    def _of_gains(
        cls, pair: Pair, metric: Metric, sides: tuple[Numbers, Numbers], unit: float, whole: bool
    ) -> Self:
        stay, swap = sides
        gains = swap[:, 0] - stay[:, 0]
        towards = metric.sign if metric.form == "mean" else metric.sign * np.sign(stay[:, 1].sum())
        if towards != 1.0:
            gains = gains * gains.dtype.type(towards)
        law = SignedSum.of(gains) if whole else None
        units = int(np.count_nonzero(gains)) if law is None else law.n
        shape = Shape(metric.form, additive=True, live=int(units > 0), whole=whole, units=units)
        if law is not None and units:
            steps = int(law.steps.size)
            cost = 0 if steps == 1 else law.cost(abs(int(gains.sum())))
            shape = replace(shape, steps=steps, cost=cost)
        return cls(pair, metric, stay, swap, unit, gains, law, shape)

    @property
    def null_law(self) -> NullLaw | None:
        """The null law of delta, when the differences are whole numbers."""
        if self.law is None:
            return None
        below = self.stay[:, 1].sum() * self.unit if self.metric.form == "ratio" else self.pair.n
        return NullLaw(self.law, self.unit / abs(float(below))) if below else None

    @property
    def live_units(self) -> NDArray[np.intp]:
        """Units on which the systems differ at all."""
        return _differing(self.pair)

    @property
    def scores(self) -> tuple[float, float]:
        """Scores of baseline and candidate."""
        return self.metric.score(self.pair.a), self.metric.score(self.pair.b)

    @property
    def delta(self) -> float:
        """Candidate minus baseline, towards better."""
        first, second = self.scores
        return self.metric.sign * (second - first)

    @property
    def observed(self) -> float:
        """Delta as swapped data are scored, with the same rounding."""
        if self.metric.form == "blackbox":
            return self.delta
        return float(self.of_sums(self.swap.sum(axis=0)))

    def of_sums(self, sums: Numbers) -> Floats:
        """Delta from the candidate's projected sums ``(..., j)``: the baseline has the rest."""
        total = self.stay.sum(axis=0) + self.swap.sum(axis=0)
        candidate, rest = (
            np.asarray(s, dtype=np.float64) * self.unit for s in (sums, total - sums)
        )
        finish, n = self.metric.finish, self.pair.n
        with np.errstate(all="ignore"):  # a user's metric may be undefined for some swaps
            return self.metric.sign * (finish(candidate, n) - finish(rest, n))

    def of_signs(self, signs: Floats) -> Floats:
        """Delta of each row of signs (+1 stay, -1 swap), all by one matrix product."""
        if self.metric.form == "blackbox":
            return np.array([self.of_pattern(row < 0) for row in signs])
        middle = (self.stay.sum(axis=0) + self.swap.sum(axis=0)) / 2.0
        return self.of_sums(middle + signs @ ((self.swap - self.stay) / 2.0))

    def of_pattern(self, swapped: NDArray[np.bool_]) -> float:
        """Delta when the metric is scored afresh with some units swapped."""
        rows = swapped if self.pair.clusters is None else swapped[self.pair.clusters]
        score, a, b = self.metric.score, self.pair.a, self.pair.b
        swap = rows[:, None]
        return self.metric.sign * (score(np.where(swap, a, b)) - score(np.where(swap, b, a)))


def _differing(pair: Pair) -> NDArray[np.intp]:
    differ = (pair.a != pair.b).any(axis=1).astype(np.int64)
    return np.flatnonzero(pair.per_unit(differ))
