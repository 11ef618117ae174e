"""``betterthan compare``: the second system against the first."""

from typing import Annotated

import typer

from betterthan.cli import options as opt


def compare(
    files: opt.Files,
    baseline: opt.Baseline = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--systems", "-s", help="Only these against the baseline; may be repeated."),
    ] = None,
    metric: opt.Metrics = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Break down by a column (domain, language ...).")
    ] = None,
    test: Annotated[
        str, typer.Option("--test", help="permutation, wilcoxon, sign, mcnemar or t.")
    ] = "permutation",
    method: Annotated[
        str, typer.Option("--method", help="Engine of the permutation test; auto chooses.")
    ] = "auto",
    alternative: opt.Side = opt.Alternative.two_sided,
    alpha: opt.Alpha = 0.05,
    correction: opt.Corrected = opt.Correction.holm,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    seed: opt.Seed = 0,
    methods: Annotated[
        bool, typer.Option("--methods", help="Add a sentence for the paper's methods section.")
    ] = False,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Compare systems with a baseline, item by item, and say which is better.

    Give one table with a column per system, a long table, or one file per system:

        betterthan compare runs.csv
        betterthan compare base.csv new.csv --metric f1 --cluster document
    """
    from betterthan.cli.output import emit, say, style_for
    from betterthan.comparison import compare_many
    from betterthan.readers import read
    from betterthan.render.comparisons import as_markdown, render
    from betterthan.render.methods import methods_sentence

    chosen = style_for(style, output)  # a bad suffix is found before the work is done
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
        metric=metric[0] if metric else None,
    )
    say(f"Read {scores.source}")
    found = compare_many(
        scores,
        baseline,
        systems=systems or None,
        metrics=metric or None,
        by=by,
        test=test,  # type: ignore[arg-type]  # checked there, with a message that lists the tests
        method=method,
        alternative=alternative.value,
        alpha=alpha,
        correction=correction.value,
        rng=seed,
    )
    text = render(found, chosen)
    if methods and chosen in ("table", "md"):
        text += f"\n\nMethods: {methods_sentence(found)}"
    emit(text, output, summary=as_markdown(found))
