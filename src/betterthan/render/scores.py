"""Sheets of scores with intervals."""

from betterthan.comparison.scoring import SystemScore, SystemScores
from betterthan.render.explained_claims import of_scores
from betterthan.render.paper_tables import scores_for_paper
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import digits, listed, number, scale, unit, units
from betterthan.results.sheet import Sheet, Table, attributes, row_of

_LEFT = {"system", "subset", "metric", "by"}


@sheet_of.register
def _(found: SystemScores) -> Sheet:
    one = len(found) == 1
    level = f"{100 * (1 - found.alpha):.4g} %"
    methods = listed([e.interval.method for e in found])
    points = " Rates in points." if any(e.percent for e in found) else ""
    return Sheet(
        title="Score of " + listed([e.system for e in found]),
        kind="scores",
        rows=[row_of("scores", e) for e in found],
        facts=attributes(found, "alpha"),
        headlines=(_headline(found[0]),) if one else (),
        tables=(_table(found, level, methods),),
        paper=lambda: scores_for_paper(
            found, f"Intervals hold at {level}, each by itself ({methods})."
        ),
        card=(f"{level} interval by {methods}",) if one else (),
        remarks=()
        if one
        else (
            f"Each interval holds at {level} by itself.{points}",
            "Intervals that overlap do not say that systems are equal: compare them.",
        ),
        notes=found.notes,
        signature=found.signature,
        layout="card" if one else "board",
        source=found.source,
        explanation=lambda: of_scores(found),
        methods=lambda: f"Scores have {level} confidence intervals ({methods}).",
    )


def _headline(e: SystemScore) -> str:
    score, span = _numbers(e)
    on = units(e.n, e.clusters)
    return f"{e.system} scores {score}{unit(e.percent)}  {span}   ({e.metric}, {on})"


def _numbers(e: SystemScore) -> tuple[str, str]:
    """The score and its interval, with the digits that the interval justifies."""
    k = scale(e.percent)
    places = digits(k * (e.interval.high - e.interval.low) / 2)
    low, high = (number(x * k, places) for x in (e.interval.low, e.interval.high))
    return number(e.score * k, places), f"[{low}, {high}]"


def _table(found: SystemScores, level: str, methods: str) -> Table:
    by_subset = any(e.subset for e in found)
    several = len({e.metric for e in found}) > 1
    clustered = any(e.clusters is not None for e in found)
    headers = ["system"] + ["subset"] * by_subset + ["metric"] * several
    headers += ["n"] + ["clusters"] * clustered + ["score", level, "by"]
    rows = []
    for e in found:
        row = [e.system] + [e.subset or "all"] * by_subset + [e.metric] * several
        row += [f"{e.n:,}"] + ["" if e.clusters is None else f"{e.clusters:,}"] * clustered
        rows.append([*row, *_numbers(e), e.interval.method])
    return Table.of(
        headers,
        rows,
        left=_LEFT,
        caption=f"Scores with {level} confidence intervals ({methods}).",
        label="tab:scores",
    )
