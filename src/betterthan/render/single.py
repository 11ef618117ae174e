"""Sheets of single tests, intervals and scores of whole systems.

The JSON schemas are ``betterthan/test/1``, ``betterthan/interval/1`` and ``betterthan/scores/1``.
"""

from dataclasses import asdict, fields
from typing import Any

from betterthan.errors import how_many
from betterthan.render.registry import sheet_of
from betterthan.results.interval import Interval
from betterthan.results.sheet import Sheet, Table
from betterthan.results.system_scores import SystemScores
from betterthan.results.tests import TestResult, describe_p
from betterthan.results.wording import number, p_text, scale, units

_CLAIMS = {
    "two-sided": "the systems differ",
    "greater": "the second system is better",
    "less": "the second system is worse",
}
DECIMALS = 2


@sheet_of.register
def _(found: TestResult) -> Sheet:
    on = units(found.n, found.clusters)
    how = f"{found.kind}, by {found.engine}: {found.reason}"
    record = test_record(found)
    return Sheet(
        title=f"{found.test} test".capitalize(),
        document={"schema": "betterthan/test/1", **record},
        records=[{**record, "notes": found.notes}],
        headlines=(
            f"{found.test} test of whether {_CLAIMS[found.alternative]} ({found.metric}, {on})",
        ),
        tables=(
            Table.of(
                ("test", "metric", "n", "delta", "p", "kind"),
                [
                    (
                        found.test,
                        found.metric,
                        f"{found.n:,}",
                        f"{found.delta:+.6g}",
                        p_text(found.pvalue, found.log10_pvalue, floor=found.floor),
                        found.kind,
                    )
                ],
                left=("test", "metric", "kind"),
                caption=f"{found.test.capitalize()} test, {found.alternative} ({how}).",
                label="tab:test",
            ),
        ),
        card=(f"delta {found.delta:+.6g}   p {describe_p(found)}", how),
        remarks=(how,),
        notes=found.notes,
        signature=found.signature,
        layout="plain",
    )


def test_record(found: TestResult) -> dict[str, Any]:
    """Plain values of a test, in the order of its attributes; all but its law."""
    inner = ("law_of", "excess", "overlap")
    return {f.name: getattr(found, f.name) for f in fields(found) if f.name not in inner}


@sheet_of.register
def _(found: Interval) -> Sheet:
    record = asdict(found)
    level = f"{100 * found.confidence:.4g} %"
    low, high = (f"{x:.6g}".replace("inf", "∞") for x in (found.low, found.high))
    how = f"{level} {found.method}" + (f"; ends within {found.error:.2g}" if found.error else "")
    return Sheet(
        title="Interval",
        document={"schema": "betterthan/interval/1", **record},
        records=[record],
        headlines=(f"[{low}, {high}]",),
        tables=(
            Table.of(
                ("low", "high", "confidence", "method"),
                [(low, high, level, found.method)],
                left=("method",),
                caption=f"Confidence interval ({how}).",
                label="tab:interval",
            ),
        ),
        card=(how,),
        layout="plain",
    )


@sheet_of.register
def _(found: SystemScores) -> Sheet:
    records = [
        {"system": system, "metric": repr(metric), "score": value, "n": found.n}
        for system, values in zip(found.systems, found.values, strict=True)
        for metric, value in zip(found.metrics, values, strict=True)
    ]
    factors = [scale(rate) for rate in found.rates]
    best = [max(m.sign * values[k] for values in found.values) for k, m in enumerate(found.metrics)]
    table = Table.of(
        ("system", *map(repr, found.metrics)),
        [
            (name, *(number(x * k, DECIMALS) for x, k in zip(values, factors, strict=True)))
            for name, values in zip(found.systems, found.values, strict=True)
        ],
        left=("system",),
        caption=f"Scores on {how_many(found.n, 'item')}.",
        label="tab:scores",
        bold=[
            (row, k + 1)
            for row, values in enumerate(found.values)
            for k, metric in enumerate(found.metrics)
            if metric.sign * values[k] == best[k]
        ],
    )
    return Sheet(
        title="Scores",
        document={
            "schema": "betterthan/scores/1",
            "source": found.source,
            "scores": records,
            "notes": found.notes,
        },
        records=records,
        tables=(table,),
        notes=found.notes,
        layout="board",
        source=found.source,
    )
