"""lighteval: ``details_<task>_<date>.parquet``, one row per sample.

In older versions a row has a column ``metrics``, as a record or as its text; later ones have a
document, an answer and ``__metric__``, from 0.13 on without the underscores.

Its files look like this::

    details/base/2026-01-21T03-44-18/details_gsm8k|5_2026-01-21T03-44-18.parquet with the columns
    doc {id, query, ...}, metric {extractive_match: 1.0}, model_response {text, ...}
"""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from betterthan.errors import FormatError
from betterthan.readers.column_names import names_in
from betterthan.readers.files import all_bytes, plain_name
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, as_number, numbers, run_of
from betterthan.tables.opening import read_parquet

NAME = re.compile(r"details_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")
LAYOUTS = (("__doc__", "__metric__"), ("doc", "metric"), ("example", "metrics"))
"""Columns of the document and of the metrics, in each of the versions."""
OTHERS = {"__metric__", "model_response", "num_asked_few_shots"}
LONGEST = 10_000


def known(head: Head) -> bool:
    """Tell details by their columns, and the file of averages by its fields."""
    return _layout(head) is not None or {"config_general", "results"} <= head.keys


def _layout(head: Head) -> tuple[str, str] | None:
    """Return the columns of documents and metrics; None if the file does not hold details."""
    names = set(names_in(*head)) if head.data.startswith(b"PAR1") else set()
    layouts = (layout for layout in LAYOUTS if names.issuperset(layout) and names & OTHERS)
    return next(layouts, None)


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all details, one in each."""
    for file in files:
        path, layout = file.path, _layout(file.head)
        if layout is None:
            raise file.averages("pass the details_*.parquet that --save-details writes")
        frame = read_parquet(all_bytes(path), str(path), columns=layout)
        docs, metrics = (frame[name].to_list() for name in layout)
        rows = [_metrics(entry, f"{path}: row {k:,}") for k, entry in enumerate(metrics, 1)]
        ids = [str(doc.get("id") or "") if isinstance(doc, dict) else "" for doc in docs]
        named = all(ids) and len(set(ids)) == len(ids)
        task = NAME.fullmatch(plain_name(path).stem)
        lists = sorted({n for row in rows for n, x in row.items() if isinstance(x, list | dict)})
        yield run_of(
            file,
            [
                Sample(ids[k] if named else str(k), numbers(row, as_number), mark=_mark(docs[k]))
                for k, row in enumerate(rows)
            ],
            system=file.system(_model(path)),
            task=task["task"] if task else "",
            notes=(f"metrics of the whole corpus not used: {', '.join(lists)}",) if lists else (),
        )


def _metrics(entry: Any, where: str) -> dict[str, Any]:
    """Values by metric; older files have the record as Python prints it."""
    if isinstance(entry, str) and len(entry) < LONGEST:
        try:
            entry = ast.literal_eval(entry)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            entry = None
    if not isinstance(entry, dict):
        raise FormatError(f"{where} has no record of metrics: run lighteval again")
    return entry


def _mark(doc: Any) -> tuple[str, None]:
    return str(doc.get("query") if isinstance(doc, dict) else doc), None


def _model(path: Path) -> str | None:
    """Name the model by the folders between ``details`` and the date."""
    parts = path.absolute().parent.parts
    if "details" not in parts:
        return None
    place = len(parts) - 1 - parts[::-1].index("details")
    return "/".join(parts[place + 1 : -1]) or None


HARNESS = Harness(
    names=("lighteval",),
    title="lighteval",
    source="lighteval, --save-details",
    command="betterthan compare details/base details/new",
    about=__doc__,
    known=known,
    runs=runs,
    item="doc",
)
