"""Checks that runs belong together: the same tasks, the same samples, each system once."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from betterthan.data.labels import plain_id, spelled_apart
from betterthan.data.missing import DROP
from betterthan.errors import AlignmentError, FormatError, MissingScoresError, Remedy, first_few
from betterthan.readers.logs.runs import Mark, Run, any_known, differ

BY_FILE = Remedy("name runs by their files", "columns", {"system": "file"})


def check_filled(runs: Sequence[Run]) -> None:
    """Check that every log holds scored samples."""
    for run in runs:
        if not run.items:
            raise FormatError(
                f"{run.where} holds no scored samples: run the evaluation again, with samples "
                "logged, or leave the file out"
            )


def check_once(runs: Sequence[Run], response: str) -> None:
    """Check that each system has one log of each task, with each sample once."""
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        other = seen.setdefault((run.system, run.task), run.where)
        if other != run.where:
            raise AlignmentError(
                f"{other} and {run.where} are both of {run.system!r} on {run.task!r}: leave one "
                "out",
                BY_FILE,
            )
        keys = list(zip(run.items, run.responses or [""] * len(run.items), strict=True))
        if len(set(keys)) < len(keys):
            duplicates = [key for key, times in Counter(keys).items() if times > 1]
            names = [f"{item}, {response} {k}" if k else item for item, k in duplicates]
            raise AlignmentError(
                f"{run.where} ({run.system!r}) holds {len(names):,} samples more than once "
                f"({first_few(names)}): two runs may be in one log, so separate them, or give "
                "every sample its own id"
            )


def check_tasks(runs: Sequence[Run]) -> None:
    """Check that all systems were run on the same tasks."""
    tasks: dict[str, list[str]] = {}
    for run in runs:
        tasks.setdefault(run.system, []).append(run.task)
    common = [t for t in dict.fromkeys(r.task for r in runs) if all(t in x for x in tasks.values())]
    for system, own in tasks.items():
        if set(own) != set(common):
            # A sign that separates tasks, within the name of one: any sign matches it.
            names = "+".join(re.sub("[+,]", "?", task) for task in common)
            raise AlignmentError(
                f"{system!r} was run on {first_few(own)}, not all others were: they share "
                f"{first_few(common) or 'no task'}: pass logs of the same tasks",
                *[Remedy("compare what they share", "where", {"task": names})] * bool(common),
            )


def check_scored(runs: Sequence[Run], metrics: Mapping[str, Sequence[str]]) -> None:
    """Check that every run has scores of its metrics, and that these are numbers.

    A log without a single score is not one of a system that failed everything.
    """
    for run in runs:
        for name in metrics[run.task]:
            if name in run.words:
                raise not_numbers(run, name)
            if not any_known(run.column(name) or ()):
                raise FormatError(
                    f"{run.where}: none of its {len(run.items):,} samples has a score for {name!r}"
                    f" ({first_few(run.items)}): score the log first, or leave it out"
                )


def not_numbers(run: Run, name: str) -> FormatError:
    """Make the error for a metric whose values are not numbers: letters may pass as grades."""
    others = [other for other in run.scores if other != name and other not in run.words]
    return FormatError(
        f"{run.where}: the scores {name!r} are not numbers but {run.words[name]}: have a scorer "
        "that gives numbers",
        *(Remedy("another metric", "metric", other) for other in others[:1]),
    )


def check_samples(runs: Sequence[Run]) -> None:
    """Check that one id means one sample in all runs of a task."""
    known: dict[tuple[str, str], tuple[Mark, str]] = {}
    for run in runs:
        first = {
            item: known.setdefault((run.task, item), (mark, run.where))
            for item, mark in run.prints.items()
        }
        others = [item for item, mark in run.prints.items() if differ(first[item][0], mark)]
        if others:
            raise AlignmentError(
                f"{first[others[0]][1]} and {run.where} hold different samples under the same id: "
                f"{len(others):,} of {len(run.prints):,} differ in their hash or text "
                f"({first_few(others)}): run both on the same version of the data"
            )
        for item, mark in run.prints.items():
            old, where = first[item]
            if None in old:
                both = (b if a is None else a for a, b in zip(old, mark, strict=True))
                known[run.task, item] = tuple(both), where


def check_complete(runs: Sequence[Run]) -> None:
    """Check that no log lacks samples which others have: it may have stopped early."""
    every: dict[str, dict[str, None]] = {}
    for run in runs:
        every.setdefault(run.task, {}).update(dict.fromkeys(run.items))
    problems = []
    for run in runs:
        own, total = set(run.items), len(every[run.task])
        missing = [item for item in every[run.task] if item not in own]
        if missing:
            _check_written_alike(run, missing, [r for r in runs if r.task == run.task])
            problems.append(
                f"{run.where} ({run.system!r}) lacks {len(missing):,} of the {total:,} samples"
                f"{f' of {run.task!r}' * bool(run.task)} ({first_few(missing)})"
            )
    if problems:
        raise MissingScoresError(
            f"{'; '.join(problems)}: it may have stopped early, so run it to the end",
            DROP,
            Remedy("count a missing score as the worst one", "missing", "worst"),
        )


def _check_written_alike(run: Run, missing: Iterable[str], runs: Sequence[Run]) -> None:
    """Check that the ids a log lacks are not there, written differently."""
    plain = {plain_id(item): item for item in run.items}
    pairs = [(plain[plain_id(item)], item) for item in missing if plain_id(item) in plain]
    for own, item in pairs[:1]:
        other = next(r for r in runs if item in r.items)
        if own not in other.items:
            raise AlignmentError(
                f"{run.where} and {other.where} write the same ids differently: "
                f"{spelled_apart(own, item)}: write them alike in both logs"
            )


def note_other_prompts(runs: Sequence[Run]) -> Iterable[str]:
    """Say how many samples were put to the systems in different words."""
    by_item: dict[tuple[str, str], set[object]] = {}
    for run in runs:
        for item, mark in run.prompts.items():
            by_item.setdefault((run.task, item), set()).add(mark)
    count = sum(len(marks) > 1 for marks in by_item.values())
    if count:
        yield (
            f"the prompts of {count:,} of {len(by_item):,} items differ between systems (examples,"
            " template or instructions): what they do to the scores is part of the difference"
        )
