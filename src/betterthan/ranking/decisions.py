"""rank(): an aggregation, and the ranks that decisions about pairs leave open."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from betterthan.comparison.multiplicity import Correction
from betterthan.data.arguments import among
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Bools
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking import elo
from betterthan.ranking.aggregate import MOST_BY_MEAN, aggregate, by_margins
from betterthan.ranking.aggregations import Estimation
from betterthan.ranking.by_model import ByModel, decide_by_model
from betterthan.ranking.likelihood import TieRule
from betterthan.ranking.many_systems import beaten
from betterthan.ranking.pair_tests import PairTest
from betterthan.ranking.pairwise import Pairwise, matching_test, pairwise
from betterthan.ranking.prepared import (
    BattleTable,
    Prepared,
    Rankable,
    ScoreTable,
    prepare,
    usual_method,
)
from betterthan.ranking.result import Aggregation, GameOrder, Ranking
from betterthan.ranking.uncertainty import RankSets
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sharing

Decider = PairTest | Literal["model"]

JOINT: tuple[Correction, ...] = ("holm", "bonferroni")
"""Adjustments under which rank sets hold for all systems at once."""


def rank(
    data: Rankable,
    method: Aggregation | None = None,
    *,
    metric: str | Metric | None = None,
    ties: TieRule = "davidson",
    tasks: str | None = None,
    interval: Literal["resample", "sandwich"] = "resample",
    test: Decider | None = None,
    confidence: float = 0.95,
    resamples: int | None = None,
    separation: bt.Separation = "error",
    solver: Literal["newton", "mm"] = "newton",
    k: float = elo.K,
    repeats: int = 100,
    order: GameOrder = "random",
    workers: int = 1,
    executor: Any = None,
    rng: Rng = 0,
) -> Ranking:
    """Rank systems by one aggregation, with intervals and rank sets.

    Parameters
    ----------
    data : Scores, data frame or Judgments
        Items by systems, or battles; or either as :func:`prepare` made it. Items are resampled;
        clusters of them where the data have clusters; never single comparisons of a shared item.
    method : {"bradley-terry", "mean", "median", "elo", "trueskill"}, optional
        The aggregation. ``"mean"`` is the metric itself, whatever it is. Bradley-Terry by default,
        and the mean where systems have unequal numbers of responses to an item: all others compare
        items one by one, and then find winners among systems that are the same.
    metric : str or Metric, optional
        What is measured; the only column by default.
    ties : {"davidson", "rao-kupper", "half-win", "drop"}
        How Bradley-Terry treats ties: modelled (the first two), shared, or left out.
    tasks : str, optional
        Label column naming each item's task: tasks weigh the same, items are resampled within.
    interval : {"resample", "sandwich"}
        Refits of resampled units, or robust normal-theory errors (Bradley-Terry only).
    test : str, optional
        Which decisions about pairs leave which ranks open: a test of each pair as in
        :func:`pairwise`, or ``"model"``; see :func:`leaderboard`. Holm-adjusted.
    confidence : float
        Of intervals and rank sets.
    resamples : int, optional
        1000 by default; 200 for Elo and TrueSkill, which replay every game.
    separation : {"error", "ghost", "firth"}
        What to do when no finite Bradley-Terry strengths exist; see
        :func:`betterthan.ranking.bradley_terry.fit`.
    solver : {"newton", "mm"}
        For the Bradley-Terry estimate; ``"mm"`` is Peyrard et al.'s (2021) iteration, which needs
        ties shared or dropped.
    k : float
        Elo's K.
    repeats : int
        Random orders over which Elo and TrueSkill are averaged.
    order : {"random", "data"}
        Whether Elo and TrueSkill play the games in random orders or as the data have them; games
        on one item of scores have no order of their own and are drawn either way.
    workers : int
        Threads that draw and refit resamples and test pairs; Elo and TrueSkill are replayed by one.
        The same numbers come out whatever it is.
    executor : concurrent.futures.Executor, optional
        Who does that instead: any pool of processes or threads, or a Dask client.
    rng : None, int or Generator
        Seed; the result depends on nothing else.

    Examples
    --------
    >>> from betterthan import Scores
    >>> scores = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1]})
    >>> ranking = rank(scores, separation="ghost")
    >>> ranking.names, ranking.strengths.round(6).tolist()
    (('b', 'a'), [0.666667, 0.333333])
    """
    how = among(Estimation, locals())
    table = prepare(data, metric=metric, tasks=tasks)
    method = method or usual_method(table)
    if by_margins(table, method):
        return _by_margins(table, how, test, rng)
    made = aggregate(table, method, how, rng=rng)
    return decide(
        table, made, test, alpha=_alpha(confidence), workers=workers, executor=executor, rng=rng
    ).ranking


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """A ranking with its rank sets, and the tests of pairs that they come from.

    ``test`` is what decided: that of the pairs, or ``"model"``, whose decisions are ``model`` then.
    """

    ranking: Ranking
    pairs: Pairwise
    test: Decider
    model: ByModel | None = None


def decide(
    table: Prepared,
    ranking: Ranking,
    test: Decider | None = None,
    *,
    correction: Correction = "holm",
    alpha: float = 0.05,
    rng: Rng = 0,
    **shared: Unpack[Sharing],
) -> Decided:
    """Decide who beats whom, and which ranks that leaves open."""
    if test is None:
        battles = isinstance(table, BattleTable)
        test = "model" if battles else matching_test(table, ranking.method)
    pairs = pairwise(
        table,
        ranking.method,
        test=None if test == "model" else test,
        correction=correction,
        alpha=alpha,
        ranking=ranking,
        rng=rng,
        **shared,
    )
    beats, model = pairs.beats, None
    if test == "model":
        model = decide_by_model(table, ranking, pairs, rng=rng, **shared)
        beats = model.beats
        ranking = replace(ranking, notes=(*ranking.notes, *model.notes))
    elif (opposed := pairs.opposed).any():
        i, j = (int(k[0]) for k in np.nonzero(opposed))
        more = int(opposed.sum()) - 1
        note = (
            f"the {test} test favours {pairs.names[j]}, the {ranking.method} {pairs.names[i]}"
            + (f" ({more} more such {'pair' if more == 1 else 'pairs'})" if more else "")
            + ": they weigh items differently, and neither beats the other"
        )
        ranking = replace(ranking, notes=(*ranking.notes, note))
    made = _with_decisions(ranking, beats, test, correction, alpha)
    return Decided(made, pairs, test, model)


def _with_decisions(
    ranking: Ranking, beats: Bools, test: Decider, correction: Correction, alpha: float
) -> Ranking:
    """Leave those ranks open that decisions about pairs do, and say how they were made."""
    return replace(
        ranking,
        sets=RankSets.of(beats, ranking.sets.critical, ranking.sets.errors),
        decided_by=test,
        correction=correction,
        alpha=alpha,
        signature=f"{ranking.signature}|beats:{test}|adj:{correction}|a:{alpha:g}",
    )


def _by_margins(table: ScoreTable, how: Estimation, test: Decider | None, rng: Rng) -> Ranking:
    """Rank more systems than a board compares, by their means, wins and losses."""
    if test not in (None, "permutation", "sign"):
        raise UsageError(
            f"{len(table.systems):,} systems are compared by their wins and losses "
            f"(test='permutation' or 'sign', which are one for 0/1 scores), not by test={test!r}"
        )
    ranking = aggregate(table, "mean", how, rng=rng, most=MOST_BY_MEAN)
    place = {name: k for k, name in enumerate(table.systems)}
    values = table.values[:, [place[name] for name in ranking.names]]
    alpha = _alpha(ranking.confidence)
    beats = beaten(values, alpha)
    return _with_decisions(ranking, beats, test or matching_test(table, "mean"), "holm", alpha)


def _alpha(confidence: float) -> float:
    """Level of tests that leave ranks open at a confidence: 0.05 for 0.95, to the last digit."""
    return round(1.0 - confidence, 12) or 1.0 - confidence
