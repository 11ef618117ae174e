"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one record per document and filter.

The names of a record's metrics are in ``metrics``, their values at its top level. Versions before
0.4.4 list no names: there a metric is every number that is not a known field. They wrote no hashes
either, but the documents that newer versions make them of. Before 0.4.2 the records were one array.

Its files look like this::

    {"doc_id": 0, "doc": {...}, "filter": "strict-match", "metrics": ["exact_match"],
     "doc_hash": "9f3c...", "exact_match": 1.0}
    $ betterthan compare base/samples_*.jsonl new/samples_*.jsonl
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from betterthan.readers.files import plain_name
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.json_logs import Raws, decode_part
from betterthan.readers.logs.log_texts import QUESTIONS, as_text
from betterthan.readers.logs.runs import EXPECTED, PROMPT, LogFile, Run, Sample

FIELDS = set(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash".split()
)
"""What is at the top level of a record apart from its metrics."""
NAMES, TEXT = list[str], str | None
TEXTS = ("doc", "target", "filtered_resps", "resps")
MARKS = {
    "document": ("doc_hash", "doc"),
    EXPECTED: ("target_hash", "target"),
    PROMPT: ("prompt_hash", ""),
}
NULL = b"null"
ABSENT = (NULL, b'""')
NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")


class HarnessResults(msgspec.Struct):
    """What ``results_<date>.json`` says besides averages: model, directions, groups of tasks."""

    model_name: str | None = None
    higher_is_better: dict[str, dict[str, Any] | None] = {}
    group_subtasks: dict[str, list[str]] = {}

    def lower(self, task: str) -> frozenset[str]:
        """Metrics of a task of which lower is better; of log-likelihoods, higher is."""
        higher = self.higher_is_better.get(task) or {}
        return frozenset(name for name, up in higher.items() if up is False) - {"perplexity"}

    def groups(self, task: str) -> tuple[str, ...]:
        """Groups that a task belongs to, from the innermost to the outermost."""
        above = {x: group for group, tasks in self.group_subtasks.items() for x in tasks}
        path: list[str] = []
        while task in above and above[task] not in path:
            task = above[task]
            path.append(task)
        return tuple(path)


def known(file: LogFile) -> bool:
    """Tell by the fields of a record."""
    return "doc_id" in file.keys and bool(file.keys & (FIELDS - {"doc_id"}))


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a file, described by the results that were written with it."""
    name = NAME.fullmatch(plain_name(file.path).stem)
    task, date = name.groups() if name else ("", None)
    results = file.beside(f"results_{date}.json", HarnessResults)
    system = results.model_name or file.path.parent.name * bool(name)
    yield Run(file, _samples(file), system, task, results.groups(task), results.lower(task))


def _samples(file: LogFile) -> Iterator[Sample]:
    """Yield a sample for each document and filter."""
    decoded = cache(partial(decode_part, file=file.path))  # of what is alike in most records
    for number, record in file.records(Raws):
        item = str(decode_part(bytes(record.get("doc_id", b"")), Any, file.path, number))
        names = decoded(bytes(record["metrics"]), NAMES) if "metrics" in record else None
        yield Sample(
            item,
            _metrics(record, names, file.path, number),
            marks=_marks(record, file.path, number),
            variant=decoded(bytes(record.get("filter", NULL)), TEXT) or "none",
            texts=_texts(record, file.path, number) if item in file.texts else None,
        )


def _marks(record: Raws, file: Path, line: int) -> dict[str, bytes]:
    """Hashes as the harness writes them, or would have written them."""
    marks = {}
    for name, (hashed, field) in MARKS.items():
        if (raw := bytes(record.get(hashed, NULL))) not in ABSENT:
            marks[name] = raw
        elif field in record:
            value = decode_part(record[field], Any, file, line)
            text = json.dumps(value, indent=2, ensure_ascii=False) if field == "doc" else str(value)
            digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
            marks[name] = f'"{digest}"'.encode()
    return marks


def _metrics(record: Raws, names: Sequence[str] | None, file: Path, line: int) -> dict[str, Any]:
    """Values of the metrics that a record names; without names, all its numbers and lists.

    The perplexity of a corpus is made of log-likelihoods, and those are what a record holds.
    """
    named = [name for name in record if name not in FIELDS] if names is None else names
    values = {name: decode_part(record[name], Any, file, line) for name in named if name in record}
    if names is None:
        values = {name: x for name, x in values.items() if not isinstance(x, dict | str)}
    if isinstance(values.get("perplexity"), int | float):
        values["loglikelihood"] = values.pop("perplexity")
    return values


def _texts(record: Raws, file: Path, line: int) -> tuple[str, str, str]:
    """What a document asks, its target and what was answered.

    The question is in a field that is called so, or in the first that is text.
    """
    values = {key: decode_part(record[key], Any, file, line) for key in TEXTS if key in record}
    document = values["doc"] if isinstance(values.get("doc"), dict) else {}
    fields = [as_text(document[name]) for name in QUESTIONS if name in document]
    question = next((x for x in [*fields, *document.values()] if x and isinstance(x, str)), "")
    answers = values.get("filtered_resps") or values.get("resps")
    return question, as_text(values.get("target")), as_text(answers)


HARNESS = Harness(
    "lm-eval",
    __doc__,
    known,
    runs,
    averages=lambda file: file.keys >= {"results", "configs"},
    instead="pass the samples_*.jsonl next to it, which --log_samples writes",
    item="doc_id",
    by_folder=True,
    shown=True,
)
