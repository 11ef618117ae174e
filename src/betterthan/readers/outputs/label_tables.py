"""Tables of labels: a column with what is right, and a column of answers per system.

``columns={"ref": "gold"}`` names the right answers. Systems are those that were named; else all
columns without a role, declared or known by name, which must share a label with the right answers.
"""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import FormatError, Remedy, UsageError, first_few
from betterthan.readers.options import Options
from betterthan.readers.outputs.scoring import kinds_with, scores_of
from betterthan.readers.table_files import frame_of
from betterthan.tables.cells import complete, joined, texts
from betterthan.tables.declared import column_called
from betterthan.tables.names import is_index, role_of
from betterthan.tables.selection import kept
from betterthan.tasks.labels import score_labels


def read(sources: Sequence[Any], options: Options) -> Scores:
    """Score the columns of a table against its column of right answers."""
    if len(sources) > 1 or options.ref:
        raise UsageError("the right answers are in one table, or in files of their own, not both")
    metrics = options.metric_names or ["accuracy"]
    kinds_with(metrics, ["labels"])
    frame, place = frame_of(sources[0], options)
    frame, place = kept(frame, options.where, place)
    table = frame.select(texts(column).str.strip_chars().replace("", None) for column in frame)
    of_role = {
        role: [column_called(x, table.columns, role, place.name) for x in options.columns_of(role)]
        for role in options.columns
    }
    truth, answers = table[of_role["ref"][0]], table.drop(of_role["ref"])
    named = [column_called(x, table.columns, "item", place.name) for x in options.systems or ()]
    known = {name: "item" if is_index(name) else role_of(name) for name in answers.columns}
    used = {name for names in of_role.values() for name in names}
    free = [name for name, role in known.items() if role is None and name not in used]
    related = [name for name in free if set(answers[name].drop_nulls()) & set(truth)]
    if not named and (related != free or not free):
        unclear = first_few(name for name in free if name not in related) or "nothing"
        raise FormatError(
            f"{place.name}: {unclear} has no label of {truth.name!r}: which columns are systems?",
            Remedy("", "systems", related),
        )
    systems = named or free
    complete(truth.fill_null(""), "right answer", place)
    said = {name: answers[name].fill_null("").to_list() for name in systems}
    scored = score_labels(truth.to_list(), said, metrics)
    missing = answers.select(systems).to_numpy() == None  # noqa: E711 (cell by cell)
    columns = {
        name: np.where(missing, np.nan, values) if name.startswith(("correct", "tp")) else values
        for name, values in scored.columns.items()
    }
    item = of_role.get("item") or [name for name, role in known.items() if role == "item"][:1]
    ids = [complete(answers[name].fill_null(""), name, place) for name in item]
    others = answers.drop(systems).drop(item, strict=False).fill_null("")
    scored = replace(
        scored,
        columns=columns,
        items=joined(ids).to_list() if ids else None,
        groups=others.to_dict(as_series=False),
    )
    roles = {role: "+".join(names) for role, names in {**of_role, "item": item}.items() if names}
    typed = ",".join(f"{role}={names}" for role, names in roles.items())
    origin = f"{place.name} · --columns {quote(typed)} · --systems {quote(','.join(systems))}"
    return scores_of(scored, systems, metrics, origin, replace(options, columns=roles))
