"""Tables in files: one, or several put together, each with a system or more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan.data.scores import Scores
from betterthan.errors import BetterthanError
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes, suffix, system_names
from betterthan.readers.logs.log_texts import ItemTexts
from betterthan.readers.options import Options, names_given
from betterthan.readers.streams import allowed_memory
from betterthan.tables.aligned import aligned
from betterthan.tables.columns import seen
from betterthan.tables.names import plain, role_of
from betterthan.tables.opening import ENCODINGS, Written, opened
from betterthan.tables.roles import Declared, Layout, columns_of_metric
from betterthan.tables.rows import Rows, merged, typed
from betterthan.tables.transposed import turned
from betterthan.tables.unclear import listed

if TYPE_CHECKING:
    import polars as pl

    from betterthan.tables.cells import Place

MOST_SHOWN = 40  # columns that are laid out
LAYOUTS: tuple[Layout, ...] = ("wide", "long", "single")
LOOKED_AT = 10_000
"""Rows from which the roles of columns are told, of tables that are only counted."""
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


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of one table, or of several put together."""
    files, names = chosen_files(files, options)
    rows = rows_of_tables([frame_of(path, options) for path in files], names, options)
    return scores_of(merged(rows) if len(rows) > 1 else rows[0], options)


def chosen_files(files: Sequence[Path], options: Options) -> tuple[list[Path], list[str]]:
    """Return files and what their systems are called; files of other systems decide nothing."""
    names = system_names(files)
    chosen = names_given(options.systems, names)
    if len(files) > 1 and chosen and {*chosen} <= {*names}:
        files = [file for file, name in zip(files, names, strict=True) if name in chosen]
        names = [name for name in names if name in chosen]
    return list(files), names


def rows_of_tables(
    tables: "Sequence[tuple[pl.DataFrame, Place]]", names: Sequence[str], options: Options
) -> list[Rows]:
    """Typed rows of tables: of one, of its parts, or of one per system."""
    many = len(tables) > 1 and not _are_parts(tables[:2], options)
    declared = declared_of(options, many=many)
    return [
        rows_of(frame, declared, options, place, origin=Path(place.name).name, name=name)
        for (frame, place), name in zip(tables, names, strict=True)
    ]


def _are_parts(tables: "Sequence[tuple[pl.DataFrame, Place]]", options: Options) -> bool:
    """Whether tables have the same systems in their columns, and different items."""
    declared = declared_of(options)
    try:
        first, other = (
            rows_of(frame.head(LOOKED_AT), declared, options, place) for frame, place in tables
        )
    except BetterthanError:  # of which reading them one by one tells more
        return False
    wide = all(table.wide or table.roles.counts for table in (first, other))
    if not wide or first.systems != other.systems or "item" not in first.keys.columns:
        return False
    return not first.keys["item"].is_in(other.keys["item"].to_list()).any()


def frame_of(
    path: Path, options: Options, declared: Sequence[str] = ()
) -> "tuple[pl.DataFrame, Place]":
    """Return the table in a file, and what its rows are called.

    Fields inside of records (``meta.topic``) are columns if an option or ``declared`` names them.
    """
    form = options.input_format
    written = Written(
        encoding=next((encoding for encoding in ENCODINGS if encoding == form), None),
        header=options.header,
        decimal_comma=options.decimal_comma,
    )
    return opened(
        all_bytes(path),
        str(path),
        suffix(path),
        written,
        declared=(*options.columns, *declared),
        allowed=allowed_memory(),
    )


def rows_of(
    frame: "pl.DataFrame",
    declared: Declared,
    options: Options,
    place: "Place",
    *,
    origin: str = "",
    name: str = "system",
) -> Rows:
    """Typed rows of a table, turned if it has a row per system."""
    if options.input_format == "transposed":
        frame, declared = turned(frame, declared, place.name)
    rows = typed(frame, declared, place, origin=origin, name=name, where=options.where)
    if options.header is False and not rows.wide and rows.scores.width == 1:
        return replace(rows, scores=rows.scores.rename({rows.scores.columns[0]: "score"}))
    return rows


