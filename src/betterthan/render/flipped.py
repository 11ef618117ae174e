"""The items that a change of systems fixed or broke: their ids, scores and texts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Comparisons, TextsOf
from betterthan.errors import BetterthanError
from betterthan.results.sheet import Table

WIDEST = 60
"""Characters of a text that a table shows; JSON has it whole."""


def flips(found: Comparisons) -> tuple[dict[int, list[dict[str, Any]]], list[Table], list[str]]:
    """Items that flipped, by the place of their comparison; as tables; and why there are none.

    Parts are looked at only where the whole has no single items, as a mean over tasks has none.
    """
    if not found.items:
        return {}, [], []
    places = [k for k, c in enumerate(found) if c.subset is None and c.pair is not None]
    places = places or [k for k, c in enumerate(found) if c.pair is not None]
    rows: dict[int, list[dict[str, Any]]] = {}
    tables, notes = [], []
    for k in places:
        try:
            made = found[k].item_by_item()
        except BetterthanError as error:
            notes.append(f"items of {found[k].candidate} are not listed: {error.message}")
            continue
        rows[k], table = listed_items(made, found.items, found.texts_of, found[k].subset)
        tables.append(table)
    if not places:
        notes.append("no items are listed: a mean over tasks has none of its own")
    return rows, tables, notes


def listed_items(
    made: ItemByItem, most: int, texts_of: TextsOf | None, subset: str | None = None
) -> tuple[list[dict[str, Any]], Table]:
    """Items that changed most, at most so many each way: as records, and as a table."""
    records = _records(made, most, texts_of)
    return records, _table(made, records, subset)


def _records(made: ItemByItem, most: int, texts_of: TextsOf | None) -> list[dict[str, Any]]:
    """Items in full, those that got worse first, the largest differences of each first."""
    worse, better = _words(made)
    changed = made.changed(most)
    rows = made.rows[np.concatenate(changed)]
    said: Mapping[str, Mapping[str, str]] = {}
    if texts_of is not None and rows.size:
        said = texts_of(made.scores.item_names(rows), rows.tolist())
    theirs = {f"{name}: output" for name in (made.baseline, made.candidate)}
    records = []
    for change, at in zip((worse, better), changed, strict=True):
        for name, i in zip(made.scores.item_names(made.rows[at]), at.tolist(), strict=True):
            texts = {n: str(x[made.rows[i]]) for n, x in made.scores.groups.items()}
            more = said.get(name, {})
            known = {*texts.values()}  # a label may be the question
            texts |= {
                k: x
                for k, x in more.items()
                if (k in theirs if k.endswith(": output") else x not in known)
            }
            scores = {"baseline": float(made.first[i]), "candidate": float(made.second[i])}
            records.append({"change": change, "item": name, **scores, "texts": texts})
    return records


def _words(made: ItemByItem) -> tuple[str, str]:
    """What is right or wrong breaks and gets fixed; what has a score gets worse and better."""
    return ("broke", "fixed") if made.right_or_wrong else ("worse", "better")


def _table(made: ItemByItem, records: list[dict[str, Any]], subset: str | None) -> Table:
    texts = list(dict.fromkeys(name for r in records for name in r["texts"]))
    both = made.baseline, made.candidate
    rows = [
        (
            r["change"],
            r["item"],
            f"{r['baseline'] * made.factor:.4g}",
            f"{r['candidate'] * made.factor:.4g}",
            *(_cut(r["texts"].get(name, "")) for name in texts),
        )
        for r in records
    ]
    changes = [r["change"] for r in records]
    total = int((made.gains < 0).sum()), int((made.gains > 0).sum())
    counts = [
        f"{n:,} got {said}"
        + (f" ({changes.count(word):,} shown)" if n > changes.count(word) else "")
        for said, word, n in zip(("worse", "better"), _words(made), total, strict=True)
    ]
    where = f" on {subset}" if subset else ""
    return Table.of(
        ("change", "item", *both, *texts),
        rows,
        left=("change", "item", *texts),
        caption=f"Items of {made.candidate} against {made.baseline}{where}, by {made.metric}: "
        f"{', '.join(counts)}.",
        label="tab:items",
    )


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
