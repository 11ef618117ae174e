"""Where results go: stdout, or a file that is written whole or not at all."""

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from betterthan.cli.panels import writing
from betterthan.cli.progress import busy
from betterthan.cli.screen import VOLUME, coloured, is_terminal, screen_width
from betterthan.errors import UsageError
from betterthan.results.inert import inert, inert_all, inert_text
from betterthan.results.protocol import FRAMES, PICTURES, STYLES
from betterthan.results.wrapping import lines_of

if TYPE_CHECKING:
    from betterthan.results.protocol import Result
    from betterthan.results.sheet import Sheet

_SENTENCES = ("Read ", "Scanned ", "Defaults ", "! ")  # commands stay whole, to be pasted
PROSE = ("table", "md")  # formats that sentences can be added to
TEXTS = {suffix: style for suffix, style in STYLES.items() if style != "junit"}


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where a result goes and in which format; what cannot be written is found before the work."""

    format: Annotated[
        Literal["table", "md", "json", "latex", "csv", "html"] | None,
        writing("How to write the result.", "--format", "-f"),
    ] = None
    output: Annotated[
        Path | None, writing("Write to a file; the format follows its suffix.", "--output", "-o")
    ] = None

    width: Annotated[
        Literal["column", "page"] | None,
        writing("LaTeX and plots: what they may take; a column where that is enough."),
    ] = None
    intervals: Annotated[
        bool | None,
        writing("Tables for papers: with intervals, or without.", "--intervals/--no-intervals"),
    ] = None

    tex_label: Annotated[
        str | None, writing("LaTeX: label of the table, of which a paper may have several.")
    ] = None

    texts: ClassVar[dict[str, str]] = TEXTS
    beside: ClassVar[tuple[str, ...]] = ()  # suffixes of files that leave the result on the screen
    default: ClassVar[str] = "table"
    summarised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.tex_label is not None and (not self.is_text or self.style != "latex"):
            raise UsageError("--tex-label is for LaTeX: say --format latex as well, or -o FILE.tex")
        if self.output is None or str(self.output) == "-":  # the latter is refused soon
            return
        known = (*self.texts, *FRAMES, *PICTURES)
        suffix = self.output.suffix.lower()
        if self.format is None:
            _check_suffix(self.output, known, "or add --format")
        elif suffix in known and suffix not in self.beside:
            meant = self.texts.get(suffix, "a picture" if suffix in PICTURES else "a frame")
            if meant != self.format:
                raise UsageError(
                    f"{self.output.name!r} would be {meant} by its suffix, and --format says "
                    f"{self.format}: leave out --format, or name the file otherwise"
                )

    @property
    def style(self) -> str:
        """The format: as asked, else by the file's suffix."""
        suffix = self.output.suffix.lower() if self.output is not None else ""
        return self.format or self.texts.get(suffix, self.default)

    @property
    def is_text(self) -> bool:
        """Whether text is written, and no picture or frame."""
        return self.output is None or bool(self.format) or self.output.suffix.lower() in self.texts

    def written(self, result: "Result", style: str) -> str:
        """The result as text, in the width and with the colours of a terminal that shows it."""
        shown = style == "table" and self.output is None
        if shown and VOLUME.get() < 0:
            return verdict_alone(result.sheet())
        return result.rendered(
            style,
            command=command_line() if style == "html" else None,
            width=self.width,
            intervals=self.intervals,
            label=self.tex_label,
            columns=screen_width() if shown else None,
            colour=shown and coloured(),
        )

    def emit(self, result: "Result", render: Callable[[str], str] | None = None) -> None:
        """Print the result, or put it into a file in one step.

        Continuous integration gets it in Markdown as well, where it names a file for job summaries.
        ``render`` is what writes the result as text where there is more to be written.
        """
        render = render or partial(self.written, result)
        if self.output is None:
            style = self.style
            text = render(style)
            print(text if style == "table" else as_shown(text), flush=True)
        else:
            self._write(result, self.output, render)
        target = os.environ.get("GITHUB_STEP_SUMMARY")
        if self.summarised and target:
            from betterthan.results.whole_files import add_to

            summary = render("md") + "\n\n"
            try:
                add_to(Path(target), summary)
            except (OSError, UsageError) as error:  # the result stands without it
                reason = getattr(error, "strerror", None) or error
                say(f"! no job summary: cannot write {target} ({reason})")

    def _write(self, result: "Result", path: Path, render: Callable[[str], str]) -> None:
        """Put the result into a file, and say in short what it is."""
        from betterthan.results.whole_files import is_stdout, write_whole

        if self.is_text:
            with busy("writing"):
                text = render(self.style)
            if is_stdout(path):  # where the rest of this would be said: printed, as without -o
                print(as_shown(text), flush=True)
                return
            write_whole(path, text + "\n")
        else:
            _draw(result, path, width=self.width)
        sheet = result.sheet()
        if VOLUME.get() < 0:
            print(verdict_alone(sheet), flush=True)
        for line in (*sheet.headlines, *sheet.subheads):
            say(f"  {line}")
        say(f"Wrote {path}")


