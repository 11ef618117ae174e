"""``betterthan compare``: the second system against the first."""

from functools import partial
from typing import Annotated

import typer

from betterthan.cli import options as opt


def compare(
    files: opt.Files,
    baseline: opt.Baseline = None,
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--systems",
            "--candidate",
            "-s",
            help="Only these against the baseline; may be repeated.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every pair of systems; the earlier is the baseline.")
    ] = False,
    metric: opt.Metrics = None,
    ref: opt.Ref = None,
    docs: opt.Docs = None,
    text: opt.Texts = None,
    unchecked: opt.Unchecked = False,
    by: Annotated[
        str | None, typer.Option("--by", help="Break down by a column (domain, language ...).")
    ] = None,
    test: Annotated[
        str, typer.Option("--test", help="permutation, bootstrap, wilcoxon, sign, mcnemar or t.")
    ] = "permutation",
    method: Annotated[
        str,
        typer.Option(
            "--method", help="Engine of the permutation test, or ideal or sample; auto chooses."
        ),
    ] = "auto",
    resamples: Annotated[
        int | None,
        typer.Option("--resamples", help="Random draws, where p has to be sampled.", min=1),
    ] = None,
    alternative: opt.Side = opt.Alternative.two_sided,
    alpha: opt.Alpha = 0.05,
    correction: Annotated[
        str, typer.Option("--correction", help="holm, max-t, bonferroni, bh, by or none.")
    ] = "holm",
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
    methods: Annotated[
        bool, typer.Option("--methods", help="Add a sentence for the paper's methods section.")
    ] = False,
    style: opt.ReportStyle = None,
    output: opt.Output = None,
) -> None:
    """Compare systems with a baseline, item by item, and say which is better.

    Give one table with a column per system, a long table, or one file per system:

        betterthan compare runs.csv
        betterthan compare base.csv new.csv --metric f1 --cluster document
        betterthan compare runs.csv --all --test bootstrap

    Or logs of an evaluation harness (betterthan formats):

        betterthan compare base.eval new.eval --cluster metadata.topic

    Or raw outputs, and what they should have been:

        betterthan compare --metric bleu --ref ref.txt base.txt new.txt
    """
    from betterthan.cli.hints import next_step
    from betterthan.cli.output import command_line, emit, say, style_for
    from betterthan.cli.progress import progress_bar
    from betterthan.comparison import compare_all, compare_many
    from betterthan.errors import UsageError
    from betterthan.metrics import expand
    from betterthan.readers import read
    from betterthan.readers.outputs import read_outputs
    from betterthan.render.comparisons import as_markdown, render
    from betterthan.render.methods import methods_sentence

    chosen = style_for(style, output, report=True)  # a bad suffix is found before the work is done
    if every and baseline is not None:
        raise UsageError("--all compares every pair of systems: leave out --baseline")
    if ref:
        scores = read_outputs(
            files,
            gold=ref,
            metrics=metric or (),
            input_format=input_format,
            docs=docs,
            cluster=cluster,
            texts=text or (),
            missing=missing.value,
            lower_is_better=lower_is_better,
            unchecked=unchecked,
        )
    else:
        scores = read(
            *files,
            input_format=input_format,
            item=item,
            system=system,
            score=score,
            response=response,
            cluster=cluster,
            missing=missing.value,
            lower_is_better=lower_is_better,
            metric=metric if metric and not any("*" in name for name in metric) else None,
            task=task,
            filter=filter,
            baseline=baseline,
            opponents=systems,
        )
    say(f"Read {scores.source}")
    pairs = compare_all if every else partial(compare_many, baseline=baseline)
    with progress_bar("resampling") as progress:
        found = pairs(
            scores,
            systems=systems or None,
            metrics=expand(metric, scores.columns) if metric else None,
            by=by,
            test=test,  # type: ignore[arg-type]  # checked there, with a message that lists them
            method=method,
            alternative=alternative.value,
            alpha=alpha,
            correction=correction,
            resamples=resamples,
            progress=progress,
            rng=seed,
        )
    if chosen == "html":
        from betterthan.render.html import comparisons_report

        shown = comparisons_report(found, scores, command=command_line())
    else:
        shown = render(found, chosen)
    if methods and chosen in ("table", "md"):
        shown += f"\n\nMethods: {methods_sentence(found)}"
    emit(shown, output, summary=as_markdown(found))
    if chosen == "table" and output is None and not ref:
        say(next_step(found, files, cluster))
