"""Comparisons as text, Markdown, LaTeX, JSON and CSV.

The JSON schema is ``betterthan/comparisons/1``: the names are those of the Python attributes, and
numbers are never rounded. Infinite ends of an interval are null.
"""

import json
import math
from dataclasses import fields
from typing import Any

from betterthan.comparison import Comparison, Comparisons
from betterthan.render.methods import methods_sentence, test_phrase
from betterthan.render.numbers import digits, number, p_text, scale
from betterthan.render.tables import Table, to_csv, to_latex, to_markdown, to_text
from betterthan.results import format_p

SCHEMA = "betterthan/comparisons/1"
HEADLINES = 12
"""Most verdicts that are said one by one above the table."""

_FIELDS = tuple(
    field.name
    for field in fields(Comparison)
    if field.name not in ("test", "percent")  # how to print it, and the whole result
)


def render(found: Comparisons, style: str) -> str:
    """Write comparisons in one of the styles ``table``, ``md``, ``json``, ``csv``, ``latex``."""
    return {
        "table": as_text,
        "md": as_markdown,
        "json": as_json,
        "csv": as_csv,
        "latex": as_latex,
    }[style](found)


def as_text(found: Comparisons) -> str:
    """A card for one comparison, a table for several."""
    if len(found) == 1:
        body = "\n".join([_card(found[0]), *(f"  ! {note}" for note in found.notes)])
    else:
        notes = shared_notes(found)
        body = "\n".join(
            [*headlines(found), "", to_text(table_of(found)), "", *family(found), *notes]
        )
    return f"{body}\nsignature: {found.signature}"


def as_markdown(found: Comparisons) -> str:
    """A verdict line or two, the table, the notes and the signature."""
    lines = [f"**{line.strip()}**  " for line in headlines(found)]
    notes = [f"- {note.strip().removeprefix('! ')}" for note in shared_notes(found)]
    if len(found) == 1:
        notes += [f"- {note}" for note in found[0].notes]
    blocks = ["\n".join(lines), to_markdown(table_of(found)), "\n".join(family(found)).strip()]
    blocks += ["\n".join(notes), f"`{found.signature}`"]
    return "\n\n".join(block for block in blocks if block)


def as_latex(found: Comparisons) -> str:
    """A booktabs table whose caption names test, level and correction."""
    table = table_of(found)
    score = table.headers.index("system score")
    winners = [at for at, c in enumerate(found) if c.verdict == "better"]
    best = sorted(winners, key=lambda at: -found[at].delta)[:1]
    return to_latex(
        table,
        caption=methods_sentence(found, cite=False),
        label="tab:betterthan",
        bold=[(at, score) for at in best],
    )


