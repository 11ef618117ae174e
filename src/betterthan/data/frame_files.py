"""Frames as the bytes of files."""

from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def encode(frame: "pl.DataFrame", suffix: str) -> bytes:
    """Return a frame as the bytes of a file with this suffix."""
    buffer = BytesIO()
    if suffix in (".parquet", ".pq"):
        frame.write_parquet(buffer)
    elif suffix == ".jsonl":
        frame.write_ndjson(buffer)
    elif suffix == ".json":
        frame.write_json(buffer)
    else:
        frame.write_csv(buffer, separator="\t" if suffix == ".tsv" else ",")
    return buffer.getvalue()
