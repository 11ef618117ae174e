"""Runs of logs put together as Scores: typed rows, as those of a table, and checks of samples."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from betterthan.data.scores import SHARED, Scores
from betterthan.errors import AlignmentError, Note, Remedy, Where, first_few, listing
from betterthan.readers.logs.choosing import Metrics, by_task, metrics_of
from betterthan.readers.logs.runs import EXPECTED, PROMPT, Run, Value, digest
from betterthan.readers.options import Options, names_given
from betterthan.tables.aligned import aligned
from betterthan.tables.declared import Declared, Roles, column_called
from betterthan.tables.rows import Rows

if TYPE_CHECKING:
    import polars as pl

GROUP = "task_group"
PLAIN = ("", "none")
"""Variants of logs that have no others."""
BY_FILE = Remedy("name runs by their files", "columns", {"system": "file"})


def gather(
    runs: Sequence[Run], options: Options, title: str, *, item: str, response: str
) -> Scores:
    """Scores of runs; ``item`` and ``response`` are what their logs call these."""
    metrics, notes = metrics_of(runs, options)
    keys = _keys(runs, numbered=bool(response))
    _check_once(runs, keys)
    marks = _marks(runs)
    notes += _check_samples(keys["item"], marks)
    values = _values(runs, metrics)
    labels = _labels(runs, keys["item"], marks, tasks="task" in options.columns)
    declared = _declared(options, item, response, labels.columns)
    repeated = bool((keys["response"] != "1").any())
    roles = Roles(
        item=(item,),
        system="file" if "file" in declared["system"] else "model",
        # Tasks with a metric each are read as a table whose metrics are in one column.
        metric="metric" if len({*metrics.values()}) > 1 else None,
        response=response if repeated else None,
        cluster=declared["cluster"],
        task=next(iter(declared["task"]), None),
        scores=tuple(values.columns),
        labels=tuple(labels.columns),
    )
    task, pooled = _tasks(runs, metrics)
    files = list(dict.fromkeys(run.file.path for run in runs))
    where, tasks = _read_as(runs, options)
    rows = Rows(
        keys=keys if repeated else keys.drop("response"),
        scores=values,
        labels=labels,
        roles=roles,
        origin=f"{files[0].name} · {title}" if len(files) == 1 else f"{len(files)} x {title}",
        task=roles.task or task,
        lower=frozenset(name for run in runs for name in run.lower),
        by_rows=len({(run.file.path, run.system) for run in runs}) > len(files),
        declared=Declared(
            columns={"item": (item,), "score": roles.scores, "task": declared["task"]},
            systems=options.systems or (),
            where=where,
        ),
        written=tasks,
    )
    scores = aligned(
        rows,
        systems=names_given(options.systems, rows.systems),
        metric=options.metrics,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )
    notes += () if roles.task else pooled
    of_runs = dict.fromkeys(note for run in runs for note in run.notes)
    return replace(scores, notes=(*scores.notes, *notes, *of_runs))


def _frame(columns: Mapping[str, Sequence[Any]], kind: str) -> "pl.DataFrame":
    """Columns of one type."""
    import polars as pl  # noqa: PLC0415 (heavy)

    return pl.DataFrame(columns, schema=dict.fromkeys(columns, getattr(pl, kind)))


def _by_column(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn records into columns; None where a record lacks a name."""
    names = dict.fromkeys(name for each in records for name in each)
    return {name: [each.get(name) for each in records] for name in names}


def _keys(runs: Sequence[Run], *, numbered: bool) -> "pl.DataFrame":
    """Item, system and response of each sample; repeats without a number go by their order."""
    for run in runs if numbered else ():
        seen: Counter[str] = Counter()
        for row in () if any(row.response for row in run.rows) else run.rows:
            seen[row.item] += 1
            row.response = str(seen[row.item])
    rows = [row for run in runs for row in run.rows]
    columns = {
        "item": [row.item for row in rows],
        "system": [name for run in runs for name in [run.system] * len(run.rows)],
        "response": [row.response or "1" for row in rows],
    }
    return _frame(columns, "String")


def _marks(runs: Sequence[Run]) -> "pl.DataFrame":
    """Fingerprints of what makes samples the same in another log."""
    marks = _by_column([row.marks for run in runs for row in run.rows])
    columns = {
        name: [None if x is None else digest(x) for x in column] for name, column in marks.items()
    }
    return _frame(columns, "Binary")


def _values(runs: Sequence[Run], metrics: Metrics) -> "pl.DataFrame":
    """Scores by the metrics of each task; nulls in tasks that have others."""
    names = dict.fromkeys(name for run in runs for name in metrics[run.task])
    columns: dict[str, list[Value]] = {name: [] for name in names}
    for run in runs:
        for name in names:
            own = name in metrics[run.task]
            columns[name] += run.values(name) if own else [None] * len(run.rows)
    return _frame(columns, "Float64")


