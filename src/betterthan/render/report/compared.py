"""Pages of comparisons: what the page's script needs to show each of them.

Words and numbers are finished here, as everywhere; the script places, sorts and draws them.
"""

from typing import Any

from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.errors import how_many
from betterthan.render import comparisons
from betterthan.render.methods import test_phrase
from betterthan.render.registry import sheet_of
from betterthan.render.report.items import Blocks
from betterthan.render.report.laws import LAWS, finite, law_record
from betterthan.render.report.page import Page, page_of
from betterthan.results.number_format import CORRECTIONS, number, p_ends
from betterthan.results.sheet import Sheet


@page_of.register
def _(found: Comparison) -> Page:
    return page_of(found.alone)


@page_of.register
def _(found: Comparisons) -> Page:
    sheet: Sheet = sheet_of(found)
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
        verdicts=comparisons.verdict_lines(found),
        summary=[*sheet.subheads, *sheet.remarks],
        tables=[("Comparisons", sheet.tables[0])],
        notes=list(dict.fromkeys([*sheet.notes, *blocks.notes])),
        app=app,
    )


def _compared(
    c: Comparison, at: int, systems: list[str], blocks: Blocks, *, law: bool
) -> dict[str, Any]:
    said = comparisons.written(c)
    k, effect = said.factor, f"{said.delta}{said.unit}"
    adjusted = said.adjusted.removeprefix("= ")
    if c.resamples_adjusted is not None:
        ends = " to ".join(p_ends(c.pvalue_adjusted_low, c.pvalue_adjusted_high, c.alpha))
        adjusted += f" (sampled, {c.resamples_adjusted:,} draws; p of all swaps {ends}, 99 %)"
    facts = [
        ("difference", f"{effect} {said.interval}"),
        ("p", said.p.removeprefix("= ")),
        *([(f"p ({CORRECTIONS[c.correction]})", adjusted)] if c.correction != "none" else []),
        ("metric", c.metric),
        ("items", f"{c.n:,}" + (f" in {how_many(c.clusters, 'cluster')}" if c.clusters else "")),
        ("test", test_phrase(c)),
        ("interval", f"{100 * c.interval.level:.4g} % {c.interval.method}"),
    ]
    if c.mde is not None:
        detects = f"{number(c.mde * k, said.places)}{said.unit}"
        facts.append(("detects", f"gains of {detects} or more, 4 times out of 5"))
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
        "said": comparisons.headline(c, said, named=True),
        "scores": [said.baseline, said.candidate],
        "effect": effect,
        "lead": k * c.delta,
        "ends": finite([k * c.interval.low, k * c.interval.high]),
        "n": c.n,
        "p": f"p {said.adjusted}",
        "unadjusted": f"p {said.p}",
        "counts": None if c.wins is None else [c.wins, c.ties, c.losses],
        "block": block,
        "law": drawn,
        "facts": facts,
        "notes": [*c.notes, *lost],
    }
