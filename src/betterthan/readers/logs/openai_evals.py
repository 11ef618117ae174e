"""OpenAI evals: JSON Lines of events, the first of which says what was run on whom."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import (
    LogFile,
    Run,
    Value,
    as_number,
    by_column,
    digest,
    log_files,
)

FORMATS = ("openai-evals",)
EXAMPLES = {
    "openai-evals": Example(
        "OpenAI evals",
        "betterthan compare base.jsonl new.jsonl",
        """
{"spec": {"completion_fns": ["gpt-4o"], "eval_name": "arithmetic.dev.v0", ...}}
{"run_id": "...", "sample_id": "arithmetic.dev.0", "type": "match", "data": {"correct": true}}
""",
    )
}


class EvalSpec(msgspec.Struct):
    """What was run on whom."""

    eval_name: str = ""
    base_eval: str = ""
    completion_fns: list[str] | None = None
    model_name: str | None = None


class LogEvent(msgspec.Struct):
    """An event; what a sample said (``sampling``) is not decoded."""

    spec: EvalSpec | None = None
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
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "OpenAI evals", item="sample_id")


def _run(file: LogFile) -> Run:
    path = file.path
    file.refuse_suffix(FORMATS[0], "jsonl", "json")
    spec = EvalSpec()
    rows: dict[str, dict[str, Value]] = {}
    prints: dict[str, bytes] = {}
    for number, event in json_logs.decode_lines(path, LogEvent):
        if event.spec is not None:
            spec = event.spec
        if event.type not in ("match", "metrics", "embedding", "cond_logp"):
            continue
        data: Any = value_of(event.data, "the data of an event")
        values = _values(data)
        if isinstance(data, dict) and data.get("expected") is not None:
            prints[event.sample_id] = digest(data["expected"])
        row = rows.setdefault(event.sample_id, {})
        again = [metric for metric in values if metric in row]
        if again:
            raise FormatError(
                f"{path}: line {number:,} gives sample {event.sample_id!r} a second {again[0]!r}: "
                "two runs are written to one file; separate them"
            )
        row |= values
    scores = by_column(rows.values())
    if not scores:
        raise FormatError(
            f"{path}: no sample was scored (no match or metrics events): run it again"
        )
    return Run(
        system=file.system(spec.model_name or ", ".join(spec.completion_fns or [])),
        task=spec.eval_name or spec.base_eval,
        where=str(path),
        items=list(rows),
        scores=scores,
        prints=prints,
    )


def _values(data: Any) -> dict[str, Value]:
    """Numbers among the data of an event."""
    found = {} if not isinstance(data, dict) else {k: _number(v) for k, v in data.items()}
    return {name: value for name, value in found.items() if value is not None}


def _number(value: Any) -> Value:
    """Text is what was expected and picked, never a score."""
    return None if isinstance(value, str) else as_number(value)
