"""Better than Average: Tables 1 and 4 and Figure 4, how often the aggregations disagree."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from betterthan.papers.average_setups import METHODS, REAL, Setup, grid, simulated
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.ranking import disagreement, score_matrix, study_disagreement
from betterthan.ranking.disagreement import Disagreement, mean_disagreement
from betterthan.ranking.methods import Aggregation

TABLE_1 = {
    ("mean", "median"): ("4", "18", "30"),
    ("mean", "bradley-terry"): ("9", "40", "49"),
    ("median", "bradley-terry"): ("9", "41", "55"),
}
"""Percentages: pairs in another order, setups with another winner, with another best three."""

TABLE_4 = TABLE_1 | {
    ("mean", "elo"): ("20", "55", "84"),
    ("median", "elo"): ("19", "56", "84"),
    ("mean", "trueskill"): ("18", "44", "76"),
    ("median", "trueskill"): ("17", "46", "79"),
    ("bradley-terry", "elo"): ("16", "38", "75"),
    ("bradley-terry", "trueskill"): ("18", "53", "72"),
    ("elo", "trueskill"): ("18", "45", "71"),
}
COLUMNS = ("pairs", "winner", "top 3")


def table_1(runner: Runner) -> Exhibit:
    """Disagreement of three aggregations."""
    found = _disagreements(runner, METHODS)
    return Exhibit(
        "Table 1",
        "disagreement of mean, median and Bradley-Terry",
        cells=_not_available(TABLE_1),
        claims=(
            Claim(
                "The choice of aggregation matters: other pairs, winners and best threes.",
                all(d.share > 0.02 and d.other_winner > 0.05 for d in found),
                f"On simulated setups: {_listed(found)}.",
            ),
        ),
        remarks=(
            "Ties are broken in every way before a winner is called another one; the released tool "
            "takes the first, and its `Same Top-3` compares winners only.",
        ),
    )


def table_4(runner: Runner) -> Exhibit:
    """The same with Elo and TrueSkill."""
    methods: tuple[Aggregation, ...] = (*METHODS, "elo", "trueskill")
    found = _disagreements(runner, methods)
    online = [d for d in found if {d.first, d.second} & {"elo", "trueskill"}]
    paired = [d for d in online if d.first in ("mean", "median")]
    return Exhibit(
        "Table 4",
        "disagreement with Elo and TrueSkill as well",
        cells=_not_available(TABLE_4),
        claims=(
            Claim(
                "Elo and TrueSkill, too, disagree with mean and median.",
                all(d.share > 0.02 for d in paired),
                f"On simulated setups: {_listed(paired)}.",
            ),
        ),
        remarks=(
            "Elo and TrueSkill are averaged over random orders of the games here; the paper takes "
            "the order of the file, which alone makes them disagree with Bradley-Terry.",
        ),
    )


def _disagreements(runner: Runner, methods: tuple[Aggregation, ...]) -> tuple[Disagreement, ...]:
    repeats = 1 if runner.quick else 4
    chosen = [at for at in grid() if at[3] in (5, 10) and at[2] in (30, 100)]
    jobs = [
        {"setup": list(Setup(*at, way="released").key), "methods": list(methods)}
        for at in chosen
        for _ in range(repeats)
    ]
    rows = runner.map(f"disagreement of {len(methods)}", disagreeing, jobs)
    return mean_disagreement(Disagreement(**d, reversed_pairs=()) for row in rows for d in row)


def disagreeing(
    seed: np.random.SeedSequence, setup: list[Any], methods: list[Aggregation]
) -> list[dict[str, object]]:
    """Disagreement of every two aggregations on one simulated setup."""
    scores = simulated(Setup(*setup), np.random.default_rng(seed)).scores
    found = disagreement(scores, methods)
    names = ("first", "second", "tau", "share", "other_winner", "other_top3")
    return [{name: getattr(d, name) for name in names} for d in found]


def _not_available(table: Mapping[tuple[str, str], tuple[str, ...]]) -> tuple[Cell, ...]:
    return tuple(
        Cell(f"{first} vs {second}: {column}, %", value, None, reason=REAL)
        for (first, second), row in table.items()
        for column, value in zip(COLUMNS, row, strict=True)
    )


def _listed(found: tuple[Disagreement, ...] | list[Disagreement]) -> str:
    return "; ".join(
        f"{d.first} vs {d.second} {d.share:.0%}, {d.other_winner:.0%}, {d.other_top3:.0%}"
        for d in found
    )


def figure_4(runner: Runner) -> Exhibit:
    """Disagreement by the size of the test set, on simulated tasks."""
    sizes, repeats = ((10, 50, 100, 500), 4) if runner.quick else ((10, 50, 100, 500, 1000), 20)
    made = {
        f"{types} types, {share:.1%} outliers": score_matrix(
            systems=10,
            items=1_000,
            types=types,
            outliers=share,
            outlier="gross",
            total=10.0,
            offset=20.0,
            rng=np.random.default_rng([runner.seed, types, int(1000 * share)]),
        ).scores
        for types, share in product((1, 3, 10), (0.0, 0.01))
    }
    study = study_disagreement(made, sizes=sizes, repeats=repeats, rng=runner.seed)
    share = {size: {(d.first, d.second): d.share for d in row} for size, row in study.sizes.items()}
    first, last = sizes[0], sizes[-1]
    return Exhibit(
        "Figure 4",
        "disagreement by the size of the test set",
        claims=(
            Claim(
                "With larger test sets the aggregations agree more (c).",
                all(share[last][pair] < share[first][pair] for pair in share[first]),
                f"{first} items: {_shares(share[first])}; {last:,} items: {_shares(share[last])}.",
            ),
        ),
        pictures=(
            Picture(
                "Pairs of systems in another order by the size of the test set (panel c), on six "
                "simulated tasks.",
                (Panel(study),),
            ),
        ),
        remarks=("Panels a and b, by metric and by task, need the paper's data: " + REAL + ".",),
    )


def _shares(row: Mapping[tuple[Aggregation, Aggregation], float]) -> str:
    return ", ".join(f"{a} vs {b} {share:.0%}" for (a, b), share in row.items())
