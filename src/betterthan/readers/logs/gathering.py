"""Runs of logs put together as Scores: tasks, systems and metrics are chosen, runs are checked."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from betterthan.data.labels import whole_text
from betterthan.data.scores import SHARED, Scores
from betterthan.errors import (
    AlignmentError,
    BetterthanError,
    FormatError,
    Note,
    Parameter,
    Remedy,
    UsageError,
    closest,
    first_few,
    listing,
)
from betterthan.metrics import parse
from betterthan.readers.logs import checks
from betterthan.readers.logs.runs import Run
from betterthan.readers.options import Options, names_given
from betterthan.tables.aligned import aligned
from betterthan.tables.roles import Declared, Roles, column_called
from betterthan.tables.rows import Rows

if TYPE_CHECKING:
    import polars as pl


GROUP = "task_group"
Metrics = Mapping[str, tuple[str, ...]]
"""The metrics of each task."""


def gather(
    runs: Sequence[Run],
    options: Options,
    kind: str,
    *,
    item: str = "id",
    response: str = "epoch",
    texts: bool = True,
) -> Scores:
    """Scores of runs put together.

    ``kind`` names their format, ``item`` the field that names samples, ``response`` their repeats;
    ``texts`` says that the logs also hold prompts and answers, which are not looked at.
    """
    runs = with_tasks(runs)
    chosen = tasks_asked({run.task: run.groups for run in runs}, options.task)
    runs = _of_systems([run for run in runs if run.task in chosen], options.systems)
    checks.check_filled(runs)
    checks.check_once(runs, response)
    if options.missing != "pairwise":
        checks.check_tasks(runs)
    metrics, notes = _metrics(runs, options)
    checks.check_scored(runs, metrics)
    checks.check_samples(runs)
    if options.missing == "error":
        checks.check_complete(runs)
    rows = _rows(runs, metrics, options, kind=kind, response=response)
    scores = aligned(
        rows,
        systems=names_given(options.systems, rows.systems),
        metric=options.metrics,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )
    return replace(
        scores,
        source=_read_line(scores, rows, runs, item=item, texts=texts),
        notes=(
            *scores.notes,
            *notes,
            *checks.note_other_prompts(runs),
            *([_pooled(runs)] if rows.task == GROUP else []),
            *dict.fromkeys(note for run in runs for note in run.notes),
        ),
    )


def with_tasks(runs: Sequence[Run]) -> list[Run]:
    """Write names as text, and give logs that name no task the only one that others name."""
    named = {whole_text(run.task) for run in runs} - {""}
    only = named.pop() if len(named) == 1 else ""
    return [
        msgspec.structs.replace(
            run, system=whole_text(run.system), task=whole_text(run.task) or only
        )
        for run in runs
    ]


def item_names(run: Run, runs: Iterable[Run]) -> list[str]:
    """Return the ids of a run's samples, within their task where there are several."""
    if {other.task for other in runs} == {run.task}:
        return run.items
    return [f"{run.task}/{item}" for item in run.items]


def _unknown(
    message: str, name: str, known: Iterable[str], parameter: Parameter, role: str = ""
) -> UsageError:
    """Make the error for a name that logs do not have; its remedy is the closest that they have."""
    close = closest(name, known)
    value = {role: close} if role else [close] if parameter == "systems" else close
    return UsageError(message, *[Remedy("", parameter, value)] * bool(close))


def _of_systems(runs: Sequence[Run], requested: str | Sequence[str] | None) -> Sequence[Run]:
    """Keep the systems that the user requested; others decide nothing."""
    known = {run.system for run in runs}
    chosen = names_given(requested, known)
    for name in chosen:
        if name not in known:
            message = f"there is no system {name!r}; there are {first_few(sorted(known))}"
            raise _unknown(message, name, known, "systems")
    return [run for run in runs if run.system in chosen] if chosen else runs


def tasks_asked(
    tasks: Mapping[str, Sequence[str]], requested: str | Sequence[str] | None
) -> Collection[str]:
    """Tasks that were requested by name, by the name of one of their groups, or by a pattern.

    >>> tasks = {"gsm8k": (), "mmlu_law": ("mmlu",), "mmlu_bio": ("stem", "mmlu")}
    >>> [sorted(tasks_asked(tasks, requested)) for requested in ("mmlu", "*bio,gsm8k", ["stem"])]
    [['mmlu_bio', 'mmlu_law'], ['gsm8k', 'mmlu_bio'], ['mmlu_bio']]
    """
    if requested is None:
        return tasks
    chosen: set[str] = set()
    for name in names_given(requested, tasks):
        matches = {task for task, groups in tasks.items() if name in (task, *groups)}
        matches = matches or {task for task in tasks if fnmatchcase(task, name)}
        if not matches:
            known = [*tasks, *dict.fromkeys(group for groups in tasks.values() for group in groups)]
            message = (
                f"there is no task {name!r}; there are {', '.join(filter(None, known)) or 'none'}"
            )
            raise _unknown(message, name, known, "where", "task")
        chosen |= matches
    return chosen


