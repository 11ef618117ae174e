"""Runs of logs put together: tasks and metrics are chosen, and nothing is left out unsaid."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from betterthan.data.frames.alignment import scores_of_rows
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import Roles, chosen_columns
from betterthan.data.frames.typed_rows import TypedRows
from betterthan.data.scores import SHARED, Scores
from betterthan.errors import (
    AlignmentError,
    FormatError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
    listing,
)
from betterthan.readers.logs import agreement
from betterthan.readers.logs.runs import Run

if TYPE_CHECKING:
    import polars as pl


GROUP = "task_group"


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
    runs = _of_tasks(_with_tasks(agreement.spelled(runs)), options.task)
    runs = _of_systems(runs, options.systems)
    agreement.refuse_twice(runs)
    agreement.refuse_duplicates(runs, response)
    tasks = tuple(dict.fromkeys(run.task for run in runs))
    if options.missing != "pairwise":
        agreement.refuse_other_tasks(runs, tasks)
    metrics, notes = _metrics(runs, options)
    agreement.refuse_words(runs, metrics)
    agreement.refuse_unscored(runs, metrics)
    agreement.refuse_other_samples(runs)
    if options.missing == "error":
        agreement.refuse_incomplete(runs, tasks)
    files = len({run.where for run in runs})
    table = _table(runs, metrics, options, origin=f"{files} x {kind}", response=response)
    others = dict.fromkeys(
        name for run in runs for name in (*run.scores, *run.usage) if run.column(name) is not None
    )
    ignored = [name for name in others if name not in table.roles.scores] + [
        "prompts and answers"
    ] * texts
    scores = scores_of_rows(table, options)
    variants = tuple(dict.fromkeys(run.variant for run in runs if run.variant))
    return replace(
        scores,
        source=_echo(scores, table, tasks, variants, item=item, ignored=ignored),
        notes=(
            *scores.notes,
            *notes,
            *agreement.other_prompts(runs),
            *(_pooled(runs) if table.tasks == GROUP else ()),
            *dict.fromkeys(note for run in runs for note in run.notes),
        ),
    )


def _with_tasks(runs: Sequence[Run]) -> Sequence[Run]:
    """Give logs that name no task the only one that others name."""
    named = {run.task for run in runs} - {""}
    return (
        [replace(run, task=run.task or next(iter(named))) for run in runs]
        if len(named) == 1
        else runs
    )


def _of_tasks(runs: Sequence[Run], asked: str | Sequence[str] | None) -> Sequence[Run]:
    """Keep the tasks that the user asked for."""
    kept = tasks_asked({run.task: run.groups for run in runs}, asked)
    return [run for run in runs if run.task in kept]


def _of_systems(runs: Sequence[Run], asked: str | Sequence[str] | None) -> Sequence[Run]:
    """Keep the systems that the user asked for; others decide nothing."""
    there = {run.system for run in runs}
    chosen = names_given(asked, there)
    if unknown := [name for name in chosen if name not in there]:
        close = closest(unknown[0], there)
        raise UsageError(
            f"there is no system {unknown[0]!r}; there are {first_few(sorted(there))}",
            *([Remedy("", "systems", [close])] if close else []),
        )
    return [run for run in runs if run.system in chosen] if chosen else runs


def tasks_asked(
    tasks: Mapping[str, Sequence[str]], asked: str | Sequence[str] | None
) -> Collection[str]:
    """Tasks that were asked for by name, by that of a group of theirs, or by a pattern.

    >>> tasks = {"gsm8k": (), "mmlu_law": ("mmlu",), "mmlu_bio": ("stem", "mmlu")}
    >>> [sorted(tasks_asked(tasks, asked)) for asked in ("mmlu", "*bio,gsm8k", ["stem"])]
    [['mmlu_bio', 'mmlu_law'], ['gsm8k', 'mmlu_bio'], ['mmlu_bio']]
    """
    if asked is None:
        return tasks
    kept: set[str] = set()
    for name in names_given(asked, tasks):
        found = {task for task, groups in tasks.items() if name in (task, *groups)}
        found = found or {task for task in tasks if fnmatchcase(task, name)}
        if not found and not any(tasks):
            raise UsageError(f"these logs name no tasks, and so not {name!r}")
        if not found:
            groups = dict.fromkeys(group for above in tasks.values() for group in above)
            of_groups = f", in the groups {', '.join(groups)}" if groups else ""
            close = closest(name, [*tasks, *groups])
            raise UsageError(
                f"there is no task {name!r}; there are {', '.join(tasks)}{of_groups}",
                *([Remedy("", "where", {"task": close})] if close else []),
            )
        kept |= found
    return kept


def is_asked(task: str, asked: str | Sequence[str] | None) -> bool:
    """Whether one task is among those asked for, by name or by a pattern."""
    names = names_given(asked, [task])
    return asked is None or any(task == name or fnmatchcase(task, name) for name in names)


def _metrics(runs: Sequence[Run], options: Options) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Choose the metrics of each task, and say what else there is.

    Those asked for; or the first that all runs have; or, of tasks that have none in common, the
    first of each.
    """
    tasks = list(dict.fromkeys(run.task for run in runs))
    there = dict.fromkeys(name for run in runs for name in run.scores)
    taken = dict.fromkeys(name for run in runs for name in run.usage)
    asked = chosen_columns(tuple(there | taken), options)
    if asked:
        several = len(tasks) > 1
        return {
            task: _asked([run for run in runs if run.task == task], asked, several=several)
            for task in tasks
        }, []
    shared = _shared(runs)
    if shared:
        return dict.fromkeys(tasks, (shared[0],)), _others(shared)
    chosen: dict[str, tuple[str, ...]] = {}
    notes: dict[str, None] = {}
    for task in tasks:
        mine = [run for run in runs if run.task == task]
        shared = _shared(mine)
        if not any(run.scores for run in mine):
            _refuse_none(mine[0])
        if not shared:
            first, other = mine[0], next(r for r in mine if set(r.scores) != set(mine[0].scores))
            raise AlignmentError(
                f"{first.where} is scored by {first_few(first.scores)}, {other.where} by "
                f"{first_few(other.scores)}: score both runs by the same metric"
            )
        chosen[task] = (shared[0],)
        notes |= dict.fromkeys(_others(shared))
    return chosen, list(notes)


