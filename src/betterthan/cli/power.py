"""``betterthan power``: how many items, repeats and raters, and what they will detect."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from betterthan.cli import options as opt

if TYPE_CHECKING:
    from betterthan.data import Scores
    from betterthan.design.assumptions import Assumption


def power(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="A pilot: results of two systems like those to come.", metavar="FILES"),
    ] = None,
    items: Annotated[
        list[int] | None,
        typer.Option("--items", "-n", help="Size of the test set; may be repeated."),
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option("--effect", "--mde", help="Effect to detect, as printed: points for rates."),
    ] = None,
    wanted: Annotated[
        float | None, typer.Option("--power", help="Chance of a verdict; 0.8.")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option("--accuracy", help="Assumed accuracy of the baseline, 0 to 1.")
    ] = None,
    agreement: Annotated[
        float | None,
        typer.Option("--agreement", help="Share of items both get right or both wrong, 0 to 1."),
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option("--sd", help="Standard deviation of items' differences, between items."),
    ] = None,
    sd_repeats: Annotated[
        float, typer.Option("--sd-repeats", help="Of one repeat's difference around its item's.")
    ] = 0.0,
    sd_raters: Annotated[
        float, typer.Option("--sd-raters", help="Of one rating's difference around its repeat's.")
    ] = 0.0,
    repeats: Annotated[
        int | None, typer.Option("--repeats", help="Responses of each system to an item.")
    ] = None,
    raters: Annotated[int, typer.Option("--raters", help="Raters of each response.")] = 1,
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="Ratings to spend: compare items with repeats and raters."),
    ] = None,
    item_cost: Annotated[
        float, typer.Option("--item-cost", help="Of a new item, in ratings (with --budget).")
    ] = 0.0,
    cluster_size: Annotated[
        int, typer.Option("--cluster-size", help="Items that belong together.")
    ] = 1,
    icc: Annotated[
        float, typer.Option("--icc", help="Correlation of differences within a cluster.")
    ] = 0.0,
    comparisons: Annotated[int, typer.Option("--comparisons", help="Tests that share alpha.")] = 1,
    alternative: opt.Side = opt.Alternative.two_sided,
    alpha: opt.Alpha = 0.05,
    baseline: opt.Baseline = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="Second system of the pilot.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="accuracy, f1, mean(COLUMN) ...")
    ] = None,
    simulations: Annotated[
        int, typer.Option("--simulations", help="Test sets, where power is simulated.")
    ] = 500,
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
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw power against items (png, svg, pdf).")
    ] = None,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Plan a test set: give two of items, effect and power, get the third.

    From assumed rates, from an assumed spread, or from a pilot (whose spread is used, never its
    effect). Accuracies are between 0 and 1, effects as printed (2 means two points of a rate):

        betterthan power --accuracy 0.7 --agreement 0.85 --effect 2
        betterthan power --sd 17 --items 2000 --effect 1
        betterthan power pilot.csv --mde 2
    """
    from betterthan.cli.output import check_plot, emit, save_plot, say, style_for
    from betterthan.design.pilot import Pilot
    from betterthan.design.power import power as plan
    from betterthan.errors import UsageError
    from betterthan.render.design import power_sheet
    from betterthan.render.sheets import write

    chosen = style_for(style, output)
    check_plot(plot)
    scores: Scores | None = None
    if files:
        from betterthan.readers import read

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
    assumed = [x for x in (accuracy, agreement, sd) if x is not None]
    if bool(scores) == bool(assumed) or (sd is not None and len(assumed) > 1):
        raise UsageError(
            "give a pilot (FILES), or assumed rates (--accuracy, --agreement), or an assumed "
            "spread (--sd): one of the three"
        )
    given = _assumption(
        scores,
        (accuracy, agreement),
        (sd or 0.0, sd_repeats, sd_raters),
        (repeats, raters),
        (cluster_size, icc),
        (baseline, candidate, metric, simulations),
    )
    if budget is not None:
        _spend(
            given,
            budget,
            effect,
            item_cost,
            raters,
            comparisons,
            alpha,
            alternative,
            output,
            chosen,
        )
        return
    if isinstance(given, Pilot) and len(scores.systems if scores else ()) > 2 and not candidate:
        say(f"Pilot: {given.system} against {given.baseline} (others by --baseline, --candidate)")
    delta = None if effect is None else effect / (100.0 if given.percent else 1.0)
    if delta is None and not items and scores is not None:
        items = [scores.n]
    if delta is None or not items:
        wanted = 0.8 if wanted is None else wanted
    sizes: list[int | None] = [*items] if items else [None]
    made = [
        plan(
            given,
            n,
            delta,
            wanted,
            alpha=alpha,
            comparisons=comparisons,
            alternative=alternative.value,
            rng=seed,
        )
        for n in sizes
    ]
    sheet = power_sheet(made)
    emit(write(sheet, chosen), output, summary=write(sheet, "md"))
    if plot is not None:
        from betterthan.plots.design import power_curves

        shown = made[0]
        axes = power_curves(
            given,
            [abs(shown.effect)],
            alpha=alpha,
            comparisons=comparisons,
            alternative=alternative.value,
            items=shown.items,
        )
        save_plot(axes, plot)


def _assumption(
    scores: "Scores | None",
    rates: tuple[float | None, float | None],
    spreads: tuple[float, float, float],
    responses: tuple[int | None, int],
    clusters: tuple[int, float],
    pilot: tuple[str | None, str | None, str | None, int],
) -> "Assumption":
    """What is assumed, from whichever options were given."""
    from dataclasses import replace

    from betterthan.design import Pilot, Rates, Spread, variance_components

    repeats, raters = responses
    size, icc = clusters
    first, second, metric, simulations = pilot
    if scores is not None:
        if repeats is None:
            return Pilot(scores, first, second, metric=metric, simulations=simulations)
        spread = variance_components(scores, first, second)
        return replace(spread, repeats=repeats, raters=raters, cluster_size=size, icc=icc)
    if any(rate is not None for rate in rates):
        return Rates(*rates, cluster_size=size, icc=icc)
    return Spread(*spreads, repeats=repeats or 1, raters=raters, cluster_size=size, icc=icc)


def _spend(
    given: "Assumption",
    budget: float,
    effect: float | None,
    item_cost: float,
    raters: int,
    comparisons: int,
    alpha: float,
    alternative: opt.Alternative,
    output: Path | None,
    style: str,
) -> None:
    from betterthan.cli.output import emit
    from betterthan.design import Spread, allocations
    from betterthan.errors import UsageError
    from betterthan.render.design import allocation_sheet
    from betterthan.render.sheets import write

    if not isinstance(given, Spread) or effect is None:
        raise UsageError(
            "--budget trades items for repeats: give --effect and a spread (--sd, --sd-repeats), "
            "or a pilot with several responses an item and --repeats 1"
        )
    made = allocations(
        given,
        budget,
        effect=effect,
        raters=tuple(dict.fromkeys((1, raters))),
        item_cost=item_cost,
        alpha=alpha,
        comparisons=comparisons,
        alternative=alternative.value,
    )
    signature = (
        f"betterthan:allocations|budget:{budget:g}|sd:{given.sd:.4g}|repeats:{given.sd_repeats:.4g}"
        f"|raters:{given.sd_raters:.4g}|d:{effect:g}|a:{alpha:g}|k:{comparisons}"
    )
    sheet = allocation_sheet(made, signature)
    emit(write(sheet, style), output, summary=write(sheet, "md"))
