"""Scores as a long table, which reads back as the same Scores."""

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from betterthan.data import Scores
from betterthan.errors import UsageError

if TYPE_CHECKING:
    import polars as pl


def long_frame(scores: Scores) -> "pl.DataFrame":
    """Return a row per system and item: ``item, system, [cluster,] [labels ...,] columns ...``.

    Items that were paired by position are numbered from one; columns of whole numbers are written
    as such.

    Examples
    --------
    >>> long_frame(Scores.from_arrays({"base": [0, 1], "new": [1, 1]})).rows()
    [('1', 'base', 0), ('2', 'base', 1), ('1', 'new', 1), ('2', 'new', 1)]
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    if scores.responses is not None:
        raise UsageError("several responses an item cannot be written as one row: keep the table")
    n, systems, _ = scores.values.shape
    items = np.arange(1, n + 1).astype(str).tolist() if scores.items is None else scores.items
    labels = {} if scores.clusters is None else {"cluster": scores.clusters}
    labels |= {name: values for name, values in scores.groups.items() if name != "cluster"}
    data: dict[str, object] = {"item": [*items] * systems}
    data["system"] = [name for name in scores.systems for _ in range(n)]
    data |= {name: [*values] * systems for name, values in labels.items()}
    for k, name in enumerate(scores.columns):
        column = scores.values[:, :, k].T.ravel()
        whole = bool((column == np.round(column)).all())  # NaN is not
        data[name] = column.astype(np.int64) if whole else column
    return pl.DataFrame(data)


def encode(frame: "pl.DataFrame", suffix: str) -> bytes:
    """Return a frame as the bytes of a file with this suffix."""
    buffer = BytesIO()
    if suffix in (".parquet", ".pq"):
        frame.write_parquet(buffer)
    elif suffix == ".jsonl":
        frame.write_ndjson(buffer)
    else:
        frame.write_csv(buffer, separator="\t" if suffix == ".tsv" else ",")
    return buffer.getvalue()
