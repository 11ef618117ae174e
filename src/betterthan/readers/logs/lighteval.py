"""lighteval: ``details_<task>_<date>.parquet``, one row per sample.

In older versions a row has a column ``metrics``, as a record or as its text; later ones have a
document, an answer and ``__metric__``, from 0.13 on without the underscores.

Its files look like this::

    details/base/2026-01-21T03-44-18/details_gsm8k|5_2026-01-21T03-44-18.parquet with the columns
    doc {id, query, ...}, metric {extractive_match: 1.0}, model_response {text, ...}
    $ betterthan compare details/base details/new
"""

import re
from collections.abc import Iterator
from typing import Any

from betterthan.readers.files import all_bytes, plain_name
from betterthan.readers.lazy_sources import names_in
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import LogFile, Run, Sample, numbers
from betterthan.tables.opening import read_parquet

NAME = re.compile(r"details_(.+?)(_\d{4}-\d{2}-\d{2}T[\d.:-]+)?")
MODEL = re.compile(r".*/details/(.+)/[^/]+/[^/]+")
LAYOUTS = (("__doc__", "__metric__"), ("doc", "metric"), ("example", "metrics"))
"""Columns of the document and of the metrics, in each of the versions."""
OTHERS = {"__metric__", "model_response", "num_asked_few_shots"}
PAIR = re.compile(r"'([^']+)': ([^,{}]+)")


def known(file: LogFile) -> bool:
    """Tell by the columns of details."""
    return _layout(file) is not None


def _layout(file: LogFile) -> tuple[str, str] | None:
    """Return the columns of documents and metrics; None if the file does not hold details."""
    names = set(names_in(file.path, file.head)) if file.head.startswith(b"PAR1") else set()
    layouts = (layout for layout in LAYOUTS if names.issuperset(layout) and names & OTHERS)
    return next(layouts, None)


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a file of details."""
    layout = _layout(file) or LAYOUTS[0]
    frame = read_parquet(all_bytes(file.path), str(file.path), columns=layout)
    docs, metrics = (frame[name].to_list() for name in layout)
    ids = [str(doc.get("id") or "") if isinstance(doc, dict) else "" for doc in docs]
    if not all(ids) or len(set(ids)) < len(ids):
        ids = [str(k) for k in range(len(docs))]
    task = NAME.fullmatch(plain_name(file.path).stem)
    model = MODEL.fullmatch(file.path.absolute().as_posix())
    samples = (
        Sample(item, numbers(_record(entry), written=True), marks={"query": _asked(doc)})
        for item, doc, entry in zip(ids, docs, metrics, strict=True)
    )
    yield Run(file, samples, model[1] if model else "", task[1] if task else "")


def _record(entry: Any) -> dict[str, Any]:
    """Values by metric; older files have the record as Python prints it."""
    return entry if isinstance(entry, dict) else dict(PAIR.findall(str(entry)))


def _asked(doc: Any) -> str:
    return str(doc.get("query") if isinstance(doc, dict) else doc)


HARNESS = Harness(
    "lighteval",
    __doc__,
    known,
    runs,
    averages=lambda file: {"config_general", "results"} <= file.keys,
    instead="pass the details_*.parquet that --save-details writes",
    item="doc",
)
