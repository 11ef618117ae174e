"""The application, its exit codes, and the promise of no traceback.

Exit codes: 0 fine, 1 a regression is shown (gate), 2 usage, 3 inconclusive (gate), 4 the data are
misaligned or unreadable, 70 a defect of our own.
"""

import os
import signal
import sys

import typer

from betterthan.cli import (
    compare,
    demo,
    formats,
    gate,
    inspect,
    power,
    rank,
    responses,
    score,
    study,
)

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
app.command("rank")(rank.rank)
app.command("formats")(formats.formats)
app.command("inspect")(inspect.inspect)
app.command("score")(score.score)
app.command("gate")(gate.gate)
app.command("power")(power.power)
app.add_typer(study.app, name="study")
app.add_typer(responses.app, name="responses")
app.command("simulate")(responses.simulate)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """Is one system really better than another? Exact where exact is possible."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"betterthan {installed('betterthan')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; every error that the user can put right is one line on stderr."""
    # A reader that has seen enough (`| head`) ends us quietly, as it ends any other program.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL) if hasattr(signal, "SIGPIPE") else None
    try:
        app()
    except Exception as error:
        sys.exit(_explain(error))
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)


def _explain(error: Exception) -> int:
    from betterthan.errors import BetterthanError

    if isinstance(error, BetterthanError):
        print(f"betterthan: {error}", file=sys.stderr)
        return error.exit_code
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        print(f"betterthan: {where}{error.strerror or error}", file=sys.stderr)
        return 4
    if os.environ.get("BETTERTHAN_DEBUG"):
        raise error
    print(
        f"betterthan: internal error, {type(error).__name__}: {error}\n"
        "This is a defect of betterthan, not of your data. Run again with BETTERTHAN_DEBUG=1 for "
        "the details and report them.",
        file=sys.stderr,
    )
    return 70
