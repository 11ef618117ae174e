"""``betterthan compare``: is each system better than the baseline?"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import EXPLAINED, WrittenAndExplained, next_step
from betterthan.cli.reading import Pairs, ScoresReading, held
from betterthan.cli.screen import busy
from betterthan.cli.values import given, names
from betterthan.errors import UsageError

app = App()


@dataclass(frozen=True, kw_only=True)
class ComparedReading(ScoresReading, Pairs):
    """The baseline is listed, for it is what others are compared with."""

    baseline: Annotated[str | None, opt.option("--baseline")] = None


READING = ComparedReading()


@app.default
def compare(
    files: opt.Files,
    /,
    *,
    reading: Annotated[ComparedReading, opt.GROUP] = READING,
    metric: opt.Metrics = None,
    by: opt.By = None,
    every: Annotated[bool, opt.option("--all")] = False,
    test: opt.Test = None,
    alternative: opt.Alternative = None,
    alpha: opt.Alpha = None,
    correction: opt.Correction = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: WrittenAndExplained = EXPLAINED,
) -> None:
    """Is each system better than the baseline?

    betterthan compare runs.csv
    betterthan compare base.csv new.csv --metric f1 --cluster document
    betterthan compare --metric bleu --ref ref.txt base.txt new.txt
    """
    import betterthan as bt

    if every and reading.baseline is not None:
        raise UsageError("every pair of systems has no baseline: leave out --all or --baseline")
    asked = ("by", "test", "alternative", "alpha", "correction", "resamples", "seed")
    options = given(locals(), *asked)
    metrics = names(metric)
    counted = "items" not in output.shown
    kept = files if counted else held(files)
    scores = reading.read(kept, metric=metrics, by=by, counted=counted)
    run = bt.compare_all if every else partial(bt.compare_many, baseline=reading.pair[0])
    with busy("testing") as progress:
        result = run(scores, metric=metrics, progress=progress, **options)
    if most := output.shown.get("items"):
        result = replace(result, items=most, texts_of=partial(reading.texts_of, kept, metrics))
    output.emit(result)
    next_step(output)
