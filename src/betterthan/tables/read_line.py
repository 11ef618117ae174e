"""The line that says how a table was read, in options that can be pasted back."""

from collections.abc import Sequence
from dataclasses import replace

from betterthan.data.scores import Scores
from betterthan.errors import how_many
from betterthan.metrics import mean
from betterthan.tables.rows import Rows

SHOWN = 12  # systems that the line lists


def with_source(scores: Scores, rows: Rows, *, total: int) -> Scores:
    """Say on one line how the rows were read."""
    of = "" if scores.n == total else f" of {total:,}"
    items = f"{scores.n:,}{of} item{'s' * (scores.n != 1)}"
    if scores.clusters is not None:
        items += f" in {how_many(len({*scores.clusters.tolist()}), 'cluster')}"
    if scores.responses is not None:
        items += f" x {scores.responses.shape[-1]} {rows.roles.response}s"
    parts = read_as(rows, scores, scores.systems, tuple(scores.groups))
    parts += [f"{items}, paired by {scores.paired_by}"]
    return replace(scores, source=" · ".join(parts))


def read_as(rows: Rows, scores: Scores, systems: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Say how rows were read, as options that can be pasted back."""
    found = rows.as_read or rows.roles
    turned = found.layout == "counts" or found.metric is not None
    own = {
        "item": "+".join(name or '""' for name in found.item),
        "system": found.system,
        "response": found.response,
        "cluster": "+".join(found.cluster),
        "task": found.task,
        "score": "" if rows.wide or turned else "+".join(scores.columns),
        "label": "+".join(x for x in labels if x not in (*found.cluster, found.task)),
    }
    named = ",".join(f"{role}={name}" for role, name in own.items() if name)
    parts = [rows.origin, f"--columns {named}" if named else ""]
    parts.append(f"--systems {_typed(systems)}" if len(systems) > 1 else "")
    lower = {scores.towards_better(mean(column)).lower_is_better for column in scores.columns}
    parts.append("--lower-is-better" if lower == {True} else "")
    parts.append("--higher-is-better" if scores.lower_is_better is False else "")
    return [part for part in (*parts, *rows.written) if part]


def _typed(names: Sequence[str]) -> str:
    """Write names as they are typed; of many, how many."""
    shown = ",".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown},... ({len(names)})"
