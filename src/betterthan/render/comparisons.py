"""Sheets of comparisons: a card for one, a table for several.

The JSON schema is ``betterthan/comparisons/1``: the names are those of the Python attributes, and
numbers are never rounded.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.metrics.algebra import LOWER
from betterthan.render import paper_tables
from betterthan.render.explained import of_comparisons
from betterthan.render.flipped import flips
from betterthan.render.methods import counted, methods_sentence, test_phrase
from betterthan.render.registry import sheet_of
from betterthan.results.pvalues import format_p
from betterthan.results.sheet import Sheet, Table
from betterthan.results.wording import (
    CORRECTIONS,
    digits,
    listed,
    number,
    p_text,
    scale,
    span,
    unit,
)

HEADLINES = 12
"""Most verdicts that are said one by one above the table."""

_LEFT = {"against", "system", "subset", "metric", "verdict"}
_FIELDS = tuple(
    field.name
    for field in fields(Comparison)
    if field.compare and field.name != "percent"  # how it is printed is no part of it
)


@sheet_of.register
def _(found: Comparison) -> Sheet:
    return sheet_of(found.alone)


@sheet_of.register
def _(found: Comparisons) -> Sheet:
    one = len(found.comparisons) == 1
    records = [record(c) for c in found.comparisons]
    flipped, listings, unlisted = flips(found)
    shared = [note for c in found.comparisons for note in c.notes]
    notes = dict.fromkeys([*shared, *found.notes] if one else [*found.notes, *shared])
    notes |= dict.fromkeys(unlisted)
    return Sheet(
        title="Comparison of "
        + listed([n for c in found.comparisons for n in (c.baseline, c.candidate)]),
        document={
            "schema": "betterthan/comparisons/1",
            "comparisons": [
                r | ({"items": flipped.get(k, [])} if found.items else {})
                for k, r in enumerate(records)
            ],
            "correction": found.correction,
            "alpha": found.alpha,
            "source": found.source,
            "notes": found.notes,
            "signature": found.signature,
        },
        records=[r | _ids(found, flipped.get(k, ())) for k, r in enumerate(records)],
        headlines=headlines(found),
        tables=(table_of(found),),
        paper=lambda: paper_tables.of_comparisons(found),
        card=_card(found.comparisons[0]) if one else (),
        appendix=tuple(listings),
        remarks=family(found),
        notes=tuple(notes),
        signature=found.signature,
        layout="card" if one else "board",
        source=found.source,
        methods=methods_sentence(found),
        explanation=lambda: of_comparisons(found),
    )


@sheet_of.register
def _(found: ItemByItem) -> Sheet:
    gains = found.gains
    at = found.disagreements()
    names = found.scores.item_names(found.rows[at])
    rows = [
        (name, f"{found.first[i]:.4g}", f"{found.second[i]:.4g}", f"{gains[i]:+.4g}")
        for name, i in zip(names, at.tolist(), strict=True)
    ]
    columns = (found.scores.item_names(found.rows), found.first, found.second, gains)
    records = [
        {"item": name, "baseline": float(x), "candidate": float(y), "gain": float(gain)}
        for name, x, y, gain in zip(*columns, strict=True)
    ]
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    both = {"baseline": found.baseline, "candidate": found.candidate, "metric": found.metric}
    return Sheet(
        title=f"{found.candidate} against {found.baseline}, item by item",
        document={"schema": "betterthan/items/1", **both, "rows": records},
        records=records,
        headlines=(
            f"{found.candidate} is ahead on {wins:,} items of {len(gains):,}, {found.baseline} on "
            f"{losses:,} ({found.metric})",
        ),
        tables=(
            Table.of(
                ("item", found.baseline, found.candidate, "in favour"),
                rows,
                left=("item",),
                caption="Items they disagree on most, either way.",
                label="tab:items",
            ),
        ),
        layout="plain",
    )


def _ids(found: Comparisons, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Ids of the items that are listed, for the columns of a spreadsheet."""
    ways = {"worse": ("broke", "worse"), "better": ("fixed", "better")} if found.items else {}
    return {
        f"items_{way}": tuple(r["item"] for r in rows if r["change"] in words)
        for way, words in ways.items()
    }


def record(c: Comparison) -> dict[str, Any]:
    """One comparison as plain values, under the names that Python and JSON share."""
    values = {name: getattr(c, name) for name in _FIELDS}
    return values | {"interval": asdict(c.interval)}


def _card(c: Comparison) -> tuple[str, ...]:
    k, places = printed(c)
    first, second = number(c.score_baseline * k, places), number(c.score_candidate * k, places)
    counts = (
        f"     wins {c.wins:,} │ ties {c.ties:,} │ losses {c.losses:,}"
        if c.wins is not None
        else ""
    )
    lines = [
        f"{c.baseline} {first}   {c.candidate} {second}{counts}",
        f"test      {test_phrase(c)}",
        f"interval  {100 * c.interval.confidence:.4g} % {c.interval.method}",
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * k, places)}{unit(c.percent)}"
        lines.append(f"power     this set detects >= {detects} (80 %, approximate)")
    return tuple(lines)


def overall(found: Comparisons) -> list[Comparison]:
    """Comparisons on all items; or those that there are, where all are of subsets."""
    return [c for c in found.comparisons if c.subset is None] or list(found.comparisons)


