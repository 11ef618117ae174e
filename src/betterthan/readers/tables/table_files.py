"""Tables in files: wide, long, one file per system, and the counts of Zmigrod et al. (2022)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan.data.frames.alignment import scores_of_rows
from betterthan.data.frames.cells import Place, are_labels
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import possible_scores, suggested
from betterthan.data.frames.typed_rows import MANY, TypedRows, merge, typed_rows
from betterthan.data.scores import Scores
from betterthan.errors import (
    COLUMN,
    Choice,
    FormatError,
    Remedy,
    TooLargeError,
    first_few,
    how_many,
)
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes, is_compressed, refuse_partial, suffix, system_names
from betterthan.readers.streams import Given, Stream
from betterthan.readers.tables import detect
from betterthan.readers.tables.delimited import as_utf8, check_utf8, line_of, read_delimited
from betterthan.readers.tables.parquet import read_parquet
from betterthan.readers.tables.records import read_json, record_of
from betterthan.readers.tables.text_ends import check_lines
from betterthan.readers.tables.unnamed import (
    begins_numbered,
    no_names,
    refuse_ids,
    refuse_numbered,
    refuse_numbered_alone,
)

if TYPE_CHECKING:
    import polars as pl

SCANNED = ("csv", "tsv", "jsonl", "parquet")
ENCODINGS = ("csv", "tsv", "jsonl", "json", "parquet")
FORMATS = ("wide", "long", "single", "transposed", "counts", *ENCODINGS)
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
    "counts": Example(
        "counts of two systems, without names", "betterthan compare counts.csv", "8,6\n5,5"
    ),
}
# A line of the published code of Zmigrod et al. (2022) has no names: the correct predictions of
# either system, or the true positives and the incorrect predictions of either.
COUNTS = {2: ("correct",), 4: ("tp", "incorrect")}


def recognise(path: Path, head: bytes) -> bool:
    """Tables are what is nothing else; ``read`` says what is wrong with files that are not."""
    del path, head
    return True


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of one table, or of several put together."""
    if any(isinstance(path, Given) for path in files):
        refuse_partial(files)
    try:
        return _read(files, options)
    except (TooLargeError, MemoryError) as error:
        said = f"there is not enough memory for {first_few(files)}"
        remedies: tuple[Remedy, ...] = ()
        if isinstance(error, TooLargeError):
            said, remedies = error.message, error.remedies
        counted = [Remedy("count it in place", "items", False)] * all(map(can_be_scanned, files))
        raise TooLargeError(said, *counted, *remedies) from error


def can_be_scanned(path: Path) -> bool:
    """Whether a table is in a file that can be counted without being read as a whole."""
    if isinstance(path, Stream) or suffix(path) not in SCANNED or is_compressed(path):
        return False
    try:
        return suffix(path) == "parquet" or bool(check_lines(path))
    except FormatError:
        return False


def _read(files: Sequence[Path], options: Options) -> Scores:
    names, many = system_names(files), len(files) > 1
    asked = names_given(options.systems, names)
    if many and asked and set(asked).issubset(names):  # files of other systems decide nothing
        own = [(f, n) for f, n in zip(files, names, strict=True) if n in asked]
        files, names = [f for f, _ in own], [n for _, n in own]
    doubtful: list[Path] = []
    tables = [_table(f, n, options, doubtful, many=many) for f, n in zip(files, names, strict=True)]
    refuse_numbered_alone(doubtful, files)
    if not many:
        return scores_of_rows(tables[0], options)
    return scores_of_rows(merge(tables, [str(file) for file in files]), options)


def _table(
    path: Path, name: str, options: Options, doubtful: list[Path], *, many: bool
) -> TypedRows:
    """Return the rows of a file; ``doubtful`` are those of one column that may be called 0."""
    frame, named, place = _opened(path, options)
    if options.input_format == "counts" and named:
        raise FormatError(f"{path}: files of counts have no line of names: delete line 1")
    if options.no_header:
        frame, options = _numbered(frame, options)
    if named or options.no_header:
        table = typed_rows(frame, options, source=path.name, name=name, many=many, place=place)
        return _scored(table) if options.no_header else table
    if frame.width == 1:
        frame = frame.rename({frame.columns[0]: "score"})
        doubtful += [path] * begins_numbered(frame)
        return typed_rows(frame, options, source=path.name, name=name, many=many, place=place)
    counted = not many and frame.width in COUNTS and _are_counts(frame)
    if options.input_format != "counts":
        if counted:
            refuse_ids(frame, str(path))
        refuse_numbered(frame, str(path), counts=counted)
    if not counted:
        raise no_names(str(path), frame.width)
    long = _counts(frame)
    table = typed_rows(long, replace(options, input_format="long"), source=path.name)
    what = " and ".join(COUNTS[frame.width])
    return replace(
        table,
        origin=f"{path.name} · no names: {what} of two systems",
        roles=replace(table.roles, system=None),
        by_rows=False,
    )


