"""Gold, baseline and candidate from files: three tables, or one long one."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.data import Scores
from betterthan.errors import AlignmentError, UsageError, first_few
from betterthan.readers import read
from betterthan.responses.data import Responses, Trio, as_responses, from_scores, trio

File = str | PathLike[str]


def read_trio(
    *files: File,
    gold: str | None = None,
    baseline: str | None = None,
    candidate: str | None = None,
    **options: Any,
) -> tuple[Trio, tuple[str, str]]:
    """Read gold, baseline and candidate; also returns the two systems' names.

    Parameters
    ----------
    *files : path
        Three files, in the order gold, baseline, candidate: an item column and either a column of
        scores with a rater or seed column, or a column per rater or seed. Or one long table of all
        three, with a column of systems.
    gold, baseline, candidate : str, optional
        Names in the long table; by default ``gold`` and the other two in the order they come.
    **options
        Those of :func:`betterthan.read`: ``item``, ``system``, ``score``, ``response`` ...
    """
    if len(files) == 1:
        return _from_one(read(files[0], **options), gold, baseline, candidate)
    if len(files) != 3:
        raise UsageError(
            f"responses come in three files (gold, baseline, candidate) or one long table, not "
            f"{len(files)} files"
        )
    tables = [read(file, missing="pairwise", **options) for file in files]
    parts = [_one_source(table, str(file)) for table, file in zip(tables, files, strict=True)]
    names = [Path(file).name.partition(".")[0] for file in files[1:]]
    ids = [table.items for table in tables]
    if any(x is None for x in ids):
        return trio(*parts), (names[0], names[1])
    order = [{item: i for i, item in enumerate(x.tolist())} for x in ids if x is not None]
    for file, place in zip(files, order, strict=True):
        missing = [item for item in order[0] if item not in place]
        extra = [item for item in place if item not in order[0]]
        if missing or extra:
            what = f"lacks items {first_few(missing)}" if missing else ""
            what += " and " * bool(missing and extra)
            what += f"has items that {files[0]} lacks ({first_few(extra)})" if extra else ""
            raise AlignmentError(f"{file} {what}: give the same items in all three files")
    aligned = [
        Responses(part.values[rows], part.counts[rows])
        for part, rows in (
            (part, np.array([place[item] for item in order[0]]))
            for part, place in zip(parts, order, strict=True)
        )
    ]
    return trio(*aligned), (names[0], names[1])


def read_source(file: File, **options: Any) -> Responses:
    """Read the responses of one source, such as the gold raters."""
    return _one_source(read(file, missing="pairwise", **options), str(file))


def _from_one(
    scores: Scores, gold: str | None, baseline: str | None, candidate: str | None
) -> tuple[Trio, tuple[str, str]]:
    gold = gold or "gold"
    if gold not in scores.systems:
        raise UsageError(
            f"no system of the table is named {gold!r} (there are {first_few(scores.systems)}): "
            "say which holds the gold responses with --gold"
        )
    rest = [x for x in scores.systems if x not in (gold, baseline, candidate)]
    a = baseline or (rest[0] if rest else "")
    b = candidate or next((x for x in rest if x != a), "")
    if not a or not b:
        raise UsageError("the table needs a baseline and a candidate besides the gold responses")
    return from_scores(scores, gold, a, b), (a, b)


def _one_source(scores: Scores, file: str) -> Responses:
    """All that a file holds as the responses of one source: raters in rows, or in columns."""
    if len(scores.systems) > 1:
        return as_responses(scores.values[:, :, 0], file)
    block = scores.values if scores.responses is None else scores.responses[:, :, 0]
    return as_responses(block[:, 0], file)
