"""Designs and studies as sheets: power, allocations, thresholds, calibration, false alarms."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from betterthan.design.allocation import Allocation
from betterthan.design.calibration import Calibration
from betterthan.design.growth import Decay, SizeStudy
from betterthan.design.null_check import NullCheck
from betterthan.design.power import Power
from betterthan.design.published import CAVEATS, PublishedComparison, PublishedThreshold
from betterthan.design.thresholds import GainStudy
from betterthan.render.numbers import number, scale
from betterthan.render.sheets import Sheet
from betterthan.render.tables import Align, Table

UNITS = {True: " points", False: ""}


def power_sheet(made: Sequence[Power]) -> Sheet:
    """What designs can detect, and how often."""
    first = made[0]
    k = scale(first.percent)
    unit = UNITS[first.percent]
    side = (
        first.alternative
        if first.alternative == "two-sided"
        else f"one-sided ({first.alternative})"
    )
    level = f"alpha {first.alpha:g}, {side}"
    if first.comparisons > 1:
        level += f", {first.comparisons} comparisons at {first.alpha / first.comparisons:.3g} each"
    headlines = [
        f"{p.items:,} items detect {k * p.effect:+.3g}{unit} with power {_percent(p.power)}"
        for p in made[:1]
    ]
    worth = f"{first.kind}: {first.engine}"
    if first.kind == "sampled":
        worth += f"; power within {100 * first.error:.1f} points (99 %)"
    headlines += [level, worth]
    rows = tuple(
        (
            f"{p.items:,}",
            f"{k * p.effect:+.3g}",
            _percent(p.power),
            _percent(p.type_s),
            "" if p.type_m is None else f"{p.type_m:.2f}",
        )
        for p in made
    )
    headers = ("items", f"effect{unit and ' (points)'}", "power", "wrong sign", "exaggeration")
    table = Table(headers, _right(headers), rows)
    return Sheet(
        "betterthan/power/1",
        tuple(headlines),
        table,
        [_power_record(p) for p in made],
        {},
        tuple(dict.fromkeys(note for p in made for note in p.notes)),
        first.signature,
    )


def allocation_sheet(made: Sequence[Allocation], signature: str) -> Sheet:
    """Ways to spend a budget, the best first."""
    best = made[0]
    headline = (
        f"best: {best.items:,} items x {best.repeats} repeats x {best.raters} raters, power "
        f"{_percent(best.power)}"
    )
    headers = ("items", "repeats", "raters", "cost", "power", "detects (80 %)")
    rows = tuple(
        (
            f"{a.items:,}",
            str(a.repeats),
            str(a.raters),
            f"{a.cost:,.0f}",
            _percent(a.power),
            f"{a.detectable:.3g}",
        )
        for a in made
    )
    notes = ("repeats and raters make items quieter; only more items average over items",)
    table = Table(headers, _right(headers), rows)
    records = [asdict(a) for a in made]
    return Sheet("betterthan/allocations/1", (headline,), table, records, {}, notes, signature)


def gains_sheet(studies: Sequence[GainStudy], decay: Sequence[Decay] = ()) -> Sheet:
    """Thresholds of one study, or of several side by side."""
    first = studies[0]
    k, unit = scale(first.percent), UNITS[first.percent]
    several = len(studies) > 1
    whole = studies[-1].thresholds[0]
    found = (
        "no pair is just significant"
        if whole.value is None
        else (f"a gain of {k * whole.value:.3g}{unit} is usually significant")
    )
    last = studies[-1]
    headlines = [
        f"{found} ({last.systems} systems, {len(last.gains):,} pairs, {last.n:,} items)",
        f"{last.percentile:g}th percentile of gains among pairs with p in "
        f"[{last.band[0]:g}, {last.band[1]:g}]; {last.test}, one-sided, {last.kind}",
    ]
    headlines += [
        f"{d.group}: threshold falls as n^{d.exponent:.2f} (the central limit theorem says -0.50)"
        for d in decay
        if d.exponent is not None
    ]
    headers: tuple[str, ...] = ("pairs of systems", "threshold", "95% CI", "in band", "pairs")
    headers = ("set", "n", *headers) if several else headers
    headers += ("above, not sig.", "below, sig.")
    rows = []
    for study in studies:
        for t in study.thresholds:
            row = [study.label, f"{study.n:,}"] * several
            low, high = ("" if x is None else f"{k * x:.3g}" for x in (t.low, t.high))
            row += [t.group, "" if t.value is None else f"{k * t.value:.3g}"]
            row += [f"[{low}, {high}]" if low else "", str(t.in_band), f"{t.pairs:,}"]
            row += [_percent(t.missed), _percent(t.early)]
            rows.append(tuple(row))
    left = {"set", "pairs of systems"}
    align: tuple[Align, ...] = tuple("<" if h in left else ">" for h in headers)
    records = [
        {"set": s.label, "n": s.n, "metric": s.metric, **asdict(t)}
        for s in studies
        for t in s.thresholds
    ]
    facts = {
        "band": first.band,
        "percentile": first.percentile,
        "test": first.test,
        "decay": [asdict(d) for d in decay],
        "gains": [{"set": s.label, **asdict(g)} for s in studies for g in s.gains],
    }
    notes = tuple(dict.fromkeys(note for s in studies[-1:] for note in s.notes))
    table = Table(headers, align, tuple(rows))
    return Sheet(
        "betterthan/thresholds/1", tuple(headlines), table, records, facts, notes, last.signature
    )


def sizes_sheet(study: SizeStudy) -> Sheet:
    """Thresholds against the size of the test set."""
    return gains_sheet(study.studies, study.decay)


def calibration_sheet(found: Calibration) -> Sheet:
    """How often p-values named the truly better system: Table 1 of the 2012 paper."""
    near = [
        f"{_percent(b.share) or 'none'} of {b.tests:,} tests with p in "
        f"[{found.band[0]:g}, {found.band[1]:g}] agree with {name}"
        for name, b in found.near.items()
    ]
    what = (
        f"{found.test}, one-sided; {found.pairs:,} pairs of systems on {found.test_sets} test "
        f"set{'s' * (found.test_sets > 1)} of {found.size:,} items"
    )
    headers = ("p-value", *(h for name in found.truth for h in (name, "tests", "95% CI")))
    rows = []
    for at in range(len(found.bins[found.truth[0]])):
        bins = [found.bins[name][at] for name in found.truth]
        row = [f"{bins[0].low:g} - {bins[0].high:g}"]
        for b in bins:
            low, high = b.interval
            span = f"[{100 * low:.0f}, {100 * high:.0f}]" if b.tests else ""
            row += [_percent(b.share), f"{b.tests:,}", span]
        rows.append(tuple(row))
    records = [
        {"truth": name, "low": b.low, "high": b.high, "tests": b.tests, "agreeing": b.agreeing}
        for name in found.truth
        for b in (*found.bins[name], found.near[name])
    ]
    facts = {"test": found.test, "size": found.size, "test_sets": found.test_sets}
    notes = (*found.notes, "intervals as if tests were independent, which pairs of systems are not")
    table = Table(headers, _right(headers), tuple(rows))
    return Sheet(
        "betterthan/calibration/1", (*near, what), table, records, facts, notes, found.signature
    )


def alarms_sheet(found: Sequence[NullCheck]) -> Sheet:
    """False alarms of tests on null data."""
    first = found[0]
    made = {
        "swap": "items drawn anew, the two systems' results exchanged at random",
        "seeds": "items drawn anew, two responses of one system compared",
    }[first.null]
    headlines = [
        f"{f.test}: {_percent(f.rate)} false alarms at {_percent(f.alpha)}, {f.verdict}"
        for f in found
    ]
    headlines.append(f"{first.simulations:,} null test sets of {first.n:,} items: {made}")
    headers = ("test", "alarms", "rate", "95% CI")
    rows = tuple(
        (
            f.test,
            f"{f.alarms:,}",
            _percent(f.rate),
            f"[{100 * f.low:.1f} %, {100 * f.high:.1f} %]",
        )
        for f in found
    )
    records = [
        {name: value for name, value in asdict(f).items() if name != "pvalues"} for f in found
    ]
    align: tuple[Align, ...] = ("<", ">", ">", ">")
    table = Table(headers, align, rows)
    return Sheet("betterthan/aa/1", tuple(headlines), table, records, {}, (), first.signature)


def published_sheet(found: Sequence[tuple[PublishedThreshold, float]], items: int | None) -> Sheet:
    """List thresholds from the literature."""
    headers = (
        *("metric", "systems", "threshold", "test set", "n", "section"),
        *([f"at {items:,} items"] if items else []),
    )
    rows = tuple(
        (
            t.metric,
            t.similarity,
            f"{t.value:.2f}",
            t.test_set,
            f"{t.n:,}",
            t.where,
            *((f"{rescaled:.2f}",) if items else ()),
        )
        for t, rescaled in found
    )
    right = {"threshold", "n", headers[-1]} if items else {"threshold", "n"}
    align: tuple[Align, ...] = tuple(">" if h in right else "<" for h in headers)
    headline = "Gains that were usually significant (Berg-Kirkpatrick, Burkett & Klein, 2012)"
    records = [asdict(t) | {"rescaled": rescaled} for t, rescaled in found]
    table = Table(headers, align, rows)
    signature = "betterthan:published|berg-kirkpatrick-2012"
    return Sheet("betterthan/published/1", (headline,), table, records, {}, CAVEATS, signature)


def against_sheet(found: PublishedComparison) -> Sheet:
    """One's own system against a published score."""
    k, unit = scale(found.percent), UNITS[found.percent]
    low, high = (number(k * x, 2) for x in (found.interval.low, found.interval.high))
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
            f"the gain {relation} the threshold of {k * (found.threshold or 0.0):.3g}{unit} "
            f"({found.threshold_source})"
        )
    headlines = (
        f"{number(k * found.gain, 2, signed=True)}{unit}: {number(k * found.score, 2)} "
        f"[{low}, {high}] against a published {number(k * found.published, 2)}",
        f"{bar} ({100 * found.interval.level:g} % {found.interval.method}, {found.n:,} items)",
        rule,
    )
    record = asdict(found) | {"interval": asdict(found.interval)}
    del record["notes"]
    signature = f"betterthan:published|m:{found.metric}|n:{found.n}|score:{found.published:g}"
    return Sheet(
        "betterthan/against-published/1", headlines, None, [record], {}, found.notes, signature
    )


def _power_record(p: Power) -> dict[str, Any]:
    record = asdict(p)
    del record["notes"]
    return record


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    if 0.0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share < 0.9995 or share == 1.0 else ">99.9 %"


def _right(headers: tuple[str, ...]) -> tuple[Align, ...]:
    return tuple(">" for _ in headers)
