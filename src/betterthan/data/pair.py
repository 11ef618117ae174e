"""Systems on the same units, checked once and carried to the end: `Joint`, and `Pair` for two.

What a metric needs of a unit (an item, or a cluster of items) are each system's projected sums and
the unit's size. Equal rows are kept once, with their count, and sorted. What compares by a label
has a joint for all items and one for each label: a cluster may have items of several labels, so
that the rows of the parts do not add up to those of the whole.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, wraps
from typing import Self, TypeVar

import numpy as np

from betterthan.data.gains import Gains, item_gains, unit_gains
from betterthan.data.items import Items
from betterthan.data.resolution import FLOAT_NOISE, SINGLE_NOISE
from betterthan.data.tally import Tally, item_order
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints, Numbers

Kept = TypeVar("Kept")
Some = TypeVar("Some", bound="Joint")


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
        The single items, or distinct ones and their counts; None where only ``tally`` is known.
    stated_span : (float, float) or None
        Least and largest score of a single item, where that was stated.
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

    @classmethod
    def from_items(cls, items: Items, metric: Metric, systems: tuple[str, ...]) -> Self:
        """Tally items."""
        items = items.resolved(metric)
        tally = items.tally(metric)
        exact = tally.rows.dtype.kind == "i" or items.noise
        return cls(
            metric=metric,
            systems=systems,
            tally=tally,
            unit=items.unit,
            noise=items.noise if exact else FLOAT_NOISE,  # weights may be too large for integers
            n=items.n,
            clusters=None if items.codes is None else int(items.codes.max()) + 1,
            items=items,
        )

    @property
    def counts(self) -> Ints:
        """How many units have each row."""
        return self.tally.counts

    @cached_property
    def sizes(self) -> Ints:
        """How many items a unit of each row has."""
        return self.tally.rows[:, -1].astype(np.int64, copy=False)

    @cached_property
    def blocks(self) -> tuple[Numbers, ...]:
        """Each system's columns of the rows: integers in ``unit`` where they are whole."""
        return tuple(np.split(self.tally.rows[:, :-1], len(self.systems), axis=1))

    @property
    def units(self) -> int:
        """Number of units that are swapped or drawn as one: clusters, or items."""
        return self.n if self.clusters is None else self.clusters

    @property
    def whole(self) -> bool:
        """Whether all columns are integers."""
        return self.tally.rows.dtype.kind == "i"

    @property
    def opaque(self) -> bool:
        """Whether the metric is a black box, without sums."""
        return self.metric.form == "blackbox"

    def lean(self) -> Self:
        """The same without what only tells where the data came from: to be sent elsewhere."""
        return replace(self, items=replace(self.known_items, source=None) if self.opaque else None)

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
            self.metric.check_repeatable(*scores)
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
        if self.items is None or self.items.counts is not None:
            raise UsageError(
                "this needs the single items, and only a tally of them is known: give the scores"
            )
        return self.items

    @cached_property
    def ordered_items(self) -> Items:
        """The single items, in an order that does not depend on that of the data."""
        return self.known_items.ordered()

    @cached_property
    def of_items(self) -> tuple[tuple[Numbers, ...], Ints]:
        """Each system's projected columns of single items, and how many there are of each.

        Where items are not the units, they come in the order of the data.
        """
        single = self.clusters is None or (self.items is None and (self.sizes == 1).all())
        if single and not self.opaque:
            return self.blocks, self.counts
        items = self.items or self.known_items
        return tuple(map(self.metric.project, items.exact)), items.times

    @cached_property
    def is_binary(self) -> bool:
        """Whether the score of every single item is 0 or 1."""
        if self.stated_span is not None:
            return self.stated_span == (0, 1)
        one = float(1 / self.unit)
        return all(bool(((x == 0) | (x == one)).all()) for x in self.of_items[0])

    @cached_property
    def span(self) -> tuple[float, float]:
        """Least and largest score of a single item."""
        if self.stated_span is not None:
            return float(self.stated_span[0]), float(self.stated_span[1])
        low, high = min(x.min() for x in self.of_items[0]), max(x.max() for x in self.of_items[0])
        return float(low) * float(self.unit), float(high) * float(self.unit)

    @cached_property
    def rate(self) -> bool:
        """Whether scores are printed in points: rates, and means of 0 and 1."""
        if self.metric.percent or self.metric.form != "mean":
            return self.metric.percent
        source = None if self.items is None or self.stated_span else self.items.source
        return self.is_binary or (source is not None and source.is_rate(self.metric, self.systems))

    def pair(self, baseline: int, candidate: int) -> "Pair":
        """Two of the systems, by their places; made once."""
        places = (baseline, candidate)
        if places not in self._pairs:
            self._pairs[places] = self._of_some(Pair, places)
        return self._pairs[places]

    @cached_property
    def _pairs(self) -> "dict[tuple[int, int], Pair]":
        return {}

    def select(self, places: Sequence[int]) -> "Joint":
        """Some of the systems, by their places."""
        return self._of_some(Joint, tuple(places))

    def _of_some(self, kind: type[Some], places: tuple[int, ...]) -> Some:
        systems, items = tuple(self.systems[k] for k in places), self.items
        known = {entry.name: getattr(self, entry.name) for entry in fields(Joint)}
        if systems == self.systems:  # the joint rows themselves
            return kind(**known)
        if items is not None:
            items = items.select(places)
            if not self.whole:  # some may be whole where not all are, and clusters be numbered
                made = kind.from_items(items, self.metric, systems)
                return replace(made, stated_span=self.stated_span)
        columns = [column for k in places for column in self.blocks[k].T]
        tally = Tally.of([*columns, self.tally.rows[:, -1]], self.counts)
        return kind(**known | {"systems": systems, "items": items, "tally": tally})


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

    @property
    def a(self) -> Numbers:
        """The baseline's columns of each row."""
        return self.blocks[0]

    @property
    def b(self) -> Numbers:
        """The candidate's columns of each row."""
        return self.blocks[1]

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
    def weighted_gains(self) -> Gains | None:
        """Differences towards better and what their units weigh, where their sum decides."""
        return unit_gains(self)

    @cached_property
    def gains(self) -> Gains | None:
        """Distinct differences towards better, where the sum of one per unit decides."""
        return self.weighted_gains and self.weighted_gains.unweighted()

    @cached_property
    def item_gains(self) -> Gains:
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
        if name not in vars(pair):
            vars(pair)[name] = make(pair)
        known: Kept = vars(pair)[name]
        return known

    return remembered
