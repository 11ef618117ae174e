"""From files to Scores: one module per family of formats, asked in order.

A family is a module with four names: ``FORMATS``, the values of ``input_format`` that choose it;
``EXAMPLES`` of them, for people; ``recognise(path, head)``, which tells its files from their name
and first bytes; and ``read(files, options)``, which turns them into Scores.
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from betterthan.data.arguments import among, several
from betterthan.data.frames.foreign import to_polars
from betterthan.data.frames.index_column import with_index
from betterthan.data.frames.reader_options import Options, documented
from betterthan.data.frames.typed_rows import typed_rows
from betterthan.data.ids import whole_text
from betterthan.data.scores import Scores
from betterthan.data.values import Missing
from betterthan.errors import FormatError, UsageError, first_few, no_truth_value, quote
from betterthan.metrics import Metric
from betterthan.readers import tally_files
from betterthan.readers.examples import Example
from betterthan.readers.files import called, expand_paths, first_bytes, suffix
from betterthan.readers.judgments import as_scores
from betterthan.readers.logs import (
    comet,
    deepeval,
    every_eval_ever,
    exports,
    helm,
    inspect_ai,
    lighteval,
    lm_eval,
    mt_metrics,
    openai_evals,
    opencompass,
    promptfoo,
    swe_bench,
    trec,
)
from betterthan.readers.logs.json_logs import is_json
from betterthan.readers.outputs import conll
from betterthan.readers.streams import Stream, memory
from betterthan.readers.tables import table_files
from betterthan.readers.tables.parquet import check_file

__all__ = ["FAMILIES", "read"]


class Family(Protocol):
    """A family of formats; modules of this package are such."""

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 (a constant of the module)
        """Values of ``input_format`` that mean this family."""

    @property
    def EXAMPLES(self) -> dict[str, Example]:  # noqa: N802
        """The formats that ``betterthan formats`` shows."""

    def recognise(self, path: Path, head: bytes) -> bool:
        """Whether a file of this name that starts so belongs here."""

    def read(self, files: Sequence[Path], options: Options) -> Scores:
        """Scores of all the files together."""


# The first that recognises a file reads it; tables take what nobody else knows.
FAMILIES: tuple[Family, ...] = (
    tally_files,
    lm_eval,
    inspect_ai,
    helm,
    every_eval_ever,
    openai_evals,
    promptfoo,
    deepeval,
    lighteval,
    opencompass,
    swe_bench,
    comet,
    mt_metrics,
    trec,
    as_scores,
    exports,
    conll,
    table_files,
)
# These name no tasks; a tally says itself what it has no use for.
WITHOUT_TASKS = (as_scores, conll, table_files)
# What is nothing but JSON: these are not asked about anything else.
OF_JSON = {lm_eval, every_eval_ever, openai_evals, deepeval, opencompass, swe_bench, comet}


@documented
def read(
    *paths: str | PathLike[str] | Any,
    input_format: str | None = None,
    no_header: bool = False,
    item: str | Sequence[str] | None = None,
    system: str | None = None,
    score: str | Sequence[str] | None = None,
    response: str | None = None,
    cluster: str | None = None,
    label: str | Sequence[str] | None = None,
    systems: str | Sequence[str] | None = None,
    missing: Missing = "error",
    lower_is_better: bool = False,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    tasks: str | None = None,
    task: str | Sequence[str] | None = None,
    filter: str | None = None,
    baseline: str | None = None,
    opponents: Sequence[str] | None = None,
    max_memory: str | int | None = None,
) -> Scores:
    """Read per-item results from files, their format and layout detected and echoed in ``source``.

    One table with a column per system; one long table with a row per item and system; several
    files with one system each, named by the file; several long tables. CSV, TSV, JSON, JSON Lines
    and Parquet, also compressed by gzip, bzip2, xz or Zstandard. Or logs of an evaluation harness:
    what ``betterthan formats`` lists. A file may hold a single system; what needs two says so.

    Parameters
    ----------
    *paths : path or data frame
        Files, folders of logs, or patterns such as ``runs/*.csv``; ``NAME=FILE`` calls the system
        in a file by a name; or one data frame.
    **options
        The fields of :class:`betterthan.data.frames.reader_options.Options`.
    max_memory : str or int, optional
        Memory that files may take, as in ``"8G"``; half of the machine's by default. Who sets it
        trusts the files to swell when they are decompressed.
    """
    if systems is not None:
        systems = several("systems", systems)
    if not isinstance(tasks, str | int | None):
        raise UsageError(f"tasks names a column, not {quote(tasks)}")
    options = among(Options, locals())
    if not paths:
        raise UsageError("there is nothing to read: give at least one file")
    if not isinstance(no_header, bool):
        raise no_truth_value("no_header", no_header)
    if not all(isinstance(path, str | PathLike) for path in paths):
        if len(paths) > 1:
            raise UsageError("give files, or a single data frame")
        if no_header:
            raise UsageError("no_header=True is for files: the columns of a data frame have names")
        _refuse_unused(options, table_files)
        frame, options = with_index(paths[0], options)
        rows = typed_rows(to_polars(frame), options)
        return Scores.from_rows(rows, options, borrowed=True)
    with memory(max_memory):
        files = expand_paths(paths)
        family = _family(files, input_format)
        _refuse_unused(options, family)
        scores = family.read(files, options)
    refuse_names(files, () if systems else scores.systems)
    # Files of a folder or a pattern stand in the order of their names, which nobody meant.
    by_name = len(paths) == 1 < len(files) and len(scores.systems) > 1 and systems is None
    return replace(scores, by_rows=True) if by_name else scores


def refuse_names(files: Sequence[Path], systems: Sequence[str]) -> None:
    """Say so where the user calls a system by a name, and the file has names of its own."""
    for path in files:
        name = called(path)
        if not name or not systems:
            continue
        name = whole_text(name)  # as systems are spelled
        if not any(s == name or s.startswith(f"{name} ·") for s in systems):
            raise UsageError(
                f"{path} names its systems itself ({first_few(systems)}): give the file without "
                f"the name {name!r}"
            )


def _refuse_unused(options: Options, family: Family) -> None:
    """Refuse what only logs have a use for, lest it seem to have been heeded."""
    if options.task is not None and family in WITHOUT_TASKS:
        raise UsageError(
            f"task=... chooses among the tasks of logs, and these are {_said(family)}: leave it "
            "out, or keep the rows that are meant in a file of their own"
        )
    if options.filter is not None and family not in (lm_eval, tally_files):
        raise UsageError(
            f"filter=... chooses among the answer filters of {lm_eval.FORMATS[0]} logs, and these "
            f"are {_said(family)}: leave it out"
        )


def _said(family: Family) -> str:
    return "tables" if family is table_files else f"of another kind ({family.FORMATS[0]})"


def _family(files: Sequence[Path], input_format: str | None) -> Family:
    if input_format is not None:
        if tally_files.recognise(files[0], first_bytes(files[0])):
            return tally_files  # it says so itself
        for family in FAMILIES:
            if input_format in family.FORMATS:
                return family
        known = ", ".join(name for family in reversed(FAMILIES) for name in family.FORMATS)
        raise UsageError(f"there is no input format {input_format!r}; there are {known}")
    chosen = [recognised(path) for path in files]
    for path, family in zip(files, chosen, strict=True):
        if family is not chosen[0]:
            for suspect in (files[0], path):  # a damaged file is of no kind
                if suffix(suspect) == "parquet" and not isinstance(suspect, Stream):
                    check_file(suspect)
            raise FormatError(
                f"{files[0]} and {path} are of different kinds ({chosen[0].FORMATS[0]}, "
                f"{family.FORMATS[0]}): give files of one kind, or say which with input_format=..."
            )
    return chosen[0]


def recognised(path: Path) -> Family:
    """Family of formats that a file belongs to."""
    head = first_bytes(path)
    json = is_json(head)
    asked = (family for family in FAMILIES if json or family not in OF_JSON)
    return next(family for family in asked if family.recognise(path, head))
