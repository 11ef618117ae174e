"""What is compared of several runs: tasks, systems, one variant and the metrics of each task."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from betterthan.data.labels import places_of, whole_text
from betterthan.errors import (
    AlignmentError,
    FormatError,
    Note,
    Remedy,
    UsageError,
    first_few,
    not_one_of,
)
from betterthan.metrics import parse
from betterthan.readers.logs.runs import Run
from betterthan.readers.options import Options, names_given
from betterthan.tables.declared import column_called
from betterthan.tables.selection import values_called

Metrics = Mapping[str, tuple[str, ...]]
"""The metrics of each task."""


def chosen(runs: Sequence[Run], options: Options) -> list[Run]:
    """Return the runs that are asked for, their samples read, in one variant."""
    named = {run.task for run in runs} - {""}
    only = named.pop() if len(named) == 1 else ""  # of logs that name no task as well
    for run in runs:
        run.task = whole_text(run.task or only)
    tasks = _tasks_asked(runs, options.where.get("task"))
    known = list(dict.fromkeys(run.system for run in runs))
    systems = names_given(options.systems, known)
    places_of(systems, known)  # each of them is there
    kept = [run for run in runs if run.task in tasks and run.system in (systems or known)]
    for run in kept:
        run.rows = list(run.samples)
    for together in by_task(run for run in kept if run.rows).values():
        _keep_one_variant(together, options.where.get("filter"))
    return kept


def by_task(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Runs of each task."""
    tasks: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(run)
    return tasks


def item_names(run: Run, runs: Iterable[Run]) -> list[str]:
    """Return the ids of a run's samples, within their task where there are several."""
    within = "" if {other.task for other in runs} == {run.task} else f"{run.task}/"
    return [within + row.item for row in run.rows]


def _tasks_asked(runs: Sequence[Run], requested: str | None) -> set[str]:
    """Tasks that were requested by name, by the name of one of their groups, or by a pattern."""
    import polars as pl  # noqa: PLC0415 (heavy)

    groups = {run.task: (run.task, *run.groups) for run in runs}
    if requested is None:
        return {*groups}
    known = pl.Series("task", sorted({name for names in groups.values() for name in names}))
    asked = {*values_called(requested, known, "the logs")}
    return {task for task, names in groups.items() if asked.intersection(names)}


def _keep_one_variant(runs: Sequence[Run], requested: str | None) -> None:
    """Keep one variant of the samples of a task, and note which others there are.

    It is the first that all its logs have of all samples; by name where logs differ in their order:
    lines that were sorted differently must not choose another variant for one of the logs.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    of_runs = [_items_by_variant(run) for run in runs]
    known = list(dict.fromkeys(name for items in of_runs for name in items))
    shared = [name for name in known if all(name in items for items in of_runs)]
    whole = [
        [x for x in items if x in shared and items[x] == set().union(*items.values())]
        for items in of_runs
    ]
    usable = [name for name in whole[0] if all(name in names for names in whole)]
    if requested is not None:
        variant = values_called(requested, pl.Series("filter", shared), runs[0].where)[0]
    elif usable:
        variant = usable[0] if all(names == whole[0] for names in whole) else min(usable)
    else:
        raise AlignmentError(
            f"no answer filter is in all {len(runs):,} files with all samples: {runs[0].where} has "
            f"{first_few(of_runs[0])}, others {first_few(x for x in known if x not in of_runs[0])}",
            *(Remedy("", "where", {"filter": name}) for name in shared),
        )
    others = [name for name in known if name != variant]
    remedies = [Remedy("another one", "where", {"filter": x}) for x in others if x in shared]
    for run in runs:
        run.rows = [row for row in run.rows if row.variant == variant]
        if others and requested is None:
            message = f"filter {variant} of several ({', '.join(others)})"
            run.notes += (Note(message, remedies[0]) if remedies else message,)


def _items_by_variant(run: Run) -> dict[str, set[str]]:
    """Samples of each variant."""
    items: defaultdict[str, set[str]] = defaultdict(set)
    for row in run.rows:
        items[row.variant].add(row.item)
    return items


def metrics_of(runs: Sequence[Run], options: Options) -> tuple[Metrics, list[str]]:
    """Choose the metrics of each task, and note which others there are.

    Those requested; or the first that all runs have; or, of tasks that have none in common, the
    first of each.
    """
    tasks, requested = by_task(runs), _requested(runs, options)
    metrics: dict[str, tuple[str, ...]] = {}
    notes: dict[str, None] = {}
    for task, together in tasks.items() if requested else ():
        some = tuple(x for x in requested if any(run.column(x) for run in together))
        metrics[task] = some if some and len(tasks) > 1 else requested
    for together in () if requested else [list(runs)] if _shared(runs) else tasks.values():
        names = _shared(together) or [*together[0].scores, *together[0].words][:1]
        if not names:
            raise FormatError(
                f"{together[0].where} holds no scores: score the log first",
                *(
                    Remedy("compare another of its numbers", "metric", x)
                    for x in [*together[0].usage][:1]
                ),
            )
        first, *others = names
        metrics |= dict.fromkeys(by_task(together), (first,))
        if others:
            shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
            another = Remedy("another one", "metric", others[0])
            notes[Note(f"metric {first} of several ({shown})", another)] = None
        if words := sorted({name for run in together for name in run.words}):
            notes[f"not compared, since not all values are numbers: {first_few(words)}"] = None
    for run in runs:
        for name in metrics[run.task]:
            # A log without a single score is not one of a system that failed everything.
            if not any(value is not None for value in run.column(name) or ()):
                others = [x for x in run.scores if x != name]
                raise FormatError(
                    f"{run.where} has no numbers for {name!r}: score the log first",
                    *(Remedy("another metric", "metric", other) for other in others[:1]),
                )
    return metrics, list(notes)


def _requested(runs: Sequence[Run], options: Options) -> tuple[str, ...]:
    """Columns that were asked for, as scores or by metrics that read them."""
    every = (name for run in runs for name in (*run.scores, *run.words, *run.usage))
    names = list(dict.fromkeys(every))
    if "score" in options.columns:
        asked = names_given(options.columns["score"], names)
        return tuple(column_called(name, names, "score", "the log") for name in asked)
    columns: dict[str, None] = {}
    for metric in options.metrics:
        try:
            named = parse(metric) if isinstance(metric, str) and metric not in names else metric
        except UsageError as error:
            raise not_one_of("metric", metric, names) from error
        read = [named] if isinstance(named, str) else named.columns
        columns |= dict.fromkeys(name for name in read if name in names)
    return tuple(columns)


def _shared(runs: Sequence[Run]) -> list[str]:
    """Metrics that all of these runs have, in the order of the first."""
    return [name for name in runs[0].scores if all(name in run.scores for run in runs)]
