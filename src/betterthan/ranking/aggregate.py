"""Five aggregations of the same data, each with what resamples say; nothing is decided yet."""

import math
from typing import TypeGuard, Unpack

import numpy as np

from betterthan.checks import check_level
from betterthan.errors import COLUMN, Choice, DataError, Note, Remedy, UsageError, first_few
from betterthan.intervals.quantiles import expanded_tail, percentile_ends
from betterthan.numeric import Ints
from betterthan.ranking import aggregations
from betterthan.ranking.methods import BradleyTerry, Mean, Median, Method, Online, method_of
from betterthan.ranking.pair_counts import is_two_valued
from betterthan.ranking.prepared import Rankable, prepare
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import BattleTable, Prepared, ScoreTable
from betterthan.ranking.uncertainty import (
    NOISE,
    RankSets,
    critical_value,
    difference_errors,
    errors_of_differences,
    rounded,
    share_in_top,
)
from betterthan.ranking.units import Draws
from betterthan.resampling.generator import Rng, affordable, as_generator, binomial_ends
from betterthan.resampling.work import Sampling
from betterthan.results.signature import signature

FEW_ITEMS, FEW_UNITS = 8, 20
"""Fewer items, or clusters or judgments, than this: intervals cover less often than they say."""

MOST_SYSTEMS = 3000
"""Systems of one board: a dozen matrices of all pairs, of 72 MB each at this size."""

MOST_BY_MEAN = 20_000
"""Systems that are ranked by the mean of 0/1 scores: five bytes for each two of them."""

SOME_SYSTEMS = Remedy("choose which to rank", "systems", Choice("A,B,..."))
BY_MEAN = Remedy("rank by means", "method", Mean.name)

MOST_ON_FEW = 200
"""Systems that are rated on units too few to tell any two apart: resamples of these are so far from
the data that each is fitted from its beginning, in time by the cube of the systems."""


