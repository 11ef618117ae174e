"""leaderboard(): one table a maintainer can publish."""

import math
from dataclasses import replace
from typing import Unpack

import numpy as np

from betterthan.blame import blames_arguments
from betterthan.comparison.multiplicity import Correction
from betterthan.data.arguments import refuse_unknown
from betterthan.errors import DataError
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats
from betterthan.ranking.aggregate import aggregate, check_pairs, least_units
from betterthan.ranking.aggregations import Estimation, EstimationOptions
from betterthan.ranking.board import Leaderboard, Row
from betterthan.ranking.bradley_terry import Separation
from betterthan.ranking.by_model import ENOUGH
from betterthan.ranking.decisions import JOINT, Decider, decide
from betterthan.ranking.disagreement import compare_rankings
from betterthan.ranking.likelihood import TieRule
from betterthan.ranking.prepared import Prepared, Rankable, ScoreTable, prepare, usual_method
from betterthan.ranking.result import Aggregation, Ranking
from betterthan.ranking.structure import other_tie_rules, shortest_cycle
from betterthan.ranking.uncertainty import comparison_interval, tiers
from betterthan.resampling.generator import Rng, as_seed


@blames_arguments
def leaderboard(
    data: Rankable,
    method: Aggregation | None = None,
    *,
    metric: str | Metric | None = None,
    tasks: str | None = None,
    test: Decider | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    separation: Separation = "ghost",
    rng: Rng = 0,
    **options: Unpack[EstimationOptions],
) -> Leaderboard:
    """Rank systems and say what of the order is certain.

    Parameters
    ----------
    data : Scores, Tallied, data frame or Judgments
        Items by systems, or battles.
    method : str, optional
        What rows are sorted by; see :func:`rank`.
    metric, tasks, rng
        As in :func:`rank`.
    test : str, optional
        Who beats whom, and so the tiers: a test of each pair as in :func:`pairwise`; or
        ``"model"``, differences of ratings by Student's law, which use all comparisons
        (Bradley-Terry's where rows are sorted by Elo or TrueSkill). Scores are tested by pairs
        unless asked otherwise, judgments, of which many pairs have few, by model. Rank sets and
        tiers follow from these decisions.
    correction, alpha
        As in :func:`pairwise`, for a test of pairs.
    separation : {"ghost", "firth", "error"}
        As in :func:`rank`; here a system that won everything does not stop the table, and a note
        says so.

    **options
        ``ties``, ``interval`` (that of Bradley-Terry), ``confidence``, ``resamples``, ``order``,
        ``workers`` and ``executor``, as in :func:`rank`.

    Examples
    --------
    >>> from betterthan import Scores
    >>> board = leaderboard(Scores.from_arrays({"a": [1, 2, 3, 5], "b": [2, 3, 1, 6]}))
    >>> [(row.name, row.rank_low, row.rank_high) for row in board.rows]
    [('b', 1, 2), ('a', 1, 2)]
    """
    refuse_unknown(options, EstimationOptions)
    how = Estimation(separation=separation, **options)
    table = prepare(data, metric=metric, tasks=tasks)
    usual = usual_method(table)
    method = method or usual
    check_pairs(table)
    seed = as_seed(rng)

    resampled = replace(how, interval="resample")

    def ranked(by: Aggregation) -> Ranking:
        return aggregate(table, by, how if by == "bradley-terry" else resampled, rng=seed)

    found = decide(
        table,
        ranked(method),
        test,
        correction=correction,
        alpha=alpha,
        workers=how.workers,
        executor=how.executor,
        rng=seed,
    )
    ranking, test = found.ranking, found.test
    averages = ratings = None
    notes = list(ranking.notes)
    if isinstance(table, ScoreTable):
        averages = ranking if method == "mean" else ranked("mean")
    if usual == "mean":
        notes.append("no ratings: they count wins item by item")
    elif method in ("mean", "median"):
        try:
            ratings = ranked("bradley-terry")
        except DataError as error:
            notes.append(f"no ratings: {error}")
    else:
        ratings = ranking
    notes += _too_few(table, test, correction, alpha)
    notes += _contradictions(ranking, ranking.sets.separated)
    notes += _disagreements(ranking, averages)
    if ratings is not None and ratings.method == "bradley-terry":
        notes += _tie_notes(table, ratings, how.ties)
    beats = ranking.sets.separated
    return Leaderboard(
        rows=_rows(table, ranking, ranking if method == "median" else averages, ratings, beats),
        ranking=ranking,
        averages=averages,
        ratings=ratings,
        pairs=found.pairs,
        beats=beats,
        decided_by=test,
        model=found.model,
        metric=table.metric if isinstance(table, ScoreTable) else None,
        percent=isinstance(table, ScoreTable) and table.scores.is_rate(table.metric),
        notes=tuple(dict.fromkeys(notes)),
        source=table.source,
        signature=ranking.signature,
        scores=table.given if isinstance(table, ScoreTable) else None,
    )


