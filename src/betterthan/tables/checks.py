"""Checks of tables whose roles were inferred."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from betterthan.errors import COLUMN, AlignmentError, BadValueError, FormatError, Remedy, quote
from betterthan.numeric import Floats
from betterthan.tables.cells import Place
from betterthan.tables.names import role_of

if TYPE_CHECKING:
    from betterthan.tables.block import Block

OTHERS = 5
"""Rows that one must sum up to be taken for a sum or mean of theirs."""
FEW, FAR_ABOVE_ONE = 3, 5
"""Items from which scales are compared, and a mean that no shares up to 1 have."""


def check_summary_row(items: pl.Series, scores: Mapping[str, pl.Series], place: Place) -> None:
    """Raise an error for a first or last row that is the sum or the mean of all others.

    Its id is not of the others' kind, and it is called so or every number is the sum or the mean.
    """
    for row, step in ((0, 1), (len(items) - 1, -1)):
        ends = items[::step].head(1 + OTHERS)
        own, *near = (re.sub(r"\d+", "#", str(x)) for x in ends)
        if len(near) < OTHERS or own in near:
            continue
        named = role_of(str(items[row])) == "summary"
        if named or all(_begins_with_summary(x[::step]) for x in scores.values()):
            raise FormatError(
                f"{place.name}: {place.row(row)} ({quote(items[row])}) is the sum or the mean of "
                "the other rows: delete that row"
            )


def _begins_with_summary(column: pl.Series) -> bool:
    value, others = column[0], column[1:].drop_nulls()
    if value is None or others.n_unique() < 2:
        return False
    decimals = len(f"{value:.15g}".partition(".")[2])
    half = 0.5 * 10.0**-decimals * (1 + 1e-9)
    return bool(min(abs(value - x) for x in (others.mean(), others.sum())) <= half)


def check_scale(systems: Sequence[str], values: Floats, where: str) -> None:
    """Raise an error where some systems have shares, such as 0.85, and others percentages."""
    if len(values) < FEW or not np.nanmax(values, initial=0) > FAR_ABOVE_ONE:
        return
    finite = np.where(np.isfinite(values), values, 0.0)
    low, high, mean = finite.min(axis=0), finite.max(axis=0), finite.mean(axis=0)
    shares = (low >= 0) & (high > 0.5) & (high <= 1)
    percentages = (low >= 0) & (high <= 100) & (mean > FAR_ABOVE_ONE)
    if shares.any() and percentages.any():
        one, other = (systems[int(np.argmax(x))] for x in (shares, percentages))
        raise BadValueError(
            f"{where}: {quote(one)} has shares up to 1, {quote(other)} percentages: write them on "
            "one scale",
            Remedy("they are on one scale", "systems", list(systems)),
        )


def check_shared(block: "Block", values: Floats) -> None:
    """Raise an error where systems have no item in common."""
    names = block.systems
    first, *others = np.asarray(~np.isnan(values).all(axis=2)).T
    for name, other in zip(names[1:], others, strict=True):
        if first.any() and other.any() and not (first & other).any():
            ours, theirs = (block.named(np.flatnonzero(x)) for x in (first, other))
            remedies = [Remedy("pair by another column", "columns", {"item": COLUMN})]
            if block.rows.task is not None:  # a system on each task, perhaps
                remedies = [Remedy("the score of one system", "systems", [names[0]], "score")]
            elif block.rows.declared["item"]:
                remedies = []
            raise AlignmentError(
                f"systems {names[0]!r} ({ours}) and {name!r} ({theirs}) have no item in common: "
                "use the same ids in both",
                *remedies,
            )
