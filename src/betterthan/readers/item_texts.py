"""Texts of a few items: the input, the target and the output of each system.

Scores are read without texts, which may be gigabytes. Those of the few items that a result lists
are looked up afterwards: in logs that have them, in columns of tables and in raw outputs by line.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan.data.labels import whole_text
from betterthan.metrics.costs import plain
from betterthan.readers import tables
from betterthan.readers.families import family_of
from betterthan.readers.files import PathName, expand_paths, is_address, system_names
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.log_texts import ItemTexts
from betterthan.readers.options import Options
from betterthan.readers.outputs.scoring import kind_of, source_of
from betterthan.readers.streams import Stream
from betterthan.readers.table_files import frame_of
from betterthan.tables.columns import seen
from betterthan.tables.names import known_names, role_of
from betterthan.tables.rows import Rows, typed
from betterthan.tables.unclear import listed

MOST_SHOWN = 40  # columns that are laid out
_LINES = ("text", "labels")


def item_texts(
    paths: Sequence[PathName], items: Collection[str], rows: Collection[int], **reading: Any
) -> dict[str, dict[str, str]]:
    """Return the texts of some items by their ids: ``input``, ``target``, ``SYSTEM: output``.

    ``items`` are the ids, ``rows`` the places of the same items, for outputs that have no ids. The
    keywords are those of :func:`betterthan.read`, as the files were read. What holds no texts gives
    none.
    """
    options = Options.of(**reading)
    files, places = expand_paths(paths), dict(zip(items, rows, strict=True))
    texts: dict[str, dict[str, str]] = {}
    for part in _texts(files, places, options):
        output = f"{whole_text(part.system)}: output"
        shown = {"input": part.input, "target": part.target, output: part.output}
        texts.setdefault(part.item, {}).update({k: v for k, v in shown.items() if v})
    return texts


def shown_columns(paths: Sequence[PathName], **reading: Any) -> list[str]:
    """Lay out the columns of a table in one file, and how each is read; nothing for other files."""
    options = Options.of(**reading)
    if options.ref or "ref" in options.columns or any(map(is_address, paths)):
        return []
    files = expand_paths(paths)
    if len(files) != 1 or isinstance(files[0], Stream) or family_of(files) is not tables:
        return []
    frame, place = frame_of(files[0], options)
    rows = typed(frame, options.declared(), place)
    read_as = rows.roles.of_columns
    for name, role in read_as.items():
        read_as[name] = f"{role} (known name)" if role_of(name) == role else role
    return [*listed(seen(frame), read_as, most=MOST_SHOWN), *known_names()]


def _texts(
    files: Sequence[Path], places: Mapping[str, int], options: Options
) -> Iterable[ItemTexts]:
    if options.ref:
        return _of_lines(files, places, options)
    family = family_of(files)
    if family is tables:
        return _of_tables(files, places, options)
    if isinstance(family, Harness) and family.shown:
        return family.item_texts(files, options, places)
    return ()


def _of_lines(
    files: Sequence[Path], places: Mapping[str, int], options: Options
) -> Iterator[ItemTexts]:
    reference = source_of(expand_paths(options.ref)[0])
    if kind_of(reference, options.metric_names, options.input_format) not in _LINES:
        return
    for system, path in zip(system_names(files), files, strict=True):
        lines = source_of(path).lines
        for item, row in places.items():
            if row < min(len(lines), len(reference.lines)):
                yield ItemTexts(system, item, "", reference.lines[row], lines[row])


def _of_tables(
    files: Sequence[Path], places: Mapping[str, int], options: Options
) -> Iterator[ItemTexts]:
    """Texts in columns: questions and right answers are in those of known names.

    What a system answered is in a column that has its name, or where rows have one system each, in
    another column of text.
    """
    declared = options.declared(many=len(files) > 1)
    item_of_row = {row: item for item, row in places.items()}
    for path, name in zip(files, system_names(files), strict=True):
        frame, place = frame_of(path, options)
        rows = typed(frame, declared, place, name=name)
        question, target, outputs = _columns_of_texts(rows)
        keys = rows.keys.to_dict(as_series=False)
        for row, cells in enumerate(rows.labels.iter_rows(named=True)):
            item = keys["item"][row] if "item" in keys else item_of_row.get(row)
            if item in places:
                for system in rows.systems if rows.wide else (keys["system"][row],):
                    columns = question, target, outputs.get(system if rows.wide else "")
                    texts = (str(cells[x] or "") if x else "" for x in columns)
                    yield ItemTexts(system, str(item), *texts)


def _columns_of_texts(rows: Rows) -> tuple[str | None, str | None, dict[str, str]]:
    """Columns of questions, of right answers, and of the outputs of systems."""
    distinct = {x: rows.labels[x].n_unique() for x in rows.labels.columns}
    most = sorted(distinct, key=lambda x: -distinct[x])
    question = next((x for x in most if role_of(x) == "text"), None)
    target = next((x for x in distinct if role_of(x) == "target"), None)
    if not rows.wide:
        output = next((x for x in most if x not in (question, target)), None)
        return question, target, {"": output} if output else {}
    others = [x for x in distinct if x not in (question, target)]
    outputs = {
        system: column
        for system in rows.systems
        for column in reversed(others)
        if plain(system) in (plain(column).partition("_")[2], plain(column).rpartition("_")[0])
    }
    rest = [x for x in others if x not in outputs.values()]
    return question, target or next(iter(rest if outputs else ()), None), outputs
