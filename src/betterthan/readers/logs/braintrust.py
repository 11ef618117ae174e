"""Braintrust: the CSV or JSON of an experiment; a row is a sample, or a step within one.

Its files look like this::

    id,input,output,expected,scores,metrics
    9f3c...,When was ...,In 1969,1969,"{""Factuality"": 1}","{""tokens"": 118, ""duration"": 1.2}"
"""

from functools import partial

import msgspec

from betterthan.readers.json_bytes import decoded
from betterthan.readers.logs.exports import (
    Row,
    columns_of,
    entries_of,
    export_runs,
    number_of,
    text_of,
)
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, Sample, numbers, short_id

MARKS = {"metrics", "span_id", "root_span_id", "experiment_id", "created"}
USAGE = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "tokens": "total_tokens",
    "estimated_cost": "cost",
}


def known(head: Head) -> bool:
    """Tell by the columns of what was asked, answered and scored, next to those of a log."""
    names = columns_of(head)
    scored = "scores" in names or any(name.startswith("scores.") for name in names)
    return {"input", "output"} <= names and bool(names & MARKS) and scored


def _is_root(row: Row) -> bool:
    """Whether a row is of a sample, not of a step within."""
    root = row.get("is_root")
    if root is not None and root != "":
        return str(root).lower() in ("true", "1")
    return not row.get("root_span_id") or row.get("root_span_id") == row.get("span_id")


def _sample(row: Row) -> Sample:
    metrics = numbers(_record(row, "metrics"), number_of)
    start, end = metrics.pop("start", None), metrics.pop("end", None)
    if start is not None and end is not None:
        metrics.setdefault("duration", end - start)
    return Sample(
        item=short_id(text_of(row, "input")),
        scores=numbers(_record(row, "scores"), number_of),
        usage={USAGE.get(name, name): value for name, value in metrics.items()},
        mark=(None, text_of(row, "expected") or None),
    )


def _record(row: Row, name: str) -> Row:
    """Return a record: of one column, as JSON or as it is, or of columns called ``name.entry``."""
    value = row.get(name)
    if isinstance(value, str) and value.strip():
        try:
            value = decoded(value.encode(errors="surrogatepass"))
        except msgspec.DecodeError:
            value = None
    return {**entries_of(row, name), **(value if isinstance(value, dict) else {})}


HARNESS = Harness(
    names=("braintrust",),
    title="Braintrust",
    source="Braintrust experiment",
    command="betterthan compare base.csv new.csv --metric Factuality",
    about=__doc__,
    known=known,
    runs=partial(export_runs, sample=_sample, item="input", keep=_is_root),
    item="input",
    response="repetition",
)
