"""What is read: the options of ``betterthan.read``, and its call."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeVar

import typer

from betterthan.cli.flags import overview_lines, with_flags
from betterthan.cli.output import say
from betterthan.cli.panels import reading
from betterthan.cli.progress import busy
from betterthan.cli.screen import VOLUME

if TYPE_CHECKING:
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.errors import TallyGivenError
    from betterthan.readers.files import PathName

    Read = TypeVar("Read", bound=Scores | Judgments)

_FILES = typer.Argument(
    help="A table, or one file per system (NAME=FILE names it); the first is the baseline.",
    metavar="FILES",
)
Files = Annotated[list[str], _FILES]
FilesOrNone = Annotated[list[str] | None, _FILES]
Scan = Annotated[
    bool,
    reading("Group and count a table in place, larger than memory or in parts.", "--scan"),
]
OF_OUTPUTS = (
    *("ref", "docs", "text", "unchecked", "input_format", "cluster", "missing"),
    *("lower_is_better", "systems", "max_memory"),
)
LowerIsBetter = Annotated[bool, reading("Smaller scores are better.", "--lower-is-better")]


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Which column plays which part."""

    item: Annotated[list[str] | None, reading("Column with the item ids; several by commas.")] = (
        None
    )
    system: Annotated[str | None, reading("Column with the system names.")] = None
    score: Annotated[list[str] | None, reading("Column with the scores; several by commas.")] = None
    response: Annotated[
        str | None, reading("Column that tells repeats of an item apart (seed, rater ...).")
    ] = None
    input_format: Annotated[str | None, reading("Override the detected format.")] = None
    no_header: Annotated[
        bool, reading("The first line holds data: columns are column_1 ...", "--no-header")
    ] = False
    max_memory: Annotated[
        str | None, reading("Memory that files may take: 500M, 8G; half the machine's by default.")
    ] = None

    def __post_init__(self) -> None:
        if self.max_memory is not None:
            from betterthan.readers.streams import allow_memory

            allow_memory(self.max_memory)

    @property
    def options(self) -> dict[str, Any]:
        """What readers are told; their arguments have the same names."""
        said = {name: value if value != [] else None for name, value in asdict(self).items()}
        del said["max_memory"]
        return said


@dataclass(frozen=True, kw_only=True)
class Logs(Tables):
    """Tables, and logs of several tasks."""

    task: Annotated[
        list[str] | None, reading("Only this task of the logs, or mmlu_*; several by commas.")
    ] = None
    filter: Annotated[str | None, reading("Answer filter, of logs that hold several.")] = None
    cluster: Annotated[
        str | None, reading("Column whose items belong together (document, user ...).")
    ] = None
    label: Annotated[
        list[str] | None,
        reading("Column that is no score (year, level, question ...); several by commas."),
    ] = None
    systems: Annotated[
        list[str] | None,
        reading("Only these systems; several by commas, or repeated.", "--systems", "-s"),
    ] = None

    def described(self, *by: str | None) -> list[str]:
        """Columns that are labels since the user named them, or asked to break results down."""
        return [*(self.label or ()), *filter(None, by)]

    def read_any(
        self, files: "Sequence[PathName]", by: Sequence[str | None] = (), **more: Any
    ) -> "Scores | Judgments":
        """Read scores or judgments, whichever the files hold."""
        from betterthan.readers.judgments.as_judgments import read_any

        options = self.options | {"label": self.described(*by)}
        with busy("reading"):
            found = read_any(*files, **options, **more)
        return with_flags(_divisible(found, *by))


@dataclass(frozen=True, kw_only=True)
class Input(Logs):
    """Scores that are to be compared."""

    missing: Annotated[
        Literal["error", "drop", "worst"], reading("Items that a system has no score for.")
    ] = "error"
    lower_is_better: LowerIsBetter = False

    def read(
        self,
        files: "Sequence[PathName]",
        metric: str | Sequence[str] | None = None,
        *,
        baseline: str | None = None,
        candidates: Sequence[str] | None = None,
        by: str | None = None,
        tasks: str | None = None,
        drop_by_pair: bool = False,
    ) -> "Scores":
        """Read the columns that the metrics need, of all systems or of those to be compared.

        What is dropped is then what one of the pair lacks, if so said, and not what others lack.
        """
        from betterthan.readers import read

        asked = [metric] if isinstance(metric, str) else [*(metric or ())]
        known = not any("*" in name for name in asked)  # `f1(*)` needs the columns of all classes
        options = self.options | {"label": self.described(by)}
        by_pair = drop_by_pair and self.missing == "drop"
        if by_pair:  # keep the holes until the two are chosen
            options["missing"] = "pairwise"
        with busy("reading"):
            scores = read(
                *files,
                **options,
                metric=asked if asked and known else None,
                baseline=baseline,
                opponents=candidates,
                tasks=tasks,
            )
        if by_pair and candidates:
            first = scores.baseline(baseline, candidates, whatever_rows=True)
            scores = scores.select(first, *candidates)
        if by_pair:
            scores = scores.completed("drop")
        told(scores)
        return with_flags(_divisible(scores, by))