def is_asked(task: str, requested: str | Sequence[str] | None) -> bool:
    """Whether one task is among those requested, by name or by a pattern."""
    names = names_given(requested, [task])
    return requested is None or any(task == name or fnmatchcase(task, name) for name in names)


def _requested(names: Sequence[str], options: Options) -> tuple[str, ...]:
    """Columns that were asked for, as scores or by metrics that read them."""
    if options.score is not None:
        asked = names_given(options.score, names)
        return tuple(column_called(name, names, "score", "the log") for name in asked)
    columns: dict[str, None] = {}
    for metric in options.metrics:
        if metric in names:
            columns[str(metric)] = None
            continue
        try:
            read = (parse(metric) if isinstance(metric, str) else metric).columns
        except UsageError as error:
            message = f"the log has no metric {metric!r}; it has {first_few(names)}"
            raise _unknown(message, str(metric), names, "metric") from error
        columns |= dict.fromkeys(name for name in read if name in names)
    return tuple(columns)


def _metrics(runs: Sequence[Run], options: Options) -> tuple[Metrics, list[str]]:
    """Choose the metrics of each task, and note which others there are.

    Those requested; or the first that all runs have; or, of tasks that have none in common, the
    first of each.
    """
    tasks: dict[str, list[Run]] = {}
    for run in runs:
        tasks.setdefault(run.task, []).append(run)
    known = dict.fromkeys(name for run in runs for name in (*run.scores, *run.words))
    usage = dict.fromkeys(name for run in runs for name in run.usage)
    requested = _requested(tuple(known | usage), options)
    if requested:
        several = len(tasks) > 1
        return {t: _asked(own, requested, several=several) for t, own in tasks.items()}, []
    metrics: dict[str, tuple[str, ...]] = {}
    notes: dict[str, None] = {}
    for together in [runs] if _shared(runs) else tasks.values():
        shared = _shared(together)
        if not shared:
            raise _no_metric(together)
        metrics |= {run.task: shared[:1] for run in together}
        if others := shared[1:]:
            shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
            another = Remedy("another one", "metric", others[0])
            notes[Note(f"metric {shared[0]} of several ({shown})", another)] = None
    return metrics, list(notes)


def _shared(runs: Sequence[Run]) -> tuple[str, ...]:
    """Metrics that all of these runs have, in the order of the first."""
    return tuple(name for name in runs[0].scores if all(name in run.scores for run in runs))


def _no_metric(runs: Sequence[Run]) -> BetterthanError:
    """Make the error for runs of a task without a common metric."""
    run = next((run for run in runs if not run.scores), runs[0])
    if run.scores:
        other = next(other for other in runs if set(other.scores) != set(run.scores))
        return AlignmentError(
            f"{run.where} is scored by {first_few(run.scores)}, {other.where} by "
            f"{first_few(other.scores)}: score both runs by the same metric"
        )
    if run.words:
        return checks.not_numbers(run, next(iter(run.words)))
    others = [name for name in run.usage if run.column(name) is not None]
    return FormatError(
        f"{run.where} holds no scores{', only ' * bool(others)}{first_few(others)}: score the log "
        "first",
        *(Remedy("compare another of its numbers", "metric", name) for name in others[:1]),
    )


def _asked(runs: Sequence[Run], requested: tuple[str, ...], *, several: bool) -> tuple[str, ...]:
    """Metrics requested that runs of a task have: all, or of one among several tasks, any."""
    known = tuple(name for name in requested if any(run.column(name) is not None for run in runs))
    names = (known or requested) if several else requested
    for name in names:
        for run in runs:
            if run.column(name) is None and name in run.words:
                raise checks.not_numbers(run, name)
            if run.column(name) is None:
                message = f"{run.where} has no metric {name!r}; it has {first_few(run.scores)}"
                raise _unknown(message, name, run.scores, "metric")
    return names


def _rows(
    runs: Sequence[Run], metrics: Metrics, options: Options, *, kind: str, response: str
) -> Rows:
    """Typed rows of the runs, one below the other."""
    import polars as pl  # noqa: PLC0415 (heavy)

    several = len({run.task for run in runs}) > 1
    keys = {
        "item": _column(runs, [item_names(run, runs) for run in runs]),
        "system": _column(runs, [[run.system] * len(run.items) for run in runs]),
    }
    repeated = any(run.responses is not None for run in runs)
    if repeated:
        keys["response"] = _column(runs, [run.responses or ["1"] * len(run.items) for run in runs])
    labels = _labels(runs, tasks=several or options.tasks == "task")
    if options.cluster is not None and options.cluster not in labels:
        known = f"there are {first_few(labels)}" if labels else "the log has no labels"
        message = f"there is no label {options.cluster!r} for the clusters; {known}"
        raise _unknown(message, options.cluster, labels, "columns", "cluster")
    columns = tuple(dict.fromkeys(name for names in metrics.values() for name in names))
    used = [{name: run.column(name) for name in metrics[run.task]} for run in runs]
    scores = {name: _column(runs, [x.get(name) for x in used], pl.Float64) for name in columns}
    files = {run.where for run in runs}
    return Rows(
        keys=pl.DataFrame(keys),
        scores=pl.DataFrame(scores).fill_nan(None),
        labels=pl.DataFrame(labels),
        roles=Roles(
            item=("item",),
            system="system",
            response=response if repeated else None,
            cluster=() if options.cluster is None else (options.cluster,),
            scores=columns,
            labels=tuple(labels),
        ),
        origin=f"{len(files)} x {kind}",
        name=runs[0].system,
        task=options.tasks or (_task_label(runs, metrics) if several else None),
        declared=Declared(item=("item",), score=columns, task=options.tasks),
        lower=frozenset(name for run in runs for name in run.lower),
        by_rows=len({(run.where, run.system) for run in runs}) > len(files),
    )