def aggregate(
    data: Rankable,
    method: Method | str,
    *,
    alpha: float = 0.05,
    rng: Rng = 0,
    most: int | None = None,
    **sampling: Unpack[Sampling],
) -> Ranking:
    """Order systems by one method, with intervals.

    No pair is tested, so every rank is open: what only needs the order stops here. Of more than
    ``MOST_SYSTEMS`` systems, where ``most`` allows them, differences have no errors.
    """
    table, method = prepare(data), method_of(method)
    check_level(alpha)
    level = 1.0 - alpha
    _check_even(table, method)
    generator = as_generator(rng)
    draws = Draws.of(sampling, generator, 200 if isinstance(method, Online) else 1000)
    affordable(resamples=draws.number, systems=len(table.systems))
    check_pairs(table, most)
    if isinstance(method, Online):
        _check_weights(table, method)
        made = aggregations.sequential(table, method, generator, draws)
    elif isinstance(method, BradleyTerry):
        _check_units(table, alpha)
        made = aggregations.bradley_terry(table, method, generator, draws)
    elif isinstance(table, ScoreTable):
        made = aggregations.average(table, method, draws)
    else:
        raise UsageError(
            f"judgments have no {method}",
            *(Remedy("", "method", name) for name in ("bradley-terry", "elo", "trueskill")),
        )
    direction = table.sign if isinstance(table, ScoreTable) else 1.0
    lower = direction < 0 and isinstance(method, Mean | Median)
    sign = -1.0 if lower else 1.0
    best_first = np.argsort(-sign * rounded(made.scores), kind="stable")
    scores, resampled = made.scores[best_first], made.resamples[:, best_first]
    units, count = table.units, table.units.count
    tasks = 1 if units.strata is None else int(units.strata.max()) + 1
    varied = count > 1 and len(resampled) > 1
    errors, critical = None, float("inf")
    low = high = scores
    if len(resampled) > 1:
        low, high = percentile_ends(resampled, expanded_tail((1.0 - level) / 2.0, count, tasks))
    # Where every resample says the same there is no interval: what did not vary is not known.
    same = high - low <= NOISE * max(float(np.abs(scores).max()), 1e-300)
    low, high = (np.where(same, np.nan, end) for end in (low, high))
    binomial = same & varied & _independent_rates(table, method)
    if binomial.any():  # all right, or all wrong: the law of their number is known
        items = table.sizes[best_first]
        for k in np.flatnonzero(binomial):
            right, tail = round(float(scores[k] * items[k])), (1.0 - level) / 2.0
            low[k], high[k] = binomial_ends(right, int(items[k]), tail)
    if not too_many(len(scores)):
        errors = difference_errors(resampled)
        if made.robust is not None:
            robust = errors_of_differences(made.robust[np.ix_(best_first, best_first)])
            errors = np.maximum(errors, robust)
        critical = critical_value(scores, resampled, errors, level, count)
    further = {
        units.name: count,
        "tasks": None if units.strata is None else tasks,
        "ties": method.ties if isinstance(method, BradleyTerry) else None,
        "interval": method.interval if isinstance(method, BradleyTerry) else None,
        "order": "file" if isinstance(method, Online) and method.order == "file" else None,
    }
    return Ranking(
        method=method.name,
        names=tuple(table.systems[k] for k in best_first),
        scores=scores,
        low=low,
        high=high,
        sets=RankSets.of(np.zeros((len(scores),) * 2, dtype=bool), critical, errors),
        comes_first=share_in_top(sign * resampled) if varied else np.full(len(scores), np.nan),
        strengths=None if made.strengths is None else made.strengths[best_first],
        ties=method.ties if isinstance(method, BradleyTerry) else None,
        tie_parameter=made.tie,
        sigma=None if made.sigma is None else made.sigma[best_first],
        order_spread=None if made.order_spread is None else made.order_spread[best_first],
        lower_is_better=lower,
        converged=made.converged,
        iterations=made.iterations,
        n=table.n,
        units=count,
        unit_name=units.name,
        level=level,
        interval=method.interval if isinstance(method, BradleyTerry) else "resample",
        resamples=resampled,
        notes=(
            *_data_notes(table),
            *made.notes,
            *_same_notes(table, best_first[same & varied], known=bool(binomial.any())),
        ),
        signature=signature(
            f"rank-{method.name}",
            metric=table.metric if isinstance(table, ScoreTable) else None,
            n=table.n,
            further=further,
            resamples=len(resampled),
            seed=rng,
            data=table.content,
        ),
    )


def too_many(systems: int) -> bool:
    """Whether systems are more than a board compares two by two."""
    return systems > MOST_SYSTEMS


def by_margins(table: Prepared, method: Method) -> TypeGuard[ScoreTable]:
    """Whether systems are too many for a board, and can be ranked all the same.

    That is where wins and losses are all that a test of two means needs: independent items, right
    or wrong.
    """
    many = too_many(len(table.systems)) and len(table.systems) <= MOST_BY_MEAN
    return many and isinstance(method, Mean) and not _beyond_margins(table)


def check_pairs(table: Prepared, most: int | None = None) -> None:
    """Check that systems are not more than can be compared two by two, in memory and in time."""
    systems = len(table.systems)
    if systems <= (most or MOST_SYSTEMS):
        return
    pairs = f"{systems:,} systems make {systems * (systems - 1) // 2:,} pairs"
    why = _beyond_margins(table)
    if why:
        raise UsageError(
            f"{pairs}, and {why} take a test for each of them: a board has {MOST_SYSTEMS:,} "
            "systems at most",
            SOME_SYSTEMS,
        )
    if systems > MOST_BY_MEAN:
        raise UsageError(f"{pairs}: {MOST_BY_MEAN:,} systems are ranked at most", SOME_SYSTEMS)
    raise UsageError(
        f"{pairs}, more than the {MOST_SYSTEMS:,} systems of a board: of scores that are right or "
        f"wrong, as these are, up to {MOST_BY_MEAN:,} systems are ranked by their means, without "
        "the other columns of a board",
        BY_MEAN,
        SOME_SYSTEMS,
    )


