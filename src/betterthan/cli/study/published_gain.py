"""``betterthan study published``: a gain over a score that is only published."""

from typing import Annotated, Literal

from betterthan.cli import panels as opt
from betterthan.cli.input import FilesOrNone, Input
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import Output
from betterthan.cli.workers import Workers


@grouped
def published(
    files: FilesOrNone = None,
    *,
    source: Input,
    printed: Annotated[
        float | None,
        opt.question("The published score, as printed (points for rates).", "--published"),
    ] = None,
    threshold: Annotated[float | None, opt.question("Gain from a study, as printed.")] = None,
    similarity: Annotated[
        Literal["same", "different"], opt.question("How alike the two systems are.")
    ] = "different",
    candidate: opt.Candidate = None,
    metric: opt.Metric = None,
    items: Annotated[int | None, opt.question("Rescale thresholds to so many items.")] = None,
    seed: opt.Seed = 0,
    shared: Workers,
    output: Output,
) -> None:
    """Judge a gain over a score that is only published; without files, list published thresholds.

    betterthan study published --metric bleu --items 1000
    betterthan study published mine.csv --published 71.5 --threshold 2.1
    """
    from betterthan.design import against_published, published_thresholds
    from betterthan.errors import UsageError
    from betterthan.results.wording import scale

    if not files:
        output.emit(published_thresholds(metric, items=items))
        return
    if printed is None:
        raise UsageError("give the score that was published: --published")
    scores = source.read(files, metric)
    unit = scale(scores.is_rate(scores.measured(metric)))
    with shared.options() as workers:
        found = against_published(
            scores,
            printed / unit,
            candidate,
            metric=metric,
            threshold=None if threshold is None else threshold / unit,
            similarity=similarity,
            **workers,
            rng=seed,
        )
    output.emit(found)
