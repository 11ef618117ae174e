"""Sheet of the gate: the ruling, and what was found in every metric."""

import math
from typing import Any

from betterthan.design.checks import CheckResult, GateResult
from betterthan.metrics.algebra import LOWER
from betterthan.render.explained_claims import of_gate
from betterthan.render.flipped import listed_items
from betterthan.render.registry import sheet_of
from betterthan.results.number_format import (
    CORRECTIONS,
    amount,
    digits,
    format_p,
    number,
    scale,
    span,
    unit,
    units,
)
from betterthan.results.sheet import Case, Line, Sheet, Table, attributes, note_on, row_of

_CLAIMS = {
    "non-inferior": "no loss beyond {margin}",
    "superior": "a gain beyond {margin}",
    "equivalent": "neither loss nor gain beyond {margin}",
}
_BORDERS = {
    "non-inferior": "the lower {level} bound is above minus the margin",
    "superior": "the lower {level} bound is above the margin",
    "equivalent": "both {level} bounds lie within the margin (two one-sided tests)",
}
_HEADERS = (
    *("metric", "baseline", "candidate", "delta", "interval", "margin", "p"),
    *("p regression", "ruling"),
)


@sheet_of.register
def _(found: GateResult) -> Sheet:
    first = found.checks[0]
    several = len(found.checks) > 1
    methods = _methods(found)
    if several:
        headline = _overall(found)
        subheads = [f"{_change(c)}. {_explained(c)}" for c in found.checks if c.ruling != "PASS"]
        card: tuple[Line, ...] = ()
    else:
        headline, subheads = _headline(first, found), [_explained(first)]
        card = methods
    notes = [note_on(c.name, note) if several else note for c in found.checks for note in c.notes]
    listed = {m.metric: listed_items(m, found.items, found.texts_of) for m in found.single}
    flipped = [
        {"metric": metric} | record for metric, (rows, _) in listed.items() for record in rows
    ]
    return Sheet(
        title=f"Gate: {found.candidate} against {found.baseline}",
        kind="gate",
        rows=[_row(found, c) for c in found.checks],
        facts={
            **attributes(found, "alpha", "correction"),
            **attributes(found, "ruling", "exit_code", "baseline", "candidate"),
            "items": flipped,
        },
        headlines=(headline,),
        subheads=tuple(subheads),
        details=methods,
        tables=(_table(found),),
        card=card,
        appendix=tuple(table for _, table in listed.values()),
        notes=(*found.notes, *notes),
        signature=found.signature,
        source=found.source,
        ruling=found.ruling,
        cases=tuple(_case(found, c) for c in found.checks),
        explanation=lambda: of_gate(found),
    )


def _row(found: GateResult, c: CheckResult) -> dict[str, Any]:
    """Return the row of a check; a gate has one p for its goal and one for a regression."""
    of_comparisons = "verdict engine reason mde turned pvalue_low pvalue_high log10_pvalue".split()
    of_comparisons += "pvalue_adjusted log10_pvalue_adjusted".split()
    both = attributes(found, "baseline", "candidate")
    return row_of("gate", c, **dict.fromkeys(of_comparisons), **both)


def _overall(found: GateResult) -> str:
    failed = [
        f"{c.name} (p {_p_regression(c, found.alpha)})"
        for c in found.checks
        if c.ruling == "REGRESSION"
    ]
    unclear = [c.name for c in found.checks if c.ruling == "CAN'T TELL"]
    why = {
        "PASS": f"all {len(found.checks)} {_kind(found)} pass",
        "REGRESSION": f"worse in {', '.join(failed)}",
        "CAN'T TELL": f"nothing is shown in {', '.join(unclear)}",
    }[found.ruling]
    return f"{found.ruling}   {found.candidate} against {found.baseline}: {why}"


def _kind(found: GateResult) -> str:
    """What was checked: metrics, parts of the items, or both."""
    if not any(c.subset for c in found.checks):
        return "metrics"
    return "parts" if len({c.subset for c in found.checks}) == len(found.checks) else "checks"


def _headline(c: CheckResult, found: GateResult) -> str:
    k, places = scale(c.percent), _places(c)
    said = _p_regression if c.ruling == "REGRESSION" else _p_goal
    return (
        f"{c.ruling}   {found.candidate} against {found.baseline}: {_change(c)}  gain "
        f"{span(c.interval, k, places)}  p {said(c, found.alpha)}  ({units(c.n, c.clusters)})"
    )


def _change(c: CheckResult) -> str:
    """Both scores, and which way that is: a gain goes against scores where lower is better."""
    k, places = scale(c.percent), _places(c)
    first, second = (number(k * x, places) for x in (c.score_baseline, c.score_candidate))
    size = f"{number(k * abs(c.delta), places)}{unit(c.percent)}"
    way = "the same" if c.delta == 0 else f"{'better' if c.delta > 0 else 'worse'} by {size}"
    name = c.name.replace(f", {LOWER}", "").replace(f"({LOWER})", "")
    return f"{name} {first} -> {second}{', lower is better' * c.lower_is_better}: {way}"


