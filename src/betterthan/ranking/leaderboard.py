"""leaderboard(): one table a maintainer can publish."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Scores
from betterthan.errors import DataError
from betterthan.metrics import Metric
from betterthan.multiplicity import Correction
from betterthan.ranking.aggregate import rank
from betterthan.ranking.board import Leaderboard, Row
from betterthan.ranking.bradley_terry import Separation
from betterthan.ranking.disagreement import compare_rankings
from betterthan.ranking.judgments import Judgments
from betterthan.ranking.outcomes import TieRule
from betterthan.ranking.pair_tests import PairTest
from betterthan.ranking.pairwise import matching_test, pairwise
from betterthan.ranking.result import Method, Ranking
from betterthan.ranking.structure import tie_sensitivity
from betterthan.ranking.table import ScoreTable, score_table
from betterthan.ranking.uncertainty import (
    RankSets,
    comparison_interval,
    difference_errors,
    rank_sets,
    tiers,
)
from betterthan.sampling import Rng, as_generator


def leaderboard(
    data: Scores | Judgments,
    method: Method = "bradley-terry",
    *,
    metric: str | Metric | None = None,
    ties: TieRule = "davidson",
    tasks: str | None = None,
    interval: Literal["resample", "sandwich"] = "resample",
    test: PairTest | Literal["model"] | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    resamples: int | None = None,
    separation: Separation = "ghost",
    rng: Rng = None,
) -> Leaderboard:
    """Rank systems and say what of the order is certain.

    Parameters
    ----------
    data : Scores or Judgments
        Items by systems, or battles.
    method : str
        What rows are sorted by; see :func:`rank`.
    metric, ties, tasks, interval, confidence, resamples, rng
        As in :func:`rank`; ``interval`` is that of Bradley-Terry.
    test : str, optional
        Who beats whom, and so the tiers: a test of each pair as in :func:`pairwise`; or
        ``"model"``, the joint intervals behind the rank sets, which use all comparisons. Scores are
        tested by pairs unless asked otherwise, judgments, of which many pairs have few, by model.
    correction, alpha
        As in :func:`pairwise`, for a test of pairs.
    separation : {"ghost", "firth", "error"}
        As in :func:`rank`; here a system that won everything does not stop the table, and a note
        says so.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 2, 3, 5], "b": [2, 3, 1, 6]})
    >>> [(row.name, row.rank_low, row.rank_high) for row in leaderboard(scores, rng=0).rows]
    [('b', 1, 2), ('a', 1, 2)]
    """
    seed = rng if isinstance(rng, int) else int(as_generator(rng).integers(1 << 62))

    def ranked(by: Method) -> Ranking:
        return rank(
            data,
            by,
            metric=metric,
            ties=ties,
            tasks=tasks,
            interval=interval if by == "bradley-terry" else "resample",
            confidence=confidence,
            resamples=resamples,
            separation=separation,
            rng=seed,
        )

    if test is None:
        decided_by: PairTest | Literal["model"] = (
            "model" if isinstance(data, Judgments) else matching_test(data, method, tasks)
        )
    else:
        decided_by = test
    ranking = ranked(method)
    averages = ratings = None
    notes = list(ranking.notes)
    if isinstance(data, Scores):
        averages = ranking if method == "mean" else ranked("mean")
    if method in ("mean", "median"):
        try:
            ratings = ranked("bradley-terry")
        except DataError as error:
            notes.append(f"no ratings: {error}")
    else:
        ratings = ranking
    pairs = pairwise(
        data,
        method,
        test=None if decided_by == "model" else decided_by,
        metric=metric,
        tasks=tasks,
        correction=correction,
        alpha=alpha,
        ranking=ranking,
        rng=seed,
    )
    notes += _disagreements(ranking, averages)
    if "bradley-terry" in (method, ratings.method if ratings else None):
        notes += _tie_notes(data, ties, metric, tasks)
    sets = _rank_sets(ranking)
    beats = sets.separated if decided_by == "model" else pairs.beats
    how = "model" if decided_by == "model" else f"{decided_by}|adj:{correction}|a:{alpha:g}"
    table = None if isinstance(data, Judgments) else score_table(data, metric=metric)
    return Leaderboard(
        rows=_rows(data, ranking, ranking if method == "median" else averages, ratings, beats),
        ranking=ranking,
        averages=averages,
        ratings=ratings,
        pairs=pairs,
        beats=beats,
        decided_by=decided_by,
        metric="" if table is None else repr(table.metric),
        percent=table is not None and _in_points(table),
        notes=tuple(dict.fromkeys(notes)),
        source=data.source,
        signature=f"{ranking.signature}|beats:{how}",
    )


def _rows(
    data: Scores | Judgments,
    ranking: Ranking,
    measured: Ranking | None,
    ratings: Ranking | None,
    beats: NDArray[np.bool_],
) -> tuple[Row, ...]:
    errors = difference_errors(ranking.resamples)
    critical = _rank_sets(ranking).critical
    reach = comparison_interval(ranking.scores, errors, critical if np.isfinite(critical) else 0.0)
    tier = tiers(beats, ranking.sign * ranking.scores)
    letters = [_letter(k) for k in range(len(ranking.names))]
    sizes, spread = _sizes(data), ranking.order_spread
    rows = []
    for k, name in enumerate(ranking.names):
        beaten = np.flatnonzero(beats[k])
        rows.append(
            Row(
                letter=letters[k],
                name=name,
                rank_low=int(ranking.rank_low[k]),
                rank_high=int(ranking.rank_high[k]),
                **_cells("score", measured, name),
                **_cells("rating", ratings, name),
                order_spread=None if spread is None else float(spread[k]),
                comparison_low=float(reach[0][k]),
                comparison_high=float(reach[1][k]),
                p_best=float(ranking.p_best[k]),
                tier=int(tier[k]),
                beats=tuple(letters[j] for j in beaten),
                n=sizes[name],
            )
        )
    return tuple(rows)


def _rank_sets(ranking: Ranking) -> RankSets:
    sign = ranking.sign
    return rank_sets(
        sign * ranking.scores, sign * ranking.resamples, ranking.confidence, units=ranking.units
    )


def _cells(prefix: str, ranking: Ranking | None, name: str) -> dict[str, float | None]:
    keys = (prefix, f"{prefix}_low", f"{prefix}_high")
    if ranking is None:
        return dict.fromkeys(keys)
    k = ranking.position(name)
    if prefix == "rating" and ranking.ratings is not None and ranking.rating_interval is not None:
        low, high = ranking.rating_interval
        values = (ranking.ratings[k], low[k], high[k])
    else:
        values = (ranking.scores[k], ranking.low[k], ranking.high[k])
    return {key: float(value) for key, value in zip(keys, values, strict=True)}


def _sizes(data: Scores | Judgments) -> dict[str, int]:
    if isinstance(data, Judgments):
        both = np.concatenate([data.left, data.right])
        counts = np.bincount(both, minlength=len(data.systems))
    else:
        counts = (~np.isnan(data.values).any(axis=2)).sum(axis=0)
    return {name: int(count) for name, count in zip(data.systems, counts, strict=True)}


def _in_points(table: ScoreTable) -> bool:
    """Whether scores are rates: the metric says so, or it is a mean of zeros and ones."""
    present = table.parts[~np.isnan(table.parts)]
    binary = table.metric.form == "mean" and bool(np.isin(present, (0.0, 1.0)).all())
    return table.metric.percent or binary


def _letter(k: int) -> str:
    head, tail = divmod(k, 26)
    return (_letter(head - 1) if head else "") + chr(ord("a") + tail)


def _disagreements(ranking: Ranking, averages: Ranking | None) -> list[str]:
    if averages is None or averages is ranking:
        return []
    found = compare_rankings(ranking, averages)
    if not found.reversed_pairs:
        return []
    first, second = found.reversed_pairs[0]
    more = len(found.reversed_pairs) - 1
    return [
        f"{ranking.method} puts {first} above {second}, the mean {second} above {first}"
        + (f" ({more} more {'pair differs' if more == 1 else 'pairs differ'})" if more else "")
    ]


def _tie_notes(
    data: Scores | Judgments, ties: TieRule, metric: str | Metric | None, tasks: str | None
) -> list[str]:
    found = tie_sensitivity(data, ties, metric=metric, tasks=tasks)
    changed = [s for s in found if s.reversed_pairs]
    if not changed:
        return []
    listed = "; ".join(
        f"under {s.rule} {s.reversed_pairs[0][1]} passes {s.reversed_pairs[0][0]}"
        + (f" ({len(s.reversed_pairs)} pairs change)" if len(s.reversed_pairs) > 1 else "")
        for s in changed
    )
    return [f"how ties are treated ({ties}) matters: {listed}"]
