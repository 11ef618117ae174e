"""Families of formats, asked in order: which one a file belongs to, and its Scores.

A family is a module or a :class:`~betterthan.readers.logs.harness.Harness` with four names:
``FORMATS``, the values of ``input_format`` that choose it; ``EXAMPLES`` of them, for people;
``recognise(path, head)``, which tells its files from their name and first bytes; and
``read(files, options)``, which turns them into Scores.
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from betterthan.data.labels import whole_text
from betterthan.data.scores import Scores
from betterthan.errors import Choice, FormatError, Remedy, UsageError, first_few, not_one_of
from betterthan.readers import table_files, tally_files
from betterthan.readers.examples import Example
from betterthan.readers.files import called, expand_paths, first_bytes
from betterthan.readers.judgments import as_scores
from betterthan.readers.logs import (
    braintrust,
    comet,
    deepeval,
    every_eval_ever,
    helm,
    inspect_ai,
    langsmith,
    lighteval,
    lm_eval,
    mt_metrics,
    openai_evals,
    opencompass,
    promptfoo,
    ragas,
    swe_bench,
    trec,
)
from betterthan.readers.options import Options
from betterthan.readers.outputs import conll
from betterthan.tables.cells import Place
from betterthan.tables.frames import to_polars


class Family(Protocol):
    """A family of formats."""

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


FAMILIES: tuple[Family, ...] = (
    tally_files,
    lm_eval.HARNESS,
    inspect_ai.HARNESS,
    helm.HARNESS,
    every_eval_ever.HARNESS,
    openai_evals.HARNESS,
    promptfoo.HARNESS,
    deepeval.HARNESS,
    lighteval.HARNESS,
    opencompass.HARNESS,
    swe_bench.HARNESS,
    comet.HARNESS,
    mt_metrics.HARNESS,
    trec.HARNESS,
    as_scores,
    ragas.HARNESS,
    langsmith.HARNESS,
    braintrust.HARNESS,
    conll,
    table_files,
)
"""The first that recognises a file reads it; tables take what no other does."""
WITHOUT_TASKS = (as_scores, conll, table_files)
"""These name no tasks; a tally says itself what it has no use for."""


def read_scores(sources: Sequence[Any], options: Options) -> Scores:
    """Scores in files of one family, or in one data frame."""
    if not all(isinstance(source, str | PathLike) for source in sources):
        if len(sources) > 1:
            raise UsageError("several data frames cannot be read at once, only one, or files")
        if options.header is not None:
            raise UsageError("the columns of a data frame have names: only files have a header")
        _check_filter(options, table_files)
        place = Place("the data frame")
        declared = table_files.declared_of(options)
        rows = table_files.rows_of(to_polars(sources[0]), declared, options, place)
        return table_files.scores_of(rows, options)
    files = expand_paths(sources)
    family = family_of(files, options.input_format)
    _check_filter(options, family)
    scores = family.read(files, options)
    check_names(files, () if options.systems else scores.systems)
    # Files of a folder or a pattern are in the order of their names, which no one intended.
    by_name = len(sources) == 1 < len(files) and len(scores.systems) > 1 and not options.systems
    return replace(scores, by_rows=True) if by_name else scores


def check_names(files: Sequence[Path], systems: Sequence[str]) -> None:
    """Check that no file names its systems itself where the user gave it a name."""
    for path in files:
        name = whole_text(called(path))  # as systems are written
        if name and systems and not any(s == name or s.startswith(f"{name} ·") for s in systems):
            raise UsageError(
                f"{path} names its systems itself ({first_few(systems)}): leave out the name "
                f"{name!r}"
            )


def _check_filter(options: Options, family: Family) -> None:
    """Check that an answer filter is asked for only where there are such."""
    if options.filter is not None and family is not lm_eval.HARNESS:
        raise UsageError(
            f"only {lm_eval.HARNESS.title} logs have answer filters, and these are of another "
            f"kind ({family.FORMATS[0]})"
        )


def family_of(files: Sequence[Path], input_format: str | None = None) -> Family:
    """Family of formats that all of these files belong to."""
    if input_format is not None:
        if tally_files.recognise(files[0], first_bytes(files[0])):
            return tally_files  # it says so itself
        known = {name: family for family in reversed(FAMILIES) for name in family.FORMATS}
        if input_format not in known:
            raise not_one_of("input_format", input_format, known)
        return known[input_format]
    first, *others = map(recognised, files)
    for path, family in zip(files[1:], others, strict=True):
        if family is not first:
            raise FormatError(
                f"{files[0]} and {path} are of different kinds ({first.FORMATS[0]}, "
                f"{family.FORMATS[0]}): read files of one kind",
                Remedy("if detection errs", "input_format", Choice("NAME")),
            )
    return first


def recognised(path: Path) -> Family:
    """Family of formats that a file belongs to."""
    head = first_bytes(path)
    return next(family for family in FAMILIES if family.recognise(path, head))
