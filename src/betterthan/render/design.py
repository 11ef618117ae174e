"""Sheets of designs: power, ways to spend a budget, published thresholds."""

from betterthan.design.allocation import Allocations
from betterthan.design.powers import Power, Powers
from betterthan.design.published import (
    THRESHOLD_CAVEATS,
    PublishedComparison,
    PublishedThresholds,
)
from betterthan.errors import how_many
from betterthan.render.explained_claims import of_allocations, of_powers
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import amount, number, scale, share, unit
from betterthan.results.sheet import Sheet, Table, attributes, row_of
from betterthan.results.signature import signature

_SPENT = "Ways to spend a budget of ratings, the most powerful first."


sheet_of.register(Power, lambda made: sheet_of(Powers((made,))))


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
        kind="power",
        rows=[row_of("power", p) for p in made],
        facts=attributes(first, "alpha", "alternative", "comparisons"),
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
    return Sheet(
        title="Ways to spend a budget",
        kind="allocations",
        rows=[row_of("allocations", a) for a in made],
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
def _(found: PublishedThresholds) -> Sheet:
    items = found.items
    headers = ["metric", "systems", "threshold", "test set", "n", "section"]
    rows = []
    for t, rescaled in found:
        row = [t.metric, t.similarity, f"{t.value:.2f}", t.test_set, f"{t.n:,}", t.where]
        rows.append(row + [f"{rescaled:.2f}"] * (items is not None))
    headers += [] if items is None else [f"at {items:,} items"]
    records = [row_of("published", t, rescaled=rescaled) for t, rescaled in found]
    signed = signature("published-berg-kirkpatrick-2012")
    return Sheet(
        title="Published thresholds",
        kind="published",
        rows=records,
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
        f"{bar} ({100 * found.interval.level:g} % {found.interval.method}, {found.n:,} items)",
        rule,
    )
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
        kind="against-published",
        rows=[row_of("against-published", found)],
        headlines=(f"{gain}{points}: {score} [{low}, {high}] against a published {published}",),
        card=said,
        remarks=said,
        tables=(table,),
        notes=found.notes,
        signature=signed,
    )
