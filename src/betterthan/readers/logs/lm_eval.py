"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one record per document and filter.

The names of a record's metrics are in ``metrics``, their values at its top level. Versions before
0.4.4 list no names: there a metric is every number that is not a known field. Before 0.4.2 the
records were one array, and version 0.3 wrote it as ``<task>_write_out_info.json``.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.ids import whole_text
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, UsageError, first_few, quote
from betterthan.readers.examples import Example
from betterthan.readers.files import called, first_bytes, plain_name
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather, tasks_asked
from betterthan.readers.logs.runs import LogFile, Run, Value, as_number, log_files
from betterthan.readers.logs.said import QUESTIONS, Said, as_text

FORMATS = ("lm-eval",)
EXAMPLES = {
    "lm-eval": Example(
        "lm-evaluation-harness",
        "betterthan compare base/samples_*.jsonl new/samples_*.jsonl",
        """
{"doc_id": 0, "doc": {...}, "filter": "strict-match", "metrics": ["exact_match"],
 "doc_hash": "9f3c...", "exact_match": 1.0}
""",
    )
}
MARKS = {"doc", "doc_hash", "filtered_resps", "resps", "arguments", "prompt_0"}
# What is at the top level of a record beside its metrics.
FIELDS = (
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash truth"
).split()
NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")

PERPLEXITY, LIKELIHOOD = "perplexity", "loglikelihood"

SAID = ("doc", "target", "filtered_resps", "resps")


