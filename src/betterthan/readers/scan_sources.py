"""What is scanned, as a lazy frame: files of the formats that engines read, or a table in one."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from betterthan.data.frames.cells import ids
from betterthan.data.frames.foreign import column_names, to_polars
from betterthan.data.frames.item_labels import DATA, GIVEN, apart, folded, other_data, other_items
from betterthan.data.frames.kept_rows import Where, column_called, values_asked
from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import plain
from betterthan.data.frames.score_names import shared_name
from betterthan.data.frames.typed_rows import TypedRows, typed_rows
from betterthan.data.labels import whole_text
from betterthan.errors import FIRST, LONGEST, FormatError, UsageError, first_few, listing, quote
from betterthan.readers.families import Family, recognised
from betterthan.readers.files import BOM, is_compressed, meant, refuse_partial, suffix, unpiped
from betterthan.readers.remedies import READ_ITEMS
from betterthan.readers.scan_queries import collected, in_parts
from betterthan.readers.tables import table_files
from betterthan.readers.tables.detect import BY_SUFFIX
from betterthan.readers.tables.odd_json import refuse_halves, refuse_in_head
from betterthan.readers.tables.parquet import check_file
from betterthan.readers.tables.text_ends import check_lines, check_names

if TYPE_CHECKING:
    import polars as pl

    from betterthan.readers.scan_queries import Lazy

HEAD = 10_000  # rows from which the kinds of columns, and the parts that they play, are told


def lazy_table(
    source: Any, wanted: Family, numbers: Callable[[Sequence[str]], Collection[str]]
) -> "tuple[Lazy, str]":
    """Return a source of the family wanted as a lazy frame, and what messages call it.

    ``numbers`` tells, from the names of all columns, those that are not wanted as they are written:
    of text files all others are text, so that ``3.1`` and ``3.10`` are two systems.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    if not isinstance(source, str | PathLike):
        try:
            # What is in memory comes through the door of `read`, whatever its cells and names are.
            eager = nw.dependencies.is_into_dataframe(source)
            frame = nw.from_native(to_polars(source) if eager else source)
            if not eager and not isinstance(source, pl.LazyFrame | nw.LazyFrame):
                column_names(getattr(source, "columns", ()))  # engines may have two of one name
        except TypeError as error:
            raise UsageError(
                f"sources must be files, data frames or lazy frames of polars, DuckDB, Ibis, Dask "
                f"or Spark, not {quote(source)}"
            ) from error
        except nw.exceptions.DuplicateError as error:
            said = " ".join(str(error).split())
            raise FormatError(f"there are columns of one name ({said}): rename them") from error
        return frame.lazy(), f"the {type(source).__module__.partition('.')[0]} frame"
    files = unpiped(source)
    _refuse_others(files[0], wanted)
    refuse_partial(files)
    if odd := [path for path in files if whole_text(str(path)) != str(path)]:
        raise FormatError(
            f"{odd[0]} cannot be counted in place, because its name is not UTF-8: rename it",
            READ_ITEMS,
        )
    kinds = {suffix(path) for path in files}
    if len(kinds) > 1:
        raise FormatError(f"{source} holds files of several kinds: {first_few(sorted(kinds))}")
    kind, where = kinds.pop(), Path(source).name if len(files) == 1 else str(source)
    try:
        marked = [_check(path, kind) for path in files]
        if kind == "parquet":
            # What a file says of its least and largest values and of its blanks need not be true.
            lazy = pl.scan_parquet(files, glob=False, use_statistics=False)
            return nw.from_native(lazy), where
        if kind in BY_SUFFIX:
            return nw.from_native(_delimited(files, kind, numbers, marked)), where
        if kind == "jsonl":
            return nw.from_native(pl.scan_ndjson(files, infer_schema_length=HEAD)), where
    except engine_errors() as error:
        raise unscanned([source], error) from error
    raise FormatError(
        f"{source} cannot be counted in place: only Parquet, CSV, TSV and JSON Lines files can",
        READ_ITEMS,
    )


