"""From files of pairwise judgments to what is ranked."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.data.frames.reader_options import Options, documented
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.errors import PAIRWISE, MissingScoresError, UsageError
from betterthan.readers import read, refuse_names
from betterthan.readers.files import expand_paths, first_bytes
from betterthan.readers.judgments import as_scores
from betterthan.readers.judgments.judged_columns import JudgedColumns, read_columns
from betterthan.readers.streams import memory


@documented
def read_judgments(
    *paths: str | PathLike[str],
    item: str | Sequence[str] | None = None,
    response: str | None = None,
    cluster: str | None = None,
    max_memory: str | int | None = None,
) -> Judgments:
    """Read who was preferred, pair by pair: arena files, AlpacaEval, MT-Bench, left/right/winner.

    Judgments of one cluster are resampled as one, and those of one item where none is named.

    Parameters
    ----------
    *paths : path
        CSV, TSV, JSON, JSON Lines or Parquet files, or patterns.
    **options
        The fields of :class:`betterthan.data.frames.reader_options.Options`.
    max_memory : str or int, optional
        Memory that files may take, as in ``"8G"``; half of the machine's by default.
    """
    if odd := [path for path in paths if not isinstance(path, str | PathLike)]:
        raise UsageError(
            f"files are read, and a {type(odd[0]).__name__} was given: judgments in a data frame "
            "are Judgments.from_frame(frame)"
        )
    options = Options(item=item, response=response, cluster=cluster)
    with memory(max_memory):
        files = expand_paths(paths)
        battles = read_columns(files, options)
    refuse_names(files, battles.systems)
    return judgments_of(battles, battles.source)


def judgments_of(battles: JudgedColumns, source: str) -> Judgments:
    """Judgments as they are ranked: won, lost or drawn."""
    outcome, notes = battles.outcome, battles.notes
    times = 1 if battles.counts is None else battles.counts
    shades = int(np.sum(~np.isin(outcome, (0.0, 0.5, 1.0)) * times))
    if shades:
        notes += (f"{shades:,} preferences between win and loss counted as the nearer of the two",)
    return Judgments(
        systems=battles.systems,
        left=battles.left,
        right=battles.right,
        outcome=np.where(outcome == 0.5, 0.5, np.round(outcome)),
        items=battles.items,
        judges=battles.judges,
        clusters=battles.clusters,
        source=source,
        notes=notes,
        counts=battles.counts,
    )


def are_judgments(paths: Sequence[str | PathLike[str]]) -> bool:
    """Whether files hold judgments; the first tells, and whoever takes the others refuses them."""
    return _are_judgments(expand_paths(paths)[:1])


def _are_judgments(files: Sequence[Path]) -> bool:
    return all(as_scores.recognise(file, first_bytes(file)) for file in files)


def read_any(*paths: str | PathLike[str], **options: Any) -> Scores | Judgments:
    """Read files for a ranking: judgments as they are, everything else as Scores.

    The options are those of :func:`betterthan.read`; those that judgments have no use for are
    refused where the files hold judgments.
    """
    asked = options.get("input_format")
    files = expand_paths(paths)
    judged = asked in as_scores.FORMATS or (asked is None and _are_judgments(files))
    if not judged:
        try:
            return read(*files, **options)
        except MissingScoresError as error:
            raise error.with_remedies(PAIRWISE) from error
    for name in (
        "no_header",
        "system",
        "score",
        "lower_is_better",
        "metric",
        "task",
        "tasks",
        "filter",
        "systems",
    ):
        if options.get(name):
            raise UsageError(f"{name}=... is for scores, and these are judgments")
    return read_judgments(
        *files,
        item=options.get("item"),
        response=options.get("response"),
        cluster=options.get("cluster"),
    )
