"""Every Eval Ever: instance-level JSON Lines, one record per sample, model and evaluation.

Its files look like this::

    {"model_id": "meta-llama/Llama-3.2-1B", "evaluation_name": "gsm8k", "sample_id": "q1",
     "evaluation": {"score": 1.0, "is_correct": true}, ...}
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, digest, numbers, run_of

SCORES = ("score", "is_correct")
AVERAGES = {"evaluation_id", "evaluation_results"}


class Answer(msgspec.Struct):
    """One answer of one model."""

    sample_id: str | int
    model_id: str
    evaluation: dict[str, Any]
    evaluation_name: str = ""
    sample_hash: str | None = None
    input: Any = None


def known(head: Head) -> bool:
    """Tell by the fields that the schema requires."""
    answers = {"sample_id", "model_id"} <= head.keys and head.has(b'"evaluation')
    return answers or head.keys >= AVERAGES


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs in all files, each of which may hold several models and tasks."""
    for file in files:
        if file.head.keys >= AVERAGES:
            raise file.averages("pass the instance-level .jsonl that belongs to it")
        by_run: defaultdict[tuple[str, str], list[Sample]] = defaultdict(list)
        for _, answer in file.records(Answer):
            values = numbers(answer.evaluation)
            scores = {name: values[name] for name in SCORES if name in values}
            mark = (answer.sample_hash, None if answer.sample_hash else digest(answer.input), None)
            sample = Sample(str(answer.sample_id), scores, mark=mark)
            by_run[answer.model_id, answer.evaluation_name].append(sample)
        several = len({model for model, _ in by_run}) > 1
        for (model, task), samples in by_run.items():
            system = file.system(model, several=several)
            yield run_of(file, samples, repeated=True, system=system, task=task)


HARNESS = Harness(
    names=("every-eval-ever",),
    title="Every Eval Ever",
    command="betterthan rank samples.jsonl --where task=gsm8k",
    about=__doc__,
    known=known,
    runs=runs,
    item="sample_id",
    response="repeat",
)
