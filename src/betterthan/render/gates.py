"""The gate's ruling as text, Markdown, JSON, CSV, LaTeX and JUnit XML."""

import math
import re
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from betterthan.design.gate import CheckResult, GateResult
from betterthan.render.numbers import digits, number, p_text, scale
from betterthan.render.sheets import Sheet, write
from betterthan.render.tables import Align, Table

_CLAIMS = {
    "non-inferior": "no loss beyond {margin}",
    "superior": "a gain beyond {margin}",
    "equivalent": "neither loss nor gain beyond {margin}",
}


# What XML 1.0 cannot hold, not even escaped: most control characters.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_gate(found: GateResult, style: str) -> str:
    """Write the ruling; ``junit`` is what continuous-integration servers read."""
    return _junit(found) if style == "junit" else write(gate_sheet(found), style)


def gate_sheet(found: GateResult) -> Sheet:
    """A card for one metric, a table for several."""
    first = found.checks[0]
    several = len(found.checks) > 1
    headlines = [_overall(found)] if several else [_headline(first), _explained(first)]
    if several:
        headlines += [f"{c.metric}: {_explained(c)}" for c in found.checks if c.ruling != "PASS"]
        headlines += [""]
    else:
        k, places = scale(first.percent), _places(first)
        headlines += [
            "",
            f"{found.baseline} {number(k * first.score_baseline, places)}   "
            f"{found.candidate} {number(k * first.score_candidate, places)}",
        ]
    headlines += _methods(found)
    notes = [f"{c.metric}: {note}" if several else note for c in found.checks for note in c.notes]
    return Sheet(
        "betterthan/gate/1",
        tuple(headlines),
        _table(found) if several else None,
        [_record(c) for c in found.checks],
        {
            "ruling": found.ruling,
            "exit_code": found.exit_code,
            "baseline": found.baseline,
            "candidate": found.candidate,
            "alpha": found.alpha,
            "correction": found.correction,
            "source": found.source,
        },
        (*found.notes, *notes),
        found.signature,
    )


def _overall(found: GateResult) -> str:
    failed = [c.metric for c in found.checks if c.ruling == "REGRESSION"]
    unclear = [c.metric for c in found.checks if c.ruling == "CAN'T TELL"]
    why = {
        "PASS": f"all {len(found.checks)} metrics pass",
        "REGRESSION": f"worse in {', '.join(failed)}",
        "CAN'T TELL": f"nothing is shown in {', '.join(unclear)}",
    }[found.ruling]
    return f"{found.ruling}   {found.candidate} against {found.baseline}: {why}"


def _headline(c: CheckResult) -> str:
    k, places = scale(c.percent), _places(c)
    unit = " points" if c.percent else ""
    low, high = (number(k * x, places, signed=True) for x in (c.interval.low, c.interval.high))
    units = f"{c.n:,} items" if c.clusters is None else f"{c.n:,} items in {c.clusters:,} clusters"
    delta = number(k * c.delta, places, signed=True)
    return f"{c.ruling}   {delta}{unit} [{low}, {high}]  p = {_p(c.pvalue)}  ({units})"


def _explained(c: CheckResult) -> str:
    margin = _margin(c)
    claim = _CLAIMS[c.goal].format(margin=margin)
    if c.ruling == "PASS":
        return f"Shown: {claim}."
    if c.ruling == "REGRESSION":
        return f"The candidate is worse; {claim} is what had to be shown."
    needed = (
        ""
        if c.items_needed is None or c.items_needed <= c.n
        else f" That takes about {_rounded(c.items_needed):,} items, if the systems are equal."
    )
    safety = f"safety within {margin}" if c.goal == "non-inferior" else claim
    return f"Neither a regression nor {safety} is shown.{needed}"


def _methods(found: GateResult) -> list[str]:
    level = f"{100 * (1 - found.alpha):g} %"
    borders = {
        "non-inferior": "the lower {level} bound is above minus the margin",
        "superior": "the lower {level} bound is above the margin",
        "equivalent": "both {level} bounds lie within the margin (two one-sided tests)",
    }
    goals = dict.fromkeys(c.goal for c in found.checks)
    rule = "; ".join(borders[goal].format(level=level) for goal in goals)
    methods = ", ".join(dict.fromkeys(f"{c.interval.method} ({c.kind})" for c in found.checks))
    lines = [
        f"rule      one-sided by design: PASS if {rule}",
        f"test      {methods}",
        f"interval  both one-sided {level} bounds; p is that of the goal ({', '.join(goals)})",
    ]
    if len(found.checks) > 1:
        how = "not adjusted" if found.correction == "none" else f"adjusted by {found.correction}"
        lines.append(
            f"several   all must pass, each at alpha {found.alpha:g}; regressions are {how}"
        )
    return lines


def _table(found: GateResult) -> Table:
    headers = (
        *("metric", "baseline", "candidate", "delta", "interval", "margin", "p"),
        *("p regression", "ruling"),
    )
    rows = []
    for c in found.checks:
        k, places = scale(c.percent), _places(c)
        low, high = (number(k * x, places, signed=True) for x in (c.interval.low, c.interval.high))
        rows.append(
            (
                c.metric,
                number(k * c.score_baseline, places),
                number(k * c.score_candidate, places),
                number(k * c.delta, places, signed=True),
                f"[{low}, {high}]",
                f"{k * c.margin:g}",
                _p(c.pvalue),
                _p(c.pvalue_regression_adjusted),
                c.ruling,
            )
        )
    left = {"metric", "ruling"}
    align: tuple[Align, ...] = tuple("<" if h in left else ">" for h in headers)
    return Table(headers, align, tuple(rows))


def _junit(found: GateResult) -> str:
    """One test case a metric: a regression is a failure, an open question an error.

    An open question must not look like a success, which ``skipped`` does on most servers.
    """
    failures = sum(c.ruling == "REGRESSION" for c in found.checks)
    errors = sum(c.ruling == "CAN'T TELL" for c in found.checks)
    counts = {"tests": str(len(found.checks)), "failures": str(failures), "errors": str(errors)}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "betterthan gate", **counts})
    properties = ET.SubElement(suite, "properties")
    for name, value in (("ruling", found.ruling), ("signature", found.signature)):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    for c in found.checks:
        name = f"{c.metric}: {_CLAIMS[c.goal].format(margin=_margin(c))}"
        classname = f"{found.candidate} against {found.baseline}"
        case = ET.SubElement(suite, "testcase", {"name": name, "classname": classname})
        if c.ruling != "PASS":
            kind = "failure" if c.ruling == "REGRESSION" else "error"
            said = {"message": _headline(c), "type": c.ruling}
            ET.SubElement(case, kind, said).text = _explained(c)
        ET.SubElement(case, "system-out").text = _headline(c)
    ET.indent(root)
    # Serialised text holds the characters as they are: names with control characters lose them.
    return _NOT_XML.sub("\ufffd", ET.tostring(root, encoding="unicode", xml_declaration=True))


def _record(c: CheckResult) -> dict[str, Any]:
    record = asdict(c)
    record["interval"] = asdict(c.interval)
    return record


def _margin(c: CheckResult) -> str:
    return f"{c.margin * scale(c.percent):g}{' points' if c.percent else ''}"


def _places(c: CheckResult) -> int:
    return digits(scale(c.percent) * (c.interval.high - c.interval.low) / 2)


def _p(value: float) -> str:
    return p_text(value, math.log10(value))


def _rounded(items: int) -> int:
    """Two significant digits, upwards: the number is an estimate."""
    step: int = 10 ** max(len(str(items)) - 2, 0)
    return -(-items // step) * step
