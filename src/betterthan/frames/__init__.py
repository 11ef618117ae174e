"""Scores from data frames of any kind, wide or long."""

from collections.abc import Sequence
from typing import Any

from betterthan.data import Missing, Scores
from betterthan.frames.alignment import align
from betterthan.frames.cells import to_polars
from betterthan.frames.roles import Layout, Options
from betterthan.frames.table import table_from_frame
from betterthan.metrics import Metric

__all__ = ["scores_from_frame"]


def scores_from_frame(
    frame: Any,
    *,
    item: str | Sequence[str] | None = None,
    system: str | None = None,
    score: str | Sequence[str] | None = None,
    response: str | None = None,
    cluster: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool = False,
    metric: str | Metric | None = None,
    input_format: Layout | None = None,
    source: str = "",
) -> Scores:
    """Scores from any data frame (polars, pandas, pyarrow ...), its layout told by its columns.

    A table with a system column is long: a row per item and system, its columns of numbers are the
    scores (or, where there is a metric column, its metrics are). Without one it is wide, a column
    of numbers per system; or it holds the scores of a single system, when its columns are named
    so (``score``, ``correct``, ``tp`` ...). Columns of text are labels of the items.

    Parameters
    ----------
    frame : data frame
        Anything that narwhals knows.
    item, system, score, response, cluster : str, optional
        Names of the columns that play these parts. Several columns may make up an ``item`` or be
        scores: a sequence, or names separated by commas.
    missing : {"error", "drop", "worst", "pairwise"}
        What to do about cells that nobody has.
    lower_is_better : bool
        Direction of the scores, where the metric does not know it.
    metric : str or Metric, optional
        Keep only the columns that this metric needs.
    input_format : {"wide", "long", "single"}, optional
        The layout, where the names of the columns do not tell.
    source : str
        Where the frame comes from, for messages and the echo.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]})
    >>> scores_from_frame(frame).source
    'wide table · item=id · systems base, new · 2 items paired by id'
    """
    options = Options(
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing,
        lower_is_better=lower_is_better,
        metric=metric,
        input_format=input_format,
    )
    return align(table_from_frame(to_polars(frame), options, source=source), options)
