"""Systems on the same units, checked once and carried to the end: `Joint`, and `Pair` for two.

What a metric needs of a unit (an item, or a cluster of items) are each system's projected sums and
the unit's size. Equal rows are kept once, with their count, and sorted. What compares by a label
has a joint for all items and one for each label: a cluster may have items of several labels, so
that the rows of the parts do not add up to those of the whole.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, wraps
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import as_numbers
from betterthan.data.gains import Gains, ItemGains, item_gains, unit_gains
from betterthan.data.order import item_order
from betterthan.data.precision import FLOAT_NOISE, SINGLE_NOISE
from betterthan.data.tally import Tally
from betterthan.data.units import Items, rows_of_items
from betterthan.errors import DataError, UsageError
from betterthan.metrics import Metric, parse
from betterthan.numeric import Floats, Ints, Numbers

Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False)
class Joint:
    """Several systems' sums per unit, as distinct joint rows and their counts.

    Attributes
    ----------
    metric : Metric
        What scores a system, in the direction of better.
    systems : tuple of str
        Their names.
    tally : Tally
        Rows of one block of projected columns per system, followed by the size of the unit. Rows
        of a black box, which has no sums, are items as floats, followed by their cluster's number.
    unit : Fraction
        What a one in the columns stands for, where they are integers.
    noise : float
        Values closer than this share of their size are tied; zero for integers.
    n : int
        Number of items.
    clusters : int or None
        Number of clusters; None when items are the units.
    items : Items or None
        The single items; None where only the tally is known.
    stated_span : (float, float) or None
        Least and largest whole number that a single item scores, where that was said.
    singles : Joint or None
        The same with items as the units, where a tally of clusters has one of its items, too.
    again : callable or None
        How some of the systems, by their places, are tallied again where there are no items.
    counts, sizes : (rows,) int64 array
        How many units have each row, and how many items such a unit has.
    blocks : tuple of (rows, j) arrays
        Each system's columns of the rows: integers in ``unit`` where they are whole.
    units : int
        Number of units that are swapped or drawn as one: clusters, or items.
    whole, opaque : bool
        Whether all columns are integers; whether the metric is a black box, without sums.
    """

    metric: Metric
    systems: tuple[str, ...]
    tally: Tally
    unit: Fraction
    noise: float
    n: int
    clusters: int | None
    items: Items | None = None
    stated_span: tuple[float, float] | None = None
    singles: "Joint | None" = None
    again: "Callable[[tuple[int, ...]], Joint] | None" = field(default=None, repr=False)
    counts: Ints = field(init=False, repr=False)
    blocks: tuple[Numbers, ...] = field(init=False, repr=False)
    sizes: Ints = field(init=False, repr=False)
    units: int = field(init=False, repr=False)
    whole: bool = field(init=False, repr=False)
    opaque: bool = field(init=False, repr=False)
    _kept: dict[object, Any] = field(init=False, repr=False)
    _sides: ClassVar[tuple[str, ...]] = ()  # what the blocks are called as well

    def __post_init__(self) -> None:
        rows, systems = self.tally.rows, len(self.systems)
        width = (rows.shape[1] - 1) // systems
        blocks = tuple(rows[:, k * width : (k + 1) * width] for k in range(systems))
        self.__dict__.update(  # what everything asks for, said once; a frozen value is complete
            counts=self.tally.counts,
            blocks=blocks,
            sizes=rows[:, -1].astype(np.int64, copy=False),
            units=self.n if self.clusters is None else self.clusters,
            whole=rows.dtype.kind == "i",
            opaque=self.metric.form == "blackbox",
            _kept={},
            **dict(zip(self._sides, blocks, strict=False)),
        )

    def lean(self) -> Self:
        """The same without what only tells where the data came from: to be sent elsewhere."""
        items = replace(self.known_items, source=None) if self.opaque else None
        return replace(self, items=items, singles=None, again=None)

    @property
    def hashed(self) -> tuple[Numbers, ...]:
        """What the data hash is taken over: the tally, whatever the order of the data was."""
        return self.tally.rows, self.tally.counts, np.array([str(self.unit)])

    def values(self, system: int) -> Floats:
        """One system's block of the rows in the metric's own unit."""
        return np.asarray(self.blocks[system] * float(self.unit))

    def score(self, system: int) -> float:
        """Score of one system."""
        if self.opaque:
            own = self.known_items.values[system]  # in its own order, whatever the others are
            order = item_order([own], None)
            scores = self.metric.score(own[order]), self.metric.score(own[order])
            self.metric.refuse_chance(*scores)
            return scores[0]
        block = self.blocks[system]
        if self.whole:
            sums = (self.counts @ block).tolist()
        else:  # rows are in the order of both systems: correctly rounded, a sum has no order
            sums = [math.fsum(column) for column in np.repeat(block, self.counts, axis=0).T]
        exact = np.array([float(total * self.unit) for total in sums])
        if self.metric.form == "sums":
            self.metric.check_function(exact)
        return float(self.metric.finish(exact, self.n))

    @property
    def known_items(self) -> Items:
        """The single items, or an error that says why they are needed."""
        if self.items is None:
            raise UsageError(
                "this needs the single items, and only a tally of them is known: give the scores"
            )
        return self.items

    @cached_property
    def ordered_items(self) -> Items:
        """The single items, in an order that does not depend on that of the data."""
        return self.known_items.ordered()

    @cached_property
    def is_binary(self) -> bool:
        """Whether the score of every single item is 0 or 1."""
        if self.stated_span is not None:
            return self.stated_span == (0, 1)
        return all(bool(((x == 0) | (x == 1)).all()) for x in self._single_values())

    @cached_property
    def within_one(self) -> bool:
        """Whether the score of every item is between 0 and 1."""
        low, high = self.span
        return low >= 0.0 and high <= 1.0

    @property
    def span(self) -> tuple[float, float]:
        """Least and largest score of a single item."""
        if self.stated_span is not None:
            return float(self.stated_span[0]), float(self.stated_span[1])
        values = self._single_values()
        return min(float(x.min()) for x in values), max(float(x.max()) for x in values)

    @cached_property
    def rate(self) -> bool:
        """Whether scores are printed in points: rates, and means of 0 and 1."""
        if self.metric.percent or self.metric.form != "mean":
            return self.metric.percent
        if self.stated_span is not None:
            return self.is_binary
        source = None if self.items is None else self.items.source
        return self.is_binary or (source is not None and source.is_rate(self.metric, self.systems))

    def _single_values(self) -> list[Numbers]:
        alone = self.clusters is None or bool((self.sizes == 1).all())
        if alone and not self.opaque:
            return [self.values(k) for k in range(len(self.systems))]
        if self.items is None and self.singles is not None:
            return self.singles._single_values()
        if self.items is None:
            raise UsageError(
                "rows of this tally are sums over clusters, which do not tell what a single item "
                "scored: Pair.of_tally takes the span of a single score, its least and its largest"
            )
        return list(self.items.values)

    def pair(self, baseline: int, candidate: int) -> "Pair":
        """Two of the systems, by their places; made once."""
        places = (baseline, candidate)
        pair: Pair | None = self._kept.get(places)
        if pair is None:
            pair = self._kept[places] = Pair(**self._of_some(places))
        return pair

    def select(self, places: Sequence[int]) -> "Joint":
        """Some of the systems, by their places; all of them are the joint rows themselves."""
        chosen = tuple(places)
        return self if chosen == tuple(range(len(self.systems))) else Joint(**self._of_some(chosen))

    def _of_some(self, places: tuple[int, ...]) -> dict[str, Any]:
        """Fields of the same for some of the systems."""
        fields = {
            "metric": self.metric,
            "systems": tuple(self.systems[k] for k in places),
            "tally": self.tally,
            "unit": self.unit,
            "noise": self.noise,
            "n": self.n,
            "clusters": self.clusters,
            "items": self.items,
            "stated_span": self.stated_span,
            "singles": None if self.singles is None else self.singles.select(places),
        }
        if places == tuple(range(len(self.systems))):
            return fields
        items = self.items
        if items is not None:
            fields["items"] = items = items.select(places)
            if not self.whole:
                # Some may be whole where not all are, and number the clusters of a black box.
                return fields | rows_of_items(items, self.metric, self.clusters)
        if self.again is not None and not self.whole:
            anew = self.again(places)
            return fields | {"tally": anew.tally, "unit": anew.unit, "noise": anew.noise}
        columns = [column for k in places for column in self.blocks[k].T]
        fields["tally"] = Tally.of([*columns, self.tally.rows[:, -1]], self.counts)
        return fields


@dataclass(frozen=True, eq=False)
class Pair(Joint):
    """A baseline and a candidate on the same units.

    Examples
    --------
    >>> from betterthan.metrics import mean
    >>> from betterthan.data.pairing import pair_of
    >>> pair = pair_of([1, 0, 1, 0], [1, 1, 1, 1], mean())
    >>> pair.a[:, 0].tolist(), pair.b[:, 0].tolist(), pair.counts.tolist()
    ([0, 1], [1, 1], [2, 2])
    >>> pair.delta, pair.wins, pair.ties, pair.losses
    (0.5, 2, 2, 0)
    """

    a: Numbers = field(init=False, repr=False)
    """The baseline's columns of each row."""
    b: Numbers = field(init=False, repr=False)
    """The candidate's columns of each row."""
    _sides: ClassVar[tuple[str, ...]] = ("a", "b")

    @classmethod
    def of_tally(
        cls,
        rows: ArrayLike,
        counts: ArrayLike,
        metric: str | Metric,
        *,
        sizes: ArrayLike | None = None,
        span: tuple[int, int] | None = None,
        systems: tuple[str, str] = ("a", "b"),
    ) -> "Pair":
        """Pair from distinct rows and their counts, as a database or a cluster groups them.

        Parameters
        ----------
        rows : (m, 2 j) array_like of whole numbers
            The baseline's and the candidate's projected columns of a unit side by side: one each
            for a mean, numerator and denominator for a ratio.
        counts : (m,) array_like of int
            How many units have each row; rows may repeat.
        metric : str or Metric
            What scores them; a black box has no tally.
        sizes : (m,) array_like of int, optional
            Items in a unit of each row, where units are clusters.
        span : (int, int), optional
            Least and largest whole number that a single item scores, where units are clusters: what
            their sums do not tell. ``(0, 1)`` makes a mean a rate.
        systems : (str, str)
            Names of the two.

        Examples
        --------
        >>> from betterthan.metrics import mean
        >>> pair = Pair.of_tally([[0, 1], [1, 0], [1, 1]], [30, 10, 960], mean())
        >>> pair.n, pair.delta, pair.wins, pair.losses
        (1000, 0.02, 30, 10)
        """
        metric = parse(metric)
        if metric.form == "blackbox":
            raise UsageError(f"{metric!r} needs the single items: a tally does not hold them")
        block, times = as_numbers(rows, "rows"), as_numbers(counts, "counts")[:, 0]
        held = np.ones_like(times) if sizes is None else as_numbers(sizes, "sizes")[:, 0]
        width = {"mean": 2, "ratio": 4}.get(metric.form, 2 * len(metric.columns))
        if block.shape[1] != width or not len(block) == len(times) == len(held):
            raise DataError(
                f"rows of {metric!r} have {width} columns and one count each, not shape "
                f"{block.shape} with {len(times):,} counts"
            )
        if (
            any(x.dtype.kind != "i" for x in (block, times, held))
            or min(times.min(), held.min()) < 1
        ):
            raise DataError("rows are whole numbers, counts and sizes whole numbers of at least 1")
        if span is not None and (
            metric.form != "mean"
            or (block < span[0] * held[:, None]).any()
            or (block > span[1] * held[:, None]).any()
        ):
            raise DataError(
                f"span is the least and the largest score of an item of a mean, and rows of "
                f"{metric!r} are not within {span!r} times their sizes: correct one of them"
            )
        return cls(
            metric=metric,
            systems=systems,
            tally=Tally.of([*block.T, held], times),
            unit=Fraction(1),
            noise=0.0,
            n=int(times @ held),
            clusters=None if sizes is None else int(times.sum()),
            stated_span=span,
        )

    @cached_property
    def scores(self) -> tuple[float, float]:
        """Scores of baseline and candidate."""
        return self.score(0), self.score(1)

    @cached_property
    def delta(self) -> float:
        """Candidate minus baseline, towards better; zero where it is rounding noise."""
        gains = self.gains
        if gains is not None and gains.whole:
            return float(gains.total * gains.unit) / gains.below if gains.below else 0.0
        first, second = self.scores
        delta = self.metric.sign * (second - first)
        noise = abs(delta) <= 1e-14 * max(abs(first), abs(second))  # NaN is not
        return 0.0 if noise else delta

    @property
    def rounding(self) -> float:
        """How far scores may be from exact ones; those of few bits are taken as they are stored."""
        return self.noise if self.noise <= SINGLE_NOISE else FLOAT_NOISE

    @cached_property
    def gains(self) -> Gains | None:
        """Differences towards better, where the sum of one per unit decides."""
        return unit_gains(self)

    @cached_property
    def item_gains(self) -> ItemGains:
        """Every item's difference towards better; rows of items where they are the units."""
        return item_gains(self)

    @cached_property
    def outcomes(self) -> tuple[int, int, int]:
        """Items on which the candidate is better, as good, and worse."""
        gains, counts = self.item_gains.values, self.item_gains.counts
        wins, losses = int(counts[gains > 0].sum()), int(counts[gains < 0].sum())
        return wins, self.n - wins - losses, losses

    @property
    def wins(self) -> int:
        """Items on which the candidate is better."""
        return self.outcomes[0]

    @property
    def ties(self) -> int:
        """Items on which neither is better."""
        return self.outcomes[1]

    @property
    def losses(self) -> int:
        """Items on which the candidate is worse."""
        return self.outcomes[2]


def kept(make: Callable[[Pair], Kept]) -> Callable[[Pair], Kept]:
    """Have a pair keep what a function makes of it: made when it is first asked for."""
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def remembered(pair: Pair) -> Kept:
        if name not in pair._kept:
            pair._kept[name] = make(pair)
        found: Kept = pair._kept[name]
        return found

    return remembered
