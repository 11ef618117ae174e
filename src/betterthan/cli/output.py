"""Where results go: stdout, or a file that is written whole or not at all."""

import os
import shlex
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from betterthan.errors import UsageError

SUFFIXES = {
    ".txt": "table",
    ".md": "md",
    ".json": "json",
    ".tex": "latex",
    ".csv": "csv",
}
REPORT = ".html"
PLOTS = (".png", ".svg", ".pdf")


def style_for(style: str | None, output: Path | None, *, report: bool = False) -> str:
    """Choose the format: as asked, else by the file's suffix, else a table.

    ``report`` says that the command can write an HTML report.
    """
    if style is not None:
        return style
    if output is None:
        return "table"
    suffix = output.suffix.lower()
    if suffix == REPORT:
        if report:
            return "html"
        raise UsageError(
            f"only compare and rank write an HTML report: {output.name!r} needs another suffix "
            f"here ({', '.join(SUFFIXES)})"
        )
    try:
        return SUFFIXES[suffix]
    except KeyError:
        known = ", ".join([*SUFFIXES, *[REPORT] * report])
        raise UsageError(
            f"cannot tell the format of {output.name!r} from its suffix (known: {known}): "
            "add --format"
        ) from None


def check_plot(plot: Path | None) -> None:
    """Refuse a plot in a format that is not drawn, before the work is done."""
    if plot is not None and plot.suffix.lower() not in PLOTS:
        raise UsageError(f"cannot draw {plot.name!r}: its suffix must be {', '.join(PLOTS)}")


def save_plot(axes: Any, plot: Path) -> None:
    """Draw the figure of these axes into a file, whole or not at all."""
    check_plot(plot)
    picture = BytesIO()
    axes.figure.savefig(picture, format=plot.suffix[1:].lower(), dpi=200)
    write(plot, picture.getvalue())
    say(f"Wrote {plot}")


def emit(text: str, output: Path | None, summary: str | None = None) -> None:
    """Print the text, or put it into a file in one step.

    ``summary`` is Markdown for the job summary of a continuous-integration run; it is appended to
    the file that ``GITHUB_STEP_SUMMARY`` names, when that is set.
    """
    if output is None:
        print(text)
    else:
        write(output, text + "\n")
        say(f"Wrote {output}")
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and target:
        with Path(target).open("a", encoding="utf-8") as stream:
            stream.write(summary + "\n\n")


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole: readers see the old one or the new one, never half of it."""
    data = content.encode() if isinstance(content, str) else content
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to write")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: create it first")
    path = path.resolve()  # a link stays a link: what it points to is replaced
    if path.exists() and not path.is_file():  # a pipe or a device takes it as it comes
        with path.open("wb") as stream:
            stream.write(data)
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        # mkstemp makes private files; a result is as readable as any other new file.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def command_line() -> str:
    """The command that is running, as it could be pasted into a shell."""
    return shlex.join(["betterthan", *sys.argv[1:]])


def say(text: str) -> None:
    """Notes and progress belong on stderr; data on stdout."""
    sys.stdout.flush()  # so that a terminal shows both in the order they were said
    print(text, file=sys.stderr)
