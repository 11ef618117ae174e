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

from betterthan.data.frames.alignment import scores_of_rows
from betterthan.data.frames.foreign import to_polars
from betterthan.data.frames.index_column import with_index
from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.typed_rows import typed_rows
from betterthan.data.labels import whole_text
from betterthan.data.scores import Scores
from betterthan.errors import Choice, FormatError, Remedy, UsageError, first_few, not_one_of
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
from betterthan.readers.streams import Stream
from betterthan.readers.tables import table_files
from betterthan.readers.tables.parquet import check_file


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


def read_scores(sources: Sequence[Any], options: Options) -> Scores:
    """Scores in files of one family, or in one data frame."""
    if not all(isinstance(source, str | PathLike) for source in sources):
        if len(sources) > 1:
            raise UsageError("several data frames cannot be read at once, only one, or files")
        if options.no_header:
            raise UsageError("the columns of a data frame have names: only files have no header")
        _check_used(options, table_files)
        frame, options = with_index(sources[0], options)
        rows = typed_rows(to_polars(frame), options)
        return scores_of_rows(rows, options, borrowed=True)
    files = expand_paths(sources)
    family = family_of(files, options.input_format)
    _check_used(options, family)
    scores = family.read(files, options)
    refuse_names(files, () if options.systems else scores.systems)
    # Files of a folder or a pattern stand in the order of their names, which nobody meant.
    by_name = len(sources) == 1 < len(files) and len(scores.systems) > 1 and not options.systems
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
                f"{path} names its systems itself ({first_few(systems)}): leave out the name "
                f"{name!r}"
            )


def _check_used(options: Options, family: Family) -> None:
    """Refuse what only logs have a use for, lest it seem to have been heeded."""
    if options.filter is not None and family is not lm_eval:
        raise UsageError(
            f"only {lm_eval.FORMATS[0]} logs have answer filters, and these are of another kind "
            f"({family.FORMATS[0]})"
        )


def family_of(files: Sequence[Path], input_format: str | None = None) -> Family:
    """Family of formats that all of these files belong to."""
    if input_format is not None:
        if tally_files.recognise(files[0], first_bytes(files[0])):
            return tally_files  # it says so itself
        for family in FAMILIES:
            if input_format in family.FORMATS:
                return family
        known = [name for family in reversed(FAMILIES) for name in family.FORMATS]
        raise not_one_of("input_format", input_format, known)
    chosen = [recognised(path) for path in files]
    for path, family in zip(files, chosen, strict=True):
        if family is not chosen[0]:
            for suspect in (files[0], path):  # a damaged file is of no kind
                if suffix(suspect) == "parquet" and not isinstance(suspect, Stream):
                    check_file(suspect)
            raise FormatError(
                f"{files[0]} and {path} are of different kinds ({chosen[0].FORMATS[0]}, "
                f"{family.FORMATS[0]}): read files of one kind",
                Remedy("if detection errs", "input_format", Choice("NAME")),
            )
    return chosen[0]


def recognised(path: Path) -> Family:
    """Family of formats that a file belongs to."""
    head = first_bytes(path)
    json = is_json(head)
    asked = (family for family in FAMILIES if json or family not in OF_JSON)
    return next(family for family in asked if family.recognise(path, head))
