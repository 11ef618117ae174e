"""What items say: the input, the target and what each system put out, read again for a few of them.

Scores are read without texts, which may be gigabytes. Those of the few items that a result lists
are looked up afterwards: in logs that have them, in columns of tables and in raw outputs by line.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan.data.labels import whole_text
from betterthan.readers import table_files
from betterthan.readers.families import family_of
from betterthan.readers.files import PathName, expand_paths
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.log_texts import ItemTexts
from betterthan.readers.outputs.scoring import kind_of, names_of, reference_files, source_of
from betterthan.readers.request import Request, request_of
from betterthan.readers.streams import Stream

_LINES = ("text", "labels")


def item_texts(
    paths: Sequence[PathName], items: Collection[str], rows: Collection[int], **reading: Any
) -> dict[str, dict[str, str]]:
    """Return the texts of some items by their ids: ``input``, ``target``, ``SYSTEM: output``.

    ``items`` are the ids, ``rows`` the places of the same items, for outputs that have no ids. The
    keywords are those of :func:`betterthan.read`, as the files were read. What holds no texts gives
    none.
    """
    request = request_of(**reading)
    files, places = expand_paths(paths), dict(zip(items, rows, strict=True))
    if request.ref is not None:
        parts = _of_lines(files, reference_files(request), places, request.metric_names)
    else:
        parts = _of_files(files, places, request)
    texts: dict[str, dict[str, str]] = {}
    outputs: dict[str, dict[str, str]] = {}
    for part in parts:
        shared = {"input": part.input, "target": part.target}
        texts.setdefault(part.item, {}).update({k: v for k, v in shared.items() if v})
        if part.output:
            outputs.setdefault(part.item, {})[f"{whole_text(part.system)}: output"] = part.output
    return {item: texts[item] | outputs.get(item, {}) for item in texts}


def shown_columns(paths: Sequence[PathName], **reading: Any) -> list[str]:
    """Lay out the columns of a table in one file, and how each is read; nothing for other files."""
    request = request_of(**reading)
    files = expand_paths(paths) if request.ref is None and "ref" not in request.columns else []
    if len(files) != 1 or isinstance(files[0], Stream) or family_of(files) is not table_files:
        return []
    return table_files.columns_of(files[0], request.options())


def _of_files(
    files: Sequence[Path], places: Mapping[str, int], request: Request
) -> Iterator[ItemTexts]:
    family = family_of(files)
    if isinstance(family, Harness) and family.shown:
        yield from family.item_texts(files, request.options(of_logs=True), places)
    elif family is table_files:
        yield from table_files.texts(files, request.options(), places)


def _of_lines(
    files: Sequence[Path], gold: Sequence[Path], places: Mapping[str, int], metric: Sequence[str]
) -> Iterator[ItemTexts]:
    reference = source_of(gold[0])
    if kind_of(reference, list(metric), None) not in _LINES:
        return
    for system, path in zip(names_of(files), files, strict=True):
        lines = source_of(path).lines
        for item, row in places.items():
            if row < min(len(lines), len(reference.lines)):
                yield ItemTexts(system, item, "", reference.lines[row], lines[row])
