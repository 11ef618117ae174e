"""Tables with a row per system and a column per item, if that is declared."""

from dataclasses import replace

import polars as pl

from betterthan.tables.cells import Place, complete, texts
from betterthan.tables.columns import seen
from betterthan.tables.declared import Declared
from betterthan.tables.names import is_index, role_of


def turned(frame: pl.DataFrame, declared: Declared, place: Place) -> tuple[pl.DataFrame, Declared]:
    """Make a long table of one with a row per system; rows without names are numbered.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"model": ["a", "b"], "q1": [0, 1]})
    >>> turned(frame, Declared(), Place("t.csv"))[0].rows()
    [('a', 'q1', 0), ('b', 'q1', 1)]
    """
    shown = seen(frame)
    named = [c.name for c in shown if c.name in declared["system"] or role_of(c.name) == "system"]
    text = [c.name for c in shown if c.kind == "text" and c.name not in declared["label"]]
    index = [c.name for c in shown if is_index(c.name)]
    system = next(iter(named or text or index), None)
    others = {*declared["label"], *declared["cluster"], system}
    items = [c.name for c in shown if c.name not in others and c.kind != "nested"]
    names = pl.Series([f"system {k}" for k in range(1, len(frame) + 1)])
    if system is not None:
        names = complete(texts(frame[system]), "system", place)
    if system in (None, "", "item", "score"):  # an index has no name; the others are new columns
        system = "system"
    new = ["bt_system", "bt_item", "bt_score"]  # names that no item has
    long = frame.select(*items, names.alias(new[0])).unpivot(
        on=items, index=new[0], variable_name=new[1], value_name=new[2]
    )
    long.columns = [system, "item", "score"]
    columns = {**declared.columns, "item": ("item",), "system": (system,), "score": ("score",)}
    return long, replace(declared, columns=columns | {"label": (), "cluster": ()}, metrics=())