def scores_of(rows: Rows, options: Options) -> Scores:
    """Scores of rows, as they were asked for."""
    return aligned(
        rows,
        systems=names_given(options.systems, rows.systems),
        metric=options.metrics,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )


def declared_of(options: Options, *, many: bool = False) -> Declared:
    """Return what was declared of columns."""

    def several(name: str) -> tuple[str, ...]:
        return tuple(names_given(getattr(options, name), ()))

    form = options.input_format
    return Declared(
        item=several("item"),
        system=options.system,
        score=several("score"),
        response=options.response,
        cluster=several("cluster"),
        label=several("label"),
        task=options.tasks,
        systems=() if many else several("systems"),
        metrics=tuple(map(columns_of_metric, options.metrics)),
        layout=next((layout for layout in LAYOUTS if layout == form), None),
        many=many,
    )


def columns_of(path: Path, options: Options) -> list[str]:
    """Lay out the columns of a table: type, distinct values, range, and how each is read."""
    frame, place = frame_of(path, options)
    rows = rows_of(frame, declared_of(options), options, place)
    read_as = (rows.as_read or rows.roles).of_columns
    for name, role in read_as.items():
        read_as[name] = f"{role} (known name)" if role_of(name) == role else role
    return listed(seen(frame), read_as, most=MOST_SHOWN)


def texts(files: Sequence[Path], options: Options, at: Mapping[str, int]) -> Iterator[ItemTexts]:
    """What some items ask, the right answers and what was answered; ``at`` has their rows by id.

    Columns of known names have the first two. What a system answered is in a column that has its
    name, or where rows have one system each, in another column of text.
    """
    declared = declared_of(options, many=len(files) > 1)
    wanted = {row: item for item, row in at.items()}
    for path, name in zip(files, system_names(files), strict=True):
        frame, place = frame_of(path, options)
        rows = rows_of(frame, declared, options, place, name=name)
        asked, target, outputs = _columns_of_texts(rows)
        ids = rows.keys["item"].to_list() if "item" in rows.keys.columns else None
        for row in range(len(rows.labels)):
            item = wanted.get(row) if ids is None else ids[row]
            if item is not None and item in at:
                owner = rows.keys["system"][row] if "system" in rows.keys.columns else rows.name
                shared = _cell(rows, asked, row), _cell(rows, target, row)
                for system in rows.systems if rows.wide else (owner,):
                    output = outputs.get(system if rows.wide else "")
                    yield ItemTexts(system, item, *shared, _cell(rows, output, row))


def _columns_of_texts(rows: Rows) -> tuple[str | None, str | None, dict[str, str]]:
    """Columns of what was asked, of right answers, and of the outputs of systems."""
    labels = rows.labels
    asked = max(rows.roles.texts, key=lambda x: labels[x].n_unique(), default=None)
    target = next((x for x in labels.columns if role_of(x) == "target"), None)
    others = [x for x in labels.columns if x not in (asked, target)]
    if not rows.wide:
        answers = sorted(others, key=lambda x: -labels[x].n_unique())
        return asked, target, {"": answers[0]} if answers else {}
    outputs: dict[str, str] = {}
    for system in rows.systems:
        own = [x for x in others if plain(system) in _ends(x)]
        outputs |= {system: own[0]} if own else {}
    rest = [x for x in others if x not in outputs.values()]
    return asked, target or next(iter(rest if outputs else ()), None), outputs


def _ends(name: str) -> tuple[str, str]:
    """A name without its first word, and without its last."""
    return plain(name).partition("_")[2], plain(name).rpartition("_")[0]


def _cell(rows: Rows, column: str | None, row: int) -> str:
    return "" if column is None else str(rows.labels[column][row] or "")
