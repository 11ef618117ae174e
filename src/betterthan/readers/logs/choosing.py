"""What is compared of several runs: tasks, systems, one variant and the metrics of each task."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from betterthan.data.labels import places_of, whole_text
from betterthan.errors import (
    AlignmentError,
    Note,
    Remedy,
    Where,
    first_few,
    not_one_of,
)
from betterthan.readers.logs.runs import Run
from betterthan.readers.options import Options, names_given
from betterthan.tables.declared import column_called, columns_of_metric
from betterthan.tables.selection import values_called

Metrics = Mapping[str, tuple[str, ...]]
"""The metrics of each task."""


def chosen(runs: Sequence[Run], options: Options) -> list[Run]:
    """Return the runs that are asked for, their samples read, in one variant.

    Where there are several tasks, samples are named within them.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    named = {run.task for run in runs} - {""}
    only = named.pop() if len(named) == 1 else ""  # of logs that name no task as well
    for run in runs:
        run.task = whole_text(run.task or only)
    groups = pl.Series("task", sorted({x for run in runs for x in (run.task, *run.groups)}))
    tasks = {*values_called(options.where.get("task", "*"), groups, "the logs")}
    known = list(dict.fromkeys(run.system for run in runs))
    systems = names_given(options.systems, known) or known
    places_of(systems, known)  # each of them is there
    selected = [run for run in runs if run.system in systems and tasks & {run.task, *run.groups}]
    for run in selected:
        run.rows = list(run.samples)
    every = by_task(selected)
    for task, together in every.items():
        if with_samples := [run for run in together if run.rows]:
            _choose_variant(with_samples, options.where.get("filter"))
        for row in (row for run in together if len(every) > 1 for row in run.rows):
            row.item = f"{task}/{row.item}"
    return selected


def by_task(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Runs of each task."""
    tasks: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(run)
    return tasks


def _choose_variant(runs: Sequence[Run], requested: str | None) -> None:
    """Choose one variant of the samples of a task, and note which others there are.

    It is the first that all its logs have of all samples; by name where logs differ in their order:
    lines that were sorted differently must not choose another variant for one of the logs.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    of_runs = [_items_by_variant(run) for run in runs]
    known = list(dict.fromkeys(name for items in of_runs for name in items))
    shared = [name for name in known if all(name in items for items in of_runs)]
    orders = [[x for x in items if x in shared and _is_whole(x, items)] for items in of_runs]
    usable = [name for name in shared if all(name in order for order in orders)]
    if requested is not None:
        variant = values_called(requested, pl.Series("filter", shared), str(runs[0].file.path))[0]
    elif usable:
        variant = usable[0] if all(order == orders[0] for order in orders) else min(usable)
    else:
        raise AlignmentError(
            f"no answer filter is in all {len(runs):,} files with all samples; they have "
            f"{first_few(known)}",
            *(Remedy("", "where", {"filter": name}) for name in shared),
            where=Where(runs[0].file.path),
        )
    others = [name for name in known if name != variant]
    remedies = [Remedy("another one", "where", {"filter": x}) for x in others if x in shared]
    for run in runs:
        run.rows = [row for row in run.rows if row.variant == variant]
        if others and requested is None:
            message = f"filter {variant} of several ({', '.join(others)})"
            run.notes += (Note(message, *remedies[:1]),)


def _items_by_variant(run: Run) -> dict[str, set[str]]:
    """Samples of each variant."""
    items: defaultdict[str, set[str]] = defaultdict(set)
    for row in run.rows:
        items[row.variant].add(row.item)
    return items


def _is_whole(variant: str, items: Mapping[str, set[str]]) -> bool:
    """Whether a variant has all samples."""
    return items[variant] == set().union(*items.values())


def metrics_of(runs: Sequence[Run], options: Options) -> tuple[Metrics, list[str]]:
    """Choose the metrics of each task, and note which others there are.

    Those requested; or the first that all runs have; or, of tasks that have none in common, the
    first of each.
    """
    tasks, requested = by_task(runs), _requested(runs, options)
    metrics: dict[str, tuple[str, ...]] = {}
    notes: dict[str, None] = {}
    for task, together in tasks.items() if requested else ():
        named = {name for run in together for name in (*run.metrics, *run.numeric)}
        metrics[task] = tuple(name for name in requested if name in named) or requested
    for together in () if requested else [list(runs)] if _shared(runs) else tasks.values():
        own = sorted(together[0].metrics, key=lambda name: not together[0].metrics[name])
        first, *others = _shared(together) or own[:1] or [""]
        metrics |= dict.fromkeys(by_task(together), (first,))
        if others:
            shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
            another = Remedy("another one", "metric", others[0])
            notes[Note(f"metric {first} of several ({shown})", another)] = None
        words = {name for run in together for name, numeric in run.metrics.items() if not numeric}
        if words:
            text = f"not compared, since not all values are numbers: {first_few(sorted(words))}"
            notes[text] = None
    for run in runs:
        for name in metrics[run.task]:
            _check_scored(run, name)
    return metrics, list(notes)


def _requested(runs: Sequence[Run], options: Options) -> tuple[str, ...]:
    """Columns that were asked for, as scores or by metrics that read them."""
    names = list(dict.fromkeys(x for run in runs for x in (*run.metrics, *run.numeric)))
    if "score" in options.columns:
        requested = names_given(options.columns["score"], names)
        return tuple(column_called(name, names, "score", "the log") for name in requested)
    columns: dict[str, None] = {}
    for metric in options.metrics:
        read = (str(metric),) if metric in names else columns_of_metric(metric)
        if not read:
            raise not_one_of("metric", metric, names)
        columns |= dict.fromkeys(name for name in read if name in names)
    return tuple(columns)


def _shared(runs: Sequence[Run]) -> list[str]:
    """Metrics that all of these runs have as numbers, in the order of the first."""
    return [name for name in runs[0].metrics if all(run.metrics.get(name) for run in runs)]


def _check_scored(run: Run, name: str) -> None:
    """Check that a log has any score: one without is not of a system that failed everything."""
    if all(value is None for value in run.values(name)):
        others = [x for x in run.numeric if x != name]
        error = run.file.fault(f"has no {f'numbers for {name!r}' if name else 'scores'}")
        remedies = (Remedy("another one", "metric", x) for x in others[:1])
        raise error.with_remedies(Remedy("score the log first"), *remedies)
