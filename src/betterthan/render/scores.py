"""Scores of whole systems as text, Markdown, LaTeX, JSON and CSV.

The JSON schema is ``betterthan/scores/1``: a record per system and metric, nothing rounded; rates
are between 0 and 1.
"""

import json
from collections.abc import Sequence

from betterthan.data import Scores
from betterthan.metrics import Metric
from betterthan.render.numbers import number, scale
from betterthan.render.tables import Align, Table, to_csv, to_latex, to_markdown, to_text

SCHEMA = "betterthan/scores/1"
DECIMALS = 2


def render(scores: Scores, metrics: Sequence[Metric], style: str) -> str:
    """Write each system's score by each metric in one of the styles."""
    values = {
        (system, metric): metric.score(scores.of(system, metric.columns))
        for system in scores.systems
        for metric in metrics
    }
    if style in ("json", "csv"):
        records: list[dict[str, object]] = [
            {"system": system, "metric": repr(metric), "score": value, "n": scores.n}
            for (system, metric), value in values.items()
        ]
        if style == "csv":
            return to_csv(records)
        document = {"schema": SCHEMA, "source": scores.source, "scores": records}
        return json.dumps({**document, "notes": scores.notes}, indent=2, ensure_ascii=False)
    right: Align = ">"
    table = Table(
        ("system", *map(repr, metrics)),
        ("<", *(right for _ in metrics)),
        tuple(
            (
                system,
                *(number(values[system, m] * scale(m.percent), DECIMALS) for m in metrics),
            )
            for system in scores.systems
        ),
    )
    if style == "latex":
        best = {
            (row, k + 1)
            for k, m in enumerate(metrics)
            for row, system in enumerate(scores.systems)
            if m.sign * values[system, m] == max(m.sign * values[s, m] for s in scores.systems)
        }
        caption = f"Scores on {scores.n:,} items."
        return to_latex(table, caption=caption, label="tab:scores", bold=best)
    notes = "".join(f"\n! {note}" for note in scores.notes)
    if style == "md":
        return to_markdown(table) + "".join(f"\n\n{note}" for note in scores.notes)
    return to_text(table) + notes
