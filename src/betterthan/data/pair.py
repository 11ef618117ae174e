"""Systems on the same units, checked once and carried to the end: `Joint`, and `Pair` for two.

What a metric needs of a unit (an item, or a cluster of items) are each system's projected sums and
the unit's size. Equal rows are kept once, with their count; rows are sorted, so that the order of
the data leaves no trace. Whole numbers are kept as integers, also in disguise (0.25 is a whole
number of quarters); other floats carry the rounding noise of whatever computed them
(``0.3 - 0.2`` is not ``0.2 - 0.1``): ``noise`` says how close two values must be, as a share of
their size, to count as tied.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import (
    FLOAT_NOISE,
    LARGEST_SUM,
    SINGLE_NOISE,
    as_numbers,
    cluster_codes,
    cluster_sums,
    common_integers,
    fits,
)
from betterthan.data.indexed import aligned, columns_in_order
from betterthan.data.tally import Tally
from betterthan.data.whole import as_lattice, is_single, one_precision
from betterthan.errors import AlignmentError, DataError, UsageError
from betterthan.metrics import Metric, directed
from betterthan.numeric import TIE, UNIT_ROUNDOFF, Floats, Ints, Numbers

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The single items behind the units.

    Attributes
    ----------
    values : tuple of (n, k) arrays
        Each system's columns, in the metric's order.
    codes : (n,) int64 array or None
        The cluster of each item, numbered from zero; None when items are the units.
    source : Scores or None
        What they were taken from, with ids and labels.
    """

    values: tuple[Numbers, ...]
    codes: Ints | None = None
    source: Any = None


