"""What functions on data accept: Scores, or a data frame of any kind, wide or long."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol

from betterthan.data.scores import Scores
from betterthan.data.tallied import ITEMS_NEEDED, Tallied
from betterthan.errors import FormatError, MissingScoresError, Remedy, UsageError
from betterthan.metrics import Metric

ACCEPTED = (
    "give Scores (bt.read(FILE), bt.Scores.from_arrays({...})) or a data frame of pandas, polars "
    "or pyarrow: a column per system, or a row per item and system"
)


class Frame(Protocol):
    """A data frame, of whatever library."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


def as_scores(
    data: Scores | Tallied | Frame,
    *,
    systems: Sequence[str | None] = (),
    label: str | None = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
) -> Scores:
    """Take Scores as they are, and read a data frame as :meth:`Scores.from_frame` does.

    What the caller was told settles what columns are: ``systems``, where all that take part are
    named (None is one that is not), a ``label`` to break results down by, and the ``metric``.

    Examples
    --------
    >>> import polars as pl
    >>> as_scores(pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]}))
    <Scores: 2 items x 2 systems>
    """
    for name in systems:
        if hasattr(name, "__len__") and not isinstance(name, str | bytes):
            raise UsageError(
                f"system names must be strings, got a {type(name).__name__}",
                Remedy("two arrays are compared by bt.permutation_test(a, b)"),
                Remedy("name the systems: bt.Scores.from_arrays({'base': a, 'new': b})"),
            )
        if not isinstance(name, str | None):
            raise UsageError(f"system names must be strings, got {name!r}")
    if isinstance(data, Scores):
        return data
    if isinstance(data, Tallied):
        raise UsageError(f"this {ITEMS_NEEDED}", Remedy("hold the single items", "items", True))
    if isinstance(data, str | PathLike):
        raise UsageError(f"{str(data)!r} is a path, not data: read it first, bt.read({data!r})")
    if not hasattr(type(data), "columns"):  # of the type: a lazy frame would have to look
        kind = type(data).__name__
        raise UsageError(f"the data are a {kind}, which does not name systems: {ACCEPTED}")
    named = [name for name in systems if name is not None]
    told = {"label": label, "metric": metric}
    if named and len(named) == len(systems):
        told["systems"] = list(dict.fromkeys(named))
    try:
        return Scores.from_frame(data, **told)
    except (FormatError, MissingScoresError) as error:
        raise error.with_remedies(
            Remedy("these are options of bt.read(frame, ...): pass on what it returns")
        ) from error


def as_rows(data: Scores | Tallied | Frame, **told: Any) -> Scores | Tallied:
    """Take a tally as it is where distinct rows will do, and all else as :func:`as_scores`."""
    return data if isinstance(data, Tallied) else as_scores(data, **told)
