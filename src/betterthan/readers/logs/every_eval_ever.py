"""Every Eval Ever: instance-level JSON Lines, one record per sample, model and evaluation."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, digest, log_files, repeats

FORMATS = ("every-eval-ever",)
EXAMPLES = {
    "every-eval-ever": Example(
        "Every Eval Ever",
        "betterthan rank samples.jsonl --where task=gsm8k",
        """
{"model_id": "meta-llama/Llama-3.2-1B", "evaluation_name": "gsm8k", "sample_id": "q1",
 "evaluation": {"score": 1.0, "is_correct": true}, ...}
""",
    )
}


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

    @property
    def mark(self) -> tuple[str | bytes | None, ...]:
        """Fingerprints: the hash of the log, or where it has none, of what that is made of."""
        if self.sample_hash or self.input is None:
            return self.sample_hash or None, None, None, None
        asked, expected = self.input.raw, self.input.reference
        listed = [expected] if isinstance(expected, str) else expected  # text in older versions
        marks = [None if x is None else digest(x) for x in (asked, listed)]
        return None, marks[0], None, marks[1]


@dataclass(slots=True)
class _Rows:
    """The samples of one model on one task."""

    items: list[str] = field(default_factory=list)
    scores: list[Value] = field(default_factory=list)
    correct: list[Value] = field(default_factory=list)
    prints: dict[str, tuple[str | bytes | None, ...]] = field(default_factory=dict)


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the fields that the schema requires."""
    del path
    keys = json_logs.top_keys(head)
    return ({"sample_id", "model_id"} <= keys and b'"evaluation' in head) or _averages(keys)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the files together, each of which may hold several models and tasks."""
    runs = [run for file in log_files(files, options) for run in _runs(file)]
    return gather(runs, options, "Every Eval Ever", item="sample_id", response="repeat")


def _averages(keys: frozenset[str]) -> bool:
    return {"evaluation_id", "evaluation_results"} <= keys


def _runs(file: LogFile) -> list[Run]:
    path = file.path
    head = first_bytes(path)
    if _averages(json_logs.top_keys(head)):
        raise FormatError(
            f"{path} holds averages only: give the instance-level .jsonl that belongs to it"
        )
    file.refuse_suffix(FORMATS[0], "jsonl", "json")
    found: defaultdict[tuple[str, str], _Rows] = defaultdict(_Rows)
    for _, sample in json_logs.decode_records(path, head, Answer):
        rows = found[sample.model_id, sample.evaluation_name]
        item = str(sample.sample_id)
        right = sample.evaluation.is_correct
        rows.items.append(item)
        rows.scores.append(sample.evaluation.score)
        rows.correct.append(None if right is None else float(right))
        rows.prints[item] = sample.mark
    several = len({model for model, _ in found}) > 1
    return [
        Run(
            system=file.system(model, several=several),
            task=task,
            where=str(path),
            items=rows.items,
            scores={"score": rows.scores, "is_correct": rows.correct}
            if any(value is not None for value in rows.correct)
            else {"score": rows.scores},
            responses=repeats(rows.items),
            prints=rows.prints,
        )
        for (model, task), rows in found.items()
    ]
