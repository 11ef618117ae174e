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
NAMED = 8
"""Most names in one line of verdicts."""

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
        headlines=tuple(line for _, line in verdict_lines(found)),
        subheads=_parts(found),
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
    rate = " %" if c.percent else ""
    lines: list[Line] = [
        f"{c.baseline} {said.baseline}{rate}   {c.candidate} {said.candidate}{rate}{counts}",
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.level:.4g} %, {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * said.factor, said.places)}{said.unit}"
        lines.append(("detects", f"gains of {detects} or more, 4 times out of 5"))
    return tuple(lines)


def overall(found: Comparisons) -> list[int]:
    """Places of the comparisons on all items; of those there are, where all are of subsets."""
    whole = [k for k, c in enumerate(found.comparisons) if c.subset is None]
    return whole or list(range(len(found.comparisons)))


def verdict_lines(found: Comparisons) -> list[tuple[str, str]]:
    """Verdicts and lines: one for each that is clear, and one for all that are not.

    Only the comparisons on all items count, where there are any; very many are counted.
    """
    whole = [found.comparisons[k] for k in overall(found)]
    metrics = {c.metric for c in whole}
    if len(whole) == 1:
        return [(whole[0].verdict, headline(whole[0], written(whole[0])))]
    if len({c.verdict for c in whole} - {"can't tell"}) == 2 and _one_pair(whole):
        ways = "; ".join(
            f"{verdict.upper()} by {listed([c.metric for c in whole if c.verdict == verdict])}"
            for verdict in dict.fromkeys(c.verdict for c in whole)
        )
        name = f"{whole[0].candidate} against {whole[0].baseline}"
        return [("can't tell", f"The metrics disagree on {name}: {ways}")]
    if len(whole) > HEADLINES:
        counts = Counter(c.verdict for c in whole)
        told = ", ".join(f"{counts[said]} {said}" for said in ("better", "worse", "can't tell"))
        line = f"{how_many(len(whole), 'comparison')} at alpha = {found.alpha:g}: {told}"
        return [("can't tell", line)]
    clear = [c for c in whole if c.verdict != "can't tell"]
    lines: list[tuple[str, str]] = [
        (c.verdict, headline(c, written(c), named=len(metrics) > 1)) for c in clear
    ]
    unclear: dict[tuple[str, str, str | None], list[str]] = {}
    for c in whole:
        if c.verdict == "can't tell":
            unclear.setdefault((c.baseline, c.metric, c.subset), []).append(c.candidate)
    by_metric: dict[tuple[str, str, str | None], list[str]] = {}
    for (baseline, metric, subset), candidates in unclear.items():
        names = listed(candidates, NAMED)
        by_metric.setdefault((names, baseline, subset), []).append(metric)
    for (names, baseline, subset), unsure in by_metric.items():
        by = f" by {listed(unsure, NAMED)}" if len(metrics) > 1 else ""
        on = f" on {subset}" if subset else ""
        lines.append(("can't tell", f"CAN'T TELL {names} from {baseline}{by}{on}"))
    return lines


def _one_pair(comparisons: Sequence[Comparison]) -> bool:
    return len({(c.baseline, c.candidate) for c in comparisons}) == 1


def _parts(found: Comparisons) -> tuple[str, ...]:
    """The verdicts on the parts of the items, a line for each label, where there is one pair."""
    parts = [c for c in found.comparisons if c.subset]
    if len(parts) == len(found.comparisons) or not _one_pair(parts):
        return ()
    lines: dict[tuple[str, str], dict[str, list[str]]] = {}
    for c in parts:
        label, _, value = (c.subset or "").rpartition("=")
        lines.setdefault((label, c.metric), {}).setdefault(c.verdict, []).append(value)
    several = len({c.metric for c in parts}) > 1
    return tuple(
        f"by {label}{f', {metric}' * several}: "
        + "; ".join(
            f"{verdict.upper()} in {listed(verdicts[verdict], NAMED)}"
            for verdict in ("better", "worse", "can't tell")
            if verdict in verdicts
        )
        for (label, metric), verdicts in lines.items()
    )


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
    """The comparisons as a table; what is the same in every row is left out.

    With one baseline its score is a row of its own, without a gain; else every row has it. The best
    of those that are better stands out.
    """
    cs = found.comparisons
    baselines = [c.baseline for c in cs]
    metrics, subsets = [c.metric for c in cs], [c.subset or "all" for c in cs]
    own_row = len(cs) > 1 and len({*zip(baselines, metrics, subsets, strict=True)}) == 1
    first, second = "baseline", "score"
    if _one_pair(cs):
        first, second = cs[0].baseline, cs[0].candidate
    against = len(set(baselines)) > 1
    adjusted = found.correction != "none"
    columns: list[tuple[str, bool, list[str]]] = [
        ("against", against, baselines),
        ("system", not _one_pair(cs), [c.candidate for c in cs]),
        ("subset", any(c.subset for c in cs), subsets),
        ("metric", len(set(metrics)) > 1, metrics),
        ("items", len({c.n for c in cs}) > 1 or len(cs) == 1, [f"{c.n:,}" for c in cs]),
        (first, not own_row, [x.baseline for x in numbers]),
        (second, True, [x.candidate for x in numbers]),
        ("gain", True, [x.delta for x in numbers]),
        ("interval", True, [x.interval for x in numbers]),
        (
            f"p ({CORRECTIONS.get(found.correction)})",
            adjusted,
            [x.adjusted.removeprefix("= ") for x in numbers],
        ),
        ("p", True, [x.p.removeprefix("= ") for x in numbers]),
        ("wins/ties/losses", any(c.wins is not None for c in cs), [_counts(c) for c in cs]),
        ("verdict", True, [c.verdict for c in cs]),
    ]
    shown = [(header, cells) for header, wanted, cells in columns if wanted]
    headers = [header for header, _ in shown]
    rows = list(zip(*(cells for _, cells in shown), strict=True))
    winners = [k for k, c in enumerate(cs) if c.verdict == "better"]
    best = sorted(winners, key=lambda k: -cs[k].delta)[:1]
    if own_row:
        known = {"system": baselines[0], "score": numbers[0].baseline}
        rows.insert(0, tuple(known.get(header, "") for header in headers))
    bold = [(k + own_row, headers.index(second)) for k in best]
    return Table.of(headers, rows, left=_LEFT, bold=bold)


def _counts(c: Comparison) -> str:
    return "" if c.wins is None else f"{c.wins:,}/{c.ties:,}/{c.losses:,}"


def family(found: Comparisons) -> tuple[str, ...]:
    """How many comparisons there are, and what was done about it."""
    if len(found.comparisons) == 1:
        return ()
    sizes = {c.n for c in found.comparisons}
    items = f" on {how_many(sizes.pop(), 'item')}" if len(sizes) == 1 else ""
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
    lower = f" Lower is better: {', '.join(lowered)}." if lowered else ""
    return (f"{number_of_comparisons(found)}{items}, {how}.{points}{lower}",)
