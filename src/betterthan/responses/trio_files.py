"""Gold, baseline and candidate from files: three of them, or one long table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    Choice,
    FormatError,
    Remedy,
    UsageError,
    first_few,
)
from betterthan.readers.files import PathName, expand_paths, matching, system_names
from betterthan.readers.options import Options
from betterthan.readers.sources import read
from betterthan.responses.trio import Responses, Trio, as_responses, from_scores, trio
from betterthan.tables.names import is_measure

GOLD = "gold"
"""What the gold responses are called in a long table."""


def read_trio(
    *files: PathName,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    **reading: Any,
) -> tuple[Trio, tuple[str, str]]:
    """Read gold, baseline and candidate; also returns the two systems' names.

    Parameters
    ----------
    *files : path
        Three files, in the order gold, baseline, candidate: an item column and either a column of
        scores with a rater or seed column, or a column per rater or seed. Or one long table of all
        three, with a column of systems.
    gold : str, optional
        Who gave the gold responses in the long table; ``gold`` by default.
    systems : str or sequence of str, optional
        The baseline and the candidate of the long table; by default the other two in the order they
        come.
    **reading
        ``columns``, ``where``, ``missing`` and others, as in :func:`betterthan.read`.
    """
    if len(files) == 1:
        return _from_one(files[0], gold or GOLD, Options.of(systems=systems).systems, reading)
    if len(files) != 3:
        raise UsageError(
            f"responses come in three files (gold, baseline, candidate) or one long table, not "
            f"{len(files)} files"
        )
    if gold is not None or systems is not None:
        name = "gold" if gold is not None else "systems"
        raise UsageError(f"{name} is for one long table: three files are gold, baseline, candidate")
    if all(len(matching(file)) == 1 for file in files):  # else folders, of several logs each
        files = tuple(expand_paths(files, twice=True))
    reading = {**reading, "missing": "pairwise"}
    tables = [_read(file, **reading) for file in files]
    parts = [_one_source(table, str(file)) for table, file in zip(tables, files, strict=True)]
    paths = [f if isinstance(f, Path) else Path(f) for f in files]
    _, *names = system_names(paths)
    columns = [_measured(table, path) for table, path in zip(tables, paths, strict=True)][1:]
    if all(columns) and columns[0] != columns[1]:  # gold may call its scores differently
        raise FormatError(
            f"{files[1]} has the score {columns[0]!r}, {files[2]} {columns[1]!r}",
            Remedy("a column that every file has", "columns", {"score": COLUMN}),
        )
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
            raise AlignmentError(f"{file} {what}: all three files need the same items")
    aligned = [
        Responses(part.values[rows], part.counts[rows])
        for part, rows in (
            (part, np.array([place[item] for item in order[0]]))
            for part, place in zip(parts, order, strict=True)
        )
    ]
    return trio(*aligned), (names[0], names[1])


def read_source(file: PathName, gold: str = GOLD, **reading: Any) -> Responses:
    """Read the responses of one source, such as the gold raters.

    Of a long table with a system of that name, those are the ``gold`` responses.
    """
    scores = _read(file, **{**reading, "missing": "pairwise"})
    return _one_source(scores.select(gold) if gold in scores.systems else scores, str(file))


def _read(*files: PathName, **reading: Any) -> Scores:
    scores = read(*files, **reading)
    if not isinstance(scores, Scores):
        raise UsageError(f"responses must be scores of single items, not {scores!r}")
    return scores


def _from_one(
    file: PathName, gold: str, systems: Sequence[str] | None, reading: Mapping[str, Any]
) -> tuple[Trio, tuple[str, str]]:
    """Gold, baseline and candidate of one long table; other systems have no influence."""
    held = expand_paths([file])  # read twice, should it be a pipe
    if systems is None:
        pair = _pair(_read(*held, **{**reading, "missing": "pairwise"}), gold)
    else:
        pair = [name for name in systems if name != gold]
    if len(pair) != 2:
        raise UsageError(
            f"a baseline and a candidate are needed besides the gold responses, not {len(pair)} "
            f"system{'s' * (len(pair) != 1)}"
        )
    scores = _read(*held, **{**reading, "systems": [gold, *pair]})
    return from_scores(scores, gold, *pair), (pair[0], pair[1])


def _pair(scores: Scores, gold: str) -> Sequence[str]:
    """Baseline and candidate, if the table tells which they are."""
    if gold not in scores.systems:
        raise UsageError(
            f"no system of the table is named {gold!r}; there are {first_few(scores.systems)}",
            Remedy("who gave the gold responses", "gold", Choice("SYSTEM")),
        )
    others = [name for name in scores.systems if name != gold]
    if len(others) > 2 or (scores.order == "none" and len(others) == 2):
        orders = [others, others[::-1]] if len(others) == 2 else [[Choice("A"), Choice("B")]]
        raise UsageError(
            f"baseline and candidate are two of {first_few(sorted(others))}, and no order says "
            "which",
            *(Remedy("", "systems", order) for order in orders),
        )
    return others


def _measured(scores: Scores, path: Path) -> str:
    """What a file calls its scores; empty where its columns may be raters."""
    only, *others = scores.systems
    if others or is_measure(only):
        return "" if others else only
    by_row = scores.columns != ("score",) or only == system_names([path])[0]
    return scores.columns[0] if by_row else ""


def _one_source(scores: Scores, file: str) -> Responses:
    """All that a file holds as the responses of one source: raters in rows, or in columns."""
    if len(scores.systems) > 1:
        return as_responses(scores.values[:, :, 0], file)
    block = scores.values if scores.responses is None else scores.responses[:, :, 0]
    return as_responses(block[:, 0], file)
