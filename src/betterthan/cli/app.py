"""The application, and the promise of no traceback."""

import os
import signal
import sys
from contextvars import copy_context
from typing import Annotated, Literal

import typer

from betterthan.cli import (
    compare,
    demo,
    estimate,
    formats,
    gate,
    inspect,
    metrics,
    power,
    rank,
    reproduce,
    responses,
    schema,
    score,
    selftest,
    study,
    tally,
)
from betterthan.cli.help_pages import Command, Group
from betterthan.cli.shell import exit_code, explain, prepare_environment, prepare_streams
from betterthan.results.version import __version__

NAME = "betterthan"
app = typer.Typer(
    name=NAME,
    cls=Group,
    help="Is one system really better than another? Exact where exact is possible.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    *(demo.demo, compare.compare, estimate.estimate, rank.rank, formats.formats, inspect.inspect),
    *(metrics.metrics, schema.schema, score.score, tally.tally, gate.gate, power.power),
    *(responses.simulate, reproduce.reproduce, selftest.selftest),
):
    app.command(command.__name__, cls=Command)(command)
app.add_typer(study.app, name="study")
app.add_typer(responses.app, name="responses")


_COMPLETE = "_BETTERTHAN_COMPLETE"  # where a shell asks for completions


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", metavar=" ")
    ] = False,
    completion: Annotated[
        Literal["bash", "zsh", "fish", "powershell"] | None,
        typer.Option(
            "--completion",
            help="Print what makes a shell complete commands and options: "
            'eval "$(betterthan --completion bash)" in its startup file.',
            metavar="SHELL",
        ),
    ] = None,
) -> None:
    """Is one system really better than another? Exact where exact is possible."""
    if version:
        print(f"betterthan {__version__}")
        raise typer.Exit
    if completion is not None:
        from typer.completion import get_completion_script  # type: ignore[attr-defined]

        print(get_completion_script(prog_name=NAME, complete_var=_COMPLETE, shell=completion))
        raise typer.Exit


def main() -> None:
    """Run the command line; every error that the user can put right is one line on stderr."""
    # A reader that has seen enough (`| head`) ends us quietly, as it ends any other program.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL) if hasattr(signal, "SIGPIPE") else None
    prepare_environment()
    prepare_streams()
    if _COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    try:
        copy_context().run(app, prog_name=NAME)  # what options set is forgotten afterwards
    except SystemExit as stop:
        sys.exit(exit_code(stop))
    except BaseException as error:  # panics of compiled libraries are no Exceptions
        sys.exit(explain(error))
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)