def least_units(systems: int, alpha: float) -> int:
    """How many units it takes before any two of the systems can be told apart, jointly.

    Not even a system that wins every unit has a smaller p-value than ``2 ** (1 - units)``.

    >>> least_units(2, 0.05), least_units(3, 0.05)
    (6, 7)
    """
    return 1 + math.ceil(math.log2(systems * (systems - 1) / 2 / alpha))


def _check_units(table: Prepared, alpha: float) -> None:
    """Check that a great many systems are not rated on a handful of units."""
    systems, units = len(table.systems), table.units
    if systems <= MOST_ON_FEW or units.count >= least_units(systems, alpha):
        return
    raise DataError(
        f"{systems:,} systems cannot be rated on {units.count} {units.name}, which tell no two of "
        f"them apart, whatever their scores: at least {least_units(systems, alpha)} are needed, or "
        f"{MOST_ON_FEW} systems at most",
        SOME_SYSTEMS,
    )


def _check_weights(table: Prepared, method: Online) -> None:
    """Check that games need not weigh differently, as those of tasks do."""
    if isinstance(table, ScoreTable) and table.units.strata is not None:
        raise UsageError(
            f"{method.name} cannot weigh tasks alike",
            BY_MEAN,
            Remedy("each task by itself", "where", {table.scores.tasks: Choice("TASK")}),
        )


def _check_even(table: Prepared, method: Method) -> None:
    """Check that only means are taken where systems have unequal numbers of responses."""
    if not isinstance(table, ScoreTable):
        return
    if table.metric.form == "blackbox":
        table.scores.check_even(repr(table.metric), Remedy("a mean", "metric", Choice("METRIC")))
    elif not isinstance(method, Mean):
        table.scores.check_even(method.name, BY_MEAN)


def _beyond_margins(table: Prepared) -> str:
    """Why wins and losses are not all that a test of two means needs; empty where they are."""
    if not isinstance(table, ScoreTable):
        return "judgments"
    if table.units.name != "items":
        return "items in clusters"
    if table.units.strata is not None:
        return "tasks that weigh the same"
    if table.metric.form != "mean":
        return f"scores by {table.metric!r}"
    return "" if is_two_valued(table.values) else "scores that are not all 0 or 1, as these are,"


def _independent_rates(table: Prepared, method: Method) -> bool:
    """Whether scores are means of independent items that are right or wrong."""
    if not isinstance(method, Mean) or not isinstance(table, ScoreTable):
        return False
    alone = table.units.name == "items" and table.units.strata is None
    return alone and table.metric.form == "mean" and table.scores.is_rate(table.metric)


def _same_notes(table: Prepared, same: Ints, *, known: bool) -> tuple[str, ...]:
    """Name the systems that resamples have no interval for."""
    if not same.size:
        return ()
    names = first_few(table.systems[k] for k in same)
    if known:
        return (f"the interval of {names} is Clopper and Pearson's: every resample has that score",)
    return (f"no interval for {names}: every resample gives the same score",)


def _data_notes(table: Prepared) -> tuple[str, ...]:
    notes: list[str] = list(table.notes)
    units, count = table.units, table.units.count
    if isinstance(table, ScoreTable):
        notes += table.scores.response_notes()[1:]
    if count == 1:
        notes.append("there is one unit only: nothing can be said about uncertainty")
    elif count < (FEW_ITEMS if units.name == "items" else FEW_UNITS):
        notes.append(f"{count} {units.name} are few: resampled intervals are too narrow")
    if isinstance(table, BattleTable):
        unlabelled = table.judgments.items is None and table.judgments.clusters is None
        if units.name == "judgments" and unlabelled:
            notes.append(
                Note(
                    "every judgment is taken for independent",
                    Remedy("if prompts or judges repeat", "cluster", COLUMN),
                    beside_verdict=True,
                )
            )
    elif not table.complete:
        missing = np.isnan(table.values)
        notes.append(
            f"{int(missing.sum()):,} of {missing.size:,} scores are missing: each pair is compared "
            "on the items both systems have"
        )
    return tuple(notes)
