"""rank(): five aggregations of the same data, each with its uncertainty."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Floats, Scores
from betterthan.errors import DataError, UsageError
from betterthan.metrics import Metric
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking import elo, estimates
from betterthan.ranking.judgments import Judgments
from betterthan.ranking.outcomes import TieRule, check_rule
from betterthan.ranking.result import METHODS, Method, Ranking
from betterthan.ranking.sequence import rows_by_unit
from betterthan.ranking.table import ScoreTable, Units, score_table
from betterthan.ranking.uncertainty import (
    check_confidence,
    percentile_interval,
    rank_sets,
    rounded,
    share_in_top,
)
from betterthan.results import VERSION, fingerprint
from betterthan.sampling import Rng, as_generator

FEW_UNITS = 20


def rank(
    data: Scores | Judgments,
    method: Method = "bradley-terry",
    *,
    metric: str | Metric | None = None,
    ties: TieRule = "davidson",
    tasks: str | None = None,
    interval: Literal["resample", "sandwich"] = "resample",
    confidence: float = 0.95,
    resamples: int | None = None,
    separation: bt.Separation = "error",
    solver: Literal["newton", "mm"] = "newton",
    k: float = elo.K,
    repeats: int = 100,
    rng: Rng = None,
) -> Ranking:
    """Rank systems by one aggregation, with intervals and rank sets.

    Parameters
    ----------
    data : Scores or Judgments
        Items by systems, or battles. Items are resampled; clusters of them where the data have
        clusters; never single comparisons of a shared item.
    method : {"bradley-terry", "mean", "median", "elo", "trueskill"}
        The aggregation. ``"mean"`` is the metric itself, whatever it is.
    metric : str or Metric, optional
        What is measured; the only column by default.
    ties : {"davidson", "rao-kupper", "half-win", "drop"}
        How Bradley-Terry treats ties: modelled (the first two), shared, or left out.
    tasks : str, optional
        Label column naming each item's task: tasks weigh the same, items are resampled within.
    interval : {"resample", "sandwich"}
        Refits of resampled units, or robust normal-theory errors (Bradley-Terry only).
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
    rng : None, int or Generator
        Seed; the result depends on nothing else.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1]})
    >>> ranking = rank(scores, separation="ghost", rng=0)
    >>> ranking.names, ranking.strengths.round(6).tolist()
    (('b', 'a'), [0.666667, 0.333333])
    """
    _check(data, method, interval, metric=metric, tasks=tasks)
    check_confidence(confidence)
    usual = 200 if method in ("elo", "trueskill") else 1000
    draws = usual if resamples is None else resamples
    if draws < 2:
        raise UsageError(f"resamples must be at least 2, not {draws}")
    if isinstance(data, Judgments):
        table: ScoreTable | Judgments = data
    else:
        table = score_table(data, metric=metric, tasks=tasks)
    rule = check_rule(ties)
    generator = as_generator(rng)
    if method == "bradley-terry":
        made = estimates.bradley_terry(
            table,
            draws,
            generator,
            rule=rule,
            interval=interval,
            separation=separation,
            solver=solver,
        )
    elif isinstance(table, ScoreTable) and method in ("mean", "median"):
        made = estimates.average(table, draws, generator, method=method)
    else:
        made = estimates.sequential(table, draws, generator, method=method, k=k, repeats=repeats)
    seed = rng if isinstance(rng, int) else "none"
    return _ranking(
        table,
        made,
        method=method,
        rule=rule,
        interval=interval,
        confidence=confidence,
        seed=seed,
    )


def _check(
    data: Scores | Judgments,
    method: str,
    interval: str,
    *,
    metric: str | Metric | None,
    tasks: str | None,
) -> None:
    if method not in METHODS:
        raise UsageError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if interval not in ("resample", "sandwich"):
        raise UsageError(f"interval is resample or sandwich, not {interval!r}")
    if interval == "sandwich" and method != "bradley-terry":
        raise UsageError(f"sandwich errors are for Bradley-Terry, not {method!r}")
    if len(data.systems) < 2:
        raise DataError("there is nothing to rank: give at least two systems")
    if method in ("elo", "trueskill") and tasks is not None:
        raise UsageError(f"{method} cannot weigh tasks alike: rank each task on its own")
    if isinstance(data, Judgments):
        if method in ("mean", "median"):
            raise UsageError(f"judgments have no {method}: use bradley-terry, elo or trueskill")
        if metric is not None or tasks is not None:
            raise UsageError("metric and tasks are for scores, not for judgments")


def _ranking(
    table: ScoreTable | Judgments,
    made: estimates.Estimate,
    *,
    method: Method,
    rule: TieRule,
    interval: str,
    confidence: float,
    seed: object,
) -> Ranking:
    lower = method in ("mean", "median") and isinstance(table, ScoreTable) and table.sign < 0
    sign = -1.0 if lower else 1.0
    order = np.argsort(-sign * rounded(made.scores), kind="stable")
    resampled = made.resamples[:, order]
    low, high = percentile_interval(resampled, confidence)
    if isinstance(table, Judgments):
        _, units = rows_by_unit(table)
        n, mark = table.n, fingerprint(table.left, table.right, table.outcome)
    else:
        units = table.units
        n, mark = len(table.values), fingerprint(table.parts, table.unit_of)
    sets = rank_sets(sign * made.scores[order], sign * resampled, confidence, units=units.count)
    rated = method == "bradley-terry"
    parts = [f"betterthan:{VERSION}", f"rank-{method}", f"n:{n}", f"{units.name}:{units.count}"]
    parts += [] if isinstance(table, Judgments) else [f"m:{table.metric!r}"]
    parts += [] if units.strata is None else [f"tasks:{int(units.strata.max()) + 1}"]
    parts += [f"ties:{rule}", interval] if rated else []
    parts += [f"b:{len(resampled)}", f"seed:{seed}", f"data:{mark}"]
    return Ranking(
        method=method,
        names=tuple(table.systems[k] for k in order),
        scores=made.scores[order],
        low=low,
        high=high,
        rank_low=sets.low,
        rank_high=sets.high,
        p_best=share_in_top(sign * resampled),
        strengths=_ordered(made.strengths, order),
        ties=rule if rated else None,
        tie_parameter=made.tie,
        sigma=_ordered(made.sigma, order),
        order_spread=_ordered(made.order_spread, order),
        lower_is_better=lower,
        converged=made.converged,
        iterations=made.iterations,
        n=n,
        units=units.count,
        unit_name=units.name,
        confidence=confidence,
        interval=interval,
        resamples=resampled,
        notes=(*_data_notes(table, units), *made.notes),
        signature="|".join(parts),
    )


def _ordered(array: Floats | None, order: NDArray[np.int64]) -> Floats | None:
    return None if array is None else array[order]


def _data_notes(table: ScoreTable | Judgments, units: Units) -> tuple[str, ...]:
    notes = list(table.notes)
    if units.count == 1:
        notes.append("there is one unit only: nothing can be said about uncertainty")
    elif units.count < FEW_UNITS:
        notes.append(f"{units.count} {units.name} are few: resampled intervals are too narrow")
    if isinstance(table, Judgments):
        if units.name == "judgments":
            notes.append(
                "every judgment is taken for independent: name the item (prompt) or the judge as "
                "clusters if they repeat"
            )
    elif not table.complete:
        missing = np.isnan(table.values)
        notes.append(
            f"{int(missing.sum()):,} of {missing.size:,} scores are missing: each pair is compared "
            "on the items both systems have"
        )
    return tuple(notes)