def _column(
    runs: Sequence[Run], values: Sequence[Sequence[Any] | None], kind: Any = None
) -> "pl.Series":
    """Values of all runs in one column, of text by default; nulls where a run has none."""
    import polars as pl  # noqa: PLC0415 (heavy)

    parts = (x or [None] * len(run.items) for run, x in zip(runs, values, strict=True))
    return pl.concat([pl.Series(part, dtype=kind or pl.String) for part in parts])


def _labels(runs: Sequence[Run], *, tasks: bool) -> "dict[str, pl.Series]":
    """Labels of the rows: those of the logs, and of tasks, their groups and shared samples."""
    labels = {
        name: _column(runs, [run.labels.get(name) for run in runs])
        for name in dict.fromkeys(name for run in runs for name in run.labels)
    }
    if tasks:
        labels["task"] = _column(runs, [[run.task] * len(run.items) for run in runs])
    if len({run.task for run in runs}) == 1:
        return labels
    if any(run.groups for run in runs):
        labels[GROUP] = _column(runs, [[run.group] * len(run.items) for run in runs])
    if shared := _shared_samples(runs):
        labels[SHARED] = _column(
            runs, [[shared.get((r.task, x), f"{r.task}/{x}") for x in r.items] for r in runs]
        )
    return labels


def _shared_samples(runs: Sequence[Run]) -> dict[tuple[str, str], str]:
    """One name for samples that several tasks have: two prompts to one question, say.

    They are known by their fingerprints, where those distinguish the samples of a task. A mark of
    what is expected alone does not: one answer may be right for many samples.
    """
    places: dict[object, dict[str, str]] = {}
    for run in {run.task: run for run in runs}.values():
        marks = {item: mark for item, mark in run.prints.items() if any(mark[:-1])}
        if len(set(marks.values())) < len(marks):
            return {}
        for item, mark in marks.items():
            places.setdefault(mark, {})[run.task] = item
    return {
        (task, item): "/".join(next(iter(shared.items())))
        for shared in places.values()
        if len(shared) > 1
        for task, item in shared.items()
    }


def _task_label(runs: Sequence[Run], metrics: Metrics) -> str:
    """Which label names the tasks: groups of tasks count as one where each has one metric."""
    by_group = {(run.group, metrics[run.task]) for run in runs}
    groups = {group for group, _ in by_group}
    grouped = any(run.groups for run in runs) and len(groups) > 1
    return GROUP if grouped and len(by_group) == len(groups) else "task"


def _pooled(runs: Sequence[Run]) -> Note:
    """Note which groups count as one task, and how to take them apart."""
    members: dict[str, set[str]] = {}
    for run in runs:
        members.setdefault(run.group, set()).add(run.task)
    pooled = [f"{group} ({len(tasks)})" for group, tasks in members.items() if len(tasks) > 1]
    return Note(
        f"groups of tasks count as one, their items alike: {', '.join(pooled)}",
        Remedy("every task by itself", "columns", {"task": "task"}),
    )


def _read_line(scores: Scores, rows: Rows, runs: Sequence[Run], *, item: str, texts: bool) -> str:
    """Write on one line what was read, and what became of every field."""
    tasks = tuple(dict.fromkeys(run.task for run in runs))
    variants = dict.fromkeys(run.variant for run in runs if run.variant)
    names = dict.fromkeys(name for run in runs for name in (*run.scores, *run.usage))
    others = [n for n in names if n not in rows.roles.scores and any(r.column(n) for r in runs)]
    ignored = [*others, *["prompts and answers"] * texts]
    labels = [name for name in rows.roles.labels if name not in rows.roles.cluster]
    parts = [
        rows.origin,
        tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks ({listing(tasks)})",
        f"item={item}",
        "" if scores.responses is None
        else f"{scores.responses.shape[-1]} {rows.roles.response}s an item",
        "" if scores.clusters is None
        else f"cluster={rows.roles.cluster[0]} ({len(set(scores.clusters)):,})",
        f"score{'s' * (len(scores.columns) > 1)} {', '.join(scores.columns)}"
        + f" ({', '.join(variants)})" * bool(variants),
        f"system{'s' * (len(scores.systems) > 1)} {listing(scores.systems)}",
        f"label{'s' * (len(labels) > 1)} {listing(labels)}" if labels else "",
        f"not compared: {listing(ignored)}" if ignored else "",
        f"{scores.n:,}/{rows.keys['item'].n_unique():,} items paired by id",
    ]  # fmt: skip
    return " · ".join(filter(None, parts))
