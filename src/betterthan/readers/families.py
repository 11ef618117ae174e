"""Families of formats, asked in order: which one a file belongs to, and what reads it.

A family is a module or a :class:`~betterthan.readers.logs.harness.Harness` with four names:
``FORMATS``, the values of ``input_format`` that choose it; ``EXAMPLES`` of them, for people;
``recognise(path, head)``, which tells its files from their name and first bytes; and
``read(files, options)``, which turns them into scores, judgments or a tally.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import narwhals as nw

from betterthan.data.labels import whole_text
from betterthan.errors import (
    Choice,
    FormatError,
    Remedy,
    UsageError,
    closest,
    first_few,
    not_one_of,
    quote,
    settings,
)
from betterthan.readers import tables, tally_files
from betterthan.readers.examples import Example
from betterthan.readers.files import called, first_bytes
from betterthan.readers.judgments import as_scores
from betterthan.readers.judgments.games import is_judged
from betterthan.readers.options import SIDES, Options
from betterthan.readers.outputs import label_tables, scoring


class Reader(Protocol):
    """What reads sources of one kind."""

    def read(self, sources: Sequence[Any], options: Options) -> Any:
        """Scores, judgments or a tally of all the sources together."""


class Family(Reader, Protocol):
    """A family of formats, known by its files."""

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 (a constant of the module)
        """Values of ``input_format`` that mean this family."""

    @property
    def EXAMPLES(self) -> dict[str, Example]:  # noqa: N802
        """The formats that ``betterthan formats`` shows."""

    def recognise(self, path: Path, head: bytes) -> bool:
        """Whether a file of this name that starts so belongs here."""


LOGS = (
    *("lm_eval", "inspect_ai", "helm", "every_eval_ever", "openai_evals", "promptfoo", "deepeval"),
    *("lighteval", "opencompass", "swe_bench", "comet", "mt_metrics", "trec"),
    *("ragas", "langsmith", "braintrust"),
)
"""Modules of the harnesses whose logs are read."""
FAMILIES: tuple[Family, ...] = (
    tally_files,
    *(import_module(f"betterthan.readers.logs.{name}").HARNESS for name in LOGS),
    as_scores,
    scoring,
    tables,
)
"""The first that recognises a file reads it; tables take what no other does."""


class Use(NamedTuple):
    """What can be declared of a family: roles of columns, and what ``where`` chooses by."""

    what: str
    roles: Sequence[str]
    where: Sequence[str] | None = ()


OF_SCORES = ("item", "system", "score", "response", "cluster", "label", "task")
USES: dict[Reader, Use] = {
    tables: Use("tables", OF_SCORES, None),
    as_scores: Use("judgments", ("item", "cluster", "judge", "response", *SIDES), None),
    label_tables: Use("tables of labels", ("ref", "item", "cluster", "label"), None),
    scoring: Use("raw outputs", ("cluster",)),
    tally_files: Use("tallies", ("label",)),
}
OF_LOGS = Use("logs", OF_SCORES, ("task", "filter"))


def reader_of(sources: Sequence[Any], options: Options) -> Reader:
    """Return what reads files or frames: as declared, else as they look."""
    files = all(isinstance(source, Path) for source in sources)
    if "ref" in options.columns:
        return label_tables
    if options.ref:
        if not files:
            raise UsageError("ref scores raw outputs in files, not frames")
        return scoring
    if files:
        family = family_of(sources, options.input_format)
    else:
        family = as_scores if _is_judged(sources[0]) else tables
    return as_scores if family is tables and {*SIDES} & {*options.columns} else family


def _is_judged(frame: Any) -> bool:
    try:
        return is_judged(nw.from_native(frame).collect_schema().names())
    except (TypeError, nw.exceptions.DuplicateError):
        return False  # the reader says so


def check_use(reader: Reader, options: Options) -> None:
    """Check that what was declared has a meaning for what is read."""
    use = USES.get(reader, OF_LOGS)
    for parameter, given, known in (
        ("columns", options.columns, use.roles),
        ("where", options.where, use.where),
    ):
        for name, value in given.items():
            if known is not None and name not in known:
                close = closest(name, known)
                raise UsageError(
                    f"{parameter} of {use.what} takes {', '.join(known) or 'nothing'}, "
                    f"not {quote(name)}",
                    *settings(parameter, {close: value} if close else None),
                )


def check_names(files: Sequence[Path], systems: Sequence[str]) -> None:
    """Check that no file names its systems itself where the user gave it a name."""
    for path in files:
        name = whole_text(called(path))  # as systems are written
        if name and systems and not any(s == name or s.startswith(f"{name} ·") for s in systems):
            raise UsageError(
                f"{path} names its systems itself ({first_few(systems)}): leave out the name "
                f"{name!r}"
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
