"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one record per document and filter.

The names of a record's metrics are in ``metrics``, their values at its top level. Versions before
0.4.4 list no names: there a metric is every number that is not a known field. Before 0.4.2 the
records were one array, and version 0.3 wrote it as ``<task>_write_out_info.json``.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.labels import whole_text
from betterthan.data.scores import Scores
from betterthan.errors import (
    AlignmentError,
    FormatError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
)
from betterthan.readers.examples import Example
from betterthan.readers.files import called, first_bytes, plain_name
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather, tasks_asked
from betterthan.readers.logs.lm_eval_samples import (
    PERPLEXITY,
    Rows,
    Samples,
    filter_of,
    read_samples,
)
from betterthan.readers.logs.runs import LogFile, Run, log_files
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
NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")

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
    parts: dict[str, list[_Part]] = {}
    only = _only_task(tasks, kept)
    for task, file, system, found in given:
        if task in kept:
            part = _Part(file, system, found, _samples(file))
            parts.setdefault(task or only, []).append(part)
    runs = {
        part.file.path: run
        for together in parts.values()
        for part, run in zip(together, _runs(together, several=len(kept) > 2), strict=True)
    }
    return gather([runs[path] for path in files if path in runs], options, "lm-eval", item="doc_id")


def texts(files: Sequence[Path], options: Options, wanted: Collection[str]) -> Iterator[Said]:
    """What some documents ask, their targets and what was answered."""
    logs = log_files(files, options)
    results = [_decoded(at) if (at := _beside(path)) else HarnessResults() for path in files]
    tasks = [whole_text(_task(path)) for path in files]
    several = len({_task(path) for path in files}) > 1
    only = _only_task(tasks, set(tasks))
    told: list[tuple[str, str, Said]] = []  # with the task and the filter
    met: dict[str, dict[Path, dict[str, None]]] = {}
    for task, file, system in zip(tasks, logs, _systems(logs, results), strict=True):
        filters = met.setdefault(task or only, {}).setdefault(file.path, {})
        for number, record in json_logs.decode_records(
            file.path, first_bytes(file.path), json_logs.Raws
        ):
            name = filter_of(record, f"{file.path}: line {number:,}")
            filters[name] = None
            item = f"{task}/" * several + str(value_of(record["doc_id"], "doc_id"))
            if item in wanted:
                values = {key: value_of(record[key], key) for key in SAID if key in record}
                answers = values.get("filtered_resps") or values.get("resps")
                asked = _asked(values.get("doc"))
                said = Said(system, item, asked, as_text(values.get("target")), as_text(answers))
                told.append((task or only, name, said))
    chosen = {
        task: options.filter or next(iter(_shared(by_file)), "") for task, by_file in met.items()
    }
    yield from (said for task, name, said in told if name == chosen[task])


def _asked(document: object) -> str:
    """The question of a document: what a field that is called so holds, or its first text."""
    fields = _mapping(document)
    found = (as_text(fields[name]) for name in QUESTIONS if name in fields)
    return next(filter(None, found), next((x for x in fields.values() if isinstance(x, str)), ""))


def _task(path: Path) -> str:
    """Task that samples are of, by the name of their file; empty where it says none."""
    named = NAME.fullmatch(plain_name(path).stem)
    return named["task"] if named else ""


