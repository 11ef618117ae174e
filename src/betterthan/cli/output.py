"""Where results go: stdout, or a file that is written whole or not at all."""

import os
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from betterthan.cli.panels import writing
from betterthan.errors import UsageError
from betterthan.results.inert import inert_lines
from betterthan.results.protocol import FRAMES, PICTURES, STYLES

if TYPE_CHECKING:
    from betterthan.results.protocol import Result

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

    texts: ClassVar[dict[str, str]] = TEXTS
    default: ClassVar[str] = "table"
    summarised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.format is None and self.output is not None:
            _check_suffix(self.output, (*self.texts, *FRAMES, *PICTURES), "or add --format")

    @property
    def style(self) -> str:
        """The format: as asked, else by the file's suffix."""
        suffix = self.output.suffix.lower() if self.output is not None else ""
        return self.format or self.texts.get(suffix, self.default)

    @property
    def is_text(self) -> bool:
        """Whether text is written, and no picture or frame."""
        return self.output is None or bool(self.format) or self.output.suffix.lower() in self.texts

    def emit(self, result: "Result", render: Callable[[str], str] | None = None) -> None:
        """Print the result, or put it into a file in one step.

        Continuous integration gets it in Markdown as well, where it names a file for job summaries.
        ``render`` is what writes the result as text where there is more to be written.
        """
        render = render or partial(result.rendered, command=command_line())
        if self.output is None:
            print(render(self.style), flush=True)
        elif not self.is_text:
            result.save(self.output)
        else:
            from betterthan.results.whole_files import write_whole

            write_whole(self.output, render(self.style) + "\n")
        if self.output is not None:
            sheet = result.sheet()
            for line in (*sheet.headlines, *sheet.subheads):
                say(f"  {line}")
            say(f"Wrote {self.output}")
        target = os.environ.get("GITHUB_STEP_SUMMARY")
        if self.summarised and target:
            try:
                with Path(target).open("a", encoding="utf-8", errors="backslashreplace") as stream:
                    stream.write(render("md") + "\n\n")
            except OSError as error:  # the result stands without it
                say(f"! no job summary: cannot write {target} ({error.strerror or error})")


@dataclass(frozen=True, kw_only=True)
class Drawn(Output):
    """Output that can also be drawn."""

    plot: Annotated[Path | None, writing("Draw it into a file (png, svg, pdf).")] = None

    def __post_init__(self) -> None:
        Output.__post_init__(self)
        if self.plot is not None:
            _check_suffix(self.plot, PICTURES, "to be drawn")

    @property
    def kind(self) -> str | None:
        """What is drawn; the usual plot of the result by default."""
        return None

    def emit(self, result: "Result", render: Callable[[str], str] | None = None) -> None:
        """Print or write the result, then draw it into the file that was asked for."""
        Output.emit(self, result, render)
        if self.plot is not None:
            result.save(self.plot, kind=self.kind)
            say(f"Wrote {self.plot}")


def _check_suffix(path: Path, known: tuple[str, ...], remedy: str) -> None:
    if path.suffix.lower() not in known:
        raise UsageError(
            f"cannot tell a format from the suffix of {path.name!r}: it must be one of "
            f"{', '.join(known)}, {remedy}"
        )


def explanation(result: "Result", style: str) -> str:
    """Why this way, in plain words: paragraphs below a table that people read."""
    told = result.sheet().explanation if style in ("table", "md") else ()
    if style == "table":
        told = tuple(fill(p, 78, initial_indent="  ", subsequent_indent="  ") for p in told)
    return "".join(f"\n\n{paragraph}" for paragraph in told)


def command_line() -> str:
    """The command that is running, as it could be pasted into a shell."""
    return shlex.join(["betterthan", *sys.argv[1:]])


def say(text: str) -> None:
    """Notes and progress belong on stderr; data on stdout."""
    sys.stdout.flush()  # so that a terminal shows both in the order they were said
    with suppress(OSError):  # stderr that is full or closed takes nothing from the result
        print(inert_lines(text), file=sys.stderr)
