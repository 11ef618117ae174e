"""Sheets of designs and studies: power, allocations, thresholds, calibration, false alarms."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from betterthan.design.allocation import Allocations
from betterthan.design.calibration import Calibration
from betterthan.design.null_check import NullCheck, NullChecks
from betterthan.design.power import Power, Powers
from betterthan.design.published_thresholds import (
    THRESHOLD_CAVEATS,
    PublishedComparison,
    PublishedThresholds,
)
from betterthan.design.thresholds import GainStudy
from betterthan.design.thresholds_by import Decay, SizeStudy
from betterthan.errors import how_many
from betterthan.render import gates  # noqa: F401 (registers the gate)
from betterthan.render.explained_claims import of_allocations, of_powers
from betterthan.render.registry import sheet_of
from betterthan.results.sheet import Sheet, Table, attributes
from betterthan.results.signature import signature
from betterthan.results.wording import amount, number, scale, share, unit

_NULLS = {
    "swap": "items drawn anew, the two systems' results exchanged at random",
    "seeds": "items drawn anew, two responses of one system compared",
}


_SPENT = "Ways to spend a budget of ratings, the most powerful first."


def _document(
    name: str,
    records: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    signed: str,
    facts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The JSON document of a study: what holds for all rows, and the rows."""
    schema = {"schema": f"betterthan/{name}/1", **(facts or {})}
    return {**schema, "rows": records, "notes": notes, "signature": signed}


sheet_of.register(Power, lambda made: sheet_of(Powers((made,))))
sheet_of.register(NullCheck, lambda made: sheet_of(NullChecks((made,))))


@sheet_of.register
def _(made: Powers) -> Sheet:
    first = made[0]
    k = scale(first.percent)
    side = first.alternative
    level = f"alpha {first.alpha:g}, {side if side == 'two-sided' else f'one-sided ({side})'}"
    if first.comparisons > 1:
        level += f", {first.comparisons} comparisons at {first.alpha / first.comparisons:.3g} each"
    worth = f"{first.kind}: {first.engine}"
    if first.kind == "sampled":
        worth += f"; power within {100 * first.error:.1f} points"
        if first.solved_for != "power":
            worth += f", {first.solved_for} between {_likely(first, ' and ')}"
        worth += " (99 %)"
    effect = amount(f"{k * first.effect:+.3g}", first.percent)
    records = [power_record(p) for p in made]
    notes = tuple(dict.fromkeys(note for p in made for note in p.notes))
    points = " (points)" if first.percent else ""
    simulated = any(p.kind == "sampled" for p in made)
    between = [f"{first.solved_for} (99 %)"] * simulated
    table = Table.of(
        ("items", f"effect{points}", "power", *between, "wrong sign", "exaggeration"),
        [
            (
                f"{p.items:,}",
                f"{k * p.effect:+.3g}",
                share(p.power),
                *([_likely(p, " to ")] * simulated),
                share(p.type_s),
                "" if p.type_m is None else f"{p.type_m:.2f}",
            )
            for p in made
        ],
        caption=f"Power of a test ({level}; {worth}). Wrong sign and exaggeration: of what is "
        "found significant.",
        label="tab:power",
    )
    return Sheet(
        title="Power",
        document=_document("power", records, notes, first.signature),
        records=records,
        headlines=(f"{first.items:,} items detect {effect} with power {share(first.power)}",),
        subheads=(level, worth),
        tables=(table,),
        notes=notes,
        signature=first.signature,
        explanation=lambda: of_powers(made),
    )


def _likely(p: Power, between: str) -> str:
    """Ends of an answer that was simulated."""
    if p.solved_low is None or p.solved_high is None:
        return ""
    form = {"power": share, "items": "{:,.0f}".format, "effect": "{:+.3g}".format}[p.solved_for]
    k = scale(p.percent and p.solved_for == "effect")
    return f"{form(k * p.solved_low)}{between}{form(k * p.solved_high)}"


def power_record(p: Power) -> dict[str, Any]:
    """Plain values of a design, without its notes and the assumption itself."""
    return attributes(p, *(x for x in Power.__slots__ if x not in ("notes", "assumption")))


