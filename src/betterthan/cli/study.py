"""``betterthan study``: what a collection of systems says about tests, metrics and rankings."""

from typing import Annotated, Any, Literal

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import OUTPUT, Written, expanded
from betterthan.cli.reading import Reading, Tables
from betterthan.cli.screen import busy
from betterthan.cli.values import given, names, numbers, two_numbers
from betterthan.errors import Choice, Remedy, UsageError

app = App(help="gains, calibration, false-alarms, aggregation, published, training.")
READING, TABLES = Reading(), Tables()
Read = Annotated[Reading, opt.GROUP]


@app.command(name="gains")
def gains(
    files: opt.Files,
    /,
    *,
    reading: Read = READING,
    metric: opt.Metric = None,
    by: Annotated[str | None, opt.option("--by@gains")] = None,
    test: opt.StudyTest = None,
    groups: Annotated[str | None, opt.option("--groups")] = None,
    sizes: opt.Sizes = None,
    band: opt.Band = None,
    percentile: Annotated[float | None, opt.option("--percentile")] = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """Which gain is usually significant, over all pairs of systems?

    betterthan study gains runs.csv --groups labs.csv -o gains.pdf
    betterthan study gains runs.csv --sizes 200,800,3200
    """
    from betterthan import design

    options = given(locals(), "metric", "test", "groups", "percentile", "resamples", "seed")
    if limits := two_numbers(band, "--band"):
        options["band"] = limits
    scores = reading.read(files, metric=metric, by=by)
    result: Any
    with busy("testing all pairs"):
        if by:
            result = design.thresholds_by_domain(
                scores, by, sizes=numbers(sizes, "--sizes"), **options
            )
        elif sizes:
            result = design.thresholds_by_size(scores, numbers(sizes, "--sizes"), **options)
        else:
            result = design.thresholds(scores, **options)
    output.emit(result)


@app.command(name="calibration")
def calibration(
    files: opt.Files,
    /,
    *,
    reading: Read = READING,
    metric: opt.Metric = None,
    by: Annotated[str | None, opt.option("--by@calibration")] = None,
    test: opt.StudyTest = None,
    band: opt.Band = None,
    sizes: Annotated[opt.Several, opt.option("--sizes@calibration")] = None,
    test_sets: Annotated[int | None, opt.option("--test-sets")] = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """How often is the system that looks better truly better, by its p-value?

    betterthan study calibration runs.csv --sizes 400
    betterthan study calibration runs.csv --by domain=news
    """
    from betterthan import design

    options = given(locals(), "metric", "by", "test", "test_sets", "resamples", "seed")
    further = {"sizes": numbers(sizes, "--sizes"), "band": two_numbers(band, "--band")}
    scores = reading.read(files, metric=metric, by=by and by.partition("=")[0])
    with busy("testing all pairs"):
        result = design.calibration(scores, **options, **given(further, *further))
    output.emit(result)


@app.command(name="false-alarms")
def false_alarms(
    files: opt.Files,
    /,
    *,
    reading: Read = READING,
    metric: opt.Metric = None,
    alpha: opt.Alpha = None,
    test: Annotated[opt.Several, opt.option("--test@repeated")] = None,
    sizes: opt.Sizes = None,
    null: Annotated[Literal["swap", "seeds"] | None, opt.option("--null")] = None,
    simulations: Annotated[int | None, opt.option("--simulations")] = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """How often does a test raise a false alarm on data like yours?

    betterthan study false-alarms runs.csv --test permutation --test t --cluster document
    """
    from betterthan import design

    asked = ("metric", "alpha", "null", "simulations", "resamples", "seed")
    further = {"test": names(test), "sizes": numbers(sizes, "--sizes")}
    options = given(locals(), *asked) | given(further, *further)
    scores = reading.read(files, metric=metric)
    with busy("simulating"):
        result = design.aa_check(scores, *reading.pair, **options)
    output.emit(result)


@app.command(name="aggregation")
def aggregation(
    files: opt.Files,
    /,
    *,
    reading: Read = READING,
    metric: opt.Metrics = None,
    by: Annotated[str | None, opt.option("--by@aggregation")] = None,
    method: Annotated[opt.Several, opt.option("--method@aggregation")] = None,
    sizes: opt.Sizes = None,
    each: Annotated[bool, opt.option("--each")] = False,
    repeats: Annotated[int | None, opt.option("--repeats@aggregation")] = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """How often do mean, median and Bradley-Terry order systems differently?

    betterthan study aggregation wmt17.csv wmt18.csv --each --sizes 10,50,100,500
    """
    from betterthan.ranking import study_disagreement

    metrics = names(metric)
    further = {"method": names(method), "metric": metrics, "sizes": numbers(sizes, "--sizes")}
    options = given(locals(), "repeats", "seed") | given(further, *further)
    setups: dict[str, Any] = {}
    for group in [[name] for name in files] if each else [files]:
        scores = reading.read(group, metric=metrics, by=by)
        title = group[0] if each else "all"
        parts = [] if by is None else [(f"{title} {part}", rows) for part, rows in scores.parts(by)]
        setups |= dict(parts) if parts else {title: scores}
    with busy("ranking"):
        result = study_disagreement(setups, **options)
    output.emit(result)


@app.command(name="published")
def published(
    files: Annotated[
        list[str] | None, opt.positional("FILES", "Your results; without, known thresholds.")
    ] = None,
    /,
    *,
    reading: Annotated[Tables, opt.GROUP] = TABLES,
    metric: opt.Metric = None,
    score: Annotated[float | None, opt.option("--published")] = None,
    threshold: Annotated[float | None, opt.option("--threshold")] = None,
    similarity: Annotated[Literal["same", "different"] | None, opt.option("--similarity")] = None,
    items: Annotated[int | None, opt.option("--items@published")] = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """Is a gain over a score that is only published real? Without files: known thresholds.

    betterthan study published --metric bleu --items 1000
    betterthan study published mine.csv --published 71.5 --threshold 2.1
    """
    from betterthan import design
    from betterthan.results.number_format import scale

    options = given(locals(), "metric", "similarity", "seed")
    if not files:
        output.emit(design.published_thresholds(metric, items=items))
        return
    if score is None:
        known = Remedy("the score in the paper, as printed", "published", Choice("X"))
        raise UsageError("there is no score to compare with", known)
    scores = reading.read(files, metric=metric)
    unit = scale(scores.is_rate(scores.measured(metric)))
    if threshold is not None:
        options["threshold"] = threshold / unit
    *_, candidate = [None, *(names(reading.systems) or [])]
    output.emit(design.against_published(scores, score / unit, candidate, **options))


@app.command(name="training")
def training(
    files: Annotated[
        list[str], opt.positional("FILES", "Training data; parallel files are drawn together.")
    ],
    /,
    *,
    sizes: Annotated[opt.Several, opt.option("--sizes@training")] = None,
    copies: Annotated[opt.Several, opt.option("--copies")] = None,
    unit: Annotated[Literal["line", "block", "tree"] | None, opt.option("--unit")] = None,
    seed: opt.Seed = None,
    output: Annotated[str | None, opt.option("--output@folder")] = None,
) -> None:
    """Draw training sets anew, for many systems from one trainer.

    betterthan study training train.conllu --copies 10 -o sets
    """
    from betterthan import design
    from betterthan.results.escaping import inert

    if output is None:
        raise UsageError("sets need a new folder", Remedy("to write into", "output", Choice("DIR")))
    many = numbers(copies, "--copies")
    further = {
        "unit": unit,
        "sizes": numbers(sizes, "--sizes"),
        "copies": many[0] if many and len(many) == 1 else many,
    }
    options = given(locals(), "seed") | given(further, *further)
    made = design.write_training_sets(files, expanded(output), **options)
    where = inert(str(made.folder))
    print(f"Wrote {len(made.sets)} training sets to {where}, from {made.examples:,} {made.unit}")
