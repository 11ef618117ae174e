"""``betterthan rank``: a leaderboard that says what of its order is certain."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from betterthan.cli import panels as opt
from betterthan.cli.flags import as_flags, with_flags
from betterthan.cli.input import Files, Logs, LowerIsBetter, Scan, read_board
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import PROSE, ExplainedAndDrawn, headed, paragraphs, say
from betterthan.cli.progress import busy
from betterthan.cli.workers import Workers
from betterthan.errors import how_many

if TYPE_CHECKING:
    from betterthan.data.scores import Scores
    from betterthan.ranking import Leaderboard


@dataclass(frozen=True, kw_only=True)
class RankInput(Logs):
    """Scores or judgments; systems need not share all their items."""

    missing: Annotated[
        Literal["error", "drop", "worst", "pairwise"],
        opt.reading("Items that a system has no score for."),
    ] = "error"
    lower_is_better: LowerIsBetter = False


@dataclass(frozen=True, kw_only=True)
class RankOutput(ExplainedAndDrawn):
    """A leaderboard is drawn in several ways."""

    draw: Annotated[
        Literal["leaderboard", "ranks", "tiers", "matrix", "critical"],
        opt.writing("What --plot draws."),
    ] = "leaderboard"


@grouped
def rank(
    files: Files,
    *,
    source: RankInput,
    scan: Scan = False,
    metric: opt.Metric = None,
    by: Annotated[str | None, opt.question("Also a board for each value of a column.")] = None,
    tasks: opt.Tasks = None,
    method: Annotated[
        Literal["bradley-terry", "mean", "median", "elo", "trueskill"] | None,
        opt.question(
            "What systems are sorted by; bradley-terry, and mean where they have unequal numbers "
            "of responses."
        ),
    ] = None,
    ties: Annotated[
        Literal["davidson", "rao-kupper", "half-win", "drop"],
        opt.testing("How Bradley-Terry treats ties."),
    ] = "davidson",
    interval: Annotated[
        Literal["resample", "sandwich"], opt.testing("Bradley-Terry: refits, or robust formula.")
    ] = "resample",
    separation: Annotated[
        Literal["ghost", "firth", "error"], opt.testing("When a system won or lost everything.")
    ] = "ghost",
    test: Annotated[
        Literal["permutation", "t", "mood", "sign", "wilcoxon", "model"] | None,
        opt.testing("Who beats whom; the method's own by default."),
    ] = None,
    correction: Annotated[
        Literal["holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"],
        opt.testing("Adjustment for several comparisons."),
    ] = "holm",
    alpha: opt.Alpha = 0.05,
    confidence: Annotated[float, opt.testing("Of intervals; ranks follow --alpha.")] = 0.95,
    resamples: Annotated[int | None, opt.testing("Resampled test sets; 1000.", min=2)] = None,
    seed: opt.Seed = 0,
    shared: Workers,
    output: RankOutput,
) -> None:
    """Rank systems: ratings with intervals, ranks they may have, tiers, who beats whom.

    Items are resampled, never single comparisons; clusters of items where --cluster names them:

        betterthan rank runs.csv
        betterthan rank runs/*.jsonl --method mean --format latex
        betterthan rank tally.parquet
    """
    from betterthan.comparison.comparing import compare_all
    from betterthan.comparison.orchestrator import WORKERS
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.errors import UsageError
    from betterthan.ranking import Leaderboard, leaderboard
    from betterthan.ranking.aggregate import MOST_SYSTEMS

    scores = read_board(source, files, by, scan=scan, metric=metric, tasks=tasks)
    if by is not None and isinstance(scores, Judgments):
        raise UsageError("--by breaks down scores of items; judgments have none")
    if isinstance(scores, Tallied) and scores.unrankable is not None:
        if output.plot is not None or test not in (None, "permutation"):
            raise UsageError(f"{scores.unrankable}: all that can be done is to test all pairs")
        say(
            f"! {scores.unrankable}: exact tests of all pairs, without ratings, rank sets and "
            "P(best)"
        )
        asked = None if metric is None else [metric]
        found = compare_all(
            scores, metrics=asked, by=by, correction=correction, alpha=alpha, rng=seed
        )
        output.emit(with_flags(found))
        return
    if isinstance(scores, Scores) and len(scores.systems) > MOST_SYSTEMS and method == "mean":
        if by is not None or correction != "holm" or abs(alpha + confidence - 1.0) > 1e-9:
            raise UsageError(
                f"more than {MOST_SYSTEMS:,} systems have ranks at --confidence, by Holm's "
                "method: leave out --by, --correction and --alpha"
            )
        options = {"metric": metric, "tasks": tasks, "test": test, "confidence": confidence}
        _rank_many(scores, shared, output, **options, resamples=resamples, rng=seed)
        return
    with shared.options() as workers:
        make: Callable[..., Leaderboard] = partial(
            leaderboard,
            **{"workers": WORKERS, **workers},
            method=method,
            metric=metric,
            ties=ties,
            interval=interval,
            test=test,
            correction=correction,
            alpha=alpha,
            confidence=confidence,
            resamples=resamples,
            separation=separation,
            rng=seed,
        )
        boards: list[tuple[str, Leaderboard]] = []
        if by is not None and not isinstance(scores, Judgments):
            in_tasks = isinstance(scores, Scores) and by == scores.tasks
            parts = scores.by_task().items() if in_tasks else scores.parts(by)  # type: ignore[union-attr]
            with busy("ranking"):
                boards = [(f"{by}={label}", make(part)) for label, part in parts]
        board = None
        try:
            with busy("ranking"):
                board = make(scores, tasks=tasks)
        except UsageError as error:
            if "(scores.by_task())" not in str(error) or not isinstance(scores, Scores):
                raise
            said = str(error).replace("scores.by_task()", f"--by {scores.tasks}")
            if not boards or output.plot is not None:
                raise UsageError(said) from error
            say(f"! {as_flags(said)}")
    _emit(board, boards, output, by)


def _emit(
    board: "Leaderboard | None",
    boards: "list[tuple[str, Leaderboard]]",
    output: RankOutput,
    by: str | None,
) -> None:
    """Write the board of all items and those of its parts, told once."""
    from betterthan.ranking.boards_by_part import ALL, Leaderboards

    def shown(style: str) -> str:
        plain = replace(output, explain=False)  # told once
        texts = [] if board is None else [plain.written(board, style)]
        texts += [headed(name, plain.written(part, style), style) for name, part in boards]
        made = "\n\n".join(texts)
        if not output.explain or style not in PROSE:
            return made
        told = (every if boards else every.boards[0][1]).sheet().explanation()
        return "".join([made, *paragraphs(told, style)])

    every = Leaderboards(boards=(*([(ALL, board)] if board is not None else []), *boards))
    if by is None or (output.is_text and output.style in PROSE):
        output.emit(board or boards[0][1], shown)
        return
    output.emit(every)


def _rank_many(scores: "Scores", shared: Workers, output: RankOutput, **options: Any) -> None:
    """Rank more systems than a board compares, and say what is left out."""
    from betterthan.comparison.orchestrator import WORKERS
    from betterthan.errors import UsageError
    from betterthan.ranking import rank as ranked

    count = how_many(len(scores.systems), "system")
    if output.plot is not None and output.draw != "ranks":
        raise UsageError(f"{count} are more than a board draws: say --draw ranks")
    with shared.options() as workers, busy("ranking"):
        made = ranked(scores, "mean", **{"workers": WORKERS, **workers}, **options)
    say(f"! {count}: ranks, scores and P(best), without ratings, tiers and who beats whom")
    output.emit(made)
