"""What is compared of several runs: tasks, systems, one variant and the metrics of each task."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from betterthan.data.labels import whole_text
from betterthan.errors import (
    AlignmentError,
    FormatError,
    Note,
    Parameter,
    Remedy,
    UsageError,
    closest,
    first_few,
)
from betterthan.metrics import parse
from betterthan.readers.logs.runs import Run
from betterthan.readers.options import Options, names_given
from betterthan.tables.declared import column_called
from betterthan.tables.rows import check_systems, values_called

Metrics = Mapping[str, tuple[str, ...]]
"""The metrics of each task."""


def chosen(runs: Sequence[Run], options: Options) -> list[Run]:
    """Return the runs that are asked for, their samples read, in one variant."""
    named = {run.task for run in runs} - {""}
    only = named.pop() if len(named) == 1 else ""  # of logs that name no task as well
    for run in runs:
        run.task = whole_text(run.task or only)
    tasks = _tasks_asked(runs, options.task)
    known = list(dict.fromkeys(run.system for run in runs))
    systems = names_given(options.systems, known)
    check_systems(systems, known, "the logs")
    kept = [run for run in runs if run.task in tasks and run.system in (systems or known)]
    for run in kept:
        run.rows = list(run.samples)
    for together in by_task(run for run in kept if run.rows).values():
        _keep_one_variant(together, options.filter)
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


def unknown(
    message: str, name: str, known: Iterable[str], parameter: Parameter, role: str = ""
) -> UsageError:
    """Make the error for a name that logs do not have; its remedy is the closest that they have."""
    close = closest(name, known)
    value = {role: close} if role else close
    return UsageError(message, *[Remedy("", parameter, value)] * bool(close))


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
    of_runs = [_items_by_variant(run) for run in runs]
    shared = [name for name in of_runs[0] if all(name in items for items in of_runs)]
    whole = [
        x for x in shared if all(items[x] == set().union(*items.values()) for items in of_runs)
    ]
    if requested is None and not whole:
        names = [f"{run.where}: {first_few(x)}" for run, x in zip(runs, of_runs, strict=True)]
        raise AlignmentError(
            f"no answer filter is in all {len(runs):,} files with all samples "
            f"({'; '.join(names)}): run them with the same filters, or leave out those without "
            "the one that is compared",
            *(Remedy("", "where", {"filter": name}) for name in shared),
        )
    if len({tuple(name for name in items if name in shared) for items in of_runs}) > 1:
        whole.sort()
    variant = whole[0] if requested is None else requested
    others = [x for x in dict.fromkeys(x for items in of_runs for x in items) if x != variant]
    for run, items in zip(runs, of_runs, strict=True):
        if variant not in items:
            message = f"{run.where} has no filter {variant!r}; it has {first_few(items)}"
            raise unknown(message, variant, items, "where", "filter")
        run.rows = [row for row in run.rows if row.variant == variant]
        if others and requested is None:
            another = [Remedy("another one", "where", {"filter": x}) for x in others if x in shared]
            message = f"filter {variant} of several ({', '.join(others)})"
            run.notes += (Note(message, another[0]) if another else message,)


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
        some = tuple(x for x in requested if any(run.column(x) is not None for run in together))
        metrics[task] = some if some and len(tasks) > 1 else requested
    for together in () if requested else [list(runs)] if _shared(runs) else tasks.values():
        first, *others = _shared(together) or _unshared(together)
        metrics |= dict.fromkeys(by_task(together), (first,))
        if others:
            shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
            another = Remedy("another one", "metric", others[0])
            notes[Note(f"metric {first} of several ({shown})", another)] = None
        if words := sorted({name for run in together for name in run.words}):
            notes[f"not compared, since not all values are numbers: {first_few(words)}"] = None
    for run in runs:
        for name in metrics[run.task]:
            _check_scored(run, name)
    return metrics, list(notes)


def _requested(runs: Sequence[Run], options: Options) -> tuple[str, ...]:
    """Columns that were asked for, as scores or by metrics that read them."""
    every = (name for run in runs for name in (*run.scores, *run.words, *run.usage))
    names = list(dict.fromkeys(every))
    if options.score is not None:
        asked = names_given(options.score, names)
        return tuple(column_called(name, names, "score", "the log") for name in asked)
    columns: dict[str, None] = {}
    for metric in options.metrics:
        try:
            named = parse(metric) if isinstance(metric, str) and metric not in names else metric
        except UsageError as error:
            message = f"the log has no metric {metric!r}; it has {first_few(names)}"
            raise unknown(message, str(metric), names, "metric") from error
        read = [named] if isinstance(named, str) else named.columns
        columns |= dict.fromkeys(name for name in read if name in names)
    return tuple(columns)


def _shared(runs: Sequence[Run]) -> tuple[str, ...]:
    """Metrics that all of these runs have, in the order of the first."""
    return tuple(name for name in runs[0].scores if all(name in run.scores for run in runs))


def _unshared(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return metrics that are not numbers, of which checks say more, or raise an error."""
    empty = next((run for run in runs if not run.scores), None)
    if empty is None:
        metrics = "; ".join(f"{run.where}: {first_few(run.scores)}" for run in runs)
        raise AlignmentError(f"the logs have no metric in common ({metrics}): score all by one")
    if not empty.words:
        raise FormatError(
            f"{empty.where} holds no scores{', only ' * bool(empty.usage)}"
            f"{first_few(empty.usage)}: score the log first",
            *(Remedy("compare another of its numbers", "metric", x) for x in [*empty.usage][:1]),
        )
    return tuple(empty.words)


def _check_scored(run: Run, name: str) -> None:
    """Check that a run has numbers of a metric.

    A log without a single score is not one of a system that failed everything.
    """
    if name in run.words:
        raise FormatError(
            f"{run.where}: the scores {name!r} are not numbers but {run.words[name]}: have a "
            "scorer that gives numbers",
            *(Remedy("another metric", "metric", other) for other in [*run.scores][:1]),
        )
    values = run.column(name)
    if values is None:
        message = f"{run.where} has no metric {name!r}; it has {first_few(run.scores)}"
        raise unknown(message, name, run.scores, "metric")
    if all(value is None for value in values):
        raise FormatError(
            f"{run.where}: none of its {len(values):,} samples has a score for {name!r}: score the "
            "log first, or leave it out"
        )
