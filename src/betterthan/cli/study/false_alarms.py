"""``betterthan study aa``: how often a test raises a false alarm on data like yours."""

from typing import Annotated, Literal

from betterthan.cli import panels as opt
from betterthan.cli.commas import by_commas
from betterthan.cli.input import Files, Input
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import Output
from betterthan.cli.workers import Workers


@grouped
def aa(
    files: Files,
    *,
    source: Input,
    baseline: opt.Baseline = None,
    candidate: opt.Candidate = None,
    metric: opt.Metric = None,
    size: Annotated[int | None, opt.question("Items of a null test set; all by default.")] = None,
    test: Annotated[
        list[str] | None,
        opt.testing("Test to check; several by commas, or repeated.", "--test", callback=by_commas),
    ] = None,
    alternative: opt.Alternative = "two-sided",
    alpha: opt.Alpha = 0.05,
    null: Annotated[
        Literal["swap", "seeds"], opt.testing("Exchange systems, or compare two seeds of one.")
    ] = "swap",
    simulations: Annotated[int, opt.testing("Null test sets.")] = 1000,
    seed: opt.Seed = 0,
    shared: Workers,
    output: Output,
) -> None:
    """Count a test's false alarms on null data made from your own (an A/A check).

    betterthan study aa runs.csv --test permutation --test t --cluster document
    """
    from betterthan.design import aa_check
    from betterthan.design.null_check import NullChecks

    candidates = [candidate] if candidate else None
    scores = source.read(files, metric, baseline=baseline, candidates=candidates)
    with shared.options() as workers:
        found = [
            aa_check(
                scores,
                baseline,
                candidate,
                metric=metric,
                test=name,
                alternative=alternative,
                alpha=alpha,
                size=size,
                simulations=simulations,
                null=null,
                rng=seed,
                **workers,
            )
            for name in test or ["permutation"]
        ]
    output.emit(NullChecks(tuple(found)))
