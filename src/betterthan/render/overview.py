"""What data hold, in a few lines, before anything is computed."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from betterthan.data.judgments import Judgments
from betterthan.data.labels import Labels
from betterthan.data.scores import Scores
from betterthan.errors import listing

MOST = 8  # names that are listed


def overview(data: Scores | Judgments) -> list[str]:
    """Say in lines what data hold and what they lack.

    >>> print(*overview(Scores.from_arrays({"base": [0, 1], "new": [1, 1]})), sep=chr(10))
      systems    base, new
      items      2, paired by position
      metrics    score
      responses  one per item
      clusters   none
      labels     none
      missing    none
    """
    rows = _judgments(data) if isinstance(data, Judgments) else _scores(data)
    width = max(map(len, rows))
    lines = [f"  {name.ljust(width)}  {text}" for name, text in rows.items()]
    if isinstance(data, Scores) and data.tasks is not None:
        lines += ["", *_tasks(data)]
    return [*lines, *(f"! {note}" for note in data.notes)]


def _tasks(scores: Scores) -> Iterator[str]:
    """Lines of a table: each task, its metrics, and how many items each system has of it."""
    shown = scores.systems[:MOST]
    rows = [
        [task, metric, *(f"{int(k):,}" for k in (~np.isnan(part.values[:, :, at])).sum(axis=0))]
        for task, part in replace(scores, indivisible={}).by_task().items()  # what there is
        for at, metric in enumerate(part.columns)
    ]
    table = [[scores.tasks or "", "metric", *shown], *(row[: 2 + len(shown)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        names = (cell.ljust(w) for cell, w in zip(row[:2], widths[:2], strict=True))
        counts = (cell.rjust(w) for cell, w in zip(row[2:], widths[2:], strict=True))
        yield f"  {'  '.join([*names, *counts])}"


def _scores(scores: Scores) -> dict[str, str]:
    holes = (np.isnan(scores.values) & ~scores.unmeasured[:, None]).any(axis=2).sum(axis=0)
    lacking = [f"{s} lacks {k:,}" for s, k in zip(scores.systems, holes, strict=True) if k]
    missing = f"{listing(lacking, MOST)} of {scores.n:,}" if lacking else "none"
    first = [] if scores.items is None else [scores.items[k] for k in range(min(3, scores.n))]
    labels = [f"{name} ({len(set(values)):,})" for name, values in scores.groups.items()]
    return {
        "systems": listing(scores.systems, MOST),
        "items": f"{scores.n:,}, paired by {scores.paired_by}"
        + (f" ({', '.join(first)} ...)" if first else ""),
        "metrics": listing(scores.columns, MOST),
        "responses": _responses(scores),
        "clusters": _number(scores.clusters, "none"),
        "labels": listing(labels, MOST) or "none",
        "missing": missing,
    }


def _judgments(judgments: Judgments) -> dict[str, str]:
    draws = int(
        np.sum((judgments.outcome == 0.5) * (1 if judgments.counts is None else judgments.counts))
    )
    return {
        "systems": listing(judgments.systems, MOST),
        "judgments": f"{judgments.n:,}, {draws:,} of them ties",
        "items": _number(judgments.items, "unknown"),
        "judges": _number(judgments.judges, "unknown"),
    }


def _responses(scores: Scores) -> str:
    if scores.responses is None:
        return "one per item"
    counts = np.unique((~np.isnan(scores.responses[:, :, 0])).sum(axis=-1)).tolist()
    return f"{' to '.join(map(str, sorted({counts[0], counts[-1]})))} per item"


def _number(labels: Labels | None, unknown: str) -> str:
    return unknown if labels is None else f"{len(set(labels)):,}"
