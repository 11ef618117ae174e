"""From files of pairwise judgments to what is ranked."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from betterthan.data import Scores
from betterthan.errors import UsageError
from betterthan.frames.roles import Options
from betterthan.ranking.judgments import Judgments
from betterthan.readers import judgments, read
from betterthan.readers.battles import read_battles
from betterthan.readers.files import expand, first_bytes


def read_judgments(
    *paths: str | PathLike[str],
    item: str | Sequence[str] | None = None,
    judge: str | None = None,
    cluster: str | None = None,
) -> Judgments:
    """Read who was preferred, pair by pair: arena files, AlpacaEval, MT-Bench, left/right/winner.

    Parameters
    ----------
    *paths : path
        CSV, TSV, JSON, JSON Lines or Parquet files, or patterns.
    item, judge : str, optional
        Columns that name what was judged and by whom, where detection is to be overruled.
    cluster : str, optional
        Column whose judgments are resampled as one, such as the judge; the items by default.
    """
    options = Options(item=item, response=judge, cluster=cluster)
    battles = read_battles(expand([str(path) for path in paths]), options)
    outcome = np.array(battles.outcome)
    shades = int(np.sum(~np.isin(outcome, (0.0, 0.5, 1.0))))
    made = Judgments.from_arrays(
        battles.left,
        battles.right,
        np.where(outcome == 0.5, 0.5, np.round(outcome)),
        items=battles.items,
        judges=battles.judges,
        clusters=battles.clusters,
    )
    notes = battles.notes
    if shades:
        notes += (f"{shades:,} preferences between win and loss counted as the nearer of the two",)
    return replace(made, source=battles.source, notes=notes)


def read_any(*paths: str | PathLike[str], **options: Any) -> Scores | Judgments:
    """Read files for a ranking: judgments as they are, everything else as Scores.

    The options are those of :func:`betterthan.read`; those that judgments have no use for are
    refused where the files hold judgments.
    """
    asked = options.get("input_format")
    files = expand([str(path) for path in paths])
    judged = asked in judgments.FORMATS or (
        asked is None and all(judgments.recognise(file, first_bytes(file)) for file in files)
    )
    if not judged:
        return read(*paths, **options)
    for name in ("system", "score", "lower_is_better", "metric", "task", "filter"):
        if options.get(name):
            raise UsageError(f"--{name.replace('_', '-')} is for scores, and these are judgments")
    return read_judgments(
        *paths,
        item=options.get("item"),
        judge=options.get("response"),
        cluster=options.get("cluster"),
    )
