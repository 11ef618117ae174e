"""``betterthan responses`` and ``betterthan simulate``: items with several responses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from betterthan.cli import options as opt

app = typer.Typer(
    help="Compare systems by raters' or seeds' responses; study which test to trust.",
    no_args_is_help=True,
)


class Test(StrEnum):
    """What is tested, and how."""

    calibrated = "calibrated"
    published = "published"
    sharp = "sharp"


class Law(StrEnum):
    """How simulated responses are distributed."""

    normal = "normal"
    likert = "likert"
    beta = "beta"
    categorical = "categorical"


Resamples = Annotated[
    int | None, typer.Option("--resamples", help="Random draws, where any are needed.", min=1)
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it into a file (png, svg, pdf).")]


@app.command("compare")
def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Gold, baseline and candidate; or one long table of all three.", metavar="FILES"
        ),
    ],
    gold: Annotated[
        str | None, typer.Option("--gold", help="System with the gold responses, in a long table.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", "-b", help="Baseline, in a long table.")
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="Candidate, in a long table.")
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="mae, mse, wins, cosine, emd_mean, spearman ...")
    ] = "mae",
    test: Annotated[
        Test,
        typer.Option(
            "--test",
            help="calibrated: equally good over items? published: overlap of Wein et al. (2023). "
            "sharp: the same on every item?",
        ),
    ] = Test.calibrated,
    sampling: Annotated[
        str | None,
        typer.Option("--sampling", help="Strategy of the published test: bootstrap_items/all ..."),
    ] = None,
    alternative: opt.Side = opt.Alternative.two_sided,
    alpha: opt.Alpha = 0.05,
    resamples: Resamples = None,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    seed: opt.Seed = 0,
    plot: Plot = None,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Say whether the candidate agrees with the gold responses better than the baseline.

    Raters and seeds may be rows (item, rater, score) or columns (item, rater1, rater2 ...):

        betterthan responses compare gold.csv old.csv new.csv
        betterthan responses compare ratings.csv --gold human --metric wins
    """
    from betterthan.cli.output import check_plot, emit, save_plot, say, style_for
    from betterthan.errors import UsageError
    from betterthan.render.responses import render_test
    from betterthan.responses import p_value, read_trio

    chosen = style_for(style, output)  # a bad suffix is found before the work is done
    check_plot(plot)
    if plot is not None and test is not Test.published and sampling is None:
        raise UsageError(
            "--plot draws the null and the alternative law of the published test: add "
            "--test published"
        )
    data, names = read_trio(
        *files,
        gold=gold,
        baseline=baseline,
        candidate=candidate,
        item=item,
        system=system,
        score=score,
        response=response,
        input_format=input_format,
    )
    counts = ", ".join(
        f"{name} {source.counts.mean():.3g}"
        for name, source in zip(("gold", *names), data, strict=True)
    )
    say(f"Read {data.n:,} items; responses an item: {counts}")
    found = p_value(
        *data,
        metric,
        test=test.value,
        sampling=sampling,
        alternative=alternative.value,
        resamples=resamples,
        rng=seed,
    )
    emit(render_test(found, names, chosen, alpha), output, render_test(found, names, "md", alpha))
    if plot is not None:
        from betterthan.plots.responses import null_and_alternative

        save_plot(null_and_alternative(found), plot)


@app.command("study")
def study(
    gold: Annotated[
        str | None,
        typer.Argument(help="Your gold responses, scaled to [0, 1]; the paper's law without."),
    ] = None,
    eps: Annotated[
        list[float] | None, typer.Option("--eps", help="Perturbation of the baseline; repeatable.")
    ] = None,
    items: Annotated[int, typer.Option("--items", help="Items of a test set.", min=1)] = 1000,
    responses: Annotated[int, typer.Option("--responses", help="To each item.", min=1)] = 5,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Metrics; the paper's by default.")
    ] = None,
    sampling: Annotated[
        list[str] | None, typer.Option("--sampling", help="Strategies; the paper's by default.")
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Draws of a law.", min=1)] = 1000,
    repeats: Annotated[
        int, typer.Option("--repeats", help="Reference test sets at every eps.", min=1)
    ] = 1,
    workers: Annotated[int, typer.Option("--workers", help="Threads.", min=1)] = 2,
    item: opt.Item = None,
    score: opt.Score = None,
    response: opt.Response = None,
    seed: opt.Seed = 0,
    plot: Plot = None,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Hold estimated against true p: which metric and sampling to trust, where to spend responses.

    The study of Wein et al. (2023), on their law or on one fitted to your gold responses:

        betterthan responses study --eps 0 --eps 0.1
        betterthan responses study gold.csv --repeats 10
    """
    from betterthan.cli.output import check_plot, emit, save_plot, say, style_for
    from betterthan.render.responses import render_study
    from betterthan.responses import SAMPLINGS
    from betterthan.responses import study as run
    from betterthan.responses.reading import read_source
    from betterthan.responses.study import EPS, METRICS

    chosen = style_for(style, output)
    check_plot(plot)
    own = None
    if gold is not None:
        own = read_source(gold, item=item, score=score, response=response)
        say(f"Read {own.n:,} items with {own.counts.mean():.3g} responses each")
    found = run(
        own,
        eps=eps or EPS,
        items=items,
        responses=responses,
        metrics=metric or METRICS,
        samplings=sampling or SAMPLINGS,
        resamples=resamples,
        repeats=repeats,
        workers=workers,
        rng=seed,
    )
    emit(render_study(found, chosen), output, render_study(found, "md"))
    if plot is not None:
        from betterthan.plots.responses import p_errors

        save_plot(p_errors(found), plot)


def simulate(
    items: Annotated[int, typer.Option("--items", help="Number of items.", min=1)] = 1000,
    responses: Annotated[int, typer.Option("--responses", help="To each item.", min=1)] = 5,
    eps_a: Annotated[float, typer.Option("--eps-a", help="Perturbation of the baseline.")] = 0.1,
    eps_b: Annotated[float, typer.Option("--eps-b", help="Perturbation of the candidate.")] = 0.0,
    sd: Annotated[
        float, typer.Option("--sd", help="Items' standard deviations are U[0, sd].")
    ] = 0.3,
    law: Annotated[Law, typer.Option("--law", help="Distribution of responses.")] = Law.normal,
    seed: opt.Seed = 0,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Simulate gold responses and two systems', as one long table (Wein et al. 2023, Alg. 3).

    The table can be read again:

        betterthan simulate --items 200 --eps-a 0.2 -o made.csv
        betterthan responses compare made.csv
    """
    from betterthan import responses as library
    from betterthan.cli.output import emit, style_for
    from betterthan.render.responses import render_simulation

    chosen = "csv" if style is None and output is None else style_for(style, output)
    laws: dict[Law, library.ResponseLaw] = {
        Law.normal: library.Normal(),
        Law.likert: library.Likert(),
        Law.beta: library.BetaResponses(),
        Law.categorical: library.Categorical(),
    }
    made = library.simulate(items, responses, eps_a, eps_b, sd, response=laws[law], rng=seed)
    emit(render_simulation(made, chosen), output)
