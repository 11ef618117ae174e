"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one record per document and filter.

The names of a record's metrics are in ``metrics``, their values at its top level. Versions before
0.4.4 list no names: there a metric is every number that is not a known field. Before 0.4.2 the
records were one array, and version 0.3 wrote it as ``<task>_write_out_info.json``. Versions that
wrote no ``doc_hash`` wrote the documents: their digests replace the hashes.

Its files look like this::

    {"doc_id": 0, "doc": {...}, "filter": "strict-match", "metrics": ["exact_match"],
     "doc_hash": "9f3c...", "exact_match": 1.0}
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from betterthan.data.labels import whole_text
from betterthan.errors import (
    AlignmentError,
    FormatError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
)
from betterthan.readers.files import called, plain_name, system_names
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import tasks_asked
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.log_texts import QUESTIONS, as_text
from betterthan.readers.logs.runs import Head, LogFile, Mark, Run, as_number, by_column, digest

FIELDS = set(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash truth".split()
)
"""What is at the top level of a record apart from its metrics."""
MARKS = {"doc", "doc_hash", "filtered_resps", "resps", "arguments", "prompt_0"}
AVERAGES = {"results", "configs"}
TEXTS = ("doc", "target", "filtered_resps", "resps")
ABSENT = (b"", b"null", b'""')
NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")
REQUEST = re.compile(r"(prompt|logit)_\d+")
CORPUS = "lists, for a metric of the whole corpus"


class HarnessResults(msgspec.Struct):
    """What ``results_<date>.json`` says besides averages: model, directions, groups of tasks."""

    model_name: str | None = None
    config: dict[str, Any] | None = None
    higher_is_better: Any = None
    group_subtasks: Any = None

    @property
    def model(self) -> str | None:
        """Name of the model."""
        args = (self.config or {}).get("model_args")
        text = args.get("pretrained", "") if isinstance(args, dict) else str(args or "")
        inside = re.search(r"pretrained=([^,]+)", text)
        return self.model_name or (inside[1] if inside else text) or None

    def lower(self, task: str) -> frozenset[str]:
        """Metrics of a task of which lower is better; of log-likelihoods, higher is."""
        higher = _mapping(_mapping(self.higher_is_better).get(task))
        return frozenset(name for name, up in higher.items() if up is False) - {"perplexity"}

    def groups(self, task: str) -> tuple[str, ...]:
        """Groups that a task belongs to, from the innermost to the outermost."""
        groups = _mapping(self.group_subtasks).items()
        above = {x: group for group, tasks in groups if isinstance(tasks, list) for x in tasks}
        path: list[str] = []
        while task in above and above[task] not in path:
            task = above[task]
            path.append(task)
        return tuple(path)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass
class _Samples:
    """The samples of a file: values of metrics by filter and document, fingerprints, texts."""

    filters: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    prompts: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, dict[str, tuple[str, str, str]]] = field(default_factory=dict)
    hashed: bool = True


class _Decoded(dict[bytes, Any]):
    """Values of a field that is the same in most records, decoded once."""

    def __init__(self, kind: Any, where: str) -> None:
        self.kind, self.where = kind, where

    def __missing__(self, raw: bytes) -> Any:
        return self.setdefault(raw, json_logs.decode_part(raw, self.kind, self.where))


@dataclass(frozen=True)
class _Part:
    """A file, what it is of, and its samples."""

    file: LogFile
    system: str
    task: str
    results: HarnessResults
    samples: _Samples


