"""lighteval: ``details_<task>_<date>.parquet``, one row per sample.

In older versions a row has a column ``metrics``, as a record or as its text; later ones have a
document, an answer and ``__metric__``, from 0.13 on without the underscores.
"""

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.column_names import names_in
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes, first_bytes, plain_name
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, as_number, by_column, log_files
from betterthan.readers.tables.parquet import read_parquet

FORMATS = ("lighteval",)
EXAMPLES = {
    "lighteval": Example(
        "lighteval, --save-details",
        "betterthan compare details/base details/new",
        """
details/base/2026-01-21T03-44-18/details_gsm8k|5_2026-01-21T03-44-18.parquet with the columns
doc {id, query, ...}, metric {extractive_match: 1.0}, model_response {text, ...}
""",
    )
}
NAME = re.compile(r"details_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")
# Columns of the document and of the metrics, in each of the versions.
LAYOUTS = (("__doc__", "__metric__"), ("doc", "metric"), ("example", "metrics"))
OLDEST = {"full_prompt", "metrics", "num_asked_few_shots"}
LONGEST = 10_000


def recognise(path: Path, head: bytes) -> bool:
    """Tell details by their columns, and the file of averages by its fields."""
    if not head.startswith(b"PAR1"):
        return _averages(head)
    names = set(names_in(path, head))
    return (
        {"__doc__", "__metric__"} <= names
        or {"doc", "metric", "model_response"} <= names
        or names >= OLDEST
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the details together."""
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "lighteval", item="doc")


def _averages(head: bytes) -> bool:
    return {"config_general", "results"} <= json_logs.top_keys(head)


def _run(file: LogFile) -> Run:
    path = file.path
    head = first_bytes(path)
    if _averages(head):
        raise FormatError(
            f"{path} holds averages only: give the details_*.parquet of that run, which lighteval "
            "writes with --save-details"
        )
    file.refuse_suffix(FORMATS[0], "parquet")
    names = set(names_in(path, head))
    layout = next((each for each in LAYOUTS if {*each} <= names), None)
    if layout is None:
        raise FormatError(f"{path} has no metrics of samples: run lighteval with --save-details")
    frame = read_parquet(all_bytes(path), str(path), columns=layout)
    docs, metrics = (frame[name].to_list() for name in layout)
    if not docs:
        raise FormatError(f"{path} is empty: there is nothing to compare")
    ids = [str(doc.get("id") or "") if isinstance(doc, dict) else "" for doc in docs]
    named = NAME.fullmatch(plain_name(path).stem)
    items = ids if all(ids) and len(set(ids)) == len(ids) else [str(k) for k in range(len(docs))]
    rows = [_metrics(entry, f"{path}: row {k:,}") for k, entry in enumerate(metrics, start=1)]
    lists = sorted({name for row in rows for name, value in row.items() if _is_nested(value)})
    return Run(
        system=file.system(_model(path)),
        task=named["task"] if named else "",
        where=str(path),
        items=items,
        scores=by_column(map(_numbers, rows)),
        prints={
            item: str(doc.get("query") if isinstance(doc, dict) else doc)
            for item, doc in zip(items, docs, strict=True)
        },
        notes=(f"metrics of the whole corpus not used: {', '.join(lists)}",) if lists else (),
    )


def _metrics(entry: Any, where: str) -> dict[str, Any]:
    """Values by metric; older files have the record as Python prints it."""
    if isinstance(entry, str) and len(entry) < LONGEST:
        try:
            entry = ast.literal_eval(entry)
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise FormatError(
                f"{where}: its metrics are no record: write the file again"
            ) from error
    if not isinstance(entry, dict):
        raise FormatError(f"{where} has no record of metrics: run lighteval again")
    return {str(name): value for name, value in entry.items()}


def _numbers(row: dict[str, Any]) -> dict[str, Value]:
    """Metrics that are numbers; records have null where another row has a metric."""
    return {
        name: number
        for name, value in row.items()
        if not _is_nested(value) and (number := as_number(value)) is not None
    }


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def _model(path: Path) -> str | None:
    """Name the model by the folders between ``details`` and the date."""
    parts = path.absolute().parent.parts
    if "details" not in parts:
        return None
    place = len(parts) - 1 - parts[::-1].index("details")
    return "/".join(parts[place + 1 : -1]) or None