class Gains(NamedTuple):
    """Differences towards better that decide by their sum.

    ``values`` holds the distinct ones in order, integers where they are whole, and ``counts`` how
    many units have each; ``unit`` is what a one stands for and ``below`` what their sum is divided
    by to give delta. ``error`` bounds how far a signed sum may be from that of the numbers meant.
    """

    values: Numbers
    counts: Ints
    unit: Fraction
    below: float
    error: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether the values are integers."""
        return self.values.dtype.kind == "i"

    @property
    def per_unit(self) -> Numbers:
        """One gain per unit, in order of size."""
        repeated: Numbers = np.repeat(self.values, self.counts)
        return repeated

    @property
    def total(self) -> Any:
        """Their sum; exact for integers."""
        return (self.values @ self.counts).item()


class ItemGains(NamedTuple):
    """Differences of items towards better, zero where they are rounding noise.

    ``counts`` says how many items each stands for, ``unit`` what a one stands for, and ``slack``
    how far apart two values may be by rounding alone (None for integers).
    """

    values: Numbers
    counts: Ints
    unit: float
    slack: Floats | None


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
        of a black box, which has no sums, are items, followed by their cluster where there is one.
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
    """

    metric: Metric
    systems: tuple[str, ...]
    tally: Tally
    unit: Fraction
    noise: float
    n: int
    clusters: int | None
    items: Items | None = None
    _kept: dict[object, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def units(self) -> int:
        """Number of units that are swapped or drawn as one: clusters, or items."""
        return self.n if self.clusters is None else self.clusters

    @cached_property
    def counts(self) -> Ints:
        """How many units have each row."""
        return self.tally.counts

    @cached_property
    def sizes(self) -> Ints:
        """Number of items in a unit of each row."""
        sizes: Ints = self.tally.rows[:, -1].astype(np.int64)
        return sizes

    @cached_property
    def whole(self) -> bool:
        """Whether all columns are integers."""
        return bool(self.tally.rows.dtype.kind == "i")

    @property
    def hashed(self) -> tuple[Numbers, ...]:
        """What the data hash is taken over: the tally, whatever the order of the data was."""
        return self.tally.rows, self.tally.counts, np.array([str(self.unit)])

    @cached_property
    def opaque(self) -> bool:
        """Whether the metric is a black box, without sums."""
        return self.metric.form == "blackbox"

    @cached_property
    def width(self) -> int:
        """Number of columns per system."""
        return int(self.tally.rows.shape[1] - 1) // len(self.systems)

    @cached_property
    def blocks(self) -> tuple[Numbers, ...]:
        """Each system's columns of the rows: integers in ``unit`` where they are whole."""
        starts = range(0, self.width * len(self.systems), self.width)
        return tuple(self.tally.rows[:, start : start + self.width] for start in starts)

    def values(self, system: int) -> Floats:
        """One system's block of the rows in the metric's own unit."""
        return np.asarray(self.blocks[system] * float(self.unit))

    def score(self, system: int) -> float:
        """Score of one system."""
        if self.opaque:
            return self.metric.score(self.known_items.values[system])
        sums = self.counts @ self.blocks[system]
        exact = np.array([float(total * self.unit) for total in sums.tolist()])
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
    def item_order(self) -> Ints:
        """Items in the order of their rows, which does not depend on the order of the data."""
        items = self.known_items
        columns = np.hstack(items.values)
        return np.lexsort((*columns.T[::-1], *(() if items.codes is None else (items.codes,))))

    @cached_property
    def is_binary(self) -> bool:
        """Whether the score of every single item is 0 or 1."""
        return all(bool(((x == 0) | (x == 1)).all()) for x in self._single_values())

    @cached_property
    def within_one(self) -> bool:
        """Whether the score of every single item lies between 0 and 1."""
        low, high = self.span
        return low >= 0.0 and high <= 1.0

    @property
    def span(self) -> tuple[float, float]:
        """Least and largest score of a single item."""
        values = self._single_values()
        return min(float(x.min()) for x in values), max(float(x.max()) for x in values)

    @property
    def rate(self) -> bool:
        """Whether scores are rates, which are printed in points.

        A mean of zeros and ones is one however often each item was repeated; an item's own mean is
        then no zero or one any more.
        """
        if self.metric.percent or self.metric.form != "mean":
            return self.metric.percent
        source = None if self.items is None else self.items.source
        return self.is_binary or (source is not None and source.is_rate(self.metric, self.systems))

    def _single_values(self) -> list[Numbers]:
        if self.clusters is None and not self.opaque:
            return [self.values(k) for k in range(len(self.systems))]
        return list(self.known_items.values)

    def pair(self, baseline: int, candidate: int) -> "Pair":
        """Two of the systems, by their places; made once."""
        return self.keep((baseline, candidate), lambda: self._pair(baseline, candidate))

    def select(self, places: Sequence[int]) -> "Joint":
        """Some of the systems, by their places; all of them are the joint rows themselves."""
        if list(places) == list(range(len(self.systems))):
            return self
        return Joint(**self._of_some(places))

    def keep(self, name: object, make: Callable[[], Kept]) -> Kept:
        """Return what is kept under a name; made when it is first asked for."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: Kept = self._kept[name]
        return kept

    def _pair(self, baseline: int, candidate: int) -> "Pair":
        made = self._of_some((baseline, candidate))
        items = made["items"]
        several = len(self.systems) > 2  # two of them may be whole where not all are
        if several and not self.whole and not self.opaque and items is not None:
            tally, unit, noise = _tallied(items.values, self.metric, items.codes, self.clusters)
            made |= {"tally": tally, "unit": unit, "noise": noise}
        return Pair(**made)

    def _of_some(self, places: Sequence[int]) -> dict[str, Any]:
        """Fields of the same for some of the systems."""
        if tuple(places) == tuple(range(len(self.systems))):
            names = [name for name in self.__dataclass_fields__ if name != "_kept"]
            return {name: getattr(self, name) for name in names}
        blocks = [column for k in places for column in self.blocks[k].T]
        items = self.items
        if items is not None:
            chosen = tuple(items.values[k] for k in places)
            items = Items(chosen, items.codes, items.source)
        return {
            "metric": self.metric,
            "systems": tuple(self.systems[k] for k in places),
            "tally": Tally.of([*blocks, self.tally.rows[:, -1]], self.counts),
            "unit": self.unit,
            "noise": self.noise,
            "n": self.n,
            "clusters": self.clusters,
            "items": items,
        }


@dataclass(frozen=True, eq=False)
class Pair(Joint):
    """A baseline and a candidate on the same units.

    Examples
    --------
    >>> from betterthan.metrics import mean
    >>> made = pair_of([1, 0, 1, 0], [1, 1, 1, 1], mean())
    >>> made.a[:, 0].tolist(), made.b[:, 0].tolist(), made.counts.tolist()
    ([0, 1], [1, 1], [2, 2])
    >>> made.delta, made.wins, made.ties, made.losses
    (0.5, 2, 2, 0)
    """

    @classmethod
    def of_tally(
        cls,
        rows: ArrayLike,
        counts: ArrayLike,
        metric: Metric,
        *,
        sizes: ArrayLike | None = None,
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
        metric : Metric
            What scores them; a black box has no tally.
        sizes : (m,) array_like of int, optional
            Items in a unit of each row, where units are clusters.
        systems : (str, str)
            Names of the two.

        Examples
        --------
        >>> from betterthan.metrics import mean
        >>> made = Pair.of_tally([[0, 1], [1, 0], [1, 1]], [30, 10, 960], mean())
        >>> made.n, made.delta, made.wins, made.losses
        (1000, 0.02, 30, 10)
        """
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
        return cls(
            metric=metric,
            systems=systems,
            tally=Tally.of([*block.T, held], times),
            unit=Fraction(1),
            noise=0.0,
            n=int(times @ held),
            clusters=None if sizes is None else int(times.sum()),
        )

    @property
    def baseline(self) -> str:
        """Name of the first system."""
        return self.systems[0]

    @property
    def candidate(self) -> str:
        """Name of the second system."""
        return self.systems[1]

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
        if self.gains is not None and self.gains.whole:
            total, below = self.gains.total, self.gains.below
            return float(total * self.gains.unit) / below if below else 0.0
        first, second = self.scores
        delta = self.metric.sign * (second - first)
        noise = abs(delta) <= 1e-14 * max(abs(first), abs(second))  # NaN is not
        return 0.0 if noise else delta

    @cached_property
    def gains(self) -> Gains | None:
        """Differences towards better, where the sum of one per unit decides.

        That is a mean, or a ratio whose denominator is the same for both systems on every unit.
        """
        form, a, b = self.metric.form, self.a, self.b
        if form != "mean" and (form != "ratio" or (a[:, 1] != b[:, 1]).any()):
            return None
        d, unit = b[:, 0] - a[:, 0], self.unit
        below, towards = float(self.n), int(self.metric.sign)
        if form == "mean" and not self.whole:
            d[np.abs(d) <= self.noise * np.maximum(np.abs(a[:, 0]), np.abs(b[:, 0]))] = 0.0
            found = whole_differences(d)
            if found is not None and int(np.abs(found[0]).max()) * self.units <= LARGEST_SUM:
                d, unit = found
        elif form == "ratio":
            total = self.counts @ a[:, 1]
            towards *= int(np.sign(total))
            below = abs(float(total)) * float(unit)
        error = 0.0
        if d.dtype.kind != "i":  # a double is meant to within a few roundings
            share = SINGLE_NOISE if self.noise == SINGLE_NOISE else 16.0 * UNIT_ROUNDOFF
            error = 2.0 * share * self._size
        made = Tally.of([d * d.dtype.type(towards)], self.counts)
        return Gains(made.rows[:, 0], made.counts, unit, below, error)

    @property
    def _size(self) -> float:
        """Sum of the larger of both numbers, of items: those of a cluster may cancel out."""
        if self.clusters is None or self.items is None:
            larger = np.maximum(np.abs(self.a[:, 0]), np.abs(self.b[:, 0]))
            return float(self.counts @ larger)
        a, b = (np.abs(self.metric.project(x)[:, 0]) for x in self.items.values)
        return float(np.sort(np.maximum(a, b)).sum()) / float(self.unit)

    @cached_property
    def item_values(self) -> tuple[tuple[Numbers, ...], Fraction]:
        """Both systems' single items, integers where the rows are, and what a one stands for."""
        values = self.known_items.values
        if values[0].dtype.kind == "i":
            return values, Fraction(1)
        found = _whole_items(values) if self.whole else None
        return found or (tuple(one_precision(values)), Fraction(1))

    @cached_property
    def item_gains(self) -> "ItemGains":
        """Every item's difference towards better; rows of items where they are the units."""
        if self.clusters is None and not self.opaque:
            a, b, counts, unit = self.a, self.b, self.counts, float(self.unit)
        else:
            values, one = self.item_values
            a, b = (self.metric.project(x) for x in values)
            counts, unit = np.ones(self.n, dtype=np.int64), float(one)
        if self.metric.form == "mean":
            first, second = a[:, 0], b[:, 0]
        else:
            first, second = (self.metric.finish(x * unit, 1) for x in (a, b))
            unit = 1.0
        gain = int(self.metric.sign) * (second - first)
        if gain.dtype.kind == "i":
            return ItemGains(gain, counts, unit, None)
        slack = max(self.noise, TIE) * np.maximum(np.abs(first), np.abs(second))
        return ItemGains(np.where(np.abs(gain) <= slack, 0.0, gain), counts, unit, slack)

    @cached_property
    def wins(self) -> int:
        """Items on which the candidate is better."""
        return int(self.item_gains.counts[self.item_gains.values > 0].sum())

    @cached_property
    def losses(self) -> int:
        """Items on which the candidate is worse."""
        return int(self.item_gains.counts[self.item_gains.values < 0].sum())

    @property
    def ties(self) -> int:
        """Items on which neither is better."""
        return self.n - self.wins - self.losses


def whole_differences(d: Floats) -> tuple[Ints, Fraction] | None:
    """Differences as whole numbers of a unit, where they are such though the scores may not be.

    Whatever their unit is, the least of them is a multiple of it.
    """
    least = Fraction(1)
    if np.count_nonzero(d) > 1:
        least = Fraction(float(np.abs(d[d != 0.0]).min()))
    found = as_lattice(d / float(least))
    return None if found is None else (found[0][0], found[1] * least)


def joint_of(
    arrays: Mapping[str, ArrayLike],
    metric: Metric,
    clusters: ArrayLike | None = None,
    *,
    source: Any = None,
) -> Joint:
    """Check several systems' per-item values and pair them: by index where they have one.

    Parameters
    ----------
    arrays : mapping of str to array_like
        Each system's values: ``(n,)``, or ``(n, k)`` in the order of the metric's columns. Plain
        arrays are paired by position, pandas Series and frames by their index.
    metric : Metric
        What scores them.
    clusters : array_like, optional
        One label per item; items of one cluster are not independent.
    source : Scores, optional
        What the arrays were taken from.
    """
    given, along, _ = aligned(arrays, {} if clusters is None else {"clusters": clusters})
    clusters = along.get("clusters")
    given = {name: columns_in_order(array, metric.columns, name) for name, array in given.items()}
    checked = {name: as_numbers(array, name) for name, array in given.items()}
    lengths = {name: len(values) for name, values in checked.items()}
    first, n = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != n:
            raise AlignmentError(
                f"{first} has {n:,} items and {name} has {length:,}: arrays are paired by "
                "position, so give both systems' values on the same items, in the same order"
            )
    if n == 0:
        raise DataError(f"there are no items to compare: {' and '.join(lengths)} are empty")
    for name, values in checked.items():
        if values.shape[1] != len(metric.columns):
            raise UsageError(
                f"{name} has {values.shape[1]} columns an item, but {metric!r} reads "
                f"{len(metric.columns)} ({', '.join(metric.columns)}): give an (items, "
                f"{len(metric.columns)}) array or choose another metric"
            )
    directed(metric)
    numbers = list(checked.values())
    if len({x.dtype for x in numbers}) > 1:
        numbers = [x.astype(np.float64) for x in numbers]
    codes, number = (None, None) if clusters is None else cluster_codes(clusters, n)
    exact = common_integers(list(given.values()))  # fractions and decimals are taken as they are
    if exact is not None and metric.form != "blackbox" and fits(exact[0]):
        whole = [x.reshape(n, -1) for x in exact[0]]
        tally, unit, noise = _tallied(whole, metric, codes, number)
        unit *= exact[1]
    else:
        tally, unit, noise = _tallied(numbers, metric, codes, number)
    return Joint(
        metric=metric,
        systems=tuple(checked),
        tally=tally,
        unit=unit,
        noise=noise,
        n=n,
        clusters=number,
        items=Items(tuple(numbers), codes, source),
    )


def pair_of(a: ArrayLike, b: ArrayLike, metric: Metric, clusters: ArrayLike | None = None) -> Pair:
    """Check the per-item values of a baseline and a candidate, and pair them."""
    return joint_of({"a": a, "b": b}, metric, clusters).pair(0, 1)


def _whole_items(values: Sequence[Numbers]) -> tuple[tuple[Ints, ...], Fraction] | None:
    """Floats as integers of one unit that can be summed, where they are such."""
    found = as_lattice(*values) or as_lattice(*one_precision(values))
    return found if found is not None and fits(found[0]) else None


def _tallied(
    values: Sequence[Numbers], metric: Metric, codes: Ints | None, clusters: int | None
) -> tuple[Tally, Fraction, float]:
    """Rows of all systems' projected sums per unit and its size, what a one stands for, and noise.

    Whole numbers are recovered item by item, before anything is summed.
    """
    n = len(values[0])
    if metric.form == "blackbox":  # no sums: items stay as they are
        last = np.zeros(n, dtype=np.int64) if codes is None else codes
        return Tally.of([*np.hstack(values).T, last]), Fraction(1), FLOAT_NOISE
    unit, noise = Fraction(1), 0.0
    if values[0].dtype.kind != "i":
        found = _whole_items(values)
        if found is not None:
            values, unit = found
        else:
            values = one_precision(values)
            noise = SINGLE_NOISE if all(map(is_single, values)) else FLOAT_NOISE
    blocks = [metric.project(x) for x in values]
    if values[0].dtype.kind == "i" and any(x.dtype.kind != "i" for x in blocks):
        blocks, noise = [x.astype(np.float64) for x in blocks], FLOAT_NOISE  # weights too large
    if codes is not None and clusters is not None:
        blocks = [cluster_sums(x, codes, clusters) for x in blocks]
    columns = [column for block in blocks for column in block.T]
    if codes is not None:
        return Tally.of([*columns, np.bincount(codes, minlength=clusters or 0)]), unit, noise
    made = Tally.of(columns)  # all units are of size one
    return Tally(np.insert(made.rows, made.rows.shape[1], 1, axis=1), made.counts), unit, noise
