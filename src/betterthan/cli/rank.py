"""``betterthan rank``: which system leads, and which ranks are certain?"""

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import EXPLAINED, WrittenAndExplained
from betterthan.cli.reading import ScoresReading
from betterthan.cli.screen import busy
from betterthan.cli.values import given
from betterthan.errors import PAIRWISE, MissingScoresError

app = App()


Missing = Annotated[
    Literal["error", "drop", "worst", "pairwise"] | None, opt.option("--missing@rank")
]


@dataclass(frozen=True, kw_only=True)
class RankedReading(ScoresReading):
    """Rankings can do with items that only some systems share."""

    missing: Missing = None  # type: ignore[assignment]


READING = RankedReading()


@app.default
def rank(
    files: opt.Files,
    /,
    *,
    reading: Annotated[RankedReading, opt.GROUP] = READING,
    metric: opt.Metric = None,
    by: opt.By = None,
    method: Annotated[str | None, opt.option("--method")] = None,
    test: Annotated[str | None, opt.option("--test@rank")] = None,
    alpha: opt.Alpha = None,
    correction: opt.Correction = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: WrittenAndExplained = EXPLAINED,
) -> None:
    """Which system leads, and which ranks are certain?

    betterthan rank runs.csv
    betterthan rank battles.jsonl --method elo
    """
    import betterthan as bt

    asked = ("metric", "by", "method", "test", "alpha", "correction", "resamples", "seed")
    options = given(locals(), *asked)
    try:
        data = reading.read(files, metric=metric, by=by, judged=True, counted=True)
    except MissingScoresError as error:
        raise error.with_remedies(PAIRWISE) from error
    with busy("ranking"):
        board = bt.rank(data, **options)
    output.emit(board)
