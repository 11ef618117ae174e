"""OpenAI evals: JSON Lines of events, the first of which says what was run on whom.

Its files look like this::

    {"spec": {"completion_fns": ["gpt-4o"], "eval_name": "arithmetic.dev.v0", ...}}
    {"run_id": "...", "sample_id": "arithmetic.dev.0", "type": "match", "data": {"correct": true}}
    $ betterthan compare base.jsonl new.jsonl
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.json_logs import decode_part
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample, numbers

SCORED = ("match", "metrics", "embedding", "cond_logp")
"""Types of events that score a sample; others, such as ``sampling``, are not decoded."""


class EvalSpec(msgspec.Struct):
    """What was run on whom."""

    eval_name: str = ""
    completion_fns: list[str] | None = None


class LogEvent(msgspec.Struct):
    """An event."""

    spec: EvalSpec | None = None
    type: str = ""
    sample_id: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")


def known(file: LogFile) -> bool:
    """Tell by the specification in the first line, or by the fields of events."""
    events = {"run_id", "event_id", "sample_id", "type"}
    return (file.keys == {"spec"} and file.has(b'"completion_fns"')) or events <= file.keys


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a log."""
    spec = EvalSpec()
    samples: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for number, event in file.records(LogEvent):
        spec = event.spec or spec
        if event.type in SCORED:
            data = decode_part(event.data, Any, file.path, number)
            sample = samples[event.sample_id]
            if sample.keys() & numbers(data).keys():
                text = f"scores sample {event.sample_id!r} again: two runs are written to one file"
                raise file.fault(f"{text}; separate them", number)
            sample |= data if isinstance(data, dict) else {}
    scored = (
        Sample(item, numbers(x), marks={EXPECTED: x.get("expected") or None})
        for item, x in samples.items()
    )
    yield Run(file, scored, ", ".join(spec.completion_fns or ()), spec.eval_name)


HARNESS = Harness("openai-evals", __doc__, known, runs, item="sample_id")
