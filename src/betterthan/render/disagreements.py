"""Sheets of how far aggregations disagree, and of how scores spread."""

import numpy as np

from betterthan.ranking.disagreement import DisagreementStudy
from betterthan.ranking.score_spread import ScoreSpread
from betterthan.render.registry import sheet_of
from betterthan.results.sheet import Sheet, Table, attributes, row_of


@sheet_of.register
def _(found: DisagreementStudy) -> Sheet:
    groups = [(None, found.overall), *found.sizes.items()]
    rows = [
        (
            "all" if size is None else f"{size:,}",
            f"{d.first} vs {d.second}",
            *(f"{100 * share:.1f}" for share in (d.share, d.other_winner, d.other_top3)),
            "–" if np.isnan(d.tau) else f"{d.tau:.3f}",
            f"{d.setups:,}",
        )
        for size, row in groups
        for d in row
    ]
    headers = ("items", "aggregations", "pairs %", "winner %", "top 3 %", "tau", "sets")
    return Sheet(
        title=f"Disagreement of aggregations on {len(found.setups)} data sets",
        kind="aggregation",
        rows=[row_of("aggregation", d, items=size) for size, row in groups for d in row],
        facts=attributes(found, "setups", "repeats", "spreads"),
        tables=(
            Table.of(
                headers,
                rows,
                left=("aggregations",),
                caption=f"How often aggregations disagree on {len(found.setups)} data sets: "
                "pairs of systems in another order, another winner, another best three.",
                label="tab:disagreement",
            ),
        ),
        remarks=(
            "Share of pairs of systems in another order, of data sets with another winner, and of "
            "those with another best three, however ties are broken.",
            *(sheet_of(found.spreads[0]).remarks if len(found.spreads) == 1 else ()),
        ),
        layout="board",
    )


@sheet_of.register
def _(found: ScoreSpread) -> Sheet:
    rows = [(name, f"{100 * share:.1f}") for name, share in found.outliers_of.items()]
    return Sheet(
        title="How scores spread",
        kind="spread",
        rows=[{"system": name, "outliers": share} for name, share in found.outliers_of.items()],
        facts=attributes(found, "outliers", "within_items", "of_ranks", "between_items", "n"),
        tables=(
            Table.of(
                ("system", "outliers %"),
                rows,
                left=("system",),
                caption=f"Scores that are outliers among a system's {found.n:,}.",
                label="tab:spread",
            ),
        ),
        remarks=(
            f"Outliers of all scores: {100 * found.outliers:.1f} %. Standard deviations: "
            f"{found.within_items:.4g} between systems on an item, {found.between_items:.4g} "
            f"between items, {found.of_ranks:.3g} of a system's rank over items ({found.n:,} "
            "items).",
        ),
        layout="board",
    )
