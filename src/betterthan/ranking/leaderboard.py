"""rank(): one table a maintainer can publish."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Unpack, overload

from betterthan.checks import check_keywords
from betterthan.comparison.comparing import compare_all
from betterthan.comparison.multiplicity import Correction
from betterthan.comparison.orchestrator import WORKERS
from betterthan.comparison.scoring import score
from betterthan.comparison.verdicts import Comparisons
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.data.tallied import why_unrankable
from betterthan.errors import (
    PAIRWISE,
    DataError,
    MissingScoresError,
    Note,
    Remedy,
    UsageError,
    how_many,
)
from betterthan.metrics import MEDIAN, Metric
from betterthan.ranking import board_notes
from betterthan.ranking.aggregate import SOME_SYSTEMS, aggregate, too_many
from betterthan.ranking.board import Leaderboard, Leaderboards, rows_of
from betterthan.ranking.decisions import decide, rating
from betterthan.ranking.methods import BradleyTerry, Mean, Median, Method, method_of
from betterthan.ranking.prepared import Rankable, prepare, usual_method
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import Prepared, ScoreTable
from betterthan.resampling.generator import Rng, as_seed
from betterthan.resampling.work import Sampling
from betterthan.results.interval import Interval
from betterthan.tables.accepted import Frame, as_rows
from betterthan.testing.values import PairedTest, Permutation

Board = Leaderboard | Leaderboards | Ranking | Comparisons


class _Options(Sampling, total=False):
    method: Method | str | None
    metric: str | Metric | None
    test: PairedTest | str | None
    correction: Correction
    alpha: float
    rng: Rng


@overload
def rank(data: Rankable, *, by: None = None, **options: Unpack[_Options]) -> Leaderboard: ...
@overload
def rank(data: Rankable, *, by: str, **options: Unpack[_Options]) -> Leaderboards: ...


def rank(
    data: Rankable,
    *,
    method: Method | str | None = None,
    metric: str | Metric | None = None,
    by: str | None = None,
    test: PairedTest | str | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Board:
    """Rank systems, with the ranks that each of them may have.

    Parameters
    ----------
    data : Scores, data frame or Judgments
        Items by systems, or battles. Items are resampled; clusters of them where the data have
        clusters, and within tasks where they have tasks, which weigh the same; never single
        comparisons of a shared item.
    method : str or value of ``bt.methods``
        What rows are sorted by: ``"mean"``, the metric itself, is the default; ``"median"``,
        ``"bradley-terry"``, the default of judgments, ``"elo"`` or ``"trueskill"``; with options
        ``"bradley-terry(ties=drop)"``, which is ``bt.methods.BradleyTerry(ties="drop")``.
    metric : str or Metric, optional
        What is measured; the only column by default.
    by : str, optional
        A label column: also a board for each of its values.
    test : str or value of ``bt.tests``, optional
        Who beats whom, and so the tiers and rank sets: a test of each pair as in
        :func:`betterthan.ranking.pairwise`, by default the one that fits the method; or
        ``"model"``, differences of ratings by Student's law, which use all comparisons
        (Bradley-Terry's where rows are sorted by Elo or TrueSkill). It is the default of judgments,
        of which many pairs have few.
    correction : {"holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"}
        Adjustment over all pairs.
    alpha : float
        Level at which a system beats another; intervals have the level ``1 - alpha``.
    rng : None, int or Generator
        Seed; the result depends on nothing else.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`. There are 1,000 resamples by default,
        200 for Elo and TrueSkill, which replay every game.

    Returns
    -------
    Leaderboard, Leaderboards, Ranking or Comparisons
        A board, which is indexed by system; with ``by`` several. Of more than 3,000 systems a
        ranking by the mean, without who beats whom; of tallies that cannot be resampled all pairs.

    Examples
    --------
    >>> board = rank(Scores.from_arrays({"a": [1, 2, 3, 5], "b": [2, 3, 1, 6]}))
    >>> [(row.system, row.score, row.rank_low, row.rank_high) for row in board]
    [('b', 3.0, 1, 2), ('a', 2.75, 1, 2)]
    """
    check_keywords(sampling, Sampling)
    options: Sampling = {"workers": WORKERS, **sampling}
    chosen = None if method is None else method_of(method)
    seed = as_seed(rng)
    parts: list[tuple[str, Scores]] = []
    if not isinstance(data, Judgments | Prepared):
        data = _rows(data, by, metric)
        if data.counts is not None and why_unrankable(data) is not None:
            how = {"metric": metric, "by": by, "correction": correction, "alpha": alpha}
            return _all_pairs(data, chosen, test or Permutation(), **how, rng=seed, **options)
        parts = list(_parts(data, by))
    elif by is not None:
        raise UsageError("judgments have no labels to break a board down by")

    def board_of(part: Rankable) -> Leaderboard:
        table = prepare(part, metric=metric)
        used = usual_method(table) if chosen is None else chosen
        return _board(table, used, test, correction=correction, alpha=alpha, rng=seed, **options)

    if too_many(len(data.systems)) and isinstance(chosen, Mean | None):
        table = prepare(data, metric=metric)
        if isinstance(table, ScoreTable):
            _check_plain(table, by, correction)
            return _of_many(rating(table, Mean(), test=test, alpha=alpha, rng=seed, **options))
    boards: list[tuple[str | None, Leaderboard]] = [(name, board_of(part)) for name, part in parts]
    notes: tuple[str, ...] = ()
    try:
        boards.insert(0, (None, board_of(data)))
    except UsageError as error:
        apart = any(remedy.parameter == "by" for remedy in error.remedies)
        if not (apart and boards):
            raise
        others = [remedy for remedy in error.remedies if remedy.parameter != "by"]
        notes = (Note(error.message, *others[:1]),)
    return boards[0][1] if by is None else Leaderboards(boards=tuple(boards), notes=notes)


def _rows(data: Scores | Frame, by: str | None, metric: str | Metric | None) -> Scores:
    """Read a frame; what is missing may be left out pair by pair."""
    try:
        return as_rows(data, label=by, metric=metric)
    except MissingScoresError as error:
        raise error.with_remedies(PAIRWISE) from error


def _parts(data: Scores, by: str | None) -> Iterator[tuple[str, Scores]]:
    """The items of each value of a column; those of tasks with their own metrics."""
    if by is None:
        return
    parts: Iterable[tuple[str, Scores]] = data.parts(by)
    if by == data.tasks:
        parts = data.by_task().items()
    for label, part in parts:
        yield f"{by}={label}", part


def _all_pairs(
    data: Scores, method: Method | None, test: PairedTest | str, **options: Any
) -> Comparisons:
    """Test all pairs of what cannot be resampled."""
    why = f"{why_unrankable(data)}: exact tests of all pairs, without ratings and ranks"
    if not isinstance(method, Mean | None):
        raise UsageError(why, Remedy(f"of means, not {method.name}", "method", Mean.name))
    found = compare_all(data, test=test, **options)
    return replace(found, notes=(why, *found.notes))


def _check_plain(table: ScoreTable, by: str | None, correction: Correction) -> None:
    """Check that more systems than a board holds are ranked in the one way that there is."""
    count = how_many(len(table.systems), "system")
    if by is not None:
        raise UsageError(f"{count} are ranked all together, and not by {by!r} too", SOME_SYSTEMS)
    if correction != "holm":
        raise UsageError(
            f"{count} are compared by Holm's method, not {correction}",
            Remedy("", "correction", "holm"),
        )


def _of_many(ranking: Ranking) -> Ranking:
    """Say what a ranking of so many systems lacks."""
    count = how_many(len(ranking.names), "system")
    note = f"{count}: ranks, scores and shares, without ratings, tiers and who beats whom"
    return replace(ranking, notes=(note, *ranking.notes))


def _board(
    table: Prepared,
    method: Method,
    test: PairedTest | str | None,
    *,
    correction: Correction,
    alpha: float,
    rng: int,
    **sampling: Unpack[Sampling],
) -> Leaderboard:
    """Rank by one method, decide who beats whom, and set scores and ratings beside each other."""

    def ranked(by: Method) -> Ranking:
        return aggregate(table, by, alpha=alpha, rng=rng, **sampling)

    found = decide(
        table, method, ranked(method), test, correction=correction, alpha=alpha, rng=rng, **sampling
    )
    ranking, scored = found.ranking, table if isinstance(table, ScoreTable) else None
    averages = ratings = None
    notes = list(ranking.notes)
    if scored is not None:
        averages = ranking if isinstance(method, Mean) else ranked(Mean())
    if scored is not None and scored.scores.uneven():
        notes.append("no ratings: they count wins item by item")
    elif isinstance(method, Mean | Median):
        try:
            ratings = ranked(BradleyTerry())
        except DataError as error:
            notes.append(f"no ratings: {error.message}")
    else:
        ratings = ranking
    notes += board_notes.too_few_units(table, found.test, correction, alpha)
    notes += board_notes.contradictions(ranking, ranking.sets.separated)
    notes += board_notes.disagreements(ranking, averages, ratings)
    if ratings is not None and ratings.ties is not None:
        notes += board_notes.tie_rules(table, ratings, ratings.ties)
    measured = ranking if isinstance(method, Median) else averages
    return Leaderboard(
        rows=rows_of(table, ranking, measured, ratings, _intervals(table, method, alpha, rng)),
        ranking=ranking,
        averages=averages,
        ratings=ratings,
        pairs=found.pairs,
        beats=ranking.sets.separated,
        decided_by=found.test,
        model=found.model,
        metric=None if scored is None else scored.metric,
        percent=scored is not None and scored.scores.is_rate(scored.metric),
        notes=tuple(dict.fromkeys(notes)),
        source=table.source,
        signature=ranking.signature,
        scores=None if scored is None else scored.given,
    )


def _intervals(table: Prepared, method: Method, alpha: float, rng: int) -> dict[str, Interval]:
    """Each system's interval as it is scored by itself; none over tasks or with missing scores."""
    if not isinstance(table, ScoreTable) or table.units.strata is not None or not table.complete:
        return {}
    metric = MEDIAN if isinstance(method, Median) else table.metric
    rows = score(table.scores, metric=metric, alpha=alpha, rng=rng)
    return {row.system: row.interval for row in rows}
