"""Every Eval Ever: instance-level JSON Lines, one record per sample, model and evaluation.

Its files look like this::

    {"model_id": "meta-llama/Llama-3.2-1B", "evaluation_name": "gsm8k", "sample_id": "q1",
     "evaluation": {"score": 1.0, "is_correct": true}, ...}
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Mark, Run, Sample, digest, run_of

AVERAGES = {"evaluation_id", "evaluation_results"}


class Evaluation(msgspec.Struct):
    """How good an answer was."""

    score: float | None = None
    is_correct: bool | None = None


class Asked(msgspec.Struct):
    """What was asked and expected."""

    raw: Any = None
    reference: Any = None


class Answer(msgspec.Struct):
    """One answer of one model."""

    sample_id: str | int
    model_id: str
    evaluation: Evaluation
    evaluation_name: str = ""
    sample_hash: str | None = None
    input: Asked | None = None


def known(head: Head) -> bool:
    """Tell by the fields that the schema requires."""
    answers = {"sample_id", "model_id"} <= head.keys and head.has(b'"evaluation')
    return answers or head.keys >= AVERAGES


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs in all files, each of which may hold several models and tasks."""
    for file in files:
        if file.head.keys >= AVERAGES:
            raise file.averages("pass the instance-level .jsonl that belongs to it")
        by_run: dict[tuple[str, str], list[Sample]] = {}
        for _, answer in file.records(Answer):
            right = answer.evaluation.is_correct
            scores = {"score": answer.evaluation.score}
            correct = {} if right is None else {"is_correct": float(right)}
            sample = Sample(str(answer.sample_id), scores | correct, mark=_mark(answer))
            by_run.setdefault((answer.model_id, answer.evaluation_name), []).append(sample)
        several = len({model for model, _ in by_run}) > 1
        for (model, task), samples in by_run.items():
            system = file.system(model, several=several)
            yield run_of(file, samples, repeated=True, system=system, task=task)


def _mark(answer: Answer) -> Mark:
    """Fingerprints: the hash of the log, or where it has none, of what that is made of."""
    if answer.sample_hash or answer.input is None:
        return answer.sample_hash or None, None, None
    expected = answer.input.reference
    listed = [expected] if isinstance(expected, str) else expected  # text in older versions
    return None, *(None if x is None else digest(x) for x in (answer.input.raw, listed))


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
