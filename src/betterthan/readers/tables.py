"""The family of tables: CSV, JSON Lines, JSON and Parquet, frames and tables in engines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from betterthan.data.scores import Scores
from betterthan.errors import DataError
from betterthan.readers.counting import count
from betterthan.readers.examples import Example
from betterthan.readers.lazy_sources import fits, is_counted
from betterthan.readers.options import LAYOUTS, Options
from betterthan.readers.table_files import read_items
from betterthan.tables.opening import ENCODINGS

FORMATS = (*LAYOUTS, "transposed", *ENCODINGS)
EXAMPLES = {
    "wide": Example(
        "a table with a column per system",
        "betterthan compare runs.csv",
        "item,base,new\nq1,0,1\nq2,1,1",
    ),
    "long": Example(
        "a table with a row per item and system",
        "betterthan compare runs.csv --metric f1",
        "item,system,tp,fp,fn\ns1,crf,2,1,0\ns1,bert,3,0,0",
    ),
    "single": Example(
        "one file per system",
        "betterthan compare base.csv new.csv",
        "item,score\nq1,0.5\nq2,0.75",
    ),
    "transposed": Example(
        "a table with a row per system, if asked",
        "betterthan compare runs.csv --input-format 'csv(transposed=yes)'",
        "system,q1,q2\nbase,0,1\nnew,1,1",
    ),
}


def recognise(path: Path, head: bytes) -> bool:
    """Tables are what is nothing else; ``read`` says what is wrong with files that are not."""
    del path, head
    return True


def read(sources: Sequence[Any], options: Options) -> Scores:
    """Scores of tables, or their tally, if they are counted where they are."""
    if is_counted(sources, options):
        try:
            return count(sources, options)
        except DataError:
            if not all(map(fits, sources)):
                raise  # else reading says more, or takes them
    return read_items(sources, options)
