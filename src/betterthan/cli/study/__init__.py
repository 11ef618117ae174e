"""``betterthan study``: what gains, p-values and tests are worth on a test set."""

import typer

from betterthan.cli.help_pages import Command, Group
from betterthan.cli.study.calibration import calibration
from betterthan.cli.study.disagreement import disagreement
from betterthan.cli.study.false_alarms import aa
from betterthan.cli.study.gains import gains
from betterthan.cli.study.published_gain import published
from betterthan.cli.study.training import training

app = typer.Typer(
    help="Study gains, p-values and tests on a collection of systems.",
    cls=Group,
    no_args_is_help=True,
)
app.command("gains", cls=Command)(gains)
app.command("calibration", cls=Command)(calibration)
app.command("aa", cls=Command)(aa)
app.command("disagreement", cls=Command)(disagreement)
app.command("published", cls=Command)(published)
app.command("training", cls=Command)(training)
