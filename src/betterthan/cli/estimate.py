"""``betterthan estimate``: every system by itself, its score with an interval."""

import shlex
import sys
from dataclasses import replace
from typing import Annotated

from betterthan.cli import panels as opt
from betterthan.cli.commas import low_and_high
from betterthan.cli.flags import as_flags
from betterthan.cli.input import Files, OutputsInput
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import ExplainedAndDrawn
from betterthan.cli.workers import Workers

_OF_PAIRS = ("--all", "--methods")
_OF_PAIRS_WITH_VALUE = (
    *("--baseline", "-b", "--candidate", "--test", "--method", "--resamples"),
    *("--alternative", "--alpha", "--correction"),
)


@grouped
def estimate(
    files: Files,
    *,
    source: OutputsInput,
    metric: opt.Metrics = None,
    by: opt.By = None,
    bound: Annotated[
        str | None, opt.question("LOW,HIGH: what a single score can be, as printed.")
    ] = None,
    confidence: Annotated[float, opt.testing("Level of each interval.")] = 0.95,
    seed: opt.Seed = 0,
    shared: Workers,
    output: ExplainedAndDrawn,
) -> None:
    """Estimate the score of each system, with an interval; one system is enough.

    Exact for 0/1 scores, honest for all scores with bounds, at 0 and 100 % too:

        betterthan estimate run.csv
        betterthan estimate run.eval --cluster metadata.topic --by level
        betterthan estimate ratings.csv --bound 1,5
        betterthan estimate --metric bleu --ref ref.txt system.txt
    """
    from betterthan.comparison.estimating import estimate as estimated
    from betterthan.metrics import expand_classes

    bounds = None if bound is None else low_and_high(bound)
    scores = source.read(files, metric, by=by)
    with shared.options() as workers:
        found = estimated(
            scores,
            metrics=expand_classes(metric, scores.columns) if metric else None,
            by=by,
            confidence=confidence,
            bounds=bounds,
            **workers,
            rng=seed,
        )
    rows = tuple(replace(e, notes=tuple(map(as_flags, e.notes))) for e in found)
    output.emit(replace(found, estimates=rows))


def instead_of_compare() -> str:
    """The running ``betterthan compare`` as an estimate: what only pairs need is left out."""
    words, kept = iter(sys.argv[2:]), []
    for word in words:
        if word in _OF_PAIRS_WITH_VALUE:
            next(words, None)
        elif word not in _OF_PAIRS and word.partition("=")[0] not in _OF_PAIRS_WITH_VALUE:
            kept.append(word)
    return shlex.join(["betterthan", "estimate", *kept])
