"""Items x responses: several raters, seeds or samples for every item, and not always as many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data import Scores, as_floats
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError, first_few

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The responses to every item, from one source: the gold raters, or one system.

    Attributes
    ----------
    values : (items, most responses) array
        One row an item; an item with fewer responses ends in NaN. Read-only.
    counts : (items,) array
        How many responses each item has, at least one.
    """

    values: Floats
    counts: Counts

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

    def first(self) -> Floats:
        """Return the first response to every item, ``(items, 1)``."""
        return self.values[:, :1]


class Trio(NamedTuple):
    """Gold judgements, the baseline ``a`` and the candidate ``b`` on the same items."""

    gold: Responses
    a: Responses
    b: Responses

    @property
    def n(self) -> int:
        """Number of items."""
        return self.gold.n

    def pool(self) -> Responses:
        """Both systems' responses to each item together: ``A_i | B_i`` of Wein et al. (2023)."""
        return as_responses(np.hstack([self.a.values, self.b.values]), "pool")


def as_responses(raw: ArrayLike | Sequence[ArrayLike] | Responses, what: str) -> Responses:
    """Turn ``(items,)``, ``(items, responses)`` or a list of lists into :class:`Responses`.

    NaN and None mark responses that are not there; the others keep their order.

    Examples
    --------
    >>> as_responses([[0.5, 0.75], [1.0]], "gold").counts
    array([2, 1])
    """
    if isinstance(raw, Responses):
        return raw
    block = _rectangle(raw, what)
    if block.ndim == 1:
        block = block[:, None]
    if block.ndim != 2:
        raise DataError(f"{what} has {block.ndim} dimensions: give items x responses")
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


def trio(
    gold: ArrayLike | Sequence[ArrayLike] | Responses,
    a: ArrayLike | Sequence[ArrayLike] | Responses,
    b: ArrayLike | Sequence[ArrayLike] | Responses,
) -> Trio:
    """Check gold, baseline and candidate and put them side by side."""
    made = Trio(as_responses(gold, "gold"), as_responses(a, "a"), as_responses(b, "b"))
    if len({made.gold.n, made.a.n, made.b.n}) > 1:
        raise AlignmentError(
            f"gold has {made.gold.n:,} items, a has {made.a.n:,} and b has {made.b.n:,}: items are "
            "matched by position, so give the same items in the same order"
        )
    return made


def from_scores(scores: Scores, gold: str, a: str, b: str) -> Trio:
    """Gold, baseline and candidate out of :class:`~betterthan.Scores`, by system name.

    Scores without a responses axis have one response an item.

    Examples
    --------
    >>> scores = Scores.from_responses({"gold": [[1, 2], [3]], "x": [[1], [2]], "y": [[2], [3]]})
    >>> from_scores(scores, "gold", "x", "y").gold.counts
    array([2, 1])
    """
    if len(scores.columns) != 1:
        raise UsageError(
            f"responses are one column of numbers, and the scores have {len(scores.columns)} "
            f"({', '.join(scores.columns)}): choose one"
        )
    block = scores.values if scores.responses is None else scores.responses[:, :, 0]
    return trio(*(block[:, scores.position(system)] for system in (gold, a, b)))


def _rectangle(raw: ArrayLike | Sequence[ArrayLike], what: str) -> Floats:
    """One float array, short rows filled with NaN."""
    if isinstance(raw, np.ndarray) and raw.dtype != object:
        return as_floats(raw, what)
    if np.isscalar(raw):
        raise DataError(f"{what} is a single value: give items x responses")
    rows = [
        as_floats(np.atleast_1d(np.asarray(row)), f"{what}, item {i + 1}")
        for i, row in enumerate(raw)  # type: ignore[arg-type]
    ]
    if any(row.ndim != 1 for row in rows):
        raise DataError(f"{what} has more than two dimensions: give items x responses")
    width = max((row.size for row in rows), default=0)
    block = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        block[i, : row.size] = row
    return block


def _numbers(rows: NDArray[np.int64]) -> str:
    """`` 3`` or ``s 3, 5 and 9``, counted from one."""
    return f"{'s' * (rows.size > 1)} {first_few(rows + 1)}".replace("'", "")
