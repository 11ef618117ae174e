"""Tables of labels: a column with what is right, and a column of answers per system.

``columns={"ref": "gold"}`` names the right answers. Systems are those that were named; else all
columns without a role, declared or known by name, which must share a label with the right answers.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
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
from betterthan.tables.read_line import as_options
from betterthan.tables.selection import selected
from betterthan.tasks.labels import score_labels


def read(sources: Sequence[Any], options: Options) -> Scores:
    """Score the columns of a table against its column of right answers."""
    if len(sources) > 1 or options.ref:
        raise UsageError("the right answers are in one table, or in files of their own, not both")
    metrics = options.metric_names or ["accuracy"]
    kinds_with(metrics, ["labels"])
    frame, place = frame_of(sources[0], options)
    frame, place = selected(frame, options.where, place)
    table = frame.select(texts(column).str.strip_chars().replace("", None) for column in frame)
    names, read = table.columns, partial(column_called, names=table.columns, where=place.name)
    roles = {
        role: [read(x, role=role) for x in options.columns_of(role)] for role in options.columns
    }
    ids = [x for x in names if (is_index(x) or role_of(x) == "item") and x not in roles["ref"]]
    item = roles.setdefault("item", ids[:1])
    used = {*ids, *chain(*roles.values())}
    free = [x for x in names if role_of(x) is None and x not in used]
    truth = complete(table[roles["ref"][0]].fill_null(""), "right answer", place)
    systems = [read(x, role="item") for x in options.systems or ()] or free
    related = [x for x in systems if set(table[x].drop_nulls()) & set(truth)]
    if not options.systems and (related != free or not free):
        unclear = first_few(x for x in free if x not in related) or "nothing"
        raise FormatError(
            f"{place.name}: {unclear} has no label of {truth.name!r}: which columns are systems?",
            Remedy("", "systems", related),
        )
    answers = table.select(systems)
    missing = answers.to_numpy() == None  # noqa: E711 (cell by cell)
    filled = answers.fill_null("").to_dict(as_series=False)
    scored = score_labels(truth.to_list(), filled, metrics)
    columns = {
        name: np.where(missing, np.nan, values) if name.startswith(("correct", "tp")) else values
        for name, values in scored.columns.items()
    }
    keys = [complete(table[name].fill_null(""), name, place) for name in item]
    others = table.drop(*systems, *item, *roles["ref"], strict=False).fill_null("")
    scored = replace(
        scored,
        columns=columns,
        items=joined(keys).to_list() if keys else None,
        groups=others.to_dict(as_series=False),
    )
    declared = {role: "+".join(columns) for role, columns in roles.items() if columns}
    typed, _ = as_options(declared, systems, options.where, declared=True)
    origin = f"{place.name} · {typed}"
    return scores_of(scored, systems, metrics, origin, replace(options, columns=declared))