def _explained(c: CheckResult) -> str:
    margin = _margin(c)
    claim = _CLAIMS[c.goal].format(margin=margin)
    if c.ruling == "PASS":
        return f"Shown: {claim}."
    if c.ruling == "REGRESSION":
        return f"{claim[:1].upper()}{claim[1:]} is what had to be shown."
    safety = f"safety within {margin}" if c.goal == "non-inferior" else claim
    needed = (
        ""
        if c.items_needed is None or c.items_needed <= c.n
        else f" To show {safety} takes about {_rounded(c.items_needed):,} items"
        f"{_in_clusters(c)}, if the systems are equal."
    )
    return f"Neither a regression nor {safety} is shown.{needed}"


def _in_clusters(c: CheckResult) -> str:
    """How many clusters that are, of the size they have."""
    if c.clusters is None or c.items_needed is None:
        return ""
    return f" in {_rounded(math.ceil(c.items_needed * c.clusters / c.n)):,} clusters"


def _methods(found: GateResult) -> tuple[tuple[str, str], ...]:
    level = f"{100 * (1 - found.alpha):g} %"
    goals = dict.fromkeys(c.goal for c in found.checks)
    rule = "; ".join(_BORDERS[goal].format(level=level) for goal in goals)
    methods = ", ".join(dict.fromkeys(f"{c.interval.method} ({c.kind})" for c in found.checks))
    of_goal = f"p is that of the goal ({', '.join(goals)})"
    if found.ruling == "REGRESSION" and len(found.checks) == 1:
        of_goal = "p is that of the regression"
    lines = [
        ("rule", f"one-sided by design: PASS if {rule}"),
        ("test", methods),
        ("interval", f"both one-sided {level} bounds; {of_goal}"),
    ]
    lowered = [c.name for c in found.checks if c.lower_is_better]
    if lowered and len(found.checks) > 1:
        lines.append(("lower", f"is better in {', '.join(lowered)}; delta is the gain"))
    if len(found.checks) > 1:
        how = (
            "not adjusted"
            if found.correction == "none"
            else f"adjusted by {CORRECTIONS[found.correction]}"
        )
        said = f"all must pass, each at alpha {found.alpha:g}; regressions are {how}"
        lines.append(("several", said))
    return tuple(lines)


def _table(found: GateResult) -> Table:
    rows = []
    parts = any(c.subset for c in found.checks)
    for c in found.checks:
        k, places = scale(c.percent), _places(c)
        rows.append(
            (
                *([c.subset or ""] if parts else []),
                c.metric,
                number(k * c.score_baseline, places),
                number(k * c.score_candidate, places),
                number(k * c.delta, places, signed=True),
                span(c.interval, k, places),
                f"{k * c.margin:g}",
                _p_goal(c, found.alpha).removeprefix("= "),
                _p_regression(c, found.alpha).removeprefix("= "),
                c.ruling,
            )
        )
    headers = ("part", *_HEADERS) if parts else _HEADERS
    return Table.of(
        headers,
        rows,
        left=("part", "metric", "ruling"),
        caption=_caption(found),
        label="tab:gate",
    )


def _caption(found: GateResult) -> str:
    """What the ruling rests on, in sentences for a paper."""
    largest = max(found.checks, key=lambda c: c.n)
    said = [text for _, text in _methods(found)]
    on = units(largest.n, largest.clusters)
    sentences = [f"{found.candidate} against {found.baseline} on {on}"]
    sentences += [f"{line[:1].upper()}{line[1:]}" for line in said]
    points = ["Rates in points"] * any(c.percent for c in found.checks)
    return ". ".join([*sentences, *points]) + "."


def _case(found: GateResult, c: CheckResult) -> Case:
    """One test case: a regression is a failure, an open question an error."""
    return Case(
        name=f"{c.name}: {_CLAIMS[c.goal].format(margin=_margin(c))}",
        group=f"{found.candidate} against {found.baseline}",
        ruling={"PASS": "pass", "REGRESSION": "failure", "CAN'T TELL": "error"}[c.ruling],  # type: ignore[arg-type]
        verdict=c.ruling,
        message=_headline(c, found),
        explanation=_explained(c),
    )


def _margin(c: CheckResult) -> str:
    return amount(f"{c.margin * scale(c.percent):g}", c.percent)


def _places(c: CheckResult) -> int:
    """Decimals that the interval justifies; one that is open justifies them by its other end."""
    ends = [abs(x - c.delta) for x in (c.interval.low, c.interval.high) if math.isfinite(x)]
    return digits(scale(c.percent) * sum(ends) / max(len(ends), 1))


def _p_goal(c: CheckResult, alpha: float) -> str:
    return _p(c.pvalue, alpha, bound=c.pvalue_is_bound)


def _p_regression(c: CheckResult, alpha: float) -> str:
    return _p(c.pvalue_regression_adjusted, alpha, bound=c.regression_is_bound)


def _p(value: float, alpha: float, *, bound: bool) -> str:
    """The p-value and how it relates: it may be no more than an upper bound."""
    said = format_p(value, math.log10(value), alpha=alpha)
    return said.replace("=", "<=") if bound else said


def _rounded(items: int) -> int:
    """Three significant digits, upwards: the number is an estimate."""
    step: int = 10 ** max(len(str(items)) - 3, 0)
    return -(-items // step) * step
