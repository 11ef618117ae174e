"""Exports with a row per sample, in CSV, JSON or Parquet: what ragas, LangSmith, Braintrust share.

Which columns are scores is told by their names, as the exports write them; other numbers are
compared only where they are asked for. A file is a system, named by the file.
"""

from collections.abc import Callable, Iterator
from functools import partial
from json import JSONDecodeError
from typing import Any

import msgspec

from betterthan.readers.lazy_sources import names_in
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import LogFile, Run, Sample
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of
from betterthan.tables.names import role_of

Row = dict[str, Any]


def export(
    name: str,
    about: str | None,
    known: Callable[[set[str]], bool],
    sample: Callable[[Row], Sample | None],
    *,
    item: str,
    response: str = "",
) -> Harness:
    """Describe exports: ``known`` tells by the columns, ``sample`` reads a row, if it is one.

    The column ``item`` has the ids, or another in older versions.
    """
    runs = partial(_runs, sample=sample, item=item)
    return Harness(
        name, about, lambda file: known(_columns(file)), runs, item=item, response=response
    )


def _columns(file: LogFile) -> set[str]:
    """Names of the columns of an export; none of a table with a row per item and system."""
    names = set(names_in(file.path, file.head))
    return set() if any(role_of(name) == "system" for name in names) else names


def _runs(file: LogFile, sample: Callable[[Row], Sample | None], *, item: str) -> Iterator[Run]:
    """Yield the run in an export."""
    try:
        samples = [each for each in map(sample, _rows(file)) if each]
    except JSONDecodeError as error:
        raise file.fault(f"has a cell that is cut off ({error}): export it again") from error
    if not all(each.item for each in samples):
        raise file.fault(f"has rows without {item}, which distinguishes samples: export it again")
    yield Run(file, samples)


def _rows(file: LogFile) -> Iterator[Row]:
    if file.keys:
        yield from (record for _, record in file.records(Row))
    else:
        frame, _ = frame_of(file.path, Options())
        yield from frame.iter_rows(named=True)


def text_of(row: Row, *names: str) -> str:
    """The first of some cells that is filled; what is not text as JSON."""
    cell = next((row[name] for name in names if row.get(name) is not None), "")
    return cell if isinstance(cell, str) else msgspec.json.encode(cell, order="sorted").decode()


def entries_of(row: Row, name: str) -> Row:
    """Cells of the columns called ``name.entry``, by entry."""
    start = f"{name}."
    return {key.removeprefix(start): x for key, x in row.items() if key.startswith(start)}
