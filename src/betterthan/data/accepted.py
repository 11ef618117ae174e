"""What functions on data accept: Scores, or a data frame of any kind, wide or long."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol

from betterthan.data.scores import Scores
from betterthan.data.tallied import ITEMS_NEEDED, Tallied
from betterthan.errors import FormatError, MissingScoresError, UsageError
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
    tasks: str | None = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
) -> Scores:
    """Take Scores as they are, and read a data frame as :meth:`Scores.from_frame` does.

    What the caller was told settles what columns are: ``systems``, where all that take part are
    named (None is one that is not), a ``label`` to break results down by, or that of ``tasks``, and
    the ``metric``.

    Examples
    --------
    >>> import polars as pl
    >>> as_scores(pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]}))
    <Scores: 2 items x 2 systems x 1 column ('base', 'new')>
    """
    for name in systems:
        if hasattr(name, "__len__") and not isinstance(name, str | bytes):
            raise UsageError(
                f"systems are named by text, and a {type(name).__name__} was given: scores of two "
                "systems are compared by bt.permutation_test(a, b), or by "
                "bt.compare(bt.Scores.from_arrays({'base': a, 'new': b}))"
            )
        if not isinstance(name, str | None):
            raise UsageError(
                f"systems are named by text, and {name!r} is none: write {str(name)!r}"
            )
    if isinstance(data, Scores):
        return data if tasks is None else data.with_tasks(tasks)
    if isinstance(data, Tallied):
        raise UsageError(f"this {ITEMS_NEEDED}")
    if isinstance(data, str | PathLike):
        raise UsageError(f"{str(data)!r} is a path, not data: read it first, bt.read({data!r})")
    if not hasattr(type(data), "columns"):  # of the type: a lazy frame would have to look
        kind = type(data).__name__
        raise UsageError(f"the data are a {kind}, which does not name systems: {ACCEPTED}")
    named = [name for name in systems if name is not None]
    told = {"label": label, "tasks": tasks, "metric": metric}
    if named and len(named) == len(systems):
        told["systems"] = list(dict.fromkeys(named))
    try:
        return Scores.from_frame(data, **told)
    except (FormatError, MissingScoresError) as error:
        raise type(error)(
            f"{error}. Say it to bt.read(frame, ...), and give what it reads"
        ) from error


def as_rows(
    data: Scores | Tallied | Frame, *, tasks: str | None = None, **told: Any
) -> Scores | Tallied:
    """Take a tally as it is where distinct rows will do, and all else as :func:`as_scores`."""
    if not isinstance(data, Tallied):
        return as_scores(data, tasks=tasks, **told)
    if tasks is not None:
        raise UsageError(f"a mean over tasks {ITEMS_NEEDED}")
    return data
