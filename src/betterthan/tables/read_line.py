"""The line that says how a table was read, in options that can be pasted back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote

from betterthan.data.scores import Scores
from betterthan.errors import how_many
from betterthan.grammar import names_text, pairs_text
from betterthan.metrics import mean
from betterthan.tables.rows import Rows

SHOWN = 12  # systems that the line lists where nobody declared them


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
    roles = rows.roles
    own = {
        "item": "+".join(roles.item),
        "system": roles.system,
        "response": roles.response,
        "cluster": "+".join(roles.cluster),
        "task": roles.task,
        "score": "" if rows.wide or roles.metric else "+".join(scores.columns),
        "label": "+".join(x for x in labels if x not in (*roles.cluster, roles.task)),
    }
    columns = {role: name for role, name in own.items() if name or (role == "item" and roles.item)}
    declared = rows.declared.systems
    listed = systems if len(systems) > 1 or declared else ()
    lower = {scores.towards_better(mean(column)).lower_is_better for column in scores.columns}
    flags = ["--lower-is-better"] * (lower == {True})
    flags += ["--higher-is-better"] * (scores.lower_is_better is False)
    options = as_options(columns, listed, rows.declared.where, *flags, declared=bool(declared))
    return [part for part in (rows.origin, *options, *rows.written) if part]


def as_options(
    columns: Mapping[str, str | None],
    systems: Sequence[str],
    where: Mapping[str, str],
    *flags: str,
    declared: bool,
) -> list[str]:
    """Write options that read the same; many systems that nobody declared are only counted.

    >>> as_options({"item": "id"}, ["base", "new"], {}, declared=False)
    ['--columns item=id --systems base,new', '']
    """
    few = declared or len(systems) <= SHOWN
    texts = {
        "--columns": pairs_text(columns),
        "--systems": names_text(systems) if few else "",
        "--where": pairs_text(where),
    }
    options = [f"{option} {quote(text)}" for option, text in texts.items() if text]
    return [" ".join([*options, *flags]), "" if few else f"{len(systems):,} systems"]
