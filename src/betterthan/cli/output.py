"""Where results go: the screen, or files that are written whole or not at all."""

import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from betterthan.cli.advice import as_flag
from betterthan.cli.options import GROUP, Several, option, shorthand
from betterthan.cli.screen import QUIET, busy, coloured, is_terminal, say, screen_width
from betterthan.errors import Remedy, UsageError, not_one_of, quote
from betterthan.results.escaping import inert, inert_text
from betterthan.results.protocol import FRAMES, PICTURES, STYLES

if TYPE_CHECKING:
    from betterthan.results.protocol import Result
    from betterthan.results.sheet import Sheet

FORMATS = ("table", "md", "latex", "csv", "json", "html")
PROSE = ("table", "md", "latex")  # formats that sentences can be added to
SHOWN = {"why": "explain", "methods": "methods", "items": "items"}
ITEMS = 20  # most items that --show items lists each way
_STREAM = re.compile(r"(^|=)(-|/dev/fd/\d+|/proc/\w+/fd/\d+)$")
# What harnesses write next to their logs, and is read with them.
_OF_LOGS = re.compile(
    r"results_\d{4}-\d\d-\d\dT.*\.json|(run_spec|stats|per_instance_stats|scenario_state)\.json"
)
_READ = ("files", "pilot", "gold", "ref", "groups", "plan")
_WRITTEN = ("per_item", "save")


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write, and of a picture, which plot."""

    path: Path
    plot: str | None = None

    @classmethod
    def of(cls, text: str) -> "Target":
        """Read ``[PLOT=]FILE``.

        >>> Target.of("null=law.pdf").plot, Target.of("a=b.csv").plot
        ('null', None)
        """
        plot, equals, rest = text.partition("=")
        if equals and plot.isidentifier() and Path(rest).suffix.lower() in PICTURES:
            return cls(expanded(rest), plot)
        return cls(expanded(text))


def expanded(text: str) -> Path:
    """Return a path with the home folder of the user whom it names."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{text}: there is no such user") from error


@dataclass(frozen=True, kw_only=True)
class Output:
    """Files to write, and the format of what is printed."""

    output: Annotated[Several, option("--output")] = None
    format: Annotated[str | None, option("--format")] = None

    suffixes: ClassVar[tuple[str, ...]] = tuple(s for s in STYLES if s != ".xml")
    default: ClassVar[str] = "table"

    def check(self) -> None:
        """Check formats and suffixes, before there is anything to write."""
        self.styled()
        known = (*self.suffixes, *FRAMES, *PICTURES)
        for target in self.targets:
            if target.path.suffix.lower() not in known:
                raise UsageError(
                    f"{target.path.name!r} must end in one of {', '.join(known)}, which tells its "
                    "format"
                )

    @property
    def targets(self) -> list[Target]:
        """The files to write."""
        return [Target.of(text) for text in self.output or ()]

    def styled(self) -> tuple[str, dict[str, Any]]:
        """Return the format to print and its options, as in ``latex(width=column)``."""
        from betterthan.grammar import call_of

        name, options = call_of(self.format or self.default)
        if name not in FORMATS:
            raise not_one_of("format", name, FORMATS)
        allowed = {"latex": ("width", "intervals", "label"), "md": ("intervals",)}.get(name, ())
        for key in options:
            if key not in allowed:
                known = f"it has {', '.join(allowed)}" if allowed else "it has none"
                raise UsageError(f"the format {name} has no option {quote(key)}; {known}")
        made: dict[str, Any] = {**options}
        if "intervals" in made:
            made["intervals"] = made["intervals"] in ("yes", "true")
        return name, made

    def text(self, result: "Result", style: str, **options: Any) -> str:
        """Write a result; on a terminal in its width and colours, or the verdict alone."""
        shown = style == "table" and not self.targets
        if shown and QUIET.get():
            return verdict_alone(result.sheet())
        if style == "html":
            options["command"] = command_line()
        if shown:
            options |= {"columns": screen_width(), "colour": coloured()}
        return result.rendered(style, advice=as_flag, **options)

    def emit(self, result: "Result", *sentences: str) -> None:
        """Print the result, or write it into files; ``sentences`` follow what people read."""
        documents = [t for t in self.targets if t.path.suffix.lower() not in PICTURES]
        style, options = self.styled()
        if not documents or self.format is not None:
            text = self.text(result, style, **options) + _paragraphs(sentences, style)
            print(text if style == "table" else as_shown(text), flush=True)
        elif QUIET.get():
            print(verdict_alone(result.sheet()), flush=True)
        else:
            sheet = result.sheet()
            say(*(f"  {line}" for line in (*sheet.headlines, *sheet.subheads)))
        for target in self.targets:
            self._write(result, target, sentences)
            say(f"Wrote {target.path}")

    def _write(self, result: "Result", target: Target, sentences: Sequence[str]) -> None:
        from betterthan.results.atomic_write import write_whole

        suffix = target.path.suffix.lower()
        if suffix in self.suffixes:
            style, options = STYLES[suffix], self.styled()[1]
            options = options if style == self.styled()[0] else {}
            text = self.text(result, style, **options) + _paragraphs(sentences, style)
            write_whole(target.path, text + "\n")
            return
        with busy("drawing"), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result.save(target.path, kind=target.plot)
        for warning in told:
            say(f"! {warning.message}")