def _numbered(frame: "pl.DataFrame", options: Options) -> "tuple[pl.DataFrame, Options]":
    """Call columns by their number; a first one of text that is never the same names the items."""
    frame.columns = [f"column_{k}" for k in range(1, frame.width + 1)]
    first = frame[frame.columns[0]]
    free = options.item is None and first.name not in (options.system, options.cluster)
    if free and options.input_format != "transposed":
        distinct = first.null_count() == 0 and first.n_unique() == len(first)
        if distinct and frame.width > 1 and are_labels(first):
            return frame, replace(options, item=first.name)
    return frame, options


def _scored(table: TypedRows) -> TypedRows:
    """Call the only column of one system's scores so: its number is no name of what it holds."""
    if table.layout == "wide" or table.scores.width > 1:
        return table
    scores = table.scores.rename({table.scores.columns[0]: "score"})
    return replace(table, scores=scores, roles=replace(table.roles, scores=("score",)))


def frame_of(path: Path, options: Options, *, as_text: bool = False) -> "tuple[pl.DataFrame, bool]":
    """Return the table in a file, and whether its columns have names.

    Columns of delimited text that may be scores are numbers, unless all are wanted ``as_text``.
    """
    return _opened(path, options, as_text=as_text)[:2]


def _opened(
    path: Path, options: Options, *, as_text: bool = False
) -> "tuple[pl.DataFrame, bool, Place]":
    """Return the table in a file, whether its columns have names, and what its rows are called."""
    where = str(path)
    asked = options.input_format
    promised = asked if asked in ENCODINGS else suffix(path)
    data = as_utf8(all_bytes(path), where)
    kind = detect.encoding(promised, data[: 1 << 16], where)
    if options.no_header and kind != "text":
        raise FormatError(
            f"{where} looks like {kind}, and only delimited text can lack a header",
            Remedy("read it as it looks", "input_format", kind),
        )
    if kind == "parquet":
        return read_parquet(data, where), True, Place(where)
    check_utf8(data, where)
    if kind == "json":
        frame, nested, inside = read_json(data, where, options.columns)
        refuse_nested_ids(nested, frame.columns, options, where)
        return frame, True, Place(where, partial(record_of, data), nested, inside, keyed=True)

    def scores(names: Sequence[str]) -> set[str]:
        if as_text:
            return set()
        refuse_wide(len(names), data.count(b"\n"), options, where)  # before they are taken apart
        return possible_scores(names, options, where)

    frame, named, commas = read_delimited(
        data, promised, where, scores, no_header=options.no_header
    )
    return frame, named, Place(where, partial(line_of, data, promised, named), commas=commas)


def refuse_wide(width: int, rows: int, options: Options, where: str) -> None:
    """Refuse far more columns than rows, as :func:`typed_rows` would after some time."""
    told = options.input_format or options.systems or options.score or options.metrics
    if not told and width > 2 * max(MANY, rows):
        raise FormatError(
            f"{where}: {width:,} columns on {how_many(rows, 'row')} at most: are they items or "
            "systems?",
            Remedy("the columns are items", "input_format", "transposed"),
            Remedy("they are systems", "input_format", "wide"),
            Remedy("one holds the scores", "columns", {"score": COLUMN}),
        )


def refuse_nested_ids(
    nested: Sequence[str], others: Sequence[str], options: Options, where: str
) -> None:
    """Refuse ids that are records or lists: rows would be paired as they come, without them."""
    asked = names_given(options.item, ())
    named = asked or any("item" in suggested(name) for name in others)
    for name in nested:
        if name in asked or (not named and "item" in suggested(name)):
            raise FormatError(
                f"{where}: {name!r} holds records or lists, and the id of an item is a text or a "
                "number",
                Remedy("a field inside of it", "columns", {"item": Choice(f"{name}.FIELD")}),
            )


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
