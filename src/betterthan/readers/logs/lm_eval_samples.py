"""One file of samples of lm-evaluation-harness: scores by answer filter, and what tells documents.

Versions that wrote no ``doc_hash`` wrote the documents: their own digests stand for the hashes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from betterthan.errors import FormatError, quote
from betterthan.readers.files import first_bytes
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.runs import LogFile, Value, as_number, digest

# What is at the top level of a record beside its metrics.
FIELDS = (
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash truth"
).split()
HASHES = ("doc_hash", "target_hash")
MARKS = ("doc_hash", "doc", "target_hash", "target")
ABSENT = (b"", b"null", b'""')
PERPLEXITY, LIKELIHOOD = "perplexity", "loglikelihood"


@dataclass(frozen=True, slots=True)
class Rows:
    """The samples of one filter: documents, values by metric, and metrics that are lists."""

    items: dict[str, None] = field(default_factory=dict)
    scores: dict[str, list[Value]] = field(default_factory=dict)
    lists: set[str] = field(default_factory=set)

    def add(self, item: str, values: dict[str, Any]) -> None:
        """Put the metrics of a record into their columns."""
        before = len(self.items)
        self.items[item] = None
        for name, value in values.items():
            if isinstance(value, list | dict):
                self.lists.add(name)
                continue
            column = self.scores.get(name)
            if column is None or len(column) < before:  # samples before had no such metric
                column = self.scores.setdefault(name, [])
                column.extend([None] * (before - len(column)))
            column.append(as_number(value))

    def columns(self) -> dict[str, list[Value]]:
        """Values by metric, as many as there are documents."""
        n = len(self.items)
        return {name: column + [None] * (n - len(column)) for name, column in self.scores.items()}


@dataclass(frozen=True, slots=True)
class Samples:
    """What a file holds: rows by filter, and by name of a field, marks of the documents."""

    by_filter: dict[str, Rows]
    marks: dict[str, dict[str, bytes]]
    prompts: dict[str, bytes]  # of all documents; empty where there is no prompt_hash

    @property
    def hashed(self) -> bool:
        """Whether all documents have hashes."""
        return len(self.marks.get("doc_hash", ())) == len(self.prompts)

    def prints(self) -> dict[str, tuple[bytes | None, ...]]:
        """Marks of each document, None where it has none of a kind."""
        columns = [self.marks.get(name, {}) for name in MARKS]
        return {item: tuple(column.get(item) for column in columns) for item in self.prompts}


def read_samples(file: LogFile, *, texts: bool = False) -> Samples:
    """Read a file; ``texts`` asks for digests of the documents though they have hashes."""
    path = file.path
    by_filter: defaultdict[str, Rows] = defaultdict(Rows)
    marks: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
    prompts: dict[str, bytes] = {}
    for number, record in json_logs.decode_records(path, first_bytes(path), json_logs.Raws):
        where = f"{path}: line {number:,}"
        if "doc_id" not in record:
            raise FormatError(f"{where} has no doc_id and is no sample: delete it")
        item = str(value_of(record["doc_id"], "doc_id"))
        rows = by_filter[filter_of(record, where)]
        if item in rows.items:
            raise FormatError(
                f"{where}: doc_id {item} was there before: two runs are written to one file, or a "
                "sample twice; delete one of them"
            )
        rows.add(item, _metrics(record, where))
        for name, mark in _marks(record, where, texts=texts, again=item in prompts):
            marks[name][item] = mark
        prompts[item] = bytes(record.get("prompt_hash", b""))
    if not by_filter:
        raise FormatError(f"{path} is empty: there is nothing to compare")
    return Samples(dict(by_filter), dict(marks), prompts)


def filter_of(record: json_logs.Raws, where: str) -> str:
    """Name the answer filter of a record."""
    name = _repeated(bytes(record.get("filter", b"null")))
    if name is not None and not isinstance(name, str):
        raise FormatError(f"{where}: filter is {quote(name)}, not a name: correct it")
    return "none" if name is None else name


def _marks(
    record: json_logs.Raws, where: str, *, texts: bool, again: bool
) -> Iterator[tuple[str, bytes]]:
    """Hashes that a record has; where one for the document is lacking, digests of what it says.

    Every filter repeats the document, and ``again`` says that it was digested before.
    """
    found = {name: bytes(record[name]) for name in HASHES if name in record}
    hashes = {name: mark for name, mark in found.items() if mark not in ABSENT}
    yield from hashes.items()
    if again or ("doc_hash" in hashes and not texts):
        return
    if "doc" in record:
        yield "doc", digest(value_of(record["doc"], f"{where}: doc"))
    target = record.get("target", record.get("truth"))  # truth: version 0.3
    if target is not None:  # newer versions write it as text, whatever it is
        yield "target", digest(str(value_of(target, f"{where}: target")))


def _metrics(record: json_logs.Raws, where: str) -> dict[str, Any]:
    """Values of the metrics of a record.

    The perplexity of a corpus is made of log-likelihoods, and those are what a record holds.
    """
    values = _named_metrics(record, where)
    if isinstance(values.get(PERPLEXITY), int | float):
        values[LIKELIHOOD] = values.pop(PERPLEXITY)
    return values


def _named_metrics(record: json_logs.Raws, where: str) -> dict[str, Any]:
    """Values of the metrics that a record names; without names, all its numbers and lists."""
    if "metrics" in record:
        names = _repeated(bytes(record["metrics"]))
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise FormatError(f"{where}: metrics is {quote(names)}, no list of names: correct it")
        return {name: value_of(record[name], name) for name in names if name in record}
    rest = {name: raw for name, raw in record.items() if name not in FIELDS}
    values = {name: value_of(raw, name) for name, raw in rest.items()}
    if "prompt_0" in record:  # version 0.3 wrote numbers as text, among them those of each request
        return {
            name: value
            for name, value in values.items()
            if not re.fullmatch(r"(prompt|logit)_\d+", name) and as_number(value) is not None
        }
    return {name: value for name, value in values.items() if not isinstance(value, str | dict)}


@lru_cache(maxsize=64)
def _repeated(raw: bytes) -> Any:
    """Decode what is the same in most records: the filter, the names of the metrics."""
    return value_of(raw, "a record")
