"""Runs of logs put together: tasks and metrics are chosen, and nothing is left out unsaid."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from betterthan.data.frames.reader_options import Options, listed
from betterthan.data.frames.roles import Roles, chosen_columns
from betterthan.data.frames.typed_rows import TypedRows
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, UsageError, first_few
from betterthan.readers.logs import agreement
from betterthan.readers.logs.runs import Run

if TYPE_CHECKING:
    import polars as pl


def gather(runs: Sequence[Run], options: Options, kind: str, *, response: str = "epoch") -> Scores:
    """Scores of runs put together; ``kind`` names their format, ``response`` their repeats."""
    runs = _of_tasks(_with_tasks(runs), options.task)
    agreement.refuse_twice(runs)
    agreement.refuse_duplicates(runs, response)
    tasks = tuple(dict.fromkeys(run.task for run in runs))
    agreement.refuse_other_tasks(runs, tasks)
    metrics, notes = _metrics(runs, options)
    agreement.refuse_unscored(runs, metrics)
    agreement.refuse_other_samples(runs)
    if options.missing == "error":
        agreement.refuse_incomplete(runs, tasks)
    files = len({run.where for run in runs})
    table = _table(runs, metrics, options, origin=f"{files} x {kind}", response=response)
    scores = Scores.from_rows(table, options)
    variants = tuple(dict.fromkeys(run.variant for run in runs if run.variant))
    return replace(
        scores,
        source=_echo(scores, table, tasks, variants),
        notes=(
            *scores.notes,
            *notes,
            *agreement.other_prompts(runs),
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
    if asked is None:
        return runs
    tasks = dict.fromkeys(run.task for run in runs)
    names = listed(asked, tasks)
    for name in names:
        if name not in tasks:
            raise UsageError(f"there is no task {name!r} (task=...); there are {first_few(tasks)}")
    return [run for run in runs if run.task in names]


def _metrics(runs: Sequence[Run], options: Options) -> tuple[tuple[str, ...], list[str]]:
    """Choose metrics: those asked for, or the first that all runs have; and say what else is."""
    there = dict.fromkeys(name for run in runs for name in run.scores)
    common = [name for name in there if all(name in run.scores for run in runs)]
    taken = dict.fromkeys(name for run in runs for name in run.usage)
    asked = chosen_columns(tuple(there | taken), options)
    if asked:
        for name in asked:
            lacking = [run for run in runs if run.column(name) is None]
            if lacking:
                run = lacking[0]
                raise UsageError(
                    f"{run.where} has no metric {name!r} on {run.task!r}; it has "
                    f"{first_few(run.scores)}"
                )
        return asked, []
    if not common:
        first, other = runs[0], next(run for run in runs if set(run.scores) != set(runs[0].scores))
        advice = (
            f'compare one task at a time with task="{first.task}"'
            if len({run.task for run in runs}) > 1
            else "score both runs by the same metric"
        )
        raise AlignmentError(
            f"{first.where} is scored by {first_few(first.scores)}, {other.where} by "
            f"{first_few(other.scores)}: {advice}"
        )
    chosen, *others = common
    if not others:
        return (chosen,), []
    shown = ", ".join(others[:5]) + " ..." * (len(others) > 5)
    return (chosen,), [f'metric {chosen} of several ({shown}) -> metric="{others[0]}"']


def _table(
    runs: Sequence[Run], metrics: tuple[str, ...], options: Options, *, origin: str, response: str
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
    if several:
        labels["task"] = _constant("task", [(run.task, len(run.items)) for run in runs])
    if options.cluster is not None and options.cluster not in labels:
        known = f"there are {first_few(labels)}" if labels else "the log has no labels"
        raise UsageError(f"there is no label {options.cluster!r} (cluster=...); {known}")
    scores = {
        name: pl.Series([v for run in runs for v in run.column(name) or ()], dtype=pl.Float64)
        for name in metrics
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
            scores=metrics,
            labels=tuple(labels),
        ),
        layout="long",
        origin=origin,
        name=runs[0].system,
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
    scores: Scores, table: TypedRows, tasks: tuple[str, ...], variants: tuple[str, ...]
) -> str:
    """Say on one line what was read: kind, task, metric, responses, clusters, paired items."""
    metric = ", ".join(scores.columns) + (f" ({', '.join(variants)})" if variants else "")
    shown = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks"
    parts = [table.origin, *([shown] if shown else []), metric]
    if scores.responses is not None:
        parts.append(f"{scores.responses.shape[-1]} {table.roles.response}s an item")
    if scores.clusters is not None:
        parts.append(f"cluster={table.roles.cluster} ({len(set(scores.clusters)):,})")
    total = table.keys["item"].n_unique()
    parts.append(f"{scores.n:,}/{total:,} items paired")
    return " · ".join(parts)
