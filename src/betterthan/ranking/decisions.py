"""rating(): systems by one method, and the ranks that decisions about pairs leave open."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from betterthan.checks import check_keywords
from betterthan.comparison.multiplicity import Correction
from betterthan.errors import UsageError
from betterthan.grammar import value_of
from betterthan.metrics import Metric
from betterthan.numeric import Bools
from betterthan.ranking.aggregate import MOST_BY_MEAN, aggregate, by_margins
from betterthan.ranking.by_model import ByModel, decide_by_model
from betterthan.ranking.many_systems import beaten
from betterthan.ranking.methods import Method, method_of
from betterthan.ranking.pair_tests import BY_SIGN, DECIDERS, Model
from betterthan.ranking.pairwise import Pairwise, matching_test, pairwise
from betterthan.ranking.prepared import Rankable, prepare, usual_method
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import BattleTable, Prepared, ScoreTable
from betterthan.ranking.uncertainty import RankSets
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.testing.values import PairedTest, Permutation, Sign

JOINT: tuple[Correction, ...] = ("holm", "bonferroni")
"""Adjustments under which rank sets hold for all systems at once."""


def rating(
    data: Rankable,
    method: Method | str | None = None,
    *,
    metric: str | Metric | None = None,
    test: PairedTest | str | None = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Ranking:
    """Rate systems by one method, with intervals and rank sets, but without a board's rows.

    Parameters
    ----------
    data, method, metric, rng
        As in :func:`rank`; what :func:`prepare` made is taken as well.
    test : str or value of ``bt.tests``, optional
        Which decisions about pairs leave which ranks open, as in :func:`rank`; Holm-adjusted.
    alpha : float
        Level of these decisions; intervals have the level ``1 - alpha``.
    **sampling
        As in :func:`rank`.

    Examples
    --------
    >>> from betterthan import Scores
    >>> scores = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1]})
    >>> ranking = rating(scores, "bradley-terry")
    >>> ranking.names, ranking.strengths.round(6).tolist()
    (('b', 'a'), [0.666667, 0.333333])
    """
    check_keywords(sampling, Sampling)
    table = prepare(data, metric=metric)
    method = usual_method(table) if method is None else method_of(method)
    if by_margins(table, method):
        return rating_of_many(table, test, alpha=alpha, rng=rng, **sampling)
    made = aggregate(table, method, alpha=alpha, rng=rng, **sampling)
    return decide(table, method, made, test, alpha=alpha, rng=rng, **sampling).ranking


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """A ranking with its rank sets, and the tests of pairs that they come from.

    ``test`` is what decided: that of the pairs, or ``"model"``, whose decisions are ``model`` then.
    """

    ranking: Ranking
    pairs: Pairwise
    test: str
    model: ByModel | None = None


def decide(
    table: Prepared,
    method: Method,
    ranking: Ranking,
    test: PairedTest | str | None = None,
    *,
    correction: Correction = "holm",
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Decided:
    """Decide who beats whom, and which ranks that leaves open."""
    if test is None:
        test = Model() if isinstance(table, BattleTable) else matching_test(table, method)
    decider = value_of(test, DECIDERS, "test")
    by_model = isinstance(decider, Model)
    pairs = pairwise(
        table,
        method,
        test=None if by_model else decider,
        correction=correction,
        alpha=alpha,
        ranking=ranking,
        rng=rng,
        **sampling,
    )
    beats, model = pairs.beats, None
    if by_model:
        model = decide_by_model(table, ranking, pairs, rng=rng, **sampling)
        beats = model.beats
        ranking = replace(ranking, notes=(*ranking.notes, *model.notes))
    elif (opposed := pairs.opposed).any():
        i, j = (int(k[0]) for k in np.nonzero(opposed))
        more = int(opposed.sum()) - 1
        note = (
            f"the {decider} test favours {pairs.names[j]}, the metric {pairs.names[i]}"
            + (f" ({more} more such {'pair' if more == 1 else 'pairs'})" if more else "")
            + ": they weigh items differently, and neither beats the other"
        )
        ranking = replace(ranking, notes=(*ranking.notes, note))
    made = _with_decisions(ranking, beats, repr(decider), correction, alpha)
    return Decided(made, pairs, repr(decider), model)


def _with_decisions(
    ranking: Ranking, beats: Bools, test: str, correction: Correction, alpha: float
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


def rating_of_many(
    table: ScoreTable,
    test: PairedTest | str | None,
    *,
    alpha: float,
    rng: Rng,
    **sampling: Unpack[Sampling],
) -> Ranking:
    """Rate more systems than a board compares, by their means, wins and losses."""
    decider = value_of(test or Permutation(), DECIDERS, "test")
    if not isinstance(decider, Permutation | Sign):
        raise UsageError(
            f"{len(table.systems):,} systems are compared by their wins and losses, and not by "
            f"the {decider.name} test",
            BY_SIGN,
        )
    ranking = aggregate(table, "mean", alpha=alpha, rng=rng, most=MOST_BY_MEAN, **sampling)
    place = {name: k for k, name in enumerate(table.systems)}
    values = table.values[:, [place[name] for name in ranking.names]]
    return _with_decisions(ranking, beaten(values, alpha), repr(decider), "holm", alpha)
