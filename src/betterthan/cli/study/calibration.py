"""``betterthan study calibration``: p-values held against the truth."""

from typing import Annotated

from betterthan.cli import panels as opt
from betterthan.cli.input import Files, OutputsInput
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import DrawnOutput
from betterthan.cli.study.gains import Band, StudyTestOptions, asked_band
from betterthan.cli.workers import Workers


@grouped
def calibration(
    files: Files,
    *,
    source: OutputsInput,
    metric: opt.Metric = None,
    by: Annotated[str | None, opt.question("Column of domains.")] = None,
    on: Annotated[
        str | None, opt.question("Domain whose p-values are held against the others.")
    ] = None,
    size: Annotated[int, opt.question("Items of a drawn test set.")] = 1600,
    test_sets: Annotated[int, opt.question("Test sets drawn.")] = 10,
    band: Band = None,
    bins: Annotated[
        list[float] | None,
        opt.numbers(
            float,
            "Borders of the table: 0,.01,.05,1 ...; those of the paper's Table 1 by default.",
            "--bins",
        ),
    ] = None,
    asked: StudyTestOptions,
    shared: Workers,
    output: DrawnOutput,
) -> None:
    """Hold p-values against the truth: how often p near .05 names the better system.

    Small test sets are drawn from the whole, which is taken for the population; or p-values on one
    domain are held against the others:

        betterthan study calibration runs.csv --size 400
        betterthan study calibration runs.csv --by domain --on news
    """
    from betterthan.design import calibration as run

    further = {**({} if bins is None else {"bins": bins}), **asked_band(band), **asked.options}
    scores = source.read(files, metric, by=by)
    with shared.options() as workers:
        found = run(
            scores,
            by=by,
            on=on,
            metric=metric,
            size=size,
            test_sets=test_sets,
            **further,
            **workers,
        )
    output.emit(found)