def kept_lazily(frame: "Lazy", where: Where | None, place: str) -> "Lazy":
    """Keep those rows of a lazy frame that were asked for."""
    for name, asked in (where or {}).items():
        column = column_called(name, frame.collect_schema().names(), place)
        values = collected(frame.select(column).unique())[column].to_list()
        frame = frame.filter(nw.col(column).is_in(values_asked(column, asked, values, place)))
    return frame


def _delimited(
    files: Sequence[Path],
    kind: str,
    numbers: Callable[[Sequence[str]], Collection[str]],
    marked: Sequence[bool | None],
) -> "pl.LazyFrame":
    """Files of delimited text; ``marked`` tells of each whether its quotation marks quote cells.

    Where they do in some and are text in others, each is scanned by itself, its columns being of
    the kinds that they are of in the first.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    text = partial(pl.scan_csv, glob=False, separator=BY_SUFFIX[kind], infer_schema_length=HEAD)
    marks = [None if quotes is False else '"' for quotes in marked]
    alike = False not in marked or True not in marked
    if alike and False in marked:
        marks = [None] * len(files)
    first = partial(text, files if alike else files[:1], quote_char=marks[0])
    names = first(infer_schema=False).collect_schema().names()
    counted = numbers(names)
    lazy = first(schema_overrides={name: pl.String for name in names if name not in counted})
    if alike:
        return lazy
    kinds = lazy.collect_schema()
    rest = zip(files[1:], marks[1:], strict=True)
    return pl.concat(
        [lazy, *(text(path, quote_char=mark, schema_overrides=kinds) for path, mark in rest)]
    )


def called_alike(
    tables: "Sequence[tuple[Lazy, str]]",
    names: Sequence[str],
    first: TypedRows,
    options: Options,
    files: Sequence[Path],
) -> "tuple[list[tuple[Lazy, str]], TypedRows]":
    """Tables of one system each, their only column of scores under one name."""
    (column,) = first.scored
    columns = [column]
    for (frame, where), name in [*zip(tables, names, strict=True)][1:]:
        its = [column]
        if options.score is None and column not in frame.collect_schema():
            rows = typed_rows(
                collected(frame.head(HEAD)), options, source=where, name=name, many=True
            )
            its = [*rows.scored]
        columns += its if len(its) == 1 else [column]  # which is then found to be lacking
    places = [where for _, where in tables] if len(files) < len(tables) else [*map(str, files)]
    shared = shared_name(columns, names, places)
    renamed = [
        (frame if own == shared else frame.rename({own: shared}), where)
        for (frame, where), own in zip(tables, columns, strict=True)
    ]
    return renamed, replace(first, layout="single", scored=(shared,))


def stacked(tables: "Sequence[tuple[Lazy, str]]") -> "Lazy":
    """Tables one below the other by the names of their columns: some engines go by the places."""
    (first, where), *others = tables
    names = first.collect_schema().names()
    for frame, place in others:
        theirs = frame.collect_schema().names()
        if odd := {*names}.symmetric_difference(theirs):
            raise FormatError(
                f"{where} and {place} differ in their columns ({first_few(sorted(odd))}): give "
                "tables of the same columns"
            )
    return nw.concat([frame.select(*names) for frame, _ in tables]) if others else first


def refuse_unlike(sources: Sequence[Any], keys: Collection[str]) -> None:
    """Refuse ids and names that an engine would take for others; it takes a look at all."""
    for source in sources:
        if isinstance(source, str | PathLike):
            for path in meant(source):
                if suffix(path) == "jsonl":
                    refuse_halves(path, keys)


def _refuse_others(path: Path, wanted: Family) -> None:
    """Refuse what is not of the family wanted: tables of scores, or judgments."""
    found = recognised(path)
    if found is wanted:
        return
    if wanted is not table_files:
        raise FormatError(f"{path} holds no {wanted.FORMATS[0]}: there is nothing to count")
    if found.FORMATS == ("judgments",):
        raise FormatError(f"{path} holds judgments, and tables of scores were asked for")
    raise FormatError(
        f"{path} is a log ({found.FORMATS[0]}), and only tables can be counted in place", READ_ITEMS
    )


def _check(path: Path, kind: str) -> bool | None:
    """Refuse a file that an engine would take for something else, or choke on.

    Return of delimited text whether its quotation marks quote cells; None if there are none.
    """
    if is_compressed(path):
        raise FormatError(
            f"{path} is compressed and cannot be counted in place: decompress it", READ_ITEMS
        )
    if kind == "parquet":
        check_file(path)
    elif kind in BY_SUFFIX:
        return check_names(path, BY_SUFFIX[kind])
    elif kind == "jsonl":
        refuse_in_head(check_lines(path).removeprefix(BOM), str(path))
    return None


def refuse_other_items(tables: "Sequence[tuple[Lazy, str]]", typed: TypedRows) -> None:
    """Refuse the same ids with other questions, as reading does; a look of its own at all rows."""
    import polars as pl  # noqa: PLC0415 (heavy)

    item, system = typed.roles.item, typed.roles.system
    for name in typed.labels.columns:
        given, data = GIVEN.fullmatch(plain(name)), DATA.fullmatch(plain(name))
        if not (given or data):
            continue
        if not all({name, *item} <= {*frame.collect_schema().names()} for frame, _ in tables):
            continue
        throughout = [_told_by_system(frame, name, system) for frame, _ in tables]
        if all(throughout):
            told = {plain(one): one for some in throughout for one in some}
            if data and len(told) > 1:
                raise other_data(
                    f"{tables[0][1]}: systems differ in {name!r} ({first_few(told.values())})",
                    name,
                    item,
                )
            continue
        if data:
            continue
        texts = nw.concat([frame.select(*item, name) for frame, _ in tables])
        found = _asked_otherwise(texts, name, item)
        if found is not None and isinstance(native := texts.to_native(), pl.LazyFrame):
            # Only then is it worth while to look at what the texts have in common.
            texts = nw.from_native(native.with_columns(folded(pl.col(name).cast(pl.String))))
            found = _asked_otherwise(texts, name, item)
        if found is not None:
            some = first_few(ids([found[one] for one in item]).to_list())
            shown = apart(str(found["least"][0]), str(found["most"][0]))
            raise other_items(
                f"{tables[0][1]}: systems differ in {name!r} on items ({some} ...; {shown})",
                None,
                item,
            )


def _asked_otherwise(texts: "Lazy", name: str, item: Sequence[str]) -> "pl.DataFrame | None":
    """The first items that have several texts, with two of them; None where there are none."""
    for part in in_parts(texts, item):
        ends = part.group_by(*item).agg(*_ends(name))
        several = ends.filter(nw.col("least") != nw.col("most"))
        if len(found := collected(several.sort(*item).head(FIRST))):
            return found
    return None


def _told_by_system(frame: "Lazy", name: str, system: str | None) -> list[str]:
    """The value of each system, if it is the same in all its rows, as its prompt's name; or none.

    Systems without any value say nothing.
    """
    ends = _ends(name)
    found = collected(frame.group_by(system).agg(*ends) if system else frame.select(*ends))
    if not (found["least"] == found["most"]).all():
        return []
    return sorted(str(one) for one in found["least"].to_list() if one is not None)


def _ends(name: str) -> tuple[nw.Expr, nw.Expr]:
    return nw.col(name).min().alias("least"), nw.col(name).max().alias("most")


def unscanned(sources: Sequence[Any], error: BaseException) -> FormatError:
    """Say what an engine said, without its advice, which names options of its own."""
    named = [str(one) if isinstance(one, str | PathLike) else "the frame" for one in sources]
    where = listing(named, 3)
    said = str(error).strip().partition("\n\nYou might want to try")[0]
    return FormatError(
        f"{where} cannot be counted in place, for the engine says {quote(said, LONGEST)}",
        READ_ITEMS,
    )


def engine_errors() -> tuple[type[BaseException], ...]:
    """What engines raise."""
    import polars as pl  # noqa: PLC0415 (heavy)

    panic = pl.exceptions.PanicException
    ours = RecursionError, OSError  # of what is nested without end, and of files
    return pl.exceptions.PolarsError, panic, nw.exceptions.NarwhalsError, *ours