@dataclass(frozen=True, kw_only=True)
class DrawnOutput(Output):
    """Output that can also be drawn."""

    plot: Annotated[Path | None, writing("Draw it into a file (png, svg, pdf).")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plot is not None:
            _check_suffix(self.plot, PICTURES, "to be drawn")

    def emit(self, result: "Result", render: Callable[[str], str] | None = None) -> None:
        """Print or write the result, then draw it into the file that was asked for."""
        Output.emit(self, result, render)
        if self.plot is not None:
            kind = getattr(self, "draw", None)  # of a result that is drawn in several ways
            _draw(result, self.plot, kind=kind, width=self.width)
            say(f"Wrote {self.plot}")


def _draw(result: "Result", path: Path, **how: Any) -> None:
    """Save a picture, and say what it could not show."""
    with busy("drawing"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result.save(path, **how)
    for warning in told:
        say(f"! {warning.message}")


def verdict_alone(sheet: "Sheet") -> str:
    """What was found, without how; the tables where there is no sentence for it."""
    from betterthan.render.terminal import text

    if sheet.headlines:
        return lines_of((*sheet.headlines, *sheet.subheads), 0, screen_width())
    bare = type(sheet)(title="", document={}, records=(), tables=sheet.tables, layout=sheet.layout)
    return text(bare, columns=screen_width())


def _check_suffix(path: Path, known: tuple[str, ...], remedy: str) -> None:
    if path.suffix.lower() not in known:
        raise UsageError(
            f"cannot tell a format from the suffix of {path.name!r}: it must be one of "
            f"{', '.join(known)}, {remedy}"
        )


@dataclass(frozen=True, kw_only=True)
class Explained(Output):
    """Output that is explained when asked."""

    explain: Annotated[
        bool,
        writing(
            "Why this test, what it assumes, what would change it, in plain words.", "--explain"
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.explain:
            self.refuse_in_data("--explain")

    def refuse_in_data(self, option: str, *further: str) -> None:
        """Refuse to add sentences to what holds numbers only, or a picture."""
        known = (*PROSE, *further, "html")
        if not self.is_text or self.style not in known:
            made = self.style if self.output is None or self.is_text else self.output.suffix
            raise UsageError(
                f"{option} adds sentences, and {made} has no place for them: it goes with --format "
                f"{', '.join(known[:-1])} or {known[-1]}"
            )

    def written(self, result: "Result", style: str) -> str:
        """The result, and why it was made this way below a table that people read."""
        told = result.sheet().explanation() if self.explain and style in PROSE else ()
        return "".join([Output.written(self, result, style), *paragraphs(told, style)])


@dataclass(frozen=True, kw_only=True)
class ExplainedAndDrawn(DrawnOutput, Explained):
    """Output that is explained when asked, and drawn."""


def paragraphs(told: Sequence[str], style: str) -> list[str]:
    """Paragraphs as they follow a table: on a terminal in lines of its width."""
    if told and style == "latex":
        from betterthan.render.tex_text import UNICODE_OR, escaped

        told = [escaped(p) for p in told]
        if any(r"\unicodeor" in p for p in told):
            told = [UNICODE_OR, *told]
    if told and style == "md":
        from betterthan.render.markdown import escaped as in_markdown

        told = [in_markdown(p) for p in told]
    if told and style == "table":
        width = min(screen_width() or 80, 100) - 2
        told = [fill(inert(p), width, initial_indent="  ", subsequent_indent="  ") for p in told]
    return [f"\n\n{paragraph}" for paragraph in told]


def headed(name: str, text: str, style: str) -> str:
    """Set a heading above a text that people read."""
    if style != "md":
        return f"{inert(name)}\n{text}"
    from betterthan.render.markdown import escaped

    return f"### {escaped(name)}\n\n{text}"


def command_line() -> str:
    """The command that is running, as it could be pasted into a shell."""
    return shlex.join(["betterthan", *sys.argv[1:]])


def as_shown(data: str) -> str:
    """Data as it goes to stdout: whole to a program, without what controls it to a terminal."""
    return inert_text(data) if is_terminal(sys.stdout) else data


def say(*lines: str, least: int = 0) -> None:
    """Say lines: notes and progress belong on stderr; data on stdout.

    ``least`` is the volume from which it is said: -v is 1, -q -1.
    """
    if VOLUME.get() < least:
        return
    sys.stdout.flush()  # so that a terminal shows both in the order they were said
    text = "\n".join(inert_all(lines))
    if text.startswith(_SENTENCES) and (wide := screen_width(sys.stderr)) is not None:
        text = lines_of(lines, 0, wide)
    with suppress(OSError):  # stderr that is full or closed takes nothing from the result
        print(text, file=sys.stderr)