def known(head: Head) -> bool:
    """Tell samples by their fields, and the file of averages next to them by its own."""
    samples = "doc_id" in head.keys and bool(head.keys & MARKS)
    return samples or head.keys >= AVERAGES


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all samples, of one filter for each task; tasks not requested are not read."""
    names = [NAME.fullmatch(plain_name(file.path).stem) for file in files]
    tasks = [whole_text(name["task"]) if name else "" for name in names]
    places = [
        file.path.with_name(f"results_{name['date'] if name else None}.json")
        for file, name in zip(files, names, strict=True)
    ]  # the files of results that were written with these samples
    decoded = {x: json_logs.decode_whole(x, HarnessResults) for x in {*places} if x.exists()}
    results = [decoded.get(place, HarnessResults()) for place in places]
    groups = {task: result.groups(task) for task, result in zip(tasks, results, strict=True)}
    chosen = {"", *tasks_asked(groups, files[0].options.task)}
    described = zip(files, _systems(files, results), tasks, results, strict=True)
    parts = [_Part(*part, _read(part[0])) for part in described if part[2] in chosen]
    if len({part.samples.hashed for part in parts}) > 1:  # versions with and without hashes
        parts = [replace(part, samples=_read(part.file, digests=True)) for part in parts]
    named = {part.task for part in parts} - {""}
    only = named.pop() if len(named) == 1 else ""
    together: dict[str, list[_Part]] = {}
    for part in parts:
        together.setdefault(part.task or only, []).append(part)
    filters = {task: _filter(of_task) for task, of_task in together.items()}
    for part in parts:
        yield _run(part, *filters[part.task or only])


def _systems(files: Sequence[LogFile], results: Sequence[HarnessResults]) -> list[str]:
    """Name systems by the model in the results next to the samples, else by folder or file."""
    folders = list(dict.fromkeys(file.path.absolute().parent for file in files))
    if files[0].options.system == "file" and len(folders) > 1:
        short = dict(zip(folders, system_names(folders), strict=True))
        return [called(file.path) or short[file.path.absolute().parent] for file in files]
    return [
        file.system(result.model or file.path.parent.name * bool(NAME.match(file.path.name)))
        for file, result in zip(files, results, strict=True)
    ]


def _run(part: _Part, chosen: str, notes: Sequence[str]) -> Run:
    """Return the run of a file by one filter."""
    path, samples, task = part.file.path, part.samples, part.task
    rows = samples.filters[chosen]
    if part.file.options.filter is None and len(rows) < len(samples.marks):
        raise FormatError(
            f"{path}: {len(rows):,} of {len(samples.marks):,} documents have answers of filter "
            f"{chosen!r}, of {first_few(samples.filters)}",
            *(Remedy("", "where", {"filter": name}) for name in samples.filters),
        )
    columns = by_column(rows.values())
    lists = {n for n, column in columns.items() if any(isinstance(x, list | dict) for x in column)}
    note = f"metrics of the whole corpus not used: {', '.join(sorted(lists))}"
    return Run(
        system=part.system,
        task=task,
        groups=part.results.groups(task),
        lower=part.results.lower(task),
        where=str(path),
        items=list(rows),
        scores={n: [*map(as_number, x)] for n, x in columns.items() if n not in lists},
        words=dict.fromkeys(sorted(lists), CORPUS),
        prints=samples.marks,
        prompts={item: mark for item, mark in samples.prompts.items() if mark},
        texts=samples.texts.get(chosen, {}),
        variant=chosen if len(samples.filters) > 1 or chosen != "none" else "",
        notes=(*notes, *([note] if lists else [])),
    )


def _filter(parts: Sequence[_Part]) -> tuple[str, Sequence[str]]:
    """Choose one filter for all files of a task, and note which others there are.

    The first of the harness that all files have; by name where files differ in their order: lines
    that were sorted differently must not choose another filter for one of the files.
    """
    orders = [list(part.samples.filters) for part in parts]
    requested = parts[0].file.options.filter
    if requested is not None:
        for part in parts:
            if requested not in part.samples.filters:
                close = closest(requested, part.samples.filters)
                raise UsageError(
                    f"{part.file.path} has no filter {requested!r}; it has "
                    f"{first_few(part.samples.filters)}",
                    *([Remedy("", "where", {"filter": close})] if close else []),
                )
        return requested, ()
    shared = [name for name in orders[0] if all(name in order for order in orders)]
    if not shared:
        names = "; ".join(
            f"{part.file.path}: {first_few(order)}"
            for part, order in zip(parts, orders, strict=True)
        )
        raise AlignmentError(
            f"no answer filter is in all {len(parts):,} files ({names}): run them "
            "with the same filters, or leave out those without the one that is compared"
        )
    if len({tuple(name for name in order if name in shared) for order in orders}) > 1:
        shared.sort()
    chosen, *others = shared
    notes: list[str] = []
    if others:
        another = Remedy("another one", "where", {"filter": others[0]})
        notes.append(Note(f"filter {chosen} of several ({', '.join(others)})", another))
    if some := sorted({name for order in orders for name in order} - {*shared}):
        notes.append(f"filters that not all files have are not compared: {', '.join(some)}")
    return chosen, notes


def _read(file: LogFile, *, digests: bool = False) -> _Samples:
    """Read a file; ``digests`` asks for those of the documents though they have hashes."""
    if file.head.keys >= AVERAGES:
        raise file.averages(
            "pass the samples_*.jsonl next to it, which the harness writes with --log_samples"
        )
    samples = _Samples()
    filters = _Decoded(str | None, f"{file.path}: filter")
    names = _Decoded(list[str], f"{file.path}: metrics")
    for number, record in file.records(json_logs.Raws):
        if "doc_id" not in record:
            raise FormatError(f"{file.path}: line {number:,} has no doc_id: delete it")
        item = str(value_of(record["doc_id"], "doc_id"))
        name = filters[bytes(record.get("filter", b"null"))] or "none"
        rows = samples.filters.setdefault(name, {})
        if item in rows:
            raise FormatError(
                f"{file.path}: line {number:,}: doc_id {item} was there before: two runs are "
                "written to one file, or a sample twice; delete one of them"
            )
        rows[item] = _metrics(
            record, names[bytes(record["metrics"])] if "metrics" in record else None
        )
        if item not in samples.marks:  # every filter repeats the document
            hashed = bytes(record.get("doc_hash", b"null")) not in ABSENT
            samples.hashed &= hashed
            samples.marks[item] = _digests(record) if digests or not hashed else _hashes(record)
            samples.prompts[item] = bytes(record.get("prompt_hash", b""))
        if item in file.texts:
            samples.texts.setdefault(name, {})[item] = _texts(record)
    if not samples.marks:
        raise file.averages("it is empty")
    return samples


def _hashes(record: json_logs.Raws) -> Mark:
    """Hashes of the document and of its target."""
    target = bytes(record.get("target_hash", b""))
    return bytes(record["doc_hash"]), None if target in ABSENT else target


def _digests(record: json_logs.Raws) -> Mark:
    """Digests of the document and of its target, None where the record has none."""
    target = record.get("target", record.get("truth"))  # truth: version 0.3
    return (
        digest(value_of(record["doc"], "doc")) if "doc" in record else None,
        # Newer versions write it as text, whatever it is.
        None if target is None else digest(str(value_of(target, "target"))),
    )


def _metrics(record: json_logs.Raws, names: Sequence[str] | None) -> dict[str, Any]:
    """Values of the metrics that a record names; without names, all its numbers and lists.

    The perplexity of a corpus is made of log-likelihoods, and those are what a record holds.
    """
    if names is not None:
        values = {name: value_of(record[name], name) for name in names if name in record}
    else:
        old = "prompt_0" in record  # version 0.3 wrote numbers as text, also those of requests
        rest = {n: value_of(raw, n) for n, raw in record.items() if n not in FIELDS}
        values = {
            name: value
            for name, value in rest.items()
            if not isinstance(value, dict | str)
            or (old and as_number(value) is not None and not REQUEST.fullmatch(name))
        }
    if isinstance(values.get("perplexity"), int | float):
        values["loglikelihood"] = values.pop("perplexity")
    return values


def _texts(record: json_logs.Raws) -> tuple[str, str, str]:
    """What a document asks, its target and what was answered.

    The question is in a field that is called so, or in the first that is text.
    """
    values = {key: value_of(record[key], key) for key in TEXTS if key in record}
    document = _mapping(values.get("doc"))
    fields = [as_text(document[name]) for name in QUESTIONS if name in document]
    question = next((x for x in [*fields, *document.values()] if x and isinstance(x, str)), "")
    answers = values.get("filtered_resps") or values.get("resps")
    return question, as_text(values.get("target")), as_text(answers)


HARNESS = Harness(
    names=("lm-eval",),
    title="lm-eval",
    source="lm-evaluation-harness",
    command="betterthan compare base/samples_*.jsonl new/samples_*.jsonl",
    about=__doc__,
    known=known,
    runs=runs,
    shown=True,
    item="doc_id",
)
