"""Sheets of scores with intervals. The JSON schema is ``betterthan/estimates/1``."""

from dataclasses import asdict, fields

from betterthan.comparison.estimating import Estimate, Estimates
from betterthan.render import explained_claims
from betterthan.render.paper_tables import estimates_for_paper
from betterthan.render.registry import sheet_of
from betterthan.results.sheet import Sheet, Table, attributes
from betterthan.results.wording import digits, listed, number, scale, unit, units

_FIELDS = tuple(field.name for field in fields(Estimate) if field.name != "percent")
_LEFT = {"system", "subset", "metric", "by"}


@sheet_of.register
def _(found: Estimates) -> Sheet:
    one = len(found) == 1
    records = [attributes(e, *_FIELDS) | {"interval": asdict(e.interval)} for e in found]
    level = f"{100 * found.confidence:.4g} %"
    methods = listed([e.interval.method for e in found])
    points = " Rates in points." if any(e.percent for e in found) else ""
    return Sheet(
        title="Score of " + listed([e.system for e in found]),
        document={
            "schema": "betterthan/estimates/1",
            "estimates": records,
            **attributes(found, "confidence", "source", "notes", "signature"),
        },
        records=records,
        headlines=(_headline(found[0]),) if one else (),
        tables=(_table(found, level, methods),),
        paper=lambda: estimates_for_paper(
            found, f"Intervals hold at {level}, each by itself ({methods})."
        ),
        card=(f"{level} interval by {methods}",) if one else (),
        remarks=()
        if one
        else (
            f"Each interval holds at {level} by itself.{points}",
            "Intervals that overlap do not say that systems are equal: compare them.",
        ),
        notes=tuple(dict.fromkeys([*found.notes, *(note for e in found for note in e.notes)])),
        signature=found.signature,
        layout="card" if one else "board",
        source=found.source,
        explanation=lambda: explained_claims.of_estimates(found),
        methods=lambda: f"Scores have {level} confidence intervals ({methods}).",
    )


def _headline(e: Estimate) -> str:
    score, span = _numbers(e)
    on = units(e.n, e.clusters)
    return f"{e.system} scores {score}{unit(e.percent)}  {span}   ({e.metric}, {on})"


def _numbers(e: Estimate) -> tuple[str, str]:
    """The score and its interval, with the digits that the interval justifies."""
    k = scale(e.percent)
    places = digits(k * (e.interval.high - e.interval.low) / 2)
    low, high = (number(x * k, places) for x in (e.interval.low, e.interval.high))
    return number(e.score * k, places), f"[{low}, {high}]"


def _table(found: Estimates, level: str, methods: str) -> Table:
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
        label="tab:estimates",
    )
