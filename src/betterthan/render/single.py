"""Sheets of single tests and intervals."""

from betterthan.render.registry import sheet_of
from betterthan.results.interval import Interval
from betterthan.results.number_format import format_p, p_text, units
from betterthan.results.sheet import Sheet, Table, attributes, row_of
from betterthan.results.tests import TestResult

_CLAIMS = {
    "two-sided": "the systems differ",
    "greater": "the second system is better",
    "less": "the second system is worse",
}


@sheet_of.register
def _(found: TestResult) -> Sheet:
    on = units(found.n, found.clusters)
    how = f"{found.kind}, by {found.engine}: {found.reason}"
    return Sheet(
        title=f"{found.test} test".capitalize(),
        kind="test",
        rows=[row_of("test", found)],
        facts=attributes(found, "alternative"),
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


@sheet_of.register
def _(found: Interval) -> Sheet:
    level = f"{100 * found.level:.4g} %"
    low, high = (f"{x:.6g}".replace("inf", "∞") for x in (found.low, found.high))
    how = f"{level} {found.method}" + (f"; ends within {found.error:.2g}" if found.error else "")
    return Sheet(
        title="Interval",
        kind="interval",
        rows=[row_of("interval", found, interval_error=found.error, **found.columns)],
        headlines=(f"[{low}, {high}]",),
        tables=(
            Table.of(
                ("low", "high", "level", "method"),
                [(low, high, level, found.method)],
                left=("method",),
                caption=f"Confidence interval ({how}).",
                label="tab:interval",
            ),
        ),
        card=(how,),
        layout="plain",
    )


def describe_p(result: TestResult, alpha: float = 0.05) -> str:
    """Say a p-value with its uncertainty, as print and reports do."""
    text = format_p(result.pvalue, result.log10_pvalue, floor=result.floor, alpha=alpha)
    if result.kind in ("exact", "asymptotic"):
        return text
    if result.floor:
        return f"{text} of the draws (99 % interval of p of all: up to {result.pvalue_high:.3g})"
    what = "99 % interval" if result.kind == "sampled" else "certified within"
    return f"{text} ({what} {result.pvalue_low:.3g} to {result.pvalue_high:.3g})"
