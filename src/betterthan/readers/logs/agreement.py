"""Whether runs belong together: the same tasks, the same samples, each system once."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from betterthan.data.labels import plain_id, spelled_apart, whole_text
from betterthan.errors import AlignmentError, FormatError, Remedy, first_few
from betterthan.readers.logs.runs import BY_FILE, Run, any_known
from betterthan.readers.remedies import WITHOUT_SCORES


def spelled(runs: Sequence[Run]) -> Sequence[Run]:
    """Spell names of systems and tasks that are no text, as those of files may be.

    None of them may clash with another that is spelled so already.
    """
    for kind in ("system", "task"):
        meant: dict[str, Run] = {}
        for run in runs:
            name = getattr(run, kind)
            other = meant.setdefault(whole_text(name), run)
            if getattr(other, kind) != name:
                raise AlignmentError(
                    f"{other.where} and {run.where} would both be of the {kind} "
                    f"{whole_text(name)!r}, and their names differ: rename one of them"
                )
    return [replace(x, system=whole_text(x.system), task=whole_text(x.task)) for x in runs]


def refuse_twice(runs: Sequence[Run]) -> None:
    """One model in two logs of one task is one system only if the user says which is which."""
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        other = seen.setdefault((run.system, run.task), run.where)
        if other != run.where:
            raise AlignmentError(
                f"{other} and {run.where} are both of {run.system!r} on {run.task!r}: leave one "
                "out",
                BY_FILE,
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
    # A sign that separates tasks, within the name of one: any sign matches it.
    names = "+".join(re.sub("[+,]", "?", task) for task in common)
    shared = [Remedy("compare what they share", "where", {"task": names})] * bool(common)
    raise AlignmentError(
        f"{next(iter(mine.values()))} ({first!r}) is of {first_few(mine)}, "
        f"{next(iter(theirs.values()))} ({second!r}) of {first_few(theirs)}: give "
        "logs of the same task",
        *shared,
    )


def refuse_unscored(runs: Sequence[Run], metrics: Mapping[str, tuple[str, ...]]) -> None:
    """A log without a single score is not one of a system that failed everything."""
    for run in runs:
        for name in metrics[run.task]:
            if not any_known(run.column(name) or ()):
                raise FormatError(
                    f"{run.where}: none of its {len(run.items):,} samples has a score for {name!r}"
                    f" ({first_few(run.items)}): score the log first, or leave it out"
                )


def refuse_words(runs: Sequence[Run], metrics: Mapping[str, tuple[str, ...]]) -> None:
    """Scores that are words are none: some of the letters A to E would pass for grades."""
    for run in runs:
        for name in metrics[run.task]:
            words = run.words.get(name)
            if not words:
                continue
            others = [other for other in run.scores if other != name and other not in run.words]
            another = [Remedy("another metric", "metric", others[0])] if others else []
            raise FormatError(
                f"{run.where}: the scores {name!r} of {sum(words.values()):,} of its "
                f"{len(run.items):,} samples are no numbers ({first_few(sorted(words))}), and of "
                "letters only C, P, I and N are grades: have a scorer that gives numbers, or C and "
                "I",
                *another,
            )


def refuse_other_samples(runs: Sequence[Run]) -> None:
    """The same id must mean the same sample in all runs of a task."""
    for task in dict.fromkeys(run.task for run in runs):
        mine = [run for run in runs if run.task == task]
        known: dict[str, object] = {}
        for run in mine:
            differ = [item for item, mark in run.prints.items() if _unlike(known.get(item), mark)]
            if differ:
                item = differ[0]
                other = next(r for r in mine if _unlike(r.prints.get(item), run.prints[item]))
                raise AlignmentError(
                    f"{other.where} and {run.where} hold different samples under the same id: "
                    f"{len(differ):,} of {len(run.prints):,} differ"
                    f"{f' on {task!r}' if task else ''} in their hash or text "
                    f"({first_few(differ)}): run both on the same version of the data"
                )
            for item, mark in run.prints.items():
                known[item] = _together(known.get(item), mark)


def _unlike(mark: object, other: object) -> bool:
    """Whether fingerprints differ; those of several kinds, in one that both have."""
    if mark is None or other is None:
        return False
    if isinstance(mark, tuple) and isinstance(other, tuple):
        return any(map(_unlike, mark, other))
    return mark != other


def _together(known: object, mark: object) -> object:
    """Add to a fingerprint the kinds that it lacks."""
    if isinstance(known, tuple) and isinstance(mark, tuple) and None in known:
        return tuple(b if a is None else a for a, b in zip(known, mark, strict=True))
    return mark if known is None else known


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
    """Name the logs that lack samples which others have: they may have stopped early."""
    for task in tasks:
        mine = [run for run in runs if run.task == task]
        every = dict.fromkeys(item for run in mine for item in run.items)
        have = [set(run.items) for run in mine]
        lacking = [[item for item in every if item not in items] for items in have]
        if not any(lacking):
            continue
        _refuse_other_spellings(mine, lacking)
        of_task = f" of {task!r}" if task else ""
        said = [
            f"{run.where} ({run.system!r}) lacks {len(gone):,} of the {len(every):,} samples"
            f"{of_task} ({first_few(gone)})"
            for run, gone in zip(mine, lacking, strict=True)
            if gone
        ]
        raise AlignmentError(
            f"{'; '.join(said)}: it may have stopped early, so run it to the end",
            *WITHOUT_SCORES,
        )


def _refuse_other_spellings(runs: Sequence[Run], lacking: Sequence[Sequence[str]]) -> None:
    """Say so where ids that a log lacks are there, spelled otherwise."""
    for run, gone in zip(runs, lacking, strict=True):
        spelled = {plain_id(item): item for item in run.items}
        pairs = [(spelled[plain_id(item)], item) for item in gone if plain_id(item) in spelled]
        theirs = next((r for r in runs if pairs and pairs[0][1] in r.items), run)
        pairs = [(own, other) for own, other in pairs if own not in theirs.items]
        if pairs:
            own, other = pairs[0]
            raise AlignmentError(
                f"{run.where} and {theirs.where} write the same ids differently: "
                f"{spelled_apart(own, other)} ({len(pairs):,} such ids): write them alike in both "
                "logs"
            )


def refuse_duplicates(runs: Sequence[Run], response: str) -> None:
    """A log that has a sample twice is of two runs, or its ids are no ids."""
    for run in runs:
        keys = list(zip(run.items, run.responses or [""] * len(run.items), strict=True))
        if len(set(keys)) == len(keys):
            continue
        twice = [key for key, times in Counter(keys).items() if times > 1]
        names = [f"{item}, {response} {which}" if which else item for item, which in twice]
        raise AlignmentError(
            f"{run.where} ({run.system!r}) holds {len(names):,} samples more than once "
            f"({first_few(names)}): two runs may be in one log, so separate them, or give every "
            "sample an id of its own"
        )