def _only_task(tasks: Collection[str], kept: Collection[str]) -> str:
    """Name the task of files that name none, where others name a single one."""
    named = {task for task in tasks if task in kept} - {""}
    return next(iter(named)) if len(named) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of samples, and whose it is."""

    file: LogFile
    system: str
    results: HarnessResults
    samples: Samples


def _samples(file: LogFile) -> Samples:
    if _averages(json_logs.top_keys(first_bytes(file.path))):
        raise FormatError(
            f"{file.path} holds averages only: read the samples_*.jsonl beside it, which the "
            "harness writes with --log_samples"
        )
    file.refuse_suffix(FORMATS[0], "jsonl", "json")
    return read_samples(file)


def _runs(parts: Sequence[_Part], *, several: bool) -> Iterator[Run]:
    """Runs of all files of a task, by one filter and with marks of one kind."""
    options = parts[0].file.options
    met = {part.file.path: part.samples.by_filter for part in parts}
    chosen, notes = _chosen_filter(met, options.filter)
    for part in _digested(parts):
        path, samples = part.file.path, part.samples
        rows = samples.by_filter[chosen]
        if options.filter is None and len(rows.items) < len(samples.prompts):
            raise FormatError(
                f"{path}: {len(rows.items):,} of {len(samples.prompts):,} documents have answers "
                f"of filter {chosen!r}, of {first_few(samples.by_filter)}",
                *(Remedy("", "where", {"filter": name}) for name in samples.by_filter),
            )
        task = _task(path)
        _refuse_lists(rows, options, path, task if several else "")
        lists = ", ".join(sorted(rows.lists))
        yield Run(
            system=part.system,
            task=task,
            groups=part.results.groups(task),
            lower=part.results.lower(task) - {PERPLEXITY},
            where=str(path),
            items=list(rows.items),
            scores=rows.columns(),
            prints=samples.prints(),
            prompts={item: mark for item, mark in samples.prompts.items() if mark},
            variant=chosen if len(samples.by_filter) > 1 or chosen != "none" else "",
            notes=(*notes, *([f"metrics of the whole corpus not used: {lists}"] if lists else ())),
        )


def _digested(parts: Sequence[_Part]) -> Sequence[_Part]:
    """Read files with hashes again for digests, where others are of a version without hashes."""
    if len({part.samples.hashed for part in parts}) == 1:
        return parts
    return [replace(part, samples=read_samples(part.file, texts=True)) for part in parts]


def _chosen_filter(
    met: Mapping[Path, Collection[str]], asked: str | None
) -> tuple[str, Sequence[str]]:
    """Choose one filter for all files of a task, and say which others there are."""
    if asked is not None:
        for path, names in met.items():
            if asked not in names:
                close = closest(asked, names)
                raise UsageError(
                    f"{path} has no filter {asked!r}; it has {first_few(names)}",
                    *([Remedy("", "where", {"filter": close})] if close else []),
                )
        return asked, ()
    shared = _shared(met)
    if not shared:
        path, mine = next(iter(met.items()))
        # One that shares nothing with the first, or one of several that share nothing together.
        other = next((p for p, names in met.items() if not {*names} & {*mine}), [*met][-1])
        raise AlignmentError(
            f"{path} has answers of filter {first_few(mine)}, {other} of {first_few(met[other])}, "
            f"and no filter is in all {len(met):,} files: run them with the same filters, or leave "
            "out those without the one that is compared"
        )
    chosen, *others = shared
    notes: list[str] = []
    if others:
        another = Remedy("another one", "where", {"filter": others[0]})
        notes.append(Note(f"filter {chosen} of several ({', '.join(others)})", another))
    some = sorted({name for names in met.values() for name in names} - {*shared})
    if some:
        notes.append(f"filters that not all files have are not compared: {', '.join(some)}")
    return chosen, notes


def _shared(met: Mapping[Path, Collection[str]]) -> list[str]:
    """Filters that all files have: in the order of the harness, or if files differ in it, by name.

    Lines that were sorted otherwise must not choose another filter for one of the files.
    """
    orders = [list(names) for names in met.values()]
    shared = [name for name in orders[0] if all(name in order for order in orders)]
    alike = len({tuple(name for name in order if name in shared) for order in orders}) == 1
    return shared if alike else sorted(shared)


def _refuse_lists(rows: Rows, options: Options, path: Path, task: str) -> None:
    """Metrics of a corpus have one list per sample, and no mean of anything is their value."""
    wanted = [name for name in options.metrics if name in rows.lists]
    if not wanted and rows.scores:
        return
    if not wanted and not rows.lists:
        raise FormatError(f"{path}: no sample has a metric: run the harness again")
    listed = first_few(wanted or sorted(rows.lists))
    raise FormatError(
        f"{path}: {listed} is a metric of the whole corpus: its samples hold lists, not scores. "
        "Write the answers to text files and score those against references"
        + (f", or leave out the task {task!r}" if task else ""),
        *(Remedy("another metric", "metric", name) for name in [*rows.scores][:1]),
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
