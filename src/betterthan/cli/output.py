"""Where results go: the screen, or files that are written whole or not at all."""

import os
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan.cli.advice import as_flag
from betterthan.cli.command import Options
from betterthan.cli.screen import QUIET, busy, coloured, is_terminal, say, screen_width
from betterthan.errors import FormatError, Remedy, UsageError, closest, not_one_of, quote, settings
from betterthan.grammar import call_of
from betterthan.results.atomic_write import write_whole
from betterthan.results.escaping import inert_text
from betterthan.results.protocol import FRAMES, PICTURES, STYLES

if TYPE_CHECKING:
    from betterthan.results.protocol import Result
    from betterthan.results.sheet import Sheet

FORMATS: dict[str, tuple[str, ...]] = {
    "table": (),
    "md": ("intervals",),
    "latex": ("width", "intervals", "label"),
    "csv": (),
    "json": (),
    "html": (),
}
"""What can be printed, and the options of each."""
SHOWN = ("why", "methods", "items")
ITEMS = 20  # most items that --show items lists each way
_READ = ("files", "pilot", "gold", "ref", "groups", "plan", "config")
_WRITTEN = ("output", "per_item", "save")


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
    if "\0" in text:
        raise UsageError("a file name holds a null character: name another file")
    try:
        path = Path(text).expanduser()
        path.resolve()
    except (RuntimeError, ValueError) as error:  # no such user, a null character
        raise UsageError(f"{quote(text)} cannot be the name of a file") from error
    return path


@dataclass(frozen=True)
class Output:
    """Files to write, the format of what is printed, and what is explained."""

    options: Options
    suffixes: tuple[str, ...] = (*(s for s in STYLES if s != ".xml"), *FRAMES, *PICTURES)
    default: str = "table"

    def __post_init__(self) -> None:
        """Check formats and suffixes, before there is anything to write."""
        for target in self.targets:
            if target.path.suffix.lower() not in self.suffixes:
                known = ", ".join(self.suffixes)
                raise UsageError(f"{quote(target.path.name)} must end in one of {known}")
        for word in self.shown:
            if word not in SHOWN:
                raise not_one_of("show", word, SHOWN)
        name, _ = self.styled()
        if self.shown and "format" in self.options and name in ("csv", "json"):
            remedy = Remedy("a table with them", "format", "md")
            raise UsageError(f"{name} has no place for sentences", remedy)

    @property
    def targets(self) -> list[Target]:
        """The files to write."""
        return [Target.of(text) for text in self.options.get("output", ())]

    @property
    def shown(self) -> Mapping[str, int]:
        """What is shown as well; of items, at most this many each way."""
        shorthands = {"why": "explain", "methods": "methods", "items": "most"}
        shown = {word: int(self.options.get(name, 0)) for word, name in shorthands.items()}
        shown = {word: value for word, value in shown.items() if value}
        for word in filter(None, self.options.get("show", "").split(",")):
            name, equals, count = word.partition("=")
            if equals and not (name == "items" and count.isdecimal()):
                raise not_one_of("show", word, SHOWN)
            shown.setdefault(name, int(count or ITEMS))
        return shown

    def styled(self) -> tuple[str, dict[str, Any]]:
        """Return the format to print and its options, as in ``latex(width=column)``."""
        name, options = call_of(self.options.get("format", self.default))
        if name not in FORMATS:
            raise not_one_of("format", name, FORMATS)
        for key in options.keys() - set(FORMATS[name]):
            known, near = ", ".join(FORMATS[name]) or "no options", closest(key, FORMATS[name])
            better = self.options["format"].replace(key, near) if near else None
            message = f"the format {name} has no option {quote(key)}; it has {known}"
            raise UsageError(message, *settings("format", better))
        return name, {k: v == "yes" if k == "intervals" else v for k, v in options.items()}

    def text(self, result: "Result", style: str, *, screen: bool = False, **options: Any) -> str:
        """Write a result; for a screen in its width and colours, or the verdict alone."""
        sheet = result.sheet()
        if style == "table" and screen:
            if QUIET.get():
                return verdict_alone(sheet)
            options |= {"columns": screen_width(), "colour": coloured()}
        why = sheet.explanation() if "why" in self.shown else ()
        methods = (f"Methods: {sheet.methods()}",) if "methods" in self.shown else ()
        options |= {"sentences": (*why, *methods), "command": command_line()}
        return result.rendered(style, advice=as_flag, **options)

    def emit(self, result: "Result") -> None:
        """Print the result, or write it into files."""
        documents = [t for t in self.targets if t.path.suffix.lower() not in PICTURES]
        style, options = self.styled()
        sheet = result.sheet()
        if not documents or "format" in self.options:
            text = self.text(result, style, screen=True, **options)
            # A terminal gets no control characters of names; tables have none.
            shown = style != "table" and is_terminal(sys.stdout)
            print(inert_text(text) if shown else text, flush=True)
        elif QUIET.get():
            print(verdict_alone(sheet), flush=True)
        else:
            say(*(f"  {line}" for line in (*sheet.headlines, *sheet.subheads)))
        for target in self.targets:
            self._write(result, target)
            say(f"Wrote {target.path}")

    def _write(self, result: "Result", target: Target) -> None:
        suffix = target.path.suffix.lower()
        if suffix in STYLES:
            printed, options = self.styled()
            options = options if STYLES[suffix] == printed else {}
            write_whole(target.path, f"{self.text(result, STYLES[suffix], **options)}\n")
            return
        with busy("drawing"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result.save(target.path, kind=target.plot)
        for warning in caught:
            say(f"! {warning.message}")


def verdict_alone(sheet: "Sheet") -> str:
    """Write the verdict without how it was reached; the tables where there is no sentence."""
    from betterthan.render.terminal import text
    from betterthan.render.wrapping import lines_of

    if sheet.headlines:
        return lines_of((*sheet.headlines, *sheet.subheads), 0, screen_width())
    bare = type(sheet)(title="", kind=sheet.kind, rows=(), tables=sheet.tables, layout=sheet.layout)
    return text(bare, columns=screen_width())


def command_line() -> str:
    """Write the command that is running, as it could be pasted into a shell."""
    return shlex.join(["betterthan", *sys.argv[1:]])


def check_outputs(options: Options) -> None:
    """Check, before anything is done, that no output is an input and that none is named twice."""
    written = [Target.of(text).path for text in _texts(options, _WRITTEN)]
    if not written:
        return
    from betterthan.readers.files import matching

    for source in _texts(options, _READ):
        with suppress(FormatError, OSError):  # reading reports them
            files = [*matching(source.partition("@")[0]), *Path(source).rglob("*")]
            for file, path in product(files, written):
                if path.exists() and os.path.samefile(path, file):
                    raise UsageError(f"{path} is read, and would be overwritten: name another file")
    for first, second in combinations(written, 2):
        if first.resolve() == second.resolve():
            raise UsageError(f"{first} would be written twice: name two files")


def _texts(options: Options, names: Sequence[str]) -> list[str]:
    values = [options[name] for name in names if options.get(name)]
    return [str(x) for value in values for x in (value if isinstance(value, list) else [value])]