def told(data: "Scores | Judgments") -> None:
    """Say what was read; with -v, what was understood of it."""
    say(f"Read {data.source}")
    if VOLUME.get() > 0:
        from betterthan.data.overview import overview

        for line in overview_lines(overview(data)):
            say(line)


def say_places(files: "Sequence[PathName]") -> None:
    """Say what systems in pipes are called: a shell's numbers tell nothing of them."""
    from betterthan.readers.files import is_numbered

    paths = [file if isinstance(file, Path) else Path(file) for file in files]
    if len(files) > 1 and any(map(is_numbered, paths)):
        say(
            "! pipes have no names, so their systems are called by their places, first, second "
            "...: NAME=<(command) names one"
        )


def held(files: "Sequence[PathName]") -> "Sequence[PathName]":
    """Files, with pipes among them read now and kept: they can be read but once."""
    from betterthan.readers.files import expand_paths
    from betterthan.readers.streams import Stream

    found = expand_paths(files)
    return found if any(isinstance(path, Stream) for path in found) else files


def _divisible(scores: "Read", *by: str | None) -> "Read":
    """Refuse to break results down by a column that tells every single item apart."""
    from betterthan.data.scores import Scores
    from betterthan.errors import UsageError

    groups = scores.groups if isinstance(scores, Scores) else {}
    for name in filter(None, by):
        if name in groups and len(set(groups[name])) == len(groups[name]) > 1:
            raise UsageError(
                f"--by {name}: it has a value of its own for every item, and so no parts to "
                "compare; choose a column whose values several items share"
            )
    return scores


def read_rows(
    source: Input,
    files: "Sequence[PathName]",
    metric: str | Sequence[str] | None = None,
    *,
    scan: bool = False,
    **pair: Any,
) -> "Scores | Tallied":
    """Read what `compare` and its kin take: scores, or a tally of them where that is the file.

    With ``scan`` tables are not read but tallied in place.
    """
    from betterthan.errors import TallyGivenError, UsageError

    baseline = pair.get("baseline")
    if source.systems and baseline is not None and baseline not in source.systems:
        source = replace(source, systems=[baseline, *source.systems])  # it is one of them as well
    if scan:
        if getattr(source, "ref", None):
            raise UsageError("--scan counts scores, and --ref makes them: leave one of them out")
        named = [*filter(None, [baseline]), *(pair.get("candidates") or ())]
        if len(named) > 1:  # they tell which columns are systems
            source = replace(source, systems=named)
        return _scanned(source, files, metric, pair.get("by"))
    say_places(files)
    try:
        return source.read(files, metric, **pair)
    except TallyGivenError as found:
        return _tally_in(source, found)


def read_board(
    source: Logs,
    files: "Sequence[PathName]",
    by: str | None,
    *,
    scan: bool = False,
    metric: str | None = None,
    tasks: str | None = None,
) -> "Scores | Judgments | Tallied":
    """Read what is ranked: scores, judgments, or a tally of either."""
    from betterthan.errors import TallyGivenError

    if scan:
        from betterthan.readers.judgments.as_judgments import are_judgments

        if are_judgments(files):
            return scanned_judgments(source, files)
        return _scanned(source, files, metric, by)
    say_places(files)
    try:
        found = source.read_any(files, (by,), metric=metric, tasks=tasks)
    except TallyGivenError as tally:
        return _tally_in(source, tally)
    told(found)
    return found


def _tally_in(source: Logs, found: "TallyGivenError") -> "Tallied":
    """Read the only file, which is a tally; a stream is held by what the error names."""
    from betterthan.errors import UsageError
    from betterthan.readers.tally_files import read_tally

    if len(found.files) > 1:
        raise found
    path = found.files[0]
    lower = bool(getattr(source, "lower_is_better", False))
    plain = replace(type(source)(), systems=source.systems, lower_is_better=lower)  # type: ignore[call-arg]
    if option := _beside(source, plain):
        raise UsageError(
            f"{path} is a tally, and {option} is for items: say it when the tally is made"
        )
    tally = read_tally(path)
    say(f"Read {tally.source}")
    return with_flags(replace(tally, lower_is_better=tally.lower_is_better or lower))


def _beside(source: Logs, plain: Logs) -> str:
    """The first option that was given beside those of ``plain``; empty where there is none."""
    names = (field.name for field in fields(source))  # as they are: a copy of a pipe is another
    said = (name for name in names if getattr(source, name) != getattr(plain, name))
    return next((f"--{name.replace('_', '-')}" for name in said), "")


