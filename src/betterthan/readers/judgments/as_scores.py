"""Judgments as scores: the share of each item's judgments that a system won, ties half.

Judgments of many systems are for ranking. Where one system was judged against all others, they are
also scores against that baseline. Files of one system each, all judged against the same opponent,
are compared with one another by their wins against it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, Remedy, UsageError, first_few, how_many
from betterthan.readers.examples import Example
from betterthan.readers.judgments.games import (
    FILE,
    Games,
    games_in_files,
    games_in_place,
    is_judged,
)
from betterthan.readers.lazy_sources import (
    is_counted,
    names_in,
    opened,
    place_of,
    reported,
    stacked,
)
from betterthan.readers.options import Options, names_given
from betterthan.tables.aligned import aligned
from betterthan.tables.declared import Roles
from betterthan.tables.rows import Rows

FORMATS = ("judgments",)
EXAMPLES = {
    "judgments": Example(
        "pairwise judgments",
        "betterthan rank battles.csv",
        "question_id,model_a,model_b,winner\n81,gpt-4o,llama-3,model_a\n82,gpt-4o,llama-3,tie",
    )
}


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the names of the columns."""
    return is_judged([*names_in(path, head)])


def read(sources: Sequence[Any], options: Options) -> Judgments | Scores:
    """Judgments, for rankings; or if a metric asks for it, the share that each system won."""
    if options.lower_is_better:
        raise UsageError("lower_is_better is for scores, and these are judgments")
    # Judgments without a winner can be left out after counting, too.
    here = is_counted(sources, replace(options, missing="error"), {*options.columns})
    if options.metric or not here:
        games = games_in_files(sources, options)
        return scores_of(games, options) if options.metric else games.judgments(options.systems)
    origin = place_of(sources[0]) if len(sources) == 1 else f"{len(sources)} x judgments"
    with reported(sources[0]):
        games = games_in_place(stacked(list(map(opened, sources))), origin, options)
    return games.judgments(options.systems, "counted in place")


def scores_of(games: Games, options: Options) -> Scores:
    """Shares of judgments won; the first of ``options.systems`` is the baseline."""
    named = names_given(options.systems, games.systems)
    against, through = _opponent(games, named)
    won, aside = _won(games.table, against, named)
    others = won["system"].unique(maintain_order=True).to_list()[:-1]
    labels = ("cluster",) if "cluster" in won.columns else ()
    item = games.pair["item"] or ("row",)
    rows = Rows(
        keys=won.select("item", "system", "response"),
        scores=won.select("win"),
        labels=won.select(labels),
        roles=Roles(item=item, system="system", response="judgment", cluster=labels, labels=labels),
        origin=f"{games.origin} against {against}",
    )
    chosen = named if len(named) > 1 else others if through else [against, *others]
    scores = aligned(rows, systems=chosen, metric=options.metrics, missing=options.missing)
    note = f"{how_many(aside, 'judgment')} of others not used: rank them all instead"
    note = f"compared by their wins against {against}, ties half" if through else note
    return replace(
        scores,
        source=games.described(
            rows.origin, scores.systems, how_many(scores.n, "item"), declared=bool(named)
        ),
        notes=(*games.notes, *scores.notes, *([note] if through or aside else [])),
    )


def _opponent(games: Games, named: Sequence[str]) -> tuple[str, bool]:
    """Find whom the wins are against, and whether others are compared through it.

    That is the first system that was named, or the one that took part in all judgments. Files of
    one system each are compared through the latter, unless it was named.
    """
    table, systems = games.table, games.systems
    pairs = table.select("left", "right").unique(maintain_order=True).rows()
    common = [name for name in systems[:2] if all(name in pair for pair in pairs)]
    if len(common) == 1 and named[:1] != common:
        met = table.select(FILE, _other(common[0])).n_unique()
        if met == table[FILE].n_unique() == len(systems) - 1:
            return common[0], True
    if named or common:
        return [*named, *common][0], False
    often, _ = Counter(name for pair in pairs for name in pair).most_common(1)[0]
    raise FormatError(
        f"{games.origin}: no system is in every pair of {first_few(systems)}",
        Remedy("rank them", command="rank"),
        Remedy("compare with one", "systems", [often]),
    )


def _other(against: str) -> pl.Expr:
    """Whom a system met."""
    return pl.when(pl.col("left") == against).then("right").otherwise("left").alias("system")


def _won(table: pl.DataFrame, against: str, named: Sequence[str]) -> tuple[pl.DataFrame, int]:
    """What others won against a system, which won half itself; and how many games are left."""
    each = pl.exclude("counts").repeat_by(pl.col("counts").cast(pl.UInt32))
    table = table.select(each.explode())  # a row for each judgment
    if "items" not in table.columns:
        table = table.with_columns(items=pl.int_range(1, pl.len() + 1).cast(pl.String))
    lost, outcome = pl.col("left") == against, pl.col("outcome")
    won = table.filter(lost | (pl.col("right") == against)).select(
        pl.col("^clusters$").alias("cluster"),
        _other(against),
        item="items",
        win=pl.when(lost).then(1 - outcome).otherwise(outcome),
    )
    aside = len(table) - len(won)
    won = won.filter(pl.col("system").is_in(named)) if len(named) > 1 else won
    if won.is_empty():
        raise UsageError(f"no judgment is of {against!r} and {first_few(named[1:]) or 'another'}")
    number = pl.int_range(1, pl.len() + 1).over("item", "system")
    won = won.with_columns(response=number.cast(pl.String))
    half = won.unique(["item", "response"], keep="first", maintain_order=True)
    half = half.with_columns(system=pl.lit(against), win=pl.lit(0.5))
    return pl.concat([won, half]), aside
