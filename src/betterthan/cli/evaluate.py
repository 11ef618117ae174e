"""``betterthan compare``, ``rank``, ``score`` and ``gate``: the questions of every evaluation."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from betterthan.cli.command import Options, asked, command
from betterthan.cli.defaults import CONFIG
from betterthan.cli.output import Output, command_line, expanded
from betterthan.cli.reading import held, pair_of, read, texts_of
from betterthan.cli.screen import busy, say
from betterthan.errors import PAIRWISE, MissingScoresError, UsageError
from betterthan.results.atomic_write import encode, write_whole
from betterthan.results.protocol import FRAMES, PICTURES, STYLES

_PER_ITEM = (".parquet", ".csv", ".tsv", ".jsonl")


@command(
    "FILES... reading baseline candidate metric lower-is-better by all test alternative alpha "
    "correction resamples seed explained"
)
def compare(options: Options) -> None:
    """Is each system better than the baseline?

    betterthan compare runs.csv
    betterthan compare base.csv new.csv --metric f1 --cluster document
    betterthan compare --metric bleu --ref ref.txt base.txt new.txt
    """
    import betterthan as bt

    output = Output(options)
    if "all" in options and "baseline" in options:
        raise UsageError("every pair of systems has no baseline: leave out --all or --baseline")
    kept = {**options, "files": held(options["files"])}
    scores = read(kept, counted="items" not in output.shown)
    baseline, _ = pair_of(options)
    run = bt.compare_all if "all" in options else partial(bt.compare_many, baseline=baseline)
    with busy("testing") as progress:
        result = run(scores, progress=progress, **asked(options, "all"))
    if most := output.shown.get("items"):
        result = replace(result, items=most, texts_of=partial(texts_of, kept))
    output.emit(result)
    again = kept["files"] is options["files"]  # a pipe cannot be read again
    if again and not options.keys() & {"output", "format"}:
        say(f"Next: {command_line()} -o report.html", wrapped=False)


@command(
    "FILES... tables cluster ref missing@rank input-format metric@one lower-is-better by method "
    "test@rank alpha correction resamples seed printed"
)
def rank(options: Options) -> None:
    """Which system leads, and which ranks are certain?

    betterthan rank runs.csv
    betterthan rank battles.jsonl --method elo
    """
    import betterthan as bt

    output = Output(options)
    try:
        data = read(options, judged=True, counted=True)
    except MissingScoresError as error:
        raise error.with_remedies(PAIRWISE) from error
    with busy("ranking"):
        board = bt.rank(data, **asked(options))
    output.emit(board)


@command(
    "FILES... reading metric lower-is-better by@score bounds per-item alpha resamples seed "
    "explained"
)
def score(options: Options) -> None:
    """What does each system score, with an interval? One is enough.

    betterthan score run.csv
    betterthan score ratings.csv --bounds 1,5
    betterthan score --metric bleu --ref ref.txt system.txt --per-item counts.parquet
    """
    import betterthan as bt

    output = Output(options)
    kept = expanded(options["per_item"]) if "per_item" in options else None
    if kept is not None and kept.suffix.lower() not in _PER_ITEM:
        raise UsageError(f"{kept.name!r} must end in one of {', '.join(_PER_ITEM)}")
    scores = read(options)
    with busy("scoring"):
        result = bt.score(scores, **asked(options, "per_item"))
    output.emit(result)
    if kept is not None:
        write_whole(kept, encode(scores.to_polars(), kept.suffix.lower()))
        say(f"Wrote {kept}")


@command(
    "FILES... reading pairs metric lower-is-better by@gate margin bounds plan alpha resamples seed "
    "output@gate format"
)
def gate(options: Options) -> int:
    """May this release go out? Exit 0: pass, 1: regression, 3: can't tell.

    betterthan gate base.jsonl new.jsonl --margin 2
    betterthan gate runs.csv --systems base,new --plan rules.toml -o results.xml
    """
    import betterthan as bt

    output = Output(options, (*STYLES, *FRAMES, *PICTURES))
    named = options.get("plan", CONFIG.get())
    rules = bt.Plan.here() if named is None else bt.Plan.read(named)
    sampling = {name: options[name] for name in ("rng", "resamples") if name in options}
    if rules is None:
        rules = bt.Plan.of(**{"margin": None, **asked(options, *sampling)})
    else:
        fixed = ("cluster", "missing", "lower_is_better", "baseline")
        typed = {name: options[name] for name in fixed if name in options}
        rules.check_options(**asked(options, "plan", *sampling), **typed)
        say(f"Plan: {rules.hash}")
    metrics = [check.metric for check in rules.checks if check.metric is not None]
    typed = {**options, "metric": metrics, "by": rules.by}
    scores = read(typed, counted=True, fixed=rules.reading)
    with busy("testing"):
        result = rules.gate(scores, *pair_of(options), **sampling)
    output.emit(result)
    if output.targets:
        say(f"{result.ruling} (exit {result.exit_code})")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8") as page:
                page.write(f"{output.text(result, 'md')}\n\n")
        except OSError as error:  # the ruling stands without it
            say(f"! no job summary: {summary} cannot be written ({error.strerror})")
    return result.exit_code