@dataclass(frozen=True, kw_only=True)
class Explained(Output):
    """Output to which explanations can be added."""

    show: Annotated[str | None, option("--show")] = None
    explain: Annotated[bool, shorthand("--explain", "Output")] = False
    methods: Annotated[bool, shorthand("--methods", "Output")] = False
    items: Annotated[int | None, shorthand("--items", "Output")] = None

    def check(self) -> None:
        """Check formats, suffixes and what is shown."""
        super().check()
        for word in filter(None, (self.show or "").split(",")):
            name, _, count = word.partition("=")
            if name not in SHOWN or (count and not (name == "items" and count.isdecimal())):
                raise not_one_of("show", word, SHOWN)
        if self.shown and (name := self.styled()[0]) in ("csv", "json") and self.format:
            raise UsageError(
                f"{name} has no place for sentences", Remedy("a table with them", "format", "md")
            )

    @property
    def shown(self) -> Mapping[str, int]:
        """What is shown as well; of items, at most this many each way."""
        words = dict(word.partition("=")[::2] for word in (self.show or "").split(",") if word)
        shown = {w: 1 for w, field in SHOWN.items() if w in words or getattr(self, field)}
        if "items" in shown:
            shown["items"] = self.items or int(words.get("items") or ITEMS)
        return shown

    def emit(self, result: "Result", *sentences: str) -> None:
        """Print or write the result with what was asked for."""
        more = list(sentences)
        if "why" in self.shown:
            more += result.sheet().explanation()
        if "methods" in self.shown:
            more.append(f"Methods: {result.sheet().methods()}")
        super().emit(result, *more)


Written = Annotated[Output, GROUP]
WrittenAndExplained = Annotated[Explained, GROUP]
OUTPUT, EXPLAINED = Output(), Explained()


def verdict_alone(sheet: "Sheet") -> str:
    """Write what was found, without how; the tables where there is no sentence for it."""
    from betterthan.render.terminal import text
    from betterthan.render.wrapping import lines_of

    if sheet.headlines:
        return lines_of((*sheet.headlines, *sheet.subheads), 0, screen_width())
    bare = type(sheet)(title="", kind=sheet.kind, rows=(), tables=sheet.tables, layout=sheet.layout)
    return text(bare, columns=screen_width())


def _paragraphs(sentences: Sequence[str], style: str) -> str:
    """Write sentences as they follow a table; formats for programs have none."""
    lines = list(sentences)
    if not lines or style not in PROSE:
        return ""
    if style == "latex":
        from betterthan.render.tex_text import UNICODE_OR, escaped

        lines = [escaped(line) for line in lines]
        lines = [UNICODE_OR, *lines] if any(r"\unicodeor" in line for line in lines) else lines
    elif style == "md":
        from betterthan.render.markdown import escaped as in_markdown

        lines = [in_markdown(line) for line in lines]
    else:
        width = min(screen_width() or 80, 100) - 2
        lines = [fill(inert(x), width, initial_indent="  ", subsequent_indent="  ") for x in lines]
    return "".join(f"\n\n{line}" for line in lines)


def command_line() -> str:
    """Write the command that is running, as it could be pasted into a shell."""
    return shlex.join(["betterthan", *sys.argv[1:]])


def next_step(output: Output) -> None:
    """Suggest a report, except of what cannot be read again and of what is written already."""
    streams = any(map(_STREAM.search, sys.argv))
    if sys.argv[1:2] == ["compare"] and not (streams or output.output or output.format):
        say(f"Next: {command_line()} -o report.html", wrapped=False)


def as_shown(data: str) -> str:
    """Write data for stdout: whole to a program, without control characters to a terminal."""
    return inert_text(data) if is_terminal(sys.stdout) else data


def check_outputs(arguments: Mapping[str, Any], config: Path | None) -> None:
    """Check, before anything is done, that no output is an input and that none is named twice."""
    written = [Path(summary)] if (summary := os.environ.get("GITHUB_STEP_SUMMARY")) else []
    read: list[str | Path] = [config] if config is not None else []
    for name, value in arguments.items():
        if isinstance(value, Output):
            value.check()
            written += [target.path for target in value.targets]
        elif name in _WRITTEN and value is not None:
            written.append(expanded(str(value)))
        for key in _READ:
            held = value if name == key else getattr(value, key, None)
            read += [held] if isinstance(held, str | Path) else list(held or ())
    if Path("-") in written:
        raise UsageError("- is not a file: leave out -o - to print, or name a file")
    for source in _sources(read) if written else ():
        for path in written:
            with suppress(OSError):
                if not path.is_file():
                    continue
                beside = source.is_file() and os.path.samefile(source.parent, path.parent)
                if os.path.samefile(source, path) or (_OF_LOGS.fullmatch(path.name) and beside):
                    raise UsageError(f"{path} is read, and would be overwritten: name another file")
    for first, second in combinations(written, 2):
        both = first.exists() and second.exists()
        if os.path.samefile(first, second) if both else first.resolve() == second.resolve():
            raise UsageError(f"{first} would be written twice: name two files")


def _sources(read: Sequence[str | Path]) -> Iterator[Path]:
    from betterthan.errors import FormatError
    from betterthan.readers.files import meant

    for path in (re.sub(r"@[0-9a-f]{8}$", "", str(path)) for path in read):  # of a plan
        if path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            yield Path("/dev/stdin")
        else:
            with suppress(FormatError):  # reading reports it
                yield from meant(path)