def scanned_judgments(source: Logs, files: "Sequence[PathName]") -> "Judgments":
    """Count judgments in place, and say what was counted."""
    from betterthan.errors import UsageError
    from betterthan.readers.judgments.scanned import scan_judgments

    plain = type(source)(item=source.item, cluster=source.cluster)
    if option := _beside(source, plain):
        raise UsageError(
            f"{option} is not for judgments that are counted in place: leave it out, or --scan"
        )
    with busy("scanning"):
        found = scan_judgments(*files, item=source.item or None, cluster=source.cluster)
    told(found)
    return found


def _scanned(
    source: Logs,
    files: "Sequence[PathName]",
    metric: str | Sequence[str] | None,
    by: str | None,
) -> "Tallied":
    """Tally tables in place."""
    from betterthan.errors import UsageError
    from betterthan.readers.scanning import scan

    known = ("item", "system", "score", "cluster", "label", "systems", "lower_is_better")
    told = {name: getattr(source, name) for name in known}
    if option := _beside(source, type(source)(**told)):
        raise UsageError(
            f"{option} is for items that are read, and --scan reads none: leave one of them out"
        )
    asked = [metric] if isinstance(metric, str) else [*(metric or ())]
    only = asked[0] if len(asked) == 1 and "*" not in asked[0] else None
    with busy("scanning"):
        tally = scan(
            *files,
            **{k: v or None for k, v in told.items() if k != "lower_is_better"},
            by=by,
            metric=only,
            lower_is_better=told["lower_is_better"],
        )
    say(f"Scanned {tally.source}")
    return with_flags(tally)


@dataclass(frozen=True, kw_only=True)
class OutputsInput(Input):
    """Scores, or raw outputs and what they should have been."""

    ref: Annotated[
        list[str] | None,
        reading(
            "Score raw outputs against this reference or gold; may be repeated.", "--ref", "--gold"
        ),
    ] = None
    docs: Annotated[
        str | None, reading("File with a line per item that names its document: the clusters.")
    ] = None
    text: Annotated[
        list[str] | None, reading("Source, then target text: word alignments must fit them.")
    ] = None
    unchecked: Annotated[
        bool,
        reading("Do not refuse outputs that look unrelated to --ref or --gold.", "--unchecked"),
    ] = False

    @property
    def options(self) -> dict[str, Any]:
        """What readers of scores are told."""
        raw = ("ref", "docs", "text", "unchecked")
        return {name: value for name, value in super().options.items() if name not in raw}

    def read(
        self, files: "Sequence[PathName]", metric: str | Sequence[str] | None = None, **pair: Any
    ) -> "Scores":
        """Read scores, or score raw outputs where there is a reference."""
        if not self.ref:
            if self.docs is not None or self.text:
                self._refuse_of_outputs()
            return self._read_scores(files, metric, **pair)
        from betterthan.errors import UsageError
        from betterthan.readers.outputs.scoring import read_outputs

        if option := _beside(self, type(self)(**{k: getattr(self, k) for k in OF_OUTPUTS})):
            raise UsageError(
                f"{option} is for scores that are read, and --ref scores raw outputs: leave one of "
                "them out"
            )
        with busy("scoring"):
            scores = read_outputs(
                files,
                gold=self.ref,
                metric=metric or (),
                input_format=self.input_format,
                docs=self.docs,
                cluster=self.cluster,
                texts=self.text or (),
                missing=self.missing,
                lower_is_better=self.lower_is_better,
                unchecked=self.unchecked,
            )
        told(scores)
        return with_flags(scores)

    def _refuse_of_outputs(self) -> NoReturn:
        """Say that what goes with raw outputs has no use where scores are read."""
        from betterthan.errors import UsageError

        option, instead = (
            ("--text", "") if self.docs is None else ("--docs", ", or name a --cluster")
        )
        raise UsageError(
            f"{option} goes with raw outputs, which --ref scores, and without it scores are read: "
            f"leave it out{instead}, or say --ref"
        )

    def _read_scores(
        self, files: "Sequence[PathName]", metric: str | Sequence[str] | None, **pair: Any
    ) -> "Scores":
        """Read scores; where files hold none, and the metric is one of raw outputs, say so."""
        from betterthan.errors import FormatError, UsageError
        from betterthan.readers.outputs.scoring import needs_gold

        try:
            return Input.read(self, files, metric, **pair)
        except FormatError as error:
            raw = needs_gold([metric] if isinstance(metric, str) else metric or ())
            if raw is None:
                raise
            gold = [str(f) for f in files if re.search(r"ref|gold|target", Path(f).name, re.I)]
            given = gold[0] if len(gold) == 1 else "REFERENCE"
            outputs = [str(f) for f in files if str(f) != given]
            command = shlex.join(["--metric", raw, "--ref", given, *outputs])
            raise UsageError(
                f"{raw} is scored from raw outputs and what they should have been, and none of the "
                f"files was named as the latter: say {command}"
            ) from error