def headlines(found: Comparisons) -> tuple[str, ...]:
    """The verdict of each overall comparison, one line each."""
    whole = overall(found)
    several = len({c.metric for c in found}) > 1
    if len(whole) <= HEADLINES:
        return tuple(headline(c, named=several) for c in whole)
    counts = Counter(c.verdict for c in whole)
    told = ", ".join(f"{counts[said]} {said}" for said in ("better", "worse", "can't tell"))
    return (f"{len(whole)} comparisons at alpha = {found.alpha:g}: {told}",)


def headline(c: Comparison, *, named: bool = False) -> str:
    """One comparison's verdict, effect, interval and p, on one line.

    ``named`` tells the metric, where there are several. Where lower is better it is always told,
    with both scores: the effect and its interval are gains, whichever way the scores went.
    """
    k, places = printed(c)
    p = format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor)
    says = {
        "better": f"{c.candidate} is BETTER than {c.baseline}",
        "worse": f"{c.candidate} is WORSE than {c.baseline}",
        "can't tell": f"CAN'T TELL {c.candidate} from {c.baseline}",
    }[c.verdict]
    adjusted = "" if c.correction == "none" else f" ({CORRECTIONS[c.correction]})"
    where = f" on {c.subset}" if c.subset else ""
    if c.lower_is_better:
        first, second = (number(x * k, places) for x in (c.score_baseline, c.score_candidate))
        name = c.metric.replace(f", {LOWER}", "")
        effect = f"{name} {first} -> {second}, lower is better: {_by(c, k, places)}  gain"
    else:
        where = f" by {c.metric}{where}" if named else where
        effect = f"{number(c.delta * k, places, signed=True)}{unit(c.percent)} "
    ends = span(c.interval, k, places)
    return f"{says}{where}   {effect} {ends}  p {p}{adjusted}{_at_odds(c)}"


def _at_odds(c: Comparison) -> str:
    """Say that the interval disagrees with the verdict: each is made in its own way."""
    excludes = c.interval.low > 0.0 or c.interval.high < 0.0
    if excludes == (c.verdict != "can't tell"):
        return ""
    return f"  (though the interval {'excludes' if excludes else 'includes'} 0: p decides)"


def _by(c: Comparison, k: float, places: int) -> str:
    if c.delta == 0:
        return "the same"
    word = "better" if c.delta > 0 else "worse"
    return f"{word} by {number(abs(c.delta) * k, places)}{unit(c.percent)}"


def printed(c: Comparison) -> tuple[float, int]:
    """Factor of printed scores (points for rates), and decimals that the interval justifies."""
    factor = scale(c.percent)
    return factor, digits(factor * (c.interval.high - c.interval.low) / 2)


def table_of(found: Comparisons) -> Table:
    """The comparisons as a table; the best of those that are better stands out."""
    several_metrics = len({c.metric for c in found.comparisons}) > 1
    several_baselines = len(_baselines(found)) > 1
    by_subset = any(c.subset for c in found.comparisons)
    adjusted = found.correction != "none"
    headers = ["against"] * several_baselines + ["system"]
    headers += ["subset"] * by_subset + ["metric"] * several_metrics
    headers += ["n", "baseline", "system score", "delta", "interval", "p"]
    headers += [f"p ({CORRECTIONS.get(found.correction)})"] * adjusted + ["W/T/L", "verdict"]
    rows = []
    for c in found.comparisons:
        k, places = printed(c)
        row = [c.baseline] * several_baselines + [c.candidate]
        row += [c.subset or "all"] * by_subset + [c.metric] * several_metrics
        row += [
            f"{c.n:,}",
            number(c.score_baseline * k, places),
            number(c.score_candidate * k, places),
            number(c.delta * k, places, signed=True),
            span(c.interval, k, places),
            p_text(c.pvalue, c.log10_pvalue, floor=c.test.floor),
        ]
        p = p_text(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor)
        row += [p] * adjusted
        row += ["" if c.wins is None else f"{c.wins}/{c.ties}/{c.losses}", c.verdict]
        rows.append(row)
    winners = [at for at, c in enumerate(found.comparisons) if c.verdict == "better"]
    best = sorted(winners, key=lambda at: -found.comparisons[at].delta)[:1]
    return Table.of(
        headers,
        rows,
        left=_LEFT,
        caption=methods_sentence(found, cite=False),
        bold=[(at, headers.index("system score")) for at in best],
    )


def family(found: Comparisons) -> tuple[str, ...]:
    """How many comparisons there are, and what was done about it."""
    if len(found.comparisons) == 1:
        return ()
    names = _baselines(found)
    baseline = f"Baseline: {names[0]}. " if len(names) == 1 else ""
    points = " Rates in points." if any(c.percent for c in found.comparisons) else ""
    level = f"{100 * (1 - found.alpha):g} %"
    how = (
        f"not adjusted; each interval at {level}"
        if found.correction == "none"
        else f"adjusted by {CORRECTIONS[found.correction]}; intervals hold together at {level}"
    )
    lowered = dict.fromkeys(
        c.metric.replace(f", {LOWER}", "") for c in found.comparisons if c.lower_is_better
    )
    lower = f" Lower is better: {', '.join(lowered)}; delta is the gain." if lowered else ""
    return (f"{baseline}{counted(found)}, {how}.{points}{lower}",)


def _baselines(found: Comparisons) -> list[str]:
    return list(dict.fromkeys(c.baseline for c in found.comparisons))
