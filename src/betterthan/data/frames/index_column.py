"""The index of a pandas frame as a column: the item, unless its name says otherwise."""

from dataclasses import replace
from typing import Any

from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import suggested
from betterthan.data.indexed import index_of, is_counting

_OTHER_ROLES = ("system", "metric", "response")


def with_index(frame: Any, options: Options) -> tuple[Any, Options]:
    """Make a frame's index a column, and say so where it names the items.

    An index that only counts the rows is none. An unnamed one is left out where a column names the
    items already, and where it merely tells the rows of a long table apart.
    """
    index = index_of(frame)
    if index is None or is_counting(index):
        return frame, options
    columns = {str(column) for column in frame.columns}
    names = [None if name is None else str(name) for name in index.names]
    has_item = options.item is not None or any(
        "item" in suggested(c) for c in (*columns, *names) if c
    )
    if names == [None]:
        is_long = options.system is not None or any("system" in suggested(c) for c in columns)
        if has_item or (is_long and index.is_unique):
            return frame.reset_index(drop=True), options
        names = ["item"]
    if columns.intersection(filter(None, names)):
        return frame.reset_index(drop=True), options  # a column holds it already
    known = [name or f"index_{k}" for k, name in enumerate(names)]
    made = frame.rename_axis(index=known).reset_index()
    asked = {options.system, options.response, options.cluster}
    items = [
        name for name in known if name not in asked and suggested(name).isdisjoint(_OTHER_ROLES)
    ]
    if has_item or not items:
        return made, options
    return made, replace(options, item=tuple(items))
