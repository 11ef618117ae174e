"""Sheets of comparisons: a card for one, a table for several."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.errors import how_many
from betterthan.metrics.algebra import LOWER
from betterthan.render import paper_tables
from betterthan.render.explained import of_comparisons
from betterthan.render.flipped import flips
from betterthan.render.methods import (
    joint_draws,
    levels,
    methods_sentence,
    number_of_comparisons,
    test_phrase,
)
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import (
    CORRECTIONS,
    VERDICTS,
    digits,
    format_p,
    listed,
    number,
    scale,
    span,
    unit,
)
from betterthan.results.schemas import columns_of
from betterthan.results.sheet import Line, Sheet, Table, attributes, row_of

HEADLINES = 12
"""Most verdicts that are said one by one above the table."""

_LEFT = {"against", "system", "subset", "metric", "verdict"}


@sheet_of.register
def _(found: Comparison) -> Sheet:
    return sheet_of(found.alone)


@sheet_of.register
def _(found: Comparisons) -> Sheet:
    one = len(found.comparisons) == 1
    sides = dict.fromkeys(c.alternative for c in found.comparisons)
    numbers = [written(c) for c in found.comparisons]
    flipped, listings, unlisted = flips(found)
    shared = [note for c in found.comparisons for note in c.notes]
    notes = dict.fromkeys([*shared, *found.notes] if one else [*found.notes, *shared])
    notes |= dict.fromkeys(unlisted)
    return Sheet(
        title="Comparison of "
        + listed([n for c in found.comparisons for n in (c.baseline, c.candidate)]),
        kind="comparisons",
        rows=[row_of("comparisons", c) for c in found.comparisons],
        facts={
            **attributes(found, "alpha", "correction"),
            "alternative": next(iter(sides), None),
            "items": [{"row": k, **item} for k, items in flipped.items() for item in items],
        },
        headlines=_headlines(found, numbers),
        tables=(_table(found, numbers),),
        paper=lambda: paper_tables.comparisons_for_paper(found),
        card=_card(found.comparisons[0], numbers[0]) if one else (),
        appendix=tuple(listings),
        remarks=family(found),
        notes=tuple(notes),
        signature=found.signature,
        layout="card" if one else "board",
        source=found.source,
        methods=lambda: methods_sentence(found),
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
        dict(zip(columns_of("items"), (name, *map(float, numbers)), strict=True))
        for name, *numbers in zip(*columns, strict=True)
    ]
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    return Sheet(
        title=f"{found.candidate} against {found.baseline}, item by item",
        kind="items",
        rows=records,
        facts=attributes(found, "baseline", "candidate", "metric"),
        headlines=(
            f"{found.candidate} is ahead on {how_many(wins, 'item')} of {len(gains):,}, "
            f"{found.baseline} on {losses:,} ({found.metric})",
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


class Written(NamedTuple):
    """The numbers of one comparison as they are written everywhere.

    Scores, delta and interval are in points for rates, with the decimals that the interval
    justifies; ``unit`` stands behind delta; ``p`` and ``adjusted`` begin with their sign, = or <.
    """

    factor: float
    places: int
    unit: str
    baseline: str
    candidate: str
    delta: str
    interval: str
    p: str
    adjusted: str


def written(c: Comparison) -> Written:
    """Write the numbers of a comparison, once for the headline, the table and the page."""
    k = scale(c.percent)
    places = digits(k * (c.interval.high - c.interval.low) / 2)
    return Written(
        k,
        places,
        unit(c.percent),
        number(c.score_baseline * k, places),
        number(c.score_candidate * k, places),
        number(c.delta * k, places, signed=True),
        span(c.interval, k, places),
        format_p(c.pvalue, c.log10_pvalue, floor=c.test.floor, alpha=c.alpha),
        format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor, alpha=c.alpha),
    )


def _card(c: Comparison, said: Written) -> tuple[Line, ...]:
    counts = (
        f"     wins {c.wins:,} │ ties {c.ties:,} │ losses {c.losses:,}"
        if c.wins is not None
        else ""
    )
    lines: list[Line] = [
        f"{c.baseline} {said.baseline}   {c.candidate} {said.candidate}{counts}",
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.level:.4g} %, {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * said.factor, said.places)}{said.unit}"
        lines.append(("power", f"this set detects >= {detects} (80 %, approximate)"))
    return tuple(lines)


def overall(found: Comparisons) -> list[int]:
    """Places of the comparisons on all items; of those there are, where all are of subsets."""
    whole = [k for k, c in enumerate(found.comparisons) if c.subset is None]
    return whole or list(range(len(found.comparisons)))


def _headlines(found: Comparisons, numbers: Sequence[Written]) -> tuple[str, ...]:
    """The verdict of each overall comparison, one line each."""
    whole = overall(found)
    several = len({c.metric for c in found.comparisons}) > 1
    if len(whole) <= HEADLINES:
        return tuple(headline(found.comparisons[k], numbers[k], named=several) for k in whole)
    counts = Counter(found.comparisons[k].verdict for k in whole)
    told = ", ".join(f"{counts[said]} {said}" for said in ("better", "worse", "can't tell"))
    return (f"{how_many(len(whole), 'comparison')} at alpha = {found.alpha:g}: {told}",)


def headline(c: Comparison, said: Written, *, named: bool = False) -> str:
    """One comparison's verdict, effect, interval and p, on one line.

    ``named`` tells the metric, where there are several. Where lower is better it is always told,
    with both scores: the effect and its interval are gains, whichever way the scores went.
    """
    says = VERDICTS[c.verdict].format(c)
    adjusted = "" if c.correction == "none" else f" ({CORRECTIONS[c.correction]})"
    where = f" on {c.subset}" if c.subset else ""
    if c.lower_is_better:
        name = c.metric.replace(f", {LOWER}", "")
        scores = f"{said.baseline} -> {said.candidate}"
        effect = f"{name} {scores}, lower is better: {_by(c, said)}  gain"
    else:
        where = f" by {c.metric}{where}" if named else where
        effect = f"{said.delta}{said.unit} "
    return f"{says}{where}   {effect} {said.interval}  p {said.adjusted}{adjusted}{_at_odds(c)}"


def _at_odds(c: Comparison) -> str:
    """Say that test and metric disagree."""
    if not c.opposed:
        return ""
    who = c.candidate if c.test.favours > 0 else c.baseline
    return f"  (the {c.test.test} test favours {who}, the {c.metric} does not)"


def _by(c: Comparison, said: Written) -> str:
    if c.delta == 0:
        return "the same"
    return f"{'better' if c.delta > 0 else 'worse'} by {said.delta.lstrip('+-')}{said.unit}"


def _table(found: Comparisons, numbers: Sequence[Written]) -> Table:
    """The comparisons as a table; the best of those that are better stands out."""
    several_metrics = len({c.metric for c in found.comparisons}) > 1
    several_baselines = len({c.baseline for c in found.comparisons}) > 1
    by_subset = any(c.subset for c in found.comparisons)
    adjusted = found.correction != "none"
    headers = ["against"] * several_baselines + ["system"]
    headers += ["subset"] * by_subset + ["metric"] * several_metrics
    headers += ["n", "baseline", "system score", "delta", "interval", "p"]
    headers += [f"p ({CORRECTIONS.get(found.correction)})"] * adjusted + ["W/T/L", "verdict"]
    rows = []
    for c, said in zip(found.comparisons, numbers, strict=True):
        row = [c.baseline] * several_baselines + [c.candidate]
        row += [c.subset or "all"] * by_subset + [c.metric] * several_metrics
        row += [f"{c.n:,}", said.baseline, said.candidate, said.delta, said.interval]
        row += [p.removeprefix("= ") for p in (said.p, *[said.adjusted] * adjusted)]
        row += ["" if c.wins is None else f"{c.wins}/{c.ties}/{c.losses}", c.verdict]
        rows.append(row)
    winners = [at for at, c in enumerate(found.comparisons) if c.verdict == "better"]
    best = sorted(winners, key=lambda at: -found.comparisons[at].delta)[:1]
    return Table.of(
        headers,
        rows,
        left=_LEFT,
        bold=[(at, headers.index("system score")) for at in best],
    )


def family(found: Comparisons) -> tuple[str, ...]:
    """How many comparisons there are, and what was done about it."""
    if len(found.comparisons) == 1:
        return ()
    names = list(dict.fromkeys(c.baseline for c in found.comparisons))
    baseline = f"Baseline: {names[0]}. " if len(names) == 1 else ""
    points = " Rates in points." if any(c.percent for c in found.comparisons) else ""
    how = f"not adjusted; each interval at {levels(found)}"
    if found.correction != "none":
        name = CORRECTIONS[found.correction]
        drawn = f", {joint_draws(found)}" if found.correction == "max-t" else ""
        how = (
            f"{name}: p ({name}{drawn}) decides. Each interval has the level at which its p was "
            f"judged ({levels(found)})"
        )
    lowered = dict.fromkeys(
        c.metric.replace(f", {LOWER}", "") for c in found.comparisons if c.lower_is_better
    )
    lower = f" Lower is better: {', '.join(lowered)}; delta is the gain." if lowered else ""
    return (f"{baseline}{number_of_comparisons(found)}, {how}.{points}{lower}",)
