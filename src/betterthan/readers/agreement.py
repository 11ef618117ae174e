"""Whether runs belong together: the same tasks, the same samples, each system once."""

from collections.abc import Iterable, Sequence

from betterthan.errors import AlignmentError, FormatError, first_few
from betterthan.readers.runs import Run


def refuse_twice(runs: Sequence[Run]) -> None:
    """One model in two logs of one task is one system only if the user says which is which."""
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        other = seen.setdefault((run.system, run.task), run.where)
        if other != run.where:
            raise AlignmentError(
                f"{other} and {run.where} are both of {run.system!r} on {run.task!r}: to compare "
                "two runs of one model, name them by their files with --system file; else leave "
                "one out"
            )


def refuse_other_tasks(runs: Sequence[Run], tasks: tuple[str, ...]) -> None:
    """Say so when systems were run on different tasks."""
    done: dict[str, dict[str, str]] = {}
    for run in runs:
        done.setdefault(run.system, {})[run.task] = run.where
    if len({frozenset(by_task) for by_task in done.values()}) == 1:
        return
    common = [task for task in tasks if all(task in by_task for by_task in done.values())]
    (first, mine), *others = done.items()
    second, theirs = next((s, t) for s, t in others if set(t) != set(mine))
    remedy = (
        f"compare what they share with --task {','.join(common)}"
        if common
        else "give logs of the same task"
    )
    raise AlignmentError(
        f"{next(iter(mine.values()))} ({first!r}) is of {first_few(mine)}, "
        f"{next(iter(theirs.values()))} ({second!r}) of {first_few(theirs)}: {remedy}"
    )


def refuse_unscored(runs: Sequence[Run], metrics: tuple[str, ...]) -> None:
    """A log without a single score is not one of a system that failed everything."""
    for run in runs:
        for name in metrics:
            if all(value is None for value in run.scores[name]):
                raise FormatError(
                    f"{run.where}: none of its {len(run.items):,} samples has a score for {name!r}"
                    f" ({first_few(run.items)}): score the log first, or leave it out"
                )


def refuse_other_samples(runs: Sequence[Run]) -> None:
    """The same id must mean the same sample in all runs of a task."""
    for task in dict.fromkeys(run.task for run in runs):
        first, *others = [run for run in runs if run.task == task]
        for other in others:
            differ = [
                item for item, mark in other.prints.items() if first.prints.get(item, mark) != mark
            ]
            if differ:
                raise AlignmentError(
                    f"{first.where} and {other.where} hold different samples under the same id: "
                    f"{len(differ):,} of {len(other.prints):,} differ on {task!r} "
                    f"({first_few(differ)}): run both on the same version of the data"
                )


def other_prompts(runs: Sequence[Run]) -> Iterable[str]:
    """Say how many samples were put to the systems in different words."""
    by_item: dict[tuple[str, str], set[object]] = {}
    for run in runs:
        for item, mark in run.prompts.items():
            by_item.setdefault((run.task, item), set()).add(mark)
    differ = sum(len(marks) > 1 for marks in by_item.values())
    if differ:
        yield (
            f"the prompts of {differ:,} of {len(by_item):,} items differ between systems (examples,"
            " template or instructions): what they do to the scores is part of the difference"
        )


def refuse_incomplete(runs: Sequence[Run], tasks: tuple[str, ...]) -> None:
    """Name the log that lacks samples which others have: it may have stopped early."""
    for task in tasks:
        mine = [run for run in runs if run.task == task]
        every = dict.fromkeys(item for run in mine for item in run.items)
        for run in mine:
            have = set(run.items)
            lacking = [item for item in every if item not in have]
            if lacking:
                raise AlignmentError(
                    f"{run.where} ({run.system!r}) lacks {len(lacking):,} of the {len(every):,} "
                    f"samples{f' of {task!r}' if task else ''} ({first_few(lacking)}): it may have "
                    "stopped early, so run it to the end, or choose --missing drop (or worst)"
                )
