"""Response tests and studies as text, Markdown, LaTeX, JSON and CSV.

The JSON schemas are ``betterthan/responses/1`` and ``betterthan/study/1``: the names are those of
the Python attributes, and numbers are never rounded.
"""

import json
from dataclasses import asdict, fields
from typing import Any

from betterthan.render.numbers import p_text
from betterthan.render.tables import Align, Table, to_csv, to_latex, to_markdown, to_text
from betterthan.responses import Simulation, Study
from betterthan.results import TestResult, describe_p

_CLAIM = {"two-sided": "differ from", "greater": "be better than", "less": "be worse than"}


def render_test(found: TestResult, names: tuple[str, str], style: str, alpha: float = 0.05) -> str:
    """Write one response test in the styles ``table``, ``md``, ``json``, ``csv``, ``latex``."""
    record = record_of(found, names)
    if style == "json":
        return json.dumps({"schema": "betterthan/responses/1", **record}, indent=2)
    if style == "csv":
        return to_csv([{k: v for k, v in record.items() if k != "notes"}])
    table = Table(
        ("baseline", "candidate", "metric", "items", "delta", "p", "test"),
        ("<", "<", "<", ">", ">", ">", "<"),
        (
            (
                *names,
                found.metric,
                f"{found.n:,}",
                f"{found.delta:+.4g}",
                p_text(found.pvalue, found.log10_pvalue),
                found.test.removesuffix(" response"),
            ),
        ),
    )
    how = f"{found.kind}, by {found.engine}: {found.reason}"
    if style == "latex":
        return to_latex(table, caption=f"Response test ({how}).", label="tab:responses")
    if style == "md":
        notes = "".join(f"\n- {note}" for note in found.notes)
        verdict = f"**{_verdict(found, names, alpha)}**"
        blocks = (verdict, to_markdown(table), f"{how}{notes}", f"`{found.signature}`")
        return "\n\n".join(blocks)
    lines = [
        _verdict(found, names, alpha),
        f"  {found.metric}: delta {found.delta:+.4g}, {found.n:,} items   p {describe_p(found)}",
        f"  {found.test} test, {how}",
        *(f"  ! {note}" for note in found.notes),
        f"signature: {found.signature}",
    ]
    return "\n".join(lines)


def render_study(found: Study, style: str) -> str:
    """Write a study: its summary tables, or all its cells as JSON or CSV."""
    if style == "json":
        record: dict[str, Any] = {"schema": "betterthan/study/1", **asdict(found)}
        return json.dumps({**record, "recommendation": found.recommendation}, indent=2)
    if style == "csv":
        return to_csv(found.to_dicts())
    tables = [_least_errors(found, "metric"), _least_errors(found, "sampling"), _budget(found)]
    if style == "latex":
        captions = (
            "Least error of the estimated p-value, by metric.",
            "Least error of the estimated p-value, by sampling strategy.",
            "Power of the calibrated test as the responses are spent on items or on raters.",
        )
        labels = ("tab:metrics", "tab:samplings", "tab:budget")
        parts = [
            to_latex(table, caption=caption, label=label)
            for table, caption, label in zip(tables, captions, labels, strict=True)
            if table.rows
        ]
        return "\n\n".join(parts)
    write = to_markdown if style == "md" else to_text
    head = (
        f"Estimated against true p: {found.items:,} items x {found.responses} responses, "
        f"{found.resamples:,} draws, {found.repeats} reference test "
        f"set{'s' * (found.repeats > 1)} an eps"
    )
    return "\n\n".join([head, *(write(t) for t in tables if t.rows), found.recommendation])


def render_simulation(made: Simulation, style: str) -> str:
    """Write a simulated test set as a long table: item, system, response, score."""
    rows: list[dict[str, object]] = [
        {"item": f"i{i + 1}", "system": name, "response": j + 1, "score": float(value)}
        for name, block in (("gold", made.gold), ("a", made.a), ("b", made.b))
        for i, values in enumerate(block)
        for j, value in enumerate(values)
    ]
    if style == "json":
        return json.dumps(rows, indent=0)
    if style == "csv":
        return to_csv(rows)
    shown = tuple(tuple(str(cell) for cell in row.values()) for row in rows)
    table = Table(("item", "system", "response", "score"), ("<", "<", ">", ">"), shown)
    if style == "latex":
        return to_latex(table, caption="Simulated responses.", label="tab:simulation")
    return to_markdown(table) if style == "md" else to_text(table)


def record_of(found: TestResult, names: tuple[str, str]) -> dict[str, Any]:
    """Plain values of a result, in the order of its attributes."""
    skipped = ("law", "fraction", "clusters", "statistic")
    kept = [field.name for field in fields(found) if field.name not in skipped]
    values = {name: getattr(found, name) for name in kept}
    return {"baseline": names[0], "candidate": names[1], **values, "notes": list(found.notes)}


def _verdict(found: TestResult, names: tuple[str, str], alpha: float) -> str:
    baseline, candidate = names
    if found.pvalue > alpha:
        return f"Can't tell: {candidate} is not shown to {_CLAIM[found.alternative]} {baseline}."
    better = "better" if found.delta > 0 else "worse"
    return f"{candidate} is {better} than {baseline}."


def _least_errors(found: Study, by: str) -> Table:
    rows = tuple(
        (name, *(f"{row[eps]:.5f}" for eps in found.eps))
        for name, row in found.least_error(by).items()
    )
    right: list[Align] = [">"] * len(found.eps)
    align: tuple[Align, ...] = ("<", *right)
    return Table((f"least error by {by}", *(f"eps {eps:g}" for eps in found.eps)), align, rows)


def _budget(found: Study) -> Table:
    rows = tuple(
        (f"{s.items:,}", str(s.responses), f"{s.gain:.4f}", f"{s.sd:.4f}", f"{s.power:.2f}")
        for s in found.splits
    )
    return Table(("items", "responses", "gain", "sd", "power"), (">",) * 5, rows)