@sheet_of.register
def _(made: Allocations) -> Sheet:
    best = made[0]
    rows = [
        (
            f"{a.items:,}",
            str(a.repeats),
            str(a.raters),
            f"{a.cost:,.0f}",
            share(a.power),
            f"{a.detectable:.3g}",
        )
        for a in made
    ]
    headers = ("items", "repeats", "raters", "cost", "power", "detects (80 %)")
    notes = ("repeats and raters make items quieter; only more items average over items",)
    records = [asdict(a) for a in made]
    return Sheet(
        title="Ways to spend a budget",
        document=_document("allocations", records, notes, made.signature),
        records=records,
        headlines=(
            f"best: {how_many(best.items, 'item')} x {how_many(best.repeats, 'repeat')} x "
            f"{how_many(best.raters, 'rater')}, power {share(best.power)}",
        ),
        tables=(Table.of(headers, rows, caption=_SPENT, label="tab:allocations"),),
        notes=notes,
        signature=made.signature,
        explanation=lambda: of_allocations(made),
    )


@sheet_of.register
def _(study: GainStudy) -> Sheet:
    return _gains((study,), ())


@sheet_of.register
def _(found: SizeStudy) -> Sheet:
    return _gains(found.studies, found.decay)


def _gains(studies: Sequence[GainStudy], decay: Sequence[Decay]) -> Sheet:
    """Thresholds of one study, or of several side by side."""
    first, last = studies[0], studies[-1]
    k = scale(first.percent)
    several = len(studies) > 1
    whole = last.thresholds[0].value
    found = (
        "no pair is just significant"
        if whole is None
        else f"a gain of {amount(f'{k * whole:.3g}', first.percent)} is usually significant"
    )
    subheads = [
        f"{last.percentile:g}th percentile of gains among pairs with p in "
        f"[{last.band[0]:g}, {last.band[1]:g}]; {last.test}, one-sided, {last.kind}",
        *(
            f"{d.group}: threshold falls as n^{d.exponent:.2f} "
            "(the central limit theorem says -0.50)"
            for d in decay
            if d.exponent is not None
        ),
    ]
    headers = ["set", "n"] * several
    headers += ["pairs of systems", "threshold", "95 % CI", "in band", "pairs"]
    rows = []
    for study in studies:
        for t in study.thresholds:
            row = [study.label, f"{study.n:,}"] * several
            low, high = ("" if x is None else f"{k * x:.3g}" for x in (t.low, t.high))
            row += [t.group, "" if t.value is None else f"{k * t.value:.3g}"]
            row += [f"[{low}, {high}]" if low else "", str(t.in_band), f"{t.pairs:,}"]
            rows.append([*row, share(t.missed), share(t.early)])
    headers += ["above, not sig.", "below, sig."]
    records = [
        {"set": s.label, "n": s.n, "metric": s.metric, **asdict(t)}
        for s in studies
        for t in s.thresholds
    ]
    facts = {
        **attributes(first, "band", "percentile", "test"),
        "decay": [asdict(d) for d in decay],
        "gains": [{"set": s.label, **asdict(g)} for s in studies for g in s.gains],
    }
    return Sheet(
        title="Gains that are usually significant",
        document=_document("thresholds", records, last.notes, last.signature, facts),
        records=records,
        headlines=(
            f"{found} ({how_many(last.systems, 'system')}, {how_many(len(last.gains), 'pair')}, "
            f"{how_many(last.n, 'item')})",
        ),
        subheads=tuple(subheads),
        tables=(
            Table.of(
                headers,
                rows,
                left=("set", "pairs of systems"),
                caption=f"Gains that are usually significant: {'; '.join(subheads)}.",
                label="tab:thresholds",
            ),
        ),
        notes=tuple(dict.fromkeys(last.notes)),
        signature=last.signature,
    )


@sheet_of.register
def _(found: Calibration) -> Sheet:
    """How often p-values named the truly better system: Table 1 of the 2012 paper."""
    near = [
        f"{share(b.share) or 'none'} of {b.tests:,} tests with p in "
        f"[{found.band[0]:g}, {found.band[1]:g}] agree with {name}"
        for name, b in found.near.items()
    ]
    what = (
        f"{found.test}, one-sided; {how_many(found.pairs, 'pair')} of systems on "
        f"{how_many(found.test_sets, 'test set')} of {found.size:,} items"
    )
    headers = ("p-value", *(h for name in found.truth for h in (name, "tests", "95 % CI")))
    rows = []
    for bins in zip(*(found.bins[name] for name in found.truth), strict=True):
        row = [f"{bins[0].low:g}–{bins[0].high:g}"]
        for b in bins:
            low, high = b.interval
            row += [share(b.share), f"{b.tests:,}"]
            row += [f"[{100 * low:.0f}, {100 * high:.0f}]" if b.tests else ""]
        rows.append(row)
    records = [
        {"truth": name, "low": b.low, "high": b.high, "tests": b.tests, "agreeing": b.agreeing}
        for name in found.truth
        for b in (*found.bins[name], found.near[name])
    ]
    facts = attributes(found, "test", "size", "test_sets")
    notes = (*found.notes, "intervals as if tests were independent, which pairs of systems are not")
    return Sheet(
        title="Calibration of p-values",
        document=_document("calibration", records, notes, found.signature, facts),
        records=records,
        headlines=tuple(near),
        subheads=(what,),
        tables=(
            Table.of(
                headers,
                rows,
                caption=f"Share of tests that name the better system, by p-value ({what}).",
                label="tab:calibration",
            ),
        ),
        notes=notes,
        signature=found.signature,
    )