def as_json(found: Comparisons) -> str:
    """The versioned schema, unrounded."""
    document = {
        "schema": SCHEMA,
        "comparisons": [record(c) for c in found],
        "correction": found.correction,
        "alpha": found.alpha,
        "source": found.source,
        "notes": list(found.notes),
        "signature": found.signature,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def as_csv(found: Comparisons) -> str:
    """One row a comparison, unrounded; the interval in four columns."""
    rows = []
    for comparison in found:
        row = record(comparison)
        interval = row.pop("interval")
        at = list(row).index("pvalue")
        flat = list(row.items())
        flat[at:at] = [(f"interval_{name}", value) for name, value in interval.items()]
        rows.append(dict(flat) | {"notes": "; ".join(comparison.notes)})
    return to_csv(rows)


def record(comparison: Comparison) -> dict[str, Any]:
    """One comparison as plain values, under the names that Python and JSON share."""
    values = {name: getattr(comparison, name) for name in _FIELDS}
    interval = comparison.interval
    values["interval"] = {
        "low": _finite(interval.low),
        "high": _finite(interval.high),
        "level": interval.level,
        "method": interval.method,
        "error": _finite(interval.error),
    }
    values["notes"] = list(comparison.notes)
    return values


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _card(c: Comparison) -> str:
    k = scale(c.percent)
    places = decimals_of(c)
    first, second = number(c.score_baseline * k, places), number(c.score_system * k, places)
    counts = (
        f"     wins {c.wins:,} │ ties {c.ties:,} │ losses {c.losses:,}"
        if c.wins is not None
        else ""
    )
    rows = [
        f"  {c.baseline} {first}   {c.system} {second}{counts}",
        f"  test      {test_phrase(c)}",
        f"  interval  {c.interval.level:.4g} {c.interval.method}".replace("0.95 ", "95 % "),
    ]
    if c.mde is not None:
        unit = " points" if c.percent else ""
        rows.append(
            f"  power     this set detects >= {number(c.mde * k, places)}{unit} (80 %, approximate)"
        )
    rows += [f"  ! {note}" for note in c.notes]
    return "\n".join(["", headline(c), "", *rows])


def headlines(found: Comparisons) -> list[str]:
    """The verdict of each overall comparison, a line each."""
    overall = [c for c in found if c.subset is None]
    if len(overall) <= HEADLINES:
        return [headline(c) for c in overall]
    decided = sum(c.verdict != "can't tell" for c in overall)
    return [f"  {decided} of {len(overall)} comparisons are decided at alpha = {found.alpha:g}"]


def headline(c: Comparison) -> str:
    """One comparison's verdict, effect, interval and p, on one line."""
    k = scale(c.percent)
    places = decimals_of(c)
    unit = " points" if c.percent else ""
    low, high = (number(x * k, places, signed=True) for x in (c.interval.low, c.interval.high))
    p = format_p(c.pvalue_adjusted, c.log10_pvalue_adjusted)
    says = {
        "better": f"{c.system} is BETTER than {c.baseline}",
        "worse": f"{c.system} is WORSE than {c.baseline}",
        "can't tell": f"CAN'T TELL {c.system} from {c.baseline}",
    }[c.verdict]
    adjusted = "" if c.correction == "none" else f" ({c.correction.capitalize()})"
    gain = number(c.delta * k, places, signed=True)
    return f"  {says}   {gain}{unit}  [{low}, {high}]  p {p}{adjusted}"


def decimals_of(c: Comparison) -> int:
    """Decimals that the interval justifies."""
    return digits(scale(c.percent) * (c.interval.high - c.interval.low) / 2)


def table_of(found: Comparisons) -> Table:
    """The comparisons as a table of finished text."""
    several_metrics = len({c.metric for c in found}) > 1
    several_baselines = len(_baselines(found)) > 1
    by_subset = any(c.subset for c in found)
    adjusted = found.correction != "none"
    headers = ["against"] * several_baselines + ["system"]
    headers += ["subset"] * by_subset + ["metric"] * several_metrics
    headers += ["n", "baseline", "system score", "delta", "interval", "p"]
    headers += [f"p ({found.correction})"] * adjusted + ["W/T/L", "verdict"]
    left = {"against", "system", "subset", "metric", "verdict"}
    rows = []
    for c in found:
        k, places = scale(c.percent), decimals_of(c)
        low, high = (number(x * k, places, signed=True) for x in (c.interval.low, c.interval.high))
        row = [c.baseline] * several_baselines + [c.system]
        row += [c.subset or "all"] * by_subset + [c.metric] * several_metrics
        row += [
            f"{c.n:,}",
            number(c.score_baseline * k, places),
            number(c.score_system * k, places),
        ]
        row += [number(c.delta * k, places, signed=True), f"[{low}, {high}]"]
        row += [p_text(c.pvalue, c.log10_pvalue)]
        row += [p_text(c.pvalue_adjusted, c.log10_pvalue_adjusted)] * adjusted
        row += ["" if c.wins is None else f"{c.wins}/{c.ties}/{c.losses}", c.verdict]
        rows.append(tuple(row))
    align = tuple("<" if h in left else ">" for h in headers)
    return Table(tuple(headers), align, tuple(rows))  # type: ignore[arg-type]


def family(found: Comparisons) -> list[str]:
    """How many comparisons there are, and what was done about it."""
    if len(found) == 1:
        return []
    names = _baselines(found)
    baseline = f"Baseline: {names[0]}. " if len(names) == 1 else ""
    points = " Rates in points." if any(c.percent for c in found) else ""
    level = f"{100 * (1 - found.alpha):g} %"
    how = (
        f"not adjusted; each interval at {level}"
        if found.correction == "none"
        else f"adjusted by {found.correction}; intervals hold together at {level}"
    )
    parts = sum(c.subset is not None for c in found)
    number = f"{len(found) - parts} comparisons"
    if parts:
        number += f" and {parts} in subsets, each family for itself"
    return [f" {baseline}{number}, {how}.{points}"]


def _baselines(found: Comparisons) -> list[str]:
    return list(dict.fromkeys(c.baseline for c in found))


def shared_notes(found: Comparisons) -> list[str]:
    """Notes of the data and of the comparisons, each once."""
    own = [note for c in found for note in c.notes] if len(found) > 1 else []
    return [f" ! {note}" for note in dict.fromkeys([*found.notes, *own])]
