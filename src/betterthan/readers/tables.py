"""Tables in files: wide, long, one file per system, and the counts of Zmigrod et al. (2022)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan.data import Scores
from betterthan.errors import FormatError
from betterthan.frames.alignment import align
from betterthan.frames.roles import Options, possible_scores
from betterthan.frames.table import Table, merge, table_from_frame
from betterthan.readers import detect
from betterthan.readers.files import all_bytes, suffix, system_names
from betterthan.readers.records import read_json
from betterthan.readers.text import check_utf8, read_text

if TYPE_CHECKING:
    import polars as pl

ENCODINGS = ("csv", "tsv", "jsonl", "json", "parquet")
FORMATS = ("wide", "long", "single", "counts", *ENCODINGS)
# A line of the published code of Zmigrod et al. (2022) has no names: the correct predictions of
# either system, or the true positives and the incorrect predictions of either.
COUNTS = {2: ("correct",), 4: ("tp", "incorrect")}


def recognise(path: Path, head: bytes) -> bool:
    """Tables are what is nothing else; ``read`` says what is wrong with files that are not."""
    del path, head
    return True


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of one table, or of several put together."""
    names = system_names(files)
    if len(files) == 1:
        return align(_table(files[0], names[0], options, many=False), options)
    tables = [_table(f, n, options, many=True) for f, n in zip(files, names, strict=True)]
    return align(merge(tables, [str(file) for file in files]), options)


def _table(path: Path, name: str, options: Options, *, many: bool) -> Table:
    frame, named = frame_of(path, options)
    if options.input_format == "counts" and named:
        raise FormatError(f"{path}: files of counts have no line of names: delete line 1")
    if named:
        return table_from_frame(frame, options, source=path.name, name=name, many=many)
    if frame.width == 1:
        frame = frame.rename({frame.columns[0]: "score"})
        return table_from_frame(frame, options, source=path.name, name=name, many=many)
    if many or frame.width not in COUNTS or not _are_counts(frame):
        raise FormatError(
            f"{path}: line 1 holds {frame.width} numbers and no names: put a line of names above "
            "the data, such as item,score"
        )
    long = _counts(frame)
    table = table_from_frame(long, replace(options, input_format="long"), source=path.name)
    what = " and ".join(COUNTS[frame.width])
    return replace(
        table,
        origin=f"{path.name} · no names: {what} of two systems",
        roles=replace(table.roles, system=None),
    )


def frame_of(path: Path, options: Options, *, as_text: bool = False) -> "tuple[pl.DataFrame, bool]":
    """Return the table in a file, and whether its columns have names.

    Columns of delimited text that may be scores are numbers, unless all are wanted ``as_text``.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    where = str(path)
    asked = options.input_format
    promised = asked if asked in ENCODINGS else suffix(path)
    data = all_bytes(path)
    kind = detect.encoding(promised, data[: 1 << 16], where)
    if kind == "parquet":
        try:
            return pl.read_parquet(data), True
        except pl.exceptions.PolarsError as error:
            raise FormatError(f"{where} is a damaged Parquet file: write it again") from error
    check_utf8(data, where)
    if kind == "json":
        return read_json(data, where), True

    def scores(names: Sequence[str]) -> set[str]:
        return set() if as_text else possible_scores(names, options, where)

    return read_text(data, promised, where, scores)


def _are_counts(frame: "pl.DataFrame") -> bool:
    import polars as pl  # noqa: PLC0415 (heavy)

    return bool(frame.select(pl.all_horizontal(pl.all().str.contains(r"^\s*\d+\s*$").all())).item())


def _counts(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Turn the columns of the first system, then of the second, into a long table."""
    import polars as pl  # noqa: PLC0415 (heavy)

    columns = COUNTS[frame.width]
    k = len(columns)
    halves = [("first", frame.columns[:k]), ("second", frame.columns[k:])]
    return pl.concat(
        frame.select(pl.lit(system).alias("system"), *(pl.col(c).alias(n) for c, n in pairs))
        for system, half in halves
        for pairs in [list(zip(half, columns, strict=True))]
    )
