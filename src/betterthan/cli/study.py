"""``betterthan study``: what a collection of systems says about tests, metrics and rankings."""

from typing import Any

from betterthan.cli.command import Options, asked, command
from betterthan.cli.output import Output, expanded
from betterthan.cli.reading import pair_of, read
from betterthan.cli.screen import busy
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.results.escaping import inert


@command(
    "FILES... reading metric@one by@gains test@study groups sizes band percentile resamples seed "
    "printed"
)
def gains(options: Options) -> None:
    """Which gain is usually significant, over all pairs of systems?

    betterthan study gains runs.csv --groups labs.csv -o gains.pdf
    betterthan study gains runs.csv --sizes 200,800,3200
    """
    from betterthan import design

    output, scores = Output(options), read(options)
    question, sizes = asked(options, "by", "sizes"), options.get("sizes")
    result: Any
    with busy("testing all pairs"):
        if "by" in options:
            result = design.thresholds_by_domain(scores, options["by"], sizes=sizes, **question)
        elif sizes:
            result = design.thresholds_by_size(scores, sizes, **question)
        else:
            result = design.thresholds(scores, **question)
    output.emit(result)


@command(
    "FILES... reading metric@one by@calibration test@study band sizes@calibration test-sets "
    "resamples seed printed"
)
def calibration(options: Options) -> None:
    """How often is the system that looks better truly better, by its p-value?

    betterthan study calibration runs.csv --sizes 400
    betterthan study calibration runs.csv --by domain=news
    """
    from betterthan import design

    output = Output(options)
    by = {"by": options["by"].partition("=")[0]} if "by" in options else {}
    scores = read({**options, **by})
    with busy("testing all pairs"):
        result = design.calibration(scores, **asked(options))
    output.emit(result)


@command(
    "FILES... reading metric@one alpha test@repeated sizes null simulations resamples seed printed"
)
def false_alarms(options: Options) -> None:
    """How often does a test raise a false alarm on data like yours?

    betterthan study false-alarms runs.csv --test permutation --test t --cluster document
    """
    from betterthan import design

    output, scores = Output(options), read(options)
    with busy("simulating"):
        result = design.aa_check(scores, *pair_of(options), **asked(options))
    output.emit(result)


@command(
    "FILES... reading metric by@aggregation method@aggregation sizes each repeats@aggregation "
    "seed printed"
)
def aggregation(options: Options) -> None:
    """How often do mean, median and Bradley-Terry order systems differently?

    betterthan study aggregation wmt17.csv wmt18.csv --each --sizes 10,50,100,500
    """
    from betterthan.ranking import study_disagreement

    output, files, each = Output(options), options["files"], "each" in options
    setups: dict[str, Any] = {}
    for group in [[name] for name in files] if each else [files]:
        scores = read({**options, "files": group})
        title = group[0] if each else "all"
        parts = scores.parts(options["by"]) if "by" in options else []
        setups |= {f"{title} {part}": rows for part, rows in parts} or {title: scores}
    with busy("ranking"):
        result = study_disagreement(setups, **asked(options, "by", "each"))
    output.emit(result)


@command(
    "[FILES@published]... roles systems metric@one published threshold similarity "
    "items@published seed printed"
)
def published(options: Options) -> None:
    """Is a gain over a score that is only published real? Without files: known thresholds.

    betterthan study published --metric bleu --items 1000
    betterthan study published mine.csv --published 71.5 --threshold 2.1
    """
    from betterthan import design
    from betterthan.results.number_format import scale

    output, metric = Output(options), options.get("metric")
    if "files" not in options:
        output.emit(design.published_thresholds(metric, items=options.get("items")))
        return
    if "published" not in options:
        known = Remedy("the score in the paper, as printed", "published", Choice("X"))
        raise UsageError("there is no score to compare with", known)
    scores = read(options)
    unit = scale(scores.is_rate(scores.measured(metric)))
    question = asked(options, "published", "items")
    if "threshold" in question:
        question["threshold"] /= unit
    candidate = options["systems"][-1] if "systems" in options else None
    level = options["published"] / unit
    output.emit(design.against_published(scores, level, candidate, **question))


@command("FILES@training... sizes@training copies unit seed output@folder")
def training(options: Options) -> None:
    """Draw training sets anew, for many systems from one trainer.

    betterthan study training train.conllu --copies 10 -o sets
    """
    from betterthan import design

    if "output" not in options:
        raise UsageError("sets need a new folder", Remedy("to write into", "output", Choice("DIR")))
    question = asked(options)
    if len(question.get("copies", ())) == 1:
        (question["copies"],) = question["copies"]
    sets = design.write_training_sets(options["files"], expanded(options["output"]), **question)
    where = inert(str(sets.folder))
    print(f"Wrote {len(sets.sets)} training sets to {where}, from {sets.examples:,} {sets.unit}")
