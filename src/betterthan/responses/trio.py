"""Items x responses: several raters, seeds or samples for every item, and not always as many.

A :class:`Trio` holds gold, baseline and candidate, from arrays, from Scores or from files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import aligned, rectangle
from betterthan.data.scores import Scores
from betterthan.data.tally import item_order
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    DataError,
    Remedy,
    UsageError,
    first_few,
)
from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import Rng, as_generator, as_seed


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The responses to every item, from one source: the gold raters, or one system.

    Attributes
    ----------
    values : (items, most responses) array
        One row per item; an item with fewer responses ends in NaN. Read-only.
    counts : (items,) array
        How many responses each item has, at least one.
    """

    values: Floats
    counts: Ints

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.values)

    @property
    def most(self) -> int:
        """Largest number of responses to an item."""
        return int(self.values.shape[1])

    @property
    def even(self) -> bool:
        """Whether every item has the same number of responses."""
        return bool((self.counts == self.most).all())

    @property
    def sds(self) -> Floats:
        """Standard deviation of the responses to each item; zero where there is but one."""
        deviations = np.zeros(self.n)
        several = self.counts > 1
        deviations[several] = np.nanstd(self.values[several], axis=1, ddof=1)
        return deviations

    def first(self) -> Floats:
        """Return the first response to every item, ``(items, 1)``."""
        return self.values[:, :1]


RawResponses = ArrayLike | Sequence[ArrayLike] | Responses
"""Items x responses: an array or frame, NaN where an item has fewer, or a list of lists."""


class Trio(NamedTuple):
    """Gold judgements, the baseline ``a`` and the candidate ``b`` on the same items."""

    gold: Responses
    a: Responses
    b: Responses

    @property
    def n(self) -> int:
        """Number of items."""
        return self.gold.n

    @property
    def uneven(self) -> int:
        """Number of items to which the two systems gave unequal numbers of responses."""
        return int((self.a.counts != self.b.counts).sum())

    def ordered(self) -> Ints:
        """Positions of the items, sorted by what they hold: their order says nothing.

        >>> trio([1, 0, 0], [[2, 3], [2], [1]], [1, 1, 1]).ordered().tolist()
        [2, 1, 0]
        """
        held = [np.where(np.isnan(x.values), np.inf, x.values) for x in self]
        return item_order(held, None)

    def at(self, items: Ints) -> "Trio":
        """Return some of the items, in this order."""
        return Trio(*(Responses(x.values[items], x.counts[items]) for x in self))

    def evened(self, rng: Rng = None) -> "Trio":
        """As many responses of either system to an item: the fewer of both, drawn at random.

        >>> made = trio([1, 2], [[1], [2, 3]], [[4, 5], [6, 7]]).evened(0)
        >>> made.a.counts.tolist(), made.b.counts.tolist(), made.b.values[1].tolist()
        ([1, 2], [1, 2], [6.0, 7.0])
        """
        fewest = np.minimum(self.a.counts, self.b.counts)
        # A seed of its own: swaps must not depend on what was drawn.
        generator = as_generator(np.random.SeedSequence(as_seed(rng), spawn_key=(1,)))
        kept = [_drawn(x, fewest, generator) for x in (self.a, self.b)]
        return Trio(self.gold, *kept)

    def pool(self) -> Responses:
        """Both systems' responses to each item together: ``A_i | B_i`` of Wein et al. (2023)."""
        return as_responses(np.hstack([self.a.values, self.b.values]), "pool")


def as_responses(raw: RawResponses, what: str) -> Responses:
    """Turn ``(items,)``, ``(items, responses)`` or a list of lists into :class:`Responses`.

    NaN and None mark responses that are not there; the others keep their order.

    Examples
    --------
    >>> as_responses([[0.5, 0.75], [1.0]], "gold").counts
    array([2, 1])
    """
    if isinstance(raw, Responses):
        return raw
    block = rectangle(raw, what)
    if block.ndim != 2:
        raise DataError(f"{what} must be items x responses, not of {block.ndim} dimensions")
    if block.size == 0:
        raise DataError(f"{what} has no responses at all")
    if np.isinf(block).any():
        rows = np.flatnonzero(np.isinf(block).any(axis=1))
        raise BadValueError(
            f"{what} is infinite at item{_numbers(rows)}: correct these responses or leave the "
            "items out of gold, a and b alike"
        )
    absent = np.isnan(block)
    counts = block.shape[1] - absent.sum(axis=1)
    if not counts.all():
        rows = np.flatnonzero(counts == 0)
        raise AlignmentError(
            f"{what} has no response to item{_numbers(rows)}: collect one, or leave the items out "
            "of gold, a and b alike"
        )
    if absent.any():
        order = np.argsort(absent, axis=1, kind="stable")
        block = np.take_along_axis(block, order, axis=1)[:, : int(counts.max())]
    block = np.ascontiguousarray(block)
    block.flags.writeable = False
    return Responses(block, counts.astype(np.int64))


def trio(gold: RawResponses, a: RawResponses, b: RawResponses) -> Trio:
    """Check gold, baseline and candidate and put them side by side.

    Items are paired by position, and those of pandas Series and frames by their index.
    """
    given, _, _ = aligned({"gold": gold, "a": a, "b": b})
    made = Trio(*(as_responses(raw, what) for what, raw in given.items()))
    if len({made.gold.n, made.a.n, made.b.n}) > 1:
        raise AlignmentError(
            f"gold has {made.gold.n:,} items, a has {made.a.n:,} and b has {made.b.n:,}: items are "
            "matched by position"
        )
    return made


def from_scores(scores: Scores, gold: str, baseline: str, candidate: str) -> Trio:
    """Gold, baseline and candidate out of :class:`~betterthan.Scores`, by system name.

    Scores without a responses axis have one response per item.

    Examples
    --------
    >>> scores = Scores.from_responses({"gold": [[1, 2], [3]], "x": [[1], [2]], "y": [[2], [3]]})
    >>> from_scores(scores, "gold", "x", "y").gold.counts
    array([2, 1])
    """
    if len(scores.columns) != 1:
        raise UsageError(
            f"responses are one column of numbers, and the scores have {len(scores.columns)} "
            f"({', '.join(scores.columns)})",
            Remedy("", "columns", {"score": scores.columns[0]}),
        )
    block = scores.values if scores.responses is None else scores.responses[:, :, 0]
    return trio(*(block[:, scores.position(system)] for system in (gold, baseline, candidate)))


def _drawn(source: Responses, number: Ints, generator: np.random.Generator) -> Responses:
    """So many of each item's responses, in their order."""
    keys = generator.random(source.values.shape)
    keys[np.isnan(source.values)] = 2.0  # what is not there comes last
    place = keys.argsort(axis=1).argsort(axis=1)
    return as_responses(np.where(place < number[:, None], source.values, np.nan), "what was drawn")


def _numbers(rows: NDArray[np.int64]) -> str:
    """`` 3`` or ``s 3, 5 and 9``, counted from one."""
    return f"{'s' * (rows.size > 1)} {first_few(rows + 1)}".replace("'", "")
