"""Five aggregations of the same data, each with what resamples say; nothing is decided yet."""

from typing import Literal

import numpy as np

from betterthan.errors import UsageError, first_few
from betterthan.intervals.quantiles import percentile_ends
from betterthan.metrics import Metric
from betterthan.numeric import Ints
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking import elo, estimates
from betterthan.ranking.likelihood import TieRule
from betterthan.ranking.outcomes import check_rule
from betterthan.ranking.prepared import BattleTable, Prepared, Rankable, ScoreTable, prepare
from betterthan.ranking.result import AGGREGATIONS, Aggregation, GameOrder, Ranking
from betterthan.ranking.uncertainty import (
    NOISE,
    RankSets,
    check_confidence,
    critical_value,
    difference_errors,
    rounded,
    share_in_top,
)
from betterthan.resampling.generator import Rng, as_generator
from betterthan.results.signature import signature

FEW_UNITS = 20


def aggregate(
    data: Rankable,
    method: Aggregation = "bradley-terry",
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
    order: GameOrder = "random",
    rng: Rng = 0,
) -> Ranking:
    """Order systems by one aggregation, with intervals; options as in :func:`rank`.

    No pair is tested, so every rank is open: what only needs the order stops here.
    """
    if method not in AGGREGATIONS:
        raise UsageError(f"method is one of {', '.join(AGGREGATIONS)}, not {method!r}")
    if interval not in ("resample", "sandwich"):
        raise UsageError(f"interval is resample or sandwich, not {interval!r}")
    if interval == "sandwich" and method != "bradley-terry":
        raise UsageError(f"sandwich errors are for Bradley-Terry, not {method!r}")
    check_confidence(confidence)
    replayed = method in ("elo", "trueskill")
    draws = (200 if replayed else 1000) if resamples is None else resamples
    if draws < 2:
        raise UsageError(f"resamples must be at least 2, not {draws}")
    rule = check_rule(ties)
    table = prepare(data, metric=metric, tasks=tasks)
    if replayed and table.units.strata is not None:
        raise UsageError(f"{method} cannot weigh tasks alike: rank each task on its own")
    generator = as_generator(rng)
    if replayed:
        made = estimates.sequential(
            table, draws, generator, method=method, k=k, repeats=repeats, order=order
        )
    elif method == "bradley-terry":
        made = estimates.bradley_terry(
            table,
            draws,
            generator,
            rule=rule,
            interval=interval,
            separation=separation,
            solver=solver,
        )
    elif isinstance(table, ScoreTable):
        made = estimates.average(table, draws, generator, method=method)
    else:
        raise UsageError(f"judgments have no {method}: use bradley-terry, elo or trueskill")
    lower = method in ("mean", "median") and isinstance(table, ScoreTable) and table.sign < 0
    sign = -1.0 if lower else 1.0
    best_first = np.argsort(-sign * rounded(made.scores), kind="stable")
    scores, resampled = made.scores[best_first], made.resamples[:, best_first]
    low, high = percentile_ends(resampled, confidence)
    units = table.units
    # Where every resample says the same there is no interval: what did not vary is not known.
    same = high - low <= NOISE * max(float(np.abs(scores).max()), 1e-300)
    low, high = (np.where(same, np.nan, end) for end in (low, high))
    alone = units.count == 1
    errors = difference_errors(resampled)
    critical = critical_value(scores, resampled, errors, confidence, units.count)
    rated = method == "bradley-terry"
    further = {
        units.name: units.count,
        "tasks": None if units.strata is None else int(units.strata.max()) + 1,
        "ties": rule if rated else None,
        "interval": interval if rated else None,
        "order": order if replayed and order != "random" else None,
    }
    return Ranking(
        method=method,
        names=tuple(table.systems[k] for k in best_first),
        scores=scores,
        low=low,
        high=high,
        sets=RankSets.of(np.zeros(errors.shape, dtype=bool), critical, errors),
        p_best=np.full(len(scores), np.nan) if alone else share_in_top(sign * resampled),
        strengths=None if made.strengths is None else made.strengths[best_first],
        ties=rule if rated else None,
        tie_parameter=made.tie,
        sigma=None if made.sigma is None else made.sigma[best_first],
        order_spread=None if made.order_spread is None else made.order_spread[best_first],
        lower_is_better=lower,
        converged=made.converged,
        iterations=made.iterations,
        n=table.n,
        units=units.count,
        unit_name=units.name,
        confidence=confidence,
        interval=interval,
        resamples=resampled,
        notes=(*_data_notes(table), *made.notes, *_same_notes(table, best_first[same])),
        signature=signature(
            f"rank-{method}",
            metric=table.metric if isinstance(table, ScoreTable) else None,
            n=table.n,
            further=further,
            resamples=len(resampled),
            seed=rng,
            data=table.content,
        ),
    )


def _same_notes(table: Prepared, same: Ints) -> tuple[str, ...]:
    """Name the systems without an interval; one unit has a note of its own."""
    if table.units.count == 1 or not same.size:
        return ()
    names = first_few(table.systems[k] for k in same)
    return (f"no interval for {names}: every resample gives the same score",)


def _data_notes(table: Prepared) -> tuple[str, ...]:
    notes, units = list(table.notes), table.units
    if units.count == 1:
        notes.append("there is one unit only: nothing can be said about uncertainty")
    elif units.count < FEW_UNITS:
        notes.append(f"{units.count} {units.name} are few: resampled intervals are too narrow")
    if isinstance(table, BattleTable):
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
