"""Options that several commands share, each spelled once, and the panels of ``--help``."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from betterthan.cli.commas import by_commas, numbers_by_commas, the_only


def _panel(title: str) -> Callable[..., Any]:
    """Return what declares an option of one panel of ``betterthan COMMAND --help``.

    Options are called as their parameters are, where no other names are given.
    """

    def option(help: str, *names: str, **more: Any) -> Any:
        return typer.Option(*names, help=help, rich_help_panel=title, **more)

    return option


reading = _panel("Input")
question = _panel("Question")
testing = _panel("Test")
writing = _panel("Output")


def numbers(kind: type[int] | type[float], told: str, *names: str) -> Any:
    """Return an option of the question that takes several numbers."""
    return question(told, *names, **numbers_by_commas(kind))


Baseline = Annotated[
    str | None, question("Baseline system; the first one by default.", "--baseline", "-b")
]
Candidate = Annotated[
    str | None, question("The system that is held against the baseline.", "--candidate")
]


def _metrics(incomplete: str) -> list[str]:
    """Metrics that a shell may complete."""
    from betterthan.metrics.named import LAYOUTS

    names = (layouts[0].spelling for layouts in LAYOUTS.values())
    return [name for name in names if name.startswith(incomplete)]


Metric = Annotated[
    str | None,
    question(
        "accuracy, f1, mean(COLUMN) ...",
        "--metric",
        "-m",
        autocompletion=_metrics,
        callback=the_only,
    ),
]
Metrics = Annotated[
    list[str] | None,
    question(
        "accuracy, f1, bleu, mean(COLUMN) ... (betterthan metrics); several by commas or repeated.",
        "--metric",
        "-m",
        callback=by_commas,
        autocompletion=_metrics,
    ),
]
By = Annotated[str | None, question("Break down by a column (domain, language ...).")]
ListedItems = Annotated[
    int, writing("List items that got worse, and better: at most so many of each.", min=0)
]
Tasks = Annotated[
    str | None,
    question(
        "Column of tasks, which have metrics of their own and weigh the same; logs of several "
        "tasks need none.",
        "--tasks",
    ),
]
Alpha = Annotated[float, testing("Level of the verdict.", "--alpha")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"],
    testing("greater: the second system is better.", "--alternative"),
]
Variant = Annotated[
    Literal["shift", "sign"],
    testing("Bootstrap: how far resamples stray, or how often they change sign."),
]
Recentre = Annotated[
    bool, testing("Bootstrap: move resamples to have the observed mean.", "--recentre")
]
Strict = Annotated[
    bool,
    testing("Bootstrap: ties do not count, p = s/b, as the 2012 paper's Figure 1.", "--strict"),
]
Resamples = Annotated[
    int | None, testing("Random draws, where any are needed.", "--resamples", min=1)
]
Seed = Annotated[int, testing("Seed, should sampling be needed.", "--seed", min=0)]