def _rows(
    table: Prepared,
    ranking: Ranking,
    measured: Ranking | None,
    ratings: Ranking | None,
    beats: Bools,
) -> tuple[Row, ...]:
    sets, spread = ranking.sets, ranking.order_spread
    critical = sets.critical if np.isfinite(sets.critical) else 0.0
    ends = ranking.scores, ranking.scores
    if sets.errors is not None:
        ends = comparison_interval(ranking.scores, sets.errors, critical)
    low, high = (_known(np.where(ends[1] > ends[0], end, np.nan)) for end in ends)
    p_best = _known(ranking.p_best)
    tier = tiers(beats, ranking.sign * ranking.scores)
    letters = [_letter(k) for k in range(len(ranking.names))]
    sizes = dict(zip(table.systems, table.sizes.tolist(), strict=True))
    scores, rated = _cells(measured, ranking.names), _cells(ratings, ranking.names)
    return tuple(
        Row(
            letter=letters[k],
            name=name,
            rank_low=int(sets.low[k]),
            rank_high=int(sets.high[k]),
            score=scores[k][0],
            score_low=scores[k][1],
            score_high=scores[k][2],
            rating=rated[k][0],
            rating_low=rated[k][1],
            rating_high=rated[k][2],
            order_spread=None if spread is None else float(spread[k]),
            comparison_low=low[k],
            comparison_high=high[k],
            p_best=p_best[k],
            tier=int(tier[k]),
            beats=tuple(letters[j] for j in np.flatnonzero(beats[k])),
            n=sizes[name],
        )
        for k, name in enumerate(ranking.names)
    )


def _cells(shown: Ranking | None, names: tuple[str, ...]) -> list[list[float | None]]:
    """Score and interval of each system, on the scale they are printed on."""
    if shown is None:
        return [[None, None, None]] * len(names)
    cells = shown.shown(np.stack([shown.scores, shown.low, shown.high], axis=1))
    known, at = _known(cells.ravel()), [3 * shown.names.index(name) for name in names]
    return [known[k : k + 3] for k in at]


def _known(values: Floats) -> list[float | None]:
    return [None if math.isnan(x) else x for x in values.tolist()]


def _letter(k: int) -> str:
    head, tail = divmod(k, 26)
    return (_letter(head - 1) if head else "") + chr(ord("a") + tail)


def _too_few(table: Prepared, test: str, correction: Correction, alpha: float) -> list[str]:
    """Say how many units it takes before any pair can be decided, where these are fewer."""
    m, units = len(table.systems), table.units
    counted = test in ("permutation", "sign") or (test == "model" and units.count < ENOUGH)
    if not counted or correction not in JOINT:
        return []
    needed = least_units(m, alpha)
    if units.count >= needed:
        return []
    return [
        f"{units.count} {units.name} decide nothing between {m} systems, whatever their scores: "
        f"at least {needed} are needed"
    ]


def _contradictions(ranking: Ranking, beats: Bools) -> list[str]:
    """Significant wins that go round in a circle, or against the order of the rows."""
    names, notes = ranking.names, []
    circle = shortest_cycle(beats)
    if circle:
        listed = " beats ".join(names[k] for k in [*circle, circle[0]])
        notes.append(f"significant wins form a cycle: {listed}; no order of these systems is right")
    against = [(j, i) for i, j in zip(*np.triu_indices(len(names), 1), strict=True) if beats[j, i]]
    if against:
        j, i = against[0]
        more = len(against) - 1
        notes.append(
            f"{names[j]} beats {names[i]} although {ranking.method} puts {names[i]} above it"
            + (f" ({more} more such {'pair' if more == 1 else 'pairs'})" if more else "")
            + ": ranks follow who beats whom, rows the rating"
        )
    return notes


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


def _tie_notes(table: Prepared, ratings: Ranking, ties: TieRule) -> list[str]:
    strengths = ratings.scores[[ratings.names.index(name) for name in table.systems]]
    found = other_tie_rules(table.outcomes(ties), strengths, order_only=True)
    changed = [s for s in found if s.reversed_pairs]
    if not changed:
        return []
    listed = "; ".join(
        f"under {s.rule} {s.reversed_pairs[0][1]} passes {s.reversed_pairs[0][0]}"
        + (f" ({len(s.reversed_pairs)} pairs change)" if len(s.reversed_pairs) > 1 else "")
        for s in changed
    )
    return [f"how ties are treated ({ties}) matters: {listed}"]