@sheet_of.register
def _(found: NullChecks) -> Sheet:
    first = found[0]
    rows = [
        (f.test, f"{f.alarms:,}", share(f.rate), f"[{100 * f.low:.1f} %, {100 * f.high:.1f} %]")
        for f in found
    ]
    records = [
        {name: value for name, value in asdict(f).items() if name != "pvalues"} for f in found
    ]
    return Sheet(
        title="False alarms",
        document=_document("aa", records, (), first.signature),
        records=records,
        headlines=tuple(
            f"{f.test}: {share(f.rate)} false alarms at {share(f.alpha)}, {f.verdict}"
            for f in found
        ),
        subheads=(
            f"{first.simulations:,} null test sets of {first.n:,} items: {_NULLS[first.null]}",
        ),
        tables=(
            Table.of(
                ("test", "alarms", "rate", "95 % CI"),
                rows,
                left=("test",),
                caption=f"False alarms at alpha = {first.alpha:g} on {first.simulations:,} null "
                f"test sets of {first.n:,} items ({_NULLS[first.null]}).",
                label="tab:false-alarms",
            ),
        ),
        signature=first.signature,
    )


@sheet_of.register
def _(found: PublishedThresholds) -> Sheet:
    items = found.items
    headers = ["metric", "systems", "threshold", "test set", "n", "section"]
    rows = []
    for t, rescaled in found:
        row = [t.metric, t.similarity, f"{t.value:.2f}", t.test_set, f"{t.n:,}", t.where]
        rows.append(row + [f"{rescaled:.2f}"] * (items is not None))
    headers += [] if items is None else [f"at {items:,} items"]
    records = [asdict(t) | {"rescaled": rescaled} for t, rescaled in found]
    signed = signature("published-berg-kirkpatrick-2012")
    return Sheet(
        title="Published thresholds",
        document=_document("published", records, THRESHOLD_CAVEATS, signed),
        records=records,
        headlines=(
            "Gains that were usually significant (Berg-Kirkpatrick, Burkett & Klein, 2012)",
        ),
        tables=(
            Table.of(
                headers,
                rows,
                left=("metric", "systems", "test set", "section"),
                label="tab:published",
            ),
        ),
        notes=THRESHOLD_CAVEATS,
        signature=signed,
    )


@sheet_of.register
def _(found: PublishedComparison) -> Sheet:
    """One's own system against a published score."""
    k, points = scale(found.percent), unit(found.percent)
    low, high = (number(k * x, 2) for x in (found.interval.low, found.interval.high))
    gain, score, published = (
        number(k * found.gain, 2, signed=True),
        number(k * found.score, 2),
        number(k * found.published, 2),
    )
    threshold = "" if found.threshold is None else f"{k * found.threshold:.3g}"
    bar = (
        "the bar is clear of the published point"
        if found.clear
        else "the bar overlaps the published point"
    )
    if found.exceeds is None:
        rule = f"no threshold: {found.threshold_source}"
    else:
        relation = "exceeds" if found.exceeds else "does not exceed"
        rule = (
            f"the gain {relation} the threshold of {threshold}{points} ({found.threshold_source})"
        )
    said = (
        f"{bar} ({100 * found.interval.confidence:g} % {found.interval.method}, {found.n:,} items)",
        rule,
    )
    record = asdict(found)
    del record["notes"]
    signed = signature(
        "published", metric=found.metric, n=found.n, further={"score": f"{found.published:g}"}
    )
    table = Table.of(
        ("metric", "n", "score", "interval", "published", "gain", "threshold"),
        [(found.metric, f"{found.n:,}", score, f"[{low}, {high}]", published, gain, threshold)],
        left=("metric",),
        caption=f"A score against a published one: {'; '.join(said)}."
        + " Rates in points." * found.percent,
        label="tab:against-published",
    )
    return Sheet(
        title="Against a published score",
        document=_document("against-published", [record], found.notes, signed),
        records=[record],
        headlines=(f"{gain}{points}: {score} [{low}, {high}] against a published {published}",),
        card=said,
        remarks=said,
        tables=(table,),
        notes=found.notes,
        signature=signed,
    )
