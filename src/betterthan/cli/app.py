"""The application, and the promise of no traceback."""

import signal
import sys
from contextvars import copy_context

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
    score,
    selftest,
    study,
    tally,
)
from betterthan.cli.shell import exit_code, explain, prepare_streams
from betterthan.results.version import __version__

app = typer.Typer(
    name="betterthan",
    help="Is one system really better than another? Exact where exact is possible.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("compare")(compare.compare)
app.command("estimate")(estimate.estimate)
app.command("rank")(rank.rank)
app.command("formats")(formats.formats)
app.command("inspect")(inspect.inspect)
app.command("metrics")(metrics.metrics)
app.command("score")(score.score)
app.command("tally")(tally.tally)
app.command("gate")(gate.gate)
app.command("power")(power.power)
app.add_typer(study.app, name="study")
app.add_typer(responses.app, name="responses")
app.command("simulate")(responses.simulate)
app.command("reproduce")(reproduce.reproduce)
app.command("selftest")(selftest.selftest)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """Is one system really better than another? Exact where exact is possible."""
    if version:
        typer.echo(f"betterthan {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; every error that the user can put right is one line on stderr."""
    # A reader that has seen enough (`| head`) ends us quietly, as it ends any other program.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL) if hasattr(signal, "SIGPIPE") else None
    prepare_streams()
    try:
        copy_context().run(app)  # what options set is forgotten afterwards
    except SystemExit as stop:
        sys.exit(exit_code(stop))
    except BaseException as error:  # panics of compiled libraries are no Exceptions
        sys.exit(explain(error))
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)