def _refuse_none(run: Run) -> None:
    """Say so where a log has numbers, and none of them is known as a score."""
    numbers = [name for name in run.usage if run.column(name) is not None]
    if not numbers:
        raise FormatError(f"{run.where} holds no scores: score the log first")
    raise FormatError(
        f"{run.where}: none of its numbers ({first_few(numbers)}) is known as a score",
        Remedy("for example", "metric", numbers[0]),
    )


def _shared(runs: Sequence[Run]) -> list[str]:
    """Metrics that all of these runs have, in the order of the first."""
    return [name for name in runs[0].scores if all(name in run.scores for run in runs)]


def _others(shared: Sequence[str]) -> list[str]:
    """Say which metrics there are beside the first."""
    chosen, *others = shared
    if not others:
        return []
    shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
    another = Remedy("another one", "metric", others[0])
    return [Note(f"metric {chosen} of several ({shown})", another)]


def _asked(runs: Sequence[Run], asked: tuple[str, ...], *, several: bool) -> tuple[str, ...]:
    """Metrics asked for that runs of a task have: all, or of one among several tasks, any."""
    known = tuple(name for name in asked if any(run.column(name) is not None for run in runs))
    wanted = (known or asked) if several else asked
    for name in wanted:
        lacking = [run for run in runs if run.column(name) is None]
        if lacking:
            run = lacking[0]
            close = closest(name, run.scores)
            raise UsageError(
                f"{run.where} has no metric {name!r} on {run.task!r}; it has "
                f"{first_few(run.scores)}",
                *([Remedy("", "metric", close)] if close else []),
            )
    return wanted


def _table(
    runs: Sequence[Run],
    metrics: dict[str, tuple[str, ...]],
    options: Options,
    *,
    origin: str,
    response: str,
) -> TypedRows:
    import polars as pl  # noqa: PLC0415 (heavy)

    several = len({run.task for run in runs}) > 1
    items = (
        pl.Series("item", run.items, dtype=pl.String)
        if not several
        else (run.task + "/" + pl.Series("item", run.items, dtype=pl.String)).alias("item")
        for run in runs
    )
    keys = {
        "item": pl.concat(list(items)),
        "system": _constant("system", [(run.system, len(run.items)) for run in runs]),
    }
    repeated = any(run.responses is not None for run in runs)
    if repeated:
        keys["response"] = _texts(run.responses or ["1"] * len(run.items) for run in runs)
    names = dict.fromkeys(name for run in runs for name in run.labels)
    labels = {
        name: _texts(run.labels.get(name, [None] * len(run.items)) for run in runs)
        for name in names
    }
    if several or options.tasks == "task":
        labels["task"] = _constant("task", [(run.task, len(run.items)) for run in runs])
    if several and any(run.groups for run in runs):
        labels[GROUP] = _constant(GROUP, [(run.group, len(run.items)) for run in runs])
    if several and (shared := _shared_samples(runs)):
        labels[SHARED] = _texts(
            [shared.get((run.task, item), f"{run.task}/{item}") for item in run.items]
            for run in runs
        )
    if options.cluster is not None and options.cluster not in labels:
        known = f"there are {first_few(labels)}" if labels else "the log has no labels"
        close = closest(options.cluster, labels)
        raise UsageError(
            f"there is no label {options.cluster!r} for the clusters; {known}",
            *([Remedy("", "columns", {"cluster": close})] if close else []),
        )
    columns = tuple(dict.fromkeys(name for chosen in metrics.values() for name in chosen))
    scores = {
        name: pl.Series(
            [
                value
                for run in runs
                for value in (run.column(name) if name in metrics[run.task] else None)
                or [None] * len(run.items)
            ],
            dtype=pl.Float64,
        )
        for name in columns
    }
    return TypedRows(
        keys=pl.DataFrame(keys),
        scores=pl.DataFrame(scores).fill_nan(None),
        labels=pl.DataFrame(labels),
        roles=Roles(
            item=("item",),
            system="system",
            response=response if repeated else None,
            cluster=options.cluster,
            scores=columns,
            labels=tuple(labels),
        ),
        layout="long",
        origin=origin,
        name=runs[0].system,
        tasks=options.tasks or (_tasks(runs, metrics) if several else None),
        lower=frozenset(name for run in runs for name in run.lower),
        by_rows=len({(run.where, run.system) for run in runs}) > len({run.where for run in runs}),
    )


