"""The application: its commands, what every command takes, and the promise of no traceback."""

import signal
import sys
from collections.abc import Sequence
from contextvars import copy_context
from importlib import import_module
from pathlib import Path

from cyclopts import App, CycloptsError, Group, Parameter

from betterthan.cli.defaults import CONFIG, Defaults
from betterthan.cli.help_page import HelpPage
from betterthan.cli.options import shorthand, takes_value
from betterthan.cli.output import check_outputs
from betterthan.cli.screen import QUIET
from betterthan.cli.shell import explain, prepare_environment, prepare_streams
from betterthan.cli.usage import usage_error
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.results.signature import __version__

NAME = "betterthan"
_GROUPS = {
    "Evaluate": ("compare", "rank", "score", "gate"),
    "Plan": ("power",),
    "Research": ("responses", "study", "reproduce"),
    "Help": ("demo", "inspect", "list"),
}
_EVERYWHERE = """\
Everywhere: -q prints the verdict alone; --config FILE; -h; --version.
Defaults of options: betterthan.toml. Completion: --install-completion."""
shorthand("--config")


def _made() -> App:
    made = App(
        name=NAME,
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
    for place, (title, names) in enumerate(_GROUPS.items(), start=1):
        group = Group(title, sort_key=place)
        for order, name in enumerate(names, start=1):
            part = import_module(f"betterthan.cli.{name}").app
            part.group, part.sort_key = group, order
            if part.default_command is None:
                part.group_commands = Group(title)
                for place_below, below in enumerate(part):
                    part[below].sort_key = place_below
            made.command(part, name=name)
    return made


app = _made()


def flags() -> dict[str, set[str]]:
    """Return the options of every command by its words, such as ``study gains``."""
    found: dict[str, set[str]] = {}
    for words, part in commands(app):
        names = [
            name for argument in part.assemble_argument_collection() for name in argument.names
        ]
        found[" ".join(words)] = {name for name in names if name.startswith("-")}
    return found


def commands(part: App, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], App]]:
    """Return every command with its words."""
    below = [name for name in part if not name.startswith("-")]
    if words and part.default_command is not None:
        return [(words, part)]
    return [each for name in below for each in commands(part[name], (*words, name))]


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
    check_outputs(bound.arguments, config)
    try:
        code = command(*bound.args, **bound.kwargs)
    except SystemExit as stop:
        raise UsageError(
            f"the code of a metric ended the program (exit {stop.code}) before there was a result"
        ) from stop
    return code if isinstance(code, int) else 0


def _everywhere(words: list[str]) -> tuple[list[str], Path | None, bool]:
    """Take the options of every command out of what was typed."""
    kept: list[str] = []
    config, quiet = None, False
    while words:
        word = words.pop(0)
        if word == "--":
            kept += [word, *words]
            break
        name, equals, value = word.partition("=")
        if word in ("-q", "--quiet"):
            quiet = True
        elif name == "--config":
            if not equals and not words:
                raise UsageError("--config needs a file", Remedy("", "config", Choice("FILE")))
            config = Path(value if equals else words.pop(0))
        elif word == "-" and kept and takes_value(kept[-1]):  # cyclopts takes - for an option
            kept[-1] += "=-"
        elif word == "-":
            kept.append("/dev/stdin")
        else:
            kept.append(word)
    return kept, config, quiet


def main() -> None:
    """Run the command line; an error that the user can put right is two lines on stderr."""
    # A reader that has seen enough (`| head`) ends us quietly, as it ends any other program.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL) if hasattr(signal, "SIGPIPE") else None
    prepare_environment()
    prepare_streams()
    words = sys.argv[1:]
    try:
        sys.exit(copy_context().run(run, words))  # what options set is forgotten afterwards
    except SystemExit:
        raise
    except BaseException as error:  # panics of compiled libraries are no Exceptions
        sys.exit(explain(error, words, flags()))
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)
