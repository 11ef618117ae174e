"""Pages of comparisons: what the page's script needs to show each of them.

Words and numbers are finished here, as everywhere; the script places, sorts and draws them.
"""

from typing import Any

from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.render import comparisons
from betterthan.render.methods import test_phrase
from betterthan.render.registry import sheet_of
from betterthan.render.report.items import Blocks
from betterthan.render.report.laws import LAWS, finite, law_record
from betterthan.render.report.page import Page, page_of
from betterthan.results.pvalues import format_p
from betterthan.results.sheet import Sheet
from betterthan.results.wording import CORRECTIONS, number, p_text, span, unit


@page_of.register
def _(found: Comparison) -> Page:
    return page_of(found.alone)


@page_of.register
def _(found: Comparisons) -> Page:
    sheet: Sheet = sheet_of(found)
    overall = comparisons.overall(found)
    lines = list(sheet.headlines)
    said = [c.verdict for c in overall] if len(overall) == len(lines) else [""]
    systems = list(dict.fromkeys(name for c in found for name in (c.baseline, c.candidate)))
    blocks = Blocks()
    pairs = [_compared(c, k, systems, blocks, law=k < LAWS) for k, c in enumerate(found)]
    if len(found) > LAWS:
        blocks.notes.append(
            f"what chance alone would give is drawn for the first {LAWS} comparisons"
        )
    app = {
        "kind": "comparisons",
        "systems": systems,
        "pairs": pairs,
        "effect": {"name": "difference", "neutral": 0},
        "adjusted": f"p ({CORRECTIONS[found.correction]})" if found.correction != "none" else None,
        "several": len({c.metric for c in found}) > 1,
        "blocks": blocks.blocks,
        "sources": blocks.sources,
    }
    return Page(
        sheet=sheet,
        verdicts=list(zip(said, lines, strict=True)),
        summary=sheet.remarks,
        tables=[("Comparisons", sheet.tables[0])],
        notes=list(dict.fromkeys([*sheet.notes, *blocks.notes])),
        app=app,
    )


def _compared(
    c: Comparison, at: int, systems: list[str], blocks: Blocks, *, law: bool
) -> dict[str, Any]:
    k, places = comparisons.printed(c)
    p = f"p {format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor)}"
    adjusted = p_text(c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor)
    effect = f"{number(c.delta * k, places, signed=True)}{unit(c.percent)}"
    facts = [
        ("difference", f"{effect} {span(c.interval, k, places)}"),
        ("p", p_text(c.pvalue, c.log10_pvalue, floor=c.test.floor)),
        *([(f"p ({CORRECTIONS[c.correction]})", adjusted)] if c.correction != "none" else []),
        ("metric", c.metric),
        ("items", f"{c.n:,}" + (f" in {c.clusters:,} clusters" if c.clusters else "")),
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.confidence:.4g} % {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * k, places)}{unit(c.percent)}"
        facts.append(("power", f"this set detects ≥ {detects} (80 %, approximate)"))
    items = None if c.pair is None else c.pair.items
    block = None
    if c.pair is not None and items is not None and items.source is not None:
        block = blocks.add(items.source, c.pair.metric, percent=c.percent)
    drawn, lost = law_record(c.test, percent=c.percent) if law else (None, ())
    return {
        "a": systems.index(c.baseline),
        "b": systems.index(c.candidate),
        "at": at,
        "metric": c.metric,
        "subset": c.subset,
        "verdict": c.verdict,
        "said": comparisons.headline(c, named=True),
        "scores": [number(x * k, places) for x in (c.score_baseline, c.score_candidate)],
        "effect": effect,
        "lead": k * c.delta,
        "ends": finite([k * c.interval.low, k * c.interval.high]),
        "n": c.n,
        "p": p,
        "unadjusted": f"p {format_p(c.pvalue, c.log10_pvalue, floor=c.test.floor)}",
        "counts": None if c.wins is None else [c.wins, c.ties, c.losses],
        "block": block,
        "law": drawn,
        "facts": facts,
        "notes": [*c.notes, *lost],
    }
