"""What functions on data accept: Scores, tallies, or a data frame of any kind."""

from collections.abc import Sequence
from typing import Any, Protocol

from betterthan.checks import several
from betterthan.data.block import ITEMS_NEEDED
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, MissingScoresError, Remedy, UsageError, quote
from betterthan.metrics import Metric


class Frame(Protocol):
    """A data frame, of whatever library."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


def as_scores(
    data: Scores | Frame,
    *,
    systems: Sequence[str | None] = (),
    label: str | None = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
) -> Scores:
    """Take Scores as they are, and read a data frame as :func:`betterthan.read` does.

    What the call declares settles what columns are: ``systems``, where all that take part are
    named (None is one that is not), a ``label`` to break results down by, and the ``metric``.

    Examples
    --------
    >>> import polars as pl
    >>> as_scores(pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]}))
    <Scores: 2 items x 2 systems>
    """
    wrong = [name for name in systems if not isinstance(name, str | None)]
    if wrong:
        raise UsageError(
            f"system names must be strings, got {quote(wrong[0])}",
            Remedy("two arrays are compared by bt.permutation_test(a, b)"),
            Remedy("name the systems: bt.Scores.from_arrays({'base': a, 'new': b})"),
        )
    if isinstance(data, Scores):
        if data.counts is not None:
            raise UsageError(f"this {ITEMS_NEEDED}", Remedy("hold the single items", "items", True))
        return data
    if isinstance(data, Judgments):
        raise UsageError(
            "judgments of pairs are not scores",
            Remedy("rank them", command="rank"),
            Remedy("read shares of judgments won: bt.read(FILE, metric='win')"),
        )
    if not hasattr(type(data), "columns"):
        raise UsageError(
            f"data must be Scores or a data frame, got {quote(data)}",
            Remedy("read files with bt.read(FILE), arrays with bt.Scores.from_arrays({...})"),
        )
    # As heavy as polars, which arrays do not need.
    from betterthan.tables.aligned import aligned  # noqa: PLC0415
    from betterthan.tables.cells import Place  # noqa: PLC0415
    from betterthan.tables.declared import Declared, columns_of_metric  # noqa: PLC0415
    from betterthan.tables.frames import to_polars  # noqa: PLC0415
    from betterthan.tables.rows import typed  # noqa: PLC0415

    named = tuple(name for name in dict.fromkeys(systems) if name is not None)
    metrics = [] if metric is None else list(several("metric", metric))
    declared = Declared(
        systems=named if named and None not in systems else (),
        columns={} if label is None else {"label": (label,)},
        metrics=tuple(map(columns_of_metric, metrics)),
    )
    try:
        rows = typed(to_polars(data), declared, Place("the data frame"))
        return aligned(rows, systems=declared.systems, metric=metrics)
    except (FormatError, MissingScoresError) as error:
        raise error.with_remedies(
            Remedy("these are options of bt.read(frame, ...): pass on what it returns")
        ) from error


def as_rows(data: Scores | Frame, **declared: Any) -> Scores:
    """Take a tally as it is where distinct rows are enough, and all else as :func:`as_scores`."""
    if isinstance(data, Scores) and data.counts is not None:
        return data
    return as_scores(data, **declared)
