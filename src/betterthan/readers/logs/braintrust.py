"""Braintrust: the CSV or JSON of an experiment; a row is a sample, or a step within one.

Its files look like this::

    id,input,output,expected,scores,metrics
    9f3c...,When was ...,In 1969,1969,"{""Factuality"": 1}","{""tokens"": 118, ""duration"": 1.2}"
    $ betterthan compare base.csv new.csv --metric Factuality
"""

import json
from typing import Any

from betterthan.readers.logs import exports
from betterthan.readers.logs.runs import EXPECTED, Sample, numbers, short_id

MARKS = {"metrics", "span_id", "root_span_id", "experiment_id", "created"}


def known(names: set[str]) -> bool:
    """Tell by the columns of what was asked, answered and scored, next to those of a log."""
    scored = any(name.partition(".")[0] == "scores" for name in names)
    return {"input", "output"} <= names and bool(names & MARKS) and scored


def _sample(row: exports.Row) -> Sample | None:
    """Scores of a sample; none of a step within one."""
    if row.get("root_span_id") not in (None, "", row.get("span_id")):
        return None
    took = _numbers(row, "metrics")
    if {"start", "end"} <= took.keys():
        took["duration"] = took.pop("end") - took.pop("start")
    return Sample(
        short_id(exports.text_of(row, "input")),
        _numbers(row, "scores"),
        usage=took,
        marks={EXPECTED: exports.text_of(row, "expected") or None},
    )


def _numbers(row: exports.Row, name: str) -> dict[str, Any]:
    """Numbers of one column, a record or its JSON, or of columns called ``name.entry``."""
    cell = row.get(name)
    record = json.loads(cell) if isinstance(cell, str) and cell else cell
    return numbers(record or exports.entries_of(row, name), written=True)


HARNESS = exports.export("braintrust", __doc__, known, _sample, item="input", response="repetition")