def _shared_samples(runs: Sequence[Run]) -> dict[tuple[str, str], str]:
    """One name for samples that several tasks have: two prompts to one question, say.

    They are known by their fingerprints, where those tell the samples of a task apart.
    """
    prints: dict[object, dict[str, str]] = {}
    for run in {run.task: run for run in runs}.values():
        told = {item: mark for item, mark in run.prints.items() if _tells(mark)}
        if len(set(told.values())) < len(told):
            return {}
        for item, mark in told.items():
            prints.setdefault(mark, {})[run.task] = item
    return {
        (task, item): "/".join(next(iter(places.items())))
        for places in prints.values()
        if len(places) > 1
        for task, item in places.items()
    }


def _tells(mark: object) -> bool:
    """Whether a fingerprint is of what is asked: one answer may be that of many samples."""
    return not isinstance(mark, tuple) or any(x is not None for x in mark[: len(mark) // 2])


def _tasks(runs: Sequence[Run], metrics: dict[str, tuple[str, ...]]) -> str:
    """Which label names the tasks: groups of tasks count as one where each has one metric."""
    by_group = {(run.group, metrics[run.task]) for run in runs}
    groups = {group for group, _ in by_group}
    grouped = any(run.groups for run in runs) and len(groups) > 1
    return GROUP if grouped and len(by_group) == len(groups) else "task"


def _pooled(runs: Sequence[Run]) -> Iterable[str]:
    """Say which groups count as one task, and how to have their tasks one by one."""
    members: dict[str, dict[str, None]] = {}
    for run in runs:
        members.setdefault(run.group, {})[run.task] = None
    pooled = [f"{group} ({len(inside)})" for group, inside in members.items() if len(inside) > 1]
    yield Note(
        f"groups of tasks count as one, their items alike: {', '.join(pooled)}",
        Remedy("every task by itself", "columns", {"task": "task"}),
    )


def _constant(name: str, pieces: Iterable[tuple[str, int]]) -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    return pl.concat(
        [pl.repeat(text, n, dtype=pl.String, eager=True).alias(name) for text, n in pieces]
    )


def _texts(pieces: "Iterable[Sequence[str | None]]") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    return pl.concat([pl.Series(list(piece), dtype=pl.String) for piece in pieces])


def _echo(
    scores: Scores,
    table: TypedRows,
    tasks: tuple[str, ...],
    variants: tuple[str, ...],
    *,
    item: str,
    ignored: Sequence[str],
) -> str:
    """Say on one line what was read, and what became of every field."""
    metric = ", ".join(scores.columns) + (f" ({', '.join(variants)})" if variants else "")
    shown = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks ({listing(tasks)})"
    parts = [table.origin, *([shown] if shown else []), f"item={item}"]
    if scores.responses is not None:
        parts.append(f"{scores.responses.shape[-1]} {table.roles.response}s an item")
    if scores.clusters is not None:
        parts.append(f"cluster={table.roles.cluster} ({len(set(scores.clusters)):,})")
    labels = tuple(name for name in table.roles.labels if name != table.roles.cluster)
    total = table.keys["item"].n_unique()
    return " · ".join(
        (
            *parts,
            f"score{'s' * (len(scores.columns) > 1)} {metric}",
            f"system{'s' * (len(scores.systems) > 1)} {listing(scores.systems)}",
            *([f"label{'s' * (len(labels) > 1)} {listing(labels)}"] if labels else []),
            *([f"not compared: {listing(ignored)}"] if ignored else []),
            f"{scores.n:,}/{total:,} items paired by id",
        )
    )
