"""Sheets of studies: gains, calibration, false alarms, training sets."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from betterthan.design.calibrations import Bin, Calibration, Calibrations
from betterthan.design.gains import GainStudy
from betterthan.design.null_check import NullCheck, NullChecks
from betterthan.design.thresholds_by import Decay, SizeStudy
from betterthan.design.training import TrainingFiles
from betterthan.errors import how_many
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import amount, listed, scale, share
from betterthan.results.schemas import columns_of
from betterthan.results.sheet import Sheet, Table, attributes, row_of

_NULLS = {
    "swap": "items drawn anew, the two systems' results exchanged at random",
    "seeds": "items drawn anew, two responses of one system compared",
}

sheet_of.register(NullCheck, lambda made: sheet_of(NullChecks((made,))))


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
        row_of(
            "gains",
            t,
            set=s.label,
            n=s.n,
            metric=s.metric,
            interval_low=t.low,
            interval_high=t.high,
        )
        for s in studies
        for t in s.thresholds
    ]
    facts = {
        **attributes(first, "band", "percentile", "test"),
        "decay": decay,
        "gains": [{"set": s.label, **asdict(g)} for s in studies for g in s.gains],
    }
    return Sheet(
        title="Gains that are usually significant",
        kind="gains",
        rows=records,
        facts=facts,
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
    records = [_bin(found, name, b) for name in found.truth for b in found.bins[name]]
    facts = attributes(found, "test", "test_sets", "band")
    facts["near"] = [_bin(found, name, b) for name, b in found.near.items()]
    notes = (*found.notes, "intervals as if tests were independent, which pairs of systems are not")
    return Sheet(
        title="Calibration of p-values",
        kind="calibration",
        rows=records,
        facts=facts,
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


def _bin(found: Calibration, truth: str, b: Bin) -> dict[str, Any]:
    low, high = b.interval if b.tests else (None, None)
    ends = {"interval_low": low, "interval_high": high}
    return row_of("calibration", b, truth=truth, n=found.size, **ends)


@sheet_of.register
def _(made: Calibrations) -> Sheet:
    """Calibrations on test sets of several sizes, one after the other."""
    sheets: list[Sheet] = [sheet_of(found) for found in made]
    return replace(
        sheets[0],
        rows=[row for sheet in sheets for row in sheet.rows],
        facts={**sheets[0].facts, "near": [b for sheet in sheets for b in sheet.facts["near"]]},
        headlines=tuple(
            f"{found.size:,} items: {line}"
            for found, sheet in zip(made, sheets, strict=True)
            for line in sheet.headlines
        ),
        subheads=tuple(line for sheet in sheets for line in sheet.subheads),
        tables=tuple(table for sheet in sheets for table in sheet.tables),
        notes=tuple(dict.fromkeys(note for sheet in sheets for note in sheet.notes)),
        signature=" ".join(sheet.signature for sheet in sheets),
    )


@sheet_of.register
def _(made: TrainingFiles) -> Sheet:
    return Sheet(
        title="Training sets",
        kind="training",
        rows=[dict(zip(columns_of("training"), one, strict=True)) for one in made.sets],
        facts={**attributes(made, "examples", "unit"), "folder": str(made.folder)},
        headlines=(
            f"{how_many(len(made.sets), 'training set')} in {made.folder}, drawn from "
            f"{how_many(made.examples, made.unit)}",
        ),
        tables=(
            Table.of(
                ("set", "size", "copy"),
                [(name, f"{size:,}", str(copy)) for name, size, copy in made.sets],
                left=("set",),
                caption=f"Training sets drawn from {how_many(made.examples, made.unit)}.",
                label="tab:training",
            ),
        ),
        layout="plain",
    )


@sheet_of.register
def _(found: NullChecks) -> Sheet:
    first = found[0]
    sizes = dict.fromkeys(f"{f.n:,}" for f in found)
    several = len(sizes) > 1
    rows = [
        (
            *(f.test, *[f"{f.n:,}"] * several, f"{f.alarms:,}", share(f.rate)),
            f"[{100 * f.low:.1f} %, {100 * f.high:.1f} %]",
        )
        for f in found
    ]
    of = f"{first.simulations:,} null test sets of {listed(list(sizes))} items"
    records = [row_of("false-alarms", f, interval_low=f.low, interval_high=f.high) for f in found]
    return Sheet(
        title="False alarms",
        kind="false-alarms",
        rows=records,
        facts=attributes(first, "alpha", "alternative"),
        headlines=tuple(
            f"{f.test}{f' on {f.n:,} items' * several}: {share(f.rate)} false alarms at "
            f"{share(f.alpha)}, {f.verdict}"
            for f in found
        ),
        subheads=(f"{of}: {_NULLS[first.null]}",),
        tables=(
            Table.of(
                ("test", *["items"] * several, "alarms", "rate", "95 % CI"),
                rows,
                left=("test",),
                caption=f"False alarms at alpha = {first.alpha:g} on {of} ({_NULLS[first.null]}).",
                label="tab:false-alarms",
            ),
        ),
        signature=first.signature,
    )
