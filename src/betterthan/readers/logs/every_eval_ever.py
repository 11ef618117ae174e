"""Every Eval Ever: instance-level JSON Lines, one record per sample, model and evaluation.

Its files look like this::

    {"model_id": "meta-llama/Llama-3.2-1B", "evaluation_name": "gsm8k", "sample_id": "q1",
     "evaluation": {"score": 1.0, "is_correct": true}, ...}
    $ betterthan rank samples.jsonl --where task=gsm8k
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import LogFile, Run, Sample, numbers

SCORES = ("score", "is_correct")


class Answer(msgspec.Struct):
    """One answer of one model."""

    sample_id: str | int
    model_id: str
    evaluation: dict[str, Any]
    evaluation_name: str = ""
    sample_hash: str | None = None
    input: Any = None


def known(file: LogFile) -> bool:
    """Tell by the fields that the schema requires."""
    return {"sample_id", "model_id"} <= file.keys and file.has(b'"evaluation')


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the runs in a file, which may hold several models and tasks."""
    by_run: defaultdict[tuple[str, str], list[Sample]] = defaultdict(list)
    for _, answer in file.records(Answer):
        values = numbers(answer.evaluation)
        scores = {name: values[name] for name in SCORES if name in values}
        hashed = answer.sample_hash or None
        marks = {"hash": hashed, "input": None if hashed else answer.input}
        sample = Sample(str(answer.sample_id), scores, marks=marks)
        by_run[answer.model_id, answer.evaluation_name].append(sample)
    for (model, task), samples in by_run.items():
        yield Run(file, samples, model, task)


HARNESS = Harness(
    "every-eval-ever",
    __doc__,
    known,
    runs,
    averages=lambda file: {"evaluation_id", "evaluation_results"} <= file.keys,
    instead="pass the instance-level .jsonl that belongs to it",
    item="sample_id",
    response="repeat",
)