class HarnessResults(msgspec.Struct):
    """What ``results_<date>.json`` says beside averages: the model, directions, groups of tasks."""

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
        """Metrics of a task of which less is better."""
        said = _mapping(_mapping(self.higher_is_better).get(task))
        return frozenset(name for name, higher in said.items() if higher is False)

    def groups(self, task: str) -> tuple[str, ...]:
        """Groups that a task belongs to, from the inmost to the outmost."""
        above = {
            member: group
            for group, members in _mapping(self.group_subtasks).items()
            for member in (members if isinstance(members, list) else ())
        }
        found: list[str] = []
        while task in above and above[task] not in found:
            task = above[task]
            found.append(task)
        return tuple(found)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def recognise(path: Path, head: bytes) -> bool:
    """Tell samples by their fields, and the file of averages beside them by its own."""
    del path
    keys = json_logs.top_keys(head)
    return ("doc_id" in keys and bool(keys & MARKS)) or _averages(keys)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the samples together."""
    logs = log_files(files, options)
    beside = {path: _decoded(path) for path in map(_beside, files) if path is not None}
    results = [beside[at] if (at := _beside(path)) else HarnessResults() for path in files]
    tasks = [whole_text(_task(path)) for path in files]
    groups = {task: found.groups(task) for task, found in zip(tasks, results, strict=True)}
    kept = {"", *tasks_asked(groups, options.task)}  # what is left out need not be readable
    given = zip(tasks, logs, _systems(logs, results), results, strict=True)
    runs = [
        _run(file, system, found, several=len(kept) > 2)
        for task, file, system, found in given
        if task in kept
    ]
    return gather(runs, options, "lm-eval", item="doc_id")


def texts(files: Sequence[Path], options: Options, wanted: Collection[str]) -> Iterator[Said]:
    """What some documents ask, their targets and what was answered."""
    logs = log_files(files, options)
    results = [_decoded(at) if (at := _beside(path)) else HarnessResults() for path in files]
    several = len({_task(path) for path in files}) > 1
    for file, system in zip(logs, _systems(logs, results), strict=True):
        chosen = options.filter
        for number, record in json_logs.decode_records(
            file.path, first_bytes(file.path), json_logs.Raws
        ):
            name = _filter(record, f"{file.path}: line {number:,}")
            chosen = chosen or name
            task = f"{whole_text(_task(file.path))}/" * several
            item = task + str(value_of(record["doc_id"], "doc_id"))
            if name == chosen and item in wanted:
                values = {key: value_of(record[key], key) for key in SAID if key in record}
                answers = values.get("filtered_resps") or values.get("resps")
                asked = _asked(values.get("doc"))
                yield Said(system, item, asked, as_text(values.get("target")), as_text(answers))


def _asked(document: object) -> str:
    """The question of a document: what a field that is called so holds, or its first text."""
    fields = _mapping(document)
    found = (as_text(fields[name]) for name in QUESTIONS if name in fields)
    return next(filter(None, found), next((x for x in fields.values() if isinstance(x, str)), ""))


@dataclass(frozen=True, slots=True)
class _Rows:
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


def _task(path: Path) -> str:
    """Task that samples are of, by the name of their file; empty where it says none."""
    named = NAME.fullmatch(plain_name(path).stem)
    return named["task"] if named else ""


def _run(file: LogFile, system: str, results: HarnessResults, *, several: bool) -> Run:
    path, options = file.path, file.options
    head = first_bytes(path)
    if _averages(json_logs.top_keys(head)):
        raise FormatError(
            f"{path} holds averages only: give the samples_*.jsonl beside it, which the harness "
            "writes with --log_samples"
        )
    file.refuse_suffix(FORMATS[0], "jsonl", "json")
    by_filter: defaultdict[str, _Rows] = defaultdict(_Rows)
    prints: dict[str, bytes] = {}
    prompts: dict[str, bytes] = {}
    for number, record in json_logs.decode_records(path, head, json_logs.Raws):
        where = f"{path}: line {number:,}"
        if "doc_id" not in record:
            raise FormatError(f"{where} has no doc_id and is no sample: delete it")
        item = str(value_of(record["doc_id"], "doc_id"))
        rows = by_filter[_filter(record, where)]
        if item in rows.items:
            raise FormatError(
                f"{where}: doc_id {item} was there before: two runs are written to one file, or a "
                "sample twice; delete one of them"
            )
        rows.add(item, _metrics(record, where))
        prints[item] = bytes(record.get("doc_hash", b"")) + bytes(record.get("target_hash", b""))
        prompts[item] = bytes(record.get("prompt_hash", b""))
    if not by_filter:
        raise FormatError(f"{path} is empty: there is nothing to compare")
    chosen = _chosen_filter(by_filter, options.filter, path, len(prints))
    rows, others = by_filter[chosen], [name for name in by_filter if name != chosen]
    task = _task(path)
    _refuse_lists(rows, options, path, task if several else "")
    return Run(
        system=system,
        task=task,
        groups=results.groups(task),
        lower=results.lower(task) - {PERPLEXITY},
        where=str(path),
        items=list(rows.items),
        scores=rows.columns(),
        prints={item: mark for item, mark in prints.items() if mark},
        prompts={item: mark for item, mark in prompts.items() if mark},
        variant=chosen if others or chosen != "none" else "",
        notes=tuple(_notes(rows, chosen, others if options.filter is None else [])),
    )


def _notes(rows: _Rows, chosen: str, others: list[str]) -> Iterator[str]:
    if others:
        yield f'filter {chosen} of several ({", ".join(others)}) -> filter="{others[0]}"'
    if rows.lists:
        yield f"metrics of the whole corpus not used: {', '.join(sorted(rows.lists))}"


def _filter(record: json_logs.Raws, where: str) -> str:
    name = _repeated(bytes(record.get("filter", b"null")))
    if name is not None and not isinstance(name, str):
        raise FormatError(f"{where}: filter is {quote(name)}, not a name: correct it")
    return "none" if name is None else name


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


def _chosen_filter(
    by_filter: dict[str, _Rows], asked: str | None, path: Path, documents: int
) -> str:
    if asked is None:
        first, rows = next(iter(by_filter.items()))
        if len(rows.items) < documents:
            raise FormatError(
                f"{path}: {len(rows.items):,} of {documents:,} documents have answers of filter "
                f"{first!r}: give them all, or choose one with filter=... ({first_few(by_filter)})"
            )
        return first
    if asked not in by_filter:
        raise UsageError(
            f"{path} has no filter {asked!r} (filter=...); it has {first_few(by_filter)}"
        )
    return asked


def _refuse_lists(rows: _Rows, options: Options, path: Path, task: str) -> None:
    """Metrics of a corpus have one list per sample, and no mean of anything is their value."""
    wanted = [name for name in options.metrics if name in rows.lists]
    if not wanted and rows.scores:
        return
    if not wanted and not rows.lists:
        raise FormatError(f"{path}: no sample has a metric: run the harness again")
    listed = first_few(wanted or sorted(rows.lists))
    possible = f', or choose another, metric="{next(iter(rows.scores))}"' if rows.scores else ""
    raise FormatError(
        f"{path}: {listed} is a metric of the whole corpus: its samples hold lists, not scores. "
        f"Write the answers to text files and score those against gold=...{possible}"
        + (f", or name the tasks without {task!r} (task=...)" if task else "")
    )


def _averages(keys: frozenset[str]) -> bool:
    return {"results", "configs"} <= keys


def _systems(logs: Sequence[LogFile], results: Sequence[HarnessResults]) -> list[str]:
    """Name systems by the model in the results beside the samples, else by folder or file."""
    folders = [log.path.absolute().parent for log in logs]
    if logs[0].options.system == "file" and len(set(folders)) > 1:
        apart = zip(logs, _apart(folders), strict=True)
        return [called(log.path) or name for log, name in apart]
    return [
        log.system(beside.model or (log.path.parent.name if NAME.match(log.path.name) else ""))
        for log, beside in zip(logs, results, strict=True)
    ]


def _apart(folders: Sequence[Path]) -> list[str]:
    """Name folders by the parts of their paths in which they differ."""
    parts = [folder.parts for folder in folders]
    start = next(k for k, level in enumerate(zip(*parts, strict=False)) if len(set(level)) > 1)
    ends = zip(*(part[::-1] for part in parts), strict=False)
    end = next((k for k, level in enumerate(ends) if len(set(level)) > 1), 0)
    return ["/".join(part[start : len(part) - end]) for part in parts]


def _beside(path: Path) -> Path | None:
    """The file of results that was written with these samples, by its name."""
    named = NAME.fullmatch(plain_name(path).stem)
    return path.with_name(f"results_{named['date']}.json") if named and named["date"] else None


def _decoded(path: Path) -> HarnessResults:
    return json_logs.decode_whole(path, HarnessResults) if path.exists() else HarnessResults()
