"""OpenAI evals: JSON Lines of events, the first of which says what was run on whom."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data import Scores
from betterthan.errors import FormatError
from betterthan.frames.roles import Options
from betterthan.readers import json_logs
from betterthan.readers.files import suffix, system_names
from betterthan.readers.gathering import gather
from betterthan.readers.runs import Run, Value, as_number, named_by_file

FORMATS = ("openai-evals",)
SAMPLE = """
{"spec": {"completion_fns": ["gpt-4o"], "eval_name": "arithmetic.dev.v0", ...}}
{"run_id": "...", "sample_id": "arithmetic.dev.0", "type": "match", "data": {"correct": true}}
"""


class Spec(msgspec.Struct):
    """What was run on whom."""

    eval_name: str = ""
    base_eval: str = ""
    completion_fns: list[str] | None = None
    model_name: str | None = None


class Event(msgspec.Struct):
    """An event; what a sample said (``sampling``) is not decoded."""

    spec: Spec | None = None
    type: str = ""
    sample_id: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the specification in the first line, or by the fields of events."""
    del path
    keys = json_logs.top_keys(head)
    return (keys == {"spec"} and b'"completion_fns"' in head) or (
        {"run_id", "event_id", "sample_id", "type"} <= keys
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the logs together."""
    by_file = named_by_file(options)
    names = system_names(files)
    runs = [_run(file, name, options, by_file) for file, name in zip(files, names, strict=True)]
    return gather(runs, options, "OpenAI evals")


def _run(path: Path, name: str, options: Options, by_file: bool) -> Run:
    if options.input_format is None:
        json_logs.refuse_name(path, suffix(path), ("jsonl", "json"), FORMATS[0])
    spec = Spec()
    rows: dict[str, dict[str, Value]] = {}
    for number, event in json_logs.decode_lines(path, Event):
        if event.spec is not None:
            spec = event.spec
        if event.type not in ("match", "metrics", "embedding", "cond_logp"):
            continue
        values = _values(event)
        row = rows.setdefault(event.sample_id, {})
        again = [metric for metric in values if metric in row]
        if again:
            raise FormatError(
                f"{path}: line {number:,} gives sample {event.sample_id!r} a second {again[0]!r}: "
                "two runs are written to one file; separate them"
            )
        row |= values
    metrics = dict.fromkeys(metric for row in rows.values() for metric in row)
    if not metrics:
        raise FormatError(
            f"{path}: no sample was scored (no match or metrics events): run it again"
        )
    model = spec.model_name or ", ".join(spec.completion_fns or [])
    return Run(
        system=name if by_file else model or name,
        task=spec.eval_name or spec.base_eval,
        where=str(path),
        items=list(rows),
        scores={metric: [row.get(metric) for row in rows.values()] for metric in metrics},
    )


def _values(event: Event) -> dict[str, Value]:
    """Numbers among the data of an event."""
    data: Any = msgspec.json.decode(event.data)
    found = {} if not isinstance(data, dict) else {k: _number(v) for k, v in data.items()}
    return {name: value for name, value in found.items() if value is not None}


def _number(value: Any) -> Value:
    """Text is what was expected and picked, never a score."""
    return None if isinstance(value, str) else as_number(value)
