"""From files to Scores: one module per family of formats, asked in order.

A family is a module with three names: ``FORMATS``, the values of ``--input-format`` that choose it;
``recognise(path, head)``, which tells its files from their name and first bytes; and
``read(files, options)``, which turns them into Scores.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from betterthan.data import Missing, Scores
from betterthan.errors import FormatError, UsageError
from betterthan.frames.alignment import align
from betterthan.frames.cells import to_polars
from betterthan.frames.roles import Options
from betterthan.frames.table import table_from_frame
from betterthan.metrics import Metric
from betterthan.readers import (
    comet,
    conll,
    every_eval_ever,
    helm,
    inspect_ai,
    judgments,
    lm_eval,
    mt_metrics,
    openai_evals,
    promptfoo,
    tables,
    trec,
)
from betterthan.readers.files import expand, first_bytes

__all__ = ["FAMILIES", "read"]


class Family(Protocol):
    """A family of formats; modules of this package are such."""

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 (a constant of the module)
        """Values of ``--input-format`` that mean this family."""

    def recognise(self, path: Path, head: bytes) -> bool:
        """Whether a file of this name that starts so belongs here."""

    def read(self, files: Sequence[Path], options: Options) -> Scores:
        """Scores of all the files together."""


# The first that recognises a file reads it; tables take what nobody else knows.
FAMILIES: tuple[Family, ...] = (
    lm_eval,
    inspect_ai,
    helm,
    every_eval_ever,
    openai_evals,
    promptfoo,
    comet,
    mt_metrics,
    trec,
    judgments,
    conll,
    tables,
)


def read(
    *paths: str | PathLike[str] | Any,
    input_format: str | None = None,
    item: str | Sequence[str] | None = None,
    system: str | None = None,
    score: str | Sequence[str] | None = None,
    response: str | None = None,
    cluster: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool = False,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    task: str | Sequence[str] | None = None,
    filter: str | None = None,
    baseline: str | None = None,
    opponents: Sequence[str] | None = None,
) -> Scores:
    """Read per-item results from files, their format and layout detected and echoed in ``source``.

    One table with a column per system; one long table with a row per item and system; several
    files with one system each, named by the file; several long tables. CSV, TSV, JSON, JSON Lines
    and Parquet, text also compressed by gzip. Or logs of an evaluation harness: what
    ``betterthan formats`` lists. A file may hold a single system; what needs two says so.

    Parameters
    ----------
    *paths : path or data frame
        Files, folders of logs, or patterns such as ``runs/*.csv``; or one data frame.
    input_format : str, optional
        What detection cannot tell: a layout (``wide``, ``long``, ``single``, ``counts``), an
        encoding (``csv``, ``tsv``, ``json``, ``jsonl``, ``parquet``) or a kind of log.
    item, system, score, response, cluster : str, optional
        Names of the columns that play these parts, where detection is to be overruled. Several
        columns may make up an ``item`` or be scores: a sequence, or names separated by commas.
    missing : {"error", "drop", "worst", "pairwise"}
        What to do about items that a system lacks.
    lower_is_better : bool
        Direction of the scores, where the metric does not know it.
    metric : str or Metric or several, optional
        Keep only the columns that these need. Of a log's metrics the first is kept by default.
    task, filter : str, optional
        Which tasks, and which answer filter, of logs that hold several.
    baseline, opponents : str, sequence of str, optional
        Whom to compare with whom, in files of pairwise judgments: the system that others were
        judged against, and only these of the others.
    """
    options = Options(
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing,
        lower_is_better=lower_is_better,
        metric=metric,
        input_format=input_format,
        task=task,
        filter=filter,
        baseline=baseline,
        opponents=opponents,
    )
    if not paths:
        raise UsageError("there is nothing to read: give at least one file")
    if not all(isinstance(path, str | PathLike) for path in paths):
        if len(paths) > 1:
            raise UsageError("give files, or a single data frame")
        return align(table_from_frame(to_polars(paths[0]), options), options)
    files = expand([str(path) for path in paths])
    return _family(files, input_format).read(files, options)


def _family(files: Sequence[Path], input_format: str | None) -> Family:
    if input_format is not None:
        for family in FAMILIES:
            if input_format in family.FORMATS:
                return family
        known = ", ".join(name for family in reversed(FAMILIES) for name in family.FORMATS)
        raise UsageError(f"there is no input format {input_format!r}; there are {known}")
    chosen = [_recognised(path) for path in files]
    for path, family in zip(files, chosen, strict=True):
        if family is not chosen[0]:
            raise FormatError(
                f"{files[0]} and {path} are of different kinds ({chosen[0].FORMATS[0]}, "
                f"{family.FORMATS[0]}): give files of one kind, or say which with --input-format"
            )
    return chosen[0]


def _recognised(path: Path) -> Family:
    head = first_bytes(path)
    return next(family for family in FAMILIES if family.recognise(path, head))
