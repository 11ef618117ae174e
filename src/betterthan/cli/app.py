"""The application: its commands, what every command takes, and the promise of no traceback."""

import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, Group, Parameter

from betterthan.cli import responses, study
from betterthan.cli.command import Command
from betterthan.cli.defaults import CONFIG, Defaults
from betterthan.cli.demo import demo
from betterthan.cli.evaluate import compare, gate, rank, score
from betterthan.cli.help_page import HelpPage
from betterthan.cli.inspect import inspect
from betterthan.cli.list import list_
from betterthan.cli.options import BRIEF, takes_value
from betterthan.cli.output import check_outputs
from betterthan.cli.power import power
from betterthan.cli.reproduce import reproduce
from betterthan.cli.screen import QUIET
from betterthan.cli.shell import explain, flush, prepare_streams
from betterthan.cli.usage import usage_error
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.results.signature import __version__

_EVERYWHERE = """\
Everywhere: -q prints the verdict alone; --config FILE; -h; --version.
Defaults of options: betterthan.toml. Completion: --install-completion."""


def _named(function: Command) -> str:
    return function.__name__.strip("_").replace("_", "-")


def _part(name: str, help: str, *functions: Command) -> App:
    """Return a command that has others below it."""
    part = App(name=name, help=help, group_commands=Group("Commands"))
    for place, function in enumerate(functions):
        part.command(function, name=_named(function), sort_key=place)
    return part


_GROUPS: dict[str, tuple[Any, ...]] = {
    "Evaluate": (compare, rank, score, gate),
    "Plan": (power,),
    "Research": (
        _part(
            "responses",
            "By raters' or seeds' responses: compare, study, simulate.",
            *(responses.compare, responses.study, responses.simulate),
        ),
        _part(
            "study",
            "gains, calibration, false-alarms, aggregation, published, training.",
            *(study.gains, study.calibration, study.false_alarms),
            *(study.aggregation, study.published, study.training),
        ),
        reproduce,
    ),
    "Help": (demo, inspect, list_),
}


def _application() -> App:
    made = App(
        name="betterthan",
        help="Is one system really better than another, and how sure can we be?",
        help_epilogue=_EVERYWHERE,
        help_format="plaintext",
        help_formatter=HelpPage(),
        version=f"betterthan {__version__}",
        default_parameter=Parameter(negative=()),
        group_commands=Group("", show=False),
        result_action="return_value",
    )
    made.register_install_completion_command(group=made.group_commands)
    for place, (title, parts) in enumerate(_GROUPS.items(), start=1):
        group = Group(title, sort_key=place)
        for order, part in enumerate(parts, start=1):
            name = part.name[0] if isinstance(part, App) else _named(part)
            made.command(part, name=name)
            made[name].group, made[name].sort_key = group, order
    return made


app = _application()


def commands(part: App = app, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], App]]:
    """Return every command with its words, such as ``study gains``."""
    if words and part.default_command is not None:
        return [(words, part)]
    below = [name for name in part if not name.startswith("-")]
    return [each for name in below for each in commands(part[name], (*words, name))]


def flags() -> dict[str, set[str]]:
    """Return the options of every command."""
    options: dict[str, set[str]] = {}
    for words, part in commands():
        names = [name for each in part.assemble_argument_collection() for name in each.names]
        options[" ".join(words)] = {name for name in names if name.startswith("-")}
    return options


def run(words: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    rest, config, quiet = _everywhere(list(words))
    QUIET.set(quiet or QUIET.get())
    CONFIG.set(config)
    app.config = (Defaults(config, [name for name in app if name[0] != "-"]),)
    try:
        command, bound, _ = app.parse_args(rest, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise usage_error(error, rest) from None
    check_outputs({**bound.arguments, "config": config})
    try:
        code = command(*bound.args, **bound.kwargs)
    except SystemExit as stop:
        raise UsageError(f"the code of a metric ended the program (exit {stop.code})") from stop
    return code if isinstance(code, int) else 0


def _everywhere(words: list[str]) -> tuple[list[str], Path | None, bool]:
    """Take the options of every command out of what was typed."""
    rest: list[str] = []
    config, quiet = None, False
    while words and words[0] != "--":
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word in BRIEF:
            quiet = True
        elif name == "--config":
            if not equals and not words:
                raise UsageError("--config needs a file", Remedy("", "config", Choice("FILE")))
            config = Path(value if equals else words.pop(0))
        elif word == "-" and rest and takes_value(rest[-1]):  # cyclopts takes - for an option
            rest[-1] += "=-"
        else:
            rest.append("/dev/stdin" if word == "-" else word)
    return rest + words, config, quiet


def main() -> None:
    """Run the command line; an error that the user can put right is two lines on stderr."""
    # A reader that has seen enough (`| head`) ends us quietly, as it ends any other program.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL) if hasattr(signal, "SIGPIPE") else None
    prepare_streams()
    words = sys.argv[1:]
    try:
        code = copy_context().run(run, words)  # what options set is forgotten afterwards
        flush()
    except SystemExit:  # the help
        raise
    except BaseException as error:  # panics of compiled libraries are not Exceptions
        code = explain(error, words, flags())
        with suppress(OSError):  # what could not be written is not written at the exit, either
            flush()
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)
    sys.exit(code)
