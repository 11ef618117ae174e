"""``betterthan rank``: a leaderboard that says what of its order is certain."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from betterthan.cli import options as opt


class Method(StrEnum):
    """What systems are sorted by."""

    bradley_terry = "bradley-terry"
    mean = "mean"
    median = "median"
    elo = "elo"
    trueskill = "trueskill"


class Ties(StrEnum):
    """How Bradley-Terry treats ties."""

    davidson = "davidson"
    rao_kupper = "rao-kupper"
    half_win = "half-win"
    drop = "drop"


class Separation(StrEnum):
    """What to do when a system won or lost everything."""

    ghost = "ghost"
    firth = "firth"
    error = "error"


class Interval(StrEnum):
    """How Bradley-Terry intervals are made."""

    resample = "resample"
    sandwich = "sandwich"


class Missing(StrEnum):
    """What to do about items that a system has no score for."""

    error = "error"
    drop = "drop"
    worst = "worst"
    pairwise = "pairwise"


class Test(StrEnum):
    """Who beats whom."""

    permutation = "permutation"
    t = "t"
    mood = "mood"
    sign = "sign"
    wilcoxon = "wilcoxon"
    model = "model"


class Plot(StrEnum):
    """What may be drawn of a leaderboard."""

    leaderboard = "leaderboard"
    ranks = "ranks"
    tiers = "tiers"
    matrix = "matrix"
    critical = "critical"


def rank(
    files: opt.Files,
    method: Annotated[
        Method, typer.Option("--method", help="What systems are sorted by.")
    ] = Method.bradley_terry,
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="accuracy, f1, mean(COLUMN) ...")
    ] = None,
    ties: Annotated[
        Ties, typer.Option("--ties", help="How Bradley-Terry treats ties.")
    ] = Ties.davidson,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Column of tasks, which then weigh the same.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Also a board for each value of a column.")
    ] = None,
    interval: Annotated[
        Interval, typer.Option("--interval", help="Bradley-Terry: refits, or robust formula.")
    ] = Interval.resample,
    test: Annotated[
        Test | None, typer.Option("--test", help="Who beats whom; the method's own by default.")
    ] = None,
    correction: opt.Corrected = opt.Correction.holm,
    alpha: opt.Alpha = 0.05,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Of intervals and rank sets.")
    ] = 0.95,
    resamples: Annotated[
        int | None, typer.Option("--resamples", help="Resampled test sets; 1000.", min=2)
    ] = None,
    separation: Annotated[
        Separation, typer.Option("--separation", help="When a system won or lost everything.")
    ] = Separation.ghost,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: Annotated[
        Missing, typer.Option("--missing", help="Items that a system has no score for.")
    ] = Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw it into a file (png, svg, pdf).")
    ] = None,
    draw: Annotated[Plot, typer.Option("--draw", help="What --plot draws.")] = Plot.leaderboard,
    style: opt.ReportStyle = None,
    output: opt.Output = None,
) -> None:
    """Rank systems: ratings with intervals, ranks they may have, tiers, who beats whom.

    Items are resampled, never single comparisons; clusters of items where --cluster names them:

        betterthan rank runs.csv
        betterthan rank runs/*.jsonl --method mean --format latex
    """
    from betterthan.cli.output import check_plot, command_line, emit, save_plot, say, style_for
    from betterthan.data import Scores
    from betterthan.errors import UsageError
    from betterthan.ranking import leaderboard
    from betterthan.readers.judged import read_any
    from betterthan.render.leaderboards import as_markdown, render

    chosen = style_for(style, output, report=True)  # a bad suffix is found before the work is done
    check_plot(plot)
    if by is not None and chosen not in ("table", "md"):
        raise UsageError("--by writes a board for each part: choose --format table or md")
    scores = read_any(
        *files,
        input_format=input_format,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing.value,
        lower_is_better=lower_is_better,
        metric=metric,
        task=task,
        filter=filter,
    )
    say(f"Read {scores.source}")
    make = partial(
        leaderboard,
        method=method.value,
        metric=metric,
        ties=ties.value,
        interval=interval.value,
        test=None if test is None else test.value,
        correction=correction.value,
        alpha=alpha,
        confidence=confidence,
        resamples=resamples,
        separation=separation.value,
        rng=seed,
    )
    board = make(scores, tasks=tasks)
    if chosen == "html":
        from betterthan.render.html import leaderboard_report

        items = scores if isinstance(scores, Scores) else None
        shown = leaderboard_report(board, items, command=command_line())
    else:
        shown = render(board, chosen)
    if by is not None:
        if not isinstance(scores, Scores):
            raise UsageError("--by breaks down scores of items; judgments have none")
        boards = ((f"{by}={label}", make(part)) for label, part in scores.parts(by))
        heading = "\n\n### {}\n\n{}" if chosen == "md" else "\n\n{}\n{}"
        shown += "".join(heading.format(name, render(part, chosen)) for name, part in boards)
    emit(shown, output, summary=as_markdown(board))
    if plot is not None:
        from betterthan.plots import pairs, ranking

        axes = {
            Plot.leaderboard: lambda: ranking.leaderboard(board),
            Plot.ranks: lambda: ranking.rank_set_chart(board.ranking),
            Plot.tiers: lambda: ranking.tier_chart(board),
            Plot.matrix: lambda: pairs.pair_matrix(board.pairs),
            Plot.critical: lambda: ranking.critical_difference(board),
        }[draw]()
        save_plot(axes, plot)