def _labels(
    runs: Sequence[Run], items: "pl.Series", marks: "pl.DataFrame", *, tasks: bool
) -> "pl.DataFrame":
    """Labels of the samples: those of the logs, and tasks, their groups and shared samples."""
    several = len(by_task(runs)) > 1
    columns = _by_column([row.labels for run in runs for row in run.rows])
    if several or tasks:
        columns["task"] = [x for run in runs for x in [run.task] * len(run.rows)]
    if several and any(run.groups for run in runs):
        columns[GROUP] = [x for run in runs for x in [run.group] * len(run.rows)]
    labels = _frame(columns, "String")
    shared = _shared_samples(items, labels["task"], marks) if several else None
    return labels if shared is None else labels.with_columns(shared.alias(SHARED))


def _declared(
    options: Options, item: str, response: str, labels: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """What was declared of each role, as the logs call it."""
    known: dict[str, Sequence[str]] = dict.fromkeys(("label", "task", "cluster"), labels)
    known |= {"item": [item], "system": ["model", "file"], "response": [response]}
    named = {**options.columns, "cluster": options.cluster}
    return {
        role: tuple(
            column_called(name, names, role, "the log")
            for name in names_given(named.get(role), names)
        )
        for role, names in known.items()
    }


def _shared_samples(
    items: "pl.Series", tasks: "pl.Series", marks: "pl.DataFrame"
) -> "pl.Series | None":
    """One name for samples that several tasks have: two prompts to one question, say.

    They are known by their fingerprints, where those distinguish the samples of a task. A mark of
    what is expected alone does not: one answer may be right for many samples.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    names = [name for name in marks.columns if name != PROMPT]
    asked = [pl.col(name).is_not_null() for name in names if name != EXPECTED]
    if not asked:
        return None
    frame = marks.select(names).with_columns(items.alias("item"), tasks.alias("task"))
    known = frame.filter(pl.any_horizontal(asked)).unique("item", keep="first", maintain_order=True)
    if known.select("task", *names).is_duplicated().any():
        return None
    shared = known.filter(known.select(names).is_duplicated())
    if shared.is_empty():
        return None
    first = shared.select("item", pl.col("item").first().over(names).alias(SHARED))
    both = items.alias("item").to_frame().join(first, on="item", how="left", maintain_order="left")
    return both[SHARED].fill_null(both["item"])


def _tasks(runs: Sequence[Run], metrics: Metrics) -> tuple[str | None, list[Note]]:
    """Which label names the tasks: groups of tasks count as one where each has one metric."""
    groups: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for run in runs:
        groups[run.group][run.task] = metrics[run.task]
    pooled = [f"{name} ({len(tasks)})" for name, tasks in groups.items() if len(tasks) > 1]
    alike = all(len({*tasks.values()}) == 1 for tasks in groups.values())
    if not (pooled and alike and len(groups) > 1):
        return ("task" if len(metrics) > 1 else None), []
    text = f"groups of tasks count as one, their items alike: {', '.join(pooled)}"
    return GROUP, [Note(text, Remedy("every task by itself", "columns", {"task": "task"}))]


def _read_as(runs: Sequence[Run], options: Options) -> tuple[dict[str, str], tuple[str, ...]]:
    """What the Read line says of tasks and variant: options that choose them, names of tasks."""
    tasks, variants = list(by_task(runs)), {row.variant for run in runs for row in run.rows[:1]}
    where = dict(options.where)
    if len(variants) == 1 and not variants.issubset(PLAIN):
        where["filter"] = variants.pop()
    named = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks ({listing(tasks)})"
    return where, () if where.get("task") == named else (named,)


def _check_once(runs: Sequence[Run], keys: "pl.DataFrame") -> None:
    """Check that each system has each sample once, or each repeat of it."""
    duplicates = keys.filter(keys.is_duplicated())
    for system in duplicates["system"][:1]:
        names = duplicates.filter(system=system)["item"].unique(maintain_order=True).to_list()
        files = list(dict.fromkeys(run.file.path for run in runs if run.system == system))
        raise AlignmentError(
            f"{' and '.join(map(str, files))}: {len(names):,} samples of {system!r} are there more "
            f"than once ({first_few(names)}): separate the runs, or give every sample its own id",
            *[BY_FILE] * (len(files) > 1),
            where=Where(files[0], items=tuple(names)),
        )


def _check_samples(items: "pl.Series", marks: "pl.DataFrame") -> Iterator[str]:
    """Check that one id means one sample in all logs; say where only the prompts differ."""
    for mark in marks:
        frame = items.alias("item").to_frame().with_columns(mark).drop_nulls(mark.name)
        values = frame.group_by("item", maintain_order=True).n_unique()
        others = values.filter(values[mark.name] > 1)["item"].to_list()
        if others and mark.name != PROMPT:
            raise AlignmentError(
                f"the logs hold different samples under the same id: {len(others):,} of "
                f"{len(values):,} differ in their {mark.name} ({first_few(others)}): run all on "
                "the same version of the data",
                where=Where(items=tuple(others)),
            )
        if others:
            yield (
                f"the prompts of {len(others):,} of {len(values):,} items differ between systems "
                "(examples, template or instructions): what they do to the scores is part of the "
                "difference"
            )
