"""``betterthan study``: what gains, p-values and tests are worth on a test set."""

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from betterthan.cli import options as opt

if TYPE_CHECKING:
    import polars as pl

    from betterthan.data import Scores
    from betterthan.render.sheets import Sheet

app = typer.Typer(
    help="Study gains, p-values and tests on a collection of systems.", no_args_is_help=True
)


class Segments(StrEnum):
    """How smaller test sets are taken from the whole."""

    prefix = "prefix"
    subsample = "subsample"


class Null(StrEnum):
    """How null data are made."""

    swap = "swap"
    seeds = "seeds"


class Similarity(StrEnum):
    """How alike two systems are."""

    same = "same"
    different = "different"


Metric = Annotated[
    str | None, typer.Option("--metric", "-m", help="accuracy, f1, mean(COLUMN) ...")
]
Test = Annotated[
    str,
    typer.Option("--test", help="bootstrap (as published), permutation, wilcoxon, sign, t ..."),
]
Labels = Annotated[
    Path | None,
    typer.Option("--groups", help="Table with a line a system: its name, its lab or base model."),
]
Pattern = Annotated[
    str | None,
    typer.Option("--group-by", help="Expression that finds the group in a system's name."),
]
Column = Annotated[
    str | None, typer.Option("--group-column", help="Column of a long table with the group.")
]
Resamples = Annotated[
    int | None, typer.Option("--resamples", help="Random draws, where any are needed.", min=1)
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it into a file (png, svg, pdf).")]


@app.command("gains")
def gains(
    files: opt.Files,
    metric: Metric = None,
    groups: Labels = None,
    group_by: Pattern = None,
    group_column: Column = None,
    test: Test = "bootstrap",
    sizes: Annotated[
        list[int] | None, typer.Option("--size", help="Also on so many items; may be repeated.")
    ] = None,
    segments: Annotated[
        Segments, typer.Option("--segments", help="First items, or random ones.")
    ] = Segments.prefix,
    by: Annotated[
        str | None, typer.Option("--by", help="Within the domains of a column, of equal size.")
    ] = None,
    resamples: Resamples = None,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    plot: Plot = None,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Set gains against confidence over all pairs: find the gain that is usually significant.

    The study of Berg-Kirkpatrick, Burkett & Klein (2012); --size and --by are their section 4.1:

        betterthan study gains runs.csv --groups labs.csv --plot gains.png
        betterthan study gains runs.csv --size 200 --size 800 --size 3200
    """
    from betterthan.cli.output import check_plot, save_plot, say
    from betterthan.design import thresholds, thresholds_by_domain, thresholds_by_size
    from betterthan.errors import UsageError
    from betterthan.readers import read
    from betterthan.render.design import gains_sheet, sizes_sheet

    check_plot(plot)
    scores = read(
        *files,
        input_format=input_format,
        task=task,
        filter=filter,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing.value,
        lower_is_better=lower_is_better,
        metric=metric,
    )
    say(f"Read {scores.source}")
    if sizes and by:
        raise UsageError("--size and --by are two studies: run them one after the other")
    labels = _labels(scores, files, groups, group_by, group_column, system)
    if sizes:
        grown = thresholds_by_size(
            scores, sizes, how=segments.value, metric=metric, groups=labels, test=test,
            resamples=resamples, rng=seed,
        )  # fmt: skip
        studies, sheet = grown.studies, sizes_sheet(grown)
    elif by:
        studies = thresholds_by_domain(
            scores, by, metric=metric, groups=labels, test=test, resamples=resamples, rng=seed
        )
        sheet = gains_sheet(studies)
    else:
        studies = (
            thresholds(
                scores, metric=metric, groups=labels, test=test, resamples=resamples, rng=seed
            ),
        )
        sheet = gains_sheet(studies)
    _finish(sheet, style, output)
    if plot is not None:
        from betterthan.plots.design import gain_confidence

        save_plot(gain_confidence(*studies), plot)


@app.command("calibration")
def calibration(
    files: opt.Files,
    metric: Metric = None,
    size: Annotated[int, typer.Option("--size", help="Items of a drawn test set.")] = 1600,
    test_sets: Annotated[int, typer.Option("--test-sets", help="Test sets drawn.")] = 10,
    by: Annotated[str | None, typer.Option("--by", help="Column of domains.")] = None,
    on: Annotated[
        str | None, typer.Option("--on", help="Domain whose p-values are held against the others.")
    ] = None,
    test: Test = "bootstrap",
    resamples: Resamples = None,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    plot: Plot = None,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Hold p-values against the truth: how often p near .05 names the better system.

    Small test sets are drawn from the whole, which is taken for the population; or p-values on one
    domain are held against the others:

        betterthan study calibration runs.csv --size 400
        betterthan study calibration runs.csv --by domain --on news
    """
    from betterthan.cli.output import check_plot, save_plot, say
    from betterthan.design import calibration as run
    from betterthan.readers import read
    from betterthan.render.design import calibration_sheet

    check_plot(plot)
    scores = read(
        *files,
        input_format=input_format,
        task=task,
        filter=filter,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing.value,
        lower_is_better=lower_is_better,
        metric=metric,
    )
    say(f"Read {scores.source}")
    found = run(
        scores, by=by, on=on, metric=metric, size=size, test_sets=test_sets, test=test,
        resamples=resamples, rng=seed,
    )  # fmt: skip
    _finish(calibration_sheet(found), style, output)
    if plot is not None:
        from betterthan.plots.design import calibration_curve

        save_plot(calibration_curve(found), plot)


@app.command("aa")
def aa(
    files: opt.Files,
    metric: Metric = None,
    baseline: opt.Baseline = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="Second system of the pair.")
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option("--test", help="Test to check; may be repeated.")
    ] = None,
    alternative: opt.Side = opt.Alternative.two_sided,
    alpha: opt.Alpha = 0.05,
    size: Annotated[
        int | None, typer.Option("--size", help="Items of a null test set; all by default.")
    ] = None,
    simulations: Annotated[int, typer.Option("--simulations", help="Null test sets.")] = 1000,
    null: Annotated[
        Null, typer.Option("--null", help="Exchange systems, or compare two seeds of one.")
    ] = Null.swap,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Count a test's false alarms on null data made from your own (an A/A check).

    betterthan study aa runs.csv --test permutation --test t --cluster document
    """
    from betterthan.cli.output import say
    from betterthan.design import aa_check
    from betterthan.readers import read
    from betterthan.render.design import alarms_sheet

    scores = read(
        *files,
        input_format=input_format,
        task=task,
        filter=filter,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing.value,
        lower_is_better=lower_is_better,
        metric=metric,
        baseline=baseline,
        opponents=[candidate] if candidate else None,
    )
    say(f"Read {scores.source}")
    found = [
        aa_check(
            scores, baseline, candidate, metric=metric, test=name, alternative=alternative.value,
            alpha=alpha, size=size, simulations=simulations, null=null.value, rng=seed,
        )
        for name in (test or ["permutation"])
    ]  # fmt: skip
    _finish(alarms_sheet(found), style, output)


@app.command("published")
def published(
    files: Annotated[
        list[str] | None, typer.Argument(help="Your own system's results.", metavar="FILES")
    ] = None,
    score_of: Annotated[
        float | None,
        typer.Option("--published", help="The published score, as printed (points for rates)."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Gain from a study, as printed.")
    ] = None,
    similarity: Annotated[
        Similarity, typer.Option("--similarity", help="How alike the two systems are.")
    ] = Similarity.different,
    metric: Metric = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="Your own system, in a table of several.")
    ] = None,
    items: Annotated[
        int | None, typer.Option("--items", help="Rescale thresholds to so many items.")
    ] = None,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Judge a gain over a score that is only published; without files, list published thresholds.

    betterthan study published --metric bleu --items 1000
    betterthan study published mine.csv --published 71.5 --threshold 2.1
    """
    from betterthan.cli.output import say
    from betterthan.design import against_published, published_thresholds
    from betterthan.errors import UsageError
    from betterthan.readers import read
    from betterthan.render.design import against_sheet, published_sheet

    if not files:
        found = published_thresholds(metric, items=items)
        _finish(published_sheet(found, items), style, output)
        return
    if score_of is None:
        raise UsageError("give the score that was published: --published")
    scores = read(
        *files,
        input_format=input_format,
        task=task,
        filter=filter,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        lower_is_better=lower_is_better,
        metric=metric,
    )
    say(f"Read {scores.source}")
    unit = printed_unit(scores, metric)
    _finish(
        against_sheet(
            against_published(
                scores, score_of / unit, candidate, metric=metric,
                threshold=None if threshold is None else threshold / unit,
                similarity=similarity.value, rng=seed,
            )
        ),
        style,
        output,
    )  # fmt: skip


def printed_unit(scores: "Scores", metric: str | None) -> float:
    """What one in the metric's own unit is printed as: 100 points for rates."""
    import numpy as np

    from betterthan.design.pairtests import chosen_metric

    chosen = chosen_metric(scores, metric)
    binary = chosen.form == "mean" and bool(np.isin(scores.values, (0.0, 1.0)).all())
    return 100.0 if chosen.percent or binary else 1.0


def _finish(sheet: "Sheet", style: opt.Style, output: Path | None) -> None:
    from betterthan.cli.output import emit, style_for
    from betterthan.render.sheets import write

    emit(write(sheet, style_for(style, output)), output, summary=write(sheet, "md"))


def _labels(
    scores: "Scores",
    files: list[str],
    groups: Path | None,
    pattern: str | None,
    column: str | None,
    system: str | None,
) -> dict[str, str] | None:
    """Each system's group: from a table, from its name, or from a column of the results."""
    from betterthan.errors import FormatError, UsageError

    if sum(x is not None for x in (groups, pattern, column)) > 1:
        raise UsageError("give one of --groups, --group-by and --group-column")
    if pattern is not None:
        try:
            finder = re.compile(pattern)
        except re.error as error:
            raise UsageError(f"--group-by {pattern!r} is no regular expression: {error}") from error
        found = {name: finder.search(name) for name in scores.systems}
        lost = [name for name, match in found.items() if match is None]
        if lost:
            raise UsageError(f"--group-by {pattern!r} finds no group in {lost[0]!r}")
        return {name: m.group(m.lastindex or 0) for name, m in found.items() if m is not None}
    if groups is None and column is None:
        return None
    source = str(groups or files[0])
    frame = _frame(source)
    names = frame.columns
    if groups is not None:
        if len(names) != 2:
            raise FormatError(f"{source} has {len(names)} columns: give two, system and group")
        key, value = names
    else:
        key = system or next((n for n in ("system", "model") if n in names), "")
        value = column or ""
        for name in (key, value):
            if name not in names:
                raise UsageError(f"{source} has no column {name or 'system'!r}; it has {names}")
    labels: dict[str, str] = {}
    for name, label in frame.select(key, value).unique(maintain_order=True).rows():
        if labels.setdefault(str(name), str(label)) != str(label):
            raise FormatError(f"{source}: system {name!r} has two groups, {label!r} among them")
    return labels


def _frame(source: str) -> "pl.DataFrame":
    import polars as pl

    suffix = Path(source).suffix.lower()
    if suffix == ".parquet":
        return pl.read_parquet(source)
    if suffix in (".jsonl", ".ndjson"):
        return pl.read_ndjson(source)
    return pl.read_csv(source, separator="\t" if suffix == ".tsv" else ",", infer_schema=False)
